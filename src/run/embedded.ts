/** The embedded reference server as a target with everything declared. */
import { type Receiver, type Target, targetOf } from '../config/target';
import { startReceiver } from '../events/receiver';
import { declarationOf } from '../reference/account';
import { type Reference, startReference } from '../reference/server';

/** How long to wait for the embedded server's notifications: far longer than one takes on a busy machine. */
const WAIT_SECONDS = 2;

/** Starts the server on a free loopback port, and a receiver for its notifications on another. */
export async function embeddedTarget(): Promise<{ target: Target; close: () => Promise<void> }> {
  const receiver = await startReceiver('127.0.0.1:0');
  const reference = await startReference({ receiverBase: receiver.origin });
  const close = async () => {
    await reference.close();
    await receiver.close();
  };
  return { target: targetOfReference(reference, receiver), close };
}

/** Returns a target that declares all of a reference server's accounts. @param receiver where their urls lead to */
export function targetOfReference(
  reference: Pick<Reference, 'baseURL' | 'accounts' | 'trigger'>,
  receiver: Receiver | null = null,
): Target {
  const declared = { baseURL: reference.baseURL, accounts: reference.accounts.map(declarationOf) };
  return {
    ...targetOf(declared, 'embedded reference server'),
    embedded: true,
    notifications: receiver && {
      listen: new URL(receiver.origin).host,
      accounts: reference.accounts.map((account) => account.name),
      trigger: (kind, account) => reference.trigger(kind, account),
      waitSeconds: WAIT_SECONDS,
      receiver,
    },
  };
}

/** `trigger: manual`: the terminal asks a person to make the service send, once for each kind and account. */
import { createInterface } from 'node:readline';
import { UsageError } from '../common/usage-error';
import { visible } from '../common/visible';
import { MANUAL } from '../config/target';
import type { Kind } from '../contract/settings';
import type { Clock } from '../recorder/transport/wire';

/** A person who has gone away must not hold up the run for ever. */
const ANSWERED_WITHIN_MINUTES = 15;
const LOOKED_AFTER_MS = 100;
/** What comes sooner after a question was typed before it, such as the second of two Enters. */
const ANSWERED_AFTER_MS = 500;
const CLOSED = 'was not answered: the terminal was closed';

const DEEDS: Readonly<Record<Kind, string>> = {
  start: 'start an assessment',
  submission: 'submit an assessment',
  updates: 'do what the service notifies as "updates"',
};

/** Where a person is asked. */
export interface Terminal {
  input: NodeJS.ReadableStream & { isTTY?: boolean };
  output: NodeJS.WritableStream & { isTTY?: boolean };
}

/** The terminal in which the run was started. Standard output may be read by machines. */
const OWN: Terminal = { input: process.stdin, output: process.stderr };

/** @throws UsageError if nobody can be asked */
export function assertTerminal({ input, output }: Terminal = OWN): void {
  if (input.isTTY && output.isTTY) return;
  throw new UsageError(
    `notifications.trigger: ${MANUAL} asks a person in a terminal, and this run has none. Start it in a terminal, or give a shell command.`,
  );
}

/** Questions of targets side by side are put one after another. */
let turn: Promise<unknown> = Promise.resolve();

/**
 * Asks a person to make the service send one notification, and waits until Enter is pressed.
 * @param isStopped whether nothing more is to be asked
 * @returns what went wrong, as words after "the trigger …"; `null` once Enter was pressed
 */
export function askPerson(
  asked: { kind: Kind; account: string; enabled: boolean; target: string },
  clock: Clock,
  isStopped: () => boolean,
  terminal = OWN,
): Promise<string | null> {
  const answered = turn.then(() => ask(questionOf(asked), clock, isStopped, terminal));
  turn = answered;
  return answered;
}

function questionOf({ kind, account, enabled, target }: Parameters<typeof askPerson>[0]): string {
  const due = enabled ? 'is on: it has to arrive' : 'is off: nothing may arrive';
  return visible(`\n\n  ${target}: now ${DEEDS[kind]} as ${account}, then press Enter.\n  ("${kind}" ${due}.)\n`);
}

async function ask(question: string, clock: Clock, isStopped: () => boolean, { input, output }: Terminal) {
  if (isStopped()) return 'was not asked for: the run was stopped, or another trigger went wrong';
  if (!input.readable) return CLOSED;
  output.write(question);
  const lines = createInterface({ input });
  const askedAtMs = clock.now();
  const untilMs = askedAtMs + ANSWERED_WITHIN_MINUTES * 60_000;
  let ended: string | null | undefined;
  lines.on('line', () => {
    if (clock.now() - askedAtMs >= ANSWERED_AFTER_MS) ended = null;
  });
  lines.once('close', () => {
    if (ended === undefined) ended = CLOSED;
  });
  while (ended === undefined && !isStopped() && clock.now() < untilMs)
    await new Promise<void>((resolve) => clock.after(LOOKED_AFTER_MS, resolve));
  const answer = ended;
  lines.close();
  if (answer !== undefined) return answer;
  return isStopped()
    ? 'was not answered: the run was stopped'
    : `was not answered within ${ANSWERED_WITHIN_MINUTES} minutes`;
}

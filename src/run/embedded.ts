/** The embedded reference server as a target with everything declared. */
import { startReference } from '../reference/server';
import { DEFAULT_LIMITS, type Target } from '../target';

/** Starts the server on a free loopback port. */
export async function embeddedTarget(): Promise<{ target: Target; close: () => Promise<void> }> {
  const reference = await startReference();
  return { target: targetOfReference(reference), close: () => reference.close() };
}

/** Declares all that is known of a reference server's accounts. */
export function targetOfReference(reference: Awaited<ReturnType<typeof startReference>>): Target {
  return {
    name: 'embedded reference server',
    baseURL: reference.baseURL,
    embedded: true,
    accounts: reference.accounts.map(({ name, apiKey, password, settings }) => ({
      name,
      apiKey,
      hasPassword: password !== null,
      ...(password === null ? {} : { password }),
      settings: settings as unknown as Record<string, unknown>,
    })),
    rate: { requests: 1, seconds: 1 },
    headers: [],
    limits: { ...DEFAULT_LIMITS, burst: null },
    notifications: null,
    waivers: [],
  };
}

/** What the reference server stores for an account, and the document that it serves. */
import type { Kind } from '../contract/settings';

/** The webhook settings as configured: the document of section 2.1 without `password` and `hasPassword`. */
export interface Settings extends Record<Kind, { status: boolean; url: string }> {
  auth: {
    status: boolean;
    type: string;
    basic: { username: string | null };
    apikey: { header: string | null; apikey: string | null };
  };
}

export interface Account {
  name: string;
  apiKey: string;
  /** The stored password of the basic scheme; `null` if none is stored. Only notifications use it. */
  password: string | null;
  settings: Settings;
}

/** Returns what a target file can declare of an account. */
export function declarationOf({ name, apiKey, password, settings }: Account) {
  return { name, apiKey, hasPassword: password !== null, ...(password !== null && { password }), settings };
}

/** Returns the response document of GET /webhooks (API description, section 2.1), without the stored password. */
export function settingsDocument(account: Account) {
  const { auth, ...kinds } = structuredClone(account.settings);
  const basic = { ...auth.basic, password: null as null, hasPassword: account.password !== null };
  return { webhook: { ...kinds, auth: { ...auth, basic } } };
}

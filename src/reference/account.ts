/** What the reference server stores of an account, and the document that it serves of it. */

/** The notification kinds (API description, section 6). */
export const kinds = ['start', 'submission', 'updates'] as const;
export type Kind = (typeof kinds)[number];

export interface KindSetting {
  status: boolean;
  /** Absolute http or https URL of the receiver. */
  url: string;
}

/** The webhook settings as configured: the document of section 2.1 without `password` and `hasPassword`. */
export interface Settings {
  start: KindSetting;
  submission: KindSetting;
  updates: KindSetting;
  auth: {
    status: boolean;
    /** `basic`, or the name of another scheme. */
    type: string;
    basic: { username: string | null };
    apikey: { header: string | null; apikey: string | null };
  };
}

export interface Account {
  name: string;
  apiKey: string;
  /** The stored password of the basic scheme; `null` where none is stored. It is used for notifications only. */
  password: string | null;
  settings: Settings;
}

/** The `webhook` object of a response. */
export interface Webhook extends Omit<Settings, 'auth'> {
  auth: Omit<Settings['auth'], 'basic'> & {
    basic: { username: string | null; password: null; hasPassword: boolean };
  };
}

/**
 * The response document of GET /webhooks (API description, section 2.1).
 * @returns a fresh object that the caller may change; it never holds the stored password
 */
export function settingsDocument(account: Account): { webhook: Webhook } {
  const { start, submission, updates, auth } = structuredClone(account.settings);
  return {
    webhook: {
      start,
      submission,
      updates,
      auth: {
        status: auth.status,
        type: auth.type,
        basic: { username: auth.basic.username, password: null, hasPassword: account.password !== null },
        apikey: auth.apikey,
      },
    },
  };
}

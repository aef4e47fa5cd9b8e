/** The accounts of the reference server, the documents that it serves, and the notifications that it sends. */
import { KINDS, type Kind } from '../contract/settings';
import type { HeaderLines } from '../evidence/model';

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

/** Returns what a target file can declare about an account. */
export function declarationOf({ name, apiKey, password, settings }: Account) {
  return { name, apiKey, hasPassword: password !== null, ...(password !== null && { password }), settings };
}

/** Returns the response document of GET /webhooks (API description, section 2.1), without the stored password. */
export function settingsDocument(account: Account) {
  const { auth, ...kinds } = structuredClone(account.settings);
  const basic = { ...auth.basic, password: null as null, hasPassword: account.password !== null };
  return { webhook: { ...kinds, auth: { ...auth, basic } } };
}

/**
 * Returns the accounts of the embedded server. Their secrets are used nowhere else. JSON, URLs and both alphabets of base64
 * write characters of the passwords differently, so that a run searches for every form.
 * @param receiverBase where notifications go: scheme, host and port, without a slash at its end
 */
export function embeddedAccounts(receiverBase = 'https://hooks.assessment.example'): Account[] {
  type Auth = Partial<Settings['auth']>;
  const accountOf = (
    name: string,
    apiKey: string,
    password: string | null,
    on: readonly Kind[],
    auth: Auth,
  ): Account => {
    const setting = (kind: Kind, query = '') => ({
      status: on.includes(kind),
      url: `${receiverBase}/${name}/${kind}${query}`,
    });
    const kinds = {
      start: setting('start', '?source=assessment&v=2'),
      submission: setting('submission', '?source=assessment&v=2'),
      updates: setting('updates'),
    };
    const usual = { status: true, type: 'basic', basic: { username: null }, apikey: { header: null, apikey: null } };
    return { name, apiKey, password, settings: { ...kinds, auth: { ...usual, ...auth } } };
  };
  return [
    accountOf('with-password', 'ouBYTb8jTRxF9PAv4saUY3vVFTxEaVsD', 'not-a-real/pass+wörd"1?>', KINDS, {
      basic: { username: 'assessment-hooks' },
    }),
    accountOf('without-password', 'HnlfQkn9WHMkMl0zO35AIXC3FZabRBsi', null, ['start', 'updates'], { status: false }),
    accountOf('api-key-scheme', 'JlwYn4qcE6JwOYmFgPtExv0kSMAaC59l', null, ['submission'], {
      type: 'apikey',
      apikey: { header: 'X-Receiver-Key', apikey: 'not-a-real-receiver-key-Qz7' },
    }),
    accountOf('all-off', 'NEpqpw78bkuRW1TXsaQB07Jaad0huWPu', 'fake\\päss/word+"2~?ÿ', [], {
      status: false,
      basic: { username: 'retired-receiver' },
    }),
  ];
}

export interface Notification {
  method: string;
  url: string;
  headers: HeaderLines;
  body: string;
  /** How long to wait before it is sent. */
  delayMs?: number;
}

/** Returns the notifications of a kind's event (API description, section 6): a POST to its url, or none while it is off. */
export function notificationsOf(kind: Kind, account: Account): Notification[] {
  const { status, url } = account.settings[kind];
  if (!status) return [];
  const body = JSON.stringify({ event: kind, sentAt: new Date().toISOString() });
  return [
    {
      method: 'POST',
      url,
      headers: [['Content-Type', 'application/json'], ...credentialsOf(account.settings.auth, account.password)],
      body,
    },
  ];
}

/** Returns the credentials that `auth` asks for (API description, section 6, rule 2); none if it is off or unset. */
function credentialsOf(auth: Settings['auth'], password: string | null): HeaderLines {
  if (!auth.status) return [];
  if (auth.type === 'basic') {
    if (password === null) return [];
    return [['Authorization', `Basic ${Buffer.from(`${auth.basic.username ?? ''}:${password}`).toString('base64')}`]];
  }
  const { header, apikey } = auth.apikey;
  return header !== null && apikey !== null ? [[header, apikey]] : [];
}

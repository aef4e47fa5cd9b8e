/** What the reference server stores for an account, and the document that it serves. */
import { KINDS, type Kind } from '../contract/settings';

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

/**
 * Returns the accounts of the embedded server. Their secrets are used nowhere else. JSON, URLs and the two alphabets of
 * base64 write characters of the passwords differently, so that a run searches for every form.
 * @param receiverBase where notifications go: scheme, host and port, without a slash at its end
 */
export function embeddedAccounts(receiverBase = 'https://hooks.assessment.example'): Account[] {
  const accountOf = (
    name: string,
    apiKey: string,
    password: string | null,
    on: readonly Kind[],
    auth: Partial<Settings['auth']>,
  ): Account => {
    const setting = (kind: Kind, query = '') => ({
      status: on.includes(kind),
      url: `${receiverBase}/${name}/${kind}${query}`,
    });
    return {
      name,
      apiKey,
      password,
      settings: {
        start: setting('start', '?source=assessment&v=2'),
        submission: setting('submission', '?source=assessment&v=2'),
        updates: setting('updates'),
        auth: {
          status: true,
          type: 'basic',
          basic: { username: null },
          apikey: { header: null, apikey: null },
          ...auth,
        },
      },
    };
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

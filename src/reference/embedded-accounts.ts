import { KINDS, type Kind } from '../contract/settings';
import type { Account, Settings } from './account';

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

import type { Account, Settings } from './account';

/**
 * The accounts of the embedded server. Their secrets are used nowhere else. The passwords hold characters that JSON,
 * URLs and both alphabets of base64 write differently, so that a run searches for every form.
 * @param receiverBase where notifications go: scheme, host and port, without a slash at its end
 */
export function embeddedAccounts(receiverBase = 'https://hooks.assessment.example'): Account[] {
  const kindsOf = (name: string, start: boolean, submission: boolean, updates: boolean) => {
    const kind = (path: string, status: boolean) => ({ status, url: `${receiverBase}/${name}/${path}` });
    return {
      start: kind('start?source=assessment&v=2', start),
      submission: kind('submission?source=assessment&v=2', submission),
      updates: kind('updates', updates),
    };
  };
  const unused: Settings['auth']['apikey'] = { header: null, apikey: null };
  return [
    {
      name: 'with-password',
      apiKey: 'ouBYTb8jTRxF9PAv4saUY3vVFTxEaVsD',
      password: 'not-a-real/pass+wörd"1?>',
      settings: {
        ...kindsOf('with-password', true, true, true),
        auth: { status: true, type: 'basic', basic: { username: 'assessment-hooks' }, apikey: unused },
      },
    },
    {
      name: 'without-password',
      apiKey: 'HnlfQkn9WHMkMl0zO35AIXC3FZabRBsi',
      password: null,
      settings: {
        ...kindsOf('without-password', true, false, true),
        auth: { status: false, type: 'basic', basic: { username: null }, apikey: unused },
      },
    },
    {
      name: 'api-key-scheme',
      apiKey: 'JlwYn4qcE6JwOYmFgPtExv0kSMAaC59l',
      password: null,
      settings: {
        ...kindsOf('api-key-scheme', false, true, false),
        auth: {
          status: true,
          type: 'apikey',
          basic: { username: null },
          apikey: { header: 'X-Receiver-Key', apikey: 'not-a-real-receiver-key-Qz7' },
        },
      },
    },
    {
      name: 'all-off',
      apiKey: 'NEpqpw78bkuRW1TXsaQB07Jaad0huWPu',
      password: 'fake\\päss/word+"2~?ÿ',
      settings: {
        ...kindsOf('all-off', false, false, false),
        auth: { status: false, type: 'basic', basic: { username: 'retired-receiver' }, apikey: unused },
      },
    },
  ];
}

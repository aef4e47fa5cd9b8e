import type { Kind } from '../contract/settings';
import type { Account, Settings } from './account';

/**
 * Returns the accounts of the embedded server. Their secrets are used nowhere else. JSON, URLs and the two alphabets of
 * base64 write characters of the passwords differently, so that a run searches for every form.
 * @param receiverBase where notifications go: scheme, host and port, without a slash at its end
 */
export function embeddedAccounts(receiverBase = 'https://hooks.assessment.example'): Account[] {
  const accountOf = (
    account: Omit<Account, 'settings'>,
    on: Record<Kind, boolean>,
    auth: Partial<Settings['auth']>,
  ): Account => {
    const kind = (status: boolean, path: string) => ({ status, url: `${receiverBase}/${account.name}/${path}` });
    return {
      ...account,
      settings: {
        start: kind(on.start, 'start?source=assessment&v=2'),
        submission: kind(on.submission, 'submission?source=assessment&v=2'),
        updates: kind(on.updates, 'updates'),
        auth: {
          ...{ status: true, type: 'basic', basic: { username: null }, apikey: { header: null, apikey: null } },
          ...auth,
        },
      },
    };
  };
  return [
    accountOf(
      { name: 'with-password', apiKey: 'ouBYTb8jTRxF9PAv4saUY3vVFTxEaVsD', password: 'not-a-real/pass+wörd"1?>' },
      { start: true, submission: true, updates: true },
      { basic: { username: 'assessment-hooks' } },
    ),
    accountOf(
      { name: 'without-password', apiKey: 'HnlfQkn9WHMkMl0zO35AIXC3FZabRBsi', password: null },
      { start: true, submission: false, updates: true },
      { status: false },
    ),
    accountOf(
      { name: 'api-key-scheme', apiKey: 'JlwYn4qcE6JwOYmFgPtExv0kSMAaC59l', password: null },
      { start: false, submission: true, updates: false },
      { type: 'apikey', apikey: { header: 'X-Receiver-Key', apikey: 'not-a-real-receiver-key-Qz7' } },
    ),
    accountOf(
      { name: 'all-off', apiKey: 'NEpqpw78bkuRW1TXsaQB07Jaad0huWPu', password: 'fake\\päss/word+"2~?ÿ' },
      { start: false, submission: false, updates: false },
      { status: false, basic: { username: 'retired-receiver' } },
    ),
  ];
}

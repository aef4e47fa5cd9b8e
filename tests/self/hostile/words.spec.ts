/** Secrets that are ordinary words: a server that conforms is accused of nothing, and one that tells them is found. */
import { expect, test } from '@playwright/test';
import { answering, withHeader } from '../../../fixtures/dialects/tools';
import { runInMemory } from '../../../scripts/matrix/in-process';
import { type Account, embeddedAccounts } from '../../../src/reference/account';
import type { Bend } from '../../../src/reference/behaviour';
import { LOOPBACK } from '../../../src/reference/in-memory';
import { drawn } from '../level';

const LIMITS = { timeoutSeconds: 10, bodyBytes: 1_048_576, burst: null, runSeconds: 600 };
const RECEIVER = 'http://127.0.0.1:9099';
const ROLES = ['password', 'password of another scheme', "receiver's key"] as const;

/** The accounts of the embedded server, of which one has a word as its secret. */
function accountsWith(word: string, role: (typeof ROLES)[number]): Account[] {
  const [first, second, third, ...rest] = embeddedAccounts(RECEIVER) as [Account, Account, Account];
  if (role === 'password') first.password = word;
  else if (role === 'password of another scheme') third.password = word;
  else Object.assign(third.settings.auth, { apikey: { header: 'X-Receiver-Key', apikey: word } });
  return [first, second, third, ...rest];
}

async function verdictsWith(word: string, role: (typeof ROLES)[number], bends: Bend[] = []) {
  const server = { accounts: accountsWith(word, role), receiverBase: RECEIVER, target: { limits: LIMITS } };
  const { judgements } = await runInMemory(bends, server, { ...LOOPBACK, seed: 1 });
  return new Map(judgements.map(({ id, verdict }) => [id, verdict]));
}

// Words of HTTP and of the settings, a kind, a scheme; a word of this server's own; numbers that headers and urls hold.
const WORDS = ['basic', 'start', 'hmac', 'assessment', 'true', '2', '200', 'Date', 'Remaining', 'unauthorized'];
let ordinary: Awaited<ReturnType<typeof verdictsWith>>;
test.beforeAll(async () => {
  ordinary = await verdictsWith('ordinary/Secret+4711', 'password');
});

for (const word of drawn(WORDS, 2))
  test(`a server with ${word} as a secret is judged as any other`, async () => {
    expect([...ordinary.values()].filter((verdict) => /fail|warn/.test(verdict))).toEqual([]);
    for (const role of ROLES) expect(await verdictsWith(word, role), role).toEqual(ordinary);
  });

test('a word that only its owner is told is told', async () => {
  const bend = answering((answer, { account }) =>
    account?.password ? withHeader(answer, 'X-Debug', account.password) : answer,
  );
  for (const word of ['swordfish', 'hunter2']) {
    const verdicts = await verdictsWith(word, 'password', [{ name: 'telling', bend }]);
    expect(verdicts.get('settings.password-absent'), word).toBe('fail');
  }
});

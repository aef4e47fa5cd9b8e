/** What one cause breaks is said once: something besides the API answered, or nothing did, or one mistake breaks much. */
import { expect, test } from '@playwright/test';
import { answering } from '../../../fixtures/dialects/tools';
import { idsOf } from '../../../scripts/matrix/in-process';
import { clauseTexts } from '../../../src/contract/clauses';
import { accidentsInWords } from '../../../src/judge/transport';
import { causesIn } from '../../../src/judge/verdict';
import { type Answer, type Behaviour, type Bend, type Call, problem } from '../../../src/reference/behaviour';
import { messageOf } from '../../../src/report/breach/message';
import { runAgainstBent, serverNamed } from '../support/simulation';

test.describe.configure({ mode: 'parallel' });

async function runWith(bend: NonNullable<Bend['bend']>, accounts: number) {
  const network = { upMs: 1, downMs: 1, seed: 7 };
  const { judgements, recorder } = await runAgainstBent([{ name: 'by hand', bend }], { accounts, network });
  const core = judgements.filter(({ id }) => !id.startsWith('event.'));
  return {
    broken: idsOf({ judgements: core }, 'fail', 'warn'),
    unseen: core.filter(({ untested }) => untested === 'unseen').map(({ id, reason }) => `${id}: ${reason}`),
    reasons: new Map(core.map(({ id, reason }) => [id, reason ?? ''])),
    causes: causesIn(core).length,
    note: accidentsInWords(recorder.evidence()),
  };
}

const page = (status: number) => problem(status, 'unavailable', 'Try again.');

/** Every so many answers a failure, whoever asks. */
function failing(every: number, status: number): NonNullable<Bend['bend']> {
  let count = 0;
  return answering((own) => (++count % every === 0 ? page(status) : own));
}

/** From a moment on, until another one. */
function between(
  from: number,
  to: number,
  replaced: (call: Call, behaviour: Behaviour) => Answer | null,
): NonNullable<Bend['bend']> {
  return (behaviour) => {
    const startedAt = behaviour.clock();
    const isThen = () => behaviour.clock() >= startedAt + from && behaviour.clock() < startedAt + to;
    return answering((own, call) => (isThen() ? replaced(call, behaviour) : null) ?? own)(behaviour);
  };
}

for (const [accounts, every, status] of [
  [1, 31, 503],
  [4, 17, 502],
] as const)
  test(`an unsteady server is called so, once, and accused of nothing else: accounts: ${accounts}`, async () => {
    const { broken, unseen, note, reasons } = await runWith(failing(every, status), accounts);
    expect(broken).toEqual(['transport.complete']);
    expect(reasons.get('transport.complete')).toMatch(/^\d+ of \d+ answers failed/);
    expect(unseen.filter((reason) => /somebody else|another client/i.test(reason))).toEqual([]);
    expect(note).toMatch(
      /^Unsteady: \d+ of \d+ answers failed \(50[23]\), at \d+ moments: \d+ to valid keys, \d+ to requests/,
    );
  });

const BROKEN_ONCE: Record<string, (call: Call) => boolean> = {
  'a wrong key on the base path': ({ account, path }) => account === undefined && path.endsWith('/v2/'),
  'an empty key': ({ request }) => request.headers.apikey === '',
  'a key in the url': ({ query }) => query.has('apiKey'),
  'a query': ({ account, query }) => account !== undefined && query.has('x'),
  'another version': ({ account, path }) => account !== undefined && path.endsWith('/v0/webhooks'),
};
for (const [what, isMeant] of Object.entries(BROKEN_ONCE))
  test(`one broken answer in a whole run is asked for again, and is a note: to ${what}`, async () => {
    let isPast = false;
    const { broken, unseen, note } = await runWith(
      answering((own, call) => {
        if (isPast || !isMeant(call)) return own;
        isPast = true;
        return { ...own, headers: [...own.headers, ['Content-Encoding', 'gzip']] };
      }),
      2,
    );
    expect([...broken, ...unseen]).toEqual([]);
    expect(note).toMatch(/^At one moment alone, so no clause was judged by it: malformed to GET/);
  });

const ONE_MOMENT = /^At one moment alone, so no clause was judged by it: 429 to GET .* and \d+ more\./;
const A_WHILE =
  /^From entry \d+ on, \d+ answers \(429\) judge no clause: a limiter in front of the server refused every/;

for (const [from, forMs, told] of [
  [3000, 300, ONE_MOMENT],
  [5200, 300, ONE_MOMENT],
  [6000, 3000, A_WHILE],
] as const) {
  test(`${forMs} ms in which everything is a 429, after ${from} ms, leave nothing open`, async () => {
    const { broken, unseen, note } = await runWith(
      between(from, from + forMs, () => page(429)),
      4,
    );
    expect(broken).toEqual([]);
    expect(unseen).toEqual([]);
    expect(note).toMatch(told);
  });
}

test('a limiter of addresses that refuses everything to the end is why clauses are not tested', async () => {
  const { broken, unseen, note } = await runWith(
    between(4600, Number.POSITIVE_INFINITY, () => page(429)),
    4,
  );
  expect(broken).toEqual([]);
  expect(note).toMatch(A_WHILE);
  expect(unseen.length).toBeGreaterThan(0);
  expect(unseen.filter((reason) => !reason.includes('exempt this address'))).toEqual([]);
});

test('what a server answers to the only key to the end, after requests over the rate, is no accident', async () => {
  let refused = 0;
  const bend = answering((own, call) => {
    if (own.status === 429) refused += 1;
    return call.account && refused >= 25 ? page(503) : own;
  });
  const { broken, unseen, note } = await runWith(bend, 1);
  expect(note).toBeNull();
  expect([...broken, ...unseen].filter((id) => id.startsWith('rate.not-stricter'))).toHaveLength(1);
});

for (const [what, answered] of [
  ['fails', () => page(500)],
  ['gets the page that requests without a key get', (call: Call, { rejection }: Behaviour) => rejection(call)],
] as const) {
  for (const accounts of [1, 4]) {
    test(`an outage behind a gateway is said once: every valid key ${what}, accounts: ${accounts}`, async () => {
      const bend = between(4600, Number.POSITIVE_INFINITY, (call, behaviour) =>
        call.account ? (answered(call, behaviour) as Answer) : null,
      );
      const { broken, unseen, reasons } = await runWith(bend, accounts);
      expect(broken).toEqual(['transport.complete']);
      expect(reasons.get('transport.complete')).toContain('to all valid keys, while requests without one were still');
      expect(unseen.filter((reason) => !reason.includes('stopped answering'))).toEqual([]);
    });
  }
}

for (const accounts of [1, 4]) {
  test(`a cache without Age is the one cause of what it breaks, accounts: ${accounts}`, async () => {
    const { broken, reasons, causes } = await runWith(({ around, clock }) => {
      const stored = new Map<string, { answer: Answer; untilMs: number }>();
      return {
        async around(call, answer) {
          const name = `${call.request.headers.apikey} ${call.method} ${call.path}`;
          const found = stored.get(name);
          if (found && found.untilMs > clock()) return found.answer;
          const fresh = await around(call, answer);
          if (fresh.status === 200 && call.account) stored.set(name, { answer: fresh, untilMs: clock() + 10_000 });
          return fresh;
        },
      };
    }, accounts);
    expect(broken).toEqual(['rate.enforced', 'rate.enforced-concurrent', 'rate.reset-format']);
    expect(causes).toBe(1);
    expect(reasons.get('rate.enforced')).toMatch(
      /the same answer came \d+ times after its Reset had passed, as from a cache/,
    );
  });
}

const crashing: Bend = { name: 'crashing', bend: () => ({ rejection: () => problem(500, 'oops', 'Internal error.') }) };

const KEYLESS = clauseTexts
  .map(({ id }) => id)
  .filter((id) => /^auth\.(?:missing|empty|unknown|altered|rejection|no-session|base-path-r)/.test(id));

test('"rejects with 500" is one cause, told in full once', async () => {
  const run = await runAgainstBent([crashing], { ids: KEYLESS });
  const failed = run.judgements.filter(({ verdict }) => verdict === 'fail');
  expect(failed.length).toBeGreaterThan(5);
  const causes = causesIn(run.judgements);
  expect(causes.map(({ clauses }) => clauses)).toEqual([failed.map(({ id }) => id)]);
  const [first, second] = failed.map((judgement, i) =>
    messageOf(judgement, run.recorder.evidence(), i === 0 ? null : (failed[0]?.id ?? '')),
  );
  expect(first).toContain('  conforms ');
  expect(second?.split('\n')).toHaveLength(4);
  expect(second).toContain(`  cause     the same as for ${failed[0]?.id}`);
});

test('who gets the settings of another one, alone and at the same moment, gets them by one cause', async () => {
  const swapping: Bend = {
    name: 'swapping',
    bend: ({ accounts, document }) => ({
      document: (account, call) => document(accounts[accounts.indexOf(account) ^ 1] ?? account, call),
    }),
  };
  const run = await runAgainstBent([swapping], { ids: ['auth.own-settings', 'auth.isolation'] });
  expect(causesIn(run.judgements).map(({ clauses }) => clauses)).toEqual([['auth.own-settings', 'auth.isolation']]);
});

test('an account that is refused because of another is shown refused, and not the other one let in', async () => {
  const { judgements, recorder } = await runAgainstBent([serverNamed('one-budget-for-all')]);
  const judgement = judgements.find(({ id }) => id === 'rate.per-user');
  const message = judgement && messageOf(judgement, recorder.evidence());
  expect(message).toMatch(/^ {2}came {6}.*refused while .*\n {12}429$/m);
});

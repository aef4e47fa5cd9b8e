/** What whole runs come to, on small evidence: whether any key was accepted, verdicts, causes, observations. */
import { expect, test } from '@playwright/test';
import { probe } from '../../../src/catalogue/probe';
import type { ClauseResult } from '../../../src/contract/result';
import type { Delivery, Evidence, Exchange } from '../../../src/evidence/model';
import { causesOf } from '../../../src/judge/causes';
import { answerFlaw, type Breach, each, notTested } from '../../../src/judge/finding';
import { distinct } from '../../../src/judge/observations';
import { noKeyAccepted, whyNothingIsJudged, whyUnjudged } from '../../../src/judge/reachability';
import {
  HARM,
  type Judgement,
  judgementOf,
  profileVerdictOf,
  runVerdictOf,
  worstFirst,
} from '../../../src/judge/verdict';
import { observationsOf } from '../../../src/profiles/profiles';
import { judgementsOf, ruleOf } from '../../../src/profiles/rules';
import {
  accountsNamed,
  at,
  BASE,
  breach,
  evidenceOf,
  exchangeOf,
  found,
  keyless,
  type Sketch,
  serving,
} from '../support/evidence-of';

const PAGE = '<!DOCTYPE html><title>Moved</title>';
const RESET = { fault: { kind: 'reset', message: 'closed the connection' } } as const;
const TIMEOUT = { fault: { kind: 'timeout', message: 'did not answer' } } as const;
const PLAIN = { baseURL: 'http://api.example/v2' };
const located = (length: number): Sketch => ({ status: 302, headers: [['Location', 'x'.repeat(length)]] });
const LAST = (answer: string, hint: string) => `No key was accepted at ${BASE}/webhooks: ${answer}. ${hint}`;
const BREAKS = 'if key and address are right, the server breaks auth.accepted.';
const KEYS = `Check the keys and the address; ${BREAKS}`;
const SCHEME = /The scheme looks wrong: http:\/\/ was spoken to what may be an https port\./;

for (const [what, sketches, expected] of [
  ['one of two is accepted', [{ status: 401 }, {}], null],
  ['nothing was tried', [keyless('missing-key', 200)], null],
  ['a wrong key', [{ status: 401 }, keyless('missing-key', 200)], LAST('401 to alice', KEYS)],
  [
    'several answers',
    [{ status: 401 }, { status: 401, account: 'bob' }, { ...TIMEOUT, account: 'bob' }],
    LAST('401 to alice and bob; no complete answer (the server did not answer) to bob', KEYS),
  ],
  [
    'one page for everything',
    [{ body: PAGE }, keyless('missing-key', 200, { body: PAGE })],
    /200 with a web page to alice\. A web page answers in place of the API/,
  ],
  ['a page to valid keys alone', [{ body: PAGE }, keyless('missing-key', 401)], null],
  [
    'a page without a key, an error with one',
    [{ status: 500 }, keyless('missing-key', 200, { body: PAGE })],
    /500 to alice\. The server answers every valid key with an error/,
  ],
  [
    'an error to valid keys alone',
    [{ status: 500 }, keyless('missing-key', 401)],
    LAST(
      '500 to alice',
      'Requests without a valid key get no such error, so the server is up: it breaks auth.accepted.',
    ),
  ],
  ['a page without a key alone', [{}, keyless('missing-key', 200, { body: PAGE })], null],
  ['pages to keys alone', [{ body: PAGE }, { body: PAGE }], null],
  ['a page that begins late', [{ status: 403, body: `${' '.repeat(495)}<html>` }], /with a web page/],
  ['a page that begins too late', [{ status: 403, body: `${' '.repeat(496)}<html>` }], LAST('403 to alice', KEYS)],
  [
    'a page to one of two',
    [{ status: 403, body: PAGE }, { status: 403 }],
    LAST('403 with a web page to alice; 403 to alice', KEYS),
  ],
  [
    'a page, but no read',
    [{ body: PAGE }, keyless('every-method', 200, { body: PAGE, request: { method: 'PUT', url: BASE, headers: [] } })],
    null,
  ],
  ['a redirect', [{ status: 301, headers: [['Location', '/login']] }], /The server redirects to \/login: use/],
  ['the last redirect', [{ status: 399, headers: [['Location', '/login']] }], /redirects to \/login/],
  ['a redirect of many words', [located(201)], /redirects to x{200}: use/],
  ['a redirect nowhere', [{ status: 302 }], LAST('302 to alice', KEYS)],
  ['an error with a location', [{ status: 400, headers: [['Location', '/login']] }], LAST('400 to alice', KEYS)],
  ['a redirect and an error', [located(2), { status: 404 }], LAST('302 to alice; 404 to alice', KEYS)],
  [
    'nothing whole',
    [TIMEOUT],
    LAST(
      'no complete answer (the server did not answer) to alice',
      'Is the server up, and do scheme and port fit together? Otherwise the server breaks auth.accepted.',
    ),
  ],
  [
    'a broken success',
    [{ ...TIMEOUT, status: 200 }, { status: 404 }],
    /The path looks wrong: the server has nothing there/,
  ],
  ['not found', [{ status: 404 }], /the server has nothing there\. Check it; /],
  ['not found by one alone', [{ status: 404 }, { status: 401 }], /Check the keys and the address/],
  ['out of order', [{ status: 500 }], /The server answers every valid key with an error: is it up\?/],
  ['nearly out of order', [{ status: 499 }], LAST('499 to alice', KEYS)],
  ['refused', [{ status: 429 }], /Is somebody else using the key, or was it banned\?/],
  ['a hang-up over https', [RESET], /Is the server up, and do scheme and port fit/],
  [
    'a refusal with a page',
    [{ status: 429, body: PAGE }],
    LAST(
      '429 with a web page to alice',
      'Is somebody else using the key, or was it banned? Otherwise the server breaks auth.accepted.',
    ),
  ],
] as ReadonlyArray<[string, Sketch[], string | RegExp | null]>) {
  test(`no key was accepted: ${what}`, () => {
    const says = noKeyAccepted(evidenceOf(sketches));
    if (expected instanceof RegExp) expect(says).toMatch(expected);
    else expect(says).toBe(expected);
  });
}

for (const [what, sketches, isScheme] of [
  ['a hang-up', [RESET], true],
  ['noise', [{ fault: { kind: 'malformed', message: 'no HTTP' } }], true],
  ['a hang-up and a refusal', [RESET, { status: 401 }], false],
  ['silence', [TIMEOUT], false],
  ['a hang-up to valid keys alone', [RESET, keyless('missing-key', 401)], false],
  [
    'a 400 that speaks of TLS, once',
    [{ status: 400, body: 'plain HTTP request sent to HTTPS port' }, { status: 404 }],
    true,
  ],
  ['a 400 that does not', [{ status: 400, body: 'no' }], false],
  ['a 401 that speaks of TLS', [{ status: 401, body: 'use https' }], false],
] as ReadonlyArray<[string, Sketch[], boolean]>) {
  test(`http:// where it is not spoken: ${what}`, () => {
    expect(SCHEME.test(noKeyAccepted(evidenceOf(sketches, PLAIN)) ?? '')).toBe(isScheme);
  });
}

for (const [end, says] of [
  ['/api', 'it does not end in a version. Try https://api.example/api/v2, then'],
  ['/v2/webhooks', 'it does not end in a version. Try https://api.example/v2, then'],
  ['/webhooks', 'it does not end in a version. Try https://api.example/v2, then'],
  ['/v1', 'the server has nothing there. Try https://api.example/v2, then'],
  ['/v2', 'the server has nothing there. Check it;'],
] as const)
  test(`an address that ends in ${end} is told the likely one`, () => {
    const error = noKeyAccepted(evidenceOf([{ status: 404 }], { baseURL: `https://api.example${end}` }));
    expect(error).toContain(`The path looks wrong: ${says}`);
  });

test('where no key was accepted, three clauses are judged all the same, unless a page feigns it', () => {
  const why = (id: string, ...sketches: Sketch[]) => whyUnjudged(id, evidenceOf(sketches)) !== null;
  const clauses = ['auth.accepted', 'transport.complete', 'settings.json'];
  const page = [{ body: PAGE }, keyless('missing-key', 200, { body: PAGE })];
  expect(clauses.map((id) => why(id, {}))).toEqual([false, false, false]);
  expect(clauses.map((id) => why(id, { status: 401 }))).toEqual([false, false, true]);
  expect(clauses.map((id) => why(id, ...page))).toEqual([true, false, true]);
  const judgement = judgementsOf(['settings.json'], evidenceOf([{ status: 401 }]), '2026-01-01').get('settings.json');
  expect(judgement?.reason).toBe('No key was accepted, so nothing else could be judged (auth.accepted).');
});

const result = (level: 'must' | 'should', verdict: ClauseResult['verdict'], id = 'auth.accepted'): ClauseResult => ({
  ...{ id, level, verdict, section: '5', statement: '', reason: null, evidence: [], finding: null, untested: null },
});

test('a run of which no answer arrived whole says so, and one of which something was judged does not', () => {
  const untested = [result('must', 'not-tested')];
  const silent =
    /^No answer of https:\/\/api\.example\/v2 arrived whole, so nothing could be judged: the server closed the connection\.$/;
  expect(whyNothingIsJudged(untested, evidenceOf([RESET, TIMEOUT]))).toMatch(silent);
  expect(whyNothingIsJudged([], evidenceOf([RESET]))).toBeNull();
  expect(whyNothingIsJudged([...untested, result('must', 'pass')], evidenceOf([RESET]))).toMatch(
    /^No key was accepted/,
  );
  expect(whyNothingIsJudged(untested, evidenceOf([RESET, {}]))).toBeNull();
  expect(whyNothingIsJudged(untested, evidenceOf([]))).toBeNull();
});

test('a run that left every clause open says why, unless each of them only needs a declaration', () => {
  const open = (untested: 'unseen' | 'undeclared', reason: string) => ({
    ...result('must', 'not-tested'),
    ...{ untested, reason },
  });
  const [unseen, other, undeclared] = [open('unseen', 'A.'), open('unseen', 'B.'), open('undeclared', 'C.')];
  const why = (decided: ClauseResult[], sketch: Sketch = {}) => whyNothingIsJudged(decided, evidenceOf([sketch]));
  expect(why([undeclared, undeclared])).toBeNull();
  expect(why([other, undeclared, unseen, unseen, undeclared])).toBe('Nothing was judged. A.');
  expect(why([unseen, result('must', 'pass')])).toBeNull();
  expect(why([unseen], { body: PAGE })).toBe(
    'Nothing was judged: a web page answers at https://api.example/v2/webhooks in place of the API. A.',
  );
});

test('the verdict of a run and of a profile', () => {
  expect(runVerdictOf([result('must', 'fail')], 'unreachable')).toBe('error');
  expect(runVerdictOf([result('must', 'pass'), result('must', 'fail')], null)).toBe('non-conformant');
  expect(profileVerdictOf([result('must', 'pass'), result('must', 'not-tested')])).toBe('pass');
  expect(runVerdictOf([result('should', 'fail'), result('must', 'pass')], null)).toBe('conformant');
  expect(runVerdictOf([result('should', 'not-tested')], null)).toBe('conformant');
  expect(runVerdictOf([result('must', 'not-tested', 'event.own-url')], null)).toBe('conformant');
  expect(runVerdictOf([result('must', 'waived')], null)).toBe('incomplete');
  expect(profileVerdictOf([result('should', 'fail'), result('must', 'not-tested')])).toBe('not-tested');
  expect(profileVerdictOf([result('should', 'not-tested'), result('must', 'pass')])).toBe('pass');
  expect(profileVerdictOf([result('must', 'fail'), result('must', 'not-tested')])).toBe('fail');
});

test('a clause without a rule is an error', () => {
  expect(() => ruleOf('auth.toString')).toThrow('No rule judges the clause auth.toString.');
  expect(() => ruleOf('constructor')).toThrow('No rule judges the clause constructor.');
});

const judged = (id: string, evidence: Evidence, today = '2026-01-01') => {
  const judgement = judgementsOf([id], evidence, today).get(id) as Judgement;
  return [judgement.verdict, judgement.reason, judgement.note];
};

test('a waiver holds up to its last day, and one that waives nothing is told of', () => {
  const clause = 'auth.accepted';
  const waived =
    (...sketches: Sketch[]) =>
    (waiver: object, today?: string) =>
      judged(clause, evidenceOf([{}, ...sketches], { waivers: [{ clause, reason: 'T-1', ...waiver }] }), today);
  const failing = waived({ status: 404 });
  expect(failing({})).toEqual(['waived', '404 to the valid key of alice. Waived: T-1', null]);
  expect(failing({ until: '2026-01-01' })).toEqual([
    'waived',
    '404 to the valid key of alice. Waived until 2026-01-01: T-1',
    null,
  ]);
  expect(failing({ until: '2026-01-01' }, '2026-01-02')).toEqual([
    ...['fail', '404 to the valid key of alice.'],
    'The waiver of auth.accepted ended on 2026-01-01 and waives nothing any more.',
  ]);
  expect(failing({ clause: 'auth.missing-key' })).toEqual(['fail', '404 to the valid key of alice.', null]);
  expect(waived()({})).toEqual(['pass', null, 'The waiver of auth.accepted is stale: the clause passes.']);
  const untested = evidenceOf([{}], { waivers: [{ clause: 'auth.missing-key', reason: 'T-1' }] });
  expect(judged('auth.missing-key', untested)).toEqual(['not-tested', 'No such request was sent.', null]);
});

test('a sentence gets its capital letter and its full stop once', () => {
  const reason = (notTested: string) =>
    judgementOf('auth.accepted', { breaches: [], evidence: [2, 1, 2], notTested }, evidenceOf([]), '2026-01-01');
  expect(reason('so why?').reason).toBe('So why?');
  expect(reason('nothing came').reason).toBe('Nothing came.');
  expect(reason('apiKey is missing').reason).toBe('apiKey is missing.');
  expect(reason('x').evidence).toEqual([1, 2]);
});

test('breaches of one harm keep their order, and a stored secret outweighs a success', () => {
  const answered = (name: string, sketch: Sketch) =>
    breach('request', name, '', exchangeOf({ account: null, ...sketch }));
  const told = (...breaches: Breach[]) => worstFirst(breaches, 'auth.missing-key').map(({ subject }) => subject.name);
  const secret = (marker: string) => answered(marker, { status: 401, body: `"${marker}"` });
  const [letIn, key] = [answered('let in', { body: '1' }), secret('[secret:apiKey:alice]')];
  expect(told(key, letIn, secret('[secret:password:alice]'), secret('[secret:receiverKey:alice]'))).toEqual([
    ...['[secret:password:alice]', '[secret:receiverKey:alice]', 'let in', '[secret:apiKey:alice]'],
  ]);
  expect(HARM).toEqual({ other: 0, answered: 1, letIn: 2, disclosed: 3 });
});

test('what breaks only where the description shows nothing is a warning', () => {
  const malformed = { fault: { kind: 'malformed', message: 'sent more bytes than its answer has' } } as const;
  const head: Sketch = {
    ...keyless('every-method', 401, malformed),
    request: { method: 'HEAD', url: 'https://api.example/v2/webhooks', headers: [] },
  };
  const verdictOf = (...sketches: Sketch[]) =>
    judgementsOf(['transport.complete'], evidenceOf(sketches), '2026-01-01').get('transport.complete')?.verdict;
  expect(verdictOf({}, head)).toBe('warn');
  expect(verdictOf({}, head, { ...malformed })).toBe('fail');
});

test('broken answers are left to transport.complete', () => {
  const check = () => answerFlaw('wrong', 'right');
  expect(each([exchangeOf(RESET)], 'none', check).notTested).toMatch(/^no answer to this arrived whole/);
  expect(each([], 'none', check).notTested).toBe('none');
  expect(each([exchangeOf(RESET), exchangeOf()], 'none', check).breaches).toHaveLength(1);
});

test('every fault of a connection is told, and an outage once', () => {
  expect(found('transport.complete', evidenceOf([]))).toBe('Nothing was sent.');
  const gone = { fault: { kind: 'unreachable', message: 'ECONNREFUSED' } } as const;
  expect(found('transport.complete', evidenceOf([{}, RESET, gone]))).toEqual([
    'the server: the server closed the connection',
    'the server: the server could not be reached any more: ECONNREFUSED',
  ]);
  const out = evidenceOf([
    keyless('missing-key', 401),
    {},
    gone,
    { ...keyless('missing-key', 0), ...gone },
    { ...keyless('alive', 0), ...gone },
  ]);
  const outage =
    'From 2.0 s into the run to its end connections failed, 3 in all, to valid keys and without a key alike: the server had stopped serving.';
  expect(judged('transport.complete', out)).toEqual(['fail', outage, null]);
});

const failing = (id: string, verdict: 'fail' | 'warn', ...breaches: Breach[]): Judgement => ({
  ...{ id, verdict, level: 'must', section: '5', statement: '', reason: id, evidence: [] },
  ...{ finding: null, untested: null, breaches, note: null },
});

test('causes: failures before warnings, and then the most harmful first', () => {
  const [refused, letIn, other] = [keyless('missing-key', 500), keyless('empty-key', 200), { status: 500 }].map(
    (sketch) => exchangeOf(sketch),
  ) as [Exchange, Exchange, Exchange];
  const shown = (...exchanges: Exchange[]) => breach('answer', '', '', ...exchanges);
  const ids = (...judgements: Judgement[]) => causesOf(judgements).map(({ clauses }) => clauses.join());
  expect(ids(failing('a', 'warn', shown(letIn)), failing('b', 'fail', shown(other)))).toEqual(['b', 'a']);
  expect(ids(failing('a', 'fail', shown(refused)), failing('b', 'fail', shown(letIn)))).toEqual(['b', 'a']);
  expect(ids(failing('a', 'fail', shown()), failing('b', 'fail', breach('answer', '', 'other words')))).toEqual([
    'a',
    'b',
  ]);
  expect(ids(failing('a', 'fail', shown()), failing('b', 'fail', shown(refused)))).toEqual(['b', 'a']);
  expect(ids(failing('a', 'fail'), failing('b', 'fail', shown()))).toEqual(['b']);
  expect(ids(failing('a', 'fail', shown(refused)), failing('b', 'fail', shown(other)))).toEqual(['a', 'b']);
  const both = failing('a', 'fail', shown(refused), shown(other));
  expect(ids(both, failing('b', 'fail', shown(other)))).toEqual(['a', 'b']);
  const [named, again] = [
    breach('member', 'auth.basic.password', '', refused, other),
    breach('member', 'auth.basic.password', '', other),
  ];
  expect(ids(failing('a', 'fail', named), failing('b', 'fail', again))).toEqual(['a,b']);
  expect(ids(failing('a', 'fail', again), failing('b', 'fail', breach('member', 'auth.type', '', other)))).toEqual([
    'a',
    'b',
  ]);
  expect(ids(failing('a', 'fail', shown(other)), failing('b', 'fail', shown(), shown(other)))).toEqual(['a,b']);
  expect(
    ids(
      failing('a', 'fail', breach('header', 'Vary', '', other)),
      failing('b', 'fail', breach('header', 'vary', '', other)),
    ),
  ).toEqual(['a,b']);
  const path = exchangeOf(keyless('every-path', 500));
  expect(ids(failing('a', 'fail', shown(refused)), failing('b', 'fail', shown(path)))).toEqual(['a', 'b']);
  expect(ids(failing('a', 'fail', shown(refused)), failing('b', 'warn', shown(refused)))).toEqual(['a,b']);
  expect(causesOf([failing('a', 'fail', shown(other))])).toEqual([
    { clauses: ['a'], reason: 'a', telling: 0, fields: new Set(), harm: HARM.answered },
  ]);
  expect(causesOf([failing('a', 'fail', shown())])).toEqual([
    { clauses: ['a'], reason: 'a', telling: null, fields: new Set(), harm: HARM.other },
  ]);
});

test('one bypass is one cause, and so is a limit that is not kept', () => {
  const [settings, empty] = [
    exchangeOf({ ...keyless('missing-key', 200), ...serving({ start: { status: true, url: 'https://a.example' } }) }),
    exchangeOf({ ...keyless('every-path', 200), body: '{}' }),
  ];
  const together = (...breaches: Breach[]) => causesOf(breaches.map((one, i) => failing(`${i}`, 'fail', one))).length;
  expect(together(breach('request', 'a', '200', settings), breach('request', 'b', '200', empty))).toBe(1);
  const [one, other, refused] = [exchangeOf(), exchangeOf({ index: 1 }), exchangeOf({ index: 2, status: 429 })];
  expect(together(breach('limit', 'alice', '2', one), breach('limit', 'alice', '3', other))).toBe(1);
  expect(together(breach('limit', 'alice', '2', one), breach('limit', 'alice', 'refused', refused))).toBe(2);
});

test('what is observed of answers that are whole', () => {
  const moment = Date.UTC(2026, 5, 15) / 1000;
  const date = new Date(moment * 1000).toUTCString();
  const reset = (ahead: number): Sketch => ({
    headers: [
      ['Date', date],
      ['X-RateLimit-Reset', String(moment + ahead)],
    ],
  });
  const refused = { status: 429, probe: probe('sequence', { account: 'alice' }) };
  const observed = observationsOf(
    evidenceOf([
      ...[reset(86_400), reset(86_401), reset(2), refused, { ...refused, ...RESET, status: 500 }],
      ...[399, 400, 499, 500].map((status) => keyless('missing-key', status)),
      { ...keyless('missing-key', 404), ...RESET },
      keyless('every-path', 410),
    ]),
  );
  expect(observed['rejection.status']).toEqual([400, 499]);
  expect(observed['refusal.status']).toEqual([429]);
  expect(observed['reset.rounding']).toEqual([2, 86_400]);
  expect(observed['unknown-path.status']).toEqual([410]);
  expect(observed['notification.retries']).toBeUndefined();
  expect(distinct([3, 'a', 1, 3, 2])).toEqual(['a', 1, 2, 3]);
});

test('a ban is observed with its answer and its length', () => {
  const banned = (more: Sketch) =>
    evidenceOf([at(1000, 'alice'), keyless('unknown-key', 401), at(2500, 'alice', { group: 'ban', ...more })]);
  const ended = { ...banned({ status: 403 }) };
  ended.exchanges.push(exchangeOf({ ...at(1_001_001, 'alice'), index: 3 }));
  expect(observationsOf(banned({ status: 403 }))['defence.ban']).toEqual([
    { answer: 403, wrongKeys: 1, seconds: null },
  ]);
  expect(observationsOf(banned(RESET))['defence.ban']).toEqual([{ answer: 'reset', wrongKeys: 1, seconds: null }]);
  expect(observationsOf(ended)['defence.ban']).toEqual([{ answer: 403, wrongKeys: 1, seconds: 1000 }]);
});

test('a wrong key that only a ban answered is not said to be rejected', () => {
  const carried = (form: string, status: number, atMs: number) => ({
    ...keyless('other-carrier', status, { form, sentAtMs: atMs, receivedAtMs: atMs + 10 }),
    probe: probe('other-carrier', { account: 'alice', form }),
  });
  const run = (...more: Sketch[]) =>
    evidenceOf([
      at(0, 'alice'),
      { ...keyless('missing-key', 401), sentAtMs: 20, receivedAtMs: 30 },
      carried('x-api-key', 401, 40),
      { ...carried('cookie', 403, 60) },
      at(2500, 'alice', { group: 'ban', status: 403 }),
      at(9000, 'alice'),
      ...more,
    ]);
  expect(judged('auth.other-carrier', run())).toEqual([
    'not-tested',
    expect.stringMatching(/after 2 wrong keys this address was refused with valid keys too/i),
    null,
  ]);
  expect(judged('auth.other-carrier', run(carried('cookie', 401, 9500)))[0]).toBe('pass');
  expect(judged('auth.other-carrier', run(carried('api-key', 200, 9500)))[0]).toBe('fail');
  expect(judged('auth.missing-key', run())[0]).toBe('pass');
});

test('settings that are served to nobody are observed of nobody', () => {
  const two = evidenceOf([at(0, 'alice', serving({})), at(5, 'bob', serving({}))], {
    accounts: accountsNamed('alice', 'bob'),
  });
  expect(observationsOf(two)['auth.type.values']).toBeUndefined();
});

test('everything that is observed', () => {
  const json: [string, string] = ['Content-Type', 'Application/Problem+JSON; charset=utf-8'];
  const refused = (value: string): Sketch => ({
    status: 429,
    headers: [['Retry-After', value]],
    probe: probe('sequence', { account: 'alice' }),
  });
  const to = (group: 'base-accepted' | 'version', form: string, status: number): Sketch => ({
    status,
    body: '{"at":1}',
    probe: probe(group, { account: 'alice', form }),
  });
  const settings = (header: unknown, apikey: unknown) =>
    serving({ auth: { type: 'basic', apikey: { header, apikey } } });
  const delivery: Delivery = {
    ...{ index: 90, method: 'POST', path: '/x', headers: [json], body: '{"event":1}' },
    ...{ bodyEncoding: 'utf8' as const, truncated: false, basic: [], receivedAtMs: 1 },
  };
  const evidence = evidenceOf([
    { ...settings('X-Key', 7), headers: [['X-RateLimit-Remaining', '1']] },
    {
      ...settings(null, null),
      headers: [
        ['Deprecation', 'true'],
        ['Set-Cookie', 'sid=1; Path=/'],
        ['Content-Encoding', 'gzip'],
      ],
    },
    keyless('missing-key', 401, {
      body: '{"error":1}',
      headers: [json, ['WWW-Authenticate', 'ApiKey realm="x"'], ['X-RateLimit-Limit', '1']],
    }),
    ...[keyless('every-path', 404, { body: '[]' }), keyless('every-method', 405, { body: 'x', headers: [json] })],
    { ...keyless('every-method', 204), request: { method: 'OPTIONS', url: BASE, headers: [] } },
    ...[
      refused('1'),
      refused('Mon, 15 Jun 2026 00:00:09 GMT'),
      refused('Monday, 15-Jun-26 00:00:09 GMT'),
      refused('soon'),
    ],
    ...[
      to('base-accepted', '', 201),
      to('version', 'v0', 410),
      to('version', 'unversioned', 301),
      to('version', 'v7', 418),
    ],
    { status: 503, headers: [['X-RateLimit-Reset', '1']] },
  ]);
  expect(observationsOf({ ...evidence, deliveries: [delivery] })).toEqual({
    ...{
      'rejection.status': [401],
      'rejection.body-type': ['application/problem+json'],
      'rejection.members': ['error'],
      'rejection.challenge': ['ApiKey'],
    },
    ...{ 'refusal.status': [429], 'refusal.body-type': ['unnamed'] },
    'headers.carriage': [
      'Retry-After on refused',
      'X-RateLimit-Limit on rejected',
      'X-RateLimit-Remaining on accepted',
    ],
    'retry-after.form': ['date', 'obsolete date', 'seconds'],
    ...{ 'auth.type.values': ['basic'], 'apikey.header.types': ['string'], 'apikey.apikey.types': ['number'] },
    ...{ 'base-path.status': [201], 'base-path.content-type': ['unnamed'], 'base-path.members': ['at'] },
    ...{
      'unknown-path.status': [404],
      'options.status': [204],
      'unknown-version.status': [410],
      'unversioned.status': [301],
    },
    ...{ 'deprecation.headers': ['Deprecation'], cookies: ['sid'], compression: ['gzip'] },
    ...{ 'notification.method': ['POST'], 'notification.content-type': ['application/problem+json'] },
    ...{ 'notification.members': ['event'], 'notification.headers': ['Content-Type'] },
  });
});

test('a date that is not obsolete is a date', () => {
  const refused: Sketch = { status: 429, headers: [['Retry-After', 'Mon, 15 Jun 2026 00:00:09 GMT']] };
  expect(observationsOf(evidenceOf([{}, refused]))['retry-after.form']).toEqual(['date']);
  expect(judged('auth.rejection-401-403', evidenceOf([{}, keyless('missing-key', 404)]))).toEqual([
    ...['warn', '404 without a key.'],
    null,
  ]);
});

test('a body that is empty has no type', () => {
  const empty = observationsOf(
    evidenceOf([{}, keyless('missing-key', 401, { body: '', headers: [['Content-Type', 'text/html']] })]),
  );
  expect(empty['rejection.body-type']).toEqual(['none']);
});

test('a broken clause tells machines what came, the same only once, and any other clause nothing', () => {
  const shown = [0, 1, 2].map((index) => exchangeOf({ index, status: 500 }));
  const of = (got: string, at: number) => breach('header', 'Vary', got, shown[at] as Exchange);
  const long = 'x'.repeat(600);
  const finding = { breaches: [of('a', 2), of('a', 0), of(long, 1)], evidence: [], notTested: null };
  const broken = judgementOf('settings.json', finding, evidenceOf([]), '2026-01-01');
  const subject = { kind: 'header', name: 'Vary' };
  expect(broken.untested).toBe(null);
  expect(broken.finding).toEqual([
    { subject, expected: 'something else', got: 'a', evidence: [0, 2] },
    { subject, expected: 'something else', got: `${'x'.repeat(499)}…`, evidence: [1] },
  ]);
  const many = Array.from({ length: 101 }, (_, i) => of(String(i), 0));
  expect(judgementOf('settings.json', { ...finding, breaches: many }, evidenceOf([]), '').finding).toHaveLength(100);
  for (const [reason, untested] of [
    ['why', 'unseen'],
    [{ declare: 'why' }, 'undeclared'],
  ] as const)
    expect(judgementOf('settings.json', notTested(reason), evidenceOf([]), '')).toMatchObject({
      finding: null,
      untested,
    });
  const passed = judgementOf('settings.json', { ...finding, breaches: [] }, evidenceOf([]), '');
  expect(passed).toMatchObject({ verdict: 'pass', finding: null, untested: null });
});

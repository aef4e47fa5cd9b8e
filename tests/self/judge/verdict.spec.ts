/** What whole runs come to, on small evidence: whether any key was accepted, verdicts, causes, observations. */
import { expect, test } from '@playwright/test';
import type { ClauseResult } from '../../../src/contract/result';
import type { Delivery, Evidence, Exchange } from '../../../src/evidence/model';
import { answerFlaw, type Breach, each, notTested } from '../../../src/judge/finding';
import { distinct } from '../../../src/judge/observations';
import { noKeyAccepted, whyNothingIsJudged, whyUnjudged } from '../../../src/judge/reachability';
import {
  causesIn,
  HARM,
  type Judgement,
  judgementOf,
  profileVerdictOf,
  runVerdictOf,
  worstFirst,
} from '../../../src/judge/verdict';
import { judgementsOf, observationsOf, ruleOf, rules } from '../../../src/profiles/rules';
import {
  accountsNamed,
  BASE,
  breach,
  evidenceOf,
  exchangeOf,
  found,
  judgedWith,
  type Sketch,
} from '../support/evidence-of';
import { evidenceIn, expectFound, rowsOf } from '../support/table';

const PAGE = '<!DOCTYPE html><title>Moved</title>';
const KEYS =
  'Is the server up, does nobody else use the keys, and are keys and address right? Then it breaks auth.accepted.';

const WRONG = 'The server answers, so key or address looks wrong; if key and address are right';

const SPACES = ' '.repeat(495);
const WEB = '200 with a web page to alice';

for (const [what, exchanges = '', expected = ''] of rowsOf(`
  one of two is accepted             | 401; 200                                       | -
  nothing was tried                  | - 200 missing-key                              | -
  a wrong key                        | 401; - 200 missing-key                         | 401 to alice. ${WRONG}
  wrong keys of two                  | 401; 403 bob                                   | 401 to alice; 403 to bob. ${WRONG}
  a refusal among them               | 401; 429                                       | 401 to alice; 429 to alice. ${KEYS}
  several answers                    | 401; 401 bob; timeout bob                      | 401 to alice and bob; no complete answer (the server did not answer) to bob. ${KEYS}
  one page for everything            | : ${PAGE}; - 200 missing-key : ${PAGE}         | ${WEB}. A web page answers in place of the API
  a page to valid keys alone         | : ${PAGE}; - 401 missing-key                   | -
  a page without a key alone         | 200; - 200 missing-key : ${PAGE}               | -
  pages to keys alone                | : ${PAGE}; : ${PAGE}                           | -
  a page that begins late            | 403 : ${SPACES}<html>                          | 403 with a web page to alice
  a page that begins too late        | 403 : ${SPACES} <html>                         | 403 to alice. ${WRONG}
  a page to one of two               | 403 : ${PAGE}; 403                             | 403 with a web page to alice; 403 to alice. ${WRONG}
  a page, but no read                | : ${PAGE}; - 200 every-method PUT:/ : ${PAGE}  | -
  a redirect                         | 301 Location=/login                            | 301 to alice. The server redirects to /login: use
  a redirect and an error            | 302 Location=xx; 404                           | 302 to alice; 404 to alice. ${KEYS}
  broken answers                     | malformed; timeout bob                         | to bob. The server answers valid keys, but never wholly: fix transport.complete first.
  nothing whole                      | timeout unanswered                             | no complete answer (the server did not answer) to alice. ${KEYS}
  not found                          | 404                                            | 404 to alice. ${KEYS}
  a hang-up over https               | reset unanswered                               | Is the server up
  out of order                       | 500                                            | 500 to alice. The server itself failed: its log may say why; if key and address are right
  out of order, with a page          | 500 : ${PAGE}                                  | A web page answers in place of the API
`))
  test(`no key was accepted: ${what}`, () => {
    const says = noKeyAccepted(evidenceIn(exchanges));
    if (expected === '-') return expect(says).toBeNull();
    expect(says).toContain(`No key was accepted at ${BASE}/webhooks: `);
    expect(says).toContain(expected);
  });

for (const [what, exchanges = '', isScheme] of rowsOf(`
  a hang-up                          | reset unanswered                                            | yes
  noise                              | malformed unanswered                                        | yes
  an answer whose body is broken     | malformed                                                   | no
  a hang-up and a refusal            | reset; 401                                                  | no
  silence                            | timeout                                                     | no
`))
  test(`http:// where it is not spoken: ${what}`, () => {
    const says = noKeyAccepted(evidenceIn(exchanges, { baseURL: 'http://api.example/v2' }));
    const scheme = 'The scheme looks wrong: http:// was spoken to what may be an https port.';
    expect(says?.includes(scheme)).toBe(isScheme === 'yes');
  });

for (const [end, meant] of rowsOf(`
  /api          | https://api.example/api/v2
  /v2/webhooks  | https://api.example/v2
  /webhooks     | https://api.example/v2
  /v1           | https://api.example/v2
`))
  test(`an address that ends in ${end} is told the likely one`, () => {
    const error = noKeyAccepted(evidenceIn('404', { baseURL: `https://api.example${end}` }));
    expect(error).toContain(`The path looks wrong. Try ${meant}, then`);
  });

for (const [exchanges = '', accepted, complete, json] of rowsOf(`
  200                                    | judged | judged | judged
  401                                    | judged | judged | no
  : ${PAGE}; - 200 missing-key : ${PAGE} | no     | judged | no
`))
  test(`where no key was accepted, some clauses are judged all the same, unless a page feigns it: ${exchanges}`, () => {
    const evidence = evidenceIn(exchanges);
    const why = (id: string) => (whyUnjudged(id, evidence) === null ? 'judged' : 'no');
    expect([why('auth.accepted'), why('transport.complete'), why('settings.json')]).toEqual([accepted, complete, json]);
  });

const result = (level: 'must' | 'should', verdict: ClauseResult['verdict'], id = 'auth.accepted'): ClauseResult => ({
  ...{ id, level, verdict, section: '5', statement: '', reason: null, evidence: [], finding: null, untested: null },
});
const open = (untested: 'unseen' | 'undeclared', reason: string) => ({
  ...result('must', 'not-tested'),
  ...{ untested, reason },
});
const [A, B, C] = [open('unseen', 'A.'), open('unseen', 'B.'), open('undeclared', 'C.')];
const PASSED = result('must', 'pass');

for (const [what, clauses, exchanges, why] of [
  ['nothing arrived whole', [A], 'reset; timeout', /^No answer of \S+ arrived whole, so nothing .*: the server closed/],
  ['no clause was selected', [], 'reset', null],
  ['something was judged', [A, PASSED], 'reset', /^No key was accepted/],
  ['some answer arrived', [C], 'reset; 200', null],
  ['nothing was sent', [C], '', null],
  ['each clause needs a declaration', [C, C], '200', null],
  ['the first reason that no declaration helps', [C, B, A], '200', /^Nothing was judged\. B\.$/],
  ['one clause passed', [A, PASSED], '200', null],
] as ReadonlyArray<[string, ClauseResult[], string, RegExp | null]>)
  test(`why a run judged nothing: ${what}`, () => {
    const says = whyNothingIsJudged(clauses, evidenceIn(exchanges));
    if (why === null) expect(says).toBeNull();
    else expect(says).toMatch(why);
  });

test('a part of a run is told of a wrong scheme as well', () => {
  const says = (exchanges: string) =>
    whyNothingIsJudged([A], evidenceIn(exchanges, { baseURL: 'http://api.example/v2' }));
  expect(says('reset unanswered')).toMatch(/^No answer .* The scheme looks wrong: .* Try https:\/\/\.$/);
  expect(says('timeout')).not.toContain('scheme');
});

test('the verdict of a run and of a profile', () => {
  const [fail, untested, mild] = [result('must', 'fail'), result('must', 'not-tested'), result('should', 'fail')];
  expect(runVerdictOf([fail], 'unreachable')).toBe('error');
  expect(runVerdictOf([PASSED, fail], null)).toBe('non-conformant');
  expect(runVerdictOf([mild, PASSED], null)).toBe('conformant');
  expect(runVerdictOf([result('should', 'not-tested')], null)).toBe('conformant');
  expect(runVerdictOf([result('must', 'not-tested', 'event.own-url')], null)).toBe('conformant');
  expect(runVerdictOf([result('must', 'waived')], null)).toBe('incomplete');
  expect(profileVerdictOf([PASSED, untested])).toBe('pass');
  expect(profileVerdictOf([mild, untested])).toBe('not-tested');
  expect(profileVerdictOf([result('should', 'not-tested'), PASSED])).toBe('pass');
  expect(profileVerdictOf([fail, untested])).toBe('fail');
});

for (const [clause = '', exchanges = '', first] of rowsOf(`
  settings.kinds               | : <                     | settings.json
  settings.kind-url            | = {start: []}           | settings.kinds
  settings.username            | = {auth: null}          | settings.auth-status
  settings.username            | = {auth: {basic: {}}}   | settings.basic
  rate.remaining-format        | @0 sequence             | none
  rate.retry-after-honest      | @0; @10 sequence; @20 429 sequence Retry-After=soon | rate.retry-after-format
`))
  test(`${clause} that found nothing to judge in "${exchanges}" names what is to be mended first: ${first}`, () => {
    const judgement = judgementsOf([clause], evidenceIn(exchanges), '2026-01-01').get(clause);
    expect(judgement?.verdict).toBe('not-tested');
    expect(/ Fix (\S+) first\.$/.exec(judgement?.reason ?? '')?.[1] ?? 'none').toBe(first);
  });

test('clauses depend on clauses that have a rule', () => {
  const known = Object.keys(rules);
  expect(Object.values(rules).flatMap(({ dependsOn = [] }) => dependsOn.filter((id) => !known.includes(id)))).toEqual(
    [],
  );
});

test('a clause without a rule is an error', () => {
  expect(() => ruleOf('auth.toString')).toThrow('No rule judges the clause auth.toString.');
  expect(() => ruleOf('constructor')).toThrow('No rule judges the clause constructor.');
});

const judged = (id: string, evidence: Evidence, today = '2026-01-01') => {
  const judgement = judgementsOf([id], evidence, today).get(id) as Judgement;
  return [judgement.verdict, judgement.reason, judgement.note];
};

for (const [what, exchanges, waiver, today, verdict, reason, note] of [
  ['without an end', '200; 404', {}, '', 'waived', '404 to the valid key of alice. Waived: T-1', null],
  ['on its last day', '200; 404', { until: '2026-01-01' }, '', 'waived', /Waived until 2026-01-01: T-1$/, null],
  ['after it', '200; 404', { until: '2026-01-01' }, '2026-01-02', 'fail', /^404 .*alice\.$/, /ended on 2026-01-01 and/],
  ['of another clause', '200; 404', { clause: 'auth.missing-key' }, '', 'fail', /^404 .*alice\.$/, null],
  ['of what passes', '200', {}, '', 'pass', null, 'The waiver of auth.accepted is stale: the clause passes.'],
] as const)
  test(`a waiver ${what}`, () => {
    const waivers = [{ clause: 'auth.accepted', reason: 'T-1', ...waiver }];
    const found = judged('auth.accepted', evidenceIn(exchanges, { waivers }), today || '2026-01-01');
    const said = (text: string | RegExp | null) => (text instanceof RegExp ? expect.stringMatching(text) : text);
    expect(found).toEqual([verdict, said(reason), said(note)]);
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
});

test('what breaks only where the description shows nothing is a warning', () => {
  const verdictOf = (exchanges: string) => judged('transport.complete', evidenceIn(exchanges))[0];
  expect(verdictOf('200; - 401 every-method HEAD:/webhooks malformed')).toBe('warn');
  expect(verdictOf('200; - 401 every-method HEAD:/webhooks malformed; malformed')).toBe('fail');
});

test('broken answers are left to transport.complete', () => {
  const check = () => answerFlaw('wrong', 'right');
  const { exchanges } = evidenceIn('reset; 200');
  expect(each(exchanges.slice(0, 1), 'none', check).notTested).toMatch(/^no answer to this arrived whole/);
  expect(each([], 'none', check).notTested).toBe('none');
  expect(each(exchanges, 'none', check).breaches).toHaveLength(1);
});

test('every fault of a connection is told, and an outage once', () => {
  expectFound('transport.complete', evidenceIn(''), '? Nothing was sent.');
  expect(found('transport.complete', evidenceIn('200; reset; unreachable'))).toEqual([
    'the server: the server closed the connection',
    'the server: the server could not be reached any more: ECONNREFUSED',
  ]);
  const out = '- 401 missing-key; 200; unreachable; - missing-key unreachable; - alive unreachable';
  const outage =
    'From 2.0 s into the run to its end every request got no whole answer, 3 in all, to valid keys and without a key alike: the server had stopped serving.';
  expect(judged('transport.complete', evidenceIn(out))).toEqual(['fail', outage, null]);
});

const failing = (id: string, verdict: 'fail' | 'warn', ...breaches: Breach[]): Judgement => ({
  ...{ id, verdict, level: 'must', section: '5', statement: '', reason: id, evidence: [] },
  ...{ finding: null, untested: null, breaches, note: null },
});

const [REFUSED, LET_IN, OTHER, PATH] = evidenceIn('- 500 missing-key; - 200 empty-key; 500; - 500 every-path')
  .exchanges as [Exchange, Exchange, Exchange, Exchange];
const shown = (...exchanges: Exchange[]) => breach('request', '', '', ...exchanges);
const member = (name: string, ...exchanges: Exchange[]) => breach('member', name, '', ...exchanges);
const header = (name: string) => breach('header', name, '', OTHER);

for (const [what, first, second, causes] of [
  ['failures before warnings', ['warn', shown(LET_IN)], ['fail', shown(OTHER)], 'b a'],
  ['the most harmful first', ['fail', shown(REFUSED)], ['fail', shown(LET_IN)], 'b a'],
  ['without a request, by their order', ['fail', shown()], ['fail', breach('answer', '', 'other words')], 'a b'],
  ['what found nothing is none', ['fail'], ['fail', shown()], 'b'],
  ['different requests', ['fail', shown(REFUSED)], ['fail', shown(OTHER)], 'a b'],
  ['one member', ['fail', member('auth.type', REFUSED, OTHER)], ['fail', member('auth.type', OTHER)], 'a,b'],
  ['different members', ['fail', member('auth.basic', OTHER)], ['fail', member('auth.type', OTHER)], 'a b'],
  ['one request, beside none', ['fail', shown(OTHER)], ['fail', shown(), shown(OTHER)], 'a,b'],
  ['one header, in any letter case', ['fail', header('Vary')], ['fail', header('vary')], 'a,b'],
  ['let in, and what the answer holds', ['fail', shown(LET_IN)], ['warn', breach('answer', '', '', LET_IN)], 'a b'],
  ['different paths', ['fail', shown(REFUSED)], ['fail', shown(PATH)], 'a b'],
  ['one request, one of them a warning', ['fail', shown(REFUSED)], ['warn', shown(REFUSED)], 'a,b'],
] as ReadonlyArray<[string, ['fail' | 'warn', ...Breach[]], ['fail' | 'warn', ...Breach[]], string]>)
  test(`causes: ${what}`, () => {
    const found = causesIn([failing('a', ...first), failing('b', ...second)]);
    expect(found.map(({ clauses }) => clauses.join()).join(' ')).toBe(causes);
  });

test('a cause has the reason and the harm of its first clause', () => {
  const cause = { verdict: 'fail', clauses: ['a'], reason: 'a' };
  const causeOf = (...exchanges: Exchange[]) => causesIn([failing('a', 'fail', shown(...exchanges))]);
  expect(causeOf(OTHER)).toMatchObject([{ ...cause, harm: HARM.answered }]);
  expect(causeOf()).toMatchObject([{ ...cause, harm: HARM.other }]);
});

test('one bypass is one cause, and so is a limit that is not kept', () => {
  const [settings, empty, one, other, refused] = evidenceIn(
    "- missing-key = {start: {status: true, url: 'https://a.example'}}; - every-path; 200; 200; 429",
  ).exchanges as [Exchange, Exchange, Exchange, Exchange, Exchange];
  const together = (...breaches: Breach[]) => causesIn(breaches.map((each, i) => failing(`${i}`, 'fail', each))).length;
  expect(together(breach('request', 'a', '200', settings), breach('request', 'b', '200', empty))).toBe(1);
  expect(together(breach('limit', 'alice', '2', one), breach('limit', 'alice', '3', other))).toBe(1);
  expect(together(breach('limit', 'alice', '2', one), breach('limit', 'alice', 'refused', refused))).toBe(2);
});

const MOMENT = Date.UTC(2026, 5, 15) / 1000;
const DATE = `"Date=${new Date(MOMENT * 1000).toUTCString()}"`;
const JSON_TYPE = 'Content-Type=Application/Problem+JSON;charset=utf-8';
const reset = (ahead: number) => `${DATE} X-RateLimit-Reset=${MOMENT + ahead}`;

for (const [observation = '', exchanges = '', values = ''] of rowsOf(`
  rejection.status     | 200; - 399 missing-key; - 400 missing-key; - 499 missing-key; - 500 missing-key; - 404 missing-key reset; - 410 every-path | 400 499
  rejection.body-type  | 200; - 401 missing-key ${JSON_TYPE} : {}           | application/problem+json
  rejection.body-type  | 200; - 401 missing-key Content-Type=text/html :    | none
  rejection.members    | 200; - 401 missing-key ${JSON_TYPE} : {"error":1}  | error
  rejection.challenge  | 200; - 401 missing-key "WWW-Authenticate=ApiKey realm=x" | ApiKey
  refusal.status       | 200; 429 sequence; 500 sequence reset              | 429
  refusal.body-type    | 200; 429 sequence                                  | unnamed
  headers.carriage     | X-RateLimit-Remaining=1; - 401 missing-key X-RateLimit-Limit=1; 429 sequence Retry-After=1; 503 X-RateLimit-Reset=1 | Retry-After on refused,X-RateLimit-Limit on rejected,X-RateLimit-Remaining on accepted
  reset.rounding       | ${reset(86_400)}; ${reset(86_401)}; ${reset(2)}    | 2 86400
  retry-after.form     | 200; 429 sequence Retry-After=1; 429 sequence Retry-After=soon | seconds
  retry-after.form     | 200; 429 "Retry-After=Mon, 15 Jun 2026 00:00:09 GMT" | date
  retry-after.form     | 200; 429 sequence "Retry-After=Monday, 15-Jun-26 00:00:09 GMT" | obsolete date
  auth.type.values     | = {auth: {type: basic}}                            | basic
  auth.type.values     | @0 = {}; @5 bob = {}                               |
  apikey.header.types  | = {auth: {apikey: {header: X, apikey: 7}}}; = {auth: {apikey: {header: null}}} | string
  apikey.apikey.types  | = {auth: {apikey: {header: X, apikey: 7}}}         | number
  base-path.status     | 201 base-accepted : {"at":1}                       | 201
  base-path.content-type | 201 base-accepted : {"at":1}                     | unnamed
  base-path.members    | 201 base-accepted : {"at":1}                       | at
  unknown-path.status  | - 404 every-path; - 405 every-method               | 404
  options.status       | - 405 every-method PUT:/; - 204 every-method OPTIONS:/ | 204
  unknown-version.status | 410 version/v0; 301 version/unversioned; 418 version/v7 | 410
  unversioned.status   | 410 version/v0; 301 version/unversioned            | 301
  deprecation.headers  | Deprecation=true                                   | Deprecation
  cookies              | Set-Cookie=sid=1;Path=/                            | sid
  compression          | Content-Encoding=gzip                              | gzip
  notification.method  | 200                                                | POST
  notification.content-type | 200                                           | application/problem+json
  notification.members | 200                                                | event
  notification.headers | 200                                                | Content-Type
  notification.retries | 200                                                |
`))
  test(`observed: ${observation} ${values}`, () => {
    const accounts = accountsNamed('alice', 'bob');
    const delivery: Delivery = {
      ...{ index: 90, method: 'POST', path: '/x', body: '{"event":1}', bodyEncoding: 'utf8' },
      ...{ headers: [['Content-Type', 'Application/Problem+JSON']], truncated: false, basic: [], receivedAtMs: 1 },
    };
    const observed = observationsOf({ ...evidenceIn(exchanges, { accounts }), deliveries: [delivery] })[observation];
    expect(observed?.join(observation === 'headers.carriage' ? ',' : ' ') ?? '').toBe(values);
  });

test('what is observed is told once, numbers after texts', () => {
  expect(distinct([3, 'a', 1, 3, 2])).toEqual(['a', 1, 2, 3]);
});

test('a ban is observed with its answer and its length', () => {
  const bans = (exchanges: string) =>
    observationsOf(evidenceIn(`@1000; - 401 unknown-key; ${exchanges}`))['defence.ban'];
  expect(bans('@2500 403 ban')).toEqual([{ answer: 403, wrongKeys: 1, seconds: null }]);
  expect(bans('@2500 reset ban')).toEqual([{ answer: 'reset', wrongKeys: 1, seconds: null }]);
  expect(bans('@2500 403 ban; @1001001')).toEqual([{ answer: 403, wrongKeys: 1, seconds: 1000 }]);
});

for (const [clause = '', later = '', verdict] of rowsOf(`
  auth.other-carrier |                                    | not-tested
  auth.other-carrier | ; @9500+10 - 401 other-carrier/cookie  | pass
  auth.other-carrier | ; @9500+10 - 200 other-carrier/api-key | fail
  auth.missing-key   |                                    | pass
`))
  test(`a wrong key that only a ban answered is not said to be rejected: ${clause}${later}`, () => {
    const carried = '@40+10 - 401 other-carrier/x-api-key; @60+10 - 403 other-carrier/cookie';
    const evidence = evidenceIn(`@0; @20+10 - 401 missing-key; ${carried}; @2500 403 ban; @9000${later}`);
    const exchanges = evidence.exchanges.map((exchange) =>
      exchange.probe.group === 'other-carrier'
        ? { ...exchange, probe: { ...exchange.probe, account: 'alice' } }
        : exchange,
    );
    const [found, reason] = judged(clause, { ...evidence, exchanges });
    expect(found).toBe(verdict);
    if (verdict === 'not-tested') expect(reason).toMatch(/after 2 wrong keys this address was refused with valid keys/);
  });

test('a broken clause tells machines what came, the same only once, and any other clause nothing', () => {
  const shown = [0, 1, 2].map((index) => exchangeOf({ index, status: 500 }));
  const of = (got: string, at: number) => breach('header', 'Vary', got, shown[at] as Exchange);
  const long = 'x'.repeat(600);
  const broken = judgedWith('settings.json', [of('a', 2), of('a', 0), of(long, 1)]);
  const subject = { kind: 'header', name: 'Vary' };
  expect(broken.untested).toBe(null);
  expect(broken.finding).toEqual([
    { subject, expected: 'something else', got: 'a', evidence: [0, 2] },
    { subject, expected: 'something else', got: `${'x'.repeat(499)}…`, evidence: [1] },
  ]);
  const many = Array.from({ length: 101 }, (_, i) => of(String(i), 0));
  expect(judgedWith('settings.json', many).finding).toHaveLength(100);
  for (const [reason, untested] of [
    ['why', 'unseen'],
    [{ declare: 'why' }, 'undeclared'],
  ] as const)
    expect(judgementOf('settings.json', notTested(reason), evidenceOf([]), '')).toMatchObject({
      finding: null,
      untested,
    });
  expect(judgedWith('settings.json', [])).toMatchObject({ verdict: 'pass', finding: null, untested: null });
});

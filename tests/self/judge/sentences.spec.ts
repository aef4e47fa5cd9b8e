/** What broke a clause: the most harmful breach first, and the sentences that sum it up, which no other spec asserts. */
import { expect, test } from '@playwright/test';
import { probe } from '../../../src/catalogue/catalogue';
import type { Subject } from '../../../src/contract/result';
import type { Exchange } from '../../../src/evidence/model';
import { reasonOf, sentenceOf } from '../../../src/judge/finding';
import { HARM, harmOf } from '../../../src/judge/verdict';
import { breach, exchangeOf, judgedWith } from '../support/evidence-of';

const SETTINGS = '{"webhook":{"start":{"status":true,"url":"https://hooks.example.com/start"}}}';

const exchange = (status: number, body: string, account: string | null = null) =>
  exchangeOf({ index: status, probe: probe('missing-key'), account, status, body });
const leak = breach('request', 'to the key of zoe', '200 with the settings', exchange(200, SETTINGS));
const answered = (status: number) => exchangeOf({ account: null, status });
const asked = (status: number, how: string) => breach('request', how, String(status), answered(status));

const SENTENCES: ReadonlyArray<[kind: Subject['kind'], name: string, got: string, sentence: string]> = [
  ['header', 'Retry-After', 'absent from a 429', 'Retry-After: absent from a 429'],
  ['member', 'auth.type', '5', 'auth.type: 5'],
  ['request', 'without a key', '200 with the settings', '200 with the settings without a key'],
  ['answer', 'the answer', 'an empty body', 'an empty body'],
  ['limit', 'alice', '3 requests accepted within 90 ms', 'alice: 3 requests accepted within 90 ms'],
  ['account', 'alice', 'refused while bob was', 'alice: refused while bob was'],
  ['notification', '"start" of alice', 'POST /x instead of /start', '"start" of alice: POST /x instead of /start'],
  ['address', 'http://a.example', 'no version at all', 'http://a.example: no version at all'],
  ['server', 'the server', 'the server closed the connection', 'the server closed the connection'],
];

for (const [kind, name, got, sentence] of SENTENCES)
  test(`${kind}: the sentence tells what came of what`, () => {
    expect(sentenceOf(breach(kind, name, got))).toBe(sentence);
  });

test('a sentence has a capital letter, a name keeps its own', () => {
  expect(reasonOf([breach('answer', 'the answer', 'an empty body')])).toBe('An empty body.');
  expect(reasonOf([breach('request', 'to a query', 'accepted twice')])).toBe('Accepted twice to a query.');
  expect(reasonOf([breach('account', 'alice', 'refused')])).toBe('alice: refused.');
  expect(reasonOf([breach('member', 'auth.type', '5')])).toBe('auth.type: 5.');
});

test('answers of one kind are counted apart from the rest', () => {
  const refused = Array.from({ length: 14 }, (_, i) => asked(500, `to the key of user${i}`));
  expect(reasonOf([leak, ...refused])).toBe(
    '200 with the settings to the key of zoe; 500 to the key of user0 (and 13 more like it).',
  );
  expect(reasonOf([leak, asked(200, 'without a key')])).toBe(
    '200 with the settings to the key of zoe; 200 without a key.',
  );
});

test('three groups are told, and the rest is counted', () => {
  const statuses = [500, 502, 500, 503, 504, 505];
  expect(reasonOf(statuses.map((status) => asked(status, 'x')))).toBe(
    '500 x (and 1 more like it); 502 x; 503 x; and 2 more.',
  );
  expect(reasonOf(statuses.slice(1, 5).map((status) => asked(status, 'x')))).toBe('502 x; 500 x; 503 x; and 1 more.');
});

test('one sentence stands for all answers that it is true of, whichever their status', () => {
  const held = (status: number) => breach('answer', 'the answer', 'the key of zoe in the body', answered(status));
  expect(reasonOf([held(200), held(429), held(429), held(404)])).toBe(
    'The key of zoe in the body (and 3 more like it).',
  );
});

test('what is wrong with one header or member is one group, whichever answers show it', () => {
  const of = (name: string, status: number) => breach('member', name, 'null', answered(status));
  expect(reasonOf([of('start', 200), of('start', 201)])).toBe('start: null (and 1 more like it).');
  expect(reasonOf([of('start', 200), of('updates', 200)])).toBe('start: null; updates: null.');
});

test('a disclosure is worse than a success without settings, and that is worse than any other answer', () => {
  const cut: Exchange = { ...exchange(200, ''), fault: { kind: 'truncated', message: 'ended too early' } };
  const harms: Array<[Exchange[], number]> = [
    [[exchange(200, SETTINGS)], HARM.disclosed],
    [[exchange(401, SETTINGS)], HARM.disclosed],
    [[exchange(401, '"[secret:password:alice]"')], HARM.disclosed],
    [[exchange(429, SETTINGS, 'alice')], HARM.disclosed],
    [[exchange(500, ''), exchange(200, SETTINGS)], HARM.disclosed],
    [[exchange(200, '{}')], HARM.letIn],
    [[exchange(500, '')], HARM.answered],
    [[exchange(200, SETTINGS, 'alice')], HARM.answered],
    [[cut], HARM.other],
    [[], HARM.other],
  ];
  for (const [exchanges, harm] of harms)
    expect(harmOf(breach('answer', '', '', ...exchanges), 'auth.missing-key')).toBe(harm);
});

test('the worst breach is told first, in the reason too', () => {
  const refused = Array.from({ length: 14 }, (_, i) => breach('request', `to ${i}`, '500', exchange(500, '')));
  const { reason, breaches } = judgedWith('auth.other-carrier', [...refused, leak]);
  expect(breaches).toEqual([leak, ...refused]);
  expect(reason).toBe(reasonOf([leak, ...refused]));
});

test('of requests that were answered alike, the one whose header is spelled as described is shown', () => {
  const asked = (name: string, status: number) => ({
    ...exchange(status, '', 'alice'),
    request: { method: 'GET', url: 'https://api.example/v2/webhooks', headers: [[name, 'x'] as const] },
  });
  const [plain, odd, refused] = [asked('apiKey', 200), asked('APIKEY', 200), asked('APIKEY', 429)];
  const shown = (...exchanges: Exchange[]) =>
    judgedWith('rate.enforced', [breach('limit', 'alice', '2', ...exchanges)]).breaches[0]?.exchanges.at(-1);
  expect(shown(plain, odd)).toBe(plain);
  expect(shown(plain, refused)).toBe(refused);
});

test('a clause of the rate limit shows what an account was answered, and not what an altered key was', () => {
  const letIn = breach('header', 'X-RateLimit-Reset', '1', exchange(200, SETTINGS));
  const own = breach('header', 'X-RateLimit-Reset', '2', exchange(201, SETTINGS, 'alice'));
  const first = (id: string) => judgedWith(id, [letIn, own]).breaches[0];
  expect(first('rate.reset-format')).toEqual(own);
  expect(first('auth.altered-key')).toEqual(letIn);
});

/** The order in which breaches are told, and how a reason sums them up. */
import { expect, test } from '@playwright/test';
import { probe } from '../../../src/catalogue/probe';
import type { Evidence, Exchange } from '../../../src/evidence/model';
import type { Breach } from '../../../src/judge/finding';
import { HARM, harmOf } from '../../../src/judge/severity';
import { judgementOf } from '../../../src/judge/verdict';

const SETTINGS = '{"webhook":{"start":{"status":true,"url":"https://hooks.example.com/start"}}}';

function exchange(status: number, body: string, account: string | null = null): Exchange {
  return {
    index: status,
    probe: probe('missing-key'),
    account,
    request: { method: 'GET', url: 'http://127.0.0.1/api/v2/webhooks', headers: [] },
    response: { status, statusText: '', headers: [], body, bodyEncoding: 'utf8' },
    fault: null,
    sentAtMs: 0,
    receivedAtMs: 1,
    connection: 1,
  };
}

function breach(came: string, ...exchanges: Exchange[]): Breach {
  return { exchanges, came };
}

function judged(breaches: Breach[]) {
  const evidence = { target: { waivers: [] as unknown[] } } as Evidence;
  return judgementOf('auth.other-carrier', { breaches, evidence: [], notTested: null }, evidence, '2026-11-21');
}

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
  for (const [exchanges, harm] of harms) expect(harmOf(breach('', ...exchanges), 'auth.missing-key')).toBe(harm);
});

test('the worst breach is told first, and the others of its kind are counted apart from the rest', () => {
  const refused = Array.from({ length: 14 }, (_, i) => breach(`500 to the key of user${i}`, exchange(500, '')));
  const leak = breach('200 with the settings to the key of zoe', exchange(200, SETTINGS));
  const { reason, breaches } = judged([...refused, leak]);
  expect(reason).toBe('200 with the settings to the key of zoe; 500 to the key of user0 (and 13 more like it).');
  expect(breaches.map(({ came }) => came)).toEqual([leak, ...refused].map(({ came }) => came));
});

test('a clause of the rate limit shows what an account was answered, and not what an altered key was', () => {
  const letIn = breach('X-RateLimit-Reset: 1', exchange(200, SETTINGS));
  const own = breach('X-RateLimit-Reset: 2', exchange(201, SETTINGS, 'alice'));
  const evidence = { target: { waivers: [] as unknown[] } } as Evidence;
  const finding = { breaches: [letIn, own], evidence: [], notTested: null };
  const first = (id: string) => judgementOf(id, finding, evidence, '2026-11-21').breaches[0]?.came;
  expect(first('rate.reset-format')).toBe(own.came);
  expect(first('auth.altered-key')).toBe(letIn.came);
});

test('a success without settings is told apart from one with them', () => {
  const { reason } = judged([
    breach('200 a', exchange(200, '{}')),
    breach('200 with the settings b', exchange(200, SETTINGS)),
  ]);
  expect(reason).toBe('200 with the settings b; 200 a.');
});

test('three groups are told, and the rest is counted', () => {
  const statuses = [500, 502, 500, 503, 504, 505];
  const { reason } = judged(statuses.map((status) => breach(`${status} x`, exchange(status, ''))));
  expect(reason).toBe('500 x (and 1 more like it); 502 x; 503 x; and 2 more.');
  const four = statuses.slice(1, 5).map((status) => breach(`${status} x`, exchange(status, '')));
  expect(judged(four).reason).toBe('502 x; 500 x; 503 x; and 1 more.');
});

test('breaches without a status are one group, as is a single breach', () => {
  expect(judged([breach('start: null'), breach('updates: null')]).reason).toBe('start: null (and 1 more like it).');
  expect(judged([breach('no Content-Type')]).reason).toBe('No Content-Type.');
});

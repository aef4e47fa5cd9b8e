/** The order in which breaches are told. */
import { expect, test } from '@playwright/test';
import { probe } from '../../../src/catalogue/catalogue';
import type { Exchange } from '../../../src/evidence/model';
import { type Breach, reasonOf } from '../../../src/judge/finding';
import { HARM, harmOf, judgementOf } from '../../../src/judge/verdict';
import { breach, evidenceOf, exchangeOf } from '../support/evidence-of';

const SETTINGS = '{"webhook":{"start":{"status":true,"url":"https://hooks.example.com/start"}}}';

const exchange = (status: number, body: string, account: string | null = null) =>
  exchangeOf({ index: status, probe: probe('missing-key'), account, status, body });

function judged(breaches: Breach[]) {
  return judgementOf('auth.other-carrier', { breaches, evidence: [], notTested: null }, evidenceOf([]), '2026-11-21');
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
  for (const [exchanges, harm] of harms)
    expect(harmOf(breach('answer', '', '', ...exchanges), 'auth.missing-key')).toBe(harm);
});

test('the worst breach is told first, in the reason too', () => {
  const refused = Array.from({ length: 14 }, (_, i) => breach('request', `to ${i}`, '500', exchange(500, '')));
  const leak = breach('request', 'to zoe', '200 with the settings', exchange(200, SETTINGS));
  const { reason, breaches } = judged([...refused, leak]);
  expect(breaches).toEqual([leak, ...refused]);
  expect(reason).toBe(reasonOf([leak, ...refused]));
});

test('a clause of the rate limit shows what an account was answered, and not what an altered key was', () => {
  const letIn = breach('header', 'X-RateLimit-Reset', '1', exchange(200, SETTINGS));
  const own = breach('header', 'X-RateLimit-Reset', '2', exchange(201, SETTINGS, 'alice'));
  const finding = { breaches: [letIn, own], evidence: [], notTested: null };
  const first = (id: string) => judgementOf(id, finding, evidenceOf([]), '2026-11-21').breaches[0];
  expect(first('rate.reset-format')).toEqual(own);
  expect(first('auth.altered-key')).toEqual(letIn);
});

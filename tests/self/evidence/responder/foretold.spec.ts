/** Refusals that an accepted answer had told of are the limiter's, and no ban. */
import { expect, test } from '@playwright/test';
import { bansOf } from '../../../../src/evidence/responder/guards';
import { at, evidenceOf, type Sketch } from '../../support/evidence-of';

/** The run starts at this moment, in epoch seconds. */
const START = Math.floor(evidenceOf([]).startedAtEpochMs / 1000);

const ahead = (seconds: number): [string, string] => ['X-RateLimit-Reset', String(START + seconds)];
const dated = (sentAtMs: number): [string, string] => ['Date', new Date(START * 1000 + sentAtMs).toUTCString()];
const accepted = (sentAtMs: number, ...headers: [string, string][]): Sketch =>
  at(sentAtMs, 'alice', { headers: [dated(sentAtMs), ...headers] });
const refused = (sentAtMs: number, ...headers: [string, string][]): Sketch =>
  at(sentAtMs, 'alice', { group: 'ban', status: 429, headers: [dated(sentAtMs), ...headers] });

for (const [what, sketches, isBan] of [
  ['the moment that was told', [accepted(0, ahead(60)), refused(3001, ahead(60))], false],
  ['it, rounded otherwise', [accepted(0, ahead(60)), refused(3001, ahead(61))], false],
  ['a wait until then', [accepted(0, ahead(60)), refused(10_000, ['Retry-After', '50'])], false],
  ['a wait until another moment', [accepted(0, ahead(60)), refused(10_000, ['Retry-After', '60'])], true],
  ['it, but too soon to tell', [accepted(0, ahead(60)), refused(3000, ahead(60))], true],
  ['a moment that moves', [accepted(0, ahead(60)), refused(4000, ahead(64))], true],
  ['no moment', [accepted(0, ahead(60)), refused(4000)], true],
  ['an honest moment', [accepted(0, ahead(4)), refused(3001, ahead(4))], true],
  ['what was not told before', [accepted(0), refused(3001, ahead(60))], true],
] satisfies [string, Sketch[], boolean][])
  test(`a refusal that names ${what} is ${isBan ? 'a' : 'no'} ban`, () => {
    expect(bansOf(evidenceOf(sketches))).toHaveLength(isBan ? 1 : 0);
  });

/** Refusals that an accepted answer had told of are the limiter's, and no ban. */
import { expect, test } from '@playwright/test';
import { bansOf } from '../../../../src/evidence/responder/guards';
import { evidenceIn, rowsOf } from '../../support/table';

/** The run starts at this moment, in epoch seconds. */
const START = Math.floor(evidenceIn('').startedAtEpochMs / 1000);
const dated = (ms: number) => `@${ms} "Date=${new Date(START * 1000 + ms).toUTCString()}"`;
const reset = (seconds: number) => `X-RateLimit-Reset=${START + seconds}`;

for (const [what, told, refused, isBan] of rowsOf(`
  the moment that was told   | ${reset(60)} | ${dated(3001)} ${reset(60)}      | no
  it, rounded otherwise      | ${reset(60)} | ${dated(3001)} ${reset(61)}      | no
  a wait until then          | ${reset(60)} | ${dated(10_000)} Retry-After=50  | no
  a wait until another moment | ${reset(60)} | ${dated(10_000)} Retry-After=60 | yes
  it, but too soon to tell   | ${reset(60)} | ${dated(3000)} ${reset(60)}      | yes
  a moment that moves        | ${reset(60)} | ${dated(4000)} ${reset(64)}      | yes
  no moment                  | ${reset(60)} | ${dated(4000)}                   | yes
  an honest moment           | ${reset(4)}  | ${dated(3001)} ${reset(4)}       | yes
  what was not told before   |              | ${dated(3001)} ${reset(60)}      | yes
`))
  test(`a refusal that names ${what} is a ban: ${isBan}`, () => {
    const evidence = evidenceIn(`${dated(0)} ${told}; ${refused} 429 ban`);
    expect(bansOf(evidence).length === 1 ? 'yes' : 'no').toBe(isBan);
  });

/** What refusals ask to wait, and whose Reset has passed. */
import { expect, test } from '@playwright/test';
import { asksBeyondWindow, storedSilently, waitAskedMs } from '../../../../src/evidence/time/server-clock';
import { exchangeOf } from '../../support/evidence-of';
import { evidenceIn, ofLast, rowsOf } from '../../support/table';

const dateAt = (second: number) => `Mon, 15 Jun 2026 00:00:0${second} GMT`;
const DATE = `"Date=${dateAt(0)}"`;

for (const [what, exchange = '', isBeyond] of rowsOf(`
  a window                                  | @0 sequence 429 Retry-After=1                        | no
  two windows                               | @0 sequence 429 Retry-After=2                        | yes
  longer than is honest                     | @0 sequence 429 Retry-After=5                        | no
  a date one second ahead, which may be two | @0 sequence 429 ${DATE} "Retry-After=${dateAt(1)}"   | no
  a date three seconds ahead                | @0 sequence 429 ${DATE} "Retry-After=${dateAt(3)}"   | no
  a date, where nobody knows the clock      | @0 sequence 429 "Retry-After=${dateAt(2)}"           | no
  two windows, accepted                     | @0 sequence 200 Retry-After=2                        | no
`))
  test(`what asks for ${what} asks for more than a window: ${isBeyond}`, () =>
    expect(ofLast(asksBeyondWindow, exchange)).toBe(isBeyond));

for (const [what, exchange, ms] of rowsOf(`
  two seconds                  | 429 Retry-After=2            | 2000
  the longest honest wait      | 429 Retry-After=4            | 4000
  a longer one                 | 429 Retry-After=5            | 0
  no wait                      | 429                          | 0
  a wait that is none          | 429 Retry-After=soon         | 0
  two seconds, and broke off   | 429 Retry-After=2 reset      | 0
  two seconds, accepted        | 200 Retry-After=2 = {}       | 0
`))
  test(`what an answer asks to wait: ${what}`, () => {
    const evidence = evidenceIn(`200; @2000+10 sequence ${exchange}`);
    expect(waitAskedMs(evidence.exchanges[1] ?? exchangeOf(), evidence)).toBe(Number(ms));
  });

test('an answer that came again is stored if its Reset has passed; what is no moment never passes', () => {
  const again = [10, 20, 30].map((second) => `@${second}000`);
  const passed = (says: string) => storedSilently(evidenceIn(['@0', ...again].map((at) => `${at} ${says}`).join('; ')));
  for (const date of ['', DATE]) {
    expect(passed(`${date} X-RateLimit-Reset=${Date.UTC(2026, 5, 15) / 1000 + 1}`).passed).toBe(3);
    expect(passed(`${date} X-RateLimit-Reset=1`).passed).toBe(0);
  }
});

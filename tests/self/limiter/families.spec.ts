/** `isExplained` accepts whatever a real window or bucket granted, and nothing else. */
import assert from 'node:assert/strict';
import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { gcra, slidingLog, steadyWindow } from '../../../fixtures/dialects/limiters';
import type { Rate } from '../../../src/evidence/model';
import { type Decision, isExplained as isUserExplained } from '../../../src/limiter/level';
import { fixedWindow, type Limiter, type Ruling } from '../../../src/reference/behaviour';
import { bucketInParts } from '../support/limiters';

/** Whether some limiter took these decisions, but for two refusals, which may be accidents. */
function isExplained(accepted: readonly Decision[], rate: Rate, refused: readonly Decision[] = []): boolean {
  return isUserExplained({ accepted, refused, charged: accepted }, rate, { unexplained: 2 });
}

const rates: fc.Arbitrary<Rate> = fc.record({
  requests: fc.integer({ min: 1, max: 8 }),
  seconds: fc.integer({ min: 1, max: 5 }),
});

/** The tolerance of `isExplained` at either end of an interval. */
const SLACK_MS = 15;

/** Requests with gaps between them, each observed as an interval around the moment of its decision. */
const requests = fc.array(
  fc.record({
    afterMs: fc.oneof(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 0, max: 3000 })),
    earlierMs: fc.integer({ min: 0, max: 400 }),
    laterMs: fc.integer({ min: 0, max: 400 }),
  }),
  { maxLength: 30 },
);

const limiters: fc.Arbitrary<(rate: Rate) => Limiter> = fc.oneof(
  fc.integer({ min: 0, max: 4999 }).map((phaseMs) => (rate: Rate) => steadyWindow(rate, phaseMs)),
  fc.constantFrom(2, 4, 5, 10, 20).map((parts) => (rate: Rate) => bucketInParts(rate, parts)),
  fc.constantFrom(fixedWindow, gcra, slidingLog),
);

/** The intervals of the requests that a limiter accepted: all that a judge knows of them. */
function acceptedBy(
  limiter: Limiter,
  sent: Array<{ afterMs: number; earlierMs: number; laterMs: number }>,
): Decision[] {
  let nowMs = 0;
  return sent.flatMap(({ afterMs, earlierMs, laterMs }) => {
    nowMs += afterMs;
    const { accepted } = limiter.take('anybody', nowMs) as Ruling;
    return accepted ? [{ fromMs: nowMs - earlierMs, toMs: nowMs + laterMs }] : [];
  });
}

const granted = fc
  .record({ rate: rates, start: limiters, sent: requests })
  .map(({ rate, start, sent }) => ({ rate, decisions: acceptedBy(start(rate), sent) }));

test('what a conformant limiter accepts is explained, in whatever order it is told', () => {
  fc.assert(
    fc.property(
      granted.chain(({ rate, decisions }) =>
        fc.record({
          rate: fc.constant(rate),
          shuffled: fc.shuffledSubarray(decisions, { minLength: decisions.length }),
        }),
      ),
      ({ rate, shuffled }) => {
        assert.equal(isExplained(shuffled, rate), true);
      },
    ),
    { numRuns: 2000 },
  );
});

test('more than twice the limit in less than a window is never explained', () => {
  fc.assert(
    fc.property(
      rates,
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.integer({ min: 0, max: 1e7 }),
      (rate, share, startMs) => {
        const count = 2 * rate.requests + 1;
        const spanMs = share * (rate.seconds * 1000 - 2 * SLACK_MS - 1);
        const spread = Array.from({ length: count }, (_, i) => {
          const atMs = startMs + (spanMs * i) / (count - 1);
          return { fromMs: atMs, toMs: atMs };
        });
        assert.equal(isExplained(spread, rate), false);
      },
    ),
    { numRuns: 1000 },
  );
});

/** Whether the decisions can be assigned to windows so that none is overfull. Tries every assignment. */
function canBeLaid(spans: readonly Decision[], limit: number, windowMs: number, phaseMs: number): boolean {
  const used = new Map<number, number>();
  const lay = (i: number): boolean => {
    const span = spans[i];
    if (!span) return true;
    const last = Math.floor((span.toMs - phaseMs) / windowMs);
    for (let window = Math.floor((span.fromMs - phaseMs) / windowMs); window <= last; window += 1) {
      const count = used.get(window) ?? 0;
      if (count === limit) continue;
      used.set(window, count + 1);
      if (lay(i + 1)) return true;
      used.set(window, count);
    }
    return false;
  };
  return lay(0);
}

test('what is explained is what some window takes in, tried one by one, or a bucket that flows or ticks', () => {
  const few = fc.array(
    fc.record({ fromMs: fc.integer({ min: 0, max: 900 }), lengthMs: fc.integer({ min: 0, max: 150 }) }),
    { minLength: 1, maxLength: 7 },
  );
  const told = { windows: 0, nothing: 0 };
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 50, max: 300 }), few, (requests, windowMs, all) => {
      const wide = all.map(({ fromMs, lengthMs }) => ({
        fromMs: fromMs - SLACK_MS,
        toMs: fromMs + lengthMs + SLACK_MS,
      }));
      const seen = all.map(({ fromMs, lengthMs }) => ({ fromMs, toMs: fromMs + lengthMs }));
      // Everything happens at whole milliseconds, so windows that begin between them are all that there can be.
      const byWindows = Array.from({ length: windowMs }, (_, ms) => ms + 0.5).some((phaseMs) =>
        canBeLaid(wide, requests, windowMs, phaseMs),
      );
      const byBucket = wide.every((first) =>
        wide.every((last) => {
          const inside = wide.filter(({ fromMs, toMs }) => fromMs >= first.fromMs && toMs <= last.toMs).length;
          return inside === 0 || inside <= requests * (1 + (last.toMs - first.fromMs) / windowMs);
        }),
      );
      const byTicks = (parts: number) => {
        const tickMs = windowMs / parts;
        return Array.from({ length: Math.ceil(tickMs) * 10 }, (_, tenth) => tenth / 10 + 0.05).some((phaseMs) =>
          wide.every((first) =>
            wide.every((last) => {
              const inside = wide.filter(({ fromMs, toMs }) => fromMs >= first.fromMs && toMs <= last.toMs).length;
              const tickAt = (ms: number) => Math.floor((ms - phaseMs) / tickMs);
              return inside <= requests + (Math.max(0, tickAt(last.toMs) - tickAt(first.fromMs)) * requests) / parts;
            }),
          ),
        );
      };
      const rate = { requests, seconds: windowMs / 1000 };
      const user = { accepted: seen, refused: [], charged: [] };
      const found = isUserExplained(user, rate, {
        families: ['fixed windows', 'a bucket', 'a bucket refilled at ticks'],
      });
      if (found) assert.equal(isExplained(seen, rate), true);
      // Decisions far apart are not compared at a phase.
      const isNear =
        Math.max(...seen.map(({ toMs }) => toMs)) - Math.min(...seen.map(({ fromMs }) => fromMs)) < 4 * windowMs;
      if (byWindows || byBucket || (requests === 1 && isNear)) assert.equal(found, byWindows || byBucket);
      else if (found && isNear) assert.ok([requests, 2, 4, 5, 6, 8, 10, 12, 20, 60].some(byTicks));
      if (byWindows && !byBucket) told.windows += 1;
      if (!byWindows && !byBucket) told.nothing += 1;
    }),
    { numRuns: 1000 },
  );
  expect(Math.min(told.windows, told.nothing)).toBeGreaterThan(10);
});

/** A decision at one moment, several times. */
const at = (ms: number, times = 1): Decision[] => Array.from({ length: times }, () => ({ fromMs: ms, toMs: ms }));
const PUBLISHED = { requests: 1, seconds: 1 };
const TWO = { requests: 2, seconds: 1 };

/** Two pairs: windows explain them that begin from 85 to 315 ms after a whole second. */
const PAIRS = [0, 500, 3100, 3300].flatMap((ms) => at(ms));
/** Twice one too many: only windows explain them, those that begin from 15 ms before a whole second to 35 ms after it. */
const OVER = [0, 9000].flatMap((ms) => [...at(ms, 2), ...at(ms + 20)]);
/** A timer that puts a request into the bucket each half second explains these, and windows do not. */
const TICKS = [...at(0, 2), ...at(20), ...at(3450, 2), ...at(3950), ...at(4450)];

for (const [what, rate, accepted, refused, explained] of [
  ['two at one moment', PUBLISHED, at(0, 2), [], true],
  ['three in hardly less than a window', PUBLISHED, [...at(0), ...at(500), ...at(970)], [], false],
  ['three in a window', PUBLISHED, [...at(0), ...at(500), ...at(971)], [], true],
  ['pairs', PUBLISHED, PAIRS, [], true],
  ['pairs, and refusals before the next window', PUBLISHED, PAIRS, at(1429, 3), true],
  ['pairs, and refusals a little after its beginning', PUBLISHED, PAIRS, at(1431, 3), false],
  ['pairs, and two of them, which may be an accident', PUBLISHED, PAIRS, at(1431, 2), true],
  ['pairs, and refusals of which the limiter was the cause', PUBLISHED, PAIRS, at(1529, 3), false],
  ['pairs, and refusals, an early one with another cause', PUBLISHED, PAIRS, [...at(1700), ...at(1450, 150)], false],
  ['refusals for what came in two windows', TWO, [...OVER, ...at(3500), ...at(4200)], at(4450, 3), true],
  ['refusals for much of the window before', TWO, [...OVER, ...at(3800), ...at(3850)], at(4550, 3), true],
  ['a bucket that a timer fills', TWO, TICKS, [], true],
  ['the same, and as many as two ticks let in', TWO, [...TICKS, ...at(9000, 2), ...at(9500), ...at(9700)], [], true],
  ['the same, and as many between two ticks', TWO, [...TICKS, ...at(9250, 2), ...at(9750), ...at(9950)], [], false],
  ['the same, and refusals of an empty bucket', TWO, TICKS, at(300, 3), true],
  ['the same, and refusals of one that has some', TWO, TICKS, at(4950, 3), false],
  ['the same, and two of them, which may be an accident', TWO, TICKS, at(4950, 2), true],
] satisfies [string, Rate, Decision[], Decision[], boolean][]) {
  test(`a limiter ${explained ? 'explains' : 'does not explain'} ${what}`, () => {
    expect(isExplained(accepted, rate, refused)).toBe(explained);
    expect(isExplained(accepted.toReversed(), rate, refused)).toBe(explained);
  });
}

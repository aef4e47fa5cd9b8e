/** What X-RateLimit-Remaining says is a statement about the level: the limit less the level (API description, section 8). */
import type { Rate } from '../contract/bounds';
import { gainOf } from './kinds';
import { type Candidate, type Decision, lookup, overflowOf, SLACK_MS, type User } from './level';

const TINY = 1e-9;

/**
 * Returns whether what was said to be left fits the levels of a limiter.
 * Those told that at least x are left found a limiter of x less. After an answer that says r, no more than r are accepted.
 * No more is missing than was charged.
 * @param total what is counted down from
 */
export const countsTruly =
  (total: number, { seconds }: Rate) =>
  ({ accepted }: User) => {
    const told = accepted.filter(({ left }) => typeof left === 'number');
    const leftOf = ({ left }: Decision) => left as number;
    const found = [...new Set(told.map(leftOf))].filter((left) => left > 0);
    const overflowIn = lookup((spanMs: number) =>
      found.map((left) => ({
        left,
        overflows: overflowOf(
          told.filter((each) => leftOf(each) >= left),
          total - left,
          spanMs,
        ),
      })),
    );
    return ({ kind, phaseMs, spanMs, levelAtMost }: Candidate): boolean => {
      const gain = gainOf(kind, phaseMs, total, seconds * 1000);
      return (
        overflowIn(spanMs).every(
          ({ left, overflows }) => left < total && !overflows(gainOf(kind, phaseMs, total - left, seconds * 1000)),
        ) &&
        told.every((each) => {
          const after = accepted.filter(({ fromMs }) => fromMs > each.toMs && fromMs - each.toMs < spanMs);
          return after.every(
            ({ toMs }, i) => i + 1 <= leftOf(each) + gain(each.fromMs - SLACK_MS, toMs + SLACK_MS) + TINY,
          );
        }) &&
        // A part of a request that came back is rounded.
        told.every((each) => leftOf(each) >= total - levelAtMost(each) - (kind.isSmooth ? 1 - 1e-6 : 0))
      );
    };
  };

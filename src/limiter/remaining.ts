/** What X-RateLimit-Remaining says is a statement about the level: the limit less the level (API description, section 8). */
import type { Rate } from '../contract/bounds';
import { gainOf, type Kind } from './kinds';
import { type Candidate, type Decision, lookup, overflowOf, SLACK_MS, type User } from './level';

const TINY = 1e-9;

/**
 * Returns whether what was said to be left fits the levels of a limiter.
 * Those told that at least x are left found a limiter of x less. After an answer that says r, no more than r are accepted.
 * No more is missing than was charged.
 * @param total what is counted down from
 * @param options.mayBeLess whether somebody else may use up what is missing
 */
export const countsTruly =
  (total: number, { seconds }: Rate, { mayBeLess = false } = {}) =>
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
      // A part of a request that came back is rounded.
      const rounded = kind.isSmooth ? 1 - 1e-6 : 0;
      return (
        overflowIn(spanMs).every(
          ({ left, overflows }) => left < total && !overflows(gainOf(kind, phaseMs, total - left, seconds * 1000)),
        ) &&
        told.every((each) => {
          const after = accepted.filter(({ fromMs }) => fromMs > each.toMs && fromMs - each.toMs < spanMs);
          // Of what slides out of a log, somebody else may have used any part.
          const isOfOthers = mayBeLess && kind.family !== 'fixed windows' && !kind.isSmooth;
          const back = comesBack(kind, each, accepted, { requests: total, seconds });
          return after.every((later, i) => {
            const given = gain(each.fromMs - SLACK_MS, later.toMs + SLACK_MS);
            const most = isOfOthers ? total + given : Math.max(given, back(later));
            return i + 1 <= leftOf(each) + rounded + most + TINY;
          });
        }) &&
        (mayBeLess || told.every((each) => leftOf(each) >= total - levelAtMost(each) - rounded))
      );
    };
  };

/** Returns what comes back after an answer of what a limiter that slides had counted before it: it forgets that bit by bit. */
function comesBack(kind: Kind, each: Decision, accepted: readonly Decision[], { requests, seconds }: Rate) {
  const windowMs = seconds * 1000;
  const betweenMs = ({ toMs }: Decision) => toMs - each.fromMs + 2 * SLACK_MS;
  if (kind.family === 'a sliding counter') return (later: Decision) => 1 + (requests * betweenMs(later)) / windowMs;
  if (kind.family !== 'a sliding log' && kind.family !== 'windows that slide by segments') return () => 0;
  // A segment may end right after a request.
  const keptMs = windowMs - kind.stepMs;
  const before = accepted.filter(({ fromMs, toMs }) => fromMs <= each.toMs && toMs > each.fromMs - windowMs - SLACK_MS);
  return (later: Decision) =>
    before.filter(({ fromMs }) => fromMs - SLACK_MS + keptMs <= later.toMs + SLACK_MS).length +
    requests * Math.floor(betweenMs(later) / windowMs);
}

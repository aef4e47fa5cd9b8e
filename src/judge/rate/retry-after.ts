/** The rate clauses about Retry-After: that its promise comes true, and agrees with Reset (API description, section 8). */
import { DAY_SECONDS, LITTLE_MS, longestHonestSeconds, ROUNDING_SECONDS } from '../../contract/bounds';
import { type Range, secondsAhead, waitAskedSeconds } from '../../evidence/clock';
import type { Evidence, Exchange } from '../../evidence/exchange';
import { rateHeaderOf, retryAfterOf, valuesOf } from '../../evidence/headers';
import { isRefused, isWhole } from '../../evidence/outcome';
import { isQuiet } from '../../evidence/quiet';
import { keptItsWait, turnsOf } from '../../evidence/turns';
import { type Breach, breachesIn, each, inapplicable, judged, notTested, type Rules } from '../finding';
import { areApart, refusalsOf, windowSeconds, withoutRefusals } from './facts';
import { unlessUsedElsewhere } from './used-elsewhere';

export const retryAfterRules: Rules = {
  'rate.retry-after-honest': {
    needs: ['recovery'],
    judge: unlessUsedElsewhere((evidence, accounts) => {
      const refusals = refusalsOf(evidence).filter(isWhole);
      if (refusals.length === 0) return withoutRefusals(evidence);
      const asking = refusals.filter((exchange) => retryAfterOf(exchange) !== null);
      if (asking.length === 0)
        return notTested(
          'No refusal carried a well-formed Retry-After (rate.retry-after-present, rate.retry-after-format).',
        );
      const byAccount = accounts.map((account) => refusedAfterItsWait(evidence, account));
      const early = byAccount.flat();
      // One may be chance, and so may one of each account at one moment.
      const isRepeated = areApart(early, evidence) || byAccount.some((ofAccount) => ofAccount.length > 2);
      const late = breachesIn(asking, (exchange) => tooLong(exchange, evidence));
      return judged(asking, [...late, ...(isRepeated ? early : [])]);
    }),
  },

  'rate.retry-after-agrees': {
    needs: ['sequence'],
    judge(evidence) {
      const refusals = refusalsOf(evidence).filter(isWhole);
      if (refusals.length === 0) return withoutRefusals(evidence);
      const both = refusals.filter((exchange) => retryAfterOf(exchange) !== null && resetIsTime(exchange, evidence));
      const isNeverBoth = !refusals.some(
        (exchange) =>
          valuesOf(exchange, 'Retry-After').length > 0 && valuesOf(exchange, 'X-RateLimit-Reset').length > 0,
      );
      if (isNeverBoth)
        return inapplicable(
          refusals,
          `None of ${refusals.length} refusals carried both Retry-After and X-RateLimit-Reset, so there is nothing to agree.`,
        );
      return each(both, 'No refusal carried both Retry-After and X-RateLimit-Reset in form.', (exchange) =>
        apartness(exchange, evidence),
      );
    },
  },
};

/** A wait that no honest limiter of this rate asks for. */
function tooLong(refusal: Exchange, evidence: Evidence): string | null {
  const asked = waitAskedSeconds(refusal, evidence);
  const rounding = retryAfterOf(refusal)?.form === 'date' ? ROUNDING_SECONDS : 0;
  if (!asked || asked.least <= longestHonestSeconds(evidence.target.rate) + rounding) return null;
  return `Retry-After: ${valuesOf(refusal, 'Retry-After')[0]} asks for ${Math.round(asked.least)} s, where a window has ${windowSeconds(evidence)} s`;
}

/**
 * Requests refused though they waited as the refusal before asked, wherever in the run they stand. A store may expire a
 * little late, so the first of such requests in a row is blamed for nothing until that little has passed.
 */
function refusedAfterItsWait(evidence: Evidence, account: string): Breach[] {
  let dueMs: number | null = null;
  return turnsOf(evidence, account).flatMap((turn): Breach[] => {
    const { before, next } = turn;
    const refusal = before.findLast((exchange) => isRefused(exchange, evidence) && retryAfterOf(exchange) !== null);
    const areAllAsking = before.every((exchange) => !isRefused(exchange, evidence) || retryAfterOf(exchange) !== null);
    const isKept = refusal !== undefined && areAllAsking && keptItsWait(turn, evidence);
    if (!isKept || !isWhole(next) || next.resent || !isRefused(next, evidence) || !isQuiet(next, evidence)) {
      dueMs = null;
      return [];
    }
    dueMs ??= refusal.receivedAtMs + (waitAskedSeconds(refusal, evidence) as Range).most * 1000;
    if (next.sentAtMs < dueMs + LITTLE_MS) return [];
    const waitedMs = Math.round(next.sentAtMs - refusal.receivedAtMs);
    const came = `refused again ${waitedMs} ms after Retry-After: ${valuesOf(refusal, 'Retry-After')[0]}, with nothing sent meanwhile`;
    return [{ exchanges: [refusal, next], came }];
  });
}

/** How Retry-After and Reset contradict one another; `null` where they agree. */
function apartness(refusal: Exchange, evidence: Evidence): string | null {
  const asked = retryAfterOf(refusal);
  const reset = rateHeaderOf(refusal, 'Reset') as number;
  const ahead = secondsAhead(reset, refusal, evidence);
  const apart =
    asked?.form === 'seconds'
      ? Math.max(ahead.least - asked.seconds, asked.seconds - ahead.most)
      : Math.abs((asked?.epochSeconds ?? reset) - reset);
  if (apart <= longestHonestSeconds(evidence.target.rate)) return null;
  return `Retry-After: ${valuesOf(refusal, 'Retry-After')[0]} and X-RateLimit-Reset: ${reset} lie ${Math.round(apart)} s apart`;
}

/** Whether Reset is a time at all; another unit is for rate.reset-format. */
function resetIsTime(exchange: Exchange, evidence: Evidence): boolean {
  const reset = rateHeaderOf(exchange, 'Reset');
  return reset !== null && Math.abs(secondsAhead(reset, exchange, evidence).least) <= DAY_SECONDS;
}

/** The rate clauses about promises: that what Reset and Retry-After say comes true, and that they agree (API description, section 8). */
import { DAY_SECONDS, LITTLE_MS, longestHonestSeconds, ROUNDING_SECONDS } from '../../contract/bounds';
import type { Flaw } from '../../contract/result';
import { saidBy, valuesOf } from '../../evidence/http/headers';
import type { Evidence, Exchange } from '../../evidence/model';
import { isRefused, isWhole } from '../../evidence/responder/classify';
import { beginningsOf, isWhollyRefused, keptItsWait, type Turn } from '../../evidence/time/gaps';
import { isStored, passesAtMs, type Range, secondsAhead, waitAskedSeconds } from '../../evidence/time/server-clock';
import { doBlocksExplain } from '../../rate-limit/longer-limits';
import { isUndisturbed } from '../../rate-limit/own-budgets';
import { areBurstsSplit } from '../../rate-limit/room';
import { type Breach, breachesIn, each, flawIn, inapplicable, judged, notTested, type Rules } from '../finding';
import {
  accountsOf,
  areApart,
  carries,
  freshWith,
  ofRefusals,
  unlessByChance,
  unlessOthersUseTheKey,
  windowSeconds,
} from './facts';

export const promiseRules: Rules = {
  'rate.reset-honest': {
    needs: ['recovery', 'promise'],
    ofAKeptLimit: true,
    judge(evidence) {
      const bearing = freshWith('reset', evidence);
      if (bearing.length === 0)
        return notTested('No fresh response to a valid key carried a well-formed X-RateLimit-Reset.');
      // Another client does not explain a moment that is further ahead than any limiter of the rate names.
      const far = breachesIn(bearing, (exchange) => farAhead(exchange, evidence));
      if (far.length > 0) return judged(bearing, far);
      return unlessOthersUseTheKey((others, accounts) => {
        const late = accounts.flatMap((account) => refusedAfterReset(others, account));
        // A single refusal may be chance, and so may all of one moment, or a burst that another client had begun.
        const single = refusedIn(late).filter(({ probe }) => probe.group !== 'concurrent');
        return unlessByChance(judged(bearing, areApart(single, others) ? late : []), refusedIn(late), others);
      })(evidence);
    },
  },

  'rate.retry-after-honest': {
    needs: ['recovery'],
    ofAKeptLimit: true,
    judge: (evidence) =>
      ofRefusals(evidence, (refusals) => {
        const asking = refusals.filter((exchange) => saidBy(exchange).retryAfter !== null);
        if (asking.length === 0)
          return notTested(
            'No refusal carried a well-formed Retry-After (rate.retry-after-present, rate.retry-after-format).',
          );
        const late = breachesIn(asking, (exchange) => tooLong(exchange, evidence));
        if (late.length > 0) return judged(asking, late);
        const judgeWaits = (all: Evidence, accounts: string[]) => {
          const byAccount = accounts.map((account) => refusedAfterItsWait(all, account));
          const early = byAccount.flat();
          // A single refusal may be chance, and so may one of each account at one moment.
          const isRepeated = areApart(refusedIn(early), all) || byAccount.some((ofAccount) => ofAccount.length > 2);
          return unlessByChance(judged(asking, isRepeated ? early : []), refusedIn(early), all);
        };
        // Another client is not met after refusals alone.
        const ofAll = doBlocksExplain(evidence) ? judgeWaits(evidence, accountsOf(evidence)) : null;
        return ofAll && ofAll.breaches.length > 0 ? ofAll : unlessOthersUseTheKey(judgeWaits)(evidence);
      }),
  },

  'rate.retry-after-agrees': {
    needs: ['sequence'],
    ofAKeptLimit: true,
    judge: (evidence) =>
      ofRefusals(evidence, (refusals) => {
        if (!refusals.filter(carries('Retry-After')).some(carries('X-RateLimit-Reset')))
          return inapplicable(
            refusals,
            `None of ${refusals.length} refusals carried both Retry-After and X-RateLimit-Reset, so there is nothing to agree.`,
          );
        const both = refusals.filter(
          (exchange) => saidBy(exchange).retryAfter !== null && resetIsTime(exchange, evidence),
        );
        return each(
          both,
          'No refusal carried a well-formed Retry-After together with a well-formed X-RateLimit-Reset.',
          (exchange) => apartness(exchange, evidence),
        );
      }),
  },
};

/**
 * Those turns that were refused as a whole though they kept a promise, and nobody else was busy. Where no single request
 * is, bursts are refused for another reason (rate.limit-honest), unless others are split and a block explains it.
 * @param kept the turns that kept the promise of an answer before
 */
function refusedAmong(kept: readonly Turn[], evidence: Evidence): Turn[] {
  const refused = kept.filter((turn) => isWhollyRefused(turn, evidence) && isUndisturbed(turn.next, evidence));
  return refused.some(({ isAlone }) => isAlone) || (areBurstsSplit(evidence) && doBlocksExplain(evidence))
    ? refused
    : [];
}

/** Returns the requests that were refused though a promise was kept. The answer that made it comes last, as it is shown. */
function refusedIn(breaches: readonly Breach[]): Exchange[] {
  return breaches.flatMap(({ exchanges: [refused] }) => refused ?? []);
}

/**
 * Requests refused after the Reset of the answer before had passed. Some limiters count refused requests, so a promise
 * binds only as long as nothing was sent after it.
 */
function refusedAfterReset(evidence: Evidence, account: string): Breach[] {
  const kept = beginningsOf(evidence, account).filter(({ before, next }) =>
    before.every((exchange) => {
      const reset = saidBy(exchange).reset;
      const passedAtMs = reset === null ? null : passesAtMs(reset, exchange, evidence);
      const isPromise = isWhole(exchange) && !exchange.resent && !isStored(exchange, evidence);
      return isPromise && passedAtMs !== null && passedAtMs + LITTLE_MS <= next.sentAtMs;
    }),
  );
  return refusedAmong(kept, evidence).flatMap(({ before, next }) =>
    before.slice(-1).map((last): Breach => {
      const got = `${saidBy(last).reset}, and the next request refused after it, with nothing sent meanwhile`;
      return {
        ...flawIn('header', 'X-RateLimit-Reset', got, 'acceptance once it has passed'),
        exchanges: [next, last],
      };
    }),
  );
}

/** A Reset further ahead than any honest one; more than a day ahead is for rate.reset-format. */
function farAhead(exchange: Exchange, evidence: Evidence): Flaw | null {
  const reset = saidBy(exchange).reset as number;
  const { least: ahead } = secondsAhead(reset, exchange, evidence);
  if (ahead <= longestHonestSeconds(evidence.target.rate) || ahead > DAY_SECONDS) return null;
  const got = `${reset}, ${Math.round(ahead)} s ahead${byWhichClock(exchange)}`;
  return flawIn('header', 'X-RateLimit-Reset', got, endOfWindow(evidence));
}

/** Names the clock where it is not the server's own. */
function byWhichClock(exchange: Exchange): string {
  return saidBy(exchange).dateSeconds === null ? " of this machine's clock, as there is no Date" : '';
}

function endOfWindow(evidence: Evidence): string {
  return `the end of a window of ${windowSeconds(evidence)} s`;
}

/** A wait that no honest limiter of this rate asks for. */
function tooLong(refusal: Exchange, evidence: Evidence): Flaw | null {
  const asked = waitAskedSeconds(refusal, evidence);
  const rounding = saidBy(refusal).retryAfter?.form === 'date' ? ROUNDING_SECONDS : 0;
  if (!asked || asked.least <= longestHonestSeconds(evidence.target.rate) + rounding) return null;
  const got = `${valuesOf(refusal, 'Retry-After')[0]}, which asks for ${Math.round(asked.least)} s`;
  return flawIn('header', 'Retry-After', got, endOfWindow(evidence));
}

/**
 * Requests refused though they waited as the refusal before asked, wherever in the run they stand. A store may expire a
 * little late, so the first of such requests in a row is blamed for nothing until that little has passed.
 */
function refusedAfterItsWait(evidence: Evidence, account: string): Breach[] {
  const refusedBefore = ({ before }: Turn) => before.filter((exchange) => isRefused(exchange, evidence));
  const beginnings = beginningsOf(evidence, account);
  const kept = beginnings.filter((turn) => {
    const refusals = refusedBefore(turn);
    const areTold = refusals.length > 0 && refusals.every((exchange) => saidBy(exchange).retryAfter !== null);
    return areTold && keptItsWait(turn, evidence);
  });
  const broken = new Set(refusedAmong(kept, evidence));
  let dueMs: number | null = null;
  return beginnings.flatMap((turn): Breach[] => {
    const refusal = broken.has(turn) ? refusedBefore(turn).at(-1) : undefined;
    const waitMs = refusal && (waitAskedSeconds(refusal, evidence) as Range).most * 1000;
    dueMs = refusal && waitMs !== undefined ? (dueMs ?? refusal.receivedAtMs + waitMs) : null;
    if (!refusal || dueMs === null || turn.next.sentAtMs < dueMs + LITTLE_MS) return [];
    const waitedMs = Math.round(turn.next.sentAtMs - refusal.receivedAtMs);
    const value = valuesOf(refusal, 'Retry-After')[0];
    const got = `${value}, and refused again ${waitedMs} ms later, with nothing sent meanwhile`;
    return [{ ...flawIn('header', 'Retry-After', got, 'acceptance after that wait'), exchanges: [turn.next, refusal] }];
  });
}

/** How Retry-After and Reset contradict one another; `null` where they agree. */
function apartness(refusal: Exchange, evidence: Evidence): Flaw | null {
  const asked = saidBy(refusal).retryAfter;
  const reset = saidBy(refusal).reset as number;
  const ahead = secondsAhead(reset, refusal, evidence);
  const apart =
    asked?.form === 'seconds'
      ? Math.max(ahead.least - asked.seconds, asked.seconds - ahead.most)
      : Math.abs((asked?.epochSeconds ?? reset) - reset);
  if (apart <= longestHonestSeconds(evidence.target.rate)) return null;
  const got = `${valuesOf(refusal, 'Retry-After')[0]}, and X-RateLimit-Reset: ${reset}, ${Math.round(apart)} s apart`;
  return flawIn('header', 'Retry-After', got, 'the moment of X-RateLimit-Reset');
}

/** Whether Reset is a time at all; another unit is for rate.reset-format. */
function resetIsTime(exchange: Exchange, evidence: Evidence): boolean {
  const reset = saidBy(exchange).reset;
  return reset !== null && Math.abs(secondsAhead(reset, exchange, evidence).least) <= DAY_SECONDS;
}

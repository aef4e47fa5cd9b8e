/** The rate clauses about the counts in the headers: that Limit and Remaining are true (API description, section 8). */

import { plural } from '../../common/plural';
import { LITTLE_MS } from '../../contract/bounds';
import type { Flaw } from '../../contract/result';
import { saidBy } from '../../evidence/http/headers';
import type { Evidence, Exchange } from '../../evidence/model';
import { isAccepted, isRefused, isWhole, letThrough } from '../../evidence/responder/classify';
import { beginningsOf, isSpaced, ownOf, turnsOf } from '../../evidence/time/gaps';
import { areTelling, isAcceptedNext, MOST_TRIALS } from '../../rate-limit/another-trial';
import { decisionOf, isExplainedByBoundaries } from '../../rate-limit/decisions';
import { isExplained } from '../../rate-limit/limiters';
import { isUndisturbed } from '../../rate-limit/own-budgets';
import { leastGranted, type Miscount, miscounted, shareGranted, talliesOf } from '../../rate-limit/remaining';
import { isAfterSilence, miscountsAtOnce } from '../../rate-limit/remaining-at-once';
import { areBurstsSplit } from '../../rate-limit/room';
import { refusedBelowLimit, toldTo } from '../../rate-limit/told-limit';
import { isOverRate, limitedAccounts, trialsOf } from '../../rate-limit/trials';
import { answerFlaw, type Breach, breachesIn, flawIn, judged, notTested, type Rules } from '../finding';
import { accountsOf, areApart, freshWith, MAY_BE_ANOTHER_CLIENT, refusalsOf, unlessOthersUseTheKey } from './facts';
import { isStricter, overRate } from './limit';

export const countRules: Rules = {
  'rate.limit-honest': {
    needs: ['sequence', 'concurrent'],
    ofAKeptLimit: true,
    judge(evidence) {
      const bearing = freshWith('limit', evidence);
      // Another client explains neither of these.
      const plain = [...changes(bearing), ...overstated(evidence)];
      return plain.length > 0 ? judged(bearing, plain) : limitByTrials(evidence);
    },
  },

  'rate.remaining-honest': {
    needs: ['sequence'],
    ofAKeptLimit: true,
    judge: unlessOthersUseTheKey((evidence, accounts) => {
      const bearing = freshWith('remaining', evidence);
      if (bearing.length === 0)
        return notTested('No fresh response to a valid key carried a well-formed X-RateLimit-Remaining.');
      const breaches = breachesIn(bearing, (exchange) => {
        const left = saidBy(exchange).remaining;
        return isRefused(exchange, evidence) && left !== 0 ? remainingFlaw(`${left} on a refusal`, 0) : null;
      });
      const inTurn = accounts.flatMap((account) => wrongInTurn(evidence, account));
      const atOnce = accounts.flatMap((account) => wrongAtOnce(evidence, account));
      const shown = atOnce.flatMap(({ exchanges }) => exchanges.slice(-1));
      return judged(bearing, [...breaches, ...inTurn, ...(areApart(shown, evidence) ? atOnce : [])]);
    }),
  },
};

const limitByTrials = unlessOthersUseTheKey((evidence, accounts) => {
  const bearing = freshWith('limit', evidence);
  // A limit that is stricter than declared refuses whole bursts as well, and another client's requests refuse single ones too.
  const isBurstsAlone = (account: string) =>
    turnsOf(evidence, account).every((turn) => !isSpaced(turn, evidence, LITTLE_MS) || !isRefused(turn.next, evidence));
  const empty =
    isStricter(evidence) || areBurstsSplit(evidence)
      ? []
      : accounts.filter(isBurstsAlone).flatMap((account) => emptyBursts(evidence, account));
  const noneAccepted = areTelling(empty, evidence) ? [empty] : [];
  if (bearing.length === 0 && noneAccepted.length === 0)
    return notTested(
      'No fresh response carried a well-formed X-RateLimit-Limit (rate.headers-present, rate.limit-format).',
    );
  const dishonest = accounts.flatMap((account) => dishonestLimits(evidence, account));
  if (empty.length >= MOST_TRIALS && noneAccepted.length === 0 && dishonest.length === 0)
    return notTested(MAY_BE_ANOTHER_CLIENT);
  return judged(bearing, [
    ...dishonest,
    ...noneAccepted.map((bursts) => {
      const got = `none of ${bursts[0]?.length} requests at one moment was accepted, in ${bursts.length} fresh windows`;
      return { ...answerFlaw(got, 'as many as the limit says'), exchanges: bursts.flat() };
    }),
  ]);
});

/** A Limit that changes, or that is not the same for all accounts. */
function changes(bearing: readonly Exchange[]): Breach[] {
  const [first] = bearing;
  const other = bearing.find((exchange) => saidBy(exchange).limit !== saidBy(first ?? exchange).limit);
  if (!first || !other) return [];
  const [named, then] = [first, other].map((exchange) => saidBy(exchange).limit);
  const got =
    first.account === other.account
      ? `${named} and then ${then} for ${first.account}`
      : `${named} for ${first.account}, and ${then} for ${other.account}`;
  return [{ ...flawIn('header', 'X-RateLimit-Limit', got, 'one limit'), exchanges: [first, other] }];
}

/** A Limit of which no limiter would have refused what was refused. */
function overstated(evidence: Evidence): Breach[] {
  return [...refusedBelowLimit(evidence)].map(([account, refused]) => {
    const got = `${toldTo(account, evidence)} for ${account}, but ${plural(refused.length, 'request')} ${refused.length === 1 ? 'was' : 'were'} refused or held back after fewer`;
    return { ...flawIn('header', 'X-RateLimit-Limit', got, 'as many as are accepted'), exchanges: refused };
  });
}

/** A Limit that is not what the account's sequences were granted. */
function dishonestLimits(evidence: Evidence, account: string): Breach[] {
  const named = toldTo(account, evidence);
  if (named === null) return [];
  const trials = trialsForLimit(evidence, account);
  // As in rate.enforced and rate.enforced-concurrent: a server that restarts between the two forgets what it counted.
  const over = trials
    .flatMap((some) => overRate(some, evidence, named, account))
    .map(({ got, exchanges }) => {
      return {
        ...flawIn('header', 'X-RateLimit-Limit', `${named} for ${account}, but ${got}`, 'as many as are accepted'),
        exchanges,
      };
    });
  const short = shortOf(trials.flat(), evidence);
  // What one account was granted less, another client may have used; what all were, a counter that remembers more.
  const most = accountsOf(evidence).length > 1 ? Math.max : Math.min;
  const granted = most(...short.map((share) => share.granted));
  // Trials that were granted different numbers met a boundary, or another client: one more must show it.
  const enough = short.every((share) => share.granted === granted) ? 2 : 3;
  if (short.length < enough || !isGrantedAlways(granted, named, evidence) || isGrantedOtherwise(account, evidence))
    return over;
  const got = `${named} for ${account}, but request ${granted + 1} was refused, in ${short.length} fresh windows`;
  const exchanges = short.map(({ refusal }) => refusal);
  return [...over, { ...flawIn('header', 'X-RateLimit-Limit', got, String(granted)), exchanges }];
}

/**
 * The trials that show how much an account is granted, sequences and bursts. A burst needs no fast answers; one that a race let through, or of
 * which nothing was refused as the limiter refuses, tells nothing, nor does one that began while a counter remembers more.
 */
function trialsForLimit(evidence: Evidence, account: string): [sequences: Exchange[][], bursts: Exchange[][]] {
  const bursts = trialsOf(evidence, 'concurrent', account);
  const refusals = new Set(refusalsOf(evidence));
  const telling = bursts.filter(
    (burst) =>
      isAfterSilence(burst, evidence) &&
      !mayBeBegun(burst, evidence) &&
      burst.every((exchange) => isWhole(exchange) && (isAccepted(exchange) || refusals.has(exchange))),
  );
  const isWholeTold = ownOf(evidence, account).some((exchange) => {
    const { limit, remaining } = saidBy(exchange);
    return limit !== null && remaining === limit - 1;
  });
  // Who is never told of a whole budget is not granted one.
  const sequences = trialsOf(evidence, 'sequence', account).filter(
    (trial) => !isWholeTold || !mayBeBegun(trial, evidence),
  );
  return [sequences, isOverRate(bursts, evidence, account) ? [] : telling];
}

/**
 * Whether a trial with the only key says itself that another client had used what is missing: it was told of less than a
 * whole budget, and granted all that was left.
 */
function mayBeBegun(trial: readonly Exchange[], evidence: Evidence): boolean {
  const through = letThrough(trial, evidence);
  const left = Math.max(...through.flatMap((exchange) => saidBy(exchange).remaining ?? []));
  const limit = Math.max(...through.flatMap((exchange) => saidBy(exchange).limit ?? []));
  return accountsOf(evidence).length === 1 && left < limit - 1 && left + 1 <= through.length;
}

/**
 * Whether every other account was granted the whole limit, or the only one was in another burst. A limiter grants all
 * accounts the same, and each time, so another client of this account's key explains what is missing.
 */
function isGrantedOtherwise(account: string, evidence: Evidence): boolean {
  const others = accountsOf(evidence).filter((name) => name !== account);
  const [, bursts] = trialsForLimit(evidence, account);
  if (others.length === 0)
    return bursts
      .flatMap((burst) => shareGranted(burst, evidence) ?? [])
      .some(({ granted, named }) => granted === named);
  const trials = others.flatMap((name) => trialsForLimit(evidence, name).flat());
  return trials.some((trial) => shareGranted(trial, evidence) !== null) && shortOf(trials, evidence).length === 0;
}

/** The trials that were granted less than Limit says, and how much. */
function shortOf(trials: Exchange[][], evidence: Evidence) {
  const shares = trials.flatMap((trial) => shareGranted(trial, evidence) ?? []);
  // A first request that is refused at once is late recovery, not a smaller limit.
  return shares.filter(
    ({ granted, named, last }) => granted > 0 && granted < named && !talliesOf(evidence).explained.has(last),
  );
}

/**
 * Whether a limiter of `count` explains what the trials of every account were let through, and none was granted all
 * `named` at one moment. A limiter does the same each time; somebody else's requests come now and then.
 */
function isGrantedAlways(count: number, named: number, evidence: Evidence): boolean {
  const { requests, seconds } = evidence.target.rate;
  return accountsOf(evidence).every((account) => {
    const trials = (['sequence', 'concurrent'] as const)
      .flatMap((group) => trialsOf(evidence, group, account))
      .map((trial) => letThrough(trial, evidence));
    const isWhole = trials.some((through) => {
      const endMs = (through[0]?.sentAtMs ?? 0) + (seconds * 1000) / requests;
      const left = new Set(through.flatMap((exchange) => saidBy(exchange).remaining ?? []));
      // Where answers take long, each number that was left once tells that all were granted together.
      return left.size >= named || through.filter(({ receivedAtMs }) => receivedAtMs < endMs).length >= named;
    });
    return !isWhole && isExplained(trials.flat().map(decisionOf), { requests: count, seconds });
  });
}

/** Bursts of an account that began in a fresh window, and of which nothing was let through, unlike what came next. */
function emptyBursts(evidence: Evidence, account: string): Exchange[][] {
  const beginnings = beginningsOf(evidence, account).filter((turn) => isSpaced(turn, evidence, LITTLE_MS));
  return trialsOf(evidence, 'concurrent', account).filter(
    (trial) =>
      trial.length > 1 &&
      trial.every((exchange) => isWhole(exchange) && !exchange.resent && isUndisturbed(exchange, evidence)) &&
      letThrough(trial, evidence).length === 0 &&
      beginnings.some(({ next }) => next === trial[0]) &&
      isAcceptedNext(trial, evidence),
  );
}

/** Responses whose Remaining does not count down. */
function wrongInTurn(evidence: Evidence, account: string): Breach[] {
  const trials = trialsOf(evidence, 'sequence', account);
  const wrong = trials.flatMap((trial) => miscounted(trial, evidence, leastGranted(trials, evidence)));
  // Where more is let through than the rate allows, no window is known to begin with a whole budget.
  const isWholeKnown = limitedAccounts(evidence).includes(account);
  return beyondBoundaries(isWholeKnown ? wrong : wrong.filter(({ span }) => span !== null), evidence);
}

/** Bursts whose answers, taken together, say what no limiter does. Where more is let through than the rate allows, none counts them. */
function wrongAtOnce(evidence: Evidence, account: string): Breach[] {
  const trials = trialsOf(evidence, 'concurrent', account);
  return isOverRate(trials, evidence, account) ? [] : beyondBoundaries(miscountsAtOnce(trials, evidence), evidence);
}

/** What is wrong with counts, without what the ends of windows of one phase, or ticks of a bucket, explain. */
function beyondBoundaries(wrong: readonly Miscount[], evidence: Evidence): Breach[] {
  const { requests, seconds } = evidence.target.rate;
  const spans = wrong.flatMap(({ span }) => span ?? []);
  const areExplained = [1, requests].some((parts) => isExplainedByBoundaries(spans, (seconds * 1000) / parts));
  return wrong
    .filter(({ span }) => span === null || !areExplained)
    .map(({ got, due, exchanges }) => ({ ...remainingFlaw(got, due), exchanges }));
}

function remainingFlaw(got: string, due: number | string): Flaw {
  return flawIn('header', 'X-RateLimit-Remaining', got, String(due));
}

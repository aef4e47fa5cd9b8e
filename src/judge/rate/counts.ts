/** The rate clauses about the counts in the headers: that Limit and Remaining are true (API description, section 8). */

import { LITTLE_MS } from '../../contract/bounds';
import { booksOf } from '../../evidence/books';
import { isStored } from '../../evidence/clock';
import type { Evidence, Exchange } from '../../evidence/exchange';
import { ofTheApi } from '../../evidence/groups';
import { rateHeaderOf } from '../../evidence/headers';
import { areTelling, isOverRate, leastGranted, looksOf, miscounted, shareGranted } from '../../evidence/looks';
import { isRefused, isWhole, letThrough } from '../../evidence/outcome';
import { isQuiet } from '../../evidence/quiet';
import { beginningsOf, isSpaced, ownOf } from '../../evidence/turns';
import { isExplainedByBoundaries } from '../../evidence/windows';
import { type Breach, breachesIn, judged, notTested, type Rules } from '../finding';
import { accountsOf, windowSeconds } from './facts';
import { isStricter, overRate } from './limit';
import { unlessUsedElsewhere } from './used-elsewhere';

/** A request sent so soon after an answer follows it at once: nobody else's came in between, but for an accident. */
const AT_ONCE_MS = 50;

export const countRules: Rules = {
  'rate.limit-honest': {
    needs: ['sequence', 'concurrent'],
    judge: unlessUsedElsewhere((evidence, accounts) => {
      const bearing = ofTheApi(evidence).filter(
        (exchange) => rateHeaderOf(exchange, 'Limit') !== null && !isStored(exchange, evidence),
      );
      // A limit that is stricter than declared refuses whole bursts as well.
      const noneAccepted = isStricter(evidence) ? [] : accounts.flatMap((account) => emptyBursts(evidence, account));
      if (bearing.length === 0 && !areTelling(noneAccepted, evidence))
        return notTested(
          'No fresh response carried a well-formed X-RateLimit-Limit (rate.headers-present, rate.limit-format).',
        );
      const breaches = [
        ...accounts.flatMap((account) => dishonestLimits(evidence, account, bearing)),
        ...refusedAsAWhole(noneAccepted, evidence),
      ];
      return judged(bearing, breaches);
    }),
  },

  'rate.remaining-honest': {
    needs: ['sequence'],
    judge: unlessUsedElsewhere((evidence, accounts) => {
      const bearing = ofTheApi(evidence).filter(
        (exchange) =>
          exchange.account !== null && rateHeaderOf(exchange, 'Remaining') !== null && !isStored(exchange, evidence),
      );
      if (bearing.length === 0)
        return notTested('No fresh response to a valid key carried a well-formed X-RateLimit-Remaining.');
      const breaches = breachesIn(bearing, (exchange) => {
        const left = rateHeaderOf(exchange, 'Remaining');
        return isRefused(exchange, evidence) && left !== 0 ? `a refusal with X-RateLimit-Remaining: ${left}` : null;
      });
      return judged(bearing, [...breaches, ...accounts.flatMap((account) => wrongRemainders(evidence, account))]);
    }),
  },
};

/** A Limit that changes, or that is not what the account's sequences were granted. */
function dishonestLimits(evidence: Evidence, account: string, bearing: readonly Exchange[]): Breach[] {
  const own = bearing.filter((exchange) => exchange.account === account);
  const [first] = own;
  if (!first) return [];
  const named = rateHeaderOf(first, 'Limit') as number;
  const other = own.find((exchange) => rateHeaderOf(exchange, 'Limit') !== named);
  if (other) {
    const came = `X-RateLimit-Limit: ${named} and then ${rateHeaderOf(other, 'Limit')} for ${account}`;
    return [{ exchanges: [first, other], came }];
  }
  const looks = looksOf(evidence, 'sequence', account);
  const over = overRate(looks, evidence, named, account);
  return [
    ...over.map((breach) => ({ ...breach, came: `X-RateLimit-Limit: ${named}, but ${breach.came}` })),
    ...grantedTooFew(looks, evidence, account),
  ];
}

function grantedTooFew(looks: Exchange[][], evidence: Evidence, account: string): Breach[] {
  const short = shortOf(looks, evidence);
  const [first] = short;
  if (!first || short.length < 2 || !isGrantedAlways(first.granted, evidence)) return [];
  const others = accountsOf(evidence).filter((name) => name !== account);
  const ofOthers = others.flatMap((name) => looksOf(evidence, 'sequence', name));
  // A limiter grants every account the same. Somebody else may use the key of a single one.
  const areOthersGranted = ofOthers.some((look) => shareGranted(look, evidence) !== null);
  if (areOthersGranted && shortOf(ofOthers, evidence).length === 0) return [];
  const { named, granted } = first;
  const came = `X-RateLimit-Limit: ${named}, but request ${granted + 1} of ${account} was refused, in ${short.length} fresh windows`;
  return [{ exchanges: short.map(({ refusal }) => refusal), came }];
}

/** The looks that were granted less than Limit says, and how much. */
function shortOf(looks: Exchange[][], evidence: Evidence) {
  const shares = looks.flatMap((look) => shareGranted(look, evidence) ?? []);
  // A first request that is refused at once is late recovery, not a smaller limit.
  return shares.filter(
    ({ granted, named, last }) => granted > 0 && granted < named && !booksOf(evidence).explained.has(last),
  );
}

/**
 * Whether each look, of whatever account, that was granted less than Limit says was granted this number, and no look was
 * granted more at one moment. A limiter does the same each time; somebody else's requests come now and then.
 */
function isGrantedAlways(count: number, evidence: Evidence): boolean {
  const { requests, seconds } = evidence.target.rate;
  const sequences = accountsOf(evidence).flatMap((account) => looksOf(evidence, 'sequence', account));
  const bursts = accountsOf(evidence).flatMap((account) => looksOf(evidence, 'concurrent', account));
  const atOnce = [...sequences, ...bursts]
    .map((look) => letThrough(look, evidence))
    .map((through) =>
      through.filter((exchange) => exchange.receivedAtMs - (through[0]?.sentAtMs ?? 0) < (seconds * 1000) / requests),
    );
  return (
    shortOf(sequences, evidence).every(({ granted }) => granted === count) &&
    atOnce.every(({ length }) => length <= count)
  );
}

/** Bursts of an account that began in a fresh window, and of which nothing was let through, unlike what came next. */
function emptyBursts(evidence: Evidence, account: string): Exchange[][] {
  const own = ownOf(evidence, account);
  const beginnings = beginningsOf(evidence, account).filter((turn) => isSpaced(turn, evidence, LITTLE_MS));
  return looksOf(evidence, 'concurrent', account).filter((look) => {
    const after = own[own.findLastIndex((exchange) => look.includes(exchange)) + 1];
    return (
      look.length > 1 &&
      look.every((exchange) => isWhole(exchange) && !exchange.resent && isQuiet(exchange, evidence)) &&
      letThrough(look, evidence).length === 0 &&
      beginnings.some(({ next }) => next === look[0]) &&
      after !== undefined &&
      letThrough([after], evidence).length > 0
    );
  });
}

function refusedAsAWhole(bursts: Exchange[][], evidence: Evidence): Breach[] {
  if (!areTelling(bursts, evidence)) return [];
  return bursts.slice(0, 1).map((first) => ({
    exchanges: bursts.flat(),
    came: `none of ${first.length} requests at one moment was accepted, in ${bursts.length} fresh windows`,
  }));
}

/** Responses whose Remaining does not count down, or promises more than there is. */
function wrongRemainders(evidence: Evidence, account: string): Breach[] {
  const looks = looksOf(evidence, 'sequence', account);
  const wrong = looks
    .flatMap((look) => miscounted(look, evidence, leastGranted(looks, evidence)))
    .filter(({ exchange }) => !isStored(exchange, evidence));
  // Where more is let through than the rate allows, no window is known to begin with a whole budget.
  const isWholeKnown = !isOverRate(looks, evidence, account);
  const certain = wrong.filter(({ span }) => span === null && isWholeKnown);
  const spans = wrong.flatMap(({ span }) => span ?? []);
  const unexplained = isExplainedByBoundaries(spans, windowSeconds(evidence) * 1000) ? certain : wrong;
  return [
    ...unexplained.map(({ exchange, said, due }) => ({
      exchanges: [exchange],
      came: `X-RateLimit-Remaining: ${said} where ${due} were left`,
    })),
    ...repeated(looks.flatMap((look) => brokenPromises(look, evidence))),
  ];
}

/** Those breaches, if there are two: somebody else's request may have come in between once. */
function repeated(breaches: Breach[]): Breach[] {
  return breaches.length > 1 ? breaches : [];
}

/** A request refused right after a response that said there were some left. */
function brokenPromises(look: Exchange[], evidence: Evidence): Breach[] {
  return look.flatMap((exchange, i) => {
    const next = look[i + 1];
    const left = isStored(exchange, evidence) ? null : rateHeaderOf(exchange, 'Remaining');
    if (!next || !left || isRefused(exchange, evidence) || !isWhole(next) || !isRefused(next, evidence)) return [];
    // Whoever shares the budget may have used up what was left: that is for rate.per-user.
    if (!isQuiet(next, evidence) || next.sentAtMs - exchange.receivedAtMs > AT_ONCE_MS) return [];
    return [{ exchanges: [exchange, next], came: `X-RateLimit-Remaining: ${left}, and the next request was refused` }];
  });
}

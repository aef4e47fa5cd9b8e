/** The rate clauses about what the headers promise: that Limit, Remaining, Reset and Retry-After are true (API description, section 8). */

import { DAY_SECONDS, longestHonestSeconds, ROUNDING_SECONDS } from '../../contract/bounds';
import { secondsAhead, serverClockAtLeast, waitAskedSeconds } from '../../evidence/clock';
import type { Evidence, Exchange } from '../../evidence/exchange';
import { rateHeaderOf, retryAfterOf, valuesOf } from '../../evidence/headers';
import { isQuiet, leastGranted, letThrough, looksOf, miscounted, shareGranted } from '../../evidence/looks';
import { isRefused, isWhole } from '../../evidence/outcome';
import { isExplainedByBoundaries } from '../../evidence/windows';
import { type Breach, each, judged, notTested, type Rules } from '../finding';
import { accountsOf, noRefusal, ofTheApi, refusalsOf, windowSeconds } from './facts';
import { overRate } from './limit';

export const promiseRules: Rules = {
  'rate.limit-honest': {
    needs: ['sequence'],
    judge(evidence) {
      const bearing = ofTheApi(evidence).filter((one) => rateHeaderOf(one, 'Limit') !== null);
      if (bearing.length === 0)
        return notTested(
          'No response carried a well-formed X-RateLimit-Limit (rate.headers-present, rate.limit-format).',
        );
      const breaches: Breach[] = [];
      for (const account of accountsOf(evidence)) {
        const own = bearing.filter((one) => one.account === account);
        const other = own.find((one) => rateHeaderOf(one, 'Limit') !== rateHeaderOf(own[0] as Exchange, 'Limit'));
        if (other && own[0]) {
          breaches.push({
            exchanges: [own[0], other],
            came: `X-RateLimit-Limit: ${rateHeaderOf(own[0], 'Limit')} and then ${rateHeaderOf(other, 'Limit')} for ${account}`,
          });
          continue;
        }
        const named = own[0] ? rateHeaderOf(own[0], 'Limit') : null;
        const looks = looksOf(evidence, 'sequence', account);
        const over = named === null ? [] : overRate(looks, evidence, named);
        breaches.push(
          ...over.map((breach) => ({ ...breach, came: `X-RateLimit-Limit: ${named}, but ${breach.came}` })),
        );
        breaches.push(...grantedTooFew(looks, evidence, account));
      }
      return judged(bearing, breaches);
    },
  },

  'rate.remaining-honest': {
    needs: ['sequence'],
    judge(evidence) {
      const bearing = ofTheApi(evidence).filter(
        (one) => one.account !== null && rateHeaderOf(one, 'Remaining') !== null,
      );
      if (bearing.length === 0)
        return notTested('No response to a valid key carried a well-formed X-RateLimit-Remaining.');
      const breaches: Breach[] = bearing
        .filter((one) => isRefused(one, evidence) && rateHeaderOf(one, 'Remaining') !== 0)
        .map((one) => ({
          exchanges: [one],
          came: `a refusal with X-RateLimit-Remaining: ${rateHeaderOf(one, 'Remaining')}`,
        }));
      for (const account of accountsOf(evidence)) {
        const looks = looksOf(evidence, 'sequence', account);
        const wrong = looks.flatMap((look) => miscounted(look, evidence, leastGranted(looks, evidence)));
        const certain = wrong.filter(({ span }) => span === null);
        const spans = wrong.flatMap(({ span }) => span ?? []);
        const unexplained =
          spans.length > 0 && !isExplainedByBoundaries(spans, windowSeconds(evidence) * 1000) ? wrong : certain;
        breaches.push(
          ...unexplained.map(({ exchange, said, due }) => ({
            exchanges: [exchange],
            came: `X-RateLimit-Remaining: ${said} where ${due} were left`,
          })),
        );
        breaches.push(...looks.flatMap((look) => brokenPromises(look, evidence)));
      }
      return judged(bearing, breaches);
    },
  },

  'rate.reset-honest': {
    needs: ['recovery'],
    judge(evidence) {
      const bearing = ofTheApi(evidence).filter((one) => one.account !== null && rateHeaderOf(one, 'Reset') !== null);
      if (bearing.length === 0) return notTested('No response to a valid key carried a well-formed X-RateLimit-Reset.');
      const breaches: Breach[] = [];
      for (const exchange of bearing) {
        const { least: ahead } = secondsAhead(rateHeaderOf(exchange, 'Reset') ?? 0, exchange, evidence);
        if (ahead > longestHonestSeconds(evidence.target.rate) && ahead <= DAY_SECONDS) {
          breaches.push({
            exchanges: [exchange],
            came: `X-RateLimit-Reset lies ${Math.round(ahead)} s ahead, where a window has ${windowSeconds(evidence)} s`,
          });
        }
      }
      const late = accountsOf(evidence).map((account) => refusedAfterReset(evidence, account));
      breaches.push(...late.filter((ofAccount) => ofAccount.length > 1).flat());
      return judged(bearing, breaches);
    },
  },

  'rate.retry-after-honest': {
    needs: ['recovery'],
    judge(evidence) {
      const refusals = refusalsOf(evidence).filter(isWhole);
      if (refusals.length === 0) return notTested(noRefusal(evidence));
      const asking = refusals.filter((one) => retryAfterOf(one) !== null);
      if (asking.length === 0)
        return notTested(
          'No refusal carried a well-formed Retry-After (rate.retry-after-present, rate.retry-after-format).',
        );
      const breaches: Breach[] = asking.flatMap((one) => {
        const asked = waitAskedSeconds(one, evidence)?.least ?? null;
        const allowed =
          longestHonestSeconds(evidence.target.rate) + (retryAfterOf(one)?.form === 'date' ? ROUNDING_SECONDS : 0);
        return asked !== null && asked > allowed
          ? [
              {
                exchanges: [one],
                came: `Retry-After: ${valuesOf(one, 'Retry-After')[0]} asks for ${Math.round(asked)} s, where a window has ${windowSeconds(evidence)} s`,
              },
            ]
          : [];
      });
      for (const account of accountsOf(evidence)) {
        const early = recoveriesOf(evidence, account).filter(
          ({ refusal, recovery, asked }) =>
            asked !== null &&
            isQuiet(recovery, evidence) &&
            recovery.sentAtMs >= refusal.receivedAtMs + asked * 1000 &&
            isWhole(recovery) &&
            isRefused(recovery, evidence),
        );
        if (early.length < 2) continue;
        breaches.push({
          exchanges: early.flatMap(({ refusal, recovery }) => [refusal, recovery]),
          came: `refused again ${Math.round((early[0] as (typeof early)[0]).recovery.sentAtMs - (early[0] as (typeof early)[0]).refusal.receivedAtMs)} ms after Retry-After: ${valuesOf((early[0] as (typeof early)[0]).refusal, 'Retry-After')[0]}, with nothing sent meanwhile, ${early.length} times`,
        });
      }
      return judged(asking, breaches);
    },
  },

  'rate.retry-after-agrees': {
    needs: ['sequence'],
    judge(evidence) {
      const refusals = refusalsOf(evidence).filter(isWhole);
      if (refusals.length === 0) return notTested(noRefusal(evidence));
      const both = refusals.filter(
        (one) => retryAfterOf(one) !== null && rateHeaderOf(one, 'Reset') !== null && resetIsTime(one, evidence),
      );
      return each(both, 'No refusal carried both Retry-After and X-RateLimit-Reset in form.', (one) => {
        const asked = retryAfterOf(one);
        const reset = rateHeaderOf(one, 'Reset') ?? 0;
        const ahead = secondsAhead(reset, one, evidence);
        const apart =
          asked?.form === 'seconds'
            ? Math.max(0, ahead.least - asked.seconds, asked.seconds - ahead.most)
            : Math.abs((asked?.epochSeconds ?? reset) - reset);
        return apart > longestHonestSeconds(evidence.target.rate)
          ? `Retry-After: ${valuesOf(one, 'Retry-After')[0]} and X-RateLimit-Reset: ${reset} lie ${Math.round(apart)} s apart`
          : null;
      });
    },
  },
};

function grantedTooFew(looks: Exchange[][], evidence: Evidence, account: string): Breach[] {
  const shares = looks.flatMap((look) => shareGranted(look, evidence) ?? []);
  // A first request that is refused at once is late recovery, not a smaller limit.
  const short = shares.filter(({ granted, named }) => granted > 0 && granted < named);
  const first = short[0];
  if (!first || short.length < 2) return [];
  return [
    {
      exchanges: short.map(({ refusal }) => refusal),
      came: `X-RateLimit-Limit: ${first.named}, but request ${first.granted + 1} of ${account} was refused, in ${short.length} fresh windows`,
    },
  ];
}

/** A request refused right after a response that said there were some left. */
function brokenPromises(look: Exchange[], evidence: Evidence): Breach[] {
  return look.flatMap((exchange, i) => {
    const next = look[i + 1];
    const left = rateHeaderOf(exchange, 'Remaining');
    if (!next || !left || isRefused(exchange, evidence) || !isWhole(next) || !isRefused(next, evidence)) return [];
    return [{ exchanges: [exchange, next], came: `X-RateLimit-Remaining: ${left}, and the next request was refused` }];
  });
}

/** Refusals that came after the server's clock had passed the Reset of a response, with nothing accepted since. */
function refusedAfterReset(evidence: Evidence, account: string): Breach[] {
  const own = evidence.exchanges.filter((one) => one.account === account);
  const breaches: Breach[] = [];
  for (const exchange of own.filter((one) => isWhole(one) && !one.resent && isRefused(one, evidence))) {
    const clock = serverClockAtLeast(exchange.sentAtMs, own);
    // What was, or may have been, accepted last began a window of its own, which may reach beyond earlier Resets.
    const renewed = own.filter(
      (one) =>
        one !== exchange &&
        one.sentAtMs < exchange.receivedAtMs &&
        (!isWhole(one) || letThrough([one], evidence).length > 0),
    );
    const last = renewed.sort((a, b) => a.receivedAtMs - b.receivedAtMs).at(-1);
    if (
      clock === null ||
      !isQuiet(exchange, evidence) ||
      (last && (last.receivedAtMs > exchange.sentAtMs || !isWhole(last)))
    )
      continue;
    const promise = own.find((one) => {
      const isSince =
        one.receivedAtMs <= exchange.sentAtMs && (!last || one === last || one.sentAtMs >= last.receivedAtMs);
      const reset = isSince && isWhole(one) ? rateHeaderOf(one, 'Reset') : null;
      return (
        reset !== null &&
        secondsAhead(reset, one, evidence).least >= -ROUNDING_SECONDS &&
        clock >= reset + ROUNDING_SECONDS
      );
    });
    if (promise)
      breaches.push({
        exchanges: [promise, exchange],
        came: `refused although X-RateLimit-Reset: ${rateHeaderOf(promise, 'Reset')} had passed`,
      });
  }
  return breaches;
}

/** A recovery and the refusal whose Retry-After it waited for. */
function recoveriesOf(
  evidence: Evidence,
  account: string,
): Array<{ refusal: Exchange; recovery: Exchange; asked: number | null }> {
  return looksOf(evidence, 'recovery', account).flatMap((look) => {
    const recovery = look[0];
    const refusal = evidence.exchanges
      .filter(
        (one) =>
          recovery && one.account === account && one.receivedAtMs <= recovery.sentAtMs && isRefused(one, evidence),
      )
      .sort((a, b) => a.receivedAtMs - b.receivedAtMs)
      .at(-1);
    return recovery && refusal ? [{ refusal, recovery, asked: waitAskedSeconds(refusal, evidence)?.most ?? null }] : [];
  });
}

/** Whether Reset is a time at all; another unit is for rate.reset-format. */
function resetIsTime(exchange: Exchange, evidence: Evidence): boolean {
  const reset = rateHeaderOf(exchange, 'Reset') ?? 0;
  return Math.abs(secondsAhead(reset, exchange, evidence).least) <= DAY_SECONDS;
}

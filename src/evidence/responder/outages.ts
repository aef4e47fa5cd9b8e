/** When the server did not serve: an outage, a ban of our address, an accident. Such answers accuse of nothing. */

import { hasRole } from '../../catalogue/probe';
import { secretsIn } from '../markers';
import { once } from '../memoize';
import type { Evidence, Exchange } from '../model';
import { burstsOf, ofTheApi } from '../select';
import { hasShape, shapesOf } from './auth-guard';
import {
  askedFor,
  disclosesSettings,
  isAccepted,
  isWhole,
  refusalStatuses,
  saysThrottled,
  shapeOf,
  statusOf,
} from './classify';
import { isForetold } from './foretold';

/** A stretch of the run, in milliseconds; `toMs` is infinite where the ban stays. */
interface Ban {
  fromMs: number;
  toMs: number;
  /** How many requests without a valid key got another answer before the ban was noticed. */
  wrongKeys: number;
  /** A refusal of a valid key during the ban. */
  shown: Exchange;
}

/** Events within this time happen at one moment. What may have been an accident is asked again after it. */
export const ONE_MOMENT_MS = 1000;

/**
 * The times when valid keys of all accounts were refused after many wrong keys. A refused ban watch
 * shows one, unless another is accepted at the same moment (accounts may share a budget), or it was foretold. A read
 * after a flood shows one if it got a guard's answer to wrong keys, even if the ban ended between those reads.
 */
export const bansOf = once((evidence: Evidence): readonly Ban[] => {
  const { exchanges } = evidence;
  const bans: Ban[] = [];
  const { guards } = shapesOf(evidence);
  const reads = exchanges.filter(
    (exchange) => hasRole(exchange.probe, 'ban-watch') || hasRole(exchange.probe, 'after-flood'),
  );
  const letIn = reads.filter(isAccepted);
  const bursts = burstsOf(evidence);
  const answers = new Set(bursts.map(shapeOf));
  // Some guards answer 429. Whose page that is shows where it is known how the limiter refuses.
  const isLimiterKnown = bursts.some((exchange) => isWhole(exchange) && !isAccepted(exchange));
  const isOfAGuard = (exchange: Exchange) =>
    guards.has(shapeOf(exchange)) &&
    !answers.has(shapeOf(exchange)) &&
    (isLimiterKnown || !saysThrottled(exchange, evidence));
  const turnedAway = reads.filter(
    (exchange) => !isAccepted(exchange) && (hasRole(exchange.probe, 'ban-watch') || isOfAGuard(exchange)),
  );
  for (const noticed of turnedAway) {
    if (bans.some(({ toMs }) => noticed.sentAtMs < toMs) || isForetold(noticed, evidence)) continue;
    if (
      hasRole(noticed.probe, 'ban-watch') &&
      letIn.some(({ sentAtMs }) => Math.abs(sentAtMs - noticed.sentAtMs) < ONE_MOMENT_MS)
    )
      continue;
    const accepted = exchanges.filter((exchange) => exchange.account !== null && isAccepted(exchange));
    const before = accepted.map(({ receivedAtMs }) => receivedAtMs).filter((ms) => ms <= noticed.sentAtMs);
    const after = accepted.map(({ sentAtMs }) => sentAtMs).filter((ms) => ms >= noticed.receivedAtMs);
    const wrongKeys = exchanges.filter(
      (exchange) =>
        exchange.account === null && exchange.sentAtMs < noticed.sentAtMs && !isLike(exchange, signOf(noticed)),
    ).length;
    bans.push({ fromMs: Math.max(0, ...before), toMs: Math.min(...after), wrongKeys, shown: noticed });
  }
  return bans;
});

/**
 * The first exchange of an outage. From it to the end, requests with and without a valid key got only faults, or one
 * and the same error or page. `null` where the server served to the end. An answer made as earlier refusals, after
 * which the server served again, is a refusal: a limiter may stand before authentication.
 */
export const outageOf = once(({ exchanges }: Evidence): Exchange | null => {
  const last = exchanges.at(-1);
  if (!last || !hasRole(last.probe, 'alive-watch')) return null;
  const sign = signOf(last);
  const before = exchanges.findLastIndex((exchange) => signOf(exchange) !== sign);
  const dark = exchanges.slice(before + 1);
  const wasOtherwise = exchanges.some(
    (exchange) => hasRole(exchange.probe, 'plain-rejection') && signOf(exchange) !== sign,
  );
  // The last exchange has no key, so one with a valid key must be among them.
  const isForAll = dark.some((exchange) => exchange.account !== null);
  const wasRefusal = exchanges
    .slice(0, before + 1)
    .some((exchange) => exchange.account !== null && signOf(exchange) === sign);
  const isRefusal = wasRefusal && isWhole(last) && !isAccepted(last);
  return wasOtherwise && isForAll && !isRefusal ? (dark[0] ?? null) : null;
});

function signOf(exchange: Exchange): string {
  return isWhole(exchange) ? shapeOf(exchange) : 'fault';
}

function isLike(exchange: Exchange, sign: string): boolean {
  return isWhole(exchange) ? hasShape(exchange, sign) : sign === 'fault';
}

/**
 * The 5xx answers that were an accident, such as a restart: all came at one moment, the same requests got another
 * answer at another time, and no secret stands in them. Otherwise the set is empty.
 */
export const accidentsIn = once((evidence: Evidence): ReadonlySet<Exchange> => {
  const whole = ofTheApi(evidence).filter(isWhole);
  // Some servers refuse with a 5xx that says nothing of the rate. An accident does not happen at more than one moment.
  const isHabit = (status: number) =>
    refusalStatuses(evidence).has(status) &&
    spanMs(whole.filter((exchange) => statusOf(exchange) === status)) >= ONE_MOMENT_MS;
  const failed = whole.filter(
    (exchange) => statusOf(exchange) >= 500 && !saysThrottled(exchange, evidence) && !isHabit(statusOf(exchange)),
  );
  const others = whole.filter((exchange) => statusOf(exchange) < 500);
  const [known, served] = [new Set(others.map(requestOf)), new Set(others.map(({ account }) => account))];
  // The requests of a burst are one request, under whichever spelling of the header's name.
  const bursts = new Set(burstsOf(evidence));
  const places = new Set(others.filter((exchange) => bursts.has(exchange)).map(({ request }) => request.url));
  const isKnown = (exchange: Exchange) =>
    known.has(requestOf(exchange)) || (bursts.has(exchange) && places.has(exchange.request.url));
  const isAccident = (exchange: Exchange) =>
    isKnown(exchange) &&
    served.has(exchange.account) &&
    !disclosesSettings(exchange) &&
    secretsIn(exchange).length === 0;
  return new Set(spanMs(failed) < ONE_MOMENT_MS && failed.every(isAccident) ? failed : []);
});

/** What a request asked for, under which header names, and whether with a valid key, no matter whose. */
function requestOf({ account, request }: Exchange): string {
  return `${account !== null} ${askedFor(request)}`;
}

function spanMs(exchanges: readonly Exchange[]): number {
  const sentAtMs = exchanges.map((exchange) => exchange.sentAtMs);
  return Math.max(...sentAtMs) - Math.min(...sentAtMs);
}

/** Returns a note about accidents, by which no clause is judged; `null` where there were none. */
export function accidentsInWords(evidence: Evidence): string | null {
  const [first, ...more] = accidentsIn(evidence);
  if (!first) return null;
  const { index, request } = first;
  const others = more.length > 0 ? ` and ${more.length} more within a second` : '';
  return `Taken for an accident, so that no clause was judged by it: ${statusOf(first)} to ${request.method} ${request.url} (entry ${index})${others}. The same was answered otherwise at other times.`;
}

/** Returns the evidence without accidents and without the answers of an outage or a ban. */
export function whileServing(evidence: Evidence): Evidence {
  if (!outageOf(evidence) && bansOf(evidence).length === 0 && accidentsIn(evidence).size === 0) return evidence;
  return withoutSilence(evidence);
}

const withoutSilence = once((evidence: Evidence): Evidence => {
  const outage = outageOf(evidence);
  const accidents = accidentsIn(evidence);
  const bans = bansOf(evidence).map((ban) => ({ ...ban, sign: signOf(ban.shown) }));
  const exchanges = evidence.exchanges.filter((exchange) => {
    if (accidents.has(exchange) || (outage && exchange.index >= outage.index)) return false;
    return !bans.some(
      ({ fromMs, toMs, sign }) =>
        exchange.sentAtMs >= fromMs &&
        exchange.receivedAtMs <= toMs &&
        !isAccepted(exchange) &&
        (exchange.account !== null || isLike(exchange, sign)),
    );
  });
  return { ...evidence, exchanges };
});

/** Returns which ban or outage kept something from being judged; `null` where the server served throughout. */
export function whyNotServing(evidence: Evidence): string | null {
  const ban = bansOf(evidence).at(-1);
  if (ban) {
    const until = Number.isFinite(ban.toMs) ? 'for a while' : 'for more than a minute';
    return `after ${ban.wrongKeys} wrong keys this address was refused with valid keys too, ${until}: ask the operator to exempt it from that defence while the suite runs`;
  }
  return outageOf(evidence) && 'the server stopped serving before this could be asked: fix transport.complete first';
}

/** Returns what an outage showed, in words. */
export function outageInWords(outage: Exchange, evidence: Evidence): string {
  const seconds = (outage.sentAtMs / 1000).toFixed(1);
  const count = evidence.exchanges.length - evidence.exchanges.indexOf(outage);
  const what = outage.fault ? 'connections failed' : `every answer was the same ${statusOf(outage)}`;
  return `from ${seconds} s into the run to its end ${what}, ${count} in all, to valid keys and without a key alike: the server had stopped serving`;
}

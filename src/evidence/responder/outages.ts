/** When the server did not serve: an outage, an accident. Such answers, and those of a ban, accuse of nothing. */

import { hasRole } from '../../catalogue/probe';
import { groupedBy } from '../../common/grouped';
import { listed } from '../../common/text';
import { saidBy } from '../http/headers';
import { once } from '../memoize';
import type { Evidence, Exchange, Stretch } from '../model';
import { secretsIn } from '../secrets';
import { burstsOf, ofTheApi } from '../select';
import { between, spanOf } from '../time/in-flight';
import { bansOf, ONE_MOMENT_MS } from './bans';
import {
  askedFor,
  disclosesSettings,
  habitsOf,
  hasShape,
  isAccepted,
  isRefused,
  isWhole,
  saysThrottled,
  shapeOf,
  statusOf,
} from './classify';
import { isHeldBack, lostInQueues } from './queueing';

/**
 * The exchanges of an outage. From one moment to the end, requests with and without a valid key got only failures, or one
 * and the same page. Empty where the server served to the end, and where a ban explains it. What valid keys got before, when
 * the server served, is no page of an outage: a limiter that stands before authentication may answer so.
 */
export const outageOf = once((evidence: Evidence): readonly Exchange[] => {
  const { exchanges } = evidence;
  const last = exchanges.at(-1);
  if (!last || !hasRole(last.probe, 'alive-watch') || bansOf(evidence).at(-1)?.toMs === Number.POSITIVE_INFINITY)
    return [];
  const kindOf = (exchange: Exchange) => (hasFailed(exchange, evidence) ? 'failure' : shapeOf(exchange));
  const kind = kindOf(last);
  const others = exchanges.filter((exchange) => kindOf(exchange) !== kind);
  // Answers of one moment come in any order, so the last other request was still served, and not the last other answer.
  const servedMs = Math.max(...others.map(({ sentAtMs }) => sentAtMs));
  const isDark = (exchange: Exchange) => kindOf(exchange) === kind && exchange.receivedAtMs >= servedMs;
  const dark = exchanges.filter(isDark);
  const wasOtherwise = others.some((exchange) => requestOf(exchange) === requestOf(last));
  // The last exchange has no key, so one with a valid key must be among them, unless nothing listens any more.
  const isForAll =
    dark.some((exchange) => exchange.account !== null) || dark.every(({ fault }) => fault?.kind === 'unreachable');
  const wasSeen = exchanges.some(
    (exchange) => !isDark(exchange) && exchange.account !== null && shapeOf(exchange) === shapeOf(last),
  );
  const isOfServer = isWhole(last) && (wasSeen || areOfALimiter(dark));
  return wasOtherwise && isForAll && !isOfServer ? dark : [];
});

/** Whether answers are refusals: 429, or ever longer waits are asked for. The page of an outage at most counts down. */
function areOfALimiter(answers: readonly Exchange[]): boolean {
  const asked = answers.flatMap((exchange) => {
    const { retryAfter } = saidBy(exchange);
    return retryAfter?.form === 'seconds' ? [retryAfter.seconds] : [];
  });
  return answers.every((exchange) => statusOf(exchange) === 429) || asked.some((seconds) => seconds > (asked[0] ?? 0));
}

/** Whether a request got no answer of the server: a broken one, or a 5xx that says nothing of the rate. */
function hasFailed(exchange: Exchange, evidence: Evidence): boolean {
  const status = statusOf(exchange);
  const mayRefuse = saysThrottled(exchange, evidence) && !(status === 503 && wasMaintained(evidence));
  return !isWhole(exchange) || (status >= 500 && !mayRefuse);
}

/** Whether 503s that ask to wait came at one moment alone, of a server that refuses with another status. */
const wasMaintained = once((evidence: Evidence): boolean => {
  const unavailable = evidence.exchanges.filter((exchange) => statusOf(exchange) === 503);
  return areOfOneMoment(unavailable) && [...habitsOf(evidence).statuses].some((status) => status !== 503);
});

function isServed(exchange: Exchange): boolean {
  return isWhole(exchange) && statusOf(exchange) < 500;
}

/**
 * What failed by accidents, such as a restart, that did not come again. The same requests got another answer at another
 * time, and no secret stands in them. All failures are one accident, or those of each status are.
 */
const accidentsOf = once((evidence: Evidence): ReadonlyArray<readonly Exchange[]> => {
  const silent = new Set([...outageOf(evidence), ...lostInQueues(evidence)]);
  const asked = ofTheApi(evidence).filter((exchange) => !silent.has(exchange));
  const failed = asked.filter((exchange) => hasFailed(exchange, evidence));
  if (failed.some((exchange) => disclosesSettings(exchange) || secretsIn(exchange).length > 0)) return [];
  // Some servers refuse with a 5xx that says nothing of the rate, again and again between requests that they accept.
  const accepted = asked.filter((exchange) => isServed(exchange) && exchange.account !== null && isAccepted(exchange));
  const habits = [...groupedBy(failed, shapeOf)].filter(([, alike]) => isInterleaved(alike, accepted));
  const shapes = new Set(habits.map(([shape]) => shape));
  const isHabit = (exchange: Exchange) =>
    habitsOf(evidence).statuses.has(statusOf(exchange)) && shapes.has(shapeOf(exchange));
  const odd = failed.filter((exchange) => !isWhole(exchange) || !isHabit(exchange));
  const whole = accidentAmong(odd, odd, asked, evidence);
  if (whole.length > 0) return [whole];
  const byStatus = [...groupedBy(odd, statusOf).values()].map((alike) => accidentAmong(alike, odd, asked, evidence));
  return byStatus.every(({ length }) => length > 0) ? byStatus : [];
});

/**
 * Returns what is an accident among failures: the 5xx answers of one moment; or all, where nobody was served between the
 * first and the last. Otherwise empty.
 * @param odd all failures, of which these are some
 * @param asked all that was asked of the API, and whose answers are no outage
 */
function accidentAmong(
  failed: readonly Exchange[],
  odd: readonly Exchange[],
  asked: readonly Exchange[],
  evidence: Evidence,
): readonly Exchange[] {
  const others = asked.filter(isServed);
  const known = new Set(others.filter((exchange) => !isRefused(exchange, evidence)).map(requestOf));
  const served = new Set(others.map(({ account }) => account));
  // The requests of a burst are one request, under whichever spelling of the header's name.
  const bursts = new Set(burstsOf(evidence));
  const places = new Set(others.filter((exchange) => bursts.has(exchange)).map(({ request }) => request.url));
  const isKnown = (exchange: Exchange) =>
    served.has(exchange.account) &&
    (known.has(requestOf(exchange)) || (bursts.has(exchange) && places.has(exchange.request.url)));
  const failures = new Set(odd);
  const limitsOtherwise = asked.some(
    (exchange) =>
      bursts.has(exchange) &&
      !failures.has(exchange) &&
      isWhole(exchange) &&
      (isRefused(exchange, evidence) || isHeldBack(exchange, evidence)),
  );
  const unusual = failed.filter(isWhole);
  const mayBeOneMoment = failed === odd || limitsOtherwise;
  if (mayBeOneMoment && unusual.length > 0 && areOfOneMoment(unusual) && unusual.every(isKnown)) return unusual;
  const { fromMs, toMs } = between(failed);
  // What fails is a single request's own if anything was answered meanwhile, also what is not of the API.
  const isAlone = new Set(failed.map((exchange) => `${exchange.account} ${exchange.request.url}`)).size === 1;
  const answered = isAlone ? evidence.exchanges.filter(isServed) : others;
  const isAway = answered.every(({ sentAtMs, receivedAtMs }) => sentAtMs < fromMs || receivedAtMs > toMs);
  const isBack = others.some(({ sentAtMs }) => sentAtMs > toMs);
  const isForAll = failed.some(({ account }) => account === null) && failed.some(({ account }) => account !== null);
  const isAccident = isForAll ? failed.some(isKnown) : limitsOtherwise && failed.every(isKnown);
  return isAway && isBack && isAccident ? failed : [];
}

/** What failed by accidents: see `accidentsOf`. */
export const accidentsIn = once((evidence: Evidence): ReadonlySet<Exchange> => new Set(accidentsOf(evidence).flat()));

/** What a request asked for, with which headers, and whether with a valid key, no matter whose or how its name is spelt. */
function requestOf({ account, request }: Exchange): string {
  return `${account !== null} ${askedFor(request).toLowerCase()}`;
}

/** Whether one of `others` was sent after the first of some exchanges was answered, and before the last one was sent. */
function isInterleaved(exchanges: readonly Exchange[], others: readonly Exchange[]): boolean {
  const { fromMs, toMs } = between(exchanges);
  return others.some(({ sentAtMs }) => sentAtMs >= fromMs && sentAtMs <= toMs);
}

/** How long after the first of some exchanges the last one was sent. */
function spreadMs(exchanges: readonly Exchange[]): number {
  return between(exchanges).toMs - spanOf(exchanges).fromMs;
}

function areOfOneMoment(exchanges: readonly Exchange[]): boolean {
  return spreadMs(exchanges) < ONE_MOMENT_MS;
}

/** Returns a note about answers by accident, by which no clause is judged; `null` where there were none. */
export function accidentsInWords(evidence: Evidence): string | null {
  const accidents = accidentsOf(evidence)
    .map((accident) => accident.filter(isWhole))
    .flatMap(([first, ...more]) => {
      if (!first) return [];
      const { index, request } = first;
      const others = more.length > 0 ? ` and ${more.length} more within ${secondsOf([first, ...more])}` : '';
      return [`${statusOf(first)} to ${request.method} ${request.url} (entry ${index})${others}`];
    });
  return accidents.length === 0
    ? null
    : `One-off, so no clause was judged by it: ${accidents.join('; ')}. The same request was answered normally at other times.`;
}

function secondsOf(exchanges: readonly Exchange[]): string {
  return areOfOneMoment(exchanges) ? 'a second' : `${(spreadMs(exchanges) / 1000).toFixed(1)} s`;
}

/** Returns the evidence without accidents, without the answers of an outage or a ban, and without what was lost in a queue. */
export function whileServing(evidence: Evidence): Evidence {
  const exchanges = servedIn(evidence);
  if (exchanges === evidence.exchanges) return evidence;
  return { ...evidence, exchanges, interruptions: interruptionsOf(evidence) };
}

const servedIn = once((evidence: Evidence): Exchange[] => {
  const silent = new Set([...outageOf(evidence), ...accidentsIn(evidence), ...lostInQueues(evidence)]);
  const bans = bansOf(evidence);
  if (silent.size + bans.length === 0) return evidence.exchanges;
  const isBanned = (exchange: Exchange) =>
    !isAccepted(exchange) &&
    bans.some(
      ({ fromMs, toMs, shown }) =>
        exchange.sentAtMs >= fromMs &&
        exchange.receivedAtMs <= toMs &&
        (exchange.account !== null ||
          hasShape(exchange, shapeOf(shown)) ||
          (hasFailed(shown, evidence) && hasFailed(exchange, evidence))),
    );
  return evidence.exchanges.filter((exchange) => !silent.has(exchange) && !isBanned(exchange));
});

/** Returns when the server failed for a while and served again: it may have been restarted, and have forgotten what it counted. */
export function interruptionsOf(evidence: Evidence): readonly Stretch[] {
  return evidence.interruptions ?? accidentsOf(evidence).map(spanOf);
}

/** Whether the server served nobody any more from some moment on, by an outage or by a ban that did not end. */
export function hasStoppedServing(evidence: Evidence): boolean {
  return outageOf(evidence).length > 0 || bansOf(evidence).at(-1)?.toMs === Number.POSITIVE_INFINITY;
}

/** Returns which ban or outage kept something from being judged; `null` where the server served throughout. */
export function whyNotServing(evidence: Evidence): string | null {
  const ban = bansOf(evidence).at(-1);
  if (ban) {
    const { toMs, wrongKeys, shown } = ban;
    const lasts = Number.isFinite(toMs) ? 'for a while' : 'until the run ended';
    if (Number.isFinite(toMs) || !hasFailed(shown, evidence))
      return `after ${wrongKeys} wrong keys this address was refused with valid keys too, ${lasts}: ${EXEMPT}`;
    const what = shown.fault ? 'connections failed' : `the answer was ${statusOf(shown)}`;
    return `after ${wrongKeys} wrong keys ${what} ${lasts}, to valid keys too: if a defence against wrong keys did that, ${EXEMPT}; if the server stopped serving, run again`;
  }
  if (outageOf(evidence).length > 0)
    return 'the server stopped answering before this could be asked: fix transport.complete first';
  // What one moment took away was asked again, or asked otherwise.
  const lasting = accidentsOf(evidence).filter((accident) => !areOfOneMoment(accident));
  return lasting.length === 0
    ? null
    : `the server failed for ${listed(lasting.map(secondsOf))} when this was asked, and recovered later: run again`;
}

const EXEMPT = 'ask the operator to exempt it from that defence while the suite runs';

/** Returns what an outage showed, in words. @param outage its exchanges */
export function outageInWords(outage: readonly Exchange[]): string {
  const seconds = (spanOf(outage).fromMs / 1000).toFixed(1);
  const answers = new Set(outage.map((exchange) => (exchange.fault ? 'a fault' : String(statusOf(exchange)))));
  const [answer] = answers;
  const what =
    answers.size > 1
      ? `every request got ${[...answers].join(' or ')}`
      : outage[0]?.fault
        ? 'connections failed'
        : `every answer was the same ${answer}`;
  return `from ${seconds} s into the run to its end ${what}, ${outage.length} in all, to valid keys and without a key alike: the server had stopped serving`;
}

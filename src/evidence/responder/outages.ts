/** When the server stopped serving, to the end of the run. */
import { parsedHeaders } from '../http/headers';
import { once } from '../memoize';
import type { Evidence, Exchange } from '../model';
import { isOfTheApi } from '../select';
import { areOfOneMoment, spanOf } from '../time/in-flight';
import { bansOf } from './bans';
import {
  askedFor,
  habitsOf,
  hasShape,
  isAccepted,
  isRejection,
  isWhole,
  saysThrottled,
  shapeOf,
  statusOf,
} from './classify';

/**
 * The exchanges of an outage, from one moment to the end: of everything, or of what valid keys got behind a gateway that
 * still rejects wrong ones. Empty where the server served to the end, and where a ban explains it.
 */
export const outageOf = once((evidence: Evidence): readonly Exchange[] => {
  if (bansOf(evidence).at(-1)?.toMs === Number.POSITIVE_INFINITY) return [];
  const ofAll = outageOfAll(evidence);
  return ofAll.length > 0 ? ofAll : outageBehindAuthentication(evidence);
});

/**
 * Requests with and without a valid key got only failures, or one and the same page. What valid keys got before, when the
 * server served, is no page of an outage: a limiter that stands before authentication may answer so.
 */
function outageOfAll(evidence: Evidence): readonly Exchange[] {
  const { exchanges } = evidence;
  const last = exchanges.at(-1);
  if (last?.probe.group !== 'alive') return [];
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
}

/**
 * Every valid key got one and the same 5xx, or the page that requests without a key get. A limiter may lock out who asks too
 * often: of one account at least, the first such request kept to the rate.
 */
function outageBehindAuthentication(evidence: Evidence): readonly Exchange[] {
  const keyed = evidence.exchanges.filter(({ account }) => account !== null);
  const ofApi = keyed.filter((exchange) => isOfTheApi(exchange, evidence));
  const last = ofApi.at(-1);
  if (!last || !isWhole(last) || isAccepted(last)) return [];
  const shape = shapeOf(last);
  const servedMs = Math.max(...ofApi.filter((each) => shapeOf(each) !== shape).map(({ sentAtMs }) => sentAtMs));
  const isDark = (exchange: Exchange) => hasShape(exchange, shape) && exchange.receivedAtMs >= servedMs;
  const dark = keyed.filter(isDark);
  const fromMs = Math.min(...dark.map(({ sentAtMs }) => sentAtMs));
  const before = ofApi.filter((exchange) => !isDark(exchange));
  const keyless = evidence.exchanges.filter(({ account, probe }) => account === null && probe.group !== 'keyless');
  const isPage =
    statusOf(last) >= 500 || keyless.some((exchange) => exchange.sentAtMs < fromMs && hasShape(exchange, shape));
  const isRejecting = keyless.every((exchange) => exchange.sentAtMs <= fromMs || isRejection(exchange));
  const served = new Set(before.filter(isAccepted).map(({ account }) => account));
  const firsts = [...served].flatMap((account) => dark.find((exchange) => exchange.account === account) ?? []);
  const isOfALimiter =
    before.some((exchange) => shapeOf(exchange) === shape) ||
    !firsts.some((first) => keepsTheRate(first, before, evidence));
  const isForAll = firsts.length > 1 || firsts.length === served.size;
  const isLasting = dark.length > FEW && !areOfOneMoment(dark);
  return isPage && isRejecting && isForAll && isLasting && !isOfALimiter ? dark : [];
}

/** So few requests may fail by chance. */
const FEW = 2;

/** Whether an account had budget for a request, by what was answered in the window before it. @param others other requests */
export function keepsTheRate(
  { account, sentAtMs }: Exchange,
  others: readonly Exchange[],
  { target }: Evidence,
): boolean {
  const { requests, seconds } = target.rate;
  const own = others.filter(
    (other) => other.account === account && other.sentAtMs < sentAtMs && other.receivedAtMs > sentAtMs - seconds * 1000,
  );
  return own.length < requests;
}

/** Whether answers are refusals: 429, or ever longer waits are asked for. The page of an outage at most counts down. */
function areOfALimiter(answers: readonly Exchange[]): boolean {
  const asked = answers.flatMap((exchange) => {
    const { retryAfter } = parsedHeaders(exchange);
    return retryAfter?.form === 'seconds' ? [retryAfter.seconds] : [];
  });
  return answers.every((exchange) => statusOf(exchange) === 429) || asked.some((seconds) => seconds > (asked[0] ?? 0));
}

/** Whether a request got no answer of the server: a broken one, or a 5xx that says nothing of the rate. */
export function hasFailed(exchange: Exchange, evidence: Evidence): boolean {
  const status = statusOf(exchange);
  const mayRefuse = saysThrottled(exchange, evidence) && !(status === 503 && wasMaintained(evidence));
  return !isWhole(exchange) || (status >= 500 && !mayRefuse);
}

/** Whether 503s that ask to wait came at one moment alone, of a server that refuses with another status. */
const wasMaintained = once((evidence: Evidence): boolean => {
  const unavailable = evidence.exchanges.filter((exchange) => statusOf(exchange) === 503);
  return areOfOneMoment(unavailable) && [...habitsOf(evidence).statuses].some((status) => status !== 503);
});

/** What a request asked for, with which headers, and whether with a valid key, no matter whose or how its name is spelt. */
export function requestOf({ account, request }: Exchange): string {
  return `${account !== null} ${askedFor(request).toLowerCase()}`;
}

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
  const whose = outage.every(({ account }) => account !== null)
    ? 'to all valid keys, while requests without one were still rejected'
    : 'to valid keys and without a key alike';
  return `from ${seconds} s into the run to its end ${what}, ${outage.length} in all, ${whose}: the server had stopped serving`;
}

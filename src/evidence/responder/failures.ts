/**
 * What failed: in an outage to the end of the run, by an accident of one moment, or of an unsteady server at several; and
 * what came while the server served.
 */
import { groupedBy } from '../../common/text';
import { parsedHeaders } from '../http/headers';
import {
  type Evidence,
  type Exchange,
  type Fault,
  isOfTheApi,
  ofTheApi,
  once,
  type Stretch,
  secretsIn,
} from '../model';
import { areOfOneMoment, besides, between, spanOf } from '../time/in-flight';
import {
  askedFor,
  disclosesSettings,
  habitsOf,
  hasShape,
  isAccepted,
  isRefused,
  isRejection,
  isWhole,
  saysThrottled,
  shapeOf,
  statusOf,
} from './classify';
import { bansOf, hadBudget } from './guards';
import { lostInQueues } from './queueing';

/** So few requests may fail by chance. */
const FEW = 2;

/**
 * The exchanges of an outage, from one moment to the end: of everything, or of what valid keys got behind a gateway that
 * still rejects wrong ones. Empty where the server served to the end, and where a ban explains it.
 */
export const outageOf = once((evidence: Evidence): readonly Exchange[] => {
  if (bansOf(evidence).at(-1)?.toMs === Number.POSITIVE_INFINITY) return [];
  const { exchanges } = evidence;
  const last = exchanges.at(-1);
  const ofAll = new Set(last && last.probe.group === 'alive' ? darkAtTheEnd(exchanges, evidence) : []);
  // The last exchange has no key, so one with a valid key must be among them, unless nothing listens any more.
  const isForAll = [...ofAll].some(({ account, fault }) => account !== null || fault?.kind === 'unreachable');
  const isOtherwise = (each: Exchange) =>
    last && requestOf(each) === requestOf(last) && shapeOf(each) !== shapeOf(last);
  const wasOtherwise = exchanges.some((each) => !ofAll.has(each) && isOtherwise(each));
  if (isForAll && wasOtherwise) return [...ofAll];
  const keyed = exchanges.filter(({ account }) => account !== null);
  const dark = darkAtTheEnd(
    keyed.filter((exchange) => isOfTheApi(exchange, evidence)),
    evidence,
  );
  const { fromMs } = spanOf(dark);
  const keyless = exchanges.filter(({ account, probe }) => account === null && probe.group !== 'keyless');
  const isPage = (exchange: Exchange) => exchange.sentAtMs < fromMs && hasShape(exchange, shapeOf(dark[0] as Exchange));
  const isRejecting = keyless.every((exchange) => exchange.sentAtMs <= fromMs || isRejection(exchange));
  const isLasting = dark.length > FEW && dark.every(isWhole) && !areOfOneMoment(dark);
  // A limiter may lock out who asks too often: of one account at least, the first such request kept to the rate.
  const isFirst = ({ account }: Exchange, i: number) => dark.findIndex((other) => other.account === account) === i;
  const isInTime = (exchange: Exchange) => hadBudget(exchange, evidence);
  const isOutage = isLasting && isRejecting && dark.filter(isFirst).some(isInTime);
  return isOutage && (dark.every((exchange) => statusOf(exchange) >= 500) || keyless.some(isPage))
    ? keyed.filter((exchange) => exchange.sentAtMs >= fromMs && !isAccepted(exchange))
    : [];
});

/**
 * Returns the exchanges at the end that all failed, or got one and the same page. What a limiter may have answered is no
 * outage: its page was seen before, or it asks for ever longer waits.
 */
function darkAtTheEnd(exchanges: readonly Exchange[], evidence: Evidence): readonly Exchange[] {
  const last = exchanges.findLast(({ request }) => request.method !== 'HEAD');
  if (!last) return [];
  const isAlike = (exchange: Exchange) =>
    hasFailed(last, evidence) ? hasFailed(exchange, evidence) : hasShape(exchange, shapeOf(last));
  const others = exchanges.filter((exchange) => !isAlike(exchange));
  // Answers of one moment come in any order, so the last other request was still served, and not the last other answer.
  const servedMs = Math.max(...others.map(({ sentAtMs }) => sentAtMs));
  const isDark = (exchange: Exchange) => isAlike(exchange) && exchange.receivedAtMs >= servedMs;
  const dark = exchanges.filter(isDark);
  const before = exchanges.filter((exchange) => !isDark(exchange) && exchange.account !== null);
  const wasSeen = before.some((exchange) => shapeOf(exchange) === shapeOf(last));
  return isWhole(last) && (wasSeen || areOfALimiter(dark)) ? [] : dark;
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
  return areOfOneMoment(unavailable) && refusesOtherwise(503, evidence);
});

/** Whether a server refuses in bursts with another status than this. */
function refusesOtherwise(status: number, evidence: Evidence): boolean {
  return [...habitsOf(evidence).statuses].some((other) => other !== status);
}

/** What a request asked for, with which headers, and whether with a valid key, no matter whose or how its name is spelt. */
function requestOf({ account, request }: Exchange): string {
  return `${account !== null} ${askedFor(request).toLowerCase()}`;
}

/** What was asked of the API, but for an outage. */
interface Asked {
  evidence: Evidence;
  all: readonly Exchange[];
  /** What the server answered itself. */
  served: readonly Exchange[];
  /** Whether the same was answered at another time, and the account was served. */
  isKnown(exchange: Exchange): boolean;
}

function askedIn(evidence: Evidence): Asked {
  const silent = new Set([...outageOf(evidence), ...lostInQueues(evidence)]);
  const all = ofTheApi(evidence).filter((exchange) => !silent.has(exchange));
  const served = all.filter((exchange) => isWhole(exchange) && statusOf(exchange) < 500);
  const known = new Set(served.filter((exchange) => !isRefused(exchange, evidence)).map(requestOf));
  const accounts = new Set(served.map(({ account }) => account));
  const isKnown = (exchange: Exchange) => accounts.has(exchange.account) && known.has(requestOf(exchange));
  return { evidence, all, served, isKnown };
}

/** Answers of more forms than this are not compared with all others: that would take long. */
const MOST_FORMS = 20;

/**
 * What failed by chance, by the stretches in which nobody was served. The same requests got another answer at another time,
 * and no secret stands in it.
 */
export const accidentsOf = once((evidence: Evidence): ReadonlyArray<readonly Exchange[]> => {
  const asked = askedIn(evidence);
  const failed = asked.all.filter((exchange) => hasFailed(exchange, evidence));
  if (failed.some((exchange) => disclosesSettings(exchange) || secretsIn(exchange).length > 0)) return [];
  const forms = [...groupedBy(failed, shapeOf).values()];
  const byChance = forms.length > MOST_FORMS ? [] : forms.filter((alike) => isByChance(alike, asked));
  return [...stretchesOf(byChance.flat(), asked.served), ...refusedToAll(asked)];
});

/** With so few other requests under way, no gateway lacks room. */
const LITTLE_LOAD = 3;
/** Nothing was under way so shortly before a request that is alone. */
const SHORTLY_MS = 20;
/** What fails more often than this does not fail by chance: it may be a stricter limit, or have no room. */
const MOST_BY_CHANCE = 0.25;

/**
 * Whether failures of one form came by chance: while nobody was served, or, at several moments, to requests that were alone and
 * kept to the rate, or with and without a key, and not to most that was asked at once.
 */
function isByChance(alike: readonly Exchange[], asked: Asked): boolean {
  const { evidence, all, served, isKnown } = asked;
  // Some requests of a flood are sent in no other way.
  if (!alike.every((exchange) => isKnown(exchange) || exchange.probe.group === 'keyless')) return false;
  const { toMs } = between(alike);
  if (areOfOneMoment(alike)) return alike.filter((exchange) => !isWhole(exchange)).length <= 1;
  if (!isServedMeanwhile(alike, served)) return served.some(({ sentAtMs }) => sentAtMs > toMs);
  const isKeyless = ({ account }: Exchange) => account === null;
  const [first] = alike as [Exchange];
  // What an address outside of the API got shows as much.
  const everywhere = evidence.exchanges.filter((exchange) => hasShape(exchange, shapeOf(first)));
  const keyless = everywhere.filter(isKeyless);
  const areMany = (some: readonly Exchange[], of: readonly Exchange[]) => some.length > of.length * MOST_BY_CHANCE;
  // A guard answers most requests without a key, and few others.
  if (areMany(alike, all) || areMany(keyless, evidence.exchanges.filter(isKeyless)) || hasFailedEachTime(alike, asked))
    return false;
  const isAlone = (exchange: Exchange) =>
    besides(exchange, evidence, SHORTLY_MS).length === 0 && hadBudget(exchange, evidence);
  // Of a server that refuses bursts with this status alone, they may be refusals.
  if (keyless.length === 0) return refusesOtherwise(statusOf(first), evidence) && alike.some(isAlone);
  // A gateway without room turns nobody away under little load.
  const mayLackRoom = [429, 503].includes(statusOf(first));
  const hasLittleLoad = (exchange: Exchange) => besides(exchange, evidence).length <= LITTLE_LOAD;
  return keyless.length < everywhere.length && (!mayLackRoom || everywhere.some(hasLittleLoad));
}

/** Whether an account got one of some failures more than once at an address, and no other answer there. */
function hasFailedEachTime(failed: readonly Exchange[], { served, evidence }: Asked): boolean {
  const placeOf = ({ account, request }: Exchange) => `${account} ${request.url}`;
  const places = new Set(served.filter((exchange) => !isRefused(exchange, evidence)).map(placeOf));
  const keyed = failed.filter(({ account }) => account !== null);
  return [...groupedBy(keyed, placeOf)].some(([place, alike]) => alike.length > 1 && !places.has(place));
}

/**
 * Refusals of a form that came at one moment alone, to everything that was asked then: also without a key, or though there
 * was budget.
 */
function refusedToAll({ evidence, all, served, isKnown }: Asked): ReadonlyArray<readonly Exchange[]> {
  const refusals = all.filter((exchange) => isWhole(exchange) && saysThrottled(exchange, evidence));
  const shapes = new Set(refusals.filter(({ request }) => request.method !== 'HEAD').map(shapeOf));
  return [...shapes].slice(0, MOST_FORMS).flatMap((shape) => {
    const alike = all.filter((exchange) => hasShape(exchange, shape));
    const others = served.filter((exchange) => !alike.includes(exchange));
    const isOfNoLimiter = (exchange: Exchange) =>
      exchange.account === null ? isKnown(exchange) : hadBudget(exchange, evidence);
    const isAccident =
      areOfOneMoment(alike) &&
      alike.some(isOfNoLimiter) &&
      others.some((exchange) => isRefused(exchange, evidence)) &&
      !isServedMeanwhile(alike, others);
    return isAccident ? [alike] : [];
  });
}

/** Exchanges by the stretches in which they were sent: within a moment, or while nobody else was served. */
function stretchesOf(exchanges: readonly Exchange[], served: readonly Exchange[]): Exchange[][] {
  const stretches: Exchange[][] = [];
  for (const exchange of exchanges.toSorted((a, b) => a.sentAtMs - b.sentAtMs)) {
    const latest = stretches.at(-1);
    const joined = [...(latest ?? []), exchange];
    if (latest && (areOfOneMoment(joined) || !isServedMeanwhile(joined, served))) latest.push(exchange);
    else stretches.push([exchange]);
  }
  return stretches;
}

/** Whether the server certainly decided about one of `others` between the first and the last of some exchanges. */
function isServedMeanwhile(exchanges: readonly Exchange[], others: readonly Exchange[]): boolean {
  const { fromMs, toMs } = between(exchanges);
  return others.some(({ sentAtMs, receivedAtMs }) => sentAtMs >= fromMs && receivedAtMs <= toMs);
}

/** What failed by chance: see `accidentsOf`. */
export const accidentsIn = once((evidence: Evidence): ReadonlySet<Exchange> => new Set(accidentsOf(evidence).flat()));

/** In place of what failed by chance. A limiter may have charged the request. */
const BY_CHANCE: Fault = { kind: 'unreachable', message: 'failed by chance' };

/**
 * Returns the evidence without the answers of an outage or a ban, and without what failed by chance: a request with a valid
 * key that did is left, unanswered.
 */
export function whileServing(evidence: Evidence): Evidence {
  const exchanges = servedIn(evidence);
  if (exchanges === evidence.exchanges) return evidence;
  return { ...evidence, exchanges, interruptions: interruptionsOf(evidence) };
}

/** Whether the server itself answered, well or badly. */
export function isOfTheServer({ fault }: Exchange): boolean {
  return fault !== BY_CHANCE;
}

const servedIn = once((evidence: Evidence): Exchange[] => {
  const accidents = accidentsIn(evidence);
  const silent = new Set([...outageOf(evidence), ...lostInQueues(evidence)]);
  const bans = bansOf(evidence);
  if (accidents.size + silent.size + bans.length === 0) return evidence.exchanges;
  const isBanned = (exchange: Exchange) =>
    !isAccepted(exchange) &&
    bans.some(
      ({ fromMs, toMs, shown }) =>
        exchange.sentAtMs >= fromMs &&
        exchange.receivedAtMs <= toMs &&
        (exchange.account !== null || hasShape(exchange, shapeOf(shown))),
    );
  return evidence.exchanges.flatMap((exchange) => {
    if (accidents.has(exchange))
      return exchange.account === null ? [] : { ...exchange, response: null, fault: BY_CHANCE };
    return silent.has(exchange) || isBanned(exchange) ? [] : exchange;
  });
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
    const lasts = Number.isFinite(ban.toMs) ? 'for a while' : 'until the run ended';
    return `after ${ban.wrongKeys} wrong keys this address was refused with valid keys too, ${lasts}: ask the operator to exempt it from that defence while the suite runs`;
  }
  if (outageOf(evidence).length > 0)
    return 'the server stopped answering before this could be asked: fix transport.complete first';
  if (accidentsOf(evidence).length === 0) return null;
  return 'the server failed when this was asked, and recovered later: run again';
}

/**
 * What failed: in an outage that lasted to the end of the run, by one accident, or at several moments of an unsteady
 * server. And what the server answered while it served.
 */
import { groupedBy } from '../../common/text';
import { parsedHeaders } from '../http/headers';
import { type Evidence, type Exchange, type Fault, isOfTheApi, once, type Stretch, secretsIn } from '../model';
import { areOfOneMoment, besides, between, spanOf } from '../time/in-flight';
import {
  askedFor,
  disclosesSettings,
  habitsOf,
  hasShape,
  isAccepted,
  isBroken,
  isRefused,
  isRejection,
  isWhole,
  saysThrottled,
  shapeOf,
  statusOf,
} from './classify';
import { bansOf, hadBudget, shapesOf } from './guards';
import { lostInQueues } from './queueing';

/** So few requests may fail by chance. */
const FEW = 2;

/**
 * The exchanges of an outage, from one moment to the end: all of them, or those with a valid key behind a gateway that
 * still rejects wrong keys. Empty where the server served to the end, and where a ban explains it.
 */
export const outageOf = once((evidence: Evidence): readonly Exchange[] => {
  if (bansOf(evidence).at(-1)?.toMs === Number.POSITIVE_INFINITY) return [];
  const { exchanges } = evidence;
  const last = exchanges.at(-1);
  const ofAll = new Set(last?.probe.group === 'alive' ? failedAtTheEnd(exchanges, evidence) : []);
  // The last exchange has no key. One with a valid key must have failed as well, unless nothing listens any more.
  const isForAll = [...ofAll].some(({ account, fault }) => account !== null || fault?.kind === 'unreachable');
  const isOtherwise = (each: Exchange) =>
    last && requestOf(each) === requestOf(last) && shapeOf(each) !== shapeOf(last);
  const wasOtherwise = exchanges.some((each) => !ofAll.has(each) && isOtherwise(each));
  if (isForAll && wasOtherwise) return [...ofAll];
  const keyed = exchanges.filter(({ account }) => account !== null);
  const asked = keyed.filter((exchange) => isOfTheApi(exchange, evidence));
  const failed = failedAtTheEnd(asked, evidence);
  const { fromMs } = spanOf(failed);
  const keyless = exchanges.filter(({ account, probe }) => account === null && probe.group !== 'keyless');
  const isPage = (exchange: Exchange) =>
    exchange.sentAtMs < fromMs && hasShape(exchange, shapeOf(failed[0] as Exchange));
  const isRejecting = keyless.every((exchange) => exchange.sentAtMs <= fromMs || isRejection(exchange));
  const isLasting = failed.length > FEW && failed.every(isWhole) && !areOfOneMoment(failed);
  // A limiter may lock out an account that asks too often. The first failure of one account at least kept to the rate.
  const isFirst = ({ account }: Exchange, i: number) => failed.findIndex((other) => other.account === account) === i;
  const keptToTheRate = failed.filter(isFirst).some((exchange) => hadBudget(exchange, evidence));
  const isOutage = isLasting && isRejecting && keptToTheRate;
  return isOutage && (failed.every((exchange) => statusOf(exchange) >= 500) || keyless.some(isPage))
    ? keyed.filter((exchange) => exchange.sentAtMs >= fromMs && !isAccepted(exchange))
    : [];
});

/**
 * Returns the exchanges at the end that all failed, or all got the same page. What a limiter may have answered is no
 * outage: a page that was seen before, or one that asks for ever longer waits.
 */
function failedAtTheEnd(exchanges: readonly Exchange[], evidence: Evidence): readonly Exchange[] {
  const last = exchanges.findLast(({ request }) => request.method !== 'HEAD');
  if (!last) return [];
  const isAlike = (exchange: Exchange) =>
    hasFailed(last, evidence) ? hasFailed(exchange, evidence) : hasShape(exchange, shapeOf(last));
  const others = exchanges.filter((exchange) => !isAlike(exchange));
  // Answers of one moment come in any order: the server still served when the last other request was sent.
  const servedMs = Math.max(...others.map(({ sentAtMs }) => sentAtMs));
  const isOfTheEnd = (exchange: Exchange) => isAlike(exchange) && exchange.receivedAtMs >= servedMs;
  const failed = exchanges.filter(isOfTheEnd);
  const before = exchanges.filter((exchange) => !isOfTheEnd(exchange) && exchange.account !== null);
  const wasSeen = before.some((exchange) => shapeOf(exchange) === shapeOf(last));
  return isWhole(last) && (wasSeen || areOfALimiter(failed)) ? [] : failed;
}

/** Whether answers are refusals: all 429, or with ever longer waits. The page of an outage at most counts down. */
function areOfALimiter(answers: readonly Exchange[]): boolean {
  const asked = answers.flatMap((exchange) => {
    const { retryAfter } = parsedHeaders(exchange);
    return retryAfter?.form === 'seconds' ? [retryAfter.seconds] : [];
  });
  return answers.every((exchange) => statusOf(exchange) === 429) || asked.some((seconds) => seconds > (asked[0] ?? 0));
}

/** Whether an answer is broken, or a 5xx that says nothing about the rate. */
function hasFailed(exchange: Exchange, evidence: Evidence): boolean {
  return !isWhole(exchange) || (statusOf(exchange) >= 500 && !saysThrottled(exchange, evidence));
}

/** A request as text, the same for every account, number in a query and spelling of a header's name. */
function requestOf({ account, request }: Exchange): string {
  return `${account !== null} ${askedFor(request).toLowerCase().replace(/=\d+/g, '')}`;
}

/** The exchanges that an outage or another client's queue left without an answer. */
const silentIn = once(
  (evidence: Evidence): ReadonlySet<Exchange> => new Set([...outageOf(evidence), ...lostInQueues(evidence)]),
);

/** The other exchanges with the API, with what broke by accident elsewhere, and those of them that the server answered itself. */
const askedIn = once((evidence: Evidence) => {
  const others = evidence.exchanges.filter((exchange) => !silentIn(evidence).has(exchange));
  const isServed = (exchange: Exchange) => isWhole(exchange) && statusOf(exchange) < 500;
  const answered = others.filter(isServed);
  const known = new Set(answered.map(requestOf));
  const letThrough = new Set(answered.filter((exchange) => !isRefused(exchange, evidence)).map(requestOf));
  const wasBroken = (exchange: Exchange) => isBroken(exchange, evidence) && known.has(requestOf(exchange));
  const all = others.filter((exchange) => isOfTheApi(exchange, evidence) || wasBroken(exchange));
  const served = all.filter(isServed);
  const accounts = new Set(served.map(({ account }) => account));
  /** Whether the same request was answered at another time, and the account was served. A 5xx may be a refusal. */
  const isKnown = (exchange: Exchange) =>
    accounts.has(exchange.account) && (wasBroken(exchange) || letThrough.has(requestOf(exchange)));
  return { all, served, isKnown };
});

/**
 * What failed by chance, grouped by the stretches in which nobody was served. The same requests got another answer at
 * another time. An answer that holds a secret is no accident.
 */
export const accidentsOf = once((evidence: Evidence): ReadonlyArray<readonly Exchange[]> => {
  const { all, served } = askedIn(evidence);
  const failed = all.filter((exchange) => hasFailed(exchange, evidence));
  if (failed.some((exchange) => disclosesSettings(exchange) || secretsIn(exchange).length > 0)) return [];
  const byChance = alikeIn(failed).filter((alike) => isByChance(alike, evidence));
  // What lasts for long, to the end and to valid keys alone, did not pass as an accident does.
  const longMs = LONG_WINDOWS * evidence.target.rate.seconds * 1000;
  const servedMs = Math.max(...served.filter(isAccepted).map(({ sentAtMs }) => sentAtMs));
  const hasPassed = (stretch: readonly Exchange[]) =>
    between(stretch).toMs - between(stretch).fromMs < longMs ||
    stretch.some(({ account, sentAtMs }) => account === null || sentAtMs < servedMs);
  return [...stretchesOf(byChance.flat(), served), ...refusedToAll(evidence)].filter(hasPassed);
});

/** Returns the shapes of answers but of those to HEAD, which have no text. */
function shapesIn(answers: readonly Exchange[]): Set<string> {
  return new Set(answers.filter(({ request }) => request.method !== 'HEAD').map(shapeOf));
}

/** Groups answers by their shapes. One to HEAD belongs to those with a text that are otherwise like it. */
function alikeIn(answers: readonly Exchange[]): Exchange[][] {
  const shapes = [...shapesIn(answers)];
  const kindOf = (answer: Exchange) =>
    (answer.request.method === 'HEAD' && shapes.find((shape) => hasShape(answer, shape))) || shapeOf(answer);
  return [...groupedBy(answers, kindOf).values()];
}

/** A failure that lasts so many windows, to the end of the run, does not pass. */
const LONG_WINDOWS = 5;
/** With so few other requests under way, no gateway lacks room. */
const LITTLE_LOAD = 3;
/** A request is alone if nothing was under way for so long before it. */
const SHORTLY_MS = 20;
/** A larger share of failures is no chance: the limit may be stricter, or a gateway lacks room. */
const MOST_BY_CHANCE = 0.25;

/**
 * Whether failures of one shape came by chance: at one moment, or while nobody was served.
 * Those of several moments must be few, and of no limiter, guard or gateway without room.
 */
function isByChance(alike: readonly Exchange[], evidence: Evidence): boolean {
  const { all, served, isKnown } = askedIn(evidence);
  // Some requests are sent in floods alone.
  if (!alike.every((exchange) => isKnown(exchange) || exchange.probe.group === 'keyless')) return false;
  const { toMs } = between(alike);
  if (areOfOneMoment(alike)) return alike.filter((exchange) => !isWhole(exchange)).length <= 1;
  if (!isServedMeanwhile(alike, served)) return served.some(({ sentAtMs }) => sentAtMs > toMs);
  const isKeyless = ({ account }: Exchange) => account === null;
  const [first] = alike as [Exchange];
  // A failure at an address outside of the API shows as much.
  const everywhere = evidence.exchanges.filter((exchange) => hasShape(exchange, shapeOf(first)));
  const keyless = everywhere.filter(isKeyless);
  const allKeyless = evidence.exchanges.filter(isKeyless);
  const areMany = (some: readonly Exchange[], of: readonly Exchange[]) => some.length > of.length * MOST_BY_CHANCE;
  // A guard answers most requests without a key.
  if (areMany(alike, all) || areMany(keyless, allKeyless) || hasFailedEachTime(alike, evidence)) return false;
  const isAlone = (exchange: Exchange) =>
    besides(exchange, evidence, SHORTLY_MS).length === 0 && hadBudget(exchange, evidence);
  // Where bursts are refused with this status alone, these may be refusals.
  const refusesOtherwise = [...habitsOf(evidence).statuses].some((status) => status !== statusOf(first));
  if (keyless.length === 0) return refusesOtherwise && alike.some(isAlone);
  // A gateway lacks no room under little load.
  const mayLackRoom = [429, 503].includes(statusOf(first));
  const hasLittleLoad = (exchange: Exchange) => besides(exchange, evidence).length <= LITTLE_LOAD;
  return keyless.length < everywhere.length && (!mayLackRoom || everywhere.some(hasLittleLoad));
}

/** Whether an account got some failures more than once at an address, and no other answer there. */
function hasFailedEachTime(failed: readonly Exchange[], evidence: Evidence): boolean {
  const { served } = askedIn(evidence);
  const placeOf = ({ account, request }: Exchange) => `${account} ${request.url}`;
  const places = new Set(served.filter((exchange) => !isRefused(exchange, evidence)).map(placeOf));
  const keyed = failed.filter(({ account }) => account !== null);
  return [...groupedBy(keyed, placeOf)].some(([place, alike]) => alike.length > 1 && !places.has(place));
}

/**
 * Refusals of one shape that came in one stretch alone, in which nobody was served: some to requests without a key, or to
 * several accounts with budget left. To one account they came at one moment.
 */
function refusedToAll(evidence: Evidence): ReadonlyArray<readonly Exchange[]> {
  const { all, served, isKnown } = askedIn(evidence);
  const refusals = all.filter((exchange) => isWhole(exchange) && saysThrottled(exchange, evidence));
  const shapes = shapesIn(refusals);
  for (const { shown } of bansOf(evidence)) shapes.delete(shapeOf(shown));
  return [...shapes].flatMap((shape) => {
    // A refusal at an address outside of the API shows as much.
    const alike = evidence.exchanges.filter((exchange) => hasShape(exchange, shape));
    const others = served.filter((exchange) => !alike.includes(exchange));
    const isKeyless = alike.some((exchange) => exchange.account === null && isKnown(exchange));
    const withBudget = alike.filter((exchange) => exchange.account !== null && hadBudget(exchange, evidence));
    const accounts = new Set(withBudget.map(({ account }) => account)).size;
    const isAccident =
      (isKeyless || accounts > 1 || (accounts === 1 && areOfOneMoment(alike))) &&
      others.some((exchange) => isRefused(exchange, evidence)) &&
      !isServedMeanwhile(alike, others);
    return isAccident ? [alike] : [];
  });
}

/** Groups exchanges by stretches: one moment, or a time in which nobody else was served. */
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

/** Whether the server certainly answered one of `others` between the first and the last of some exchanges. */
function isServedMeanwhile(exchanges: readonly Exchange[], others: readonly Exchange[]): boolean {
  const { fromMs, toMs } = between(exchanges);
  return others.some(({ sentAtMs, receivedAtMs }) => sentAtMs >= fromMs && receivedAtMs <= toMs);
}

/** All that failed by chance: see `accidentsOf`. */
export const accidentsIn = once((evidence: Evidence): ReadonlySet<Exchange> => new Set(accidentsOf(evidence).flat()));

/** Stands for what failed by chance. A limiter may have charged the request. */
const BY_CHANCE: Fault = { kind: 'unreachable', message: 'failed by chance' };

/**
 * Returns the evidence without what an outage or a ban answered, and without what failed by chance. A request with a valid
 * key that failed by chance stays, unanswered.
 */
export const whileServing = once((evidence: Evidence): Evidence => {
  const [accidents, silent, bans] = [accidentsIn(evidence), silentIn(evidence), bansOf(evidence)];
  if (accidents.size + silent.size + bans.length === 0) return evidence;
  const isOfBan = (exchange: Exchange, { fromMs, toMs, shown }: (typeof bans)[number]) =>
    exchange.sentAtMs >= fromMs &&
    exchange.receivedAtMs <= toMs &&
    (exchange.account !== null || (hasShape(exchange, shapeOf(shown)) && !hasShape(exchange, shapesOf(evidence).own)));
  const exchanges = evidence.exchanges.flatMap((exchange) => {
    if (accidents.has(exchange))
      return exchange.account === null ? [] : { ...exchange, response: null, fault: BY_CHANCE };
    const isBanned = !isAccepted(exchange) && bans.some((ban) => isOfBan(exchange, ban));
    return silent.has(exchange) || isBanned ? [] : exchange;
  });
  return { ...evidence, exchanges, interruptions: interruptionsOf(evidence) };
});

/** Whether the server itself answered, well or badly. */
export function isOfTheServer({ fault }: Exchange): boolean {
  return fault !== BY_CHANCE;
}

/**
 * Returns when the server failed and then served again: after a restart it may have forgotten its counts. Single answers
 * that fail at several moments show no restarts.
 */
export function interruptionsOf(evidence: Evidence): readonly Stretch[] {
  if (evidence.interruptions) return evidence.interruptions;
  const accidents = accidentsOf(evidence);
  const mayBeRestart = (failed: readonly Exchange[]) =>
    accidents.length === 1 || failed.length > 1 || !failed.every(isWhole);
  return accidents.filter(mayBeRestart).map(spanOf);
}

/** Whether an outage or a ban lasted to the end of the run. */
export function hasStoppedServing(evidence: Evidence): boolean {
  return outageOf(evidence).length > 0 || bansOf(evidence).at(-1)?.toMs === Number.POSITIVE_INFINITY;
}

/** Whether all requests of a while were refused, as by a limiter of addresses. */
export const isShutOut = once((evidence: Evidence): boolean =>
  accidentsOf(evidence).some(
    (refused) => !areOfOneMoment(refused) && refused.every((exchange) => !hasFailed(exchange, evidence)),
  ),
);

const FOR_THE_ADDRESS =
  'a limiter in front of the server refused every request for a while: ask the operator to exempt this address from it while the suite runs';

/** Returns which ban, outage or accident kept something from being judged; `null` where the server served throughout. */
export function whyNotServing(evidence: Evidence): string | null {
  const ban = bansOf(evidence).at(-1);
  if (ban) {
    const lasts = Number.isFinite(ban.toMs) ? 'for a while' : 'until the run ended';
    return `after ${ban.wrongKeys} wrong keys this address was refused with valid keys too, ${lasts}: ask the operator to exempt it from that defence while the suite runs`;
  }
  if (outageOf(evidence).length > 0)
    return 'the server stopped answering before this could be asked: fix transport.complete first';
  if (accidentsOf(evidence).length === 0) return null;
  if (isShutOut(evidence)) return FOR_THE_ADDRESS;
  return 'the server failed when this was asked, and recovered later: run again';
}

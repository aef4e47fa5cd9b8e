/** What failed by chance: an accident of one moment, or an unsteady server at several. Such answers accuse of nothing. */
import { groupedBy } from '../../common/grouped';
import { listed } from '../../common/text';
import { once } from '../memoize';
import type { Evidence, Exchange } from '../model';
import { secretsIn } from '../secrets';
import { burstsOf, ofTheApi } from '../select';
import { areOfOneMoment, besides, between, momentsOf, ownBeside, spreadMs } from '../time/in-flight';
import {
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
import { hasFailed, keepsTheRate, outageOf, requestOf } from './outages';
import { isHeldBack, lostInQueues } from './queueing';

/** What the search looks at: all that was asked of the API, but for an outage and what was lost in a queue. */
interface Asked {
  evidence: Evidence;
  all: readonly Exchange[];
  /** What the server answered itself. */
  served: readonly Exchange[];
  /** Whether the same was answered otherwise at another time. */
  isKnown(exchange: Exchange): boolean;
  /** Whether the server limits in another way than by these failures. */
  limitsBesides(failed: readonly Exchange[]): boolean;
}

function askedIn(evidence: Evidence): Asked {
  const silent = new Set([...outageOf(evidence), ...lostInQueues(evidence)]);
  const all = ofTheApi(evidence).filter((exchange) => !silent.has(exchange));
  const served = all.filter(isServed);
  const known = new Set(served.filter((exchange) => !isRefused(exchange, evidence)).map(requestOf));
  const accounts = new Set(served.map(({ account }) => account));
  // The requests of a burst are one request, under whichever spelling of the header's name.
  const bursts = new Set(burstsOf(evidence));
  const places = new Set(served.filter((exchange) => bursts.has(exchange)).map(({ request }) => request.url));
  const limited = all.filter(
    (exchange) =>
      bursts.has(exchange) && isWhole(exchange) && (isRefused(exchange, evidence) || isHeldBack(exchange, evidence)),
  );
  return {
    evidence,
    all,
    served,
    isKnown: (exchange) =>
      accounts.has(exchange.account) &&
      (known.has(requestOf(exchange)) || (bursts.has(exchange) && places.has(exchange.request.url))),
    limitsBesides: (failed) => limited.some((exchange) => !failed.includes(exchange)),
  };
}

function isServed(exchange: Exchange): boolean {
  return isWhole(exchange) && statusOf(exchange) < 500;
}

/** Answers of more forms than this are not compared with all others: that would take long. */
const MOST_FORMS = 20;

/** What failed by chance, by moments. The same requests got another answer at another time, and no secret stands in it. */
export const accidentsOf = once((evidence: Evidence): ReadonlyArray<readonly Exchange[]> => {
  const asked = askedIn(evidence);
  const failed = asked.all.filter((exchange) => hasFailed(exchange, evidence));
  if (failed.some((exchange) => disclosesSettings(exchange) || secretsIn(exchange).length > 0)) return [];
  const groups = [...groupedBy(failed, shapeOf).values()];
  const few = groups.length > MOST_FORMS ? [] : groups;
  const unsteady = new Set(few.filter((alike) => isUnsteady(alike, asked)).flat());
  const others = failed.filter((exchange) => !unsteady.has(exchange));
  return [...momentsOf([...unsteady]), ...refusedToAll(asked), ...accidentsAmong(others, asked)];
});

/** What fails more often than this does not fail by chance: it may be a stricter limit, or have no room. */
const MOST_BY_CHANCE = 0.25;

/**
 * Whether failures of one form, at several moments, are the chance of an unsteady server: they came to requests that were alone
 * and kept to the rate, or with and without a key, and no load brings them about.
 */
function isUnsteady(alike: readonly Exchange[], asked: Asked): boolean {
  const { evidence, all, isKnown } = asked;
  // Some requests of a flood are sent in no other way.
  const isUsual = (exchange: Exchange) => isKnown(exchange) || exchange.probe.group === 'keyless';
  const isKeyless = ({ account }: Exchange) => account === null;
  const areMany = (some: readonly Exchange[], of: readonly Exchange[]) => some.length > of.length * MOST_BY_CHANCE;
  // A guard answers most requests without a key, and few others.
  if (areMany(alike, all) || areMany(alike.filter(isKeyless), all.filter(isKeyless))) return false;
  if (areOfOneMoment(alike) || !alike.every(isUsual)) return false;
  if (hasFailedEachTime(alike, asked) || !isServedMeanwhile(alike, asked.served)) return false;
  const keyless = alike.filter(isKeyless).length;
  if (keyless === 0 && !asked.limitsBesides(alike)) return false;
  const lone = all.filter((exchange) => isLone(exchange, evidence));
  const failedAlone = lone.filter((exchange) => alike.includes(exchange));
  if (failedAlone.length > 0) return failedAlone.length <= lone.length * MOST_BY_CHANCE;
  if (keyless === 0 || keyless === alike.length) return false;
  return alike.some((exchange) => besides(exchange, evidence).length <= LITTLE_LOAD);
}

/** Whether an account got one of some failures more than once at an address, and no other answer there. */
function hasFailedEachTime(failed: readonly Exchange[], { served, evidence }: Asked): boolean {
  const placeOf = ({ account, request }: Exchange) => `${account} ${request.url}`;
  const places = new Set(served.filter((exchange) => !isRefused(exchange, evidence)).map(placeOf));
  const keyed = failed.filter(({ account }) => account !== null);
  return [...groupedBy(keyed, placeOf)].some(([place, alike]) => alike.length > 1 && !places.has(place));
}

/** Nothing was under way so shortly before a request that is alone. */
const SHORTLY_MS = 20;

/** Whether a request was alone, and a window after everything of its account. */
function isLone(exchange: Exchange, evidence: Evidence): boolean {
  const windowMs = evidence.target.rate.seconds * 1000;
  return besides(exchange, evidence, SHORTLY_MS).length === 0 && ownBeside(exchange, evidence, windowMs).length === 0;
}

/** With so few other requests under way, no gateway lacks room. */
const LITTLE_LOAD = 3;

/** What is an accident among other failures: all of them, or those of each status. */
function accidentsAmong(failed: readonly Exchange[], asked: Asked): ReadonlyArray<readonly Exchange[]> {
  const { evidence, served } = asked;
  // Some servers refuse with a 5xx that says nothing of the rate, again and again between requests that they accept.
  const accepted = served.filter((exchange) => exchange.account !== null && isAccepted(exchange));
  const habits = [...groupedBy(failed, shapeOf)].filter(([, alike]) => isInterleaved(alike, accepted));
  const shapes = new Set(habits.map(([shape]) => shape));
  const isHabit = (exchange: Exchange) =>
    habitsOf(evidence).statuses.has(statusOf(exchange)) && shapes.has(shapeOf(exchange));
  const odd = failed.filter((exchange) => !isWhole(exchange) || !isHabit(exchange));
  const whole = accidentAmong(odd, odd, asked);
  if (whole.length > 0) return [whole];
  const byStatus = [...groupedBy(odd, statusOf).values()].map((alike) => accidentAmong(alike, odd, asked));
  return byStatus.every(({ length }) => length > 0) ? byStatus : [];
}

/**
 * Returns what is an accident among failures: those of one moment, of which one at most is a broken answer; or all, where
 * nobody was served between the first and the last. Otherwise empty.
 * @param odd all failures, of which these are some
 */
function accidentAmong(failed: readonly Exchange[], odd: readonly Exchange[], asked: Asked): readonly Exchange[] {
  const { evidence, served, isKnown } = asked;
  const limitsOtherwise = asked.limitsBesides(odd);
  const areBroken = failed.filter((exchange) => !isWhole(exchange)).length > 1;
  const isOneMoment = failed.length > 0 && !areBroken && areOfOneMoment(failed) && failed.every(isKnown);
  if (isOneMoment && (failed === odd || limitsOtherwise)) return failed;
  const { toMs } = between(failed);
  // What fails is a single request's own if anything was answered meanwhile, also what is not of the API.
  const isAlone = new Set(failed.map((exchange) => `${exchange.account} ${exchange.request.url}`)).size === 1;
  const answered = isAlone ? evidence.exchanges.filter(isServed) : served;
  const isAway = !isServedMeanwhile(failed, answered);
  const isBack = served.some(({ sentAtMs }) => sentAtMs > toMs);
  const isForAll = failed.some(({ account }) => account === null) && failed.some(({ account }) => account !== null);
  const isAccident = isForAll ? failed.some(isKnown) : limitsOtherwise && failed.every(isKnown);
  return isAway && isBack && isAccident ? failed : [];
}

/**
 * Refusals of a form that came at one moment alone, to everything that was asked then: also without a key, or though there
 * was budget.
 */
function refusedToAll({ evidence, all, served, isKnown, limitsBesides }: Asked): ReadonlyArray<readonly Exchange[]> {
  const refusals = all.filter((exchange) => isWhole(exchange) && saysThrottled(exchange, evidence));
  const shapes = new Set(refusals.filter(({ request }) => request.method !== 'HEAD').map(shapeOf));
  return [...shapes].slice(0, MOST_FORMS).flatMap((shape) => {
    const alike = all.filter((exchange) => hasShape(exchange, shape));
    const others = served.filter((exchange) => !alike.includes(exchange));
    const isOfNoLimiter = (exchange: Exchange) =>
      exchange.account === null ? isKnown(exchange) : keepsTheRate(exchange, others, evidence);
    const isAccident =
      areOfOneMoment(alike) && alike.some(isOfNoLimiter) && limitsBesides(alike) && !isServedMeanwhile(alike, others);
    return isAccident ? [alike] : [];
  });
}

/** Whether the server certainly decided about one of `others` between the first and the last of some exchanges. */
function isServedMeanwhile(exchanges: readonly Exchange[], others: readonly Exchange[]): boolean {
  const { fromMs, toMs } = between(exchanges);
  return others.some(({ sentAtMs, receivedAtMs }) => sentAtMs >= fromMs && receivedAtMs <= toMs);
}

/** Whether one of `others` was sent after the first of some exchanges was answered, and before the last one was sent. */
function isInterleaved(exchanges: readonly Exchange[], others: readonly Exchange[]): boolean {
  const { fromMs, toMs } = between(exchanges);
  return others.some(({ sentAtMs }) => sentAtMs >= fromMs && sentAtMs <= toMs);
}

/** What failed by chance: see `accidentsOf`. */
export const accidentsIn = once((evidence: Evidence): ReadonlySet<Exchange> => new Set(accidentsOf(evidence).flat()));

/** Returns a note about what failed by chance, by which no clause is judged; `null` where nothing did. */
export function accidentsInWords(evidence: Evidence): string | null {
  const [failed = [], ...more] = accidentsOf(evidence);
  const [first] = failed;
  if (!first) return null;
  if (more.length > 0)
    return `Unsteady: ${unsteadinessInWords(evidence)}. The clauses are judged without these answers.`;
  const { index, request } = first;
  const others = failed.length > 1 ? ` and ${failed.length - 1} more within ${secondsOf(failed)}` : '';
  return `One-off, so no clause was judged by it: ${answersOf(failed)} to ${request.method} ${request.url} (entry ${index})${others}. The same request was answered normally at other times.`;
}

/** Returns how many answers failed by chance at how many moments: a sentence without its full stop. */
export function unsteadinessInWords(evidence: Evidence): string {
  const failed = accidentsOf(evidence).flat();
  const keyed = failed.filter(({ account }) => account !== null).length;
  const moments = momentsOf(failed).length;
  return `${failed.length} of ${evidence.exchanges.length} answers failed (${answersOf(failed)}), at ${moments} moments: ${keyed} to valid keys, ${failed.length - keyed} to requests without one; the same requests were answered normally at other times`;
}

function answersOf(failed: readonly Exchange[]): string {
  return listed([...new Set(failed.map((exchange) => exchange.fault?.kind ?? String(statusOf(exchange))))]);
}

/** How long some exchanges took, in words. */
export function secondsOf(exchanges: readonly Exchange[]): string {
  return areOfOneMoment(exchanges) ? 'a second' : `${(spreadMs(exchanges) / 1000).toFixed(1)} s`;
}

/**
 * Headers as statements about the level (API description, section 8): Remaining is the limit less the level. Reset and
 * Retry-After promise a moment from which on the level is below the limit.
 */
import { groupedBy } from '../common/text';
import { LITTLE_MS, type Rate } from '../contract/bounds';
import { parsedHeaders } from '../evidence/http/headers';
import { type Evidence, type Exchange, ofTheApi } from '../evidence/model';
import { isRefused, isWhole } from '../evidence/responder/classify';
import { underWay } from '../evidence/time/in-flight';
import { isStored, passesAtMs, waitAskedSeconds } from '../evidence/time/server-clock';
import { type Candidate, type Decision, gainOf, type Kind, lookup, overflowOf, SLACK_MS, type User } from './level';
import {
  type Answered,
  accountsOf,
  areApart,
  areApartInTime,
  areExplained,
  isDescribed,
  isNoLuck,
  isUndisturbed,
  isWhollyRefused,
  oncePer,
  timelineOf,
  userOf,
  windowMsOf,
} from './timeline';

const TINY = 1e-9;

/** Returns the X-RateLimit-Limit of an account's first fresh answer with a well-formed one. */
export function reportedLimit(account: string, evidence: Evidence): number | null {
  const first = ofTheApi(evidence).find(
    (exchange) =>
      exchange.account === account && parsedHeaders(exchange).limit !== null && !isStored(exchange, evidence),
  );
  return first ? parsedHeaders(first).limit : null;
}

/**
 * Whether another client may have used up what is missing in an account's budget. Nobody adds to a budget: where more was
 * granted than was reported as left, Remaining shows nothing about others.
 */
export const mayShowOthers = oncePer((evidence, account: string): boolean =>
  countsAsReported(evidence, account)(countedOf(evidence, account), { mayBeLess: true }),
);

/** By so many answers of an account Remaining is judged at most. The number bounds the work. */
const MOST_COUNTED = 500;

/** Returns the answers of an account by which Remaining is judged, besides refusals. */
export function countedOf(evidence: Evidence, account: string): Answered[] {
  const described = timelineOf(evidence, account).filter(
    ({ exchange, outcome }) => outcome !== 'refused' && isDescribed(exchange, evidence),
  );
  return described.slice(0, MOST_COUNTED);
}

/**
 * Returns a function that says whether some limiter counts down as an account's answers report.
 * @param options.mayBeLess whether another client may use up what is missing
 */
export function countsAsReported(evidence: Evidence, account: string) {
  const { rate } = evidence.target;
  const limit = reportedLimit(account, evidence) ?? rate.requests;
  // rate.limit-honest judges the Limit, so the count may start from it or from any number up to the rate.
  const totals = [...new Set([limit, ...Array.from({ length: rate.requests }, (_, i) => i + 1)])];
  // Accounts may share a budget, and refused requests may be charged as well.
  const charged = accountsOf(evidence)
    .filter((name) => !areApart(account, name, evidence))
    .flatMap((name) => timelineOf(evidence, name));
  return (own: readonly Answered[], options?: { mayBeLess: boolean }): boolean => {
    const { accepted, refused } = userOf(own);
    const among = new Set(own);
    const doSkip = skipsOf(evidence, account).some(({ from, to }) => among.has(from) && among.has(to));
    if (!options?.mayBeLess && doSkip) return false;
    // What refuses an account is for other clauses.
    const told = refused.filter(refusesWithSomeLeft);
    return totals.some((total) => {
      const counted = { ...rate, requests: Math.min(total, rate.requests) };
      const also = countsTruly(total, rate, options);
      return areExplained({ accepted, refused: told, charged }, evidence, counted, { also, unexplained: told.length });
    });
  };
}

/** Whether a request was refused by an answer that reports some left. */
export const refusesWithSomeLeft = ({ outcome, left }: Answered): boolean => outcome === 'refused' && (left ?? 0) > 0;

/** From an answer to the next one that reports less left, within a window. */
interface Step {
  from: Answered;
  to: Answered;
  /** The time from the one being sent to the other being answered, in windows. */
  windows: number;
  /** How many requests may have been charged meanwhile, the later one included. */
  sent: number;
}

/** Whether more is missing than was sent meanwhile. Parts of a request that come back explain none of it. */
const isSkip = ({ from, to, sent }: Step) => (from.left ?? 0) - (to.left ?? 0) > sent;

/** Returns the steps between an account's accepted requests. */
const stepsOf = oncePer((evidence, account: string): Step[] => {
  const limit = reportedLimit(account, evidence) ?? evidence.target.rate.requests;
  const { accepted } = userOf(countedOf(evidence, account));
  const reporting = accepted.filter(({ left }) => typeof left === 'number');
  const leftOf = ({ left }: Answered) => left ?? 0;
  return reporting.flatMap((to): Step[] => {
    const isBefore = (each: Answered) => each.fromMs <= to.fromMs && to.toMs - each.fromMs < windowMsOf(evidence);
    const [from] = reporting
      .filter((each) => isBefore(each) && leftOf(each) > leftOf(to))
      .sort((a, b) => leftOf(a) - leftOf(b) || b.fromMs - a.fromMs);
    if (!from) return [];
    // An address or several accounts may share a budget.
    const sent = underWay(evidence, from.fromMs, to.toMs).filter(
      (each) => each !== from.exchange && !isRefused(each, evidence) && !areApart(each.account, account, evidence),
    );
    // At one moment, the one that reports more may have read it when the next window had begun.
    if (from.toMs > to.fromMs && leftOf(from) + sent.length >= limit) return [];
    return [{ from, to, windows: (to.toMs - from.fromMs) / windowMsOf(evidence), sent: sent.length }];
  });
});

/** Returns the steps on which an account's answers skip a number. */
export function skipsOf(evidence: Evidence, account: string): Step[] {
  return stepsOf(evidence, account).filter(isSkip);
}

/** Whether each next answer skips a number. Another client would come between two of this run's requests by luck. */
export function areSkipsOfServer(evidence: Evidence, account: string): boolean {
  const steps = stepsOf(evidence, account).filter(({ sent }) => sent === 1);
  const shares = steps.map(({ windows }) => Math.min(1, evidence.target.rate.requests * windows));
  const moments = steps.map(({ to }) => to);
  return steps.every(isSkip) && isNoLuck(shares, steps.length) && areApartInTime(moments, evidence);
}

/**
 * Returns a function that says whether the reported Remaining fits the levels of a limiter. A server may read it when it
 * decides, or when its answer leaves:
 * - of the answers that report at least x left, only `total` less x are accepted before the limiter gives back
 * - after an answer that reports r left, no more than r are accepted; within a burst, it may report what is left at its end
 * - no more is missing than was charged, and no more is left at a refusal than came back since the decision
 * @param total the number that is counted down from
 * @param options.mayBeLess whether another client may use up what is missing
 */
export const countsTruly =
  (total: number, { seconds }: Rate, { mayBeLess = false } = {}) =>
  ({ accepted, refused = [] }: User) => {
    const reporting = accepted.filter(({ left }) => typeof left === 'number');
    const leftOf = ({ left }: Decision) => left as number;
    const found = [...new Set(reporting.map(leftOf))].filter((left) => left > 0);
    const overflowIn = lookup((spanMs: number) =>
      found.map((left) => ({
        left,
        overflows: overflowOf(
          reporting.filter((each) => leftOf(each) >= left),
          total - left,
          spanMs,
        ),
      })),
    );
    return ({ kind, phaseMs, spanMs, levelAtMost }: Candidate): boolean => {
      const windowMs = seconds * 1000;
      const gain = gainOf(kind, phaseMs, total, windowMs);
      // Parts of a request that came back are rounded.
      const rounded = kind.isSmooth ? 1 - 1e-6 : 0;
      /** Whether no more were accepted after an answer than it reports as left, and what came back meanwhile. */
      const isKeptBy = (each: Decision) => {
        const back = comesBack(kind, each, accepted, { requests: total, seconds });
        return accepted
          .filter(({ fromMs }) => fromMs > each.toMs && fromMs - each.toMs < spanMs)
          .every((later, i) => {
            const given = Math.max(gain(each.fromMs - SLACK_MS, later.toMs + SLACK_MS), back(later));
            return i + 1 <= leftOf(each) + rounded + given + TINY;
          });
      };
      return (
        overflowIn(spanMs).every(({ left, overflows }) => left <= total && !overflows(gain)) &&
        reporting.every(isKeptBy) &&
        refused.every((each) => (each.left ?? 0) <= gain(each.fromMs - SLACK_MS, each.toMs + SLACK_MS)) &&
        (mayBeLess || reporting.every((each) => leftOf(each) >= total - levelAtMost(each) - rounded))
      );
    };
  };

/** Returns what a sliding limiter gives back after an answer of the requests that it had counted before. */
function comesBack(kind: Kind, each: Decision, accepted: readonly Decision[], { requests, seconds }: Rate) {
  const windowMs = seconds * 1000;
  const betweenMs = ({ toMs }: Decision) => toMs - each.fromMs + 2 * SLACK_MS;
  if (kind.family === 'a sliding counter') return (later: Decision) => 1 + (requests * betweenMs(later)) / windowMs;
  if (kind.family !== 'a sliding log' && kind.family !== 'windows that slide by segments') return () => 0;
  // A segment may end right after a request.
  const keptMs = windowMs - kind.stepMs;
  const before = accepted.filter(({ fromMs, toMs }) => fromMs <= each.toMs && toMs > each.fromMs - windowMs - SLACK_MS);
  return (later: Decision) =>
    before.filter(({ fromMs }) => fromMs - SLACK_MS + keptMs <= later.toMs + SLACK_MS).length +
    requests * Math.floor(betweenMs(later) / windowMs);
}

export type PromiseKind = 'reset' | 'wait';

/** A request after a promised moment, and the last answer before it, which made the promise. */
export interface Promised extends Answered {
  promise: Exchange;
  /** How far ahead the promised moment was. */
  seconds: number;
}

/**
 * Returns the kept and the broken promises to an account, as far as nobody else disturbed its requests. A promise is broken
 * if the single request, or the whole burst, after it was refused. A store may forget late, so in a row of refusals the
 * promise of the first one counts.
 */
export const promisesTo = oncePer(
  (evidence, account: string, kind: PromiseKind): Record<'kept' | 'broken', Promised[]> => {
    const own = timelineOf(evidence, account);
    const kept: Promised[] = [];
    const broken: Promised[] = [];
    let firstMs: number | null = null;
    let isOneBroken = false;
    for (const [i, each] of own.entries()) {
      // Requests that are under way together may be decided in any order.
      const before = own.slice(0, i).filter(({ exchange }) => exchange.receivedAtMs > (own[i - 1]?.fromMs ?? 0));
      if (before.length === 0 || before.some(({ exchange }) => exchange.receivedAtMs > each.fromMs)) continue;
      // A request that a server may count otherwise breaks no promise.
      const isOut = isWhollyRefused(each, evidence) && isUndisturbed(each.exchange, evidence);
      const passed = isOut || each.outcome === 'accepted' ? PASSED[kind](before, each, evidence) : null;
      firstMs = isOut && passed ? (firstMs ?? passed.atMs) : null;
      if (!passed) continue;
      const seconds = Math.round((passed.atMs - passed.promise.receivedAtMs) / 1000);
      const promised = { ...each, promise: passed.promise, seconds };
      if (!isOut) kept.push(promised);
      else if (firstMs !== null && each.fromMs >= firstMs + LITTLE_MS) {
        broken.push(promised);
        isOneBroken ||= each.isAlone;
      }
    }
    // If no single request was refused, bursts are refused for another reason (rate.limit-honest).
    return { kept, broken: isOneBroken ? broken : [] };
  },
);

/** Returns the promise of the answers before a request, and when it has certainly come true; `null` before then. */
type Passed = (
  before: readonly Answered[],
  next: Answered,
  evidence: Evidence,
) => { promise: Exchange; atMs: number } | null;

const PASSED: Record<PromiseKind, Passed> = {
  /** When the Reset of each of them has passed. */
  reset(before, next, evidence) {
    const passedMs = before.map(({ exchange }) => {
      const { reset } = parsedHeaders(exchange);
      const isPromise = isWhole(exchange) && !exchange.resent && !isStored(exchange, evidence) && reset !== null;
      return (isPromise ? passesAtMs(reset, exchange, evidence) : null) ?? Number.POSITIVE_INFINITY;
    });
    const [atMs, last] = [Math.max(...passedMs), before.at(-1)];
    return last && atMs + LITTLE_MS <= next.fromMs ? { promise: last.exchange, atMs } : null;
  },

  /** When the waits that all refusals among them asked for have passed. */
  wait(before, next, evidence) {
    const refused = before.filter(({ outcome }) => outcome === 'refused').map(({ exchange }) => exchange);
    const last = refused.at(-1);
    const doAllAsk = refused.every((exchange) => parsedHeaders(exchange).retryAfter !== null);
    if (!last || !doAllAsk || !before.every(({ exchange }) => isWhole(exchange))) return null;
    const refusedMs = Math.max(...refused.map(({ receivedAtMs }) => receivedAtMs));
    const passedMs = before.map(({ exchange, outcome }) => {
      const asked = outcome === 'accepted' ? 0 : (waitAskedSeconds(exchange, evidence)?.most ?? 0);
      // A request accepted after the last refusal may have begun a window that this refusal does not speak of.
      const isLater = outcome === 'accepted' && exchange.receivedAtMs > refusedMs;
      return exchange.receivedAtMs + (isLater ? windowMsOf(evidence) : asked * 1000);
    });
    const atMs = Math.max(...passedMs);
    return atMs <= next.fromMs ? { promise: last, atMs } : null;
  },
};

/** Whether promises were broken at several moments or three times in a row. Less may be one accident. */
export function isBrokenAgain(evidence: Evidence, broken: readonly Promised[]): boolean {
  const byAccount = groupedBy(broken, ({ account }) => account);
  return areApartInTime(broken, evidence) || [...byAccount.values()].some(({ length }) => length > 2);
}

/** How many promises alike must be kept later to show that one was broken by accident. */
const KEPT = 2;

/** Returns a promise to an account that was broken at one moment only, if too few such promises were kept since. */
export function unsettledOf(evidence: Evidence, account: string, kind: PromiseKind): Promised | null {
  const { kept, broken } = promisesTo(evidence, account, kind);
  const all = accountsOf(evidence).flatMap((name) => promisesTo(evidence, name, kind).broken);
  if (isBrokenAgain(evidence, all)) return null;
  const isSettled = (each: Promised) =>
    kept.filter((later) => later.fromMs > each.fromMs && areAlike(later, each, windowMsOf(evidence))).length >= KEPT;
  return broken.some(isSettled) ? null : (broken[0] ?? null);
}

/** Whether two promises are alike: as much ahead, at the same time of a window. Rounding depends on that time. */
function areAlike(one: Promised, other: Promised, windowMs: number): boolean {
  const apartMs = Math.abs(one.promise.sentAtMs - other.promise.sentAtMs) % windowMs;
  return one.seconds === other.seconds && Math.min(apartMs, windowMs - apartMs) < LITTLE_MS;
}

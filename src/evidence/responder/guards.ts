/**
 * Answers of what stands before the server: a guard that counts wrong keys, a limiter before authentication, a gateway
 * without room. They are no rejections and no refusals of its own. Behind them the server may accept the key.
 */
import { catalogue, type Group, nameOf, standsFor } from '../../catalogue/catalogue';
import { parsedHeaders, reportsALimit } from '../http/headers';
import { burstsOf, type Evidence, type Exchange, ofTheApi, once, type Stretch } from '../model';
import { besides, ONE_MOMENT_MS, ownBeside } from '../time/in-flight';
import {
  habitsOf,
  hasShape,
  isAccepted,
  isBroken,
  isRefused,
  isWhole,
  letThrough,
  looksRefused,
  mayBeThrottled,
  saysThrottled,
  shapeOf,
  statusOf,
} from './classify';

/** The shapes of the server's own rejections, of a guard's answers, and of refusals of valid keys. */
export const shapesOf = once((evidence: Evidence) => {
  const whole = evidence.exchanges.filter(isWhole);
  const keyless = whole.filter(({ account }) => account === null);
  // The first request without a key came before any flood: a guard answers it otherwise later. A request right after an
  // accepted read may be charged to the same account.
  const early = keyless.filter(({ probe }) => !catalogue[probe.group].followsARead);
  const refused = whole.filter((exchange) => exchange.account !== null && isRefused(exchange, evidence));
  const refusals = new Set(refused.map(shapeOf));
  const isProper = (exchange: Exchange) =>
    statusOf(exchange) < 500 && !saysThrottled(exchange, evidence) && !refusals.has(shapeOf(exchange));
  const first = early.find(isProper) ?? early[0];
  const own = first && !isAccepted(first) ? shapeOf(first) : null;
  const missing = early.find(({ probe }) => probe.group === 'missing-key');
  const usual = new Set([own, missing && shapeOf(missing)]);
  // During a ban, valid keys get the answer that a guard gives to wrong ones.
  const toWrongKeys = new Set(keyless.map(shapeOf));
  const isOfAGuard = (exchange: Exchange) =>
    exchange.probe.group === 'guard' || (exchange.probe.group === 'ban' && toWrongKeys.has(shapeOf(exchange)));
  const guards = whole.filter((exchange) => !isAccepted(exchange) && isOfAGuard(exchange)).map(shapeOf);
  // A 403 to the first wrong key is a rejection, even with Retry-After, if only wrong keys get it.
  const wrong = early.find(({ probe }) => ['wrong-key-before', 'unknown-key'].includes(probe.group));
  const toWrong = wrong && statusOf(wrong) === 403 && !habitsOf(evidence).statuses.has(403) ? shapeOf(wrong) : null;
  const isOfWrongKeys =
    toWrong !== null &&
    !guards.includes(toWrong) &&
    !whole.some((exchange) => exchange.account !== null && hasShape(exchange, toWrong));
  return {
    own,
    toWrong: isOfWrongKeys ? toWrong : null,
    guards: new Set(guards.filter((shape) => !usual.has(shape))),
    refusals,
  };
});

/** Whether a guard, or a limiter before authentication, answered this request without a valid key. */
export function isVeiled(exchange: Exchange, evidence: Evidence): boolean {
  const { own, toWrong, guards, refusals } = shapesOf(evidence);
  if (exchange.account !== null || !isWhole(exchange) || isAccepted(exchange)) return false;
  if (hasShape(exchange, own) || hasShape(exchange, toWrong)) return false;
  if ([...guards, ...refusals].some((shape) => hasShape(exchange, shape))) return true;
  return mayBeThrottled(exchange) && looksRefused(exchange, evidence);
}

/** Whether a wrong key is asked again, alone: the answer may be about the number of requests and not about the key. */
export function isDoubtful(exchange: Exchange, evidence: Evidence): boolean {
  if (exchange.account !== null) return false;
  if (!isWhole(exchange)) return isBroken(exchange, evidence);
  // The first answer to a missing key may be an accident, which only the same request shows when it is sent again.
  const isOwn = exchange.probe.group !== 'missing-key' && hasShape(exchange, shapesOf(evidence).own);
  return isVeiled(exchange, evidence) || (statusOf(exchange) >= 500 && !isOwn);
}

/**
 * Returns two lists about the requests of some groups without a valid key. `counted`: the answers that count. A veiled one
 * does not, nor a doubtful one that got a clear answer later. `hidden`: the last exchange of each probe that only a guard
 * or a limiter answered.
 */
export function answersWithoutKey(evidence: Evidence, groups: readonly Group[]) {
  const keyless = evidence.exchanges.filter(({ account }) => account === null);
  const asked = keyless.filter(({ probe }) => groups.includes(standsFor(probe).group));
  const last = new Map(asked.map((exchange) => [nameOf(exchange.probe), exchange]));
  const counted = asked.filter((exchange) => {
    if (isVeiled(exchange, evidence)) return false;
    // No request of a flood is asked again.
    if (exchange.probe.group === 'keyless') return !isDoubtful(exchange, evidence);
    const latest = last.get(nameOf(exchange.probe)) ?? exchange;
    return latest === exchange || !isDoubtful(exchange, evidence) || isVeiled(latest, evidence);
  });
  // A flood repeats the requests of other probes.
  const seen = new Set(counted.map(({ probe }) => nameOf(standsFor(probe))));
  const hidden = [...last.values()].filter(({ probe }) => probe.group !== 'keyless' && !seen.has(nameOf(probe)));
  return { counted, hidden };
}

/** Returns the groups of which a request without a valid key was accepted. A preflight may be, and does not count. */
export function letInWithoutKey(exchanges: readonly Exchange[]): ReadonlySet<Group> {
  const letIn = exchanges.filter(
    (exchange) => exchange.account === null && exchange.request.method !== 'OPTIONS' && isAccepted(exchange),
  );
  return new Set(letIn.map(({ probe }) => standsFor(probe).group));
}

/** `toMs` is infinite where the ban did not end. */
interface Ban extends Stretch {
  /** How many requests without a valid key came before the first answer that has the ban's shape. */
  wrongKeys: number;
  /** A refusal of a valid key during the ban. */
  shown: Exchange;
}

/**
 * The stretches in which the valid keys of all accounts were refused after many wrong keys. A refused read of the group
 * `ban` shows one, unless another account is accepted at the same moment: accounts may share a budget. A read after a flood
 * shows one if a guard answers wrong keys like that, even if the ban ended between those reads. A lockout may also reject
 * valid keys as wrong ones: right after requests without a key, several in a row, of which one was accepted before.
 */
export const bansOf = once((evidence: Evidence): readonly Ban[] => {
  const { exchanges } = evidence;
  const isWatch = ({ probe }: Exchange) => probe.group === 'ban';
  const isRead = ({ probe }: Exchange) => probe.group === 'together';
  const { guards, own } = shapesOf(evidence);
  const url = `${evidence.target.baseURL}/webhooks`;
  // A server may reject another spelling of the header as if there was none.
  const isUsual = ({ account, request }: Exchange) =>
    account !== null && request.url === url && request.headers.some(([name]) => name === 'apiKey');
  const isAsWrong = (exchange: Exchange) => isUsual(exchange) && hasShape(exchange, own);
  const refused = exchanges.filter((each) => ((isWatch(each) || isRead(each)) && !isAccepted(each)) || isAsWrong(each));
  if (refused.length === 0) return [];
  const accepted = exchanges.filter((exchange) => exchange.account !== null && isAccepted(exchange));
  const letIn = accepted.filter((exchange) => isWatch(exchange) || isRead(exchange));
  const isShared = ({ sentAtMs }: Exchange) =>
    letIn.some((other) => Math.abs(other.sentAtMs - sentAtMs) < ONE_MOMENT_MS);
  // Some guards answer 429, which is known as theirs only where it is known how the limiter refuses.
  const ofTheLimiter = new Set(burstsOf(evidence).map(shapeOf));
  const isLimiterKnown = burstsOf(evidence).some((exchange) => isWhole(exchange) && !isAccepted(exchange));
  const isOfAGuard = (exchange: Exchange) =>
    guards.has(shapeOf(exchange)) &&
    !ofTheLimiter.has(shapeOf(exchange)) &&
    (isLimiterKnown || !saysThrottled(exchange, evidence));
  const bans: Ban[] = [];
  for (const shown of refused) {
    if (bans.some(({ toMs }) => shown.sentAtMs < toMs)) continue;
    const before = accepted.map(({ receivedAtMs }) => receivedAtMs).filter((ms) => ms <= shown.sentAtMs);
    const after = accepted.map(({ sentAtMs }) => sentAtMs).filter((ms) => ms >= shown.receivedAtMs);
    const toMs = Math.min(...after);
    const fromMs = Math.max(0, ...before);
    const within = exchanges.filter(({ sentAtMs, receivedAtMs }) => sentAtMs >= fromMs && receivedAtMs <= toMs);
    const isLockout = () => {
      const rejected = within.filter(isAsWrong);
      const wasAccepted = ({ account }: Exchange) =>
        accepted.some((each) => each.account === account && each.receivedAtMs <= fromMs);
      const isAfterWrongKeys = within.some(({ account, sentAtMs }) => account === null && sentAtMs < shown.sentAtMs);
      return toMs < Number.POSITIVE_INFINITY && isAfterWrongKeys && rejected.length > 1 && rejected.some(wasAccepted);
    };
    // A refusal that reports the limit is the limiter's, if requests without a key are rejected as ever meanwhile.
    const isOfTheLimiter =
      reportsALimit(shown) && within.some((each) => isLaterKeyless(each, shown) && hasShape(each, own));
    const isOfOne = () => mayBan(shown) && !isOfTheLimiter && (isWatch(shown) ? !isShared(shown) : isOfAGuard(shown));
    if (!(isAsWrong(shown) ? isLockout() : isOfOne())) continue;
    const isAlike = (exchange: Exchange) => hasShape(exchange, shapeOf(shown));
    // A server that has stopped answers everybody with an error, to the end.
    const isToAll = exchanges.some((each) => each.account === null && each.sentAtMs > shown.sentAtMs && isAlike(each));
    if (toMs === Number.POSITIVE_INFINITY && statusOf(shown) >= 500 && isToAll) continue;
    const isOfTheBan = isAsWrong(shown) ? isAsWrong : isAlike;
    const began = within.find(isOfTheBan) ?? shown;
    const wrong = exchanges.filter(({ account, sentAtMs }) => account === null && sentAtMs < began.sentAtMs);
    const wrongKeys = wrong.filter((exchange) => !isOfTheBan(exchange)).length;
    bans.push({ fromMs, toMs, wrongKeys, shown });
  }
  return bans;
});

const isLaterKeyless = ({ account, sentAtMs }: Exchange, other: Exchange): boolean =>
  account === null && sentAtMs >= other.receivedAtMs;

/** Whether a ban may have turned a request away: broken off, or with a 4xx or 503. */
function mayBan(exchange: Exchange): boolean {
  if (!isWhole(exchange)) return exchange.fault?.kind !== 'unreachable';
  return statusOf(exchange) < 500 || statusOf(exchange) === 503;
}

/**
 * The answers to valid keys that look like refusals but came from a gateway. They say nothing about a limit. One without
 * room gave them while other requests were under way: no refusal of a request that was alone has their shape, or, where
 * there is no such refusal, none of a request whose budget was used up. One that limits addresses gave them to requests
 * without a key as well, and the server itself refuses in another way.
 */
export const refusedByGateway = once((evidence: Evidence): ReadonlySet<Exchange> => {
  const refused = ofTheApi(evidence).filter((exchange) => isRefused(exchange, evidence));
  const bare = refused.filter(isBare);
  const isAlone = (exchange: Exchange) => besides(exchange, evidence).length === 0;
  // A gateway passes on as many requests as it has room for.
  const isPassedOn = (beside: Exchange) => (other: Exchange) => isWhole(other) && shapeOf(other) !== shapeOf(beside);
  const ofOneMoment = bare.filter((each) => mayLackRoom(each) && besides(each, evidence).some(isPassedOn(each)));
  const alone = new Set(refused.filter(isAlone).map(shapeOf));
  // A server that refuses single requests in another way refuses nothing in this one.
  const isUsedUp = (exchange: Exchange) => alone.size === 0 && !hadBudget(exchange, evidence);
  const shapes = new Set([...alone, ...ofOneMoment.filter(isUsedUp).map(shapeOf)]);
  const keyless = bare.length < refused.length ? evidence.exchanges.filter(({ account }) => account === null) : [];
  const toAll = [...new Set(keyless.filter(isBare).map(shapeOf))];
  return new Set([
    ...ofOneMoment.filter((exchange) => !shapes.has(shapeOf(exchange))),
    ...bare.filter((exchange) => toAll.some((shape) => hasShape(exchange, shape))),
  ]);
});

function isBare(exchange: Exchange): boolean {
  return isWhole(exchange) && !reportsALimit(exchange) && [429, 503].includes(statusOf(exchange));
}

/** Whether a gateway without room may have given an answer. Retry-After is usual on any 503 (RFC 9110 section 15.6.4). */
function mayLackRoom(exchange: Exchange): boolean {
  return statusOf(exchange) === 503 || parsedHeaders(exchange).retryAfter === null;
}

/** Whether an account had fewer accepted requests than the rate allows in the window before a request was answered. */
export function hadBudget(exchange: Exchange, evidence: Evidence): boolean {
  const { requests, seconds } = evidence.target.rate;
  return letThrough(ownBeside(exchange, evidence, seconds * 1000), evidence).length < requests;
}

/** The requests of each account and their outcomes, as decisions of a limiter. */
import { LITTLE_MS, longestHonestSeconds, type Rate } from '../contract/bounds';
import { parsedHeaders } from '../evidence/http/headers';
import { type Evidence, type Exchange, isAtTheBase, isRespelled, once, type Stretch } from '../evidence/model';
import { isRefused, isWhole, letThrough, statusOf } from '../evidence/responder/classify';
import { interruptionsOf } from '../evidence/responder/failures';
import { refusedByGateway } from '../evidence/responder/guards';
import { besides, ownOf } from '../evidence/time/in-flight';
import { isStored, passesAtMs, secondsAhead, setBackIn, waitAskedSeconds } from '../evidence/time/server-clock';
import { type Decision, isExplained, lookup, mostHeld, type Options, type User } from './level';

/** A request with an account's key and its outcome. */
export interface Answered extends Decision {
  exchange: Exchange;
  account: string;
  outcome: 'accepted' | 'refused' | 'other';
  /** Whether it was refused because of the rate, however it was spelled. */
  isOut: boolean;
  /** When the waits that earlier refusals asked for are certainly over. */
  heldUntilMs: number;
  /** Whether no other request of its account was under way meanwhile. */
  isAlone: boolean;
}

export const accountsOf = ({ target }: Evidence): string[] => target.accounts.map(({ name }) => name);
export const windowMsOf = ({ target }: Evidence): number => target.rate.seconds * 1000;

/** Returns `compute` with its values remembered until more exchanges come. */
export function oncePer<A extends readonly (string | number | undefined)[], T>(
  compute: (evidence: Evidence, ...about: A) => T,
) {
  const knownIn = once((_: Evidence) => new Map<string, T>());
  return (evidence: Evidence, ...about: A): T => {
    const known = knownIn(evidence);
    const key = about.join('\n');
    const value = known.get(key) ?? compute(evidence, ...about);
    known.set(key, value);
    return value;
  };
}

/** Returns all requests with an account's key and their outcomes, in the order of sending. */
export const timelineOf = oncePer((evidence, account: string): readonly Answered[] => {
  const own = ownOf(evidence, account);
  const through = new Set(letThrough(own, evidence));
  const byGateway = refusedByGateway(evidence);
  const decisions = own.map((exchange): Answered => {
    const isOut = isWhole(exchange) && isRefused(exchange, evidence) && !byGateway.has(exchange);
    return {
      exchange,
      account,
      fromMs: exchange.sentAtMs,
      toMs: exchange.receivedAtMs,
      // A server may count another spelling otherwise, which `rate.no-bypass` judges, or count a request that was sent twice.
      outcome:
        isRespelled(exchange) || exchange.resent
          ? 'other'
          : through.has(exchange)
            ? 'accepted'
            : isOut
              ? 'refused'
              : 'other',
      left: isStored(exchange, evidence) ? null : parsedHeaders(exchange).remaining,
      isOut,
      heldUntilMs: Number.NEGATIVE_INFINITY,
      isAlone: own.every(
        (other) =>
          other === exchange || other.receivedAtMs <= exchange.sentAtMs || other.sentAtMs >= exchange.receivedAtMs,
      ),
    };
  });
  // The server may decide about an unanswered request as late as about the next one.
  for (const [i, each] of decisions.entries())
    if (!isWhole(each.exchange)) each.toMs = Math.max(each.toMs, decisions[i + 1]?.toMs ?? 0);
  const longestSeconds = longestHonestSeconds(evidence.target.rate);
  const askedUntilMs = lookup(({ exchange, toMs }: Answered) => {
    const asked = waitAskedSeconds(exchange, evidence)?.most ?? 0;
    return toMs + 1000 * Math.min(longestSeconds, asked);
  });
  for (const each of decisions) {
    // An accepted request ends the wait that refusals before it asked for.
    const row = rowBefore(each, decisions);
    each.heldUntilMs = Math.max(Number.NEGATIVE_INFINITY, ...row.map(askedUntilMs));
  }
  return decisions;
});

/** Returns the refusals since the last accepted request of the account before a request. */
export function rowBefore({ fromMs }: Decision, own: readonly Answered[]): Answered[] {
  const before = own.filter(({ toMs }) => toMs <= fromMs);
  const throughMs = before.findLast(({ outcome }) => outcome === 'accepted')?.fromMs ?? 0;
  return before.filter(({ isOut, toMs }) => isOut && toMs > throughMs);
}

/** Whether a request came after the Reset of each refusal since the last accepted one. */
export function keptItsReset(each: Answered, evidence: Evidence): boolean {
  const own = timelineOf(evidence, each.account);
  return rowBefore(each, own).every(({ exchange }) => {
    const { reset } = parsedHeaders(exchange);
    if (reset === null || secondsAhead(reset, exchange, evidence).least > longestHonestSeconds(evidence.target.rate))
      return true;
    const passedMs = passesAtMs(reset, exchange, evidence);
    return passedMs === null || passedMs <= each.fromMs;
  });
}

/** Returns a limiter's decisions. What was neither accepted nor refused may have been charged, no more. */
export function userOf(decisions: readonly Answered[]): Required<User<Answered>> {
  return {
    accepted: decisions.filter(({ outcome }) => outcome === 'accepted'),
    refused: decisions.filter(({ outcome }) => outcome === 'refused'),
    charged: decisions.filter(({ outcome }) => outcome !== 'refused'),
  };
}

/** The stretches in which the server may have forgotten its counts. */
const breaksOf = once((evidence: Evidence): Stretch[] => {
  const back = setBackIn(evidence);
  return [...(back ? [back] : []), ...interruptionsOf(evidence)].sort((a, b) => a.fromMs - b.fromMs);
});

/** Whether some limiter of a rate can have taken these decisions before and after each restart. @param rate default: declared */
export function areExplained(
  { accepted, refused = [], charged = [] }: User,
  evidence: Evidence,
  rate: Rate = evidence.target.rate,
  options: Options = {},
): boolean {
  const breaks = breaksOf(evidence);
  return [...breaks, null].every((end, i) => {
    const sinceMs = breaks[i - 1]?.toMs ?? Number.NEGATIVE_INFINITY;
    const isOf = ({ fromMs, toMs }: Decision) => fromMs >= sinceMs && toMs <= (end?.fromMs ?? Number.POSITIVE_INFINITY);
    // Soon after a restart, requests may be refused for those charged before it.
    const isLater = ({ fromMs }: Decision) => fromMs >= sinceMs + windowMsOf(evidence) + LITTLE_MS;
    const side = {
      accepted: accepted.filter(isOf),
      refused: refused.filter((each) => isOf(each) && isLater(each)),
      charged: charged.filter(isOf),
    };
    return isExplained(side, rate, options);
  });
}

/** How many accepted requests of an account are compared, which bounds the work on a server without a limit. */
const MOST_COMPARED = 100;

/** The pairs of accounts that each keep the rate, but not together: each account has its own budget. */
const pairsApart = once((evidence: Evidence): ReadonlySet<string> => {
  const keepsRate = (accepted: readonly Decision[]) =>
    isExplained({ accepted }, evidence.target.rate, {
      families: ['windows that begin with a request', 'fixed windows', 'a bucket', 'a bucket refilled at ticks'],
    });
  const limited = accountsOf(evidence)
    .map((name) => ({ name, accepted: userOf(timelineOf(evidence, name)).accepted.slice(0, MOST_COMPARED) }))
    .filter(({ accepted }) => keepsRate(accepted));
  const pairs = limited.flatMap((one, i) => limited.slice(i + 1).map((other) => [one, other] as const));
  const apart = pairs.filter(([one, other]) => !keepsRate([...one.accepted, ...other.accepted]));
  return new Set(apart.map(([one, other]) => pairOf(one.name, other.name)));
});

const pairOf = (account: string | null, other: string | null): string => [account, other].sort().join('\n');

/** Whether one budget for all accounts explains all that was accepted. */
export const mayAllShare = once((evidence: Evidence): boolean => {
  const accepted = accountsOf(evidence).flatMap((name) =>
    userOf(timelineOf(evidence, name)).accepted.slice(0, MOST_COMPARED),
  );
  return isExplained({ accepted }, evidence.target.rate);
});

/** Whether two accounts are known to have budgets of their own. */
export function areApart(account: string | null, other: string | null, evidence: Evidence): boolean {
  return pairsApart(evidence).has(pairOf(account, other));
}

/**
 * Whether no request of another account or without a key can have influenced an answer.
 * @param beforeMs how long a limiter may remember such requests; by default a window and a little
 */
export function isUndisturbed(
  exchange: Exchange,
  evidence: Evidence,
  beforeMs = windowMsOf(evidence) + LITTLE_MS,
): boolean {
  const { account } = exchange;
  return besides(exchange, evidence, beforeMs).every(
    (other) => other.account === account || areApart(other.account, account, evidence),
  );
}

/**
 * The refusals of an account that no limiter of a limit explains by the account's own requests: fewer than the limit can
 * have been charged, refused ones included, and every wait that was asked for was kept.
 */
export const oddRefusals = oncePer((evidence, account: string, limit?: number): Answered[] => {
  const own = timelineOf(evidence, account);
  const requests = limit ?? evidence.target.rate.requests;
  const rate = { ...evidence.target.rate, requests };
  const charged = own.filter(({ outcome }) => outcome !== 'refused');
  let odd = own.filter(({ outcome }) => outcome === 'refused');
  // An explained refusal may be charged as well, so look again until nothing changes.
  for (let before = -1; before !== charged.length; ) {
    before = charged.length;
    const explained = new Set(
      odd.filter((each) => each.heldUntilMs + LITTLE_MS > each.fromMs || mostHeld(each, charged, rate) > requests),
    );
    charged.push(...explained);
    odd = odd.filter((each) => !explained.has(each));
  }
  const back = setBackIn(evidence);
  const isBack = ({ fromMs, toMs }: Answered) =>
    back !== null && back.fromMs <= toMs && back.toMs >= fromMs - 2 * windowMsOf(evidence);
  return odd.filter((each) => !isBack(each));
});

/** Single requests with budget left: no limiter of the rate can have held anything against them. */
export const withRoom = oncePer((evidence, account: string): Answered[] => {
  const { rate } = evidence.target;
  const own = timelineOf(evidence, account);
  const { charged } = userOf(own);
  return own.filter(
    (each, i) =>
      i > 0 &&
      each.isAlone &&
      each.fromMs >= each.heldUntilMs &&
      isSpaced(each, own, windowMsOf(evidence)) &&
      mostHeld(each, charged, rate, 0) <= rate.requests + 1e-9,
  );
});

/** Whether a request kept a distance from all earlier requests of its account. */
export function isSpaced(each: Answered, own: readonly Answered[], distanceMs: number): boolean {
  return own.every((other) => other === each || other.fromMs > each.fromMs || other.toMs <= each.fromMs - distanceMs);
}

/** Whether a request came after a silence longer than a limiter of the rate remembers. */
export function isAfterSilence(each: Answered, evidence: Evidence): boolean {
  const own = timelineOf(evidence, each.account);
  return isSpaced(each, own, longestHonestSeconds(evidence.target.rate) * 1000);
}

/** Whether a request was refused, and so were all requests of its account that were under way meanwhile. */
export function isWhollyRefused({ account, fromMs, toMs }: Answered, evidence: Evidence): boolean {
  const own = timelineOf(evidence, account);
  return own.every((other) => other.outcome === 'refused' || other.fromMs >= toMs || other.toMs <= fromMs);
}

/** Whether a request belongs to a burst of which nothing was accepted. */
export function isOfEmptyBurst(each: Answered, evidence: Evidence): boolean {
  return !each.isAlone && isWhollyRefused(each, evidence);
}

/** Whether the first and the last of some requests are at least a window apart: closer ones may be one accident. */
export function areApartInTime(some: readonly Answered[], evidence: Evidence): boolean {
  const sentAtMs = some.map(({ fromMs }) => fromMs);
  return Math.max(...sentAtMs) - Math.min(...sentAtMs) >= windowMsOf(evidence);
}

/** What luck explains less often than this is no luck. */
const SELDOM = 1 / 500;

/**
 * Whether luck does not explain that something happened so often.
 * @param shares how often luck brings it about each time (0 to 1)
 * @param chances how often it could have happened
 */
export function isNoLuck(shares: readonly number[], chances: number): boolean {
  // Multiplied by the number of ways to choose these among all.
  return shares.reduce((odds, share, i) => (odds * share * (chances - i)) / (i + 1), 1) < SELDOM;
}

/** Whether a request was for one of the two described addresses. */
export function isDescribed({ request }: Exchange, { target }: Evidence): boolean {
  return [`${target.baseURL}/`, `${target.baseURL}/webhooks`].includes(request.url);
}

/** Whether a request to the base path failed when the budget was used up: an accident, or its way to refuse. */
export function hasFailedOverLimit(exchange: Exchange, evidence: Evidence): boolean {
  const hasFailed = isWhole(exchange) ? statusOf(exchange) >= 500 : exchange.fault?.kind !== 'unreachable';
  return exchange.probe.group === 'paths' && isAtTheBase(exchange) && hasFailed && !isRefused(exchange, evidence);
}

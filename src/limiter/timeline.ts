/** What was asked with each account's key and what became of it, as decisions of a limiter. */
import { LITTLE_MS, longestHonestSeconds, type Rate } from '../contract/bounds';
import { parsedHeaders } from '../evidence/http/headers';
import { type Evidence, type Exchange, isAtTheBase, isRespelled, once, type Stretch } from '../evidence/model';
import { isRefused, isWhole, letThrough, statusOf } from '../evidence/responder/classify';
import { interruptionsOf } from '../evidence/responder/failures';
import { refusedForRoom } from '../evidence/responder/guards';
import { besides, ownOf } from '../evidence/time/in-flight';
import { isStored, passesAtMs, secondsAhead, setBackIn, waitAskedSeconds } from '../evidence/time/server-clock';
import { type Decision, isExplained, lookup, mostHeld, type Options, type User } from './level';

/** What became of one request with an account's key. */
export interface Answered extends Decision {
  exchange: Exchange;
  outcome: 'accepted' | 'refused' | 'other';
  /** When it has certainly waited as earlier refusals asked. */
  heldUntilMs: number;
  /** Whether nothing else of its account was under way meanwhile. */
  isAlone: boolean;
}

export const accountsOf = ({ target }: Evidence): string[] => target.accounts.map(({ name }) => name);
export const windowMsOf = ({ target }: Evidence): number => target.rate.seconds * 1000;

/** Returns a function that computes each of its values once for each state of the evidence. */
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

/** Returns what became of all requests with an account's key, in the order of sending. */
export const timelineOf = oncePer((evidence, account: string): readonly Answered[] => {
  const own = ownOf(evidence, account);
  const through = new Set(letThrough(own, evidence));
  const forRoom = refusedForRoom(evidence);
  const decisions = own.map((exchange): Answered => {
    const isOut = isWhole(exchange) && isRefused(exchange, evidence) && !forRoom.has(exchange);
    return {
      exchange,
      fromMs: exchange.sentAtMs,
      toMs: exchange.receivedAtMs,
      // A server may count such a request otherwise, and `rate.no-bypass` judges that.
      outcome: isRespelled(exchange) ? 'other' : through.has(exchange) ? 'accepted' : isOut ? 'refused' : 'other',
      left: isStored(exchange, evidence) ? null : parsedHeaders(exchange).remaining,
      heldUntilMs: Number.NEGATIVE_INFINITY,
      isAlone: own.every(
        (other) =>
          other === exchange || other.receivedAtMs <= exchange.sentAtMs || other.sentAtMs >= exchange.receivedAtMs,
      ),
    };
  });
  // The server may decide about what was not answered as late as about the next one.
  for (const [i, each] of decisions.entries())
    if (!isWhole(each.exchange)) each.toMs = Math.max(each.toMs, decisions[i + 1]?.toMs ?? 0);
  const longestSeconds = longestHonestSeconds(evidence.target.rate);
  const askedUntilMs = lookup(({ exchange, toMs }: Answered) => {
    const asked = waitAskedSeconds(exchange, evidence)?.most ?? 0;
    return toMs + 1000 * Math.min(longestSeconds, asked);
  });
  for (const each of decisions) {
    // What was accepted later ended what a refusal before it speaks of.
    const row = rowBefore(each, decisions);
    each.heldUntilMs = Math.max(Number.NEGATIVE_INFINITY, ...row.map(askedUntilMs));
  }
  return decisions;
});

/** Returns the refusals before a request since one of its account was last let through. */
export function rowBefore({ fromMs }: Decision, own: readonly Answered[]): Answered[] {
  const before = own.filter(({ toMs }) => toMs <= fromMs);
  const throughMs = before.findLast(({ outcome }) => outcome === 'accepted')?.fromMs ?? 0;
  return before.filter(({ outcome, toMs }) => outcome === 'refused' && toMs > throughMs);
}

/** Whether the Reset of each refusal since the last accepted request has passed: it shows how long a block lasts. */
export function keptItsReset(each: Answered, evidence: Evidence): boolean {
  const own = timelineOf(evidence, each.exchange.account ?? '');
  return rowBefore(each, own).every(({ exchange }) => {
    const { reset } = parsedHeaders(exchange);
    if (reset === null || secondsAhead(reset, exchange, evidence).least > longestHonestSeconds(evidence.target.rate))
      return true;
    const passedMs = passesAtMs(reset, exchange, evidence);
    return passedMs === null || passedMs <= each.fromMs;
  });
}

/** What a limiter decided. A request that was sent twice, or not answered in full, was charged perhaps, and shows no more. */
export function userOf(decisions: readonly Answered[]): Required<User<Answered>> {
  const whole = decisions.filter(({ exchange }) => isWhole(exchange) && !exchange.resent);
  return {
    accepted: whole.filter(({ outcome }) => outcome === 'accepted'),
    refused: whole.filter(({ outcome }) => outcome === 'refused'),
    charged: decisions.filter(({ outcome }) => outcome !== 'refused'),
  };
}

/** When the server may have forgotten what it had counted. */
const breaksOf = once((evidence: Evidence): Stretch[] => {
  const back = setBackIn(evidence);
  return [...(back ? [back] : []), ...interruptionsOf(evidence)].sort((a, b) => a.fromMs - b.fromMs);
});

/** Whether some limiter of a rate, by default the declared one, took these decisions, on each side of a restart. */
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
    // What came soon after may have been refused for what was charged before.
    const isLater = ({ fromMs }: Decision) => fromMs >= sinceMs + windowMsOf(evidence) + LITTLE_MS;
    const side = {
      accepted: accepted.filter(isOf),
      refused: refused.filter((each) => isOf(each) && isLater(each)),
      charged: charged.filter(isOf),
    };
    return isExplained(side, rate, options);
  });
}

/** This many accepted requests show an account's budget. The number bounds the work on a server without a limit. */
const MOST_COMPARED = 100;

/** The pairs of accounts of which each keeps the rate, and both together do not: they have budgets of their own. */
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

const pairOf = (account: string, other: string): string => [account, other].sort().join('\n');

/** Whether one budget of the declared rate for all accounts explains everything that was accepted. */
export const mayAllShare = once((evidence: Evidence): boolean => {
  const accepted = accountsOf(evidence).flatMap((name) =>
    userOf(timelineOf(evidence, name)).accepted.slice(0, MOST_COMPARED),
  );
  return isExplained({ accepted }, evidence.target.rate);
});

/** Whether accounts are known to have budgets of their own. */
export function areApart(account: string | null, other: string | null, evidence: Evidence): boolean {
  return account !== null && other !== null && pairsApart(evidence).has(pairOf(account, other));
}

/**
 * Whether nobody else's requests can have had a part in an answer.
 * @param beforeMs how long before its request a limiter may remember them; by default a window and a little
 */
export function isUndisturbed(
  exchange: Exchange,
  evidence: Evidence,
  beforeMs = windowMsOf(evidence) + LITTLE_MS,
): boolean {
  const { account } = exchange;
  return besides(exchange, evidence, beforeMs).every(
    (other) => (other.account === account && account !== null) || areApart(other.account, account, evidence),
  );
}

/**
 * The refusals of an account that no limiter of a limit decides by the account's own requests, whatever its shape: less
 * than the limit can have been charged, refused requests included, and every wait that was asked for was kept.
 */
export const oddRefusals = oncePer((evidence, account: string, limit?: number): Answered[] => {
  const own = timelineOf(evidence, account);
  const requests = limit ?? evidence.target.rate.requests;
  const rate = { ...evidence.target.rate, requests };
  const charged = own.filter(({ outcome }) => outcome !== 'refused');
  let odd = own.filter(({ outcome }) => outcome === 'refused');
  // A refused request may be charged as well, once it is explained.
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
  return odd.filter((each) => !each.exchange.resent && !isBack(each));
});

/** Single requests with room, whatever became of them: no limiter of the rate can have held anything against them. */
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

/** Whether a request kept a distance from everything of its account before it. */
export function isSpaced(each: Answered, own: readonly Answered[], distanceMs: number): boolean {
  return own.every((other) => other === each || other.fromMs > each.fromMs || other.toMs <= each.fromMs - distanceMs);
}

/** Whether a request came after a time longer than a limiter of the rate remembers: then only another client has it refused. */
export function isAfterSilence(each: Answered, evidence: Evidence): boolean {
  const own = timelineOf(evidence, each.exchange.account ?? '');
  return isSpaced(each, own, longestHonestSeconds(evidence.target.rate) * 1000);
}

/** Whether a request was refused, and so was everything of its account that was under way meanwhile. */
export function isWhollyRefused({ exchange, fromMs, toMs, outcome }: Answered, evidence: Evidence): boolean {
  const own = timelineOf(evidence, exchange.account ?? '');
  const burst = own.filter((other) => other.fromMs < toMs && other.toMs > fromMs);
  return outcome === 'refused' && burst.every((other) => other.outcome === 'refused' && !other.exchange.resent);
}

/** Whether a request was refused at one moment with others of its account, and none of them was let in. */
export function isOfEmptyBurst(each: Answered, evidence: Evidence): boolean {
  return !each.isAlone && isWhollyRefused(each, evidence);
}

/** Whether moments are at least a window apart: all of one may be one accident. */
export function areApartInTime(some: readonly Answered[], evidence: Evidence): boolean {
  const sentAtMs = some.map(({ fromMs }) => fromMs);
  return Math.max(...sentAtMs) - Math.min(...sentAtMs) >= windowMsOf(evidence);
}

/** Whether a request was for one of the two described paths, by its plain address. */
export function isDescribed({ request }: Exchange, { target }: Evidence): boolean {
  return [`${target.baseURL}/`, `${target.baseURL}/webhooks`].includes(request.url);
}

/** Whether a request to the base path failed where the budget is used up: an accident, or how it refuses. */
export function hasFailedOverLimit(exchange: Exchange, evidence: Evidence): boolean {
  const hasFailed = isWhole(exchange) ? statusOf(exchange) >= 500 : exchange.fault?.kind !== 'unreachable';
  return exchange.probe.group === 'paths' && isAtTheBase(exchange) && hasFailed && !isRefused(exchange, evidence);
}

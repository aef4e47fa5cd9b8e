/**
 * Why requests that had room were refused. No limiter of the declared rate explains that, so another cause does: a longer
 * limit, another client of the key, or chance. Each is left until something of the evidence contradicts it. A limiter is
 * the same program for all accounts and at all times; another client uses one key, now and then.
 */

import { groupedBy } from '../common/grouped';
import { LITTLE_MS, longestHonestSeconds, ROUNDING_SECONDS } from '../contract/bounds';
import { saidBy } from '../evidence/http/headers';
import { once } from '../evidence/memoize';
import type { Evidence, Exchange } from '../evidence/model';
import { isAccepted, isRefused, isWhole, letThrough } from '../evidence/responder/classify';
import { isOfTheApi } from '../evidence/select';
import { beginningsOf, isSpaced, keptItsReset, ownOf, type Turn, turnsOf } from '../evidence/time/gaps';
import { type Range, secondsAhead, waitAskedSeconds } from '../evidence/time/server-clock';
import { SLACK_MS } from './decisions';
import {
  doBlocksExplain,
  doLongerLimitsExplain,
  explainingWindowSeconds,
  isOutOfTheBlue,
  TELLING_REQUESTS,
} from './longer-limits';
import { talliesOf } from './remaining';
import { acceptedWithRoom, areBurstsSplit, chargedOf, refusedWithRoom, sinceLastMs } from './room';

export type Cause = 'a longer limit' | 'another client' | 'chance';

/** The causes, each with what contradicts it for an account. */
const CONTRADICTIONS: Readonly<Record<Cause, (evidence: Evidence, account: string) => readonly Exchange[]>> = {
  'a longer limit': (evidence, account) => [
    ...refusedUnlessLonger(evidence, account),
    ...(talliesOf(evidence).foreign.get(account) ?? []),
  ],
  'another client': (evidence, account) => {
    const others = evidence.target.accounts.filter(({ name }) => name !== account);
    const refused = others.flatMap(({ name }) => refusedWithRoom(evidence, name, { besideOthers: true }));
    return [...refused, ...refusedRegularly(evidence, account)];
  },
  chance: (evidence) => [...refusedTooOften(evidence).values()].flat(),
};

/** Returns the causes that nothing of the evidence contradicts. */
export function causesLeft(evidence: Evidence, account: string): ReadonlySet<Cause> {
  if (otherClients(evidence).has(account)) return new Set(['another client']);
  const causes = (Object.keys(CONTRADICTIONS) as Cause[]).filter(
    // Of a key that was never accepted again, the server itself may have locked it out.
    (cause) => cause === 'a longer limit' || CONTRADICTIONS[cause](evidence, account).length === 0,
  );
  return new Set(causes);
}

/** The accounts whose keys another client uses, each with the responses that contradict a longer limit. */
export const otherClients = once((evidence: Evidence): ReadonlyMap<string, readonly Exchange[]> => {
  const found = evidence.target.accounts.map(({ name }) => {
    const lastAcceptedMs = letThrough(ownOf(evidence, name), evidence).at(-1)?.sentAtMs ?? 0;
    const all = CONTRADICTIONS['a longer limit'](evidence, name);
    const isForGood = (exchange: Exchange) => isRefused(exchange, evidence) && exchange.receivedAtMs > lastAcceptedMs;
    const isAlone = isRefusedAlone(evidence, name);
    const shown = all.filter((exchange) => isAlone || !isForGood(exchange));
    return [name, [...new Set(shown)]] as const;
  });
  return new Map(found.filter(([, shown]) => shown.length > 0));
});

/** So seldom other accounts are let in by chance as often as they were. */
const SELDOM = 0.05;

/**
 * Whether an account alone was refused, though others were let in after no more time, at several moments: a limiter is the
 * same program for all. Longer windows that explain everything do that by chance, the longer the seldomer. Where several
 * requests fit into a window, only a refusal after a silence tells that.
 */
function isRefusedAlone(evidence: Evidence, account: string): boolean {
  const { rate, accounts } = evidence.target;
  const others = accounts.map(({ name }) => name).filter((name) => name !== account);
  const sinceMs = sinceChargedIn(evidence);
  const leastMs = rate.requests === 1 ? 0 : longestHonestSeconds(rate) * 1000;
  const refusedOthers = others.map((name) => refusedWithRoom(evidence, name, { bursts: true }));
  // One refusal may be chance, and refusals of several accounts at one moment may have one cause.
  const own = refusedWithRoom(evidence, account, { bursts: true })
    .filter((exchange) => sinceMs(exchange) >= leastMs)
    .filter(({ sentAtMs }) =>
      refusedOthers.flat().every((other) => Math.abs(other.sentAtMs - sentAtMs) > rate.seconds * 1000),
    );
  if (own.length < 2 || refusedOthers.some(({ length }) => length > 1) || doBlocksExplain(evidence)) return false;
  // An account with a limit of its own is let in whenever it waits longer, and is told to.
  const kept = acceptedWithRoom(evidence, account);
  const isLimited = kept.length >= TELLING_REQUESTS && doesWaitingHelp(own, kept, sinceMs);
  if (isLimited && isToldMore(evidence, account)) return false;
  const longestMs = Math.max(...own.map(sinceMs));
  // What this run sent over the rate may have shut it out. One other that is let in after as much shows that it did not.
  const isAfterExcess = (exchange: Exchange) => !isOutOfTheBlue(exchange, evidence);
  const areShutOut = own.every(isAfterExcess);
  // A burst of several requests that a budget was whole for shows as much as a single one. What came before the first
  // refusal tells of no difference: a limit for all may have begun to refuse.
  const letIn = others
    .flatMap((name) => acceptedWithRoom(evidence, name, { bursts: evidence.target.rate.requests > 1 }))
    .filter(({ sentAtMs }) => sentAtMs > (own[0]?.sentAtMs ?? 0))
    .filter((exchange) => sinceMs(exchange) <= longestMs && (!areShutOut || isAfterExcess(exchange)))
    .sort((a, b) => a.sentAtMs - b.sentAtMs);
  // Windows of one clock end for all accounts at one moment.
  const apart = letIn.filter(({ sentAtMs }, i) => i === 0 || sentAtMs - (letIn[i - 1]?.sentAtMs ?? 0) > LITTLE_MS);
  const seconds = explainingWindowSeconds(evidence);
  const share = (exchange: Exchange) => (seconds === null ? 0 : sinceMs(exchange) / (seconds * 1000));
  return (
    apart.length >= (areShutOut ? 1 : TELLING_REQUESTS) &&
    apart.reduce((chance, each) => chance * share(each), 1) < SELDOM
  );
}

/** Whether an account is told of a moment further ahead than the others are, and than the window that is declared. */
function isToldMore(evidence: Evidence, account: string): boolean {
  const { rate, accounts } = evidence.target;
  const others = accounts.map(({ name }) => name).filter((name) => name !== account);
  const mostToldSeconds = Math.max(...others.flatMap((name) => toldTo(name, evidence)).map(({ most }) => most));
  const mostSeconds = Math.max(rate.seconds + ROUNDING_SECONDS, mostToldSeconds);
  return toldTo(account, evidence).some(({ least }) => least > mostSeconds);
}

/** How far ahead the moments are, in seconds, that the answers to an account name. */
function toldTo(account: string, evidence: Evidence): Range[] {
  const ahead = ownOf(evidence, account).flatMap((exchange) => {
    const { reset } = saidBy(exchange);
    const resetAhead = reset === null ? null : secondsAhead(reset, exchange, evidence);
    return [resetAhead, waitAskedSeconds(exchange, evidence)];
  });
  return ahead.filter((range) => range !== null);
}

/** Returns how many milliseconds after the last charged request of its account a request came. */
function sinceChargedIn(evidence: Evidence): (exchange: Exchange) => number {
  const charged = new Map(evidence.target.accounts.map(({ name }) => [name, chargedOf(evidence, name)]));
  return (exchange) => sinceLastMs(exchange, charged.get(exchange.account ?? '') ?? []);
}

/** Whether a longer limit alone explains the refusals of an account. */
export function isPlainlyStricter(evidence: Evidence): boolean {
  return evidence.target.accounts.some(({ name }) => {
    const left = causesLeft(evidence, name);
    return left.size === 1 && left.has('a longer limit');
  });
}

/** Whether only another client's requests would explain the refusals of an account, if it is accepted again later. */
export function mayBeAnotherClient(evidence: Evidence, account: string): boolean {
  return refusedUnlessLonger(evidence, account).length > 0;
}

/**
 * Returns, by account, the refusals that are no chance: two of one account, or one of each of several if longer windows
 * explain them all. One before the Reset of the refusal before it is what that told.
 */
export function refusedTooOften(evidence: Evidence): Map<string, Exchange[]> {
  const refused = evidence.target.accounts.map(({ name }) => {
    const turns = new Map(turnsOf(evidence, name).map((turn) => [turn.next, turn]));
    const isLate = (exchange: Exchange) => keptItsReset(turns.get(exchange) as Turn, evidence);
    return [name, refusedWithRoom(evidence, name).filter(isLate)] as const;
  });
  const isOfAll = explainingWindowSeconds(evidence) !== null && refused.flatMap(([, some]) => some).length > 1;
  return new Map(refused.filter(([, some]) => some.length > (isOfAll ? 0 : 1)));
}

/** Refusals of an account that no limiter, however long, explains by the requests of this run. */
function refusedUnlessLonger(evidence: Evidence, account: string): Exchange[] {
  if (isRefusedAlone(evidence, account)) return refusedWithRoom(evidence, account, { bursts: true });
  const isAsDeclared = showsDeclaredRate(evidence, account);
  if (!isAsDeclared && explainingWindowSeconds(evidence) !== null) return [];
  return [
    ...(isAsDeclared ? refusedWithRoom(evidence, account, { evenIfAsked: true }) : []),
    ...refusedAfterMore(evidence, account),
  ];
}

/**
 * Refusals of requests that came no sooner after the last charged request than an accepted one did, and no sooner after
 * the last refusal, or after a silence longer than any limiter of the rate remembers. No limiter alone does that.
 */
function refusedAfterMore(evidence: Evidence, account: string): Exchange[] {
  const [own, charged] = [ownOf(evidence, account), chargedOf(evidence, account)];
  const refused = own.filter((exchange) => isRefused(exchange, evidence));
  const silenceMs = longestHonestSeconds(evidence.target.rate) * 1000 + LITTLE_MS;
  const room = new Set(acceptedWithRoom(evidence, account));
  const accepted = letThrough(charged, evidence).map((exchange) => ({
    hadRoom: room.has(exchange),
    sinceChargedMs: sinceLastMs(exchange, charged),
    sinceRefusedMs: sinceLastMs(exchange, refused),
  }));
  return refusedWithRoom(evidence, account, { bursts: areBurstsSplit(evidence) }).filter((exchange) => {
    const [sinceChargedMs, sinceRefusedMs] = [sinceLastMs(exchange, charged), sinceLastMs(exchange, refused)];
    const isSilent = Math.min(sinceChargedMs, sinceRefusedMs) >= silenceMs;
    return accepted.some(
      (kept) =>
        kept.sinceChargedMs <= sinceChargedMs + SLACK_MS &&
        (isSilent || (kept.hadRoom && Math.min(kept.sinceRefusedMs, silenceMs) <= sinceRefusedMs)),
    );
  });
}

/**
 * Requests that had room and were refused when they came soon after the last charged one, while later ones were
 * accepted, or longer windows explain them. A stricter limit does that; another client's requests do not.
 */
function refusedRegularly(evidence: Evidence, account: string): Exchange[] {
  const sinceMs = sinceChargedIn(evidence);
  const refused = refusedWithRoom(evidence, account);
  const kept = acceptedWithRoom(evidence, account).filter((exchange) => Number.isFinite(sinceMs(exchange)));
  const isRegular =
    Math.min(refused.length, kept.length) >= TELLING_REQUESTS &&
    (doesWaitingHelp(refused, kept, sinceMs) || explainingWindowSeconds(evidence) !== null);
  return isRegular ? refused : [];
}

/** Whether all that were refused came sooner than any that was let in. */
function doesWaitingHelp(
  refused: readonly Exchange[],
  letIn: readonly Exchange[],
  sinceMs: (exchange: Exchange) => number,
): boolean {
  return Math.max(...refused.map(sinceMs)) < Math.min(...letIn.map(sinceMs));
}

/**
 * Whether another client, or chance, may be why requests were refused: some of them kept their distance, and no longer
 * limit explains all that the run saw. One explains nothing if few requests were let in, no answer tells of it, and nothing
 * that this run sent explains why they were refused at first.
 */
export function isRefusedByChance(refused: readonly Exchange[], evidence: Evidence): boolean {
  const accounts = evidence.target.accounts.map(({ name }) => name);
  const among = new Set(refused);
  const isAnySpaced = accounts
    .flatMap((name) => beginningsOf(evidence, name))
    .some((turn) => among.has(turn.next) && isSpaced(turn, evidence, LITTLE_MS));
  if (!isAnySpaced) return false;
  const letIn = accounts.flatMap((name) => acceptedWithRoom(evidence, name));
  const byAccount = groupedBy(refused, ({ account }) => account ?? '');
  const isTold = [...byAccount.keys()]
    .flatMap((account) => toldTo(account, evidence))
    .some(({ least }) => least > longestHonestSeconds(evidence.target.rate));
  const isByThisRun = [...byAccount.values()].some(
    (own) => !own.some((exchange) => isOutOfTheBlue(exchange, evidence)),
  );
  const isTelling = isTold || letIn.length >= TELLING_REQUESTS || isByThisRun;
  return !(isTelling && doLongerLimitsExplain(evidence));
}

/** The windows of a stricter limit are at least this many times as long as declared. */
const LONGER = 1.25;
/** A request accepted this soon after a refusal, in windows, shows when budget came back. */
const AT_ONCE = 0.1;

/**
 * Whether an account's budget came back, was used at once, and came back again about a window later. Under a stricter
 * limit it does not, so another client explains refusals after a silence. This only shows at a limit of one request.
 */
function showsDeclaredRate(evidence: Evidence, account: string): boolean {
  const { requests, seconds } = evidence.target.rate;
  if (requests !== 1) return false;
  const windowMs = seconds * 1000;
  const own = ownOf(evidence, account).filter(isWhole);
  const isJustAgain = (exchange: Exchange, before: Exchange | undefined) => {
    const sinceMs = before && isRefused(before, evidence) ? exchange.sentAtMs - before.receivedAtMs : -1;
    return sinceMs >= 0 && sinceMs < AT_ONCE * windowMs;
  };
  const through = new Set(letThrough(own, evidence));
  const moments = own.filter((exchange, i) => through.has(exchange) && isJustAgain(exchange, own[i - 1]));
  return moments.some((exchange) =>
    [...through].some(
      (next) => next.sentAtMs >= exchange.receivedAtMs && next.receivedAtMs - exchange.sentAtMs < LONGER * windowMs,
    ),
  );
}

/**
 * Whether a stricter limit than declared may be why a request was not accepted, whatever its status. Plain reads that
 * came a window after an accepted request were turned away, and so was every plain read that came this soon.
 */
export function mayBeTooSoon(exchange: Exchange, evidence: Evidence): boolean {
  if (isAccepted(exchange)) return false;
  const own = ownOf(evidence, exchange.account ?? '').filter(isWhole);
  const accepted = own.filter(isAccepted);
  const usual = own.filter(
    (other) =>
      other.probe.group !== 'header-case' && isOfTheApi(other, evidence) && other.request.url.endsWith('/webhooks'),
  );
  const cameMs = sinceLastMs(exchange, accepted);
  // In a burst another request may have taken the budget.
  const isBeside = (other: Exchange) =>
    accepted.some(({ sentAtMs, receivedAtMs }) => sentAtMs < other.receivedAtMs && receivedAtMs > other.sentAtMs);
  const isTurnedAway = (other: Exchange) =>
    !isAccepted(other) && !isBeside(other) && sinceLastMs(other, accepted) >= evidence.target.rate.seconds * 1000;
  const isNoLater = (other: Exchange) => isAccepted(other) && sinceLastMs(other, accepted) <= cameMs + LITTLE_MS;
  return usual.some(isTurnedAway) && !usual.some(isNoLater);
}

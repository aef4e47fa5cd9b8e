/**
 * One stricter limiter, the same program for all accounts, that explains every decision: longer windows, a block after
 * refusals, or a quota. It is contradicted where none is left, and by nothing else.
 */
import { groupedBy } from '../common/text';
import { LITTLE_MS, longestHonestSeconds, longestMemoryMs, type Rate } from '../contract/bounds';
import { type Evidence, type Exchange, once } from '../evidence/model';
import { isAccepted, isRefused, isWhole, statusOf } from '../evidence/responder/classify';
import { asksBeyondWindow, isStored, waitAskedSeconds } from '../evidence/time/server-clock';
import { type Decision, isExplained, type User } from './level';
import { lockedOut } from './locked-out';
import {
  type Answered,
  accountsOf,
  areApartInTime,
  isNoLuck,
  isSpaced,
  isUndisturbed,
  keptItsReset,
  oddRefusals,
  rowBefore,
  timelineOf,
  userOf,
  windowMsOf,
  withRoom,
} from './timeline';

/** How many accepted requests with budget left show how a limiter works. */
export const TELLING = 3;
/** How many refusals of the only key do: those by another client of it may fit a longer window by luck. */
export const TELLING_ALONE = 6;
const ONE_TO_TEN = Array.from({ length: 10 }, (_, i) => i + 1);
/** By how many seconds windows may be longer than declared: usual values, whole ones first. */
const LONGER_BY = [...ONE_TO_TEN, ...ONE_TO_TEN.map((seconds) => seconds - 0.5), 14, 19, 29, 59];
const QUOTA_MS = 60_000;

/** Returns the single requests that were refused with budget left, while nobody else was busy. */
export function oddSingles(evidence: Evidence, account: string): Answered[] {
  const own = timelineOf(evidence, account);
  const charged = own.filter(({ outcome }) => outcome !== 'refused');
  return oddRefusals(evidence, account).filter(
    (each) =>
      each.isAlone &&
      own.some(({ toMs }) => toMs <= each.fromMs) &&
      isSpaced(each, charged, windowMsOf(evidence) + LITTLE_MS) &&
      isUndisturbed(each.exchange, evidence),
  );
}

/** As `oddSingles`, but only after the Reset of the refusals before them, unless the account is locked out or a cache answers. */
export function lateSingles(evidence: Evidence, account: string): Answered[] {
  const isOut = lockedOut(evidence).has(account);
  return oddSingles(evidence, account).filter(
    (each) => isOut || isStored(each.exchange, evidence) || keptItsReset(each, evidence),
  );
}

/** Whether a stricter limiter explains every decision, and more than one refusal shows it. One may be an accident. */
export const isStricter = once((evidence: Evidence): boolean => {
  const late = accountsOf(evidence).flatMap((name) => lateSingles(evidence, name));
  return isOfServer(evidence) || (late.length > 1 && mayBeStricter(evidence) && doesShow(late, evidence));
});

/** Returns the single requests that were refused with budget left by an answer that a cache had stored. */
export function storedSingles(evidence: Evidence, account: string): Answered[] {
  return oddSingles(evidence, account).filter(({ exchange }) => isStored(exchange, evidence));
}

/** Whether the server refuses for no limit: it locks an account or an address out, stores refusals, or refuses at random. */
const isOfServer = once(
  (evidence: Evidence) =>
    lockedOut(evidence).size > 0 || isOfAnAddress(evidence) || isOfACache(evidence) || isAtRandom(evidence),
);

function isOfAnAddress(evidence: Evidence): boolean {
  // Another status than 429 is no refusal because of the rate where other addresses accept (auth.base-path-accepted).
  const refused = refusedByAddress(evidence).filter(({ exchange }) => statusOf(exchange) === 429);
  return refused.length >= (areOfOneKey(refused) ? TELLING_ALONE : TELLING);
}

function isOfACache(evidence: Evidence): boolean {
  const stored = accountsOf(evidence).flatMap((name) => storedSingles(evidence, name));
  return areApartInTime(stored, evidence);
}

/** Returns the refusals with budget left, if all are of addresses that let nothing through while others accepted. */
export function refusedByAddress(evidence: Evidence): Answered[] {
  const met = accountsOf(evidence).flatMap((name) => withRoom(evidence, name));
  const refused = met.filter(({ outcome }) => outcome === 'refused');
  const reads = met.filter(({ exchange }) => isAccepted(exchange) && !exchange.resent);
  const addresses = groupedBy(refused, ({ exchange }) => exchange.request.url);
  const most = Math.max(0, ...[...addresses.values()].map(({ length }) => length));
  const isLetThrough = (each: Exchange) => isWhole(each) && each.account !== null && !isRefused(each, evidence);
  const isOfAddresses =
    Math.min(most, reads.length) >= TELLING &&
    !evidence.exchanges.some((exchange) => addresses.has(exchange.request.url) && isLetThrough(exchange));
  return isOfAddresses ? refused : [];
}

/**
 * Whether requests were refused with budget left and the next ones accepted at once. Whoever had used up the budget, a
 * window must have ended in between, which so soon after a refusal happens only by luck.
 */
function isAtRandom(evidence: Evidence): boolean {
  const pairs = accountsOf(evidence).flatMap((name) => {
    const own = timelineOf(evidence, name);
    return oddRefusals(evidence, name).flatMap((odd) => {
      const next = own.find(({ fromMs }) => fromMs >= odd.toMs);
      const isNext = next !== undefined && isSpaced(odd, own, windowMsOf(evidence)) && odd.isAlone && next.isAlone;
      // Requests are sent where windows are said to end, so that one ends beside them more often than by luck.
      const share = isNext ? (next.toMs - odd.fromMs + LITTLE_MS) / windowMsOf(evidence) : 1;
      // Only the same request shows that it is now accepted.
      const isSame = next?.exchange.request.url === odd.exchange.request.url && isWhole(next.exchange);
      const isLetIn = next?.outcome === 'accepted' || (next?.outcome === 'other' && isSame);
      return share < 1 && (isLetIn || next?.outcome === 'refused') ? [{ odd, share, isLetIn }] : [];
    });
  });
  const letIn = pairs.filter(({ isLetIn }) => isLetIn);
  const shares = letIn.map(({ share }) => share);
  const moments = letIn.map(({ odd }) => odd);
  return isNoLuck(shares, pairs.length) && areApartInTime(moments, evidence);
}

/**
 * Whether refusals show how the limiter works, and do not only fit it by luck: several accounts were refused, enough requests
 * were accepted to compare, the answers report it, or this run's own requests explain why the refusals began.
 */
function doesShow(late: readonly Answered[], evidence: Evidence): boolean {
  const letIn = accountsOf(evidence)
    .filter((name) => late.some(({ account }) => account === name))
    .flatMap((name) => withRoom(evidence, name))
    .filter(({ outcome }) => outcome === 'accepted');
  const byAccount = [...groupedBy(late, ({ account }) => account).values()];
  // Two refusals of the only key fit by luck now and then, and so do three that were accepted.
  const isOnly = accountsOf(evidence).length === 1;
  const [fewestIn, fewestOut] = isOnly ? [TELLING + 1, TELLING_ALONE] : [TELLING, TELLING - 1];
  return (
    (letIn.length >= fewestIn && late.length >= fewestOut) ||
    late.some((each) => isReportedLonger(each, evidence)) ||
    // Another client may also use up each later budget.
    (letIn.length > 1 && byAccount.some((own) => !own.some((each) => isOutOfTheBlue(each, evidence))))
  );
}

/** Whether a refusal asks for a wait that no limiter of the declared rate asks for. */
export function isReportedLonger({ exchange }: Answered, evidence: Evidence): boolean {
  const longestSeconds = longestHonestSeconds(evidence.target.rate);
  return asksBeyondWindow(exchange, evidence) || (waitAskedSeconds(exchange, evidence)?.least ?? 0) > longestSeconds;
}

/** Whether the row of refusals of a request began although this run had not used up a whole budget. */
function isOutOfTheBlue(each: Answered, evidence: Evidence): boolean {
  const own = timelineOf(evidence, each.account);
  const first = rowBefore(each, own)[0] ?? each;
  const { rate } = evidence.target;
  // Twice the window nearly always has one request, but seldom several by chance.
  const sinceMs = first.fromMs - (rate.requests > 1 ? longestMemoryMs(rate) : windowMsOf(evidence));
  const charged = own.filter(
    ({ outcome, fromMs, toMs }) => outcome !== 'refused' && fromMs < first.toMs && toMs > sinceMs,
  );
  return charged.length < rate.requests;
}

/** Whether some stricter limiter explains every decision. */
export const mayBeStricter = once(
  (evidence: Evidence): boolean =>
    isOfServer(evidence) ||
    (!isOneRefusedAlone(evidence) && (longerWindowSeconds(evidence) !== null || isHeldAgainst(evidence, HELD))),
);

/** Whether a block explains the refusals that lasts longer than they ask to wait. */
export const isBlock = once((evidence: Evidence): boolean => isHeldAgainst(evidence, BLOCKS));

/** Whether only one account was refused although others were accepted several times after no more time. */
function isOneRefusedAlone(evidence: Evidence): boolean {
  const refused = accountsOf(evidence)
    .map((name) => oddSingles(evidence, name))
    .filter(({ length }) => length > 0);
  const [own] = refused;
  if (refused.length !== 1 || !own || own.length < 2) return false;
  const lastBefore = ({ account, fromMs }: Answered) =>
    timelineOf(evidence, account).findLast(({ outcome, toMs }) => toMs <= fromMs && outcome !== 'refused');
  const longestMs = Math.max(...own.map((each) => since(each, lastBefore(each))[1]));
  const letIn = accountsOf(evidence)
    .filter((name) => name !== own[0]?.account)
    .flatMap((name) => withRoom(evidence, name))
    .filter(({ outcome, fromMs }) => outcome === 'accepted' && fromMs > (own[0]?.fromMs ?? 0));
  const asSoon = letIn.filter((each) => since(each, lastBefore(each))[0] <= longestMs);
  // The end of one window may let several accounts in at one moment.
  return new Set(asSoon.map(({ fromMs }) => Math.round(fromMs / windowMsOf(evidence)))).size >= TELLING;
}

/** Returns the least and the most of a measure by which a limiter may refuse. It is lower for refused requests. */
type HeldAgainst = (each: Answered, before: readonly Answered[], rate: Rate) => readonly [least: number, most: number];

/** The time since the first refusal of a row, or since its last one. */
const BLOCKS: readonly HeldAgainst[] = [
  (each, before) => since(each, rowBefore(each, before)[0]),
  (each, before) => since(each, rowBefore(each, before).at(-1)),
];

/** The negative number of the account's requests within a minute. */
const ofQuota: HeldAgainst = ({ fromMs }, before) => {
  const count = before.filter(({ toMs }) => toMs > fromMs - QUOTA_MS).length;
  return [-count, -count];
};

/** The time since the charged request that took the last place. */
const sinceLastPlace: HeldAgainst = (each, before, { requests }) =>
  since(each, before.filter(({ outcome }) => outcome !== 'refused').at(-requests));

/** The negative of what a sliding counter of all requests holds: those of a window, and of the one before by their share. */
const ofCounter: HeldAgainst = (each, before, { seconds }) => {
  const heldAfter = (ageMs: (other: Decision) => number) =>
    before.reduce((sum, other) => sum + Math.min(1, Math.max(0, 2 - ageMs(other) / (seconds * 1000))), 0);
  return [-heldAfter(({ toMs }) => each.fromMs - toMs), -heldAfter(({ fromMs }) => each.toMs - fromMs)];
};

const HELD: readonly HeldAgainst[] = [
  sinceLastPlace,
  // The same of all requests.
  (each, before, { requests }) => since(each, before.at(-requests)),
  ...BLOCKS,
  ofCounter,
  ofQuota,
];

function since(each: Decision, first: Decision | undefined): readonly [number, number] {
  if (!first) return [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  return [each.fromMs - first.toMs, each.toMs - first.fromMs];
}

/** Returns the accepted requests of an account that were alone, or the first of a burst. */
function letInAlone(evidence: Evidence, account: string): Answered[] {
  const own = timelineOf(evidence, account);
  return own.filter(
    ({ outcome, fromMs }, i) => outcome === 'accepted' && own.slice(0, i).every(({ toMs }) => toMs <= fromMs),
  );
}

function areOfOneKey(some: readonly Answered[]): boolean {
  return new Set(some.map(({ account }) => account)).size < 2;
}

/** Returns a function that measures a request by those of its account that were answered before it. */
function heldBy(heldAgainst: HeldAgainst, own: readonly Answered[], rate: Rate) {
  return (each: Answered) =>
    heldAgainst(
      each,
      own.filter(({ toMs }) => toMs <= each.fromMs),
      rate,
    );
}

/** Whether one threshold of a measure separates the refused requests with budget left from the accepted ones. */
function isHeldAgainst(evidence: Evidence, kinds: readonly HeldAgainst[]): boolean {
  const users = accountsOf(evidence).map((name) => ({
    own: timelineOf(evidence, name),
    odd: oddRefusals(evidence, name).filter(({ exchange }) => isUndisturbed(exchange, evidence)),
    singles: oddSingles(evidence, name),
    letIn: letInAlone(evidence, name),
    hadRoom: withRoom(evidence, name).filter(({ outcome }) => outcome === 'accepted'),
  }));
  const refused = users.filter(({ odd }) => odd.length > 0);
  if (refused.length === 0) return false;
  // One account's refusals may come from another client of its key. Of several accounts, each shows the limiter.
  const telling = (refused.length > 1 ? users : refused).flatMap(({ own, hadRoom }) =>
    hadRoom.filter((each) => rowBefore(each, own).length === 0),
  );
  if (telling.length < TELLING) return false;
  return kinds.some((heldAgainst) => {
    // Another client in between, or one accident, explains as much as the quota of a single account.
    const singles = refused.flatMap((user) => user.singles);
    if (heldAgainst === ofQuota && (areOfOneKey(singles) || !areApartInTime(singles, evidence))) return false;
    const heldIn = (own: readonly Answered[]) => heldBy(heldAgainst, own, evidence.target.rate);
    const most = Math.max(...refused.flatMap(({ own, odd }) => odd.map((each) => heldIn(own)(each)[0])));
    return users.every(({ own, letIn }) => letIn.every((each) => heldIn(own)(each)[1] > most));
  });
}

/** The length in seconds of longer windows that explain every decision about every account; else `null`. */
const longerWindowSeconds = once((evidence: Evidence): number | null => {
  const { rate } = evidence.target;
  const users = accountsOf(evidence).map((name) => ({
    ...userOf(timelineOf(evidence, name)),
    // A race accepts more at one moment, whatever the length.
    accepted: letInAlone(evidence, name),
  }));
  const lengths = [...LONGER_BY.map((by) => rate.seconds + by), longestRefusedSeconds(evidence)];
  const isLength = (seconds: number) => {
    const longer = { ...rate, seconds };
    // A store that forgets late looks like windows that are a little longer.
    return (
      (seconds - rate.seconds) * 1000 > 2 * LITTLE_MS &&
      users.every((user) => areSoon(user, longer)) &&
      LONGER.some((fits) => users.every((user) => fits(user, longer)))
    );
  };
  return lengths.find(isLength) ?? null;
});

/** The longest time since the request that took the last place, after which a request with budget left was refused. */
function longestRefusedSeconds(evidence: Evidence): number {
  const heldMs = accountsOf(evidence).flatMap((name) => {
    const held = heldBy(sinceLastPlace, timelineOf(evidence, name), evidence.target.rate);
    return oddRefusals(evidence, name).map((each) => held(each)[1]);
  });
  return Math.max(0, ...heldMs.filter(Number.isFinite)) / 1000;
}

/** As `longerWindowSeconds`, but `null` if no request was refused with budget left. */
export function seemingWindowSeconds(evidence: Evidence): number | null {
  const isOdd = accountsOf(evidence).some((name) => oddRefusals(evidence, name).length > 0);
  return isOdd ? longerWindowSeconds(evidence) : null;
}

/** Whether one account's accepted requests show that windows are shorter than twice the declared length. */
export const areWindowsSeen = once((evidence: Evidence): boolean => {
  const { requests, seconds } = evidence.target.rate;
  return accountsOf(evidence).some((name) => {
    const { accepted } = userOf(timelineOf(evidence, name));
    return !isExplained({ accepted }, { requests, seconds: 2 * seconds });
  });
});

/** Whether each refused request was sent at most a window after another one. */
function areSoon({ charged, refused }: Required<User>, { seconds }: Rate): boolean {
  const isSoonAfter = (refusal: Decision) => (other: Decision) =>
    other !== refusal && other.fromMs < refusal.toMs && other.fromMs >= refusal.fromMs - seconds * 1000 - LITTLE_MS;
  return refused.every((refusal) => [...charged, ...refused].some(isSoonAfter(refusal)));
}

/** Kinds of longer windows: begun by a request, of the clock, a log, and a log that also counts refused requests. */
const LONGER: ReadonlyArray<(user: Required<User>, rate: Rate) => boolean> = [
  (user, rate) => isExplained(user, rate, { families: ['windows that begin with a request'] }),
  ({ accepted, charged, refused }, rate) =>
    isExplained({ accepted, refused, charged: [...charged, ...refused] }, rate, { families: ['a sliding log'] }),
  (user, rate) => isExplained(user, rate, { families: ['fixed windows', 'a sliding log'] }),
];

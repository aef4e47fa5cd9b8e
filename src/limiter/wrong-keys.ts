/**
 * Reads right after requests without a valid key, as many as would use up a budget (API description, section 8). If they
 * did, a read is accepted only where a window ended in between. Where answers take long, that is no rare accident.
 */
import { isSameProbe } from '../catalogue/catalogue';
import { longestMemoryMs } from '../contract/bounds';
import { parsedHeaders } from '../evidence/http/headers';
import { type Evidence, type Exchange, exchangesOf, once } from '../evidence/model';
import { isAccepted, isRefused, isWhole, letThrough, looksRefused, statusOf } from '../evidence/responder/classify';
import { bansOf, isVeiled, refusedForRoom } from '../evidence/responder/guards';
import { isHeldBack, isQueue, queuesAndRefuses, usualLatencyMs } from '../evidence/responder/queueing';
import { besides, ownBeside, ownOf } from '../evidence/time/in-flight';
import { isStored } from '../evidence/time/server-clock';
import { type Decision, edgesOf, isExplained, phasesOf, SLACK_MS } from './level';
import { mayShowOthers } from './reported';
import { type Answered, accountsOf, timelineOf, withRoom } from './timeline';

/** A read that was accepted, and the time in which the end of a window would explain that. */
interface SparedRead extends Decision {
  read: Exchange;
}

/** A window ends by chance within this share of itself so rarely that a read is not repeated for it. */
const RARE = 0.05;
/** So often at most reads are repeated that the end of a window would explain. */
export const MOST_UNSURE = 6;

/** Returns the accepted reads of an account that came right after wrong keys. */
function readsAfterFloods(evidence: Evidence, account: string): SparedRead[] {
  const reads = exchangesOf(evidence, 'together').filter((read) => read.account === account && isAccepted(read));
  return reads.flatMap((read) => {
    const flood = floodBefore(read, evidence);
    const fromMs = Math.min(...flood.map(({ sentAtMs }) => sentAtMs));
    // After a ban the read comes without a flood of its own.
    const isOwn = flood.some(({ probe }) => probe.group === 'keyless' && probe.trial === read.probe.trial);
    return isOwn ? [{ read, fromMs, toMs: read.receivedAtMs }] : [];
  });
}

/** Within this time of the first wrong key a read shows something. */
function mostTellingMs({ target }: Evidence): number {
  return target.rate.seconds * 1000 * (1 - 1 / MOST_UNSURE);
}

/** Returns those of them that came soon enough to show anything. */
function sparedReads(evidence: Evidence, account: string): SparedRead[] {
  return readsAfterFloods(evidence, account).filter(({ fromMs, toMs }) => toMs - fromMs < mostTellingMs(evidence));
}

/** The requests without a valid key before a read, back to the first that no other came before for a window. */
function floodBefore(read: Exchange, evidence: Evidence): Exchange[] {
  const windowMs = evidence.target.rate.seconds * 1000;
  const keyless = evidence.exchanges
    .filter((exchange) => exchange.account === null && isWhole(exchange) && exchange.sentAtMs < read.sentAtMs)
    .sort((a, b) => b.receivedAtMs - a.receivedAtMs);
  const flood: Exchange[] = [];
  let fromMs = read.sentAtMs;
  for (const exchange of keyless) {
    if (exchange.receivedAtMs <= fromMs - windowMs) break;
    fromMs = Math.min(fromMs, exchange.sentAtMs);
    flood.push(exchange);
  }
  return flood;
}

/**
 * Whether the end of a window would explain all reads of an account that were accepted after wrong keys, or they came too
 * late to tell. Where several requests fit into a window, a read tells that says how much is left, or that came before any
 * budget was back, unless another one was charged.
 */
export function isUnsure(evidence: Evidence, account: string): boolean {
  const { requests, seconds } = evidence.target.rate;
  const accepted = readsAfterFloods(evidence, account).map(({ read }) => read);
  const reads = sparedReads(evidence, account);
  const takesAtMost = (windows: number) => reads.some(({ fromMs, toMs }) => toMs - fromMs <= windows * seconds * 1000);
  // A server whose answers take longer than a window can be asked in no other way.
  if (accepted.length === 0 || 2 * usualLatencyMs(evidence) >= mostTellingMs(evidence)) return false;
  const wasCharged = readsAfterWrongKeys(evidence, account).some((read) => isCharged(read, evidence));
  if (requests > 1 && !wasCharged)
    return !takesAtMost(1 / requests) && accepted.every((read) => parsedHeaders(read).remaining === null);
  return !takesAtMost(RARE) && areBoundaries(reads, seconds * 1000);
}

/** Whether a read after wrong keys was turned away, or had to queue, or says that somebody used its account's budget. */
export function isCharged(read: Exchange, evidence: Evidence): boolean {
  const hadToQueue = isQueue(evidence) && isHeldBack(read, evidence) && !isServedAtTicks(evidence);
  const isTurnedAway = isRefused(read, evidence) && !refusedForRoom(evidence).has(read);
  return isTurnedAway || hadToQueue || isReportedCharged(read, evidence);
}

/** Whether a queue holds back also what nothing came before for a window, as where a timer serves it. */
const isServedAtTicks = once((evidence: Evidence): boolean => {
  const isLate = (each: Answered, account: string) => {
    const own = timelineOf(evidence, account);
    // What was sent before an answer came had left the queue by then.
    const sinceMs = own[own.indexOf(each) - 1]?.fromMs ?? 0;
    const between = evidence.exchanges.filter(({ sentAtMs }) => sentAtMs >= sinceMs && sentAtMs < each.fromMs);
    return isHeldBack(each.exchange, evidence) && between.every((exchange) => exchange.account !== null);
  };
  return (
    isQueue(evidence) &&
    accountsOf(evidence).some((name) => withRoom(evidence, name).some((each) => isLate(each, name)))
  );
});

/**
 * Whether an accepted read says that less is left than its account's own requests explain, by all that a limiter may
 * remember of them. That shows where several requests fit into a window: some of it is back when the read comes.
 */
function isReportedCharged(read: Exchange, evidence: Evidence): boolean {
  const { limit, remaining } = parsedHeaders(read);
  if (limit !== evidence.target.rate.requests || remaining === null || limit === 1) return false;
  if (!isAccepted(read) || isStored(read, evidence) || isQueue(evidence)) return false;
  const mostCounted = (exchange: Exchange) =>
    1 + ownBeside(exchange, evidence, longestMemoryMs(evidence.target.rate)).length;
  // Where no answer says rightly that only its own request was counted, what is left is reported wrongly.
  const isToldRightly = letThrough(ownOf(evidence, read.account ?? ''), evidence).some(
    (exchange) => parsedHeaders(exchange).remaining === limit - 1 && mostCounted(exchange) === 1,
  );
  return isToldRightly && limit - remaining > mostCounted(read) && mayShowOthers(evidence, read.account ?? '');
}

/**
 * Whether the wrong keys before a read that was refused may have filled the room of a limiter of addresses, which answered other
 * wrong keys: hardly more requests of any account were ever answered within a window. Around its end it lets through twice as
 * many. It has more room than the declared rate: otherwise wrong keys use up what one account may ask.
 */
export function mayLackRoom(read: Exchange, evidence: Evidence): boolean {
  const { rate } = evidence.target;
  const isAnswered = (exchange: Exchange) => !isVeiled(exchange, evidence) && !isRefused(exchange, evidence);
  const answered = evidence.exchanges.filter(isAnswered);
  if (!evidence.exchanges.some((exchange) => isVeiled(exchange, evidence))) return false;
  const accepted = answered.map(({ sentAtMs, receivedAtMs }) => ({ fromMs: sentAtMs, toMs: receivedAtMs }));
  if (isExplained({ accepted }, rate)) return false;
  const countBefore = (exchange: Exchange) =>
    besides(exchange, evidence, rate.seconds * 1000).filter(isAnswered).length;
  return Math.max(...answered.map(countBefore)) <= 2 * countBefore(read);
}

/**
 * Whether reads are repeated after more wrong keys. They would only bring a guard back, a key that was let in used up a
 * budget itself, and a queue that is served at ticks is late with every read. Where requests are held back and refused, a
 * busy machine looks alike, and a first read that was turned away is repeated anyway.
 */
export function mayRepeat(evidence: Evidence): boolean {
  const isGuarded = evidence.exchanges.some(
    (each) => each.account === null && (statusOf(each) >= 500 || looksRefused(each, evidence)),
  );
  const isLetIn = exchangesOf(evidence, 'keyless').some(isAccepted);
  const isLateAnyway = queuesAndRefuses(evidence) || isServedAtTicks(evidence);
  return !isGuarded && !isLetIn && bansOf(evidence).length === 0 && !isLateAnyway;
}

/**
 * Returns a moment of the phase at which to send the next wrong keys: right after ends of windows that explain all reads so
 * far. A read that begins there is explained by none of the last of them.
 */
export function otherPhaseMs(evidence: Evidence, account: string): number {
  return afterBoundariesMs(sparedReads(evidence, account), evidence.target.rate.seconds * 1000) ?? 0;
}

/** Returns the reads of an account right after wrong keys, the first of each trial. */
export function readsAfterWrongKeys(evidence: Evidence, account: string): Exchange[] {
  return exchangesOf(evidence, 'together').filter(
    (read) => read.account === account && isWhole(read) && isFirstOfItsTrial(read, evidence),
  );
}

/** Returns those of them that came after a later flood than the first. */
export function repeatedReads(evidence: Evidence, account: string): Exchange[] {
  return readsAfterWrongKeys(evidence, account).filter(({ probe }) => probe.trial > 1);
}

/** Whether a read is the first of its trial: a read that failed is repeated in the same trial. */
function isFirstOfItsTrial(exchange: Exchange, evidence: Evidence): boolean {
  return evidence.exchanges.find((other) => isSameProbe(other.probe, exchange.probe)) === exchange;
}

/**
 * Returns how many repeated reads, each right after wrong keys, must be refused before wrong keys are blamed. Another
 * client of one key does not explain that several accounts are refused at one moment.
 * @param refused how many accounts are refused
 * @param asked how many were asked at first
 */
export function trialsAfterWrongKeys(refused: number, asked: number): number {
  if (refused > 1) return 2;
  return asked > 1 ? 4 : 3;
}

/** Whether one phase puts the end of a window into each span: then nothing but such ends need explain what was seen there. */
export function areBoundaries(spans: readonly Decision[], windowMs: number): boolean {
  return phasesOf(spans.flatMap(edgesOf), windowMs).some((phaseMs) => isBoundaryInEach(spans, phaseMs, windowMs));
}

/** Returns a moment of none of the phases that do so, right after some that do; `null` where no phase does. */
export function afterBoundariesMs(spans: readonly Decision[], windowMs: number): number | null {
  const ends = spans.map(({ toMs }) => toMs + SLACK_MS - 0.01);
  const last = ends.find((phaseMs) => isBoundaryInEach(spans, phaseMs, windowMs));
  return last === undefined ? null : last + 2 * SLACK_MS;
}

function isBoundaryInEach(spans: readonly Decision[], phaseMs: number, windowMs: number): boolean {
  const windowAt = (ms: number) => Math.floor((ms - phaseMs) / windowMs);
  return spans.every(({ fromMs, toMs }) => windowAt(toMs + SLACK_MS) > windowAt(fromMs - SLACK_MS));
}

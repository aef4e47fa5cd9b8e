/**
 * Reads right after a flood of requests without a valid key (API description, section 8). If these used up a budget, a read
 * is accepted only if a window ended in between. Where answers take long, that is not rare.
 */
import { isSameProbe } from '../catalogue/catalogue';
import { longestMemoryMs } from '../contract/bounds';
import { parsedHeaders } from '../evidence/http/headers';
import { type Evidence, type Exchange, exchangesOf } from '../evidence/model';
import { isAccepted, isRefused, isWhole, letThrough, looksRefused, statusOf } from '../evidence/responder/classify';
import { isVeiled, refusedByGateway } from '../evidence/responder/guards';
import { isHeldBack, isQueue, queuesAndRefuses, usualLatencyMs } from '../evidence/responder/queueing';
import { besides, ownBeside, ownOf } from '../evidence/time/in-flight';
import { isStored } from '../evidence/time/server-clock';
import { type Decision, isExplained, phaseAfter, shareOfPhases } from './level';
import { mayShowOthers } from './reported';
import { accountsOf } from './timeline';
import { lateAlone } from './worlds';

/** What so few phases explain is so rare by chance that a read is not repeated. */
const RARE = 0.08;
/** How often reads that the end of a window would explain are repeated at most. */
export const MOST_UNSURE = 6;

/** Returns the accepted reads of an account that came right after as many wrong keys as use up a budget, and when these began. */
export function readsAfterFloods(evidence: Evidence, account: string): Array<{ read: Exchange; fromMs: number }> {
  const reads = exchangesOf(evidence, 'together').filter((read) => read.account === account && isAccepted(read));
  return reads.flatMap((read) => {
    const flood = floodBefore(read, evidence);
    const fromMs = Math.min(...flood.map(({ sentAtMs }) => sentAtMs));
    return flood.length >= evidence.target.rate.requests ? [{ read, fromMs }] : [];
  });
}

/** Returns how soon after the first wrong key a read must come to show something. */
function mostTellingMs({ target }: Evidence): number {
  return target.rate.seconds * 1000 * (1 - 1 / MOST_UNSURE);
}

/** Returns the requests without a valid key before a read, as far back as there is no window without one. */
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
 * Whether one budget for wrong keys and an account would explain all accepted reads after them, if there are any. Where
 * several requests fit into a window, a read that reports what is left shows whether it was charged.
 */
export function isUnsure(evidence: Evidence, account: string): boolean {
  const { rate } = evidence.target;
  const accepted = readsAfterFloods(evidence, account).map(({ read }) => read);
  if (accepted.length === 0) return !readsAfterWrongKeys(evidence, account).some((read) => isCharged(read, evidence));
  // If answers take longer than a window, there is no better way to ask.
  if (2 * usualLatencyMs(evidence) >= mostTellingMs(evidence)) return false;
  const wasCharged = readsAfterWrongKeys(evidence, account).some((read) => isCharged(read, evidence));
  const isReported = accepted.some((read) => parsedHeaders(read).remaining !== null);
  if (rate.requests > 1 && !wasCharged && isReported) return false;
  return shareOfPhases(ofOneBudget(evidence, account), rate) > RARE;
}

/** Returns what one budget for wrong keys and an account would have accepted: each time a whole budget, and soon a read. */
function ofOneBudget(evidence: Evidence, account: string): Decision[] {
  const { requests } = evidence.target.rate;
  return readsAfterFloods(evidence, account)
    .filter(({ fromMs, read }) => read.receivedAtMs - fromMs < mostTellingMs(evidence))
    .flatMap(({ fromMs, read }) => [
      ...Array.from({ length: requests }, () => ({ fromMs, toMs: fromMs })),
      { fromMs: read.receivedAtMs, toMs: read.receivedAtMs },
    ]);
}

/** Whether a read after wrong keys was refused, had to queue, or reports that its account's budget was used. */
export function isCharged(read: Exchange, evidence: Evidence): boolean {
  const hadToQueue = isQueue(evidence) && isHeldBack(read, evidence) && !isLateAnyway(evidence);
  const isTurnedAway = isRefused(read, evidence) && !refusedByGateway(evidence).has(read);
  return isTurnedAway || hadToQueue || isReportedCharged(read, evidence);
}

/** Whether a queue is late anyway, so that a late read shows nothing. */
function isLateAnyway(evidence: Evidence): boolean {
  return accountsOf(evidence).some((name) => lateAlone(evidence, name).length > 0);
}

/**
 * Whether an accepted read reports less left than its account's own requests explain, as far as any limiter remembers
 * them. This matters where several requests fit into a window, since some budget is back when the read comes.
 */
function isReportedCharged(read: Exchange, evidence: Evidence): boolean {
  const { limit, remaining } = parsedHeaders(read);
  if (limit !== evidence.target.rate.requests || remaining === null || limit === 1) return false;
  if (!isAccepted(read) || isStored(read, evidence) || isQueue(evidence)) return false;
  const memoryMs = longestMemoryMs(evidence.target.rate);
  const missingIn = (exchange: Exchange) => limit - (parsedHeaders(exchange).remaining ?? limit);
  const isMore = (exchange: Exchange) => missingIn(exchange) > 1 + ownBeside(exchange, evidence, memoryMs).length;
  // Remaining shows something if it counts one request as one, and no more than were sent, where no wrong keys came before.
  const undisturbed = letThrough(ownOf(evidence, read.account ?? ''), evidence).filter(
    (exchange) => !besides(exchange, evidence, memoryMs).some(({ account }) => account === null),
  );
  const isToldRightly =
    undisturbed.some((exchange) => missingIn(exchange) === 1) && !undisturbed.some((exchange) => isMore(exchange));
  return isToldRightly && isMore(read) && mayShowOthers(evidence, read.account ?? '');
}

/**
 * Whether the wrong keys before a refused read may have used up the budget of a limiter of addresses, which also refused
 * wrong keys. Its budget is larger than the declared rate, and around the end of a window it accepts twice as many; hardly
 * more requests than that were ever answered within a window.
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
 * Whether reads are repeated after more wrong keys. They are not if a guard would answer again, if an accepted wrong key
 * used up a budget itself, or if a queue is served at ticks and so delays every read. Where requests are held back and
 * refused, a busy machine looks alike, and a first read that was turned away is repeated anyway.
 */
export function mayRepeat(evidence: Evidence): boolean {
  const isGuarded = evidence.exchanges.some(
    (each) => each.account === null && (statusOf(each) >= 500 || looksRefused(each, evidence)),
  );
  const isLetIn = exchangesOf(evidence, 'keyless').some(isAccepted);
  return !isGuarded && !isLetIn && !queuesAndRefuses(evidence) && !isLateAnyway(evidence);
}

/**
 * Returns a moment at whose phase to send the next wrong keys: right after the ends of windows that explain all reads so
 * far, so that none of these ends explains the next read.
 */
export function otherPhaseMs(evidence: Evidence, account: string): number {
  return phaseAfter(ofOneBudget(evidence, account), evidence.target.rate);
}

/** Returns the reads of an account right after wrong keys, the first of each trial. */
export function readsAfterWrongKeys(evidence: Evidence, account: string): Exchange[] {
  return exchangesOf(evidence, 'together').filter(
    (read) => read.account === account && isWhole(read) && isFirstOfItsTrial(read, evidence),
  );
}

/** As `readsAfterWrongKeys`, but without the reads after the first flood. */
export function repeatedReads(evidence: Evidence, account: string): Exchange[] {
  return readsAfterWrongKeys(evidence, account).filter(({ probe }) => probe.trial > 1);
}

/** Whether a read is the first of its trial. A failed one is repeated in the same trial. */
function isFirstOfItsTrial(exchange: Exchange, evidence: Evidence): boolean {
  return evidence.exchanges.find((other) => isSameProbe(other.probe, exchange.probe)) === exchange;
}

/**
 * Returns how many repeated reads must be refused before wrong keys are blamed. Another client of one key does not explain
 * refusals of several accounts at one moment.
 * @param refused how many accounts are refused
 * @param asked how many were asked at first
 */
export function trialsAfterWrongKeys(refused: number, asked: number): number {
  if (refused > 1) return 2;
  return asked > 1 ? 4 : 3;
}

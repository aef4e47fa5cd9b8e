/** Which answers a queueing server held back until there was budget, and which came from a server that is just slow. */
import { groupsWhere, nameOf } from '../../catalogue/catalogue';
import { groupedBy } from '../../common/text';
import { burstsOf, type Evidence, type Exchange, exchangesOf, once } from '../model';
import { ownBeside, underWay } from '../time/in-flight';
import { isAccepted, isRefused } from './classify';

const UNHURRIED = groupsWhere(({ answer, isAtTheLimit }) => answer === 'accepted' && !isAtTheLimit);

/** The usual time until a read is accepted, in milliseconds: the lower quartile of those that are not sent at the limit. */
export const usualLatencyMs = once((evidence: Evidence): number => {
  const took = exchangesOf(evidence, ...UNHURRIED)
    .filter(isAccepted)
    .map((exchange) => exchange.receivedAtMs - exchange.sentAtMs)
    .sort((a, b) => a - b);
  return took[Math.floor(took.length / 4)] ?? 0;
});

/** A network may delay an answer by this much, which shows no queue. */
const LATE_MS = 250;

/** Whether an answer came late by more than half the time in which one request's budget returns. */
export function isLate(exchange: Exchange, evidence: Evidence): boolean {
  const { requests, seconds } = evidence.target.rate;
  return latenessMs(exchange, evidence) > Math.max(LATE_MS, (seconds * 1000) / requests / 2);
}

/** Whether a request was accepted late. */
export function isHeldBack(exchange: Exchange, evidence: Evidence): boolean {
  return isAccepted(exchange) && isLate(exchange, evidence);
}

function latenessMs({ sentAtMs, receivedAtMs }: Exchange, evidence: Evidence): number {
  return receivedAtMs - sentAtMs - usualLatencyMs(evidence);
}

/** Whether a request was refused because of the rate, or held back by a queue. */
export function isTurnedAway(exchange: Exchange, evidence: Evidence): boolean {
  return isRefused(exchange, evidence) || (isHeldBack(exchange, evidence) && isQueue(evidence));
}

/**
 * Whether a server held back some requests of a burst and refused others of it at once, one after another or in several
 * bursts. A queue accepts more than one budget of a burst, or holds back at least half of what it accepts; a network delays
 * only a few answers. Where this process was held up, late answers come at one moment, or in one burst alone. Where answers
 * usually take long, a late one shows no queue.
 */
export const queuesAndRefuses = once((evidence: Evidence): boolean => {
  const { requests } = evidence.target.rate;
  if (usualLatencyMs(evidence) >= LATE_MS / 2) return false;
  const bursts = groupedBy(burstsOf(evidence).filter(isAccepted), ({ probe }) => nameOf(probe));
  const wasRefusedMeanwhile = ({ account, sentAtMs, receivedAtMs }: Exchange) =>
    underWay(evidence, sentAtMs, receivedAtMs).some(
      (other) => other.account === account && other.receivedAtMs < receivedAtMs - LATE_MS && isRefused(other, evidence),
    );
  const queued = [...bursts.values()].flatMap((burst) => {
    const late = burst.filter((exchange) => isHeldBack(exchange, evidence));
    const isMuch = burst.length > requests || late.length * 2 >= burst.length;
    return isMuch && late.some(wasRefusedMeanwhile) ? [late.map(({ receivedAtMs }) => receivedAtMs)] : [];
  });
  const areInTurn = (atMs: readonly number[]) => Math.max(...atMs) - Math.min(...atMs) > LATE_MS;
  return queued.length > 1 || queued.some(areInTurn);
});

/** Whether the server is a queue: it holds back and refuses, or it holds bursts back and refuses nothing of them. */
export const isQueue = once((evidence: Evidence): boolean => {
  const refusesNothing = !burstsOf(evidence).some((exchange) => isRefused(exchange, evidence));
  return queuesAndRefuses(evidence) || (refusesNothing && heldBackOf(evidence).length > 1);
});

export function heldBackOf(evidence: Evidence): Exchange[] {
  return burstsOf(evidence).filter((exchange) => isHeldBack(exchange, evidence));
}

/**
 * The requests that were not answered in time because another client of their key fills its queue. Such a queue shows
 * where requests of one key alone had to wait although nothing of their key came in the window before them, and longer
 * than an idle queue takes.
 */
export const lostInQueues = once((evidence: Evidence): ReadonlySet<Exchange> => {
  const { requests, seconds } = evidence.target.rate;
  const longestAloneMs = (seconds * 1000) / requests + LATE_MS;
  const isLost = ({ fault }: Exchange) => fault?.kind === 'timeout';
  const queued = evidence.exchanges.filter(
    (exchange) =>
      exchange.account !== null &&
      (exchange.fault === null || isLost(exchange)) &&
      latenessMs(exchange, evidence) > longestAloneMs &&
      ownBeside(exchange, evidence, seconds * 1000).length === 0,
  );
  const [first] = queued;
  const isOfOneKey = queued.every(({ account }) => account === first?.account);
  // Bursts show a queue, and so do several single requests: a network is late once.
  const answered = queued.filter((exchange) => !isLost(exchange));
  const isQueued = heldBackOf(evidence).length > 1 ? answered.length > 0 || queued.length > 1 : answered.length > 1;
  if (!first || !isOfOneKey || !isQueued) return new Set();
  const later = evidence.exchanges.filter(({ sentAtMs }) => sentAtMs >= first.sentAtMs);
  return new Set(later.filter((exchange) => exchange.account === first.account && isLost(exchange)));
});

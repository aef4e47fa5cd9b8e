/** Moments when one account was asked while another had used up its budget: they show whether budgets are shared. */
import type { Evidence, Exchange } from '../evidence/model';
import { isAccepted, isRefused } from '../evidence/responder/classify';
import { isHeldBack, isQueue, isTurnedAway } from '../evidence/responder/queueing';
import { besides } from '../evidence/time/in-flight';
import { type Answered, isUndisturbed, oddRefusals, timelineOf, windowMsOf } from './timeline';
import { areBurstsSplit } from './worlds';

/** A request that its account's own budget had room for, and what others asked right before it. */
export interface Encounter {
  asked: Answered;
  others: Exchange[];
}

/** Returns the requests of an account that were let in while another was refused, or turned away while their budget was whole. */
export function encountersOf(evidence: Evidence, account: string): Encounter[] {
  const own = timelineOf(evidence, account);
  const odd = new Set(oddRefusals(evidence, account));
  const { requests } = evidence.target.rate;
  return own.flatMap((asked): Encounter[] => {
    const { exchange, fromMs, toMs } = asked;
    const near = besides(exchange, evidence, windowMsOf(evidence));
    const others = near.filter(
      (other) =>
        other.account !== null && other.account !== account && (isAccepted(other) || isRefused(other, evidence)),
    );
    // Where nothing queues, a late answer is the network's.
    const isLate = isHeldBack(exchange, evidence);
    const isServed = asked.outcome === 'accepted' && !(isLate && isQueue(evidence));
    const isFirst = near.every((other) => other.account !== account || other.receivedAtMs > fromMs);
    const isIn =
      isServed && isFirst && others.some((other) => other.receivedAtMs <= fromMs && isRefused(other, evidence));
    const isOut =
      (odd.has(asked) || (asked.outcome === 'accepted' && isTurnedAway(exchange, evidence))) &&
      near.every((other) => other.account !== null) &&
      others.length >= requests &&
      own.some((other) => other.toMs <= fromMs);
    // They stand in two queues.
    const isBesideQueue =
      isServed &&
      !isLate &&
      others.some((other) => isHeldBack(other, evidence) && other.sentAtMs < fromMs && other.receivedAtMs > toMs);
    return isIn || isOut || isBesideQueue ? [{ asked, others }] : [];
  });
}

/** Returns the refusals below the limit while nobody else was busy; of whole bursts only where others are split. */
export function refusedAlone(evidence: Evidence, account: string): Answered[] {
  return oddRefusals(evidence, account).filter(
    (each) => isUndisturbed(each.exchange, evidence) && !isForBeingABurst(each, evidence),
  );
}

/** Whether a request was refused with its whole burst, as every burst was: then not for what came before it. */
export function isForBeingABurst({ exchange, fromMs, toMs }: Answered, evidence: Evidence): boolean {
  if (areBurstsSplit(evidence)) return false;
  const own = timelineOf(evidence, exchange.account ?? '');
  const burst = own.filter((other) => other.fromMs < toMs && other.toMs > fromMs);
  return burst.length > 1 && burst.every(({ outcome }) => outcome === 'refused');
}

/** Moments when one account was asked while another had used up its budget: they show whether budgets are shared. */
import { LITTLE_MS } from '../contract/bounds';
import type { Evidence, Exchange } from '../evidence/model';
import { isAccepted, isRefused, isWhole } from '../evidence/responder/classify';
import { isHeldBack, isTurnedAway } from '../evidence/responder/queueing';
import { beginningsOf, isSpaced, ownOf } from '../evidence/time/gaps';
import { underWay } from '../evidence/time/in-flight';

/** A request of one account, and another's before it: one of the two was refused, or had to queue. */
export interface Meeting {
  asked: Exchange;
  other: Exchange;
}

/**
 * Returns the meetings in which the account was asked, in the order of sending. Its own requests cannot be why it was
 * refused: fewer than the limit came in the window before.
 */
export function meetingsOf(evidence: Evidence, account: string): Meeting[] {
  const { requests, seconds } = evidence.target.rate;
  const own = ownOf(evidence, account);
  const beginnings = beginningsOf(evidence, account);
  let wasFault = false;
  return own.flatMap((asked) => {
    wasFault ||= asked.fault !== null;
    if (!isWhole(asked) || !(isAccepted(asked) || isRefused(asked, evidence))) return [];
    const busy = underWay(evidence, asked.sentAtMs - seconds * 1000, asked.receivedAtMs);
    const near = busy.filter((exchange) => exchange !== asked && exchange.account !== null);
    const beside = near.filter((exchange) => exchange.account === account);
    const isOneMoment = beside.every(
      ({ sentAtMs, receivedAtMs }) => sentAtMs < asked.receivedAtMs && receivedAtMs > asked.sentAtMs,
    );
    if (beside.length >= requests || !isOneMoment) return [];
    const turn = beginnings.findLast(({ next }) => next.sentAtMs <= asked.sentAtMs);
    const isUndisturbed = !wasFault && busy.every((exchange) => exchange.account !== null);
    // An earlier run may have used up what a first read lacks, and a refusal may keep an account out for longer than a
    // window. Such refusals say nothing about the other account.
    const mayBlame = isUndisturbed && turn !== undefined && isSpaced(turn, evidence, LITTLE_MS);
    if (isTurnedAway(asked, evidence) && !mayBlame) return [];
    const others = near.filter((exchange) => exchange.account !== account);
    if (beside.length > 0) {
      // Two whole budgets at one moment: both are accepted, or what is missing was used by the other account.
      const isWholeBoth = [asked, ...beside, ...others].every(isAccepted) && others.length >= requests;
      const [first] = isTurnedAway(asked, evidence) || (isWholeBoth && beside.length + 1 === requests) ? others : [];
      return first ? [{ asked, other: first }] : [];
    }
    const other = others.find(
      (exchange) =>
        (exchange.receivedAtMs <= asked.sentAtMs && (isRefused(exchange, evidence) || isTurnedAway(asked, evidence))) ||
        isHeldBackMeanwhile(exchange, asked, evidence),
    );
    return other ? [{ asked, other }] : [];
  });
}

/** Whether a request had to queue all the while another account's request was sent and answered at once. */
function isHeldBackMeanwhile(exchange: Exchange, asked: Exchange, evidence: Evidence): boolean {
  const isMeanwhile = exchange.sentAtMs < asked.sentAtMs && exchange.receivedAtMs > asked.receivedAtMs;
  return isMeanwhile && isHeldBack(exchange, evidence) && !isHeldBack(asked, evidence);
}

/** Moments when one account was asked while another had used up its budget: they show whether budgets are shared. */
import { LITTLE_MS } from '../contract/bounds';
import type { Evidence, Exchange } from '../evidence/model';
import { isAccepted, isRefused, isWhole } from '../evidence/responder/classify';
import { isHeldBack, isTurnedAway } from '../evidence/responder/queueing';
import { isSpaced, ownOf, turnsOf } from '../evidence/time/gaps';
import { underWay } from '../evidence/time/in-flight';

/** A request of one account, and another's before it: one of the two was refused, or had to queue. */
export interface Meeting {
  asked: Exchange;
  other: Exchange;
}

/** Returns the meetings in which the account was asked, in the order of sending. */
export function meetingsOf(evidence: Evidence, account: string): Meeting[] {
  const windowMs = evidence.target.rate.seconds * 1000;
  const own = ownOf(evidence, account);
  const turns = new Map(turnsOf(evidence, account).map((turn) => [turn.next, turn]));
  let wasFault = false;
  return own.flatMap((asked) => {
    wasFault ||= asked.fault !== null;
    if (!isWhole(asked) || !(isAccepted(asked) || isRefused(asked, evidence))) return [];
    const busy = underWay(evidence, asked.sentAtMs - windowMs, asked.receivedAtMs);
    const near = busy.filter((exchange) => exchange !== asked && exchange.account !== null);
    if (near.some((exchange) => exchange.account === account)) return [];
    const turn = turns.get(asked);
    const isUndisturbed = !wasFault && busy.every((exchange) => exchange.account !== null);
    // An earlier run may have used up what a first read lacks, and a refusal may keep an account out for longer than a
    // window. Such refusals say nothing about the other account.
    const mayBlame = isUndisturbed && turn !== undefined && isSpaced(turn, evidence, LITTLE_MS);
    if (isTurnedAway(asked, evidence) && !mayBlame) return [];
    const other = near.find(
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

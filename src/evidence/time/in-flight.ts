/** Requests in time: those of one account in order, and those that were under way together. */
import { groupedBy } from '../../common/text';
import { type Evidence, type Exchange, once, type Stretch } from '../model';

/** Returns all exchanges with the valid key of an account, in the order of sending. */
export function ownOf(evidence: Evidence, account: string): readonly Exchange[] {
  return ownByAccount(evidence).get(account) ?? [];
}

const ownByAccount = once(({ exchanges }: Evidence) => {
  const inOrder = [...exchanges].sort((a, b) => a.sentAtMs - b.sentAtMs);
  return groupedBy(inOrder, ({ account }) => account);
});

/** Returns the stretch from the first sending to the last answer of some requests. */
export function spanOf(exchanges: readonly Exchange[]): Stretch {
  return {
    fromMs: Math.min(...exchanges.map(({ sentAtMs }) => sentAtMs)),
    toMs: Math.max(...exchanges.map(({ receivedAtMs }) => receivedAtMs)),
  };
}

/** Returns the stretch from the first answer to the last sending of some requests. */
export function between(exchanges: readonly Exchange[]): Stretch {
  return {
    fromMs: Math.min(...exchanges.map(({ receivedAtMs }) => receivedAtMs)),
    toMs: Math.max(...exchanges.map(({ sentAtMs }) => sentAtMs)),
  };
}

/** Requests within this time are of one moment. What may have been an accident is asked again after it. */
export const ONE_MOMENT_MS = 1000;

/** Whether the first and the last of some exchanges were sent at one moment. */
export function areOfOneMoment(exchanges: readonly Exchange[]): boolean {
  return between(exchanges).toMs - spanOf(exchanges).fromMs < ONE_MOMENT_MS;
}

type Sent = ReturnType<typeof inOrderOfSending>[number];

/** Returns the exchanges that were sent before `toMs` and answered after `fromMs`, in the order of the evidence. */
export function underWay(evidence: Evidence, fromMs: number, toMs: number): Exchange[] {
  const sent = inOrderOfSending(evidence);
  const found: Sent[] = [];
  for (let i = countSentBefore(sent, toMs) - 1; i >= 0; i -= 1) {
    const request = sent[i] as Sent;
    if (request.latestAnswerMs <= fromMs) break;
    if (request.exchange.receivedAtMs > fromMs) found.push(request);
  }
  return found.sort((a, b) => a.position - b.position).map(({ exchange }) => exchange);
}

/** Returns the other requests under way while a request was, or less than `beforeMs` before: a limiter may count them. */
export function besides(exchange: Exchange, evidence: Evidence, beforeMs = 0): Exchange[] {
  const around = underWay(evidence, exchange.sentAtMs - beforeMs, exchange.receivedAtMs);
  return around.filter((other) => other !== exchange);
}

/** As `besides`, but only requests with the key of the same account. */
export function ownBeside(exchange: Exchange, evidence: Evidence, beforeMs = 0): Exchange[] {
  return besides(exchange, evidence, beforeMs).filter(({ account }) => account === exchange.account);
}

/** All exchanges by sending time. `latestAnswerMs`: when the last answer to this request or any before it arrived. */
const inOrderOfSending = once(({ exchanges }: Evidence) => {
  let latestAnswerMs = Number.NEGATIVE_INFINITY;
  return exchanges
    .map((exchange, position) => ({ exchange, position }))
    .sort((a, b) => a.exchange.sentAtMs - b.exchange.sentAtMs)
    .map((request) => {
      latestAnswerMs = Math.max(latestAnswerMs, request.exchange.receivedAtMs);
      return { ...request, latestAnswerMs };
    });
});

/** Counts by binary search how many were sent before a moment. */
function countSentBefore(sent: readonly Sent[], ms: number): number {
  let [low, high] = [0, sent.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sent[middle]?.exchange.sentAtMs ?? 0) < ms) low = middle + 1;
    else high = middle;
  }
  return low;
}

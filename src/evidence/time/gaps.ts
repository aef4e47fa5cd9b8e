/** Requests in time: the gaps between one account's, and what was under way together. */
import { groupedBy } from '../../common/text';
import { longestHonestSeconds, ROUNDING_SECONDS } from '../../contract/bounds';
import { parsedHeaders } from '../http/headers';
import { type Evidence, type Exchange, once, type Stretch } from '../model';
import { isRefused, isWhole, letThrough } from '../responder/classify';
import { setBackIn, waitAskedSeconds } from './server-clock';

/** A request sent when every earlier request of its account had been answered. */
export interface Turn {
  /** The answers before it, any of which the server may have decided last; more than one after a burst. */
  before: Exchange[];
  next: Exchange;
  /** Whether the following request was sent after this one's answer. If not, this is the first of a burst. */
  isAlone: boolean;
}

/** Returns all exchanges with the valid key of an account, in the order of sending. */
export function ownOf(evidence: Evidence, account: string): readonly Exchange[] {
  return ownByAccount(evidence).get(account) ?? [];
}

const ownByAccount = once(({ exchanges }: Evidence) => {
  const inOrder = [...exchanges].sort((a, b) => a.sentAtMs - b.sentAtMs);
  return groupedBy(inOrder, ({ account }) => account);
});

/** Returns the turns of an account that were sent alone, in the order of sending. */
export function turnsOf(evidence: Evidence, account: string): readonly Turn[] {
  return beginningsOf(evidence, account).filter(({ isAlone }) => isAlone);
}

/** Returns all turns of an account: requests sent alone, and the first request of each burst. */
export function beginningsOf(evidence: Evidence, account: string): readonly Turn[] {
  return beginningsByAccount(evidence).get(account) ?? [];
}

const beginningsByAccount = once(
  (evidence: Evidence) => new Map([...ownByAccount(evidence)].map(([account, own]) => [account, beginningsAmong(own)])),
);

function beginningsAmong(own: readonly Exchange[]): Turn[] {
  const turns: Turn[] = [];
  let before: Exchange[] = [];
  for (const [i, next] of own.entries()) {
    const underWay = before.filter((exchange) => exchange.receivedAtMs > next.sentAtMs);
    const isAlone = (own[i + 1]?.sentAtMs ?? Number.POSITIVE_INFINITY) >= next.receivedAtMs;
    if (before.length > 0 && underWay.length === 0) turns.push({ before, next, isAlone });
    before = [...underWay, next];
  }
  return turns;
}

/** Whether all of a turn was refused: its request, or the whole burst that it begins. */
export function isWhollyRefused({ next }: Turn, evidence: Evidence): boolean {
  return underWay(evidence, next.sentAtMs, next.receivedAtMs)
    .filter((exchange) => exchange.account === next.account)
    .every((exchange) => isWhole(exchange) && !exchange.resent && isRefused(exchange, evidence));
}

export function waitedMs({ before, next }: Turn): number {
  return next.sentAtMs - Math.max(...before.map((exchange) => exchange.receivedAtMs));
}

/**
 * Whether a turn waited as long as each refusal before it asked, and `moreMs` longer.
 * @param mostSeconds the longest wait that has to be kept
 */
export function keptItsWait(
  { before, next }: Turn,
  evidence: Evidence,
  moreMs = 0,
  mostSeconds = Number.POSITIVE_INFINITY,
): boolean {
  const refusedMs = Math.max(
    ...before.filter((exchange) => isRefused(exchange, evidence)).map(({ receivedAtMs }) => receivedAtMs),
  );
  return before.every((exchange) => {
    // The server may still decide about a request without a whole answer, at any later moment.
    if (!isWhole(exchange)) return false;
    const isLetThrough = letThrough([exchange], evidence).length > 0;
    // What was accepted after the last refusal may have begun a window that this refusal does not speak of.
    const isLater = isLetThrough && Number.isFinite(refusedMs) && exchange.receivedAtMs > refusedMs;
    // An answer that is not known to be a refusal may be one.
    const askedSeconds = isLater
      ? evidence.target.rate.seconds
      : isLetThrough
        ? 0
        : Math.min(mostSeconds, waitAskedSeconds(exchange, evidence)?.most ?? 0);
    return next.sentAtMs >= exchange.receivedAtMs + askedSeconds * 1000 + moreMs;
  });
}

/**
 * Whether a turn waited a window, any wait that was asked for, and `moreMs` longer (see `LITTLE_MS`). Of a wait longer
 * than any honest limiter asks for, only as much as is honest has to be kept.
 */
export function isSpaced(turn: Turn, evidence: Evidence, moreMs = 0): boolean {
  const windowMs = evidence.target.rate.seconds * 1000;
  const waited = waitedMs(turn);
  const setBack = setBackIn(evidence);
  // A window in which the server's clock is set back lasts longer.
  const isLonger =
    setBack !== null &&
    setBack.fromMs <= turn.next.receivedAtMs &&
    setBack.toMs >= turn.next.sentAtMs - waited - windowMs;
  return (
    !isLonger &&
    waited >= windowMs + moreMs &&
    keptItsWait(turn, evidence, moreMs, longestHonestSeconds(evidence.target.rate))
  );
}

/** Returns how many milliseconds a refusal asks to wait; 0 for other answers, and for waits longer than is honest. */
export function waitAskedMs(exchange: Exchange, evidence: Evidence): number {
  const asked = waitAskedSeconds(exchange, evidence);
  if (asked === null || !isWhole(exchange) || !isRefused(exchange, evidence)) return 0;
  return asked.most <= longestHonestSeconds(evidence.target.rate) ? asked.most * 1000 : 0;
}

/** Whether a refusal certainly asks to wait longer than a window, but no longer than is honest. */
export function asksBeyondWindow(exchange: Exchange, evidence: Evidence): boolean {
  const leastSeconds = waitAskedSeconds(exchange, evidence)?.least ?? 0;
  // `waitAskedSeconds` adds a second to a date, and the response's own `Date` may be cut to a second and a second old.
  const rounding = parsedHeaders(exchange).retryAfter?.form === 'date' ? 3 * ROUNDING_SECONDS : 0;
  return waitAskedMs(exchange, evidence) > 0 && leastSeconds > evidence.target.rate.seconds + rounding;
}

/** Returns the stretch from when the first of some requests was sent until the last of them was answered. */
export function spanOf(exchanges: readonly Exchange[]): Stretch {
  return {
    fromMs: Math.min(...exchanges.map(({ sentAtMs }) => sentAtMs)),
    toMs: Math.max(...exchanges.map(({ receivedAtMs }) => receivedAtMs)),
  };
}

/** Returns the stretch from when the first of some requests was answered until the last of them was sent. */
export function between(exchanges: readonly Exchange[]): Stretch {
  return {
    fromMs: Math.min(...exchanges.map(({ receivedAtMs }) => receivedAtMs)),
    toMs: Math.max(...exchanges.map(({ sentAtMs }) => sentAtMs)),
  };
}

/** Events within this time happen at one moment. What may have been an accident is asked again after it. */
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

/** Returns what else was under way while a request was, or less than `beforeMs` before: a limiter may count it. */
export function besides(exchange: Exchange, evidence: Evidence, beforeMs = 0): Exchange[] {
  const around = underWay(evidence, exchange.sentAtMs - beforeMs, exchange.receivedAtMs);
  return around.filter((other) => other !== exchange);
}

/** Returns those of them that carried the key of the request's account. */
export function ownBeside(exchange: Exchange, evidence: Evidence, beforeMs = 0): Exchange[] {
  return besides(exchange, evidence, beforeMs).filter(({ account }) => account === exchange.account);
}

/** All exchanges by sending time. `latestAnswerMs`: when the last answer to this one or any before it arrived. */
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

/** Binary search: how many of them were sent before a moment. */
function countSentBefore(sent: readonly Sent[], ms: number): number {
  let [low, high] = [0, sent.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sent[middle]?.exchange.sentAtMs ?? 0) < ms) low = middle + 1;
    else high = middle;
  }
  return low;
}

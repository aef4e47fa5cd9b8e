/** What Reset and Retry-After promise an account (API description, section 8): which promises were kept, which broken. */
import { groupedBy } from '../common/grouped';
import { LITTLE_MS } from '../contract/bounds';
import { parsedHeaders } from '../evidence/http/headers';
import type { Evidence, Exchange } from '../evidence/model';
import { isRefused, isWhole } from '../evidence/responder/classify';
import { beginningsOf, isWhollyRefused, keptItsWait, type Turn } from '../evidence/time/gaps';
import { isStored, passesAtMs, waitAskedSeconds } from '../evidence/time/server-clock';
import { isBlock } from './stricter';
import { type Answered, accountsOf, areApartInTime, isUndisturbed, oncePer, timelineOf } from './timeline';
import { areBurstsSplit } from './worlds';

export type Kind = 'reset' | 'wait';

/** A request after what was promised had come, and the last answer before it, which promised. */
export interface Promised extends Answered {
  promise: Exchange;
  /** How soon it was promised. */
  seconds: number;
}

/** What was promised before a turn, and when that has certainly come, in milliseconds of the run; `null` where it has not. */
const PASSED: Record<Kind, (turn: Turn, evidence: Evidence) => { promise: Exchange; atMs: number } | null> = {
  reset: resetPassed,
  wait: waitPassed,
};

/**
 * Returns what came of promises to an account, whose requests nobody else disturbed. Broken are requests, and bursts by their
 * first ones, that were refused as a whole. A store may forget late, so in a row of refusals it counts what the first of them
 * had promised.
 */
export const promisesTo = oncePer((evidence, account: string, kind: Kind): Record<'kept' | 'broken', Promised[]> => {
  const own = new Map(timelineOf(evidence, account).map((each) => [each.exchange, each]));
  const kept: Promised[] = [];
  const broken: Promised[] = [];
  let firstMs: number | null = null;
  let isOneBroken = false;
  for (const turn of beginningsOf(evidence, account)) {
    const each = own.get(turn.next);
    const isOut = isWhollyRefused(turn, evidence) && isUndisturbed(turn.next, evidence);
    const passed = each && (isOut || each.outcome === 'accepted') ? PASSED[kind](turn, evidence) : null;
    firstMs = isOut && passed ? (firstMs ?? passed.atMs) : null;
    if (!each || !passed) continue;
    const seconds = Math.round((passed.atMs - passed.promise.receivedAtMs) / 1000);
    const promised = { ...each, promise: passed.promise, seconds };
    if (!isOut) kept.push(promised);
    else if (firstMs !== null && each.fromMs >= firstMs + LITTLE_MS) {
      broken.push(promised);
      isOneBroken ||= turn.isAlone;
    }
  }
  // Where no single request is refused, bursts are for another reason (rate.limit-honest), unless others are split.
  const doTell = isOneBroken || (areBurstsSplit(evidence) && isBlock(evidence));
  return { kept, broken: doTell ? broken : [] };
});

/** When the Reset of every answer before a turn has passed, if nothing was sent since. */
function resetPassed({ before, next }: Turn, evidence: Evidence) {
  const passedMs = before.map((exchange) => {
    const { reset } = parsedHeaders(exchange);
    const isPromise = isWhole(exchange) && !exchange.resent && !isStored(exchange, evidence) && reset !== null;
    return (isPromise ? passesAtMs(reset, exchange, evidence) : null) ?? Number.POSITIVE_INFINITY;
  });
  const [atMs, promise] = [Math.max(...passedMs), before.at(-1)];
  return promise && atMs + LITTLE_MS <= next.sentAtMs ? { promise, atMs } : null;
}

/** When the wait that the last refusal before a turn asked for has passed, if each was kept. */
function waitPassed(turn: Turn, evidence: Evidence) {
  const refused = turn.before.filter((exchange) => isRefused(exchange, evidence));
  const last = refused.at(-1);
  const doAllAsk = refused.every((exchange) => parsedHeaders(exchange).retryAfter !== null);
  if (!last || !doAllAsk || !keptItsWait(turn, evidence)) return null;
  return { promise: last, atMs: last.receivedAtMs + (waitAskedSeconds(last, evidence)?.most ?? 0) * 1000 };
}

/** Whether promises were broken at several moments, or three times in a row: less may be one accident. */
export function isBrokenAgain(evidence: Evidence, broken: readonly Promised[]): boolean {
  const byAccount = groupedBy(broken, ({ exchange }) => exchange.account);
  return areApartInTime(broken, evidence) || [...byAccount.values()].some(({ length }) => length > 2);
}

/** So many promises alike that were kept later show that one was broken by accident. */
const KEPT = 2;

/** Whether promises to an account were broken at one moment alone, and it was not seen since whether such are kept. */
export function isUnsettled(evidence: Evidence, account: string, kind: Kind): boolean {
  const { kept, broken } = promisesTo(evidence, account, kind);
  const all = accountsOf(evidence).flatMap((name) => promisesTo(evidence, name, kind).broken);
  const isSettled = (each: Promised) =>
    kept.filter(({ fromMs, seconds }) => fromMs > each.fromMs && seconds === each.seconds).length >= KEPT;
  return broken.length > 0 && !isBrokenAgain(evidence, all) && !broken.some(isSettled);
}

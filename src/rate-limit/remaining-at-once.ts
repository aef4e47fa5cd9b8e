/**
 * X-RateLimit-Remaining on the answers of a burst (API description, section 8). Answers of one moment have no order, so
 * they are compared as a set. Nothing of the account was sent for as long as any limiter remembers, so each number from
 * Limit - 1 down comes once, unless a window turned or a bucket gained something meanwhile. This needs no fast answers.
 */
import { longestMemoryMs } from '../contract/bounds';
import { saidBy } from '../evidence/http/headers';
import type { Evidence, Exchange } from '../evidence/model';
import { isWhole, letThrough } from '../evidence/responder/classify';
import { isQueue } from '../evidence/responder/queueing';
import { ownOf } from '../evidence/time/gaps';
import { isStored } from '../evidence/time/server-clock';
import type { Miscount } from './remaining';

/** Returns what is wrong with the counts of an account's bursts. */
export function miscountsAtOnce(bursts: readonly Exchange[][], evidence: Evidence): Miscount[] {
  const isFirst = (exchange: Exchange) => saidBy(exchange).remaining === (saidBy(exchange).limit ?? 0) - 1;
  // What another client had used of one window is missing there alone.
  const mayBeBegun = bursts.some(
    (burst) => isAfterSilence(burst, evidence) && letThrough(burst, evidence).some(isFirst),
  );
  return bursts.flatMap((burst) => miscountAtOnce(burst, evidence, mayBeBegun) ?? []);
}

/**
 * Returns what no limiter says of a burst that began with a whole budget. `null` where some limiter may, where the burst
 * tells nothing, and on a queue: there Remaining says how long requests wait.
 * @param mayBeBegun whether another client may have used some of its window first
 */
function miscountAtOnce(burst: readonly Exchange[], evidence: Evidence, mayBeBegun: boolean): Miscount | null {
  const { requests, seconds } = evidence.target.rate;
  const through = letThrough(burst, evidence);
  // rate.limit-honest judges a limit named wrongly or granted short, so any of these may be counted down from.
  const named = [requests, ...through.flatMap((exchange) => saidBy(exchange).limit ?? [])];
  const totals = through.length < burst.length ? [...named, through.length] : named;
  const said = through.flatMap((exchange) => saidBy(exchange).remaining ?? []);
  const isTelling = burst.every((exchange) => isWhole(exchange) && !exchange.resent && !isStored(exchange, evidence));
  if (!isTelling || said.length < through.length || said.length === 0) return null;
  if (isQueue(evidence) || !isAfterSilence(burst, evidence)) return null;
  const exchanges = through.toSorted((a, b) => (saidBy(b).remaining ?? 0) - (saidBy(a).remaining ?? 0));
  const most = Math.max(...said);
  const fromMs = Math.min(...burst.map(({ sentAtMs }) => sentAtMs));
  const toMs = Math.max(...through.map(({ receivedAtMs }) => receivedAtMs));
  if (toMs - fromMs >= seconds * 1000 || through.length > Math.max(...named)) return null;
  if (!totals.includes(most + 1)) {
    if (mayBeBegun && most + 1 < Math.min(...totals)) return null;
    const got = `at most ${most} on the answers to requests at one moment`;
    return { exchanges: exchanges.slice(0, 1), got, due: String(Math.max(...totals) - 1), span: null };
  }
  const times = (value: number) => said.filter((each) => each === value).length;
  const repeated = said.length - new Set(said).size;
  const gained = Math.floor((toMs - fromMs) / ((seconds * 1000) / requests));
  if (repeated <= gained) return null;
  // The first request of a window that begins meanwhile says once more what the first of the burst said.
  const mayHaveTurned = times(most) === 2 && said.every((value) => times(value) <= 2);
  const often = said.find((value) => times(value) > 1) ?? 0;
  return {
    exchanges: exchanges.filter((exchange) => times(saidBy(exchange).remaining ?? 0) > 1),
    got: `${often} on ${times(often)} of ${said.length} answers to requests at one moment`,
    due: 'a number of its own on each',
    span: mayHaveTurned || repeated === gained + 1 ? { fromMs, toMs } : null,
  };
}

/** Whether nothing of the account was under way for as long before a burst as any limiter remembers. */
export function isAfterSilence(burst: readonly Exchange[], evidence: Evidence): boolean {
  const fromMs = Math.min(...burst.map(({ sentAtMs }) => sentAtMs));
  const before = ownOf(evidence, burst[0]?.account ?? '').filter(({ sentAtMs }) => sentAtMs < fromMs);
  return before.every(({ receivedAtMs }) => receivedAtMs <= fromMs - longestMemoryMs(evidence.target.rate));
}

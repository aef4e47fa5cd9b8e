/**
 * Compares X-RateLimit-Remaining with what this run used of a fresh window (API description, section 8). Another client
 * of the same key uses budget too, and a sliding counter carries some over from the window before.
 */
import { LITTLE_MS, longestMemoryMs } from '../contract/bounds';
import { saidBy } from '../evidence/http/headers';
import { once } from '../evidence/memoize';
import type { Evidence, Exchange } from '../evidence/model';
import { isRefused, isWhole, letThrough } from '../evidence/responder/classify';
import { isQueue } from '../evidence/responder/queueing';
import { ofTheApi } from '../evidence/select';
import { beginningsOf, isSpaced, ownOf, turnsOf } from '../evidence/time/gaps';
import { isStored } from '../evidence/time/server-clock';
import type { Decision } from './decisions';
import { isUndisturbed } from './own-budgets';

/** A response to an accepted request, and how many requests it counts that this run did not send in the window. */
interface Entry {
  exchange: Exchange;
  beyond: number;
}

/** Requests accepted one after another in a fresh window, before a bucket can have gained a request. */
interface Trace {
  entries: Entry[];
  /** The most that a sliding counter carries over: what this run used within the two windows before. */
  carried: number;
  /** Whether the next request was refused although the last entry says that some are left. */
  isBroken: boolean;
}

/** Budgets of which something was used before this run began to use them. */
export interface Tallies {
  /** Responses whose count is true if another client, or the window before, used the difference. */
  explained: ReadonlySet<Exchange>;
  /** Those of `explained` that a sliding counter explains alone: it may forget between two requests what it had counted. */
  carriedOver: ReadonlySet<Exchange>;
  /** By account, the responses that only another client explains. */
  foreign: ReadonlyMap<string, Exchange[]>;
  /** Accounts with a window in which another client, or a sliding counter's carry-over, had used something first. */
  begun: ReadonlySet<string>;
}

/** What the counts of all accounts say. Empty where accepted requests are not always told the same Limit. */
export const talliesOf = once((evidence: Evidence): Tallies => {
  const explained = new Set<Exchange>();
  const carriedOver = new Set<Exchange>();
  const foreign = new Map<string, Exchange[]>();
  const begun = new Set<string>();
  const limits = new Set(letThrough(ofTheApi(evidence), evidence).flatMap((exchange) => saidBy(exchange).limit ?? []));
  if (limits.size > 1) return { explained, carriedOver, foreign, begun };
  const byAccount = evidence.target.accounts.map(({ name }) => ({ name, traces: tracesOf(evidence, name) }));
  const exact = exactPlaces(byAccount.flatMap(({ traces }) => traces));
  for (const { name, traces } of byAccount) {
    const kept = traces.filter((trace) => isKept(trace, exact, evidence));
    for (const { entries, carried } of kept)
      for (const { exchange } of entries) {
        explained.add(exchange);
        if (carried > 0 && entries.every(({ beyond }) => beyond <= carried)) carriedOver.add(exchange);
      }
    if (kept.some(({ entries }) => entries.some(({ beyond }) => beyond > 0))) begun.add(name);
    const shown = kept.flatMap(
      ({ entries, carried }) => entries.find(({ beyond }) => beyond > carried)?.exchange ?? [],
    );
    // A sliding counter still counts what another account used in the window before.
    const memoryMs = longestMemoryMs(evidence.target.rate);
    const alone = shown.filter((exchange) => isUndisturbed(exchange, evidence, memoryMs));
    if (alone.length > 0) foreign.set(name, alone);
  }
  return { explained, carriedOver, foreign, begun };
});

function tracesOf(evidence: Evidence, account: string): Trace[] {
  const own = ownOf(evidence, account);
  const places = new Map(own.map((exchange, i) => [exchange, i]));
  const fresh = turnsOf(evidence, account).filter((turn) => isSpaced(turn, evidence, LITTLE_MS));
  return [...own.slice(0, 1), ...fresh.map(({ next }) => next)]
    .map((first) => traceFrom(own, places.get(first) ?? 0, evidence))
    .filter(({ entries }) => entries.length > 0);
}

function traceFrom(own: readonly Exchange[], start: number, evidence: Evidence): Trace {
  const { requests, seconds } = evidence.target.rate;
  const first = own[start] as Exchange;
  const gainedAtMs = first.sentAtMs + (seconds * 1000) / requests;
  const entries: Entry[] = [];
  let before: Exchange | undefined;
  let at = start;
  for (; at < own.length; at += 1) {
    const exchange = own[at] as Exchange;
    // The server may decide first on the later one of two requests that are under way together.
    const after = own[at + 1];
    if (after !== undefined && after.sentAtMs < exchange.receivedAtMs) break;
    if (exchange.resent || isStored(exchange, evidence) || (before && exchange.receivedAtMs >= gainedAtMs)) break;
    if (before && isOfNextWindow(exchange, before)) break;
    const [limit, left] = [saidBy(exchange).limit, saidBy(exchange).remaining];
    if (limit === null || left === null || letThrough([exchange], evidence).length === 0) break;
    entries.push({ exchange, beyond: limit - left - entries.length - 1 });
    before = exchange;
  }
  const next = own[at];
  const isSoon = next !== undefined && next.sentAtMs < gainedAtMs && isRefused(next, evidence);
  const isBroken = isSoon && before !== undefined && saidBy(before).remaining !== 0;
  return { entries, carried: carriedBy(own, start, seconds * 1000), isBroken };
}

/** Whether more is left and Reset does not name the same window: another client may have begun the earlier one. */
function isOfNextWindow(exchange: Exchange, before: Exchange): boolean {
  const [left, leftBefore] = [saidBy(exchange).remaining, saidBy(before).remaining];
  const reset = saidBy(exchange).reset;
  return (left ?? 0) > (leftBefore ?? 0) && (reset === null || reset !== saidBy(before).reset);
}

function carriedBy(own: readonly Exchange[], start: number, windowMs: number): number {
  const fromMs = (own[start] as Exchange).sentAtMs - 2 * windowMs;
  let count = 0;
  for (let i = start - 1; i >= 0 && (own[i] as Exchange).receivedAtMs > fromMs; i -= 1) count += 1;
  return count;
}

/**
 * The places in a fresh window at which some response counts only this run's request. A server that counts wrongly does
 * so at the same place each time; another client's requests come at any place.
 */
function exactPlaces(traces: readonly Trace[]): Set<number> {
  const places = new Set<number>();
  for (const { entries } of traces)
    for (const [i, { beyond }] of entries.entries()) if (beyond === (entries[i - 1]?.beyond ?? 0)) places.add(i);
  return places;
}

/** Whether another client's requests, and a sliding counter's carry-over, explain each count of a trace. */
function isKept({ entries, carried, isBroken }: Trace, exact: ReadonlySet<number>, evidence: Evidence): boolean {
  const windowMs = evidence.target.rate.seconds * 1000;
  const startMs = entries[0]?.exchange.sentAtMs ?? 0;
  let forgotten = 0;
  return (
    !isBroken &&
    entries.every(({ exchange, beyond }, i) => {
      const more = beyond - (entries[i - 1]?.beyond ?? 0);
      if (more < 0) forgotten -= more;
      const mostForgotten = carried === 0 ? 0 : 1 + (carried * (exchange.receivedAtMs - startMs)) / windowMs;
      return beyond >= 0 && forgotten <= mostForgotten && (more <= 0 || exact.has(i));
    })
  );
}

/** How many requests a trial was granted before its first refusal, and how many X-RateLimit-Limit names. */
export interface Share {
  granted: number;
  named: number;
  /** The last of those requests, or the refusal if there is none. */
  last: Exchange;
  refusal: Exchange;
}

/**
 * Returns what a trial that began with a whole budget was granted. `null` where nothing was refused, no limit is named,
 * or a request was sent twice. A burst was granted all that was let through of it: time only adds to that.
 */
export function shareGranted(trial: readonly Exchange[], evidence: Evidence): Share | null {
  const at = trial.findIndex((exchange) => isRefused(exchange, evidence));
  const isBurst = trial.some(({ probe }) => probe.group === 'concurrent');
  const refusal = trial[at];
  const before = isBurst ? letThrough(trial, evidence) : trial.slice(0, at);
  const named = trial.map((exchange) => saidBy(exchange).limit).find((limit) => limit !== null);
  // A request that was sent twice may have been counted twice.
  if ([...before, refusal].some((exchange) => exchange?.resent)) return null;
  if (!refusal || !isWhole(refusal) || named === undefined || named === null) return null;
  return { granted: before.length, named, last: before.at(-1) ?? refusal, refusal };
}

/** Returns the fewest requests that a trial granted before its first refusal, but at least one; else `null`. */
export function leastGranted(trials: readonly Exchange[][], evidence: Evidence): number | null {
  const granted = trials.flatMap((trial) => shareGranted(trial, evidence)?.granted ?? []).filter((count) => count > 0);
  return granted.length > 0 ? Math.min(...granted) : null;
}

/** What is wrong with the counts of a trial. */
export interface Miscount {
  exchanges: Exchange[];
  got: string;
  due: string;
  /** When the end of a window, or a tick of a bucket, would explain it; `null` where neither does. */
  span: Decision | null;
}

/**
 * Returns the responses of a trial whose X-RateLimit-Remaining does not count down. After a whole budget, the k-th
 * request let through must say Limit - k, unless a window ended or a bucket gained in between.
 * @param granted how many requests this account's trials granted, see `leastGranted`
 */
export function miscounted(trial: readonly Exchange[], evidence: Evidence, granted: number | null): Miscount[] {
  const { requests, seconds } = evidence.target.rate;
  const found: Miscount[] = [];
  const through = letThrough(trial, evidence);
  const first = through[0];
  const turn = beginningsOf(evidence, first?.account ?? '').find(({ next }) => next === first);
  // What came before a wait that was asked for had passed did not begin with a whole budget.
  if (!first || first !== trial[0] || (turn && !isSpaced(turn, evidence))) return [];
  // Where requests are held back instead of refused, Remaining says how long they wait, not how many are left.
  const tokenMs = (seconds * 1000) / requests;
  if (isQueue(evidence) || through.some(({ resent }) => resent)) return [];
  const own = shareGranted(trial, evidence)?.granted ?? null;
  for (const [i, exchange] of through.entries()) {
    const [limit, said] = [saidBy(exchange).limit, saidBy(exchange).remaining];
    // rate.limit-honest judges a limit named wrongly or granted short, so any of these may be counted down from.
    const totals = [limit, requests, granted, own].filter((total) => total !== null && total > i);
    if (limit === null || said === null || totals.length === 0 || isStored(exchange, evidence)) continue;
    if (totals.some((total) => said === (total ?? 0) - 1 - i)) continue;
    // A request beyond the limit leaves nothing. rate.limit-honest judges that it was let through.
    if (i >= Math.min(limit, own ?? limit) && said === 0) continue;
    // More than was left was let through right after: nobody else explains that.
    const after = through.filter(
      (later) => later.sentAtMs >= exchange.receivedAtMs && later.receivedAtMs - first.sentAtMs < tokenMs,
    );
    const more = after[said];
    // If budgets are shared, another account may have used what is missing.
    const isAlone = said >= limit - 1 - i || isUndisturbed(exchange, evidence);
    const { explained, carriedOver } = talliesOf(evidence);
    if (carriedOver.has(exchange) || (!more && (!isAlone || explained.has(exchange)))) continue;
    // A bucket may have gained a token once one request's share of the window has passed.
    const elapsedMs = exchange.receivedAtMs - first.sentAtMs;
    if (i > 0 && elapsedMs >= tokenMs) continue;
    const span = i === 0 && isAlone ? null : { fromMs: first.sentAtMs, toMs: (more ?? exchange).receivedAtMs };
    const due = String(limit - 1 - i);
    found.push({ exchanges: [exchange], got: `${said} where ${due} were left`, due, span });
  }
  return found;
}

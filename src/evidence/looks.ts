/** What one look at the rate limit shows, and whether another look is due before anybody is accused. */

import { groupedBy } from '../common/grouped';
import { booksOf } from './books';
import { setBackIn } from './clock';
import type { Evidence, Exchange } from './exchange';
import { rateHeaderOf } from './headers';
import { isAccepted, isRefused, isWhole, letThrough } from './outcome';
import type { Group } from './probe';
import { isQuiet } from './quiet';
import { accidentsIn } from './service';
import { asksBeyondWindow, ownOf } from './turns';
import { refusedAtFirst, usedElsewhere } from './used-elsewhere';
import { type Decision, type Decisions, decisionOf, fullestStretch, isExplained, shareOfPhases } from './windows';

const MOST_LOOKS = 3;

/** The exchanges of a group and account, look by look, each in the order of sending. */
export function looksOf(evidence: Evidence, group: Group, account: string): Exchange[][] {
  const all = evidence.exchanges.filter(({ probe }) => probe.group === group && probe.account === account);
  const looks = groupedBy(all, ({ probe }) => probe.look);
  return [...looks.values()].map((look) => {
    const ordered = look.sort((a, b) => a.sentAtMs - b.sentAtMs);
    const opener = group === 'sequence' ? openerOf(ordered[0], evidence) : null;
    return opener ? [opener, ...ordered] : ordered;
  });
}

/** The request that began a sequence in place of a plain read: less than a window before it, as no other request of its account is. */
export function openerOf(first: Exchange | undefined, evidence: Evidence): Exchange | null {
  if (!first) return null;
  const own = ownOf(evidence, first.account ?? '');
  const before = own[own.indexOf(first) - 1];
  const isNear = before !== undefined && first.sentAtMs - before.receivedAtMs < evidence.target.rate.seconds * 1000;
  return isNear && before.probe.group === 'header-case' && isAccepted(before) ? before : null;
}

/**
 * What fewer phases than this share of all explain is looked at again. Three looks begin a third of a window apart, so
 * that no phase explains all three if each leaves less than two thirds.
 */
const RARE = 0.65;

/** True where more were let through than a limit allows, unless windows that begin just so explain it. */
function isOver(look: readonly Exchange[], requests: number, evidence: Evidence): boolean {
  const { seconds } = evidence.target.rate;
  return shareOfPhases(letThrough(look, evidence).map(decisionOf), { requests, seconds }) < RARE;
}

/**
 * From a whole budget: how many were let through before the first refusal, the last of them, and how many X-RateLimit-Limit says.
 * `null` where nothing was refused or no limit is named.
 */
export function shareGranted(
  look: readonly Exchange[],
  evidence: Evidence,
): { granted: number; named: number; last: Exchange; refusal: Exchange } | null {
  const at = look.findIndex((exchange) => isRefused(exchange, evidence));
  const refusal = look[at];
  const named = look.map((exchange) => rateHeaderOf(exchange, 'Limit')).find((limit) => limit !== null);
  // A request that was sent twice may have been counted twice.
  if (look.slice(0, at + 1).some((exchange) => exchange.resent)) return null;
  if (!refusal || !isWhole(refusal) || named === undefined || named === null) return null;
  return { granted: at, named, last: look[at - 1] ?? refusal, refusal };
}

/** The fewest that any look granted before its first refusal; `null` where nothing was refused. */
export function leastGranted(looks: readonly Exchange[][], evidence: Evidence): number | null {
  const granted = looks.flatMap((look) => shareGranted(look, evidence)?.granted ?? []).filter((count) => count > 0);
  return granted.length > 0 ? Math.min(...granted) : null;
}

/**
 * Where X-RateLimit-Remaining does not count down in a look that began with a whole budget: the k-th request let
 * through must say Limit - k, unless a window ended, or a bucket gained, in between.
 * @param granted what the looks of this account were seen to grant, see `leastGranted`
 * @returns the responses that say otherwise, each with the span in which only a window's end explains it; no span
 * (`null`) where nothing does.
 */
export function miscounted(
  look: readonly Exchange[],
  evidence: Evidence,
  granted: number | null,
): Array<{ exchange: Exchange; said: number; due: number; span: Decision | null }> {
  const { requests, seconds } = evidence.target.rate;
  const found: ReturnType<typeof miscounted> = [];
  const through = letThrough(look, evidence);
  const first = through[0];
  if (!first || first !== look[0]) return [];
  // Where requests are held back instead of refused, what is left says when, not how many.
  const tokenMs = (seconds * 1000) / requests;
  if (through.some((exchange) => exchange.resent || exchange.receivedAtMs - exchange.sentAtMs > tokenMs / 2)) return [];
  for (const [i, exchange] of through.entries()) {
    const [limit, said] = [rateHeaderOf(exchange, 'Limit'), rateHeaderOf(exchange, 'Remaining')];
    // A limit that is named wrongly, or granted short, is for rate.limit-honest: any of them may be counted down from.
    const totals = [limit, requests, granted].filter((total) => total !== null && total > i);
    if (limit === null || said === null || totals.length === 0 || totals.some((total) => said === (total ?? 0) - 1 - i))
      continue;
    // Of what is let through beyond the limit, nothing was left: that it was let through is for rate.limit-honest.
    if (i >= limit && said === 0) continue;
    // What is missing from a whole budget may have been used up by somebody else, if budgets are shared.
    if (i === 0 && said < limit - 1 && !isQuiet(exchange, evidence)) continue;
    if (booksOf(evidence).explained.has(exchange)) continue;
    // A bucket may have gained a token as soon as a share of the window has passed.
    const elapsedMs = exchange.receivedAtMs - first.sentAtMs;
    if (i > 0 && elapsedMs >= tokenMs) continue;
    const span = i === 0 ? null : { fromMs: first.sentAtMs, toMs: exchange.receivedAtMs };
    found.push({ exchange, said, due: limit - 1 - i, span });
  }
  return found;
}

/**
 * Whether another look is due: one was suspicious, and what was seen so far is neither a certain breach nor as many
 * looks as there are. A limiter is the same program for all accounts: what one of them has shown, no other repeats.
 */
export function needsAnotherLook(evidence: Evidence, group: Group, account: string): boolean {
  const looks = looksOf(evidence, group, account);
  if (looks.length === 0) return false;
  const names = evidence.target.accounts.map(({ name }) => name);
  // A server that lets too many through on one path does so on two.
  const shown = group === 'paths' ? 'sequence' : group;
  if (names.some((name) => isOverRate(looksOf(evidence, shown, name), evidence, name))) return false;
  if (names.some((name) => looksOf(evidence, group, name).length >= MOST_LOOKS)) return false;
  // An accident that comes again is none.
  if (looks.at(-1)?.some((exchange) => accidentsIn(evidence).has(exchange))) return true;
  if (group !== 'concurrent') return looks.every((look) => isSuspicious(group, look, evidence));
  const empty = names.flatMap((name) => looksOf(evidence, group, name)).filter((look) => isEmpty(look, evidence));
  return looks.some(
    (look) => isSuspicious(group, look, evidence) || (isEmpty(look, evidence) && !areTelling(empty, evidence)),
  );
}

/**
 * Whether bursts of which nothing was let through show that it is the limiter: those of one moment may be one accident, and
 * of one account alone, somebody else's use explains two.
 */
export function areTelling(empty: readonly Exchange[][], evidence: Evidence): boolean {
  const windowMs = evidence.target.rate.seconds * 1000;
  const sentAtMs = empty.map(([first]) => first?.sentAtMs ?? 0).sort((a, b) => a - b);
  const moments = sentAtMs.filter((atMs, i) => i === 0 || atMs - (sentAtMs[i - 1] ?? 0) >= windowMs);
  return moments.length >= (new Set(empty.map(([first]) => first?.account)).size > 1 ? 2 : 3);
}

/** Of a burst's whole budget, something is let through. */
function isEmpty(look: readonly Exchange[], evidence: Evidence): boolean {
  return look.length > 1 && letThrough(look, evidence).length === 0;
}

/**
 * Whether the looks of an account let through what no limiter explains: no further look adds to that.
 * @param requests what the limiter is to let through in a window: what is declared, or what it says itself
 */
export function isOverRate(
  looks: readonly Exchange[][],
  evidence: Evidence,
  account: string,
  requests = evidence.target.rate.requests,
): boolean {
  const { seconds } = evidence.target.rate;
  const all = letThrough(looks.flat(), evidence).map(decisionOf);
  const { accepted, refused } = decisionsOf(evidence, account);
  const setBack = setBackIn(evidence);
  const sides = [
    ({ toMs }: Decision) => setBack === null || toMs <= setBack.fromMs,
    ({ fromMs }: Decision) => setBack !== null && fromMs >= setBack.toMs,
  ];
  return sides.some((isOf) => {
    const through = all.filter(isOf);
    // Somebody else's requests begin windows at times that are not known here.
    if (usedElsewhere(evidence).has(account) || booksOf(evidence).begun.has(account))
      return fullestStretch(through, seconds * 1000).length > 2 * requests;
    const known = { accepted: accepted.filter(isOf), refused: refused.filter(isOf) };
    return !isExplained(through, { requests, seconds }, known);
  });
}

/**
 * All decisions about an account's requests that the limiter is known to have taken. Where even a request
 * that kept its distance was refused, refusals may be about somebody else's requests, so they tell nothing about windows.
 */
function decisionsOf(evidence: Evidence, account: string): Decisions {
  const whole = ownOf(evidence, account).filter((exchange) => isWhole(exchange) && !exchange.resent);
  // Who asks to wait for longer than a window counts more than that window's requests.
  const isUntold =
    refusedAtFirst(evidence, account).length > 0 || whole.some((exchange) => asksBeyondWindow(exchange, evidence));
  const refused = isUntold ? [] : whole.filter((exchange) => isRefused(exchange, evidence));
  return { accepted: letThrough(whole, evidence).map(decisionOf), refused: refused.map(decisionOf) };
}

function isSuspicious(group: Group, look: Exchange[], evidence: Evidence): boolean {
  // Both paths let through within less than a window.
  if (group === 'paths') return look.some((exchange) => exchange.request.url.endsWith('/') && isAccepted(exchange));
  const named = look.map((exchange) => rateHeaderOf(exchange, 'Limit')).find((limit) => limit !== null) ?? null;
  if (isOver(look, evidence.target.rate.requests, evidence) || (named !== null && isOver(look, named, evidence)))
    return true;
  if (group !== 'sequence') return false;
  const share = shareGranted(look, evidence);
  const first = look[0];
  return (
    (share !== null && share.granted < share.named) ||
    (first !== undefined && isRefused(first, evidence)) ||
    miscounted(look, evidence, leastGranted([look], evidence)).length > 0
  );
}

/** What one trial at the rate limit shows, and whether another trial is needed before a verdict. */

import { catalogue, type Group } from '../catalogue/catalogue';
import { groupedBy } from '../common/grouped';
import { once } from '../evidence/memoize';
import type { Evidence, Exchange, Rate } from '../evidence/model';
import { isAccepted, isRefused, isWhole, letThrough } from '../evidence/responder/classify';
import { interruptionsOf } from '../evidence/responder/outages';
import { asksBeyondWindow, ownOf } from '../evidence/time/gaps';
import { setBackIn } from '../evidence/time/server-clock';
import { otherClients } from './causes';
import { type Decision, type Decisions, decisionOf, overflowOf, SLACK_MS } from './decisions';
import { isExplained } from './limiters';
import { seemsLonger } from './longer-limits';
import { talliesOf } from './remaining';
import { refusedWithRoom } from './room';

/** Returns the exchanges of a group and account, trial by trial, each in the order of sending. */
export function trialsOf(evidence: Evidence, group: Group, account: string): Exchange[][] {
  const all = evidence.exchanges.filter(({ probe }) => probe.group === group && probe.account === account);
  const trials = groupedBy(all, ({ probe }) => probe.trial);
  return [...trials.values()].map((trial) => {
    const ordered = trial.sort((a, b) => a.sentAtMs - b.sentAtMs);
    const opener = group === 'sequence' ? openerOf(ordered[0], evidence) : null;
    return opener ? [opener, ...ordered] : ordered;
  });
}

/** Returns the request less than a window before `first` that began its sequence in place of a plain read, if any. */
export function openerOf(first: Exchange | undefined, evidence: Evidence): Exchange | null {
  const before = first ? openedBy(first, evidence) : null;
  return before && first && !isOfTheOtherPath(before, first, evidence) ? before : null;
}

/**
 * Returns the accepted request to the base path right before the first request of a sequence, if that was accepted as
 * well before there can be budget again: a window's end came between the two, or each path has a budget of its own.
 */
export function otherPathBefore(first: Exchange, evidence: Evidence): Exchange | null {
  const before = baseBefore(first, evidence);
  return before && isOfTheOtherPath(before, first, evidence) ? before : null;
}

/** Returns the accepted request to the base path less than a window before the first request of a sequence, if any. */
export function baseBefore(first: Exchange, evidence: Evidence): Exchange | null {
  const before = openedBy(first, evidence);
  return before?.request.url.endsWith('/') ? before : null;
}

/** Returns the accepted request less than a window before `first` that may stand for a plain read, if any. */
function openedBy(first: Exchange, evidence: Evidence): Exchange | null {
  const own = ownOf(evidence, first.account ?? '');
  const before = own[own.indexOf(first) - 1];
  const isNear = before !== undefined && first.sentAtMs - before.receivedAtMs < evidence.target.rate.seconds * 1000;
  return isNear && catalogue[before.probe.group].mayOpen && isAccepted(before) ? before : null;
}

function isOfTheOtherPath(before: Exchange, first: Exchange, evidence: Evidence): boolean {
  const { requests, seconds } = evidence.target.rate;
  const tookMs = first.receivedAtMs - before.sentAtMs;
  const isLetIn = isAccepted(first) && !isRefused(first, evidence);
  if (baseBefore(first, evidence) !== before || !isLetIn || tookMs >= (seconds * 1000) / requests) return false;
  // Where bursts on one path go over the rate as well, the two requests may have drawn on one budget.
  return evidence.target.accounts.every(
    ({ name }) => !isOverRate(trialsOf(evidence, 'concurrent', name), evidence, name),
  );
}

/**
 * Whether an account's trials let through more than any limiter of `requests` a window. What one of several shows alone, and
 * a restart explains, was one.
 */
export function isOverRate(
  trials: readonly Exchange[][],
  evidence: Evidence,
  account: string,
  requests = evidence.target.rate.requests,
): boolean {
  const isOver = overBy(evidence, account, requests);
  if (!isOver(trials) || (trials.length > 1 && mayBeARestart(trials, evidence, account, requests))) return false;
  // Longer windows of the declared limit let through less, at boundaries of their own.
  return isOtherClients(account, evidence) || requests !== evidence.target.rate.requests || !seemsLonger(evidence);
}

/** The accounts whose sequences and bursts let through no more than the rate. Of any other, no refusal tells whose budget was used up. */
export const limitedAccounts = once((evidence: Evidence): readonly string[] => {
  const exceeds = (name: string) =>
    (['sequence', 'concurrent'] as const).some((group) => isOverRate(trialsOf(evidence, group, name), evidence, name));
  return evidence.target.accounts.map(({ name }) => name).filter((name) => !exceeds(name));
});

/** Whether no account was let through more than the rate. */
export function isLimitKept(evidence: Evidence): boolean {
  return limitedAccounts(evidence).length === evidence.target.accounts.length;
}

/** Whether what trials let through beyond the rate may be a restart: one of them alone shows it. */
export function mayBeARestart(
  trials: readonly Exchange[][],
  evidence: Evidence,
  account: string,
  requests = evidence.target.rate.requests,
): boolean {
  const isOver = overBy(evidence, account, requests);
  const [first, ...more] = trials.filter((trial) => isOver([trial]));
  if (!first || more.length > 0 || isOver(trials.filter((trial) => trial !== first))) return false;
  return doesARestartExplain(letThrough(first, evidence).map(decisionOf), { ...evidence.target.rate, requests });
}

/** Another client's requests begin windows at unknown times. */
function isOtherClients(account: string, evidence: Evidence): boolean {
  return otherClients(evidence).has(account) || talliesOf(evidence).begun.has(account);
}

/** Returns whether trials of an account let through more than a limiter that was not restarted. */
function overBy(evidence: Evidence, account: string, requests: number): (trials: readonly Exchange[][]) => boolean {
  const { seconds } = evidence.target.rate;
  const sides = sidesOfBreaks(evidence);
  const isOther = isOtherClients(account, evidence);
  const { accepted, refused } = isOther ? NOTHING_KNOWN : decisionsOf(evidence, account);
  // Whenever windows begin, two meet a moment, and one more each window's length.
  const begun = (fromMs: number, toMs: number) => Math.floor((toMs - fromMs + 2 * SLACK_MS) / (seconds * 1000));
  return (trials) => {
    const all = letThrough(trials.flat(), evidence).map(decisionOf);
    return sides.some((isOf) => {
      const known = { accepted: accepted.filter(isOf), refused: refused.filter(isOf) };
      return isOther
        ? overflowOf(all.filter(isOf), 2 * requests, (fromMs, toMs) => begun(fromMs, toMs) * requests) !== null
        : !isExplained(all.filter(isOf), { requests, seconds }, known);
    });
  };
}

const NOTHING_KNOWN: Decisions = { accepted: [], refused: [] };

/** Whether a limiter that forgot, at one moment, what it had counted explains all this. */
function doesARestartExplain(accepted: readonly Decision[], rate: Rate): boolean {
  // Windows let through twice the limit around their end, before that moment and after it.
  if (accepted.length > 4 * rate.requests) return false;
  const ordered = accepted.toSorted((a, b) => a.toMs - b.toMs);
  const firstOver = ordered.findIndex((_, i) => !isExplained(ordered.slice(0, i + 1), rate));
  return isExplained(ordered.slice(firstOver), rate);
}

/** Before and after a moment at which the server's clock was set back, or it was restarted, nothing is counted together. */
function sidesOfBreaks(evidence: Evidence): Array<(decision: Decision) => boolean> {
  const setBack = setBackIn(evidence);
  const breaks = [...(setBack ? [setBack] : []), ...interruptionsOf(evidence)].sort((a, b) => a.fromMs - b.fromMs);
  const fromMs = [Number.NEGATIVE_INFINITY, ...breaks.map(({ toMs }) => toMs)];
  const toMs = [...breaks.map((each) => each.fromMs), Number.POSITIVE_INFINITY];
  return fromMs.map((since, i) => (decision) => decision.fromMs >= since && decision.toMs <= (toMs[i] ?? since));
}

/**
 * The decisions that the limiter certainly took about an account's requests. Where a request was refused although it
 * kept its distance, another client's requests may explain refusals, so these tell nothing about windows.
 */
function decisionsOf(evidence: Evidence, account: string): Decisions {
  const whole = ownOf(evidence, account).filter((exchange) => isWhole(exchange) && !exchange.resent);
  // A server that asks to wait longer than a window counts more than that window's requests.
  const isUntold =
    refusedWithRoom(evidence, account, { bursts: true, besideOthers: true }).length > 0 ||
    whole.some((exchange) => asksBeyondWindow(exchange, evidence));
  const refused = isUntold ? [] : whole.filter((exchange) => isRefused(exchange, evidence));
  return { accepted: letThrough(whole, evidence).map(decisionOf), refused: refused.map(decisionOf) };
}

/** Accounts that were accepted before and never again. No other client of a key uses every moment. */
import { type Evidence, once } from '../evidence/model';
import { SLACK_MS } from './level';
import { type Answered, accountsOf, isUndisturbed, timelineOf, windowMsOf } from './timeline';

/** What shows that an account is locked out; times in windows. */
export const LOCKED_OUT = {
  /** How many requests are refused, each after a silence. */
  silences: 3,
  silenceWindows: 2,
  /** How long a row of requests lasts that are all refused, each sent at once after the answer before. */
  row: { windows: 1.5, requests: 20 },
  /** The longest pause in it: a busy machine sends late. */
  pauseWindows: 0.25,
};

/**
 * The accounts that the server locks out. A client that polls the only key exactly once a window takes every moment of it,
 * and where refused requests are charged, one that polls one of several keys does: so one account proves nothing.
 */
export const lockedOut = once((evidence: Evidence): ReadonlySet<string> => {
  const accounts = accountsOf(evidence);
  if (accounts.length < 2) return new Set();
  const out = accounts.filter((name) =>
    refusedInARow(timelineOf(evidence, name)).some((row) => isLockedOut(row, evidence)),
  );
  const isTelling = out.length === accounts.length || accounts.some((name) => areRefusalsFree(name, evidence));
  return new Set(isTelling ? out : []);
});

/** Whether an account was accepted less than a window after it was refused. */
export function areRefusalsFree(account: string, evidence: Evidence): boolean {
  const own = timelineOf(evidence, account);
  const isSoonAfter = (each: Answered) => (refusal: Answered) =>
    refusal.outcome === 'refused' &&
    refusal.toMs <= each.fromMs &&
    each.toMs - refusal.fromMs < windowMsOf(evidence) - 2 * SLACK_MS;
  return own.some((each) => each.outcome === 'accepted' && own.some(isSoonAfter(each)));
}

/** Returns the rows of refusals between accepted requests, and after the last one. */
function refusedInARow(own: readonly Answered[]): Answered[][] {
  const rows: Answered[][] = [];
  for (const each of own) {
    if (each.outcome === 'accepted') rows.push([]);
    else if (each.outcome === 'refused') rows.at(-1)?.push(each);
  }
  return rows;
}

function isLockedOut(row: readonly Answered[], evidence: Evidence): boolean {
  const windowMs = windowMsOf(evidence);
  const pauseMs = (i: number) => (row[i]?.fromMs ?? 0) - (row[i - 1]?.toMs ?? Number.POSITIVE_INFINITY);
  const afterSilence = row.filter(
    (each, i) =>
      pauseMs(i) >= LOCKED_OUT.silenceWindows * windowMs &&
      each.fromMs >= each.heldUntilMs &&
      isUndisturbed(each.exchange, evidence),
  );
  let start = 0;
  const isAtEveryMoment = row.some((each, i) => {
    if (pauseMs(i) > LOCKED_OUT.pauseWindows * windowMs) start = i;
    const lastedMs = each.toMs - (row[start]?.fromMs ?? 0);
    return lastedMs >= LOCKED_OUT.row.windows * windowMs && i - start >= LOCKED_OUT.row.requests - 1;
  });
  return afterSilence.length >= LOCKED_OUT.silences && isAtEveryMoment;
}

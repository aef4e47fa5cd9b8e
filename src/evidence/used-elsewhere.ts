/** Budget that was used though this run did not use it: another client has the same key. */
import { LITTLE_MS, longestHonestSeconds } from '../contract/bounds';
import type { Evidence, Exchange } from './exchange';
import { rateHeaderOf } from './headers';
import { isQuiet, letThrough } from './looks';
import { onceFor } from './once';
import { isRefused, isWhole } from './outcome';
import { isSpaced, ownOf, type Turn, turnsOf, waitedMs } from './turns';

/** The accounts whose keys another client uses, and the responses that show it. */
export function usedElsewhere(evidence: Evidence): ReadonlyMap<string, Exchange[]> {
  return onceFor(evidence, findUsedElsewhere);
}

function findUsedElsewhere(evidence: Evidence): Map<string, Exchange[]> {
  const found = new Map<string, Exchange[]>();
  for (const { name } of evidence.target.accounts) {
    const shown = [...refusedAfterSilence(evidence, name), ...begunBudgets(evidence, name)];
    if (shown.length > 0) found.set(name, shown);
  }
  return found;
}

/**
 * Refusals of an account that had been silent for longer than any limiter of this rate remembers, where it was
 * accepted before and after: a limit that is stricter than declared would have refused those as well.
 */
function refusedAfterSilence(evidence: Evidence, account: string): Exchange[] {
  const silenceMs = longestHonestSeconds(evidence.target.rate) * 1000 + LITTLE_MS;
  const accepted = letThrough(ownOf(evidence, account), evidence);
  const shortestMs = Math.min(
    ...accepted.slice(1).map((one, i) => one.sentAtMs - (accepted[i]?.receivedAtMs ?? Number.NEGATIVE_INFINITY)),
  );
  const lastAcceptedMs = accepted.at(-1)?.sentAtMs ?? 0;
  return turnsOf(evidence, account).flatMap((turn) =>
    waitedMs(turn) >= Math.max(silenceMs, shortestMs) &&
    isRefusedAlone(turn, evidence) &&
    turn.next.receivedAtMs <= lastAcceptedMs
      ? [turn.next]
      : [],
  );
}

/** Whether a turn was refused though it kept its distance and nobody else was busy. */
function isRefusedAlone(turn: Turn, evidence: Evidence): boolean {
  const { next } = turn;
  return (
    isWhole(next) &&
    !next.resent &&
    isRefused(next, evidence) &&
    isSpaced(turn, evidence, LITTLE_MS) &&
    isQuiet(next, evidence)
  );
}

/** First responses of fresh windows that find fewer left than others of the account do: a budget that is begun now and then. */
function begunBudgets(evidence: Evidence, account: string): Exchange[] {
  const firsts = turnsOf(evidence, account)
    .filter((turn) => isSpaced(turn, evidence, LITTLE_MS) && isQuiet(turn.next, evidence))
    .map(({ next }) => next)
    .filter((one) => !one.resent && letThrough([one], evidence).length > 0)
    .flatMap((one) => {
      const [limit, left] = [rateHeaderOf(one, 'Limit'), rateHeaderOf(one, 'Remaining')];
      return limit === null || left === null ? [] : [{ one, used: limit - left }];
    });
  const least = Math.min(...firsts.map(({ used }) => used));
  return least === 1 ? firsts.filter(({ used }) => used > 1).map(({ one }) => one) : [];
}

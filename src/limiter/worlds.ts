/**
 * Why refusals came that no limiter of the declared rate decides. Two worlds are left: one stricter limiter, the same
 * program for all accounts (see stricter.ts), or somebody else's requests with one key.
 */
import { groupedBy } from '../common/grouped';
import { longestMemoryMs } from '../contract/bounds';
import { saidBy } from '../evidence/http/headers';
import { once } from '../evidence/memoize';
import type { Evidence } from '../evidence/model';
import { isAccepted, isRefused } from '../evidence/responder/classify';
import { exchangesOf } from '../evidence/select';
import { beginningsOf, isWhollyRefused } from '../evidence/time/gaps';
import { mayBeStricter, oddSingles } from './stricter';
import { type Answered, accountsOf, isUndisturbed, oddRefusals, timelineOf } from './timeline';

/** Returns the requests that had room and were refused: single ones, and whole bursts where the limiter splits others. */
export function oddTurns(evidence: Evidence, account: string): Answered[] {
  const isEmpty = areBurstsSplit(evidence)
    ? new Set(
        beginningsOf(evidence, account)
          .filter((turn) => !turn.isAlone && isWhollyRefused(turn, evidence))
          .map(({ next }) => next),
      )
    : new Set();
  const bursts = oddRefusals(evidence, account).filter(
    ({ exchange }) => isEmpty.has(exchange) && isUndisturbed(exchange, evidence),
  );
  return [...oddSingles(evidence, account), ...bursts];
}

/** Whether something of a burst was let through: a limiter is the same program each time, so it refuses none for being one. */
export function areBurstsSplit(evidence: Evidence): boolean {
  return exchangesOf(evidence, 'concurrent').some((each) => isAccepted(each) && !isRefused(each, evidence));
}

/** The accounts whose keys somebody else uses, each with what shows it. */
export const otherClients = once((evidence: Evidence): ReadonlyMap<string, readonly Answered[]> => {
  const counted = countedBesides(evidence);
  const odd = accountsOf(evidence).map((name) => [name, oddTurns(evidence, name)] as const);
  if (counted.size > 0 || odd.every(([, some]) => some.length === 0) || mayBeStricter(evidence)) return counted;
  const found = odd.map(([name, some]) => {
    const lastMs = timelineOf(evidence, name).findLast(({ outcome }) => outcome === 'accepted')?.fromMs ?? 0;
    // Of a key that was never accepted again, the server itself may have locked it out.
    return [name, some.filter(({ toMs }) => toMs <= lastMs)] as const;
  });
  return new Map(found.filter(([, some]) => some.length > 0));
});

/**
 * The accounts whose answers after a silence name less than a whole budget, where others name a whole one: a server that
 * counts wrongly does so each time.
 */
function countedBesides(evidence: Evidence): ReadonlyMap<string, readonly Answered[]> {
  const memoryMs = longestMemoryMs(evidence.target.rate);
  const limitOf = ({ exchange }: Answered) => saidBy(exchange).limit;
  const fresh = accountsOf(evidence).flatMap((name) => {
    const own = timelineOf(evidence, name);
    return own.filter(
      (each) =>
        each.outcome === 'accepted' &&
        typeof each.left === 'number' &&
        limitOf(each) !== null &&
        own.every((other) => other === each || other.fromMs > each.toMs || other.toMs <= each.fromMs - memoryMs) &&
        isUndisturbed(each.exchange, evidence, memoryMs),
    );
  });
  const missing = (each: Answered) => (limitOf(each) ?? 0) - 1 - (each.left ?? 0);
  if (new Set(fresh.map(limitOf)).size !== 1 || !fresh.some((each) => missing(each) === 0)) return new Map();
  return groupedBy(
    fresh.filter((each) => missing(each) > 0),
    ({ exchange }) => exchange.account ?? '',
  );
}

/** The accounts that nobody else is known to use. */
export function idleAccounts(evidence: Evidence): string[] {
  return accountsOf(evidence).filter((name) => !otherClients(evidence).has(name));
}

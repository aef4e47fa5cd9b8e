/**
 * Requests that had room: nothing that this run sent can have used up their budget, whatever kind of limiter counts, and
 * every wait that was asked for was kept. If one of them is refused, no limiter of the declared rate explains it.
 */
import { LITTLE_MS } from '../contract/bounds';
import type { Evidence, Exchange } from '../evidence/model';
import { isAccepted, isRefused, isWhole, letThrough, statusOf } from '../evidence/responder/classify';
import { exchangesOf } from '../evidence/select';
import { beginningsOf, isSpaced, isWhollyRefused, ownOf, type Turn, turnsOf, waitedMs } from '../evidence/time/gaps';
import { isUndisturbed } from './own-budgets';

/** Which refusals are meant, beside those of single requests while no other account was busy. */
export interface Which {
  /** Also bursts of which everything was refused, each by its first request. */
  bursts?: boolean;
  /** Also while other accounts were busy: then it may be about them (rate.per-user, rate.keyless-free). */
  besideOthers?: boolean;
  /** Also where a refusal had asked to wait longer than the request did. */
  evenIfAsked?: boolean;
}

/** Returns the requests of an account that had room and were refused, in the order of sending. */
export function refusedWithRoom(evidence: Evidence, account: string, which: Which = {}): Exchange[] {
  const leastMs = evidence.target.rate.seconds * 1000 + LITTLE_MS;
  return beginningsOf(evidence, account)
    .filter((turn) => which.bursts || turn.isAlone)
    .filter((turn) =>
      which.evenIfAsked ? waitedMs(turn) >= leastMs && turn.before.every(isWhole) : isSpaced(turn, evidence, LITTLE_MS),
    )
    .filter((turn) => isWhollyRefused(turn, evidence) && hasPlace(turn, evidence))
    .map(({ next }) => next)
    .filter((exchange) => which.besideOthers || isUndisturbed(exchange, evidence));
}

/** Whether something of a burst was let through: a limiter is the same program each time, so it refuses none for being one. */
export function areBurstsSplit(evidence: Evidence): boolean {
  return letThrough(exchangesOf(evidence, 'concurrent'), evidence).length > 0;
}

/** So many requests with room show that the rate is not why the base path refuses. */
const ENOUGH = 3;

/**
 * Returns the refusals at the base path that the rate does not explain, though those over the rate are made alike: none
 * there was let in, of those that had room either, and no read that had room was refused. A 429 speaks of the rate.
 */
export function refusedAtTheBaseAlone(evidence: Evidence): Exchange[] {
  const isAtTheBase = ({ request }: Exchange) => request.url === `${evidence.target.baseURL}/`;
  const accounts = evidence.target.accounts.map(({ name }) => name);
  const refused = accounts.flatMap((name) => refusedWithRoom(evidence, name, { besideOthers: true }));
  const reads = accounts.flatMap((name) => acceptedWithRoom(evidence, name));
  const isClosed =
    refused.every((exchange) => isAtTheBase(exchange) && statusOf(exchange) !== 429) &&
    !evidence.exchanges.some((exchange) => isAtTheBase(exchange) && isAccepted(exchange));
  return isClosed && refused.length >= ENOUGH && reads.length >= ENOUGH ? refused : [];
}

/**
 * Whether a sliding counter has a place left for a turn's request, however it rounds: it weighs what came up to two windows
 * ago by the part of it that is less than two windows ago. At one request a window, one that does not round down would
 * refuse what is a window apart.
 */
function hasPlace({ next }: Turn, evidence: Evidence): boolean {
  const { requests, seconds } = evidence.target.rate;
  if (requests === 1) return true;
  const weights = chargedOf(evidence, next.account ?? '')
    .filter(({ sentAtMs }) => sentAtMs < next.sentAtMs)
    .map(({ receivedAtMs }) => 2 - (next.sentAtMs - receivedAtMs) / (seconds * 1000));
  return weights.reduce((sum, weight) => sum + Math.min(1, Math.max(0, weight)), 0) + 1 <= requests;
}

/** Returns the requests of an account that had room and were accepted: single ones, or also those that began a burst. */
export function acceptedWithRoom(evidence: Evidence, account: string, which: Pick<Which, 'bursts'> = {}): Exchange[] {
  const exchanges = (which.bursts ? beginningsOf : turnsOf)(evidence, account)
    .filter((turn) => isSpaced(turn, evidence))
    .map(({ next }) => next);
  // A request that was sent twice may have been counted twice.
  return exchanges.filter((exchange) => isAccepted(exchange) && !exchange.resent);
}

/** Returns what may have used up an account's budget: everything that was not refused, whatever its status. */
export function chargedOf(evidence: Evidence, account: string): Exchange[] {
  return ownOf(evidence, account).filter((exchange) => !isRefused(exchange, evidence));
}

/** Returns how many milliseconds before a request the last of `others` was answered; infinity where none was. */
export function sinceLastMs(exchange: Exchange, others: readonly Exchange[]): number {
  const { sentAtMs } = exchange;
  let lastMs = Number.NEGATIVE_INFINITY;
  for (const other of others)
    if (other !== exchange && other.receivedAtMs <= sentAtMs) lastMs = Math.max(lastMs, other.receivedAtMs);
  return sentAtMs - lastMs;
}

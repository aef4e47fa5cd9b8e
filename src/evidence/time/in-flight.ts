/** Requests in time: those of one account in order, and those that were under way together. */
import { groupedBy } from '../../common/text';
import { type Evidence, type Exchange, once, type Stretch } from '../model';

/** Returns all exchanges with the valid key of an account, in the order of sending. */
export function ownOf(evidence: Evidence, account: string): readonly Exchange[] {
  return ownByAccount(evidence).get(account) ?? [];
}

const ownByAccount = once(({ exchanges }: Evidence) => {
  const inOrder = [...exchanges].sort((a, b) => a.sentAtMs - b.sentAtMs);
  return groupedBy(inOrder, ({ account }) => account);
});

/** Returns the stretch from the first sending to the last answer of some requests. */
export function spanOf(exchanges: readonly Exchange[]): Stretch {
  return {
    fromMs: Math.min(...exchanges.map(({ sentAtMs }) => sentAtMs)),
    toMs: Math.max(...exchanges.map(({ receivedAtMs }) => receivedAtMs)),
  };
}

/** Returns the stretch from the first answer to the last sending of some requests. */
export function between(exchanges: readonly Exchange[]): Stretch {
  return {
    fromMs: Math.min(...exchanges.map(({ receivedAtMs }) => receivedAtMs)),
    toMs: Math.max(...exchanges.map(({ sentAtMs }) => sentAtMs)),
  };
}

/** Requests within this time are of one moment. What may have been an accident is asked again after it. */
export const ONE_MOMENT_MS = 1000;

/** Whether the first and the last of some exchanges were sent at one moment. */
export function areOfOneMoment(exchanges: readonly Exchange[]): boolean {
  return between(exchanges).toMs - spanOf(exchanges).fromMs < ONE_MOMENT_MS;
}

/** Returns the exchanges that were sent before `toMs` and answered after `fromMs`. */
export function underWay({ exchanges }: Evidence, fromMs: number, toMs: number): Exchange[] {
  return exchanges.filter(({ sentAtMs, receivedAtMs }) => sentAtMs < toMs && receivedAtMs > fromMs);
}

/** Returns the other requests under way while a request was, or less than `beforeMs` before: a limiter may count them. */
export function besides(exchange: Exchange, evidence: Evidence, beforeMs = 0): Exchange[] {
  const around = underWay(evidence, exchange.sentAtMs - beforeMs, exchange.receivedAtMs);
  return around.filter((other) => other !== exchange);
}

/** As `besides`, but only requests with the key of the same account. */
export function ownBeside(exchange: Exchange, evidence: Evidence, beforeMs = 0): Exchange[] {
  return besides(exchange, evidence, beforeMs).filter(({ account }) => account === exchange.account);
}

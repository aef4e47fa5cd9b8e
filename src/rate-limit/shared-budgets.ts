/** Moments when one account was asked while another had used up its budget: they show whether budgets are shared. */
import { groupedBy } from '../common/grouped';
import { LITTLE_MS, longestMemoryMs } from '../contract/bounds';
import type { Evidence, Exchange } from '../evidence/model';
import { isAccepted, isRefused, isWhole, letThrough } from '../evidence/responder/classify';
import { isHeldBack, isTurnedAway } from '../evidence/responder/queueing';
import { exchangesOf } from '../evidence/select';
import { beginningsOf, isSpaced, ownOf } from '../evidence/time/gaps';
import { besides, underWay } from '../evidence/time/in-flight';
import { isUndisturbed } from './own-budgets';
import { areBurstsSplit, refusedWithRoom } from './room';

/** How often one account is asked beside another before that is blamed. */
export const NEIGHBOUR_TRIALS = 3;

/** A request of one account, and another's before it: one of the two was refused, or had to queue. */
export interface Encounter {
  asked: Exchange;
  other: Exchange;
}

/** A request that the account's own requests cannot have shut out: fewer than the limit came in the window before. */
interface BelowLimit {
  asked: Exchange;
  /** Those of them that the server decided at the same moment. */
  beside: Exchange[];
  others: Exchange[];
}

function belowLimitOf(evidence: Evidence, account: string): BelowLimit[] {
  const { requests, seconds } = evidence.target.rate;
  const beginnings = beginningsOf(evidence, account);
  const own = ownOf(evidence, account);
  let wasFault = false;
  return own.flatMap((asked) => {
    wasFault ||= asked.fault !== null;
    if (!isWhole(asked) || !(isAccepted(asked) || isRefused(asked, evidence))) return [];
    const near = besides(asked, evidence, seconds * 1000);
    const keyed = near.filter((exchange) => exchange.account !== null);
    const beside = keyed.filter((exchange) => exchange.account === account);
    const isOneMoment = beside.every(
      ({ sentAtMs, receivedAtMs }) => sentAtMs < asked.receivedAtMs && receivedAtMs > asked.sentAtMs,
    );
    if (beside.length >= requests || !isOneMoment) return [];
    const turn = beginnings.findLast(({ next }) => next.sentAtMs <= asked.sentAtMs);
    // An earlier run may have used up what a first read lacks, and a refusal may keep an account out for longer than a
    // window. Such refusals say nothing about the other account.
    const mayBlame = !wasFault && keyed.length === near.length && turn && isSpaced(turn, evidence, LITTLE_MS);
    // A sliding counter grants less than a whole budget as long as it remembers the window before.
    const rememberedFromMs = asked.sentAtMs - longestMemoryMs(evidence.target.rate);
    const isRemembered =
      requests > 1 &&
      own.some((other) => other.sentAtMs < (turn?.next.sentAtMs ?? 0) && other.receivedAtMs > rememberedFromMs);
    if (isTurnedAway(asked, evidence) && (!mayBlame || isRemembered)) return [];
    return [{ asked, beside, others: keyed.filter((exchange) => exchange.account !== account) }];
  });
}

/**
 * Returns the requests of an account that were turned away below its limit while nobody else was busy. A burst of which
 * all was refused is one, by its first request, unless the limiter refuses every burst as a whole.
 */
export function turnedAwayAlone(evidence: Evidence, account: string): Exchange[] {
  const singles = belowLimitOf(evidence, account)
    .map(({ asked }) => asked)
    .filter((asked) => isTurnedAway(asked, evidence) && !asked.resent && isUndisturbed(asked, evidence))
    .filter((asked) => isRefused(asked, evidence) || isAfterSilence(asked, evidence));
  const bursts = areBurstsSplit(evidence) ? refusedWithRoom(evidence, account, { bursts: true }).filter(isBurst) : [];
  return [...singles, ...bursts];
}

function isBurst({ probe }: Exchange): boolean {
  return probe.group === 'concurrent';
}

/** Whether nothing was under way for so long that no queue still holds what somebody sent. */
function isAfterSilence(asked: Exchange, evidence: Evidence): boolean {
  const fromMs = asked.sentAtMs - longestMemoryMs(evidence.target.rate);
  return underWay(evidence, fromMs, asked.sentAtMs).every((other) => other === asked);
}

/** Returns the encounters in which the account was asked, in the order of sending. */
export function encountersOf(evidence: Evidence, account: string): Encounter[] {
  const found = encountersBelowLimit(evidence, account);
  const known = new Set(found.map(({ asked }) => asked));
  const beside = besideQueues(evidence, account).filter(({ asked }) => !known.has(asked));
  return [...found, ...beside].sort((a, b) => a.asked.sentAtMs - b.asked.sentAtMs);
}

/** The requests of an account that were answered at once while another account's had to queue, whatever came before. */
function besideQueues(evidence: Evidence, account: string): Encounter[] {
  return ownOf(evidence, account).flatMap((asked): Encounter[] => {
    // Trials at neighbours are judged pair by pair, as a whole.
    if (!isAccepted(asked) || isRefused(asked, evidence) || asked.probe.group === 'neighbour') return [];
    const other = besides(asked, evidence).find(
      (exchange) =>
        exchange.account !== null && exchange.account !== account && isHeldBackMeanwhile(exchange, asked, evidence),
    );
    return other ? [{ asked, other }] : [];
  });
}

function encountersBelowLimit(evidence: Evidence, account: string): Encounter[] {
  return belowLimitOf(evidence, account).flatMap(({ asked, beside, others }) => {
    const isShort = isTurnedAway(asked, evidence);
    const other = others.find(
      (exchange) =>
        (exchange.receivedAtMs <= asked.sentAtMs && (isRefused(exchange, evidence) || isShort)) ||
        isHeldBackMeanwhile(exchange, asked, evidence),
    );
    if (beside.length === 0) return other ? [{ asked, other }] : [];
    // Two whole budgets at one moment: all is accepted, or the other account used what is missing.
    const { requests } = evidence.target.rate;
    const areBothWhole = beside.length + 1 === requests && others.length >= requests;
    const isGranted = areBothWhole && [asked, ...beside, ...others].every(isAccepted);
    return (isShort || isGranted) && others[0] ? [{ asked, other: others[0] }] : [];
  });
}

/** Whether accounts took turns, to see whether they use up each other's budget. */
export function areNeighboursTried(evidence: Evidence): boolean {
  return exchangesOf(evidence, 'neighbour').length > 0;
}

/**
 * Returns the trials at the neighbours of an encounter that let in all that both sent. Where answers take long, the budget
 * of the one may have been used up all the same, as it was where the other one was refused.
 */
export function roundsLetIn(evidence: Evidence, { asked, other }: Encounter): number[] {
  const ofBoth = exchangesOf(evidence, 'neighbour').filter(({ account }) =>
    [asked.account, other.account].includes(account),
  );
  const rounds = [...groupedBy(ofBoth, ({ probe }) => probe.trial)];
  const areBothIn = (round: readonly Exchange[]) =>
    letThrough(round, evidence).length === round.length && new Set(round.map(({ account }) => account)).size > 1;
  return rounds.filter(([, round]) => areBothIn(round)).map(([trial]) => trial);
}

/** Whether a request had to queue all the while another one was sent and answered at once: they stand in two queues. */
export function isHeldBackMeanwhile(exchange: Exchange, asked: Exchange, evidence: Evidence): boolean {
  const isMeanwhile = exchange.sentAtMs < asked.sentAtMs && exchange.receivedAtMs > asked.receivedAtMs;
  return isMeanwhile && isHeldBack(exchange, evidence) && !isHeldBack(asked, evidence);
}

/**
 * Returns how many repeated reads, each right after wrong keys, must be refused before wrong keys are blamed. Another
 * client of one key does not explain that several accounts are refused at one moment.
 * @param refused how many accounts are refused
 * @param asked how many were asked at first
 */
export function trialsAfterWrongKeys(refused: number, asked: number): number {
  if (refused > 1) return 2;
  return asked > 1 ? 4 : 3;
}

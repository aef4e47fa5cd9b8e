/** Tries accounts whose budgets seem shared, with nothing else under way. */

import { type ProbeRequest, probe } from '../../catalogue/probe';
import { burstSize } from '../../config/target';
import type { Exchange } from '../../evidence/model';
import { isAccepted, isRefused } from '../../evidence/responder/classify';
import { isQueue, isTurnedAway } from '../../evidence/responder/queueing';
import { whileServing } from '../../evidence/responder/serving';
import { areApart, mayAllShare } from '../../limiter/timeline';
import { encountersOf } from '../../limiter/worlds';
import type { Recorder } from '../../recorder/recorder';
import { afterUsedUp, isSlow, mostHeld, queuedInTime, read, SHORT_WINDOW_MS } from '../requests';

/** Rounds in which the first of two accounts begins, then as many in which the second does. */
const ROUNDS_EACH = 2;
/** Where two accounts were refused at one moment already, which no client of one key explains, the last round is spared. */
export const ROUNDS = { afterOne: 2 * ROUNDS_EACH, afterSeveral: 2 * ROUNDS_EACH - 1 };

/** What rounds with two accounts show. A stricter limit, or another client of a key, refuses who begins a round. */
type Shown = 'one budget' | 'budgets of their own' | 'neither';

/**
 * Where budgets seem shared: uses up one account and asks another, in rounds. One budget for both lets in whoever
 * begins, twice in a row, and refuses the other one. A stricter limit lets nobody in twice in a row; another client uses
 * one key, and refuses that account alone.
 * @param asked the account to ask: one that was refused beside others, if any
 * @param due by account, requests that have to be accepted: they begin a round as well as reads do. Taken from the lists
 * @param rounds how many rounds must show it
 * @returns whether one of the others was certainly the cause
 */
export async function tryNeighbours(
  recorder: Recorder,
  open: readonly string[],
  asked: string | undefined,
  due: ReadonlyMap<string, ProbeRequest[]> = new Map(),
  rounds = ROUNDS.afterOne,
): Promise<boolean> {
  if (asked === undefined) return false;
  for (const other of open.filter((account) => account !== asked)) {
    const shown = await inRounds(recorder, [other, asked], due, rounds);
    if (shown !== 'budgets of their own') return shown === 'one budget';
  }
  return false;
}

async function inRounds(
  recorder: Recorder,
  [other, asked]: readonly [string, string],
  due: ReadonlyMap<string, ProbeRequest[]>,
  rounds: number,
): Promise<Shown> {
  let [refused, accepted] = [0, 0];
  for (let trial = 1; refused < rounds; trial += 1) {
    const isTurned = refused >= ROUNDS_EACH;
    const [first, second] = isTurned ? [asked, other] : [other, asked];
    const round = await oneRound(recorder, first, second, trial, due.get(first) ?? []);
    if (round === null) return 'neither';
    if (round.isRefusedBeside) {
      if (!round.isLetIn) return 'neither';
      refused += 1;
    } else {
      accepted += 1;
      // A boundary may have given one budget for all back between the two.
      const known = recorder.evidence();
      if (refused === 0 || accepted > 1 || areApart(asked, other, known) || !mayAllShare(known))
        return 'budgets of their own';
    }
  }
  return 'one budget';
}

/** Where answers travel for seconds, two accounts miss each other now and then. */
export const MOST_ENCOUNTERS = 6;

/**
 * Where the server refuses or queues, but no account was asked while another was refused or had to wait, does that now,
 * with nothing else under way. A busy machine may have been too slow for it.
 */
export async function seekEncounter(recorder: Recorder, open: readonly string[]): Promise<void> {
  for (let tries = 0; open.length > 1 && tries < MOST_ENCOUNTERS && !recorder.givenUp; tries += 1) {
    const evidence = whileServing(recorder.evidence());
    const isLimited = evidence.exchanges.some((exchange) => isRefused(exchange, evidence)) || isQueue(evidence);
    const encounters = open.flatMap((account) => encountersOf(evidence, account));
    // A queue holds back what a budget of its own would let through; only a refusal shows that it was no late answer.
    const late = encounters.find(
      ({ asked: { exchange, outcome } }) => outcome === 'accepted' && isTurnedAway(exchange, evidence),
    );
    const isMet = late ? encounters.some(({ asked }) => asked.outcome === 'refused') : encounters.length > 0;
    // Where several fit into a window, a bucket soon has room for a single one. Two whole budgets at one moment show more.
    const isBucketShown =
      recorder.target.rate.requests === 1 ||
      recorder.pace.windowMs > SHORT_WINDOW_MS ||
      encounters.some(({ asked }) => asked.exchange.probe.group === 'neighbour');
    const isShown = isMet && isBucketShown;
    if (!isLimited || isShown) return;
    recorder.pace.share();
    const [other = '', asked] = late ? [late.others[0]?.account ?? '', late.asked.exchange.account ?? ''] : open;
    await tryNeighbours(recorder, [other, asked ?? ''], asked);
  }
}

/** What a round shows of two accounts. */
interface Round {
  /** Whether the first one was let in, with its whole budget. */
  isLetIn: boolean;
  /** Whether the second one was turned away, though it had sent nothing for a window. */
  isRefusedBeside: boolean;
}

/**
 * Uses up the budget of one account, and asks another one at once.
 * @param due of the first account; what is sent is taken from the list
 * @returns `null` if nothing more is sent
 */
async function oneRound(
  recorder: Recorder,
  first: string,
  second: string,
  trial: number,
  due: ProbeRequest[],
): Promise<Round | null> {
  const { pace, target } = recorder;
  const wholeAtMs = () => Math.max(pace.wholeAtMs(first), pace.wholeAtMs(second));
  return pace.turn(second, async () => {
    const { requests } = target.rate;
    const readsOf = (account: string, count: number) =>
      Array.from({ length: count }, () => read(account, probe('neighbour', { account, trial })));
    await pace.until(wholeAtMs());
    // Where several fit into a window, budget comes back while they are sent one after another. One budget for both
    // accounts lacks half of what two whole ones grant at one moment.
    if (requests > 1) {
      const both = await recorder.burst([...readsOf(first, requests), ...readsOf(second, requests)], { atMs: 0 });
      if (both.length === 0) return null;
      if (!isAnyTurnedAway(both, recorder)) return { isLetIn: true, isRefusedBeside: false };
      const alone = await recorder.burst(readsOf(first, requests), { atMs: wholeAtMs() });
      return { isLetIn: alone.every(isAccepted) && !isAnyTurnedAway(alone, recorder), isRefusedBeside: true };
    }
    // A server that is slow, or queues, refuses only requests sent at one moment.
    const isHeld = isQueue(recorder.evidence());
    const isAtOnce = isSlow(recorder) || isHeld;
    const opened = isAtOnce ? [] : await sendFirstAccepted(recorder, due);
    if (opened.length === 0) await pace.until(wholeAtMs());
    const most = isSlow(recorder) ? Math.min(burstSize(target), queuedInTime(recorder)) : 0;
    const usedUp = readsOf(first, Math.max(mostHeld(recorder) + 1, most) - opened.length);
    const sending = isAtOnce ? recorder.burst(usedUp, { atMs: 0 }) : sendOneByOne(recorder, usedUp);
    const askSecond = () => recorder.burst(readsOf(second, requests), { atMs: 0 });
    const asked = await afterUsedUp(recorder, sending, askSecond, isHeld);
    if (asked.length === 0) return null;
    const begun = [...opened, ...(await sending)];
    const isLetIn = begun.some((exchange) => isAccepted(exchange) && !isAnyTurnedAway([exchange], recorder));
    return { isLetIn, isRefusedBeside: isAnyTurnedAway(asked, recorder) };
  });
}

/** Sends requests that are due, a window apart, until one is let in. One that is rejected shows nothing. */
async function sendFirstAccepted(recorder: Recorder, due: ProbeRequest[]): Promise<Exchange[]> {
  for (let request = due.shift(); request; request = due.shift()) {
    const atMs = recorder.pace.wholeAtMs(request.account ?? '');
    const exchange = await recorder.send(request, { atMs });
    if (exchange && (isAccepted(exchange) || isAnyTurnedAway([exchange], recorder))) return [exchange];
  }
  return [];
}

async function sendOneByOne(recorder: Recorder, requests: readonly ProbeRequest[]): Promise<Exchange[]> {
  const sent: Exchange[] = [];
  for (const request of requests) {
    const exchange = await recorder.send(request);
    if (exchange) sent.push(exchange);
  }
  return sent;
}

function isAnyTurnedAway(sent: readonly Exchange[], recorder: Recorder): boolean {
  return sent.some((exchange) => isTurnedAway(exchange, recorder.evidence()));
}

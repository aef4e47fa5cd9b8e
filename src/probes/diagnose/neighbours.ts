/** Tries accounts whose budgets seem shared, with nothing else under way. */

import { probe } from '../../catalogue/probe';
import type { ProbeRequest } from '../../catalogue/requests';
import { burstSize } from '../../config/target';
import type { Exchange } from '../../evidence/model';
import { isAccepted, isRefused } from '../../evidence/responder/classify';
import { whileServing } from '../../evidence/responder/outages';
import { isQueue, isTurnedAway } from '../../evidence/responder/queueing';
import { haveOwnBudgets, mayAllShare } from '../../rate-limit/own-budgets';
import { encountersOf, NEIGHBOUR_TRIALS } from '../../rate-limit/shared-budgets';
import type { Recorder } from '../../recorder/recorder';
import { afterUsedUp, isSlow, mostHeld, queuedInTime, read, SHORT_WINDOW_MS, shiftOf } from '../requests';
import { isAskedLong } from './experiments';

/**
 * Where budgets seem shared: uses up one account and asks another.
 * @param asked the account to ask: one that was refused beside others, if any
 * @param trials how many trials must show it: one fewer where reads at one moment have shown it already
 * @param due requests of the asked account that are due: they show as well as reads whether it is accepted alone
 * @returns whether one of the others was certainly the cause
 */
export async function tryNeighbours(
  recorder: Recorder,
  open: readonly string[],
  asked: string | undefined,
  trials = NEIGHBOUR_TRIALS,
  due: readonly ProbeRequest[] = [],
): Promise<boolean> {
  if (asked === undefined) return false;
  const left = [...due];
  // A stricter limit refuses an account without a neighbour too.
  if (isAskedLong(recorder, asked) && !(await isAcceptedAlone(recorder, asked, 1, left))) return false;
  for (const other of open.filter((account) => account !== asked)) {
    let [refused, accepted] = [0, 0];
    for (let trial = 1; refused < trials; trial += 1) {
      if (await isRefusedBeside(recorder, asked, other, trial)) {
        refused += 1;
        // Who shares a budget is refused beside the other as well; another client uses one key.
        if (refused === trials) return trials < NEIGHBOUR_TRIALS || isRefusedBeside(recorder, other, asked, trial + 1);
        // If the account is also refused without a neighbour, its neighbour is not the cause.
        if (!(await isAcceptedAlone(recorder, asked, trial, left))) return false;
      } else {
        accepted += 1;
        // A boundary may have given one budget for all back between the two.
        const known = recorder.evidence();
        if (refused === 0 || accepted > 1 || haveOwnBudgets(asked, other, known) || !mayAllShare(known)) break;
      }
    }
  }
  return false;
}

/** Where answers travel for seconds, two accounts miss each other now and then. */
const MOST_ENCOUNTERS = 2 * NEIGHBOUR_TRIALS;

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
    const late = encounters.find(({ asked }) => isTurnedAway(asked, evidence) && isAccepted(asked));
    const isMet = late ? encounters.some(({ asked }) => isRefused(asked, evidence)) : encounters.length > 0;
    // Where several fit into a window, a bucket soon has room for a single one. Two whole budgets at one moment show more.
    const isBucketShown =
      recorder.target.rate.requests === 1 ||
      recorder.pace.windowMs > SHORT_WINDOW_MS ||
      encounters.some(({ asked }) => asked.probe.group === 'neighbour');
    const isShown = isMet && isBucketShown;
    if (!isLimited || isShown) return;
    recorder.pace.share();
    const [other = '', asked] = late ? [late.other.account ?? '', late.asked.account ?? ''] : open;
    await tryNeighbours(recorder, [other, asked ?? ''], asked);
  }
}

async function isRefusedBeside(recorder: Recorder, asked: string, other: string, trial: number): Promise<boolean> {
  const { pace, target } = recorder;
  return pace.turn(asked, async () => {
    const atMs = Math.max(pace.wholeAtMs(asked), pace.wholeAtMs(other)) + shiftOf(trial) * pace.windowMs;
    const { requests } = target.rate;
    const most = isSlow(recorder) ? Math.min(burstSize(target), queuedInTime(recorder)) : 0;
    const readsOf = (account: string, count: number) =>
      Array.from({ length: count }, () => read(account, probe('neighbour', { account, trial })));
    await pace.until(atMs);
    const whole = readsOf(asked, requests);
    // Where several fit into a window, budget comes back while they are sent one after another. One budget for both
    // accounts lacks half of what two whole ones grant at one moment.
    if (requests > 1) {
      const sent = await recorder.burst([...readsOf(other, requests), ...whole], { atMs });
      return sent.some((exchange) => isTurnedAway(exchange, recorder.evidence()));
    }
    const usedUp = readsOf(other, Math.max(mostHeld(recorder) + 1, most));
    // A server that is slow, or queues, refuses only requests sent at one moment.
    const isHeld = isQueue(recorder.evidence());
    const sending = isSlow(recorder) || isHeld ? recorder.burst(usedUp, { atMs }) : sendOneByOne(recorder, usedUp);
    const sent = await afterUsedUp(recorder, sending, () => recorder.burst(whole, { atMs: 0 }), isHeld);
    return isAnyTurnedAway(sent, asked, recorder);
  });
}

async function sendOneByOne(recorder: Recorder, requests: readonly ProbeRequest[]): Promise<void> {
  for (const request of requests) await recorder.send(request);
}

function isAnyTurnedAway(sent: readonly Exchange[], account: string, recorder: Recorder): boolean {
  return sent.some((exchange) => exchange.account === account && isTurnedAway(exchange, recorder.evidence()));
}

/**
 * Whether a whole budget is granted twice, a window and a little apart: a stricter limit refuses one.
 * @param due sent in place of reads, and taken from the list. One that is rejected shows nothing.
 */
async function isAcceptedAlone(
  recorder: Recorder,
  asked: string,
  trial: number,
  due: ProbeRequest[],
): Promise<boolean> {
  const { pace, target } = recorder;
  const { requests } = target.rate;
  const aRead = read(asked, probe('neighbour', { account: asked, trial }));
  return pace.turn(asked, async () => {
    for (let granted = 0; granted < 2; ) {
      const single = requests === 1 ? due.shift() : undefined;
      const whole = single ? [single] : Array.from({ length: requests }, () => aRead);
      const sent = await recorder.burst(whole, { atMs: pace.wholeAtMs(asked) });
      if (sent.length === 0 || isAnyTurnedAway(sent, asked, recorder)) return false;
      if (sent.every(isAccepted)) granted += 1;
      else if (!single) return false;
    }
    return true;
  });
}

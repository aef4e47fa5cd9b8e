/** Rounds with two accounts: one uses up its budget and the other asks at once. They show whether budgets are shared. */
import { type ProbeRequest, probe } from '../catalogue/catalogue';
import { burstSize } from '../config/target';
import type { Exchange } from '../evidence/model';
import { isAccepted, isRefused } from '../evidence/responder/classify';
import { whileServing } from '../evidence/responder/failures';
import { isQueue, isTurnedAway } from '../evidence/responder/queueing';
import { areApart, mayAllShare } from '../limiter/timeline';
import { encountersOf } from '../limiter/worlds';
import type { Recorder } from '../recorder/recorder';
import { afterUsedUp, isSlow, mostHeld, queuedInTime, SHORT_WINDOW_MS } from './moments';
import { read } from './requests';

/** The first of two accounts begins two rounds, then the second one. */
export const ROUNDS = 3;
/** Several, because two accounts miss each other at times if answers travel for seconds. */
export const MOST_ENCOUNTERS = 6;

/**
 * Finds out in rounds whether accounts share a budget. One budget for both accepts whoever begins, twice in a row, and
 * refuses the other one. A stricter limit accepts nobody twice in a row. Another client of one key affects only that account.
 * @param asked the account to ask: one that was refused beside others, if any
 * @param toAccept returns a request that an account must send anyway and that must be accepted: it begins a round
 * @returns whether one of the others was certainly the cause
 */
export async function tryNeighbours(
  recorder: Recorder,
  open: readonly string[],
  asked: string,
  toAccept: ToAccept = () => undefined,
): Promise<boolean> {
  for (const other of open.filter((account) => account !== asked)) {
    const shown = await inRounds(recorder, other, asked, toAccept);
    if (shown !== 'budgets of their own') return shown === 'one budget';
  }
  return false;
}

type ToAccept = (account: string) => ProbeRequest | undefined;

/** The result of rounds with two accounts. Under a stricter limit, or with another client, the first one is refused. */
type Shown = 'one budget' | 'budgets of their own' | 'neither';

async function inRounds(recorder: Recorder, other: string, asked: string, toAccept: ToAccept): Promise<Shown> {
  let [refused, accepted] = [0, 0];
  for (let trial = 1; refused < ROUNDS; trial += 1) {
    const [first, second] = refused === ROUNDS - 1 ? [asked, other] : [other, asked];
    const round = await oneRound(recorder, first, second, trial, toAccept(first));
    if (round === null || (round.isRefusedBeside && !round.isLetIn)) return 'neither';
    if (round.isRefusedBeside) refused += 1;
    else accepted += 1;
    if (round.isRefusedBeside) continue;
    // The end of a window may have given back a shared budget between the two.
    const known = recorder.evidence();
    if (refused === 0 || accepted > 1 || areApart(asked, other, known) || !mayAllShare(known))
      return 'budgets of their own';
  }
  return 'one budget';
}

/**
 * Asks an account while another one is refused or has to wait, with nothing else under way, if that has not happened yet. A
 * busy machine may have been too slow for it.
 */
export async function seekEncounter(recorder: Recorder, open: readonly string[]): Promise<void> {
  const { pace, target } = recorder;
  for (let tries = 0; open.length > 1 && tries < MOST_ENCOUNTERS && !recorder.givenUp; tries += 1) {
    const evidence = whileServing(recorder.evidence());
    const isLimited = evidence.exchanges.some((exchange) => isRefused(exchange, evidence)) || isQueue(evidence);
    const encounters = open.flatMap((account) => encountersOf(evidence, account));
    const isServedBeside = (account: string | null, other: string | null) =>
      encounters.some(
        ({ asked, others, isServed }) =>
          isServed && asked.exchange.account === account && others.some((each) => each.account === other),
      );
    // A queue holds back requests although their budget is whole. Only a refusal shows that this was no slow answer.
    const late = encounters.find(
      ({ asked: { exchange, outcome }, others }) =>
        outcome === 'accepted' &&
        isTurnedAway(exchange, evidence) &&
        !others.some(({ account }) => isServedBeside(exchange.account, account)),
    );
    const isMet = late ? encounters.some(({ asked }) => asked.outcome === 'refused') : encounters.length > 0;
    // Where several requests fit into a window, a bucket soon accepts a single one. Two whole budgets at once show more.
    const [one = '', another = ''] = open;
    const areTwoShown =
      target.rate.requests === 1 || pace.windowMs > SHORT_WINDOW_MS || areApart(one, another, evidence);
    if (!isLimited || (isMet && areTwoShown)) return;
    pace.share();
    const [other = '', asked = ''] = late ? [late.others[0]?.account ?? '', late.asked.exchange.account ?? ''] : open;
    await tryNeighbours(recorder, [other], asked);
  }
}

/** The result of one round. */
interface Round {
  /** Whether the first account's whole budget was accepted. */
  isLetIn: boolean;
  /** Whether the second account was turned away although it had sent nothing for a window. */
  isRefusedBeside: boolean;
}

/** Uses up the budget of one account and asks another one at once. @returns `null` if nothing more is sent */
async function oneRound(
  recorder: Recorder,
  first: string,
  second: string,
  trial: number,
  begin: ProbeRequest | undefined,
): Promise<Round | null> {
  const { pace, target } = recorder;
  const { requests } = target.rate;
  const wholeAtMs = () => Math.max(pace.wholeAtMs(first), pace.wholeAtMs(second));
  const areAnyTurnedAway = (sent: readonly Exchange[]) =>
    sent.some((exchange) => isTurnedAway(exchange, recorder.evidence()));
  const readsOf = (account: string, count: number) =>
    Array.from({ length: count }, () => read(account, probe('neighbour', { account, trial })));
  return pace.turn(second, async () => {
    await pace.until(wholeAtMs());
    // Where several requests fit into a window, budget comes back while they are sent one after another. At one moment a
    // shared budget grants half as many as two.
    if (requests > 1) {
      const both = await recorder.burst([...readsOf(first, requests), ...readsOf(second, requests)], { atMs: 0 });
      if (both.length === 0) return null;
      if (!areAnyTurnedAway(both)) return { isLetIn: true, isRefusedBeside: false };
      const alone = await recorder.burst(readsOf(first, requests), { atMs: wholeAtMs() });
      return { isLetIn: alone.every(isAccepted) && !areAnyTurnedAway(alone), isRefusedBeside: true };
    }
    // A slow or queueing server refuses only requests of one moment.
    const isHeld = isQueue(recorder.evidence());
    const opened = begin && !isHeld ? await recorder.burst([begin], { atMs: 0 }) : [];
    const most = isSlow(recorder) ? Math.min(burstSize(target), queuedInTime(recorder)) : 0;
    const count = Math.max(mostHeld(recorder) + 1, most) - opened.filter(isAccepted).length;
    const sending = recorder.burst(readsOf(first, count), { atMs: 0 });
    const askSecond = () => recorder.burst(readsOf(second, requests), { atMs: 0 });
    const asked = await afterUsedUp(recorder, sending, askSecond, isHeld);
    if (asked.length === 0) return null;
    const isLetIn = [...opened, ...(await sending)].some(
      (exchange) => isAccepted(exchange) && !areAnyTurnedAway([exchange]),
    );
    return { isLetIn, isRefusedBeside: areAnyTurnedAway(asked) };
  });
}

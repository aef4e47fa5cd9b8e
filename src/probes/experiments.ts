/**
 * The experiments of a run: how it finds out what an answer means, where several explanations are left once the plan
 * was sent. Before each it is asked anew whether it is open, so what one has decided is not looked at again.
 */
import { type Need, type ProbeRequest, probe } from '../catalogue/catalogue';
import { burstSize } from '../config/target';
import type { Exchange } from '../evidence/model';
import { isAccepted, isRefused } from '../evidence/responder/classify';
import { isQueue, isRefusedAfterItsTurn, isTurnedAway } from '../evidence/responder/queueing';
import { isStricter, oddSingles, seemingWindowSeconds } from '../limiter/stricter';
import { areApart, mayAllShare } from '../limiter/timeline';
import { limitedAccounts } from '../limiter/trials';
import { encountersOf, oddTurns, worldsLeft } from '../limiter/worlds';
import type { Recorder } from '../recorder/recorder';
import { afterUsedUp, isSlow, mostHeld, queuedInTime, SHORT_WINDOW_MS } from './moments';
import type { PendingRequests } from './pending';
import { read, type Spacing } from './requests';
import { askAfterWholeBudget, askHardlyApart, askWhyRefused, seekAnotherClient } from './rows';
import type { SimultaneousReads } from './simultaneous-reads';
import type { WrongKeyRetries } from './wrong-key-retries';

/** What was sent by now: all accounts at one moment, what each sends alone, or the trials at the limit as well. */
type Stage = 'together' | 'alone' | 'at the limit';

/** A run, as far as experiments ask about it. */
export interface Inquiry {
  recorder: Recorder;
  planned: ReadonlySet<Need>;
  /** The accounts whose keys were accepted. */
  open: readonly string[];
  spacing: Spacing;
  wrongKeys: WrongKeyRetries;
  together: SimultaneousReads;
  pending: PendingRequests;
  /** Accounts whose refusals were looked into. */
  searched: Set<string>;
  stage: Stage;
}

/** Conducts the experiments that are open at this stage. What each shows may open another way to explain a refusal. */
export async function inquire(inquiry: Inquiry): Promise<void> {
  const { recorder, planned, open, spacing, together, stage } = inquiry;
  const isAtTheLimit = stage === 'at the limit';
  const sought = new Set<typeof findNeighbour>();
  if (planned.has('together') && isAtTheLimit) {
    await askHardlyApart(recorder, spacing.hasNeighbours ? open.slice(0, 1) : open);
    await askAfterWholeBudget(recorder, open);
  }
  await explainRefusals(inquiry, sought);
  if (isAtTheLimit) {
    if (planned.has('together') && !isStricter(recorder.evidence()) && !spacing.hasNeighbours)
      await together.askUnsureAgain();
    await explainRefusals(inquiry, sought);
    for (const { name } of recorder.target.accounts) await seekAnotherClient(recorder, name);
    await explainRefusals(inquiry, sought);
    const limited = limitedIn(inquiry);
    if (planned.has('sequence') && limited.length > 1) await seekEncounter(recorder, limited);
    await explainRefusals(inquiry, sought);
  }
  if (!spacing.hasNeighbours) recorder.pace.unshare();
}

/**
 * Looks why requests were refused: for a neighbour, for wrong keys, or for a reason of the account's own.
 * @param sought what was sought at this stage: neighbours and wrong keys are sought once
 */
async function explainRefusals(inquiry: Inquiry, sought: Set<typeof findNeighbour>): Promise<void> {
  const { recorder, planned, open, searched, stage } = inquiry;
  const isDue = (find: typeof findNeighbour, need: Need, isOpen: (inquiry: Inquiry) => boolean) =>
    planned.has(need) && !sought.has(find) && isOpen(inquiry);
  for (;;) {
    const find = isDue(findNeighbour, 'sequence', mayHaveNeighbours)
      ? findNeighbour
      : isDue(findCharge, 'together', mayBeCharged)
        ? findCharge
        : null;
    const account = find || stage === 'together' ? undefined : refusedWithoutReason(inquiry);
    if (find) {
      sought.add(find);
      await find(inquiry);
    } else if (account !== undefined) {
      searched.add(account);
      const others = open.filter((name) => name !== account);
      await askWhyRefused(recorder, account, others);
    } else return;
  }
}

/** Whether another account may be why one was refused, which is not yet known. */
function mayHaveNeighbours(inquiry: Inquiry): boolean {
  const { recorder, spacing, together } = inquiry;
  const isKnown = spacing.hasNeighbours || isStricter(recorder.evidence()) || together.wasCharged;
  return !isKnown && (recorder.pace.shared || spacing.mayBeANeighbour) && limitedIn(inquiry).length > 1;
}

function limitedIn({ recorder, open }: Inquiry): string[] {
  const limited = limitedAccounts(recorder.evidence());
  return open.filter((name) => limited.includes(name));
}

/** The accounts that were refused although their requests kept their distance, or that longer windows seem to hold back. */
function suspectsOf(inquiry: Inquiry): string[] {
  const { recorder, spacing, together } = inquiry;
  // Only later requests may have shown with which status this server refuses.
  const evidence = recorder.evidence();
  const late = evidence.exchanges.find((exchange) => isRefusedAfterItsTurn(exchange, evidence))?.account;
  const limited = limitedIn(inquiry);
  const alone = limited.filter((name) => name === late || oddTurns(evidence, name).length > 0);
  const longer = seemingWindowSeconds(evidence) === null ? [] : limited.slice(0, 1);
  const first = [spacing.firstRefused, together.overLimit()].flatMap((name) => name ?? []);
  return [...first, ...alone, ...longer].filter((name) => limited.includes(name));
}

/** The first of them that was not looked into, and of which it is open why it was refused. */
function refusedWithoutReason(inquiry: Inquiry): string | undefined {
  const { recorder, spacing, together, searched } = inquiry;
  const evidence = recorder.evidence();
  if (together.wasCharged) return undefined;
  return suspectsOf(inquiry).find(
    (account) =>
      !searched.has(account) &&
      worldsLeft(evidence, account).size > 1 &&
      (!spacing.hasNeighbours || oddSingles(evidence, account).length > 0),
  );
}

/** Whether reads right after requests without a key were refused, and nothing else explains that. */
function mayBeCharged(inquiry: Inquiry): boolean {
  const { recorder, open, spacing, together, stage } = inquiry;
  if (!together.isToBeRepeated) return false;
  if (stage === 'at the limit' && together.areCharged) return true;
  // One budget for all accounts lets one of several reads through, unless something else has used it up.
  const isShared = spacing.hasNeighbours && open.some((name) => !together.isRefused(name));
  return !isShared && !isStricter(recorder.evidence()) && suspectsOf(inquiry).length > 0;
}

async function findCharge({ recorder, open, spacing, wrongKeys, together }: Inquiry): Promise<void> {
  if (!(await together.again())) return;
  // Budget that requests without a key used up comes back in a window.
  for (const name of open) recorder.pace.used(name, recorder.now());
  wrongKeys.spare();
  spacing.mayBeANeighbour = false;
}

/** Looks whether another account caused a refusal. Only if one did, accounts take turns from then on. */
async function findNeighbour(inquiry: Inquiry): Promise<void> {
  const { recorder, spacing } = inquiry;
  const { pace } = recorder;
  const open = limitedIn(inquiry);
  spacing.mayBeANeighbour = false;
  pace.share();
  const asked = spacing.firstRefused ?? open[1] ?? '';
  const evidence = recorder.evidence();
  const others = open.filter((name) => name === asked || !areApart(name, asked, evidence));
  spacing.hasNeighbours = await tryNeighbours(recorder, others, asked, (account) => inquiry.pending.toAccept(account));
  if (!spacing.hasNeighbours) pace.unshare();
}

/** In two rounds the first of two accounts begins, then in one the second. */
const ROUNDS = 3;
/** Where answers travel for seconds, two accounts miss each other now and then. */
const MOST_ENCOUNTERS = 6;

/**
 * Where budgets seem shared: uses up one account and asks another, in rounds. One budget for both lets in whoever
 * begins, twice in a row, and refuses the other one. A stricter limit lets nobody in twice in a row; another client uses
 * one key, and refuses that account alone.
 * @param asked the account to ask: one that was refused beside others, if any
 * @param toAccept what an account has to send anyway, and has to be accepted: it begins a round in place of a read
 * @returns whether one of the others was certainly the cause
 */
async function tryNeighbours(
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

/** What rounds with two accounts show. A stricter limit, or another client of a key, refuses who begins a round. */
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
    // A boundary may have given one budget for all back between the two.
    const known = recorder.evidence();
    if (refused === 0 || accepted > 1 || areApart(asked, other, known) || !mayAllShare(known))
      return 'budgets of their own';
  }
  return 'one budget';
}

/**
 * Where the server refuses or queues, but no account was asked while another was refused or had to wait, does that now,
 * with nothing else under way. A busy machine may have been too slow for it.
 */
async function seekEncounter(recorder: Recorder, open: readonly string[]): Promise<void> {
  const { pace, target } = recorder;
  for (let tries = 0; open.length > 1 && tries < MOST_ENCOUNTERS && !recorder.givenUp; tries += 1) {
    const evidence = recorder.evidence();
    const isLimited = evidence.exchanges.some((exchange) => isRefused(exchange, evidence)) || isQueue(evidence);
    const encounters = open.flatMap((account) => encountersOf(evidence, account));
    // A queue holds back what a budget of its own would let through; only a refusal shows that it was no late answer.
    const late = encounters.find(
      ({ asked: { exchange, outcome } }) => outcome === 'accepted' && isTurnedAway(exchange, evidence),
    );
    const isMet = late ? encounters.some(({ asked }) => asked.outcome === 'refused') : encounters.length > 0;
    // Where several fit into a window, a bucket soon has room for a single one. Two whole budgets at one moment show more.
    const isBucketShown =
      target.rate.requests === 1 ||
      pace.windowMs > SHORT_WINDOW_MS ||
      encounters.some(({ asked }) => asked.exchange.probe.group === 'neighbour');
    if (!isLimited || (isMet && isBucketShown)) return;
    pace.share();
    const [other = '', asked = ''] = late ? [late.others[0]?.account ?? '', late.asked.exchange.account ?? ''] : open;
    await tryNeighbours(recorder, [other], asked);
  }
}

/** What a round shows of two accounts. */
interface Round {
  /** Whether the first one was let in, with its whole budget. */
  isLetIn: boolean;
  /** Whether the second one was turned away, though it had sent nothing for a window. */
  isRefusedBeside: boolean;
}

/** Uses up the budget of one account, and asks another one at once. @returns `null` if nothing more is sent */
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
    // Where several fit into a window, budget comes back while they are sent one after another. One budget for both
    // accounts lacks half of what two whole ones grant at one moment.
    if (requests > 1) {
      const both = await recorder.burst([...readsOf(first, requests), ...readsOf(second, requests)], { atMs: 0 });
      if (both.length === 0) return null;
      if (!areAnyTurnedAway(both)) return { isLetIn: true, isRefusedBeside: false };
      const alone = await recorder.burst(readsOf(first, requests), { atMs: wholeAtMs() });
      return { isLetIn: alone.every(isAccepted) && !areAnyTurnedAway(alone), isRefusedBeside: true };
    }
    // A server that is slow, or queues, refuses only requests sent at one moment.
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

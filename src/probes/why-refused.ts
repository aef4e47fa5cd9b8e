/**
 * Reads that show why an account was refused with budget left. Rows show a stricter limit, another client of its key, chance,
 * or a server that locked it out. Rounds with two accounts, of which one uses up its budget and the other asks at once, show
 * whether budgets are shared.
 */
import { type ProbeRequest, probe } from '../catalogue/catalogue';
import { burstSize } from '../config/target';
import { LITTLE_MS, longestHonestSeconds } from '../contract/bounds';
import type { Evidence, Exchange } from '../evidence/model';
import { isAccepted, isRefused } from '../evidence/responder/classify';
import { whileServing } from '../evidence/responder/failures';
import { isQueue, isTurnedAway } from '../evidence/responder/queueing';
import { areRefusalsFree, LOCKED_OUT } from '../limiter/locked-out';
import { areWindowsSeen, isStricter, lateSingles, oddSingles, TELLING, TELLING_ALONE } from '../limiter/stricter';
import { areApart, mayAllShare, oddRefusals } from '../limiter/timeline';
import { encountersOf, mayBeAnotherClient, oddTurns, otherClients, WAITS, worldsLeft } from '../limiter/worlds';
import { MARGIN_MS } from '../recorder/pace';
import type { Recorder } from '../recorder/recorder';
import { afterUsedUp, isSlow, mostHeld, queuedInTime, SHORT_WINDOW_MS } from './moments';
import type { PendingRequests } from './pending';
import { read } from './requests';

/** The most reads in a row, a window and a little apart. */
const ROW = 8;
/** After so many answers alike to each account, a row shows no more. */
const ALIKE = 5;
/** How many rows of reads are sent of which the refused ones are asked again. */
const MOST_AGAIN = 12;
/** How often a read after a whole budget is tried at most. */
const MOST_WHOLE = 6;
/** For how long an account is read as often as the rate allows at most. */
const STEADY_WINDOWS = 5;
/** How often one key is read after a silence. Each is longer, so that a polling client meets one. */
const SILENCES = 5;
const LONGER_WINDOWS = 0.3;
/** How many rows of reads do not wait for answers at most. */
const ROUNDS_IN_TIME = 2;
/** The distance between dense reads in windows: one meets a free moment of a key that another client uses. */
const DENSE_WINDOWS = 0.02;

/** Returns the evidence without bans and outages, which do not show another client. */
function evidenceOf(recorder: Recorder): Evidence {
  return whileServing(recorder.evidence());
}

/**
 * Reads some accounts at the same moments, a window and a little apart, until the result is clear. A longer limit refuses
 * all of them, another client only the account of its key.
 * @param most how many reads of each at most
 * @param silenceMs how long nothing is sent before each read, besides a window
 * @returns the answers
 */
async function readInARow(
  recorder: Recorder,
  accounts: readonly string[],
  most: number,
  isKnown: (evidence: Evidence, answers: readonly Exchange[]) => boolean,
  silenceMs = 0,
): Promise<Exchange[]> {
  const { pace } = recorder;
  const answers: Exchange[] = [];
  for (let i = 0; i < most && !recorder.givenUp && !isKnown(evidenceOf(recorder), answers); i += 1)
    await pace.turn(accounts[0] ?? '', async () => {
      const freeMs = Math.max(...accounts.map((name) => pace.freshAtMs(name))) + LITTLE_MS;
      // A polling client must not be in step with the reads.
      const silentMs = recorder.now() + silenceMs + MARGIN_MS + i * LONGER_WINDOWS * pace.windowMs;
      const row = accounts.map((account) => read(account, probe('apart', { account })));
      answers.push(...(await recorder.burst(row, { atMs: Math.max(freeMs, silenceMs && silentMs) })));
    });
  return answers;
}

/**
 * Finds out why an account was refused with budget left, beside others with budgets of their own.
 * @returns whether all reads were accepted, so that asking again shows no more
 */
export async function askWhyRefused(recorder: Recorder, account: string, others: readonly string[]): Promise<boolean> {
  // Where several requests fit into a window, single reads show nothing.
  if (recorder.target.rate.requests > 1) return true;
  recorder.pace.shared = true;
  const beside = others.filter((name) => areApart(name, account, evidenceOf(recorder)));
  const isKnown = (evidence: Evidence) => worldsLeft(evidence, account).size < 2;
  // By luck, another client of the only key looks like longer windows, so it is read twice as often where it is accepted at all.
  const isShown = (evidence: Evidence, row: readonly Exchange[]) => {
    const isLong = row.length >= ALIKE * (1 + beside.length);
    const isTold = (isLong && !row.some(isAccepted)) || lateSingles(evidence, account).length >= TELLING_ALONE;
    return isKnown(evidence) || (isLong && row.every(isAccepted)) || (beside.length === 0 && isTold);
  };
  const row = await readInARow(recorder, [account, ...beside], beside.length > 0 ? ROW : 2 * ROW, isShown);
  const isSettled = (evidence: Evidence) => isKnown(evidence) || !isStricter(evidence);
  // Refusals by another client of one key may look like longer windows, but not after a silence.
  const silenceMs = longestHonestSeconds(recorder.target.rate) * 1000 + LITTLE_MS;
  const isClear = (known: Evidence, answers: readonly Exchange[]) => !answers.every(isAccepted) || isSettled(known);
  await readInARow(recorder, [account], SILENCES, isClear, silenceMs);
  return row.length > 0 && row.every(isAccepted);
}

/**
 * Reads accounts in a row, and each that is refused again at once. Only a limiter that refuses at random often accepts what it
 * refused a moment before.
 */
export async function askRefusedAgain(recorder: Recorder, accounts: readonly string[]): Promise<void> {
  for (let i = 0; i < MOST_AGAIN && !recorder.givenUp && !isStricter(evidenceOf(recorder)); i += 1) {
    const row = await readInARow(recorder, accounts, 1, () => false);
    const known = evidenceOf(recorder);
    const refused = new Set(row.filter((exchange) => isRefused(exchange, known)).map(({ account }) => account));
    const again = accounts.filter((account) => refused.has(account));
    await Promise.all(again.map((account) => recorder.send(read(account, probe('apart', { account })))));
  }
}

/** Whether it is known if windows are twice as long as declared. */
function areWindowsKnown(evidence: Evidence, accounts: readonly string[]): boolean {
  return (
    accounts.some((name) => oddSingles(evidence, name).length > 1) || areWindowsSeen(evidence) || isStricter(evidence)
  );
}

/**
 * Reads accounts in rows to see whether windows are twice as long as declared, for which trials may be too far apart.
 * @param isOver whether to end before that is known
 */
export async function readHardlyApart(
  recorder: Recorder,
  accounts: readonly string[],
  isOver = () => false,
): Promise<void> {
  await readInARow(recorder, accounts, ROW, (evidence) => isOver() || areWindowsKnown(evidence, accounts));
}

/** As `readHardlyApart`, and then with reads that do not wait for the answers before them. */
export async function askHardlyApart(recorder: Recorder, accounts: readonly string[]): Promise<void> {
  const isKnown = (evidence: Evidence) => areWindowsKnown(evidence, accounts);
  await readHardlyApart(recorder, accounts);
  const { pace } = recorder;
  const [account = ''] = accounts;
  const request = read(account, probe('apart', { account }));
  // Reads that wait for slow answers are too far apart, so others do not wait.
  for (let round = 0; round < ROUNDS_IN_TIME && !recorder.givenUp && !isKnown(recorder.evidence()); round += 1)
    await pace.turn(account, () => {
      const fromMs = Math.max(pace.freshAtMs(account), recorder.now());
      const moments = Array.from({ length: ROW }, (_, i) => fromMs + i * (pace.windowMs + MARGIN_MS));
      return Promise.all(moments.map((atMs) => recorder.send(request, { atMs })));
    });
}

/**
 * Sends a read at every moment of some windows, and so many requests at least, each at once after the answer before, until
 * one is the last: by default the first accepted one.
 * @returns the answers
 */
export async function readDensely(
  recorder: Recorder,
  account: string,
  group: 'apart' | 'ban' | 'read',
  { windows, requests = 0 }: { windows: number; requests?: number },
  isLast: (exchange: Exchange) => boolean = isAccepted,
): Promise<Exchange[]> {
  const { windowMs } = recorder.pace;
  const fromMs = Math.max(recorder.pace.freshAtMs(account), recorder.now()) + LITTLE_MS + MARGIN_MS / 2;
  const endMs = fromMs + windows * windowMs + MARGIN_MS;
  const sent: Exchange[] = [];
  const isLonger = (atMs: number) => atMs < endMs || sent.length < requests;
  for (let atMs = fromMs; isLonger(atMs); atMs = Math.max(atMs + DENSE_WINDOWS * windowMs, recorder.now())) {
    const exchange = await recorder.send(read(account, probe(group, { account })), { atMs });
    if (exchange) sent.push(exchange);
    if (!exchange || isLast(exchange)) break;
  }
  return sent;
}

/** Reads at every moment of a while, and then after silences. @returns whether any read was accepted; if none, the account is locked out */
async function isEverLetIn(recorder: Recorder, account: string, isOpen: () => boolean): Promise<boolean> {
  const dense = await readDensely(recorder, account, 'apart', LOCKED_OUT.row);
  const isLetIn = (answers: readonly Exchange[]) => [...dense, ...answers].some(isAccepted);
  const isKnown = (_: Evidence, answers: readonly Exchange[]) => isLetIn(answers) || !isOpen();
  const silenceMs = LOCKED_OUT.silenceWindows * recorder.pace.windowMs;
  return isLetIn(await readInARow(recorder, [account], LOCKED_OUT.silences, isKnown, silenceMs));
}

/** Reads at every moment and after silences until one of some accounts is accepted, which tells whether all are locked out. */
export async function isAnyLetIn(recorder: Recorder, accounts: readonly string[]): Promise<boolean> {
  for (const account of accounts) if (await isEverLetIn(recorder, account, () => !recorder.givenUp)) return true;
  return false;
}

/**
 * If only another client would explain an account's refusals, reads until one is accepted, which shows that client, or until
 * so many are refused that the account is locked out.
 */
export async function seekAnotherClient(recorder: Recorder, account: string): Promise<void> {
  const isOpen = () => {
    const evidence = evidenceOf(recorder);
    const mayBe = worldsLeft(evidence, account).has('another client') && mayBeAnotherClient(evidence, account);
    return mayBe && !recorder.givenUp && !otherClients(evidence).has(account);
  };
  const others = recorder.target.accounts.map(({ name }) => name).filter((name) => name !== account);
  if (!isOpen()) return;
  const isLetIn = await isEverLetIn(recorder, account, isOpen);
  // A poller of one key keeps it out if refused requests are charged as well. Another account shows whether they are.
  const other = others.find((name) => oddRefusals(evidenceOf(recorder), name).length === 0);
  const areFree = (name: string) => areRefusalsFree(name, evidenceOf(recorder));
  if (isLetIn || other === undefined || others.some(areFree)) return;
  const isLast = (each: Exchange) => isAccepted(each) && areFree(other);
  await readDensely(recorder, other, 'apart', LOCKED_OUT.row, isLast);
}

/**
 * Where several requests fit into a window, uses up a whole budget and reads again a window and the time of one request
 * later. Even a sliding counter of the declared rate accepts that. Longer windows refuse it, again and again.
 * @param open all accounts: none is busy meanwhile, so that a smaller limit shows, too
 */
export async function askAfterWholeBudget(recorder: Recorder, open: readonly string[]): Promise<void> {
  const [account = ''] = open;
  const { pace, target } = recorder;
  const { requests } = target.rate;
  const request = read(account, probe('apart', { account }));
  let [accepted, refused] = [0, 0];
  // Long windows are waited for only where something was refused a window after the requests before it.
  const isShown =
    pace.windowMs <= SHORT_WINDOW_MS || open.some((name) => oddTurns(evidenceOf(recorder), name).length > 0);
  const isOpen = () => accepted < 2 || !areWindowsSeen(evidenceOf(recorder));
  const isWorthwhile = (trial: number) => (trial === 0 ? isShown : refused > 0 || isOpen());
  if (isShown) await readSteadily(recorder, account);
  for (let trial = 0; trial < MOST_WHOLE && refused < TELLING && isWorthwhile(trial); trial += 1) {
    await pace.turn(account, async () => {
      const quietAtMs = Math.max(...open.map((name) => pace.freshAtMs(name))) + LITTLE_MS;
      const atMs = Math.max(pace.wholeAtMs(account), quietAtMs);
      const whole = await recorder.burst(Array(requests).fill(request), { atMs });
      if (whole.length === 0 || !whole.every(isAccepted)) return;
      const laterMs = pace.freshAtMs(account) + pace.windowMs / requests + LITTLE_MS;
      const exchange = await recorder.send(request, { atMs: laterMs });
      if (exchange && isRefused(exchange, evidenceOf(recorder))) refused += 1;
      else accepted += 1;
    });
  }
  // Accepted requests show how a limiter works, too.
  if (refused > 1) await readInARow(recorder, [account], ROW, isStricter);
}

/**
 * Sends single reads as often as the rate allows. If all are accepted for some windows, these are not twice as long.
 * @param isOver whether to end before
 */
export async function readSteadily(recorder: Recorder, account: string, isOver = () => false): Promise<void> {
  const { pace, target } = recorder;
  const isKnown = () => isOver() || areWindowsSeen(evidenceOf(recorder));
  for (let i = 0; i < STEADY_WINDOWS * target.rate.requests && !isKnown(); i += 1) {
    const atMs = pace.spacedAtMs(account);
    const answer = await pace.turn(account, () => recorder.send(read(account, probe('apart', { account })), { atMs }));
    if (!answer || !isAccepted(answer)) return;
  }
}

/** The first of two accounts begins two rounds, then the second one. */
const ROUNDS = 3;
/** Several, because two accounts miss each other at times if answers travel for seconds. */
const MOST_ENCOUNTERS = 6;

/**
 * Finds out in rounds whether accounts share a budget. One budget for both accepts whoever begins, twice in a row, and
 * refuses the other one. A stricter limit accepts nobody twice in a row. Another client of one key affects only that account.
 * @param asked the account to ask: one that was refused beside others, if any
 * @param pending requests to be accepted begin rounds in place of reads
 * @returns whether one of the others was certainly the cause
 */
export async function tryNeighbours(
  recorder: Recorder,
  open: readonly string[],
  asked: string,
  pending?: PendingRequests,
): Promise<boolean> {
  for (const other of open.filter((account) => account !== asked)) {
    const shown = await inRounds(recorder, other, asked, pending);
    if (shown !== 'budgets of their own') return shown === 'one budget';
  }
  return false;
}

/** The result of rounds with two accounts. Under a stricter limit, or with another client, the first one is refused. */
type Shown = 'one budget' | 'budgets of their own' | 'neither';

async function inRounds(recorder: Recorder, other: string, asked: string, pending?: PendingRequests): Promise<Shown> {
  let [refused, accepted] = [0, 0];
  while (refused < ROUNDS) {
    const [first, second] = refused === ROUNDS - 1 ? [asked, other] : [other, asked];
    const isLetIn = await oneRound(recorder, first, second, pending?.toAccept(first));
    if (isLetIn === null) return 'neither';
    if (isLetIn) accepted += 1;
    else refused += 1;
    if (!isLetIn) continue;
    // The end of a window may have given back a shared budget between the two.
    const known = recorder.evidence();
    if (refused === 0 || accepted > 1 || !mayAllShare(known)) return 'budgets of their own';
  }
  return 'one budget';
}

/**
 * Asks an account while another one is refused or has to wait, with nothing else under way, if that has not happened yet. A
 * busy machine may have been too slow for it.
 */
export async function seekEncounter(recorder: Recorder, open: readonly string[]): Promise<void> {
  const { pace, target } = recorder;
  // Two whole budgets at one moment do not miss each other.
  const most = target.rate.requests > 1 ? 1 : MOST_ENCOUNTERS;
  for (let tries = 0; tries < most && !recorder.givenUp; tries += 1) {
    const evidence = evidenceOf(recorder);
    const isLimited = evidence.exchanges.some((exchange) => isRefused(exchange, evidence)) || isQueue(evidence);
    const encounters = open.flatMap((account) => encountersOf(evidence, account));
    // Where several requests fit into a window, a bucket soon accepts a single one. Two whole budgets at once show more.
    const [one = '', another = ''] = open;
    const areTwoShown =
      target.rate.requests === 1 || pace.windowMs > SHORT_WINDOW_MS || areApart(one, another, evidence);
    // A single answer that was held back may be a slow one.
    const heldBack = encounters.filter(
      ({ asked: { outcome, exchange } }) => outcome === 'accepted' && isTurnedAway(exchange, evidence),
    ).length;
    const isMet = encounters.length > heldBack || heldBack >= WAITS;
    if (!isLimited || (isMet && areTwoShown)) return;
    pace.shared = true;
    await tryNeighbours(recorder, [one], another);
  }
}

/**
 * Uses up the budget of one account and asks another one at once, which has sent nothing for a window.
 * @returns whether the other one was accepted; `null` if nothing more is sent, or if the first one was not accepted either
 */
async function oneRound(
  recorder: Recorder,
  first: string,
  second: string,
  begin?: ProbeRequest,
): Promise<boolean | null> {
  const { pace, target } = recorder;
  const { requests } = target.rate;
  const wholeAtMs = () => Math.max(pace.wholeAtMs(first), pace.wholeAtMs(second));
  const areAnyTurnedAway = (sent: readonly Exchange[]) =>
    sent.some((exchange) => isTurnedAway(exchange, recorder.evidence()));
  const readsOf = (account: string, count: number) =>
    Array.from({ length: count }, () => read(account, probe('neighbour', { account })));
  return pace.turn(second, async () => {
    await pace.until(wholeAtMs());
    // Where several requests fit into a window, budget comes back while they are sent one after another. At one moment a
    // shared budget grants half as many as two.
    if (requests > 1) {
      const both = await recorder.burst([...readsOf(first, requests), ...readsOf(second, requests)], { atMs: 0 });
      if (both.length === 0) return null;
      if (!areAnyTurnedAway(both)) return true;
      const alone = await recorder.burst(readsOf(first, requests), { atMs: wholeAtMs() });
      return alone.every(isAccepted) && !areAnyTurnedAway(alone) ? false : null;
    }
    // A slow or queueing server refuses only requests of one moment.
    const isHeld = isQueue(recorder.evidence());
    const most = isSlow(recorder) ? Math.min(burstSize(target), queuedInTime(recorder)) : 0;
    const opened = begin && !isHeld ? await recorder.burst([begin], { atMs: 0 }) : [];
    const count = Math.max(mostHeld(recorder) + 1, most) - opened.filter(isAccepted).length;
    const sending = recorder.burst(readsOf(first, count), { atMs: 0 });
    const askSecond = () => recorder.burst(readsOf(second, requests), { atMs: 0 });
    const asked = await afterUsedUp(recorder, sending, askSecond, isHeld);
    if (asked.length > 0 && !areAnyTurnedAway(asked)) return true;
    const isLetIn = [...opened, ...(await sending)].some(
      (exchange) => isAccepted(exchange) && !areAnyTurnedAway([exchange]),
    );
    return asked.length > 0 && isLetIn ? false : null;
  });
}

/**
 * Rows of reads that show why an account was refused with budget left: a stricter limit, another client of its key, chance,
 * or a server that locked it out.
 */
import { type ProbeRequest, probe } from '../catalogue/catalogue';
import { LITTLE_MS, longestHonestSeconds } from '../contract/bounds';
import type { Evidence, Exchange } from '../evidence/model';
import { isAccepted, isRefused } from '../evidence/responder/classify';
import { whileServing } from '../evidence/responder/failures';
import { areRefusalsFree, LOCKED_OUT } from '../limiter/locked-out';
import {
  areWindowsSeen,
  isStricter,
  lateSingles,
  oddSingles,
  seemingWindowSeconds,
  TELLING,
  TELLING_ALONE,
} from '../limiter/stricter';
import { areApart, oddRefusals, timelineOf } from '../limiter/timeline';
import { mayBeAnotherClient, otherClients, worldsLeft } from '../limiter/worlds';
import { MARGIN_MS } from '../recorder/pace';
import type { Recorder } from '../recorder/recorder';
import { SHORT_WINDOW_MS } from './moments';
import { read } from './requests';

/** The trials of these reads: each row has its own. */
const TRIALS = { whyRefused: 1, hardlyApart: 2, lockedOut: 3, afterSilence: 4, wholeBudget: 5 };
/** The most reads in a row, a window and a little apart. */
export const ROW = 8;
/** After so many refusals and nothing else, a row shows no more. */
const NEVER_LET_IN = 5;
/** The most reads in a row if other accounts are read as well. */
export const MOST_BESIDE = 4;
/** How often a read after a whole budget is tried at most. */
export const MOST_WHOLE = 6;
/** How often one key is read after a silence. Each is longer, so that a polling client meets one. */
const SILENCES = 5;
const LONGER_WINDOWS = 0.3;
/** The cost of finding out why an account was refused at most, in windows. A silence lasts five, and an answer one. */
export const WHY_REFUSED_WINDOWS = 2 * ROW + 6 * SILENCES;
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
 * @param patienceMs an account that has to wait so much longer than the first is left out
 */
async function readInARow(
  recorder: Recorder,
  accounts: readonly string[],
  trial: number,
  most: number,
  isKnown: (evidence: Evidence) => boolean,
  patienceMs = recorder.pace.windowMs / 2,
): Promise<void> {
  const { pace } = recorder;
  for (let sent = 0; sent < most && !recorder.givenUp && !isKnown(evidenceOf(recorder)); sent += 1)
    await pace.turn(accounts[0] ?? '', async () => {
      const soonMs = Math.min(...accounts.map((name) => pace.freshAtMs(name))) + patienceMs;
      const ready = accounts.filter((name) => pace.freshAtMs(name) <= soonMs);
      const atMs = Math.max(...ready.map((name) => pace.freshAtMs(name))) + LITTLE_MS;
      const row = ready.map((account) => read(account, probe('apart', { account, trial })));
      await recorder.burst(row, { atMs });
    });
}

/** Finds out why an account was refused with budget left, beside others with budgets of their own. */
export async function askWhyRefused(recorder: Recorder, account: string, others: readonly string[]): Promise<void> {
  // Where several requests fit into a window, single reads show nothing.
  if (recorder.target.rate.requests > 1) return;
  recorder.pace.share();
  const beside = others.filter((name) => areApart(name, account, evidenceOf(recorder)));
  const isKnown = (evidence: Evidence) => worldsLeft(evidence, account).size < 2;
  // By luck, another client of the only key looks like longer windows, so it is read twice as often where it is accepted at all.
  const isShown = (evidence: Evidence) => {
    const row = timelineOf(evidence, account).filter(({ exchange }) => exchange.probe.group === 'apart');
    const isNeverLetIn = row.length >= NEVER_LET_IN && row.every(({ outcome }) => outcome === 'refused');
    const isTold = isNeverLetIn || lateSingles(evidence, account).length >= TELLING_ALONE;
    return isKnown(evidence) || (beside.length === 0 && isTold);
  };
  await readInARow(recorder, [account, ...beside], TRIALS.whyRefused, beside.length > 0 ? ROW : 2 * ROW, isShown);
  const isOpen = () => !isKnown(evidenceOf(recorder)) && isStricter(evidenceOf(recorder));
  const other = servedAmong(recorder, others);
  // Another client of that key causes no refusals of an account that asks as often.
  if (beside.length === 0 && other !== undefined && isOpen())
    await readInARow(recorder, [other], TRIALS.whyRefused, ROW, isKnown);
  // Refusals by another client of one key may look like longer windows, but not after a silence.
  const silenceMs = longestHonestSeconds(recorder.target.rate) * 1000 + LITTLE_MS;
  const areLetIn = (answers: readonly Exchange[]) => answers.every(isAccepted) && isOpen();
  await readAfterSilences(recorder, account, silenceMs, SILENCES, areLetIn);
}

/** Returns the first of some accounts whose requests with budget left were all accepted. */
function servedAmong(recorder: Recorder, accounts: readonly string[]): string | undefined {
  return accounts.find((name) => oddRefusals(evidenceOf(recorder), name).length === 0);
}

/** Reads an account, each time after a silence, while something is open. @returns the answers */
async function readAfterSilences(
  recorder: Recorder,
  account: string,
  silenceMs: number,
  most: number,
  isOpen: (answers: readonly Exchange[]) => boolean,
): Promise<Exchange[]> {
  const { pace } = recorder;
  const request = read(account, probe('apart', { account, trial: TRIALS.afterSilence }));
  const answers: Exchange[] = [];
  for (let sent = 0; sent < most && !recorder.givenUp && isOpen(answers); sent += 1) {
    // A polling client must not be in step with the reads.
    const atMs = Math.max(
      pace.freshAtMs(account),
      recorder.now() + silenceMs + MARGIN_MS + sent * LONGER_WINDOWS * pace.windowMs,
    );
    answers.push(...(await recorder.burst([request], { atMs })));
  }
  return answers;
}

/** Finds out whether windows are twice as long as declared, for which trials may be too far apart. */
export async function askHardlyApart(recorder: Recorder, accounts: readonly string[]): Promise<void> {
  const isKnown = (evidence: Evidence) =>
    accounts.some((name) => oddSingles(evidence, name).length > 1) || areWindowsSeen(evidence) || isStricter(evidence);
  if (recorder.target.rate.requests === 1)
    await readInARow(recorder, accounts, TRIALS.hardlyApart, ROW, isKnown, Number.POSITIVE_INFINITY);
}

/**
 * Sends a read at every moment of some windows, and so many requests at least, each at once after the answer before, until
 * one is the last: by default the first accepted one.
 * @returns the answers
 */
export async function readDensely(
  recorder: Recorder,
  request: ProbeRequest,
  { windows, requests = 0 }: { windows: number; requests?: number },
  isLast: (exchange: Exchange) => boolean = isAccepted,
): Promise<Exchange[]> {
  const { windowMs } = recorder.pace;
  const fromMs = Math.max(recorder.pace.freshAtMs(request.account ?? ''), recorder.now()) + LITTLE_MS + MARGIN_MS / 2;
  const endMs = fromMs + windows * windowMs + MARGIN_MS;
  const sent: Exchange[] = [];
  const isLonger = (atMs: number) => atMs < endMs || sent.length < requests;
  for (let atMs = fromMs; isLonger(atMs); atMs = Math.max(atMs + DENSE_WINDOWS * windowMs, recorder.now())) {
    const exchange = await recorder.send(request, { atMs });
    if (exchange) sent.push(exchange);
    if (!exchange || isLast(exchange)) break;
  }
  return sent;
}

/**
 * If only another client would explain an account's refusals, reads until one is accepted, which shows that client, or until
 * so many are refused that the account is locked out.
 */
export async function seekAnotherClient(recorder: Recorder, account: string): Promise<void> {
  const { pace } = recorder;
  const isOpen = () => {
    const evidence = evidenceOf(recorder);
    const mayBe = worldsLeft(evidence, account).has('another client') && mayBeAnotherClient(evidence, account);
    return mayBe && !recorder.givenUp && !otherClients(evidence).has(account);
  };
  const others = recorder.target.accounts.map(({ name }) => name).filter((name) => name !== account);
  if (!isOpen()) return;
  const requestOf = (name: string, trial: number) => read(name, probe('apart', { account: name, trial }));
  const isLetIn = await pace.turn(account, async () => {
    const row = await readDensely(recorder, requestOf(account, TRIALS.lockedOut), LOCKED_OUT.row);
    const silenceMs = LOCKED_OUT.silenceWindows * pace.windowMs;
    const isOut = (answers: readonly Exchange[]) => ![...row, ...answers].some(isAccepted) && isOpen();
    const later = await readAfterSilences(recorder, account, silenceMs, LOCKED_OUT.silences, isOut);
    return [...row, ...later].some(isAccepted);
  });
  // A poller of one key keeps it out if refused requests are charged as well. Another account shows whether they are.
  const other = servedAmong(recorder, others);
  const areFree = (name: string) => areRefusalsFree(name, evidenceOf(recorder));
  if (isLetIn || other === undefined || others.some(areFree)) return;
  const isLast = (each: Exchange) => isAccepted(each) && areFree(other);
  await pace.turn(other, () => readDensely(recorder, requestOf(other, TRIALS.lockedOut), LOCKED_OUT.row, isLast));
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
  const request = read(account, probe('apart', { account, trial: TRIALS.wholeBudget }));
  let [accepted, refused] = [0, 0];
  // Long windows are waited for only where longer ones explain what was refused.
  const isShown = pace.windowMs <= SHORT_WINDOW_MS || seemingWindowSeconds(evidenceOf(recorder)) !== null;
  const isOpen = () => accepted === 0 || !areWindowsSeen(evidenceOf(recorder));
  const isWorthwhile = (trial: number) => (trial === 0 ? isShown : refused > 0 || isOpen());
  for (let trial = 0; requests > 1 && trial < MOST_WHOLE && refused < TELLING && isWorthwhile(trial); trial += 1) {
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
  if (refused > 1) await readInARow(recorder, [account], TRIALS.wholeBudget, MOST_BESIDE, isStricter);
}

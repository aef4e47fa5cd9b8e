/** Finds why an account was refused although it kept its distance: a stricter limit, or another client of its key. */

import { probe } from '../../catalogue/probe';
import { LITTLE_MS, longestHonestSeconds } from '../../contract/bounds';
import type { Evidence } from '../../evidence/model';
import { isAccepted, isRefused } from '../../evidence/responder/classify';
import { whileServing } from '../../evidence/responder/outages';
import { asksBeyondWindow, beginningsOf, ownOf, turnsOf, waitedMs } from '../../evidence/time/gaps';
import { mayBeAnotherClient, otherClients } from '../../rate-limit/another-client';
import { isRefusedRegularly, refusedTooOften, seemsLonger } from '../../rate-limit/longer-limit';
import { refusedWithRoom } from '../../rate-limit/room';
import { MARGIN_MS } from '../../recorder/pace';
import type { Recorder } from '../../recorder/recorder';
import { DENSE, read, SHORT_WINDOW_MS } from '../requests';

const APART_TRIALS = 3;
const MOST_APART_TRIALS = 6;
/** An account that was turned away at least this often since it was last accepted is not looked at densely. */
const MOST_LOST = 2;
/**
 * Reads that meet a free moment of a key that another client uses often: first close together, then more than a window
 * apart, because refused ones may count. `windows`: how far apart they are.
 */
const SPREADS = [DENSE, { reads: 6, windows: 1.15 }];
/** The look of the dense reads: after all others of its group. */
const DENSE_TRIAL = MOST_APART_TRIALS + SPREADS.length + 1;
/** The reads a window and a little apart, and the trial that they are of. */
const ROW = 8;
const ROW_TRIAL = DENSE_TRIAL + 1;
/** The trial of a read after a whole budget. */
const WHOLE_TRIAL = ROW_TRIAL + 1;
const MOST_WHOLE = 6;

/**
 * Sends pairs of reads a window and a little apart, until it is known why an account was refused although it kept its
 * distance. The first pair goes to all accounts, because a stricter limit refuses all of them. If the account was
 * refused after a refusal, the second read of a pair comes after one too.
 * @param others accounts that get the first pair too
 */
export async function readApart(recorder: Recorder, account: string, others: readonly string[]): Promise<void> {
  if (isTold(recorder, account)) return;
  recorder.pace.share();
  const isAfterRefusal = wasRefusedBefore(recorder, account);
  const isAskedBeside = others.length > 0 && !isOtherRefused(recorder, account);
  if (isAskedBeside) await askSideBySide(recorder, [account, ...others]);
  await readInARow(recorder, account);
  if (refusedWithRoom(evidenceOf(recorder), account).length === 0) return;
  const mayBeSeen = recorder.target.rate.requests === 1 && !isOtherRefused(recorder, account);
  const isSeen = mayBeSeen && !isLost(evidenceOf(recorder), account) && (await readDensely(recorder, account));
  const how = { isAfterRefusal, isAfterSilence: mayBeSeen && !isSeen };
  await readInPairs(recorder, account, isAskedBeside ? 2 : 1, how);
}

/**
 * Sends reads a window and a little apart until two were refused. Windows somewhat longer than declared refuse one of
 * them now and then, wherever they begin.
 */
async function readInARow(recorder: Recorder, account: string): Promise<void> {
  const { pace, target } = recorder;
  // Where several fit into a window, single reads show nothing.
  if (target.rate.requests > 1) return;
  const request = read(account, probe('apart', { account, trial: ROW_TRIAL }));
  await pace.turn(account, async () => {
    for (let sent = 0; sent < ROW && refusedWithRoom(evidenceOf(recorder), account).length < 2; sent += 1)
      if (!(await recorder.send(request, { atMs: pace.freshAtMs(account) + LITTLE_MS }))) return;
  });
}

/**
 * Where several requests fit into a window, uses a whole budget up and reads once more a window, and the time of one
 * request, later. Even a sliding counter of the declared rate has room by then. Longer windows refuse it, twice.
 * @param open all accounts: none is busy meanwhile, so a smaller limit shows, too
 */
export async function askAfterWholeBudget(recorder: Recorder, open: readonly string[]): Promise<void> {
  const [account = ''] = open;
  const { pace, target } = recorder;
  const { requests } = target.rate;
  const request = read(account, probe('apart', { account, trial: WHOLE_TRIAL }));
  let refused = 0;
  // Where longer windows explain what was seen, a boundary of theirs may fall between; elsewhere one trial shows.
  const isWorthwhile = (trial: number) =>
    (trial === 0 && pace.windowMs <= SHORT_WINDOW_MS) || refused > 0 || seemsLonger(evidenceOf(recorder));
  for (let trial = 0; requests > 1 && trial < MOST_WHOLE && refused < 2 && isWorthwhile(trial); trial += 1) {
    await pace.turn(account, async () => {
      const reads = Array.from({ length: requests }, () => request);
      const quietAtMs = Math.max(...open.map((name) => pace.freshAtMs(name))) + LITTLE_MS;
      const whole = await recorder.burst(reads, { atMs: Math.max(pace.wholeAtMs(account), quietAtMs) });
      if (whole.length === 0 || !whole.every(isAccepted)) return;
      const exchange = await recorder.send(request, {
        atMs: pace.freshAtMs(account) + pace.windowMs / requests + LITTLE_MS,
      });
      if (exchange && isRefused(exchange, evidenceOf(recorder))) refused += 1;
    });
  }
}

/** What comes before the two reads of a pair. */
interface Pair {
  /** Whether a refusal comes before the second read. */
  isAfterRefusal: boolean;
  /** Whether a silence longer than any limiter remembers comes first: only another client explains a refusal then. */
  isAfterSilence: boolean;
}

/** Sends pairs until the reason is known. After a first read was refused, the next pairs begin after a silence. */
async function readInPairs(recorder: Recorder, account: string, from: number, how: Pair): Promise<void> {
  // A window twice as long as declared ends between the reads of every second pair. Without silence, two pairs meet it.
  const trials = how.isAfterSilence ? APART_TRIALS : APART_TRIALS - 1;
  const mayBeChance = () => refusedWithRoom(evidenceOf(recorder), account).length === 1;
  let { isAfterSilence } = how;
  for (let trial = from; trial <= trials || (trial <= MOST_APART_TRIALS && mayBeChance()); trial += 1) {
    if (isTold(recorder, account) || recorder.givenUp) return;
    const wasRefused = await sendPair(recorder, account, trial, { ...how, isAfterSilence });
    if (wasRefused && isAfterSilence) return;
    isAfterSilence ||= wasRefused;
  }
}

/** Sends two reads, the second only where the first was accepted. @returns whether the first was not accepted */
async function sendPair(recorder: Recorder, account: string, trial: number, how: Pair): Promise<boolean> {
  const { pace, target } = recorder;
  const request = read(account, probe('apart', { account, trial }));
  return pace.turn(account, async () => {
    const lastMs = ownOf(evidenceOf(recorder), account).at(-1)?.receivedAtMs ?? 0;
    const silenceMs = longestHonestSeconds(target.rate) * 1000 + LITTLE_MS + MARGIN_MS;
    await pace.until(Math.max(pace.freshAtMs(account) + LITTLE_MS, how.isAfterSilence ? lastMs + silenceMs : 0));
    const first = await recorder.send(request);
    if (first === null || !isAccepted(first)) return first !== null;
    for (let i = 0; how.isAfterRefusal && i < target.rate.requests; i += 1) await recorder.send(request);
    await recorder.send(request, { atMs: pace.freshAtMs(account) + LITTLE_MS });
    return false;
  });
}

/** Whether it is known why an account was refused: another client uses its key, or the limit is stricter. */
function isTold(recorder: Recorder, account: string): boolean {
  const evidence = evidenceOf(recorder);
  return (
    otherClients(evidence).has(account) || (isOtherRefused(recorder, account) && refusedTooOften(evidence).size > 0)
  );
}

/** Whether an account was refused several times since it was last accepted: it may never recover. */
function isLost(evidence: Evidence, account: string): boolean {
  const beginnings = beginningsOf(evidence, account);
  const last = beginnings.findLastIndex(({ next }) => isAccepted(next));
  return beginnings.length - last > MOST_LOST;
}

/**
 * Sends reads so close together that one meets each moment at which budget comes back. Under a stricter limit, these
 * moments are more than a window apart.
 * @returns whether three such moments were seen; a limiter that counts refused requests shows none
 */
async function readDensely(recorder: Recorder, account: string): Promise<boolean> {
  const { pace, target } = recorder;
  const stepMs = 2 * DENSE.windows * pace.windowMs;
  let accepted = 0;
  await pace.turn(account, async () => {
    await pace.until(pace.freshAtMs(account));
    const startMs = recorder.now();
    const endMs = () => startMs + (accepted === 0 ? 1.5 * pace.windowMs : 2 * longestHonestSeconds(target.rate) * 1000);
    for (let atMs = startMs; accepted < 3 && recorder.now() < endMs(); atMs = Math.max(atMs + stepMs, recorder.now())) {
      const exchange = await recorder.send(read(account, probe('apart', { account, trial: DENSE_TRIAL })), { atMs });
      if (!exchange) return;
      if (isAccepted(exchange)) accepted += 1;
    }
  });
  return accepted === 3;
}

/** Sends two reads for each account, a window and a little apart, all accounts at the same two moments. */
async function askSideBySide(recorder: Recorder, accounts: readonly string[]): Promise<void> {
  const { pace } = recorder;
  const reads = accounts.map((account) => read(account, probe('apart', { account, trial: 1 })));
  await pace.turn(accounts[0] ?? '', async () => {
    for (let i = 0; i < 2; i += 1) {
      const freshMs = Math.max(...accounts.map((account) => pace.freshAtMs(account)));
      await recorder.burst(reads, { atMs: freshMs + LITTLE_MS });
    }
  });
}

/** Whether a refusal asked an account to wait longer than a window: a stricter limit does. */
export function isAskedLong(recorder: Recorder, account: string): boolean {
  const evidence = evidenceOf(recorder);
  return ownOf(evidence, account).some((exchange) => asksBeyondWindow(exchange, evidence));
}

/** Whether another account was refused although it kept its distance: another client of one key does not explain it. */
function isOtherRefused(recorder: Recorder, account: string): boolean {
  const evidence = evidenceOf(recorder);
  return recorder.target.accounts.some(
    ({ name }) => name !== account && refusedWithRoom(evidence, name, { besideOthers: true }).length > 0,
  );
}

/** The evidence that judges use, without bans and outages: these do not show another client. */
function evidenceOf(recorder: Recorder): Evidence {
  return whileServing(recorder.evidence());
}

/** Whether the last request that was refused although it kept its distance came after a refusal. */
function wasRefusedBefore(recorder: Recorder, account: string): boolean {
  const evidence = evidenceOf(recorder);
  const last = refusedWithRoom(evidence, account).at(-1);
  const turn = turnsOf(evidence, account).find(({ next }) => next === last);
  return turn?.before.some((exchange) => isRefused(exchange, evidence)) ?? false;
}

/**
 * Looks for another client of an account that was refused repeatedly although it kept its distance: see `readApart`.
 * Then reads until one is accepted, which shows that client, or until the account seems never to recover.
 */
export async function seekAnotherClient(recorder: Recorder, account: string): Promise<void> {
  const { pace } = recorder;
  const isLookedAt = recorder.exchanges.some(
    (exchange) => exchange.probe.group === 'apart' && exchange.account === account,
  );
  const refused = refusedWithRoom(evidenceOf(recorder), account, { evenIfAsked: true });
  if (!isLookedAt && refused.length > 1 && !isRefusedRegularly(evidenceOf(recorder), account))
    await readApart(recorder, account, []);
  if (isOtherRefused(recorder, account)) return;
  for (const [i, { reads, windows }] of SPREADS.entries()) {
    const evidence = evidenceOf(recorder);
    if (recorder.givenUp || otherClients(evidence).has(account) || !mayBeAnotherClient(evidence, account)) return;
    const missing = windows > 1 ? reads - refusedAfter(windows * pace.windowMs, account, evidence) : reads;
    await pace.turn(account, async () => {
      const freshMs = Math.max(pace.freshAtMs(account), recorder.now()) + LITTLE_MS + MARGIN_MS / 2;
      for (let sent = 0; sent < missing; sent += 1) {
        const request = read(account, probe('apart', { account, trial: MOST_APART_TRIALS + 1 + i }));
        const exchange = await recorder.send(request, { atMs: freshMs + sent * windows * pace.windowMs });
        if (!exchange || isAccepted(exchange)) return;
      }
    });
  }
}

/** How often an account was refused after a wait of at least `leastMs`, since it was last accepted. */
function refusedAfter(leastMs: number, account: string, evidence: Evidence): number {
  const beginnings = beginningsOf(evidence, account);
  const last = beginnings.findLastIndex(({ next }) => isAccepted(next));
  return beginnings.slice(last + 1).filter((turn) => isRefused(turn.next, evidence) && waitedMs(turn) >= leastMs)
    .length;
}

/**
 * Experiments that find out why an account was refused although its requests had room: a limit stricter than declared,
 * another client of its key, or chance.
 */

import { probe } from '../../catalogue/probe';
import { LITTLE_MS, longestHonestSeconds } from '../../contract/bounds';
import type { Evidence } from '../../evidence/model';
import { isAccepted, isRefused } from '../../evidence/responder/classify';
import { whileServing } from '../../evidence/responder/serving';
import { asksBeyondWindow, beginningsOf, ownOf, turnsOf } from '../../evidence/time/gaps';
import {
  areWindowsSeen,
  isStricter,
  longerWindowSeconds,
  oddSingles,
  seemingWindowSeconds,
} from '../../limiter/stricter';
import { type World, worldsLeft } from '../../limiter/worlds';
import { MARGIN_MS } from '../../recorder/pace';
import type { Recorder } from '../../recorder/recorder';
import { DENSE, read, SHORT_WINDOW_MS } from '../requests';

const APART_TRIALS = 3;
const MOST_APART_TRIALS = 6;
/** How often others are read a window after they were. */
const MOST_BESIDE = 3;
/** An account that was turned away at least this often since it was last accepted is not read densely. */
const MOST_LOST = 2;
/** The trial of the dense reads: after all others of their group. */
const DENSE_TRIAL = MOST_APART_TRIALS + 3;
/** The reads a window and a little apart, and the trial that they are of. */
const ROW = 8;
const ROW_TRIAL = DENSE_TRIAL + 1;
/** The trial of a read after a whole budget. */
const WHOLE_TRIAL = ROW_TRIAL + 1;
const MOST_WHOLE = 6;
/** So many of them at most where none was refused. */
const MOST_UNREFUSED = 4;

/** An account that was refused although its requests had room, and what was seen since. */
interface Asked {
  recorder: Recorder;
  account: string;
  /** The accounts that the first pair is sent to as well: a longer limit refuses all of them. */
  others: readonly string[];
  /** Whether a refusal came before the request that was refused: then one comes before the second read of a pair too. */
  isAfterRefusal: boolean;
  wasAskedBeside: boolean;
  /** Whether dense reads met three moments when budget came back. A limiter that counts refused requests shows none. */
  isSeen: boolean;
}

/** One way to find out why requests that had room are refused. It is due while two of the causes it tells apart are left. */
interface RefusalExperiment {
  tellsApart: readonly World[];
  /** What it costs at most, in windows. The cheaper go first. */
  windows: number;
  isDue: (asked: Asked) => boolean;
  conduct: (asked: Asked) => Promise<void>;
}

/** The cheaper first. */
const REFUSAL_EXPERIMENTS: readonly RefusalExperiment[] = [
  {
    tellsApart: ['a longer limit', 'another client'],
    windows: 1 + MOST_BESIDE,
    isDue: ({ others }) => others.length > 0,
    conduct: readSideBySide,
  },
  {
    tellsApart: ['a longer limit', 'another client', 'chance'],
    windows: ROW,
    // Where several requests fit into a window, single reads show nothing.
    isDue: ({ recorder }) => recorder.target.rate.requests === 1,
    conduct: readInARow,
  },
  {
    tellsApart: ['a longer limit', 'another client'],
    windows: 10,
    isDue: (asked) => asked.recorder.target.rate.requests === 1 && refusalsOf(asked) > 0 && !isLost(asked),
    conduct: readDensely,
  },
  {
    tellsApart: ['a longer limit', 'another client', 'chance'],
    windows: 4 * MOST_APART_TRIALS,
    isDue: (asked) => refusalsOf(asked) > 0,
    conduct: readInPairs,
  },
];

/** What the search for the cause costs at most, in windows. */
export const SEARCH_WINDOWS = REFUSAL_EXPERIMENTS.reduce((sum, { windows }) => sum + windows, 0);

/**
 * Tries, the cheapest experiment first, why an account was refused although its requests had room.
 * @param others accounts that get the first pair of reads too
 */
export async function findWhyRefused(recorder: Recorder, account: string, others: readonly string[]): Promise<void> {
  if (worldsLeft(evidenceOf(recorder), account).size < 2) return;
  recorder.pace.share();
  const isAfterRefusal = wasRefusedBefore(recorder, account);
  const asked: Asked = { recorder, account, others, isAfterRefusal, wasAskedBeside: false, isSeen: false };
  for (const experiment of REFUSAL_EXPERIMENTS)
    if (isOpen(experiment, asked) && experiment.isDue(asked)) await experiment.conduct(asked);
}

/** Whether several of the causes that an experiment tells apart are left. */
function isOpen({ tellsApart }: RefusalExperiment, { recorder, account }: Asked): boolean {
  const left = worldsLeft(evidenceOf(recorder), account);
  return tellsApart.filter((cause) => left.has(cause)).length > 1;
}

function refusalsOf({ recorder, account }: Asked): number {
  return oddSingles(evidenceOf(recorder), account).length;
}

/**
 * Sends reads for each account, all accounts at the same moments, a window and a little apart, until one more than this
 * account is refused. It is left out while it has to wait longer: the others show how soon the limiter lets them in.
 */
async function readSideBySide(asked: Asked): Promise<void> {
  const { pace } = asked.recorder;
  const accounts = [asked.account, ...asked.others];
  asked.wasAskedBeside = true;
  const readOf = (account: string) => read(account, probe('apart', { account, trial: 1 }));
  const freshAtMs = (names: readonly string[]) => Math.max(...names.map((account) => pace.freshAtMs(account)));
  const isTelling = () => worldsLeft(evidenceOf(asked.recorder), asked.account).has('another client');
  await pace.turn(asked.account, async () => {
    await asked.recorder.burst(accounts.map(readOf), { atMs: freshAtMs(accounts) + LITTLE_MS });
    for (let i = 0; i < MOST_BESIDE && isTelling(); i += 1) {
      const atMs = freshAtMs(asked.others) + LITTLE_MS;
      const readers = accounts.filter((account) => freshAtMs([account]) <= atMs);
      await asked.recorder.burst(readers.map(readOf), { atMs });
    }
  });
}

/**
 * Sends reads a window and a little apart until two were refused. Windows somewhat longer than declared refuse one of
 * them now and then, wherever they begin.
 */
async function readInARow(asked: Asked): Promise<void> {
  const { recorder, account } = asked;
  const { pace } = recorder;
  const request = read(account, probe('apart', { account, trial: ROW_TRIAL }));
  await pace.turn(account, async () => {
    for (let sent = 0; sent < ROW && refusalsOf(asked) < 2; sent += 1)
      if (!(await recorder.send(request, { atMs: pace.freshAtMs(account) + LITTLE_MS }))) return;
  });
}

/**
 * Reads for each of some accounts at the same moments, a window and a little apart, until that shows that windows are not twice
 * as long as declared: trials may be too far apart for it. A longer limit refuses all of them, another client only its key's.
 */
export async function askHardlyApart(recorder: Recorder, accounts: readonly string[]): Promise<void> {
  const { pace, target } = recorder;
  const row = accounts.map((account) => read(account, probe('apart', { account, trial: ROW_TRIAL })));
  const isKnown = () => {
    const evidence = evidenceOf(recorder);
    const isOdd = accounts.some((account) => oddSingles(evidence, account).length > 1);
    return isOdd || areWindowsSeen(evidence) || isStricter(evidence);
  };
  for (let sent = 0; target.rate.requests === 1 && sent < ROW && !recorder.givenUp && !isKnown(); sent += 1)
    await recorder.burst(row, { atMs: Math.max(...accounts.map((account) => pace.freshAtMs(account))) + LITTLE_MS });
}

/** Sends pairs until the reason is known. After a first read was refused, the next pairs begin after a silence. */
async function readInPairs(asked: Asked): Promise<void> {
  const { recorder, account } = asked;
  const mayBeAnother = worldsLeft(evidenceOf(recorder), account).has('another client');
  let isAfterSilence = recorder.target.rate.requests === 1 && mayBeAnother && !asked.isSeen;
  // A window twice as long as declared ends between the reads of every second pair. Without silence, two pairs meet it.
  const trials = isAfterSilence ? APART_TRIALS : APART_TRIALS - 1;
  const isDue = (trial: number) => trial <= trials || (trial <= MOST_APART_TRIALS && refusalsOf(asked) === 1);
  for (let trial = asked.wasAskedBeside ? 2 : 1; isDue(trial); trial += 1) {
    if (worldsLeft(evidenceOf(recorder), account).size < 2 || recorder.givenUp) return;
    const wasRefused = await sendPair(asked, trial, isAfterSilence);
    if (wasRefused && isAfterSilence) return;
    isAfterSilence ||= wasRefused;
  }
}

/**
 * Sends two reads, the second only where the first was accepted.
 * @param isAfterSilence whether they come after a silence longer than any limiter of the rate remembers
 * @returns whether the first was not accepted: after a silence, only another client explains that
 */
async function sendPair(asked: Asked, trial: number, isAfterSilence: boolean): Promise<boolean> {
  const { recorder, account } = asked;
  const { pace, target } = recorder;
  const request = read(account, probe('apart', { account, trial }));
  return pace.turn(account, async () => {
    const lastMs = ownOf(evidenceOf(recorder), account).at(-1)?.receivedAtMs ?? 0;
    const silenceMs = longestHonestSeconds(target.rate) * 1000 + LITTLE_MS + MARGIN_MS;
    await pace.until(Math.max(pace.freshAtMs(account) + LITTLE_MS, isAfterSilence ? lastMs + silenceMs : 0));
    const first = await recorder.send(request);
    if (first === null || !isAccepted(first)) return first !== null;
    for (let i = 0; asked.isAfterRefusal && i < target.rate.requests; i += 1) await recorder.send(request);
    await recorder.send(request, { atMs: pace.freshAtMs(account) + LITTLE_MS });
    return false;
  });
}

/** Whether an account was refused several times since it was last accepted: it may never recover. */
function isLost({ recorder, account }: Asked): boolean {
  const evidence = evidenceOf(recorder);
  const beginnings = beginningsOf(evidence, account);
  const last = beginnings.findLastIndex(({ next }) => isAccepted(next));
  return beginnings.length - last > MOST_LOST;
}

/**
 * Sends reads so close together that one meets each moment at which budget comes back. Under a stricter limit, these
 * moments are more than a window apart.
 */
async function readDensely(asked: Asked): Promise<void> {
  const { recorder, account } = asked;
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
  asked.isSeen = accepted === 3;
}

/** Whether a refusal asked an account to wait longer than a window: a stricter limit does. */
export function isAskedLong(recorder: Recorder, account: string): boolean {
  const evidence = evidenceOf(recorder);
  return ownOf(evidence, account).some((exchange) => asksBeyondWindow(exchange, evidence));
}

/** The evidence that judges use, without bans and outages: these do not show another client. */
function evidenceOf(recorder: Recorder): Evidence {
  return whileServing(recorder.evidence());
}

/** Whether the last request that was refused although it kept its distance came after a refusal. */
function wasRefusedBefore(recorder: Recorder, account: string): boolean {
  const evidence = evidenceOf(recorder);
  const last = oddSingles(evidence, account).at(-1)?.exchange;
  const turn = turnsOf(evidence, account).find(({ next }) => next === last);
  return turn?.before.some((exchange) => isRefused(exchange, evidence)) ?? false;
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
  const isShort = pace.windowMs <= SHORT_WINDOW_MS;
  // Where longer windows explain all that was seen, a boundary of theirs may fall between; elsewhere one trial shows. Long
  // windows are waited for only where something was refused.
  const mayBeLonger = (trial: number) =>
    isShort
      ? trial < MOST_UNREFUSED && longerWindowSeconds(evidenceOf(recorder)) !== null
      : seemingWindowSeconds(evidenceOf(recorder)) !== null;
  const isWorthwhile = (trial: number) => (trial === 0 && isShort) || refused > 0 || mayBeLonger(trial);
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

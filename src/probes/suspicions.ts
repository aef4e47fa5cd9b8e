/** Looks that are taken only where a suspicion has come up, with nothing else going on. */
import { LITTLE_MS, longestHonestSeconds } from '../contract/bounds';
import type { Evidence } from '../evidence/exchange';
import { usualLatencyMs } from '../evidence/held-back';
import { meetingsOf } from '../evidence/meetings';
import { isAccepted, isRefused } from '../evidence/outcome';
import { probe } from '../evidence/probe';
import { whileServing } from '../evidence/service';
import { refusedAlone, refusedThoughSilent, spacedOf } from '../evidence/spaced';
import { isRefusedRegularly, refusedTooOften } from '../evidence/stricter';
import { asksBeyondWindow, beginningsOf, ownOf, turnsOf, waitedMs } from '../evidence/turns';
import { mayBeUsedElsewhere, usedElsewhere } from '../evidence/used-elsewhere';
import { MARGIN_MS } from '../recorder/pace';
import type { Recorder } from '../recorder/recorder';
import { burstSize } from '../target/target';
import { DENSE, read, shiftOf } from './requests';
import type { Spacing } from './spacing';

const APART_LOOKS = 3;
const MOST_APART_LOOKS = 6;
const NEIGHBOUR_LOOKS = 3;
/** An account that was refused more often than this since it was accepted last is not looked at densely. */
const MOST_LOST = 2;
/**
 * Reads that meet a free moment of a key that somebody else uses often, and how far apart they are, in windows: first
 * close together; then more than a window apart, as refused ones may count.
 */
const SPREADS = [DENSE, { reads: 6, windows: 1.15 }];
/** The number of the look with reads close together: after all others of its group. */
const DENSE_LOOK = MOST_APART_LOOKS + SPREADS.length + 1;

/**
 * Where a request was refused though it kept its distance: two reads a window and a little apart, again and again,
 * until that has been seen often enough. All accounts are asked so at first: a stricter limit refuses all of them. What was
 * refused after a refusal is asked after one again. Where the first read was refused, the account is silent for longer than
 * any limiter of this rate remembers before the next, so that another refusal is somebody else's doing.
 * @param others accounts that are asked besides at first
 */
export async function lookApart(recorder: Recorder, account: string, others: readonly string[]): Promise<void> {
  const { pace, target } = recorder;
  const silenceMs = longestHonestSeconds(target.rate) * 1000 + LITTLE_MS + MARGIN_MS;
  const isTold = () =>
    usedElsewhere(evidenceOf(recorder)).has(account) ||
    (isOtherRefused(recorder, account) && refusedTooOften(evidenceOf(recorder)).size > 0);
  if (isTold()) return;
  pace.share();
  const isAfterRefusal = wasRefusedBefore(recorder, account);
  const isAskedBeside = others.length > 0 && !isOtherRefused(recorder, account);
  if (isAskedBeside) await askSideBySide(recorder, [account, ...others]);
  const areOthersRefused = isOtherRefused(recorder, account);
  const mayBeSeen = !areOthersRefused && target.rate.requests === 1;
  const isSeen = mayBeSeen && !isLost(evidenceOf(recorder), account) && (await lookDensely(recorder, account));
  let needsSilence = mayBeSeen && !isSeen;
  let isRefusedAfterSilence = false;
  const refused = () => refusedAlone(evidenceOf(recorder), account).length;
  // A window twice as long as declared ends in between every other time. Without silence between them, four reads meet it.
  const looks = needsSilence ? APART_LOOKS : APART_LOOKS - 1;
  for (let look = isAskedBeside ? 2 : 1; look <= looks || (look <= MOST_APART_LOOKS && refused() === 1); look += 1) {
    if (isTold() || recorder.givenUp || isRefusedAfterSilence) return;
    await pace.turn(account, async () => {
      const last = ownOf(evidenceOf(recorder), account).at(-1);
      const silentMs = needsSilence ? (last?.receivedAtMs ?? 0) + silenceMs : 0;
      await pace.until(Math.max(pace.freshAtMs(account) + LITTLE_MS, silentMs));
      const request = read(account, probe('apart', { account, look }));
      const first = await recorder.send(request);
      const isFirstRefused = first !== null && !isAccepted(first);
      isRefusedAfterSilence = needsSilence && isFirstRefused;
      needsSilence ||= isFirstRefused;
      if (!first || isFirstRefused) return;
      for (let i = 0; isAfterRefusal && i < target.rate.requests; i += 1) await recorder.send(request);
      await recorder.send(request, { atMs: pace.freshAtMs(account) + LITTLE_MS });
    });
  }
}

/** Whether an account was refused again and again since it was accepted last: it may never be again. */
function isLost(evidence: Evidence, account: string): boolean {
  const beginnings = beginningsOf(evidence, account);
  const last = beginnings.findLastIndex(({ next }) => isAccepted(next));
  return beginnings.length - last > MOST_LOST;
}

/**
 * Reads so close together that one meets each moment at which budget comes back. Under a stricter limit than declared, these
 * moments are more than a window apart.
 * @returns whether three such moments were seen; a limiter that counts refused requests never comes to one
 */
async function lookDensely(recorder: Recorder, account: string): Promise<boolean> {
  const { pace, target } = recorder;
  const stepMs = 2 * DENSE.windows * pace.windowMs;
  let accepted = 0;
  await pace.turn(account, async () => {
    await pace.until(pace.freshAtMs(account));
    const startMs = recorder.now();
    const endMs = () => startMs + (accepted === 0 ? 1.5 * pace.windowMs : 2 * longestHonestSeconds(target.rate) * 1000);
    for (let atMs = startMs; accepted < 3 && recorder.now() < endMs(); atMs = Math.max(atMs + stepMs, recorder.now())) {
      const exchange = await recorder.send(read(account, probe('apart', { account, look: DENSE_LOOK })), { atMs });
      if (!exchange) return;
      if (isAccepted(exchange)) accepted += 1;
    }
  });
  return accepted === 3;
}

/** Two reads of each account, a window and a little apart, all accounts at the same two moments. */
async function askSideBySide(recorder: Recorder, accounts: readonly string[]): Promise<void> {
  const { pace } = recorder;
  const reads = accounts.map((account) => read(account, probe('apart', { account, look: 1 })));
  await pace.turn(accounts[0] ?? '', async () => {
    for (let i = 0; i < 2; i += 1) {
      const freshMs = Math.max(...accounts.map((account) => pace.freshAtMs(account)));
      await recorder.burst(reads, { atMs: freshMs + LITTLE_MS });
    }
  });
}

/** Whether an account was refused with a wait that is longer than a window: a stricter limit asks for one. */
export function isAskedLong(recorder: Recorder, account: string): boolean {
  const evidence = evidenceOf(recorder);
  return ownOf(evidence, account).some((exchange) => asksBeyondWindow(exchange, evidence));
}

/** Whether another account was refused though it kept its distance: a stricter limit does that, and somebody else uses a single key. */
function isOtherRefused(recorder: Recorder, account: string): boolean {
  const evidence = evidenceOf(recorder);
  return recorder.target.accounts.some(
    ({ name }) => name !== account && spacedOf(evidence, name).some((exchange) => isRefused(exchange, evidence)),
  );
}

/** What the judges go by: a ban and an outage are nobody's use of a key. */
function evidenceOf(recorder: Recorder): Evidence {
  return whileServing(recorder.evidence());
}

/** Whether the last request that was refused though it kept its distance came after a refusal. */
function wasRefusedBefore(recorder: Recorder, account: string): boolean {
  const evidence = evidenceOf(recorder);
  const last = refusedAlone(evidence, account).at(-1);
  const turn = turnsOf(evidence, account).find(({ next }) => next === last);
  return turn?.before.some((exchange) => isRefused(exchange, evidence)) ?? false;
}

/**
 * Where an account was refused again and again though it kept its distance, and nobody has looked why: see `lookApart`;
 * then reads until one is accepted, which shows that somebody else uses its key, or so many that it never recovers.
 */
export async function lookForSomebodyElse(recorder: Recorder, account: string): Promise<void> {
  const { pace } = recorder;
  const isLookedAt = recorder.exchanges.some(
    (exchange) => exchange.probe.group === 'apart' && exchange.account === account,
  );
  const refused = refusedThoughSilent(evidenceOf(recorder), account);
  if (!isLookedAt && refused.length > 1 && !isRefusedRegularly(evidenceOf(recorder), account))
    await lookApart(recorder, account, []);
  if (isOtherRefused(recorder, account)) return;
  for (const [i, { reads, windows }] of SPREADS.entries()) {
    const evidence = evidenceOf(recorder);
    if (recorder.givenUp || usedElsewhere(evidence).has(account) || !mayBeUsedElsewhere(evidence, account)) return;
    const missing = windows > 1 ? reads - refusedAfter(windows * pace.windowMs, account, evidence) : reads;
    await pace.turn(account, async () => {
      const freshMs = Math.max(pace.freshAtMs(account), recorder.now()) + LITTLE_MS + MARGIN_MS / 2;
      for (let sent = 0; sent < missing; sent += 1) {
        const request = read(account, probe('apart', { account, look: MOST_APART_LOOKS + 1 + i }));
        const exchange = await recorder.send(request, { atMs: freshMs + sent * windows * pace.windowMs });
        if (!exchange || isAccepted(exchange)) return;
      }
    });
  }
}

/** How often an account was refused after such a wait, in milliseconds, since it was accepted last. */
function refusedAfter(leastMs: number, account: string, evidence: Evidence): number {
  const beginnings = beginningsOf(evidence, account);
  const last = beginnings.findLastIndex(({ next }) => isAccepted(next));
  return beginnings.slice(last + 1).filter((turn) => isRefused(turn.next, evidence) && waitedMs(turn) >= leastMs)
    .length;
}

/**
 * Where budgets seem shared: one account is used up, and another one asked.
 * @param asked the account to ask: the one that was refused beside others, if there is one
 * @returns whether one of the others was certainly the cause
 */
export async function lookAtNeighbours(
  recorder: Recorder,
  spacing: Spacing,
  open: readonly string[],
  asked: string | undefined,
): Promise<boolean> {
  if (asked === undefined) return false;
  // A stricter limit shows without a neighbour.
  if (isAskedLong(recorder, asked) && !(await isAcceptedAlone(recorder, spacing, asked, 1))) return false;
  for (const other of open.filter((account) => account !== asked)) {
    for (let look = 1; await isRefusedBeside(recorder, spacing, asked, other, look); look += 1) {
      if (look === NEIGHBOUR_LOOKS) return true;
      // An account that is refused without a neighbour too is not refused because of one.
      if (!(await isAcceptedAlone(recorder, spacing, asked, look))) return false;
    }
  }
  return false;
}

/**
 * Where the server refuses, but no account was asked while another one was refused, as on a machine that is too busy for it:
 * that is done now, with nothing else going on.
 */
export async function lookForMeeting(recorder: Recorder, spacing: Spacing, open: readonly string[]): Promise<void> {
  const [other = '', asked] = open;
  for (let tries = 0; asked !== undefined && tries < NEIGHBOUR_LOOKS && !recorder.givenUp; tries += 1) {
    const evidence = evidenceOf(recorder);
    const isLimited = evidence.exchanges.some((exchange) => isRefused(exchange, evidence));
    if (!isLimited || open.some((account) => meetingsOf(evidence, account).length > 0)) return;
    recorder.pace.share();
    await lookAtNeighbours(recorder, spacing, [other, asked], asked);
  }
}

async function isRefusedBeside(
  recorder: Recorder,
  spacing: Spacing,
  asked: string,
  other: string,
  look: number,
): Promise<boolean> {
  const { pace, target } = recorder;
  return pace.turn(asked, async () => {
    const freeAtMs = Math.max(spacing.freeAtMs(asked), spacing.freeAtMs(other)) + shiftOf(look) * pace.windowMs;
    const { requests } = target.rate;
    // A server that answers more slowly than its rate refuses only what comes at one moment.
    const isSlow = usualLatencyMs(recorder.evidence()) * requests > pace.windowMs / 2;
    const size = isSlow ? burstSize(target) : requests + 1;
    const reads = Array.from({ length: size }, () => read(other, probe('neighbour', { account: other, look })));
    await pace.until(freeAtMs);
    if (isSlow) await recorder.burst(reads, { atMs: freeAtMs });
    else for (const request of reads) await recorder.send(request);
    const exchange = await recorder.send(read(asked, probe('neighbour', { account: asked, look })));
    return exchange !== null && spacing.isOverLimit(exchange);
  });
}

/** Whether two reads a window and a little apart are accepted, as a stricter limit would not. */
async function isAcceptedAlone(recorder: Recorder, spacing: Spacing, asked: string, look: number): Promise<boolean> {
  const { pace } = recorder;
  return pace.turn(asked, async () => {
    for (let i = 0; i < 2; i += 1) {
      const request = read(asked, probe('neighbour', { account: asked, look }));
      const exchange = await recorder.send(request, { atMs: spacing.freeAtMs(asked) });
      if (exchange === null || !isAccepted(exchange)) return false;
    }
    return true;
  });
}

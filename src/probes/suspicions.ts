/** Looks that are taken only where a suspicion has come up, with nothing else going on. */
import { LITTLE_MS, longestHonestSeconds } from '../contract/bounds';
import { isAccepted, isRefused, isWhole } from '../evidence/outcome';
import { probe } from '../evidence/probe';
import { refusedAlone, spacedOf } from '../evidence/spaced';
import { ownOf } from '../evidence/turns';
import { mayBeUsedElsewhere, usedElsewhere } from '../evidence/used-elsewhere';
import { MARGIN_MS } from '../recorder/pace';
import type { Recorder } from '../recorder/recorder';
import { read } from './requests';
import type { Spacing } from './spacing';

const APART_LOOKS = 3;
const MOST_APART_LOOKS = 6;
const NEIGHBOUR_LOOKS = 2;
/** How often reads are spread, to meet a free moment of a key that somebody else uses often. */
const MOST_SPREADS = 3;
const READS_OF_A_SPREAD = 10;
/** How far apart, in windows: at first all over one; then more than one, since refused requests may count as well. */
const DENSE = 0.15;
const SPARSE = 1.15;

/**
 * Where a request was refused though it kept its distance: two reads a window and a little apart, again and again,
 * until that has been seen often enough. Where the first of them was refused, the account is silent for longer than any
 * limiter of this rate remembers before the next, so that another refusal is somebody else's doing.
 */
export async function lookApart(recorder: Recorder, account: string): Promise<void> {
  const { pace, target } = recorder;
  const silenceMs = longestHonestSeconds(target.rate) * 1000 + LITTLE_MS + MARGIN_MS;
  // A stricter limit refuses other accounts as well; a single one may be used by somebody else.
  const areOthersRefused = target.accounts.some(
    ({ name }) =>
      name !== account && spacedOf(recorder.evidence(), name).some((one) => isRefused(one, recorder.evidence())),
  );
  let needsSilence = !areOthersRefused && target.rate.requests === 1;
  const isTold = () =>
    usedElsewhere(recorder.evidence()).has(account) ||
    (areOthersRefused && refusedAlone(recorder.evidence(), account).length > 1);
  if (isTold()) return;
  pace.share();
  const refused = () =>
    recorder.exchanges.filter((one) => one.probe.group === 'apart' && !isAccepted(one) && isWhole(one)).length;
  // A window twice as long as declared ends in between every other time. Without silence between them, four reads meet it.
  const looks = needsSilence ? APART_LOOKS : APART_LOOKS - 1;
  for (let look = 1; look <= looks || (look <= MOST_APART_LOOKS && refused() === 1); look += 1) {
    if (isTold() || recorder.givenUp) return;
    await pace.turn(account, async () => {
      const last = ownOf(recorder.evidence(), account).at(-1);
      const silentMs = needsSilence ? (last?.receivedAtMs ?? 0) + silenceMs : 0;
      await pace.until(Math.max(pace.freshAtMs(account) + LITTLE_MS, silentMs));
      const request = read(account, probe('apart', { account, look }));
      const first = await recorder.send(request);
      const isFirstRefused = first !== null && !isAccepted(first);
      needsSilence ||= isFirstRefused;
      if (!first || isFirstRefused) return;
      await recorder.send(request, { atMs: first.receivedAtMs + pace.windowMs + LITTLE_MS + MARGIN_MS / 2 });
    });
  }
}

/**
 * Where an account was refused again and again though it kept its distance, and nobody has looked why: see `lookApart`;
 * then reads until one is accepted, which shows that somebody else uses its key, or so many that it never recovers.
 */
export async function lookForSomebodyElse(recorder: Recorder, account: string): Promise<void> {
  const { pace } = recorder;
  const isLookedAt = recorder.exchanges.some((one) => one.probe.group === 'apart' && one.account === account);
  if (!isLookedAt && refusedAlone(recorder.evidence(), account).length > 1) await lookApart(recorder, account);
  for (let look = 1; look <= MOST_SPREADS && !recorder.givenUp; look += 1) {
    const evidence = recorder.evidence();
    if (usedElsewhere(evidence).has(account) || !mayBeUsedElsewhere(evidence, account)) return;
    await pace.turn(account, async () => {
      const freshMs = Math.max(pace.freshAtMs(account), recorder.now()) + LITTLE_MS + MARGIN_MS / 2;
      for (let i = 0; i < READS_OF_A_SPREAD; i += 1) {
        const atMs = freshMs + i * (look === 1 ? DENSE : SPARSE) * pace.windowMs;
        const exchange = await recorder.send(read(account, probe('apart', { account, look })), { atMs });
        if (!exchange || isAccepted(exchange)) return;
      }
    });
  }
}

/**
 * Where budgets seem shared: one account is used up, and another one asked.
 * @returns whether one of the others was certainly the cause
 * @param asked the account to ask: the one that was refused beside others, if there is one
 */
export async function lookAtNeighbours(
  recorder: Recorder,
  spacing: Spacing,
  open: readonly string[],
  asked: string | undefined,
): Promise<boolean> {
  if (asked === undefined) return false;
  for (const other of open.filter((account) => account !== asked)) {
    for (let look = 1; look <= NEIGHBOUR_LOOKS; look += 1) {
      if (!(await isRefusedBeside(recorder, spacing, asked, other, look))) break;
      if (look === NEIGHBOUR_LOOKS) return true;
    }
  }
  return false;
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
    await pace.until(Math.max(spacing.freeAtMs(asked), spacing.freeAtMs(other)));
    for (let i = 0; i <= target.rate.requests; i += 1) {
      await recorder.send(read(other, probe('neighbour', { account: other, look })));
    }
    const exchange = await recorder.send(read(asked, probe('neighbour', { account: asked, look })));
    return exchange !== null && spacing.isOverLimit(exchange);
  });
}

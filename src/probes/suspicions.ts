/** Looks that are taken only where a suspicion has come up, with nothing else going on. */
import { isAccepted } from '../evidence/outcome';
import { probe } from '../evidence/probe';
import { MARGIN_MS } from '../recorder/pace';
import type { Recorder } from '../recorder/recorder';
import { read } from './requests';
import type { Spacing } from './spacing';

const APART_LOOKS = 3;
const MOST_APART_LOOKS = 6;
const NEIGHBOUR_LOOKS = 2;

/** Where a request was refused though it kept its distance: two reads just a window apart, again and again. */
export async function lookApart(recorder: Recorder, spacing: Spacing, account: string): Promise<void> {
  const { pace } = recorder;
  pace.share();
  const refused = () =>
    recorder.exchanges.filter((exchange) => exchange.probe.group === 'apart' && spacing.isOverLimit(exchange)).length;
  // A window twice as long as declared ends in between every other time.
  for (let look = 1; look <= APART_LOOKS || (look <= MOST_APART_LOOKS && refused() === 1); look += 1) {
    if (refused() > 1) return;
    await pace.turn(account, async () => {
      await pace.until(spacing.freeAtMs(account) + pace.windowMs);
      const request = read(account, probe('apart', { account, look }));
      const first = await recorder.send(request);
      if (!first || !isAccepted(first)) return;
      await recorder.send(request, { atMs: first.receivedAtMs + pace.windowMs + MARGIN_MS });
    });
  }
}

/**
 * Where budgets seem shared: one account is used up, and another one asked.
 * @param asked the account to ask: the one that was refused beside others, if there is one
 */
export async function lookAtNeighbours(
  recorder: Recorder,
  spacing: Spacing,
  open: readonly string[],
  asked: string | undefined,
): Promise<void> {
  if (asked === undefined) return;
  for (const other of open.filter((account) => account !== asked)) {
    for (let look = 1; look <= NEIGHBOUR_LOOKS; look += 1) {
      if (!(await isRefusedBeside(recorder, spacing, asked, other, look))) break;
      if (look === NEIGHBOUR_LOOKS) return;
    }
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
    await pace.until(Math.max(spacing.freeAtMs(asked), spacing.freeAtMs(other)));
    for (let i = 0; i <= target.rate.requests; i += 1) {
      await recorder.send(read(other, probe('neighbour', { account: other, look })));
    }
    const exchange = await recorder.send(read(asked, probe('neighbour', { account: asked, look })));
    return exchange !== null && spacing.isOverLimit(exchange);
  });
}

/** Checks that the times of a run rise, and fit into its duration. */
import type { RunFigures } from '../../evidence/har/write';
import type { Evidence, Exchange } from '../../evidence/model';
import { compact } from '../../report/format';

/** The duration comes from the wall clock, which may be set during a run. */
export const CLOCK_MS = 2000;

export function timeProblems(evidence: Evidence, { durationMs, waitedMs }: RunFigures): string[] {
  const { exchanges } = evidence;
  if (exchanges.length === 0) return [];
  const firstMs = Math.min(...exchanges.map(({ sentAtMs }) => sentAtMs));
  const tookMs = Math.max(...exchanges.map(({ receivedAtMs }) => receivedAtMs)) - firstMs;
  const leftMs = durationMs - busyMs(exchanges);
  return compact(
    ...orderProblems(evidence),
    firstMs < 0 && 'a request was sent before the run began',
    tookMs > durationMs + CLOCK_MS && `the exchanges take ${seconds(tookMs)}, the run ${seconds(durationMs)}`,
    waitedMs > leftMs + CLOCK_MS &&
      `the run waited ${seconds(waitedMs)}, but the exchanges leave ${seconds(leftMs)} for that`,
  );
}

/** A delivery is recorded at once, a whole answer after a wait that is the same for all, other answers at any time. */
function orderProblems({ exchanges, deliveries }: Evidence): string[] {
  const entries = [...exchanges, ...deliveries].sort((a, b) => a.index - b.index);
  let [lastWholeMs, lastMs] = [0, 0];
  const late = entries.filter((entry) => {
    const { receivedAtMs } = entry;
    const isDelivery = !('probe' in entry);
    const isWhole = !isDelivery && entry.fault === null && !entry.resent;
    const notBeforeMs = isDelivery ? lastMs : isWhole ? lastWholeMs : 0;
    if (isWhole) lastWholeMs = Math.max(lastWholeMs, receivedAtMs);
    lastMs = Math.max(lastMs, receivedAtMs);
    return receivedAtMs < notBeforeMs;
  });
  return late.map(({ index }) => `entry ${index} came before an entry that stands before it`);
}

/** Returns for how many milliseconds at least one request was under way. */
function busyMs(exchanges: readonly Exchange[]): number {
  let busy = 0;
  let untilMs = Number.NEGATIVE_INFINITY;
  for (const { sentAtMs, receivedAtMs } of exchanges.toSorted((a, b) => a.sentAtMs - b.sentAtMs)) {
    busy += Math.max(0, receivedAtMs - Math.max(sentAtMs, untilMs));
    untilMs = Math.max(untilMs, receivedAtMs);
  }
  return busy;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

/** What each window of the rate limit is for that a run goes through, read from its evidence. */
import type { Evidence, Exchange } from '../../src/evidence/model';
import { seconds } from './table';

/**
 * A row for each window of an account that was asked in, with the groups of its probes and how long it was waited for.
 */
export function windowRows(evidence: Evidence): string[][] {
  const windowMs = evidence.target.rate.seconds * 1000;
  const keyed = evidence.exchanges.filter(({ account }) => account !== null).sort((a, b) => a.sentAtMs - b.sentAtMs);
  const windows: Exchange[][] = [];
  let last: Exchange[] = [];
  for (const exchange of keyed) {
    // An account's own windows begin with its first request after a pause: accounts side by side share a row.
    const begins = last.length === 0 || exchange.sentAtMs - (last[0]?.sentAtMs ?? 0) >= windowMs;
    if (begins) windows.push([]);
    last = windows.at(-1) ?? [];
    last.push(exchange);
  }
  return windows.map((window, i) => {
    const groups = new Map<string, number>();
    for (const { probe } of window) groups.set(probe.group, (groups.get(probe.group) ?? 0) + 1);
    const fromMs = window[0]?.sentAtMs ?? 0;
    const untilMs = Math.max(...window.map(({ receivedAtMs }) => receivedAtMs));
    const accounts = new Set(window.map(({ account }) => account)).size;
    const purposes = [...groups].map(([group, count]) => `${group} ×${count}`).join(', ');
    return [String(i + 1), seconds(fromMs), seconds(untilMs), String(accounts), purposes];
  });
}

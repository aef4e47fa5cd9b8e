/**
 * What runs wait for, on a simulated clock and over a simulated network: nothing but waiting takes time there, so the
 * figures depend on no machine.
 */

import { LOOPBACK } from '../../fixtures/in-memory';
import type { Evidence, Exchange, Rate } from '../../src/evidence/model';
import { type InProcessRun, idsOf, runInMemory } from '../matrix/in-process';
import { accountsOf, type BrokenServer, brokenServers, limitedTo } from './servers';
import { printTable, seconds } from './table';

const LIMITS = { timeoutSeconds: 10, bodyBytes: 2 * 1024 * 1024, runSeconds: 600 };
const PUBLISHED: Rate = { requests: 1, seconds: 1 };
const OTHER_RATES: readonly Rate[] = [
  { requests: 3, seconds: 1 },
  { requests: 10, seconds: 1 },
  { requests: 1, seconds: 2 },
  { requests: 60, seconds: 60 },
];
/** Each server is met at so many moments of its windows. */
const SEEDS = [1, 2, 3];
/** A shorter pause is the network's. */
const SHORTEST_WAIT_MS = 5;

/** A run, simulated; `seed` moves the moment at which it begins. */
export function simulatedRun(
  bends: BrokenServer['bends'],
  accounts: number,
  rate: Rate = PUBLISHED,
  seed = 1,
): Promise<InProcessRun> {
  const target = { rate, limits: LIMITS, notifications: null };
  return runInMemory(bends, { accounts: accountsOf(accounts), rate, target }, { ...LOOPBACK, seed });
}

/** @param words those broken servers whose names hold one of them; all, where there is none */
export async function benchWaits(words: readonly string[]): Promise<void> {
  const chosen = [{ name: 'a conformant server', bends: [] }, ...brokenServers].filter(
    ({ name }) => words.length === 0 || words.some((word) => name.includes(word)),
  );
  for (const accounts of [3, 1]) {
    const rows = [['server', 'declared', 'median', 'longest', 'requests', 'failed', 'what the median waits for']];
    for (const { name, bends } of chosen) rows.push(await rowOf(name, bends, accounts, PUBLISHED));
    if (chosen.some(({ bends }) => bends.length === 0))
      for (const rate of OTHER_RATES) {
        rows.push(await rowOf('a conformant server', [], accounts, rate));
        rows.push(await rowOf('no limiter at all', bendsOf('no limiter at all'), accounts, rate));
        const halved =
          rate.requests > 1
            ? { ...rate, requests: Math.ceil(rate.requests / 2) }
            : { ...rate, seconds: 2 * rate.seconds };
        rows.push(await rowOf('half the rate', limitedTo(halved), accounts, rate));
      }
    printTable(accounts === 1 ? 'With one account' : `With ${accounts} accounts`, rows);
  }
  if (words.length > 0) return;
  const { recorder } = await simulatedRun([], 3);
  printTable('What the windows of a conformant server are for, with 3 accounts', [
    ['window', 'from', 'until', 'accounts', 'probes with a valid key'],
    ...windowRows(recorder.evidence()),
  ]);
}

function bendsOf(name: string): BrokenServer['bends'] {
  return brokenServers.find((server) => server.name === name)?.bends ?? [];
}

async function rowOf(name: string, bends: BrokenServer['bends'], accounts: number, rate: Rate): Promise<string[]> {
  const runs: InProcessRun[] = [];
  for (const seed of SEEDS) runs.push(await simulatedRun(bends, accounts, rate, seed));
  runs.sort((a, b) => a.durationMs - b.durationMs);
  const median = runs[SEEDS.length >> 1] as InProcessRun;
  return [
    name,
    `${rate.requests} per ${rate.seconds} s`,
    seconds(median.durationMs),
    seconds(runs.at(-1)?.durationMs ?? 0),
    String(median.recorder.exchanges.length),
    String(idsOf(median, 'fail').length),
    waitsOf(median.recorder.exchanges),
  ];
}

/** The time in which nothing was under way, by the probe that ended it. */
function waitsOf(exchanges: readonly Exchange[]): string {
  const waits = new Map<string, number>();
  let answeredMs = 0;
  for (const exchange of [...exchanges].sort((a, b) => a.sentAtMs - b.sentAtMs)) {
    const waitedMs = exchange.sentAtMs - answeredMs;
    const { group } = exchange.probe;
    if (waitedMs > SHORTEST_WAIT_MS) waits.set(group, (waits.get(group) ?? 0) + waitedMs);
    answeredMs = Math.max(answeredMs, exchange.receivedAtMs);
  }
  return [...waits].map(([group, ms]) => `${group} ${seconds(ms)}`).join(', ');
}

/**
 * A row for each window of an account that was asked in, with the groups of its probes and how long it was waited for.
 */
function windowRows(evidence: Evidence): string[][] {
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

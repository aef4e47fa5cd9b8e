/** Whole runs of the suite's own probes against simulated limiters, over the network and the clock that the matrix simulates. */
import { type Dialect, dialects, type Fault, faults } from '../../../fixtures/catalogue';
import type { SimulatedNetwork } from '../../../fixtures/in-memory';
import { type InProcessRun, runInMemory } from '../../../scripts/matrix/in-process';
import type { Evidence, Rate } from '../../../src/evidence/model';
import { embeddedAccounts } from '../../../src/reference/account';
import type { Bend, Limiter, Ruling } from '../../../src/reference/behaviour';

/** A server in all that the API description leaves open. */
interface SimulatedServer {
  limiter: Limiter;
  /** How far its clock is ahead of ours. */
  clockAheadMs: number;
  /** When within each second `Date` is made anew; `null`: there is no `Date`. */
  dateMadeAtMs: number | null;
  reset: 'floor' | 'ceil' | 'round';
  retryAfter: 'seconds' | 'date rounded up' | 'date cut';
  carriage: 'all' | 'accepted' | 'refused';
  refusalStatus: number;
}

export interface Simulation {
  rate: Rate;
  server: SimulatedServer;
  network: SimulatedNetwork;
  accounts: number;
  startedAtEpochMs: number;
}

/** A whole run against a bent reference server. @param accounts how many it has, without a receiver; @param ids by default every clause */
export function runAgainstBent(
  bends: readonly Bend[],
  { accounts, ids, network }: { accounts?: number; ids?: readonly string[]; network?: SimulatedNetwork } = {},
): Promise<InProcessRun> {
  const some = accounts === undefined ? {} : { accounts: embeddedAccounts().slice(0, accounts) };
  return runInMemory(bends, some, network, ids);
}

/** The fault or dialect of the catalogue with this name. */
export function serverNamed(name: string): Fault | Dialect {
  const found = [...faults, ...dialects].find((server) => server.name === name);
  if (!found) throw new Error(`There is no server ${name}.`);
  return found;
}

const LIMITS = { timeoutSeconds: 3600, bodyBytes: 10_000, burst: null, runSeconds: 600 };

/** Sends what the clauses need, and gives what came of it. */
export async function simulated(simulation: Simulation, ids: readonly string[]): Promise<Evidence> {
  const { rate, server, network, startedAtEpochMs } = simulation;
  const declared = embeddedAccounts().slice(0, simulation.accounts);
  const accounts = declared.map(({ name, apiKey }) => ({ name, apiKey }));
  const target = { accounts, rate, limits: LIMITS, notifications: null };
  const options = { rate, accounts: declared, target };
  const { recorder } = await runInMemory([bendOf(server)], options, { ...network, startedAtEpochMs }, ids);
  return recorder.evidence();
}

/** The reference server, made into a simulated one. */
function bendOf({
  limiter,
  clockAheadMs,
  dateMadeAtMs,
  reset,
  retryAfter,
  carriage,
  refusalStatus,
}: SimulatedServer): Bend {
  const waits = {
    seconds: ({ retryAtMs }: Ruling, nowMs: number) => String(Math.ceil((retryAtMs - nowMs) / 1000)),
    'date rounded up': ({ retryAtMs }: Ruling) => new Date(Math.ceil(retryAtMs / 1000) * 1000).toUTCString(),
    'date cut': ({ retryAtMs }: Ruling) => new Date(retryAtMs).toUTCString(),
  };
  return {
    name: 'simulated',
    bend: ({ clock }) => ({
      clock: () => clock() + clockAheadMs,
      limiter,
      refusal: () => ({ status: refusalStatus, headers: [], body: '' }),
      reset: ({ resetAtMs }) => String(Math[reset](resetAtMs / 1000)),
      retryAfter: waits[retryAfter],
      carry: (lines, { accepted }) =>
        carriage === 'all' || (carriage === 'accepted') === accepted
          ? lines
          : lines.filter(([name]) => name === 'Retry-After'),
      date: (nowMs) =>
        dateMadeAtMs === null
          ? null
          : new Date(Math.floor((nowMs - dateMadeAtMs) / 1000) * 1000 + dateMadeAtMs).toUTCString(),
    }),
  };
}

/** Whole runs of the suite's own probes against simulated servers, over the network and the clock that the matrix simulates. */
import { type Dialect, dialects, type Fault, faults } from '../../../fixtures/catalogue';
import type { SimulatedNetwork } from '../../../fixtures/in-memory';
import { type InProcessRun, runInMemory } from '../../../scripts/matrix/in-process';
import { embeddedAccounts } from '../../../src/reference/account';
import type { Bend } from '../../../src/reference/behaviour';

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

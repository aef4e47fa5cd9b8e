import type { Exchange } from '../../evidence/exchange';
import { type Group, nameOf } from '../../evidence/probe';

/** The looks of some groups: the exchanges of each, in the order given. */
export function lookedAgain(exchanges: readonly Exchange[], groups: readonly Group[]): Exchange[][] {
  const looks = new Map<string, Exchange[]>();
  for (const exchange of exchanges) {
    if (!groups.includes(exchange.probe.group)) continue;
    const name = nameOf(exchange.probe);
    looks.set(name, [...(looks.get(name) ?? []), exchange]);
  }
  return [...looks.values()];
}

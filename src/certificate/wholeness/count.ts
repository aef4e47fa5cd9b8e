/** Whether anything is missing from what is numbered: connections, and looks at the server. */

import { groupedBy } from '../../common/grouped';
import type { Evidence, Exchange } from '../../evidence/exchange';
import { exchangesOf } from '../../evidence/groups';
import { needsAnotherLook } from '../../evidence/looks';
import { isAccepted } from '../../evidence/outcome';
import { type Group, nameOf } from '../../evidence/probe';

const LOOKED: readonly Group[] = ['sequence', 'concurrent', 'recovery', 'paths', 'together', 'keyless'];
const LIMITER: readonly Group[] = ['sequence', 'concurrent', 'paths'];
const MOST_LOOKS = 3;
/** What may go over a connection that was used before. */
const REUSING: readonly Group[] = ['read', 'session', 'header-case', 'sequence'];

export function countProblems(evidence: Evidence): string[] {
  return [
    ...connectionProblems(evidence),
    ...repeatedReads(evidence),
    ...lookProblems(evidence),
    ...lookAgainProblems(evidence),
  ];
}

/** Connections are numbered from 1, and most are used once. */
function connectionProblems(evidence: Evidence): string[] {
  const byConnection = groupedBy(evidence.exchanges, ({ connection }) => connection);
  const last = Math.max(0, ...byConnection.keys());
  const unused = last - byConnection.size;
  // A connection that was prepared is not used where the server was given up meanwhile, or rejected the first read.
  const explained =
    evidence.notSent.length + exchangesOf(evidence, 'read').filter((exchange) => !isAccepted(exchange)).length;
  const shared = [...byConnection].filter(
    ([, used]) => used.length > 1 && !used.every(({ probe }) => REUSING.includes(probe.group)),
  );
  const gap = `${Math.abs(unused)} of ${last} connections carry no exchange: exchanges were taken away or renumbered`;
  return [
    ...(unused > explained || unused < 0 ? [gap] : []),
    ...[...byConnection.values()].flatMap(overlaps),
    ...shared.map(([number, used]) => {
      const entries = used.map(({ index }) => index).join(', ');
      return `entries ${entries} share connection ${number}, but go over one each`;
    }),
  ];
}

/** Over one connection a request follows the answer before it. */
function overlaps(used: readonly Exchange[]): string[] {
  return used.flatMap((exchange, i) =>
    exchange.sentAtMs < (used[i - 1]?.receivedAtMs ?? 0)
      ? [`entry ${exchange.index} was sent before the answer to the one before it on its connection`]
      : [],
  );
}

/** A first read is repeated until it is accepted, and not after that. */
function repeatedReads(evidence: Evidence): string[] {
  const accepted = new Set<string | null>();
  return exchangesOf(evidence, 'read').flatMap((exchange) => {
    const isRepeated = accepted.has(exchange.account);
    if (isAccepted(exchange)) accepted.add(exchange.account);
    return isRepeated ? [`entry ${exchange.index} repeats ${nameOf(exchange.probe)}, which was accepted before`] : [];
  });
}

/** Looks at the same thing are numbered from 1. */
function lookProblems({ exchanges, notSent }: Evidence): string[] {
  const probes = [...exchanges, ...notSent].map(({ probe }) => probe).filter(({ group }) => LOOKED.includes(group));
  const names = new Set(probes.map(nameOf));
  const missing = probes
    .filter(({ look }) => look > 1)
    .map((probe) => nameOf({ ...probe, look: probe.look - 1 }))
    .filter((name) => !names.has(name));
  return [...new Set(missing)].map((name) => `${name} is missing, though a later look is there`);
}

/** What can be chance is looked at again. */
function lookAgainProblems(evidence: Evidence): string[] {
  // Who gave up did not look again.
  if (evidence.notSent.some(({ probe }) => probe.group !== 'recovery')) return [];
  return evidence.target.accounts.flatMap(({ name }) =>
    LIMITER.flatMap((group) => {
      const looks = exchangesOf(evidence, group).filter(({ probe }) => probe.account === name);
      const last = Math.max(0, ...looks.map(({ probe }) => probe.look));
      return last > 0 && last < MOST_LOOKS && needsAnotherLook(evidence, group, name)
        ? [`look ${last + 1} of ${group}/${name} is missing: what the looks before show has to be seen again`]
        : [];
    }),
  );
}

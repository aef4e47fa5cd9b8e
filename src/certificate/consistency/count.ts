/** Finds gaps in what is numbered: connections and trials. */
import { catalogue, groupAs, groupsWhere } from '../../catalogue/catalogue';
import { hasRole, nameOf, type Probe, sendingOf } from '../../catalogue/probe';
import { groupedBy } from '../../common/grouped';
import type { Evidence } from '../../evidence/model';
import { isAccepted } from '../../evidence/responder/classify';
import { whileServing } from '../../evidence/responder/outages';
import { exchangesAs, exchangesOf } from '../../evidence/select';
import { needsAnotherTrial } from '../../rate-limit/another-trial';
import { refusedTooOften } from '../../rate-limit/causes';
import { areNeighboursTried } from '../../rate-limit/shared-budgets';
import { trialsOf } from '../../rate-limit/trials';
import { isCharged, isUnsure, MOST_UNSURE, mayRepeat, repeatedReads } from '../../rate-limit/wrong-key-trials';

export function countProblems(evidence: Evidence): string[] {
  const finds = [connectionProblems, needlessReads, trialProblems, missingTrialProblems, missingReadProblems];
  return finds.flatMap((find) => find(evidence));
}

/** Connections are numbered from 1, and most are used once. */
function connectionProblems(evidence: Evidence): string[] {
  const byConnection = groupedBy(evidence.exchanges, ({ connection }) => connection);
  const last = Math.max(0, ...byConnection.keys());
  const unused = last - byConnection.size;
  // A prepared connection stays unused where its request was not sent, or the first read was not accepted; that has two.
  const isFirst = (probe: Probe) => hasRole(probe, 'first-read');
  const unsent = evidence.notSent.flatMap(({ probe }) => (isFirst(probe) ? [probe, probe] : [probe]));
  const explained =
    unsent.filter(({ group }) => catalogue[group].mayReuse).length +
    exchangesAs(evidence, 'first-read').filter((exchange) => !isAccepted(exchange)).length;
  const gap = `${Math.abs(unused)} of ${last} connections carry no exchange: exchanges were taken away or renumbered`;
  const used = [...byConnection.values()];
  return [
    ...(unused > explained || unused < 0 ? [gap] : []),
    // On one connection, a request is sent after the answer to the previous one.
    ...used
      .flatMap((shared) => shared.filter(({ sentAtMs }, i) => sentAtMs < (shared[i - 1]?.receivedAtMs ?? 0)))
      .map(({ index }) => `entry ${index} was sent before the answer to the one before it on its connection`),
    ...used
      .filter((shared) => shared.length > 1 && !shared.every(({ probe }) => catalogue[probe.group].mayReuse))
      .map((shared) => {
        const entries = shared.map(({ index }) => index).join(', ');
        return `entries ${entries} share connection ${shared[0]?.connection}, but go over one each`;
      }),
  ];
}

/** A first read is repeated until it is accepted, and no longer. */
function needlessReads(evidence: Evidence): string[] {
  const accepted = new Set<string | null>();
  return exchangesAs(evidence, 'first-read').flatMap((exchange) => {
    const isRepeated = accepted.has(exchange.account);
    if (isAccepted(exchange)) accepted.add(exchange.account);
    return isRepeated ? [`entry ${exchange.index} repeats ${nameOf(exchange.probe)}, which was accepted before`] : [];
  });
}

/** Trials of one thing are numbered from 1. Those after floods are numbered for all accounts together. */
function trialProblems({ exchanges, notSent }: Evidence): string[] {
  const trials = [...exchanges, ...notSent]
    .map(({ probe }) => (hasRole(probe, 'after-flood') ? { ...probe, account: 'all' } : probe))
    .filter(({ group }) => catalogue[group].isNumbered);
  const names = new Set(trials.map(sendingOf));
  const before = trials
    .filter(({ trial }) => trial > 1)
    .map((probe) => sendingOf({ ...probe, trial: probe.trial - 1 }));
  return [...new Set(before)]
    .filter((name) => !names.has(name))
    .map((name) => `${name} is missing, though a later trial is there`);
}

/** If what was seen can be chance, there must be another trial, unless the server was given up. */
function missingTrialProblems(evidence: Evidence): string[] {
  if (evidence.notSent.some(({ probe }) => !catalogue[probe.group].mayBeNeedless)) return [];
  return evidence.target.accounts.flatMap(({ name }) =>
    groupsWhere(({ sent }) => sent === 'limit')
      .filter((group) => needsAnotherTrial(evidence, group, name))
      .map((group) => {
        const next = trialsOf(evidence, group, name).length + 1;
        return `trial ${next} of ${group}/${name} is missing: what those before show has to be seen again`;
      }),
  );
}

/**
 * Reads right after wrong keys are repeated until they tell whether these were charged. Where a limit is stricter than
 * declared, or accounts use up each other's budget, they are not.
 */
function missingReadProblems(evidence: Evidence): string[] {
  const known = whileServing(evidence);
  const after = groupAs('after-flood');
  const last = Math.max(0, ...exchangesOf(evidence, after).map(({ probe }) => probe.trial));
  const isOver = last > MOST_UNSURE || evidence.notSent.some(({ probe }) => !catalogue[probe.group].mayBeNeedless);
  const isExplained = areNeighboursTried(evidence) || refusedTooOften(evidence).size > 0;
  if (isOver || isExplained || !mayRepeat(known)) return [];
  const names = evidence.target.accounts.map(({ name }) => name);
  const isTurnedAway = (name: string) => repeatedReads(known, name).some((read) => isCharged(read, known));
  return names
    .filter((name) => isUnsure(known, name) && !isTurnedAway(name))
    .map((name) => `a read of ${name} after wrong keys is missing: what those before show has to be seen again`);
}

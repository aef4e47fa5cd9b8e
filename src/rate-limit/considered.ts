/** Which limiters were considered for a broken clause, and which decisions each of them cannot have taken. */

import type { Rate } from '../contract/bounds';
import type { Evidence, Exchange } from '../evidence/model';
import { isAccepted, isRefused, isWhole, letThrough } from '../evidence/responder/classify';
import { isTurnedAway } from '../evidence/responder/queueing';
import { exchangesOf } from '../evidence/select';
import { ownOf } from '../evidence/time/gaps';
import { otherClients } from './causes';
import { type Decision, decisionOf } from './decisions';
import { type Family, isExplained, refutationsBy } from './limiters';
import { explainingWindowSeconds } from './longer-limits';
import { chargedOf, refusedWithRoom } from './room';
import { encountersOf } from './shared-budgets';
import { refusedBelowLimit, toldTo } from './told-limit';
import { isOverRate, trialsOf } from './trials';

/** A limiter, and the exchanges that it cannot have decided together; `null` where it explains all. */
export interface Considered {
  /** `none`: nothing is limited. */
  family: Family | 'any' | 'none';
  rate: Rate;
  /** What is counted together. */
  scope: 'account' | 'path' | 'connection' | 'everybody' | 'keyless' | 'another-client';
  refutedBy: { exchanges: readonly Exchange[]; as: 'accepted' | 'refused' | 'counted' } | null;
}

/** The clauses whose verdicts are statements about limiters, each with the limiters that were considered for it. */
const CONSIDERED: Readonly<Record<string, (evidence: Evidence) => Considered[]>> = {
  'rate.enforced': (evidence) => ofAccepted('sequence', evidence),
  'rate.enforced-concurrent': (evidence) => ofAccepted('concurrent', evidence),
  'rate.limit-honest': ofToldLimits,
  'rate.not-stricter': ofSpaced,
  'rate.per-user': ofNeighbours,
  'rate.across-paths': ofPaths,
};

/** The clauses that another client of a key leaves open. */
const LEFT_OPEN = [
  'rate.not-stricter',
  'rate.limit-honest',
  'rate.remaining-honest',
  'rate.reset-honest',
  'rate.retry-after-honest',
  'rate.per-user',
];

/** @returns the limiters considered for a broken clause, the refuted ones first; empty for other clauses */
export function consideredFor(clause: string, evidence: Evidence): Considered[] {
  return CONSIDERED[clause]?.(evidence) ?? [];
}

/** @returns the limiters considered for a clause that is not tested because several remain; empty for other clauses */
export function remainingFor(clause: string, evidence: Evidence): Considered[] {
  if (clause === 'rate.keyless-free') return afterWrongKeys(evidence);
  return LEFT_OPEN.includes(clause) ? besideAnotherClient(evidence) : [];
}

/** The decisions about accepted requests with their exchanges. */
function decided(exchanges: readonly Exchange[]): Array<Decision & { exchange: Exchange }> {
  return exchanges.map((exchange) => ({ ...decisionOf(exchange), exchange }));
}

/** Each kind of limiter of a rate, with the accepted requests that it cannot all have accepted. */
function byFamily(accepted: readonly Exchange[], rate: Rate): Considered[] {
  return refutationsBy(decided(accepted), rate).map(({ family, decisions }) => ({
    family,
    rate,
    scope: 'account',
    refutedBy: decisions && { exchanges: inOrder(decisions.map(({ exchange }) => exchange)), as: 'accepted' },
  }));
}

function inOrder(exchanges: readonly Exchange[]): Exchange[] {
  return exchanges.toSorted((a, b) => a.index - b.index);
}

function ofAccepted(group: 'sequence' | 'concurrent', evidence: Evidence): Considered[] {
  const { rate, accounts } = evidence.target;
  const account = accounts.find(({ name }) => isOverRate(trialsOf(evidence, group, name), evidence, name))?.name;
  if (account === undefined) return [];
  const trials = trialsOf(evidence, group, account).flat();
  const accepted = letThrough(trials, evidence);
  const refuted = byFamily(accepted, rate).filter(({ refutedBy }) => refutedBy !== null);
  const isLimited = trials.some((exchange) => isTurnedAway(exchange, evidence));
  if (!isLimited) return [...refuted, { family: 'none', rate, scope: 'account', refutedBy: null }];
  const larger = Array.from({ length: accepted.length }, (_, i) => ({ ...rate, requests: rate.requests + 1 + i }));
  const wider = larger.find((each) => isExplained(accepted.map(decisionOf), each));
  return [...refuted, ...(wider ? [{ family: 'any', rate: wider, scope: 'account', refutedBy: null } as const] : [])];
}

function ofToldLimits(evidence: Evidence): Considered[] {
  const { rate, accounts } = evidence.target;
  const below = [...refusedBelowLimit(evidence)].map(([account, refused]): Considered => {
    const told = { ...rate, requests: toldTo(account, evidence) ?? rate.requests };
    return {
      family: 'any',
      rate: told,
      scope: 'account',
      refutedBy: { exchanges: refused.slice(0, 1), as: 'refused' },
    };
  });
  const [first] = below;
  if (first) return [first, { family: 'any', rate, scope: 'account', refutedBy: null }];
  return accounts.flatMap(({ name }) => {
    const told = toldTo(name, evidence);
    const accepted = letThrough(trialsOf(evidence, 'sequence', name).flat(), evidence);
    if (told === null) return [];
    return byFamily(accepted, { ...rate, requests: told }).filter(({ refutedBy }) => refutedBy !== null);
  });
}

function ofSpaced(evidence: Evidence): Considered[] {
  const { rate, accounts } = evidence.target;
  const [refused] = accounts.flatMap(({ name }) => refusedWithRoom(evidence, name));
  if (!refused) return [];
  const last = chargedOf(evidence, refused.account ?? '').findLast((each) => each.receivedAtMs <= refused.sentAtMs);
  const exchanges = last ? [last, refused] : [refused];
  const seconds = explainingWindowSeconds(evidence);
  const longer =
    seconds === null
      ? []
      : [{ family: 'fixed windows', rate: { ...rate, seconds }, scope: 'account', refutedBy: null } as const];
  return [{ family: 'any', rate, scope: 'account', refutedBy: { exchanges, as: 'refused' } }, ...longer];
}

function ofNeighbours(evidence: Evidence): Considered[] {
  const { rate, accounts } = evidence.target;
  const encounter = accounts
    .flatMap(({ name }) => encountersOf(evidence, name))
    .find(({ asked }) => isTurnedAway(asked, evidence));
  if (!encounter) return [];
  const exchanges = inOrder([encounter.other, encounter.asked]);
  return [
    { family: 'any', rate, scope: 'account', refutedBy: { exchanges, as: 'refused' } },
    { family: 'any', rate, scope: 'everybody', refutedBy: null },
  ];
}

function ofPaths(evidence: Evidence): Considered[] {
  const { rate, accounts } = evidence.target;
  const both = accounts
    .map(({ name }) =>
      ownOf(evidence, name).filter((each) => isWhole(each) && isAccepted(each) && !isRefused(each, evidence)),
    )
    .map((accepted) => byFamily(accepted, rate))
    .find((considered) => considered.every(({ refutedBy }) => refutedBy !== null));
  return both ? [...both, { family: 'any', rate, scope: 'path', refutedBy: null }] : [];
}

function besideAnotherClient(evidence: Evidence): Considered[] {
  const { rate } = evidence.target;
  const refuted = [...otherClients(evidence).values()].map((shown): Considered => {
    const [first] = inOrder(shown);
    const as = first && isTurnedAway(first, evidence) ? 'refused' : 'counted';
    return { family: 'any', rate, scope: 'account', refutedBy: { exchanges: first ? [first] : [], as } };
  });
  if (refuted.length === 0) return [];
  return [...refuted, { family: 'any', rate, scope: 'another-client', refutedBy: null }];
}

function afterWrongKeys(evidence: Evidence): Considered[] {
  const { rate } = evidence.target;
  const refused = exchangesOf(evidence, 'together').filter(
    (exchange) => exchange.probe.trial > 1 && isTurnedAway(exchange, evidence),
  );
  if (refused.length === 0) return besideAnotherClient(evidence);
  return [
    { family: 'any', rate, scope: 'account', refutedBy: { exchanges: refused.slice(0, 1), as: 'refused' } },
    { family: 'any', rate, scope: 'keyless', refutedBy: null },
    { family: 'any', rate, scope: 'another-client', refutedBy: null },
  ];
}

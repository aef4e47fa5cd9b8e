/** Which limiters were considered for a broken clause, and which decisions each of them cannot have taken. */

import type { Rate } from '../contract/bounds';
import type { Evidence, Exchange } from '../evidence/model';
import { isTurnedAway } from '../evidence/responder/queueing';
import { exchangesOf } from '../evidence/select';
import { encountersOf } from './encounters';
import { drawsOnTwo, isOverRate, trialsOf } from './kept';
import type { Family } from './kinds';
import { isExplained, refutationsBy } from './level';
import { refusedBelowLimit, reportedLimit } from './reported-limit';
import { lateSingles, longerWindowSeconds } from './stricter';
import { type Answered, accountsOf, isDescribed, timelineOf, userOf } from './timeline';
import { otherClients } from './worlds';

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
  'rate.limit-honest': ofReportedLimits,
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

/** Each kind of limiter of a rate, with the accepted requests that it cannot all have accepted. */
function byFamily(accepted: readonly Answered[], rate: Rate): Considered[] {
  return refutationsBy(accepted, rate).map(({ family, decisions }) => ({
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
  const { rate } = evidence.target;
  const account = accountsOf(evidence).find((name) => isOverRate(evidence, group, name));
  if (account === undefined) return [];
  const trials = trialsOf(evidence, group, account).flat();
  const { accepted } = userOf(trials);
  const refuted = byFamily(accepted, rate).filter(({ refutedBy }) => refutedBy !== null);
  const isLimited = trials.some(({ exchange }) => isTurnedAway(exchange, evidence));
  if (!isLimited) return [...refuted, { family: 'none', rate, scope: 'account', refutedBy: null }];
  const larger = Array.from({ length: accepted.length }, (_, i) => ({ ...rate, requests: rate.requests + 1 + i }));
  const wider = larger.find((each) => isExplained({ accepted, refused: [], charged: [] }, each));
  return [...refuted, ...(wider ? [{ family: 'any', rate: wider, scope: 'account', refutedBy: null } as const] : [])];
}

function ofReportedLimits(evidence: Evidence): Considered[] {
  const { rate } = evidence.target;
  const reported = (name: string) => ({ ...rate, requests: reportedLimit(name, evidence) ?? rate.requests });
  const [below] = accountsOf(evidence).flatMap((name) => refusedBelowLimit(evidence, name));
  if (below)
    return [
      {
        family: 'any',
        rate: reported(below.exchange.account ?? ''),
        scope: 'account',
        refutedBy: { exchanges: [below.exchange], as: 'refused' },
      },
      { family: 'any', rate, scope: 'account', refutedBy: null },
    ];
  return accountsOf(evidence).flatMap((name) => {
    const { accepted } = userOf(trialsOf(evidence, 'sequence', name).flat());
    return byFamily(accepted, reported(name)).filter(({ refutedBy }) => refutedBy !== null);
  });
}

function ofSpaced(evidence: Evidence): Considered[] {
  const { rate } = evidence.target;
  const [refused] = accountsOf(evidence).flatMap((name) => lateSingles(evidence, name));
  if (!refused) return [];
  const own = timelineOf(evidence, refused.exchange.account ?? '');
  const last = own.findLast(({ outcome, toMs }) => outcome !== 'refused' && toMs <= refused.fromMs);
  const exchanges = [...(last ? [last.exchange] : []), refused.exchange];
  const seconds = longerWindowSeconds(evidence);
  const longer =
    seconds === null
      ? []
      : [{ family: 'fixed windows', rate: { ...rate, seconds }, scope: 'account', refutedBy: null } as const];
  return [{ family: 'any', rate, scope: 'account', refutedBy: { exchanges, as: 'refused' } }, ...longer];
}

function ofNeighbours(evidence: Evidence): Considered[] {
  const { rate } = evidence.target;
  const encounter = accountsOf(evidence)
    .flatMap((name) => encountersOf(evidence, name))
    .find(({ asked }) => isTurnedAway(asked.exchange, evidence));
  if (!encounter) return [];
  const exchanges = inOrder([...encounter.others.slice(0, 1), encounter.asked.exchange]);
  return [
    { family: 'any', rate, scope: 'account', refutedBy: { exchanges, as: 'refused' } },
    { family: 'any', rate, scope: 'everybody', refutedBy: null },
  ];
}

function ofPaths(evidence: Evidence): Considered[] {
  const { rate } = evidence.target;
  const name = accountsOf(evidence).find((account) => drawsOnTwo(evidence, account));
  if (name === undefined) return [];
  const both = timelineOf(evidence, name).filter(({ exchange }) => isDescribed(exchange, evidence));
  const refuted = byFamily(userOf(both).accepted, rate);
  return [...refuted, { family: 'any', rate, scope: 'path', refutedBy: null }];
}

function besideAnotherClient(evidence: Evidence): Considered[] {
  const { rate } = evidence.target;
  const refuted = [...otherClients(evidence).values()].map((shown): Considered => {
    const [first] = inOrder(shown.map(({ exchange }) => exchange));
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

/** Puts the result of a run together: what was recorded and what was decided become `conformance.json`. */

import { isPublished } from '../contract/bounds';
import { clauseTexts, contractDigest, textOf } from '../contract/clauses';
import { digestOf } from '../contract/digest';
import type { ClauseResult, Conformance, OwnTest } from '../contract/result';
import type { Evidence } from '../evidence/exchange';
import { withoutOwn } from '../evidence/groups';
import { harTextOf } from '../evidence/har/write';
import type { Past } from '../history/store';
import { historyOf } from '../history/trends';
import { whyNothingIsJudged } from '../judge/acceptance';
import { causesOf } from '../judge/causes';
import { observationsOf } from '../judge/observations';
import { type Judgement, profileVerdictOf, runVerdictOf } from '../judge/verdict';
import { suite } from '../suite';
import { comparedWithBaseline, comparedWithHistory } from './changes';
import type { Recorded, ReportInput } from './model';

/** How a run ended. */
interface Ending {
  /** Why the run could not be done. What was recorded may name a cause of its own, which goes first. */
  error: string | null;
  /** When the process began. */
  startedAtEpochMs: number;
  /** An earlier result to compare with. */
  baseline: Conformance | null;
  /** Earlier runs against the target, with which it is compared where no baseline is named. */
  past?: Past | null;
  /** What became of the user's own tests. */
  own?: OwnTest[];
}

/**
 * What the reports of one target are made from. A run that lasts as long as its process ends now.
 * @param judgements of the clauses that were decided
 * @param whyUndecided why a clause has no result: one sentence
 */
export function reportInputOf(
  recorded: Recorded,
  judgements: ReadonlyMap<string, Judgement>,
  whyUndecided: (id: string) => string,
  ending: Ending,
): ReportInput {
  const { evidence, waitedMs } = recorded;
  const decided = [...judgements].map(([id, { breaches: _, note: __, ...clause }]) => [id, clause] as const);
  const notes = [...judgements.values()].flatMap(({ note }) => note ?? []);
  const undone = recorded.error ?? ending.error;
  const conformance = conformanceOf({
    evidence,
    waitedMs,
    // What was decided before a run broke off says little; that no key was accepted is itself decided.
    decided: new Map(undone === null ? decided : []),
    undecided: whyUndecided,
    startedAtEpochMs: recorded.startedAtEpochMs ?? ending.startedAtEpochMs,
    durationMs: recorded.durationMs ?? Date.now() - ending.startedAtEpochMs,
    error: undone ?? whyNothingIsJudged([...judgements.values()], evidence),
    isWhole: recorded.isWhole ?? true,
    own: ending.own ?? [],
  });
  const { baseline, past = null } = ending;
  const { changes, notes: ofComparison } = baseline
    ? comparedWithBaseline(baseline, conformance)
    : comparedWithHistory(past?.runs ?? [], conformance);
  return {
    conformance: { ...conformance, changes },
    evidence,
    causes: causesOf(judgements.values()),
    failures: failuresIn(evidence),
    history: past && historyOf(past, conformance),
    notes: [...recorded.notes, ...new Set(notes), ...ofComparison, ...(past?.notes ?? [])],
  };
}

/** What fails a run besides its clauses. */
function failuresIn({ triggers }: Evidence): string[] {
  const failure = triggers.find((one) => one.failure !== null)?.failure;
  return failure ? [`The trigger did not work: ${failure}`] : [];
}

/** What a result is built from. */
interface Outcome {
  evidence: Evidence;
  /** Results of the clauses whose tests ran to their end, by id. */
  decided: ReadonlyMap<string, ClauseResult>;
  /** Why a clause has no result: one sentence. */
  undecided: (id: string) => string;
  startedAtEpochMs: number;
  durationMs: number;
  waitedMs: number;
  error: string | null;
  /** False for evidence that does not add up: then nothing can be certified. Default: true. */
  isWhole?: boolean;
  own?: OwnTest[];
}

/** The result of a run. It fits schemas/conformance.schema.json whatever happened. */
export function conformanceOf(outcome: Outcome): Conformance {
  const { evidence, error } = outcome;
  const figures = { durationMs: Math.round(outcome.durationMs), waitedMs: Math.round(outcome.waitedMs), error };
  const { rate } = evidence.target;
  const clauses = clauseTexts.map((text): ClauseResult => {
    const decided = outcome.decided.get(text.id);
    if (decided) return decided;
    const reason = error === null ? outcome.undecided(text.id) : `The run could not be done: ${error}`;
    return { id: text.id, level: text.level, section: text.section, verdict: 'not-tested', reason, evidence: [] };
  });
  const inProfile = (profile: string) => clauses.filter((clause) => textOf(clause.id).profile === profile);
  const verdict = runVerdictOf(clauses, error);
  return {
    suite,
    target: targetIn(evidence),
    startedAt: new Date(outcome.startedAtEpochMs).toISOString(),
    durationMs: figures.durationMs,
    waitedMs: figures.waitedMs,
    requests: evidence.exchanges.length,
    verdict,
    certifiable:
      verdict === 'conformant' &&
      isPublished(rate) &&
      clauses.every((clause) => clause.verdict !== 'waived') &&
      outcome.isWhole !== false,
    profiles: { core: profileVerdictOf(inProfile('core')), event: profileVerdictOf(inProfile('event')) },
    clauses,
    ...foundationsOf(evidence),
    digests: { contract: contractDigest, evidence: digestOf(harTextOf(evidence, figures)) },
    own: outcome.own ?? [],
    observations: observationsOf(withoutOwn(evidence)),
    changes: null,
    error,
  };
}

function targetIn({ target }: Evidence): Conformance['target'] {
  const { name, baseURL, embedded, accounts, rate, vendor, product, version } = target;
  return {
    name,
    baseURL,
    embedded,
    accounts: accounts.map((account) => account.name),
    rate,
    ...(vendor !== undefined && { vendor }),
    ...(product !== undefined && { product }),
    ...(version !== undefined && { version }),
  };
}

/** What was declared and chosen before the run. */
function foundationsOf({ target }: Evidence): Pick<Conformance, 'declared' | 'options'> {
  const { riskyProbes, insecureTls = false, limits } = target;
  return {
    declared: {
      accounts: target.accounts.map(({ name, passwordDeclared, hasPassword = null, settings = {} }) => ({
        name,
        password: passwordDeclared,
        hasPassword,
        settings: Object.keys(settings),
      })),
    },
    options: { riskyProbes, insecureTls, limits },
  };
}

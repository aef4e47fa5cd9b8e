/** Puts the result of a run together: what was recorded and what was decided become `conformance.json`. */

import { isPublished } from '../contract/bounds';
import { clauseTexts, contractDigest, textOf } from '../contract/clauses';
import { digestOfParts } from '../contract/digest';
import type { ClauseResult, Conformance, OwnTest } from '../contract/result';
import type { Evidence } from '../evidence/exchange';
import { withoutOwn } from '../evidence/groups';
import { harParts } from '../evidence/har/write';
import type { Past } from '../history/store';
import { historyOf } from '../history/trends';
import { whyNothingIsJudged } from '../judge/acceptance';
import { causesOf } from '../judge/causes';
import { observationsOf } from '../judge/observations';
import { coreMusts, type Judgement, profileVerdictOf, runVerdictOf } from '../judge/verdict';
import { suite } from '../suite';
import { comparedWithBaseline, comparedWithHistory } from './changes';
import type { Recorded, ReportInput } from './model';
import { plural } from './words';

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
  /** What the user wants to fail the run besides a broken MUST. */
  asked?: Asked;
}

/** Whether warnings fail the run (`STRICT`), and what was not tested (`REQUIRE_COMPLETE`). */
export interface Asked {
  strict: boolean;
  requireComplete: boolean;
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
  const { evidence } = recorded;
  const { baseline, past = null, asked } = ending;
  const undone = recorded.error ?? ending.error;
  const conformance = conformanceOf(recorded, {
    ...ending,
    // What was decided before a run broke off says little; that no key was accepted is itself decided.
    decided: undone === null ? judgements : new Map(),
    undecided: whyUndecided,
    error: undone ?? whyNothingIsJudged([...judgements.values()], evidence),
  });
  const { changes, notes: ofComparison } = baseline
    ? comparedWithBaseline(baseline, conformance)
    : comparedWithHistory(past?.runs ?? [], conformance);
  const notes = [...judgements.values()].flatMap(({ note }) => note ?? []);
  return {
    conformance: { ...conformance, changes },
    evidence,
    causes: undone === null ? causesOf(clauseTexts.flatMap(({ id }) => judgements.get(id) ?? [])) : [],
    failures: failuresIn(conformance, evidence, asked),
    history: past && historyOf(past, conformance),
    notes: [...recorded.notes, ...new Set(notes), ...ofComparison, ...(past?.notes ?? [])],
  };
}

/** What fails a run besides a broken MUST, one sentence each. */
function failuresIn({ clauses, own, error }: Conformance, { triggers }: Evidence, asked?: Asked): string[] {
  const trigger = triggers.find(({ failure }) => failure !== null)?.failure;
  const warnings = clauses.filter(({ verdict }) => verdict === 'warn').length;
  const untested = coreMusts(clauses, 'not-tested').length;
  const failed = own.filter(({ verdict }) => verdict === 'fail').length;
  return [
    trigger && `The trigger did not work: ${trigger}`,
    error === null &&
      asked?.strict &&
      warnings > 0 &&
      `STRICT is set, and there ${warnings === 1 ? 'is' : 'are'} ${plural(warnings, 'warning')}.`,
    error === null &&
      asked?.requireComplete &&
      untested > 0 &&
      `REQUIRE_COMPLETE is set, and ${plural(untested, 'MUST clause')} of the core profile ${untested === 1 ? 'was' : 'were'} not tested.`,
    failed > 0 && `${plural(failed, 'test')} of your own failed.`,
  ].filter((sentence) => typeof sentence === 'string');
}

interface Outcome extends Ending {
  /** Clauses whose tests ran to their end, by id. */
  decided: ReadonlyMap<string, Judgement>;
  /** Why a clause has no result: one sentence. */
  undecided: (id: string) => string;
}

/** The result of a run. It fits schemas/conformance.schema.json whatever happened. */
function conformanceOf(recorded: Recorded, { error, decided, undecided, own = [], ...ending }: Outcome): Conformance {
  const { evidence, isWhole = true } = recorded;
  const startedAtEpochMs = recorded.startedAtEpochMs ?? ending.startedAtEpochMs;
  const figures = {
    durationMs: Math.round(recorded.durationMs ?? Date.now() - startedAtEpochMs),
    waitedMs: Math.round(recorded.waitedMs),
    error,
  };
  const clauses = clauseTexts.map(({ id, level, section }): ClauseResult => {
    const judgement = decided.get(id);
    if (judgement) {
      const { breaches: _, note: __, ...clause } = judgement;
      return clause;
    }
    const reason = error === null ? undecided(id) : `The run could not be done: ${error}`;
    return { id, level, section, verdict: 'not-tested', reason, evidence: [] };
  });
  const inProfile = (profile: string) => clauses.filter(({ id }) => textOf(id).profile === profile);
  const verdict = runVerdictOf(clauses, error);
  return {
    suite,
    target: targetIn(evidence),
    startedAt: new Date(startedAtEpochMs).toISOString(),
    durationMs: figures.durationMs,
    waitedMs: figures.waitedMs,
    requests: evidence.exchanges.length,
    verdict,
    certifiable:
      verdict === 'conformant' &&
      isPublished(evidence.target.rate) &&
      clauses.every((clause) => clause.verdict !== 'waived') &&
      isWhole,
    profiles: { core: profileVerdictOf(inProfile('core')), event: profileVerdictOf(inProfile('event')) },
    clauses,
    ...foundationsOf(evidence),
    digests: { contract: contractDigest, evidence: digestOfParts(harParts(evidence, figures)) },
    own,
    observations: observationsOf(withoutOwn(evidence)),
    changes: null,
    error,
  };
}

function targetIn({ target }: Evidence): Conformance['target'] {
  const { name, baseURL, embedded, accounts, rate, vendor, product, version } = target;
  const declared = Object.entries({ vendor, product, version }).filter(([, value]) => value !== undefined);
  return {
    name,
    baseURL,
    embedded,
    accounts: accounts.map((account) => account.name),
    rate,
    ...Object.fromEntries(declared),
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

/** Makes the result of a run from what was recorded and what was decided. */
import { suite } from '../common/suite';
import { compact, plural } from '../common/text';
import { isPublished } from '../contract/bounds';
import { clauseText, clauseTexts, contractDigest } from '../contract/clauses';
import type { ClauseResult, Conformance, OwnTest } from '../contract/result';
import { harOf } from '../evidence/har';
import { type Evidence, withoutOwn } from '../evidence/model';
import { comparedWith, type Past, pastOf, trendsOf } from '../history/history';
import { whyNothingIsJudged } from '../judge/reachability';
import { accidentsInWords } from '../judge/transport';
import { causesIn, coreMusts, type Judgement, profileVerdictOf, runVerdictOf } from '../judge/verdict';
import { observationsOf } from '../profiles/rules';
import { having, type Recorded, type ReportInput } from './words';

interface Ending {
  /** Why the run could not be done. An error that was recorded comes before this one. */
  error: string | null;
  baseline: Conformance | null;
  /** Earlier runs against the target. The result is compared with them if there is no baseline. */
  past?: Past | null;
  own?: OwnTest[];
  asked?: Asked;
}

/** Whether warnings (`STRICT`) and untested MUST clauses of the core profile (`REQUIRE_COMPLETE`) fail the run. */
export interface Asked {
  strict: boolean;
  requireComplete: boolean;
}

/**
 * Returns what the reports of one target are made from.
 * @param judgements of the clauses that were selected
 */
export function reportInputOf(
  recorded: Recorded,
  judgements: ReadonlyMap<string, Judgement>,
  { baseline, past = null, asked, own = [], ...ending }: Ending,
): ReportInput {
  const { evidence } = recorded;
  const undone = recorded.error ?? ending.error;
  const error = undone ?? whyNothingIsJudged([...judgements.values()], evidence);
  const clauses = clauseTexts.map(({ id, level, section, statement }): ClauseResult => {
    // If a run broke off, its verdicts say little and are dropped. If no key was accepted, they say so and stay.
    const judgement = undone === null ? judgements.get(id) : undefined;
    if (judgement) {
      const { breaches: _, note: __, ...clause } = judgement;
      return clause;
    }
    return {
      ...{ id, level, section, statement, verdict: 'not-tested', evidence: [], finding: null },
      // `error` says why.
      reason: error === null ? 'Not selected in this run.' : 'The run could not be done.',
      untested: error === null ? 'not-selected' : 'unseen',
    };
  });
  const { durationMs, waitedMs } = recorded;
  const figures = { ...recorded, error, durationMs: Math.round(durationMs), waitedMs: Math.round(waitedMs) };
  const har = harOf(evidence, figures);
  const result = conformanceOf(figures, clauses, own, har.digests);
  const earlier = past && pastOf(past, result);
  const { changes, notes } = comparedWith({ baseline, past: earlier }, result);
  const ofWaivers = new Set([...judgements.values()].flatMap(({ note }) => note ?? []));
  const accident = accidentsInWords(withoutOwn(evidence));
  return {
    conformance: {
      ...result,
      changes,
      notes: compact(accident, ...recorded.notes, ...ofWaivers, ...notes, ...(earlier?.notes ?? [])),
    },
    evidence,
    har: har.parts,
    causes: undone === null ? causesIn(judgements.values()) : [],
    failures: failuresIn(result, evidence, asked),
    trends: earlier ? trendsOf(earlier, result) : [],
  };
}

function failuresIn({ clauses, own, error }: Conformance, { triggers }: Evidence, asked?: Asked): string[] {
  const trigger = triggers.find(({ failure }) => failure !== null)?.failure;
  const warnings = asked?.strict && error === null ? having(clauses, 'warn').length : 0;
  const untested = asked?.requireComplete && error === null ? coreMusts(clauses, 'not-tested').length : 0;
  const failed = having(own, 'fail').length;
  return compact(
    trigger && trigger !== error && `The trigger failed: ${trigger}${/[.!?]$/.test(trigger) ? '' : '.'}`,
    warnings > 0 && `STRICT is set, and there ${warnings === 1 ? 'is' : 'are'} ${plural(warnings, 'warning')}.`,
    untested > 0 &&
      `REQUIRE_COMPLETE is set, and ${plural(untested, 'MUST clause')} of the core profile ${untested === 1 ? 'was' : 'were'} not tested.`,
    failed > 0 && `${failed} of your own tests failed.`,
  );
}

/** Returns the result of a run. It always fits schemas/conformance.schema.json. */
function conformanceOf(
  { evidence, error, durationMs, waitedMs, brokenSeal }: Recorded,
  clauses: ClauseResult[],
  own: OwnTest[],
  digests: Omit<Conformance['digests'], 'contract'>,
): Conformance {
  const { name, baseURL, embedded, accounts, rate, vendor, product, version } = evidence.target;
  const { riskyProbes, insecureTls = false, limits } = evidence.target;
  const known = Object.entries({ vendor, product, version }).filter(([, value]) => value !== undefined);
  const made = Object.fromEntries(known);
  const profile = (name: string) => profileVerdictOf(clauses.filter(({ id }) => clauseText(id).profile === name));
  const verdict = runVerdictOf(clauses, error);
  return {
    suite,
    target: { name, baseURL, embedded, accounts: accounts.map((account) => account.name), rate, ...made },
    // By the evidence alone, so that a replay and `verify` find the same.
    startedAt: new Date(evidence.startedAtEpochMs + (evidence.exchanges[0]?.sentAtMs ?? 0)).toISOString(),
    durationMs,
    waitedMs,
    requests: evidence.exchanges.length,
    verdict,
    certifiable:
      verdict === 'conformant' &&
      isPublished(rate) &&
      having(clauses, 'waived').length === 0 &&
      brokenSeal === undefined,
    profiles: { core: profile('core'), event: profile('event') },
    clauses,
    declared: {
      accounts: accounts.map(({ name, passwordDeclared, hasPassword = null, settings = {} }) => {
        return { name, password: passwordDeclared, hasPassword, settings: Object.keys(settings) };
      }),
    },
    options: { riskyProbes, insecureTls, limits },
    digests: { contract: contractDigest, ...digests },
    own,
    observations: observationsOf(withoutOwn(evidence)),
    changes: null,
    notes: [],
    error,
  };
}

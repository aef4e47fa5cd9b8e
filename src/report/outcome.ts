/** A run as a whole: its outcome, in words, and why it cannot be certified; and of one run of many. */
import { groupedBy } from '../common/grouped';
import { plural } from '../common/text';
import { isPublished } from '../contract/bounds';
import type { ClauseResult, Conformance, RunVerdict } from '../contract/result';
import { coreMusts } from '../judge/verdict';
import { compact, having, isSelected, rateInWords, VERDICT } from './format';
import type { ReportInput } from './model';

/** The verdict of a run, but `passed` of a part that was tested whole and broke nothing. */
export type RunOutcome = RunVerdict | 'passed';

/** The sign and the word for the outcome of a run, the worst first. */
export const OUTCOME: Record<RunOutcome, { glyph: string; word: string }> = {
  'non-conformant': { glyph: '✕', word: 'Non-conformant' },
  error: { glyph: '!', word: 'Error' },
  incomplete: { glyph: '', word: 'Incomplete' },
  passed: { glyph: '✓', word: 'Passed' },
  conformant: { glyph: '✓', word: 'Conformant' },
};

/** Returns the outcome of a run; `error` if it left no result. */
export function runOutcomeOf({ conformance, failures }: Pick<FleetTarget, 'conformance' | 'failures'>): RunOutcome {
  if (conformance === null) return 'error';
  const { verdict, clauses } = conformance;
  const selected = clauses.filter(isSelected);
  const isPart = selected.length > 0 && selected.length < clauses.length;
  const isFine = failures.length === 0 && having(selected, 'not-tested', 'waived').length === 0;
  return verdict === 'incomplete' && isPart && isFine ? 'passed' : verdict;
}

/** Returns the outcome in a word. If something else failed the run, it says so. */
export function outcomeWord(input: ReportInput): string {
  if (input.isInterrupted) return 'Interrupted';
  const outcome = runOutcomeOf(input);
  const isEnough = outcome === 'error' || outcome === 'non-conformant' || input.failures.length === 0;
  return `${OUTCOME[outcome].word}${isEnough ? '' : ', but the run failed'}`;
}

/** Returns the verdict of the run in one sentence, and in further sentences what else failed it. */
export function verdictSentence({ conformance, failures }: ReportInput): string {
  return [sentenceOf(conformance), ...failures].join(' ');
}

function sentenceOf({ verdict, clauses, error }: Conformance): string {
  if (error !== null) return error;
  if (verdict === 'conformant') return 'Every MUST clause of the core profile was tested, and none is broken.';
  const selected = clauses.filter(isSelected);
  if (selected.length === 0) return 'No clause of the contract was selected.';
  const isPart =
    selected.length < clauses.length &&
    `only ${selected.length} of ${clauses.length} clauses ${selected.length === 1 ? 'was' : 'were'} selected`;
  const broken = plural(having(clauses, 'fail').length, 'clause of the contract is', 'clauses of the contract are');
  if (verdict === 'non-conformant') return `${compact(`${broken} broken`, isPart).join('; ')}.`;
  const waived = having(clauses, 'waived').length;
  const untested = having(selected, 'not-tested');
  const undeclared = untested.filter((clause) => clause.untested === 'undeclared').length;
  const unjudged = untested.length - undeclared;
  const left = compact(
    isPart,
    undeclared > 0 && `${plural(undeclared, 'clause needs', 'clauses need')} something declared or switched on`,
    unjudged > 0 && `${plural(unjudged, 'clause')} could not be judged`,
  );
  const known = waived > 0 && `${plural(waived, 'known failure is', 'known failures are')} waived`;
  const whole = known ? `${known}; nothing else that was tested is broken` : 'Nothing that was tested is broken';
  return `${[whole, left.join(', ')].filter(Boolean).join('; ')}.`;
}

/** Returns the verdicts of the profiles, and whether the run can be certified, or why not. */
export function certificateInWords(conformance: Conformance): string {
  const { core, event } = conformance.profiles;
  const isInPart = core === 'pass' && coreMusts(conformance.clauses, 'not-tested').length > 0;
  const passed = `${VERDICT[core].word}${isInPart ? ' as far as tested' : ''}`;
  const why = obstacles(conformance);
  const certificate = why.length === 0 ? 'This run can be certified.' : `Cannot be certified: ${why.join('; ')}.`;
  return `Core profile ${passed}, event profile ${VERDICT[event].word}. ${certificate}`;
}

/** Returns why a run cannot be certified; nothing if it can. What is broken comes first, and alone. */
export function obstacles({ verdict, clauses, target, certifiable }: Conformance): string[] {
  if (certifiable) return [];
  if (verdict === 'error') return ['the run could not be done'];
  const named = (some: ClauseResult[], what: string) =>
    some.length > 5 ? plural(some.length, what) : some.map(({ id }) => id).join(', ');
  const broken = having(clauses, 'fail').length;
  const waived = having(clauses, 'waived');
  const untested = coreMusts(clauses, 'not-tested');
  if (broken > 0) return [broken === 1 ? 'a clause is broken' : 'clauses are broken'];
  const reasons = compact(
    !isPublished(target.rate) && `the declared rate is ${rateInWords(target)}, not the published 1 per second`,
    waived.length > 0 && `waived: ${named(waived, 'clause')}`,
    untested.length > 0 && `not tested: ${named(untested, 'MUST clause')}`,
  );
  return reasons.length > 0 ? reasons : ['the evidence was edited after its run'];
}

export type FleetTarget = ReturnType<typeof fleetTargetOf>;

/** Returns one target of many, as the overview shows it. @param name also that of the directory with its own results */
export function fleetTargetOf(name: string, input: ReportInput | null) {
  const { conformance = null, failures = [] } = input ?? {};
  return {
    name,
    verdict: conformance?.verdict ?? 'error',
    failed: having(conformance?.clauses ?? [], 'fail').map(({ id }) => id),
    /** What broke them, the most harmful first, with the clauses. */
    causes: having(input?.causes ?? [], 'fail').map(({ headline, clauses }) => {
      return { headline, clauses: clauses.map(({ id }) => id) };
    }),
    durationMs: conformance?.durationMs ?? 0,
    failures,
    /** Why it could not be judged; `null` if it was. */
    error: conformance ? conformance.error : 'The run of this target did not finish, so it left no result.',
    /** `null` if the run of the target left no result. */
    conformance,
  };
}

/** Returns targets by their outcomes, the worst first. An outcome that no target has is left out. */
export function targetsByOutcome(targets: readonly FleetTarget[]): Array<[RunOutcome, FleetTarget[]]> {
  const order = Object.keys(OUTCOME);
  return [...groupedBy(targets, runOutcomeOf)].sort(([a], [b]) => order.indexOf(a) - order.indexOf(b));
}

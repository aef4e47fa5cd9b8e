/** Words and figures that several forms of the report share. */

import { groupedBy } from '../common/grouped';
import { plural } from '../common/plural';
import { isPublished } from '../contract/bounds';
import { textOf } from '../contract/clauses';
import type { ClauseResult, Conformance, RunVerdict, Verdict } from '../contract/result';
import { isFailure, judgedIn, type Trend } from '../history/trends';
import type { Cause } from '../judge/causes';
import { coreMusts, HARM } from '../judge/verdict';
import type { ReportInput } from './model';

/** The sign and the word for the verdict of a clause, the most urgent first. */
export const VERDICT: Record<Verdict, { glyph: string; word: string }> = {
  fail: { glyph: '✕', word: 'failed' },
  warn: { glyph: '!', word: 'warning' },
  waived: { glyph: '~', word: 'waived' },
  'not-tested': { glyph: '–', word: 'not tested' },
  inapplicable: { glyph: '○', word: 'inapplicable' },
  pass: { glyph: '✓', word: 'passed' },
};

export const VERDICTS = Object.keys(VERDICT) as Verdict[];

/** What is told of a run: its verdict, but `passed` of a part that was tested whole and broke nothing. */
export type Outcome = RunVerdict | 'passed';

/** The sign and the word for the outcome of a run, the worst first. */
export const OUTCOME: Record<Outcome, { glyph: string; word: string }> = {
  'non-conformant': { glyph: '✕', word: 'Non-conformant' },
  error: { glyph: '!', word: 'Error' },
  incomplete: { glyph: '', word: 'Incomplete' },
  passed: { glyph: '✓', word: 'Passed' },
  conformant: { glyph: '✓', word: 'Conformant' },
};

/** Returns the outcome of a run; `error` if it left no result. */
export function outcomeOf({ conformance, failures }: Pick<FleetTarget, 'conformance' | 'failures'>): Outcome {
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
  const outcome = outcomeOf(input);
  const isTold = outcome === 'error' || outcome === 'non-conformant' || input.failures.length === 0;
  return `${OUTCOME[outcome].word}${isTold ? '' : ', but the run failed'}`;
}

/** The headings of the areas. */
export const AREA: Readonly<Record<string, string>> = {
  auth: 'Authentication',
  settings: 'Webhook settings',
  rate: 'Rate limit',
  version: 'Version',
  event: 'Notifications',
  transport: 'Transport',
};

export function clausesByArea(clauses: ClauseResult[]): Array<[area: string, own: ClauseResult[]]> {
  return [...groupedBy(clauses, ({ id }) => textOf(id).area)];
}

/** Returns the results that have one of the verdicts. */
export function having<Result extends { verdict: string }>(
  results: readonly Result[],
  ...verdicts: Array<Result['verdict']>
): Result[] {
  return results.filter(({ verdict }) => verdicts.includes(verdict));
}

/** Whether a run was asked to test a clause. */
export function isSelected({ untested }: ClauseResult): boolean {
  return untested !== 'not-selected';
}

/** Returns the texts without those that are absent or empty. */
export function said(...parts: Array<string | false | null | undefined>): string[] {
  return parts.flatMap((part) => part || []);
}

/** Returns milliseconds as people say them: "310 ms", "9.1 s", "1 min 40 s". */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** Returns a moment of the run: "3.160 s". */
export function momentInWords(ms: number): string {
  return `${(ms / 1000).toFixed(3)} s`;
}

/** Returns a section of the API description as "§ 5", of an RFC as "RFC 9110 § 15.5". @param sign instead of "§" */
export function sectionName(section: string, sign = '§'): string {
  return /^\d/.test(section) ? `${sign} ${section}` : section.replace(/^(RFC \d+) (.+)$/, `$1 ${sign} $2`);
}

/** Returns the first line of a text, such as a reason that goes on with details. */
export function firstLine(text: string): string {
  return text.trim().split(/\r\n|\n|\r/, 1)[0] ?? '';
}

/** Returns the level of a clause and where it comes from: "MUST, § 5". @param sign instead of "§" */
export function standingOf(id: string, sign?: string): string {
  const { level, section } = textOf(id);
  return `${level.toUpperCase()}, ${sectionName(section, sign)}`;
}

/** Such as "entry 3" or "entries 3, 4, …". @param most how many are named */
export function entriesInWords(entries: readonly number[], most = 12): string {
  const named = entries.slice(0, most).join(', ');
  return `${entries.length === 1 ? 'entry' : 'entries'} ${named}${entries.length > most ? ', …' : ''}`;
}

/** Returns the causes of what needs to be acted on, by the verdict of each cause's first clause, with a heading. */
export function causesByVerdict({ conformance: { clauses }, causes }: ReportInput) {
  const isBroken = ({ clauses: [first] }: Cause) => having(clauses, 'fail').some(({ id }) => id === first);
  const waived = having(clauses, 'waived').map(({ id, reason, evidence: [telling = null] }): Cause => {
    return { clauses: [id], reason: reason ?? '', telling, fields: new Set(), harm: HARM.other };
  });
  return [
    { verdict: 'fail', title: 'What to fix', causes: causes.filter(isBroken) },
    { verdict: 'warn', title: 'Warnings', causes: causes.filter((cause) => !isBroken(cause)) },
    { verdict: 'waived', title: 'Waived', causes: waived },
  ] as const;
}

/** What it means that callers without a valid key are not turned away, by the harm. */
const WITHOUT_KEY: Readonly<Record<number, string>> = {
  [HARM.disclosed]: 'Anyone can read the settings without a valid key',
  [HARM.letIn]: 'The API lets callers in without a valid key',
};
const NOT_TURNED_AWAY = 'Callers without a valid key are not turned away properly';

/** Returns the headline of a cause, which is that of its first clause, for readers who know no header fields. */
export function headlineOf({ clauses: [first = ''], harm }: Cause): string {
  return textOf(first).headline ?? WITHOUT_KEY[harm] ?? NOT_TURNED_AWAY;
}

/** Returns the remarks on the run as a whole. One remark says if nothing changed since the baseline. */
export function remarks({ conformance, notes }: ReportInput): string[] {
  const unchanged = conformance.changes?.length === 0;
  return unchanged ? [...notes, 'Nothing changed, neither verdicts nor observations.'] : notes;
}

/** Returns the word for a count of clauses with a verdict: "failed", "warnings". */
export function countedWord(verdict: Verdict, count: number): string {
  return verdict === 'warn' && count !== 1 ? 'warnings' : VERDICT[verdict].word;
}

/** Such as "3 failed, 1 warning, 58 passed". A verdict that no clause has is left out. */
export function countsInWords(results: ReadonlyArray<{ verdict: Verdict }>): string {
  const counts = VERDICTS.map((verdict) => {
    const { length } = having(results, verdict);
    return length > 0 && `${length} ${countedWord(verdict, length)}`;
  });
  return said(...counts).join(', ');
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
  if (verdict === 'non-conformant') return `${said(`${broken} broken`, isPart).join('; ')}.`;
  const waived = having(clauses, 'waived').length;
  const untested = having(selected, 'not-tested');
  const undeclared = untested.filter((clause) => clause.untested === 'undeclared').length;
  const unjudged = untested.length - undeclared;
  const left = said(
    isPart,
    undeclared > 0 && `${plural(undeclared, 'clause needs', 'clauses need')} something declared or switched on`,
    unjudged > 0 && `${plural(unjudged, 'clause')} could not be judged`,
  );
  const known = waived > 0 && `${plural(waived, 'known failure is', 'known failures are')} waived`;
  const whole = known ? `${known}; nothing else that was tested is broken` : 'Nothing that was tested is broken';
  return `${[whole, left.join(', ')].filter(Boolean).join('; ')}.`;
}

/** Such as "1 request per second" or "3 requests per 5 s". */
export function rateInWords({ rate: { requests, seconds } }: Conformance['target']): string {
  return `${plural(requests, 'request')} per ${seconds === 1 ? 'second' : `${seconds} s`}`;
}

/** Returns the verdicts of the profiles, and whether the run can be certified. If it cannot, it tells every reason. */
export function certificateInWords(conformance: Conformance): string {
  const { core, event } = conformance.profiles;
  const isInPart = core === 'pass' && coreMusts(conformance.clauses, 'not-tested').length > 0;
  const passed = `${VERDICT[core].word}${isInPart ? ' as far as it was tested' : ''}`;
  const why = obstacles(conformance);
  const certificate = why.length === 0 ? 'This run can be certified.' : `Cannot be certified: ${why.join('; ')}.`;
  return `Core profile ${passed}, event profile ${VERDICT[event].word}. ${certificate}`;
}

/** Returns every reason why a run cannot be certified; none if it can. */
export function obstacles({ verdict, clauses, target, certifiable }: Conformance): string[] {
  if (certifiable) return [];
  if (verdict === 'error') return ['the run could not be done'];
  const named = (some: ClauseResult[], what: string) =>
    some.length > 5 ? plural(some.length, what) : some.map(({ id }) => id).join(', ');
  const broken = having(clauses, 'fail').length;
  const waived = having(clauses, 'waived');
  const untested = coreMusts(clauses, 'not-tested');
  const told = said(
    broken > 0 && (broken === 1 ? 'a clause is broken' : 'clauses are broken'),
    !isPublished(target.rate) && `the rate was declared as ${rateInWords(target)}, not the published 1 per second`,
    waived.length > 0 && `waived: ${named(waived, 'clause')}`,
    untested.length > 0 && `not tested: ${named(untested, 'MUST clause')}`,
  );
  return told.length > 0 ? told : ['the evidence does not add up'];
}

export type FleetTarget = ReturnType<typeof fleetTargetOf>;

/** Returns what is told of one target of many. @param name also that of the directory with its own results */
export function fleetTargetOf(name: string, input: ReportInput | null) {
  const clauses = input?.conformance.clauses ?? [];
  return {
    name,
    verdict: input?.conformance.verdict ?? 'error',
    failed: having(clauses, 'fail').map(({ id }) => id),
    /** What broke them, the most harmful first: in plain words, with the clauses. */
    causes: (input ? causesByVerdict(input)[0].causes : []).map((cause) => {
      return { headline: headlineOf(cause), clauses: cause.clauses };
    }),
    durationMs: input?.conformance.durationMs ?? 0,
    failures: input?.failures ?? [],
    /** `null` if the run of the target left no result. */
    conformance: input?.conformance ?? null,
  };
}

/** Returns targets by their outcomes, the worst first. An outcome that no target has is left out. */
export function targetsByOutcome(targets: readonly FleetTarget[]): Array<[Outcome, FleetTarget[]]> {
  const order = Object.keys(OUTCOME);
  return [...groupedBy(targets, outcomeOf)].sort(([a], [b]) => order.indexOf(a) - order.indexOf(b));
}

/** Returns why a target could not be judged; `null` if it was. */
export function errorOf({ conformance }: FleetTarget): string | null {
  return conformance === null ? 'The run of this target was not finished, so it left no result.' : conformance.error;
}

/** Returns a value of an observation, or a list of them, as people read it. */
export function valueInWords(value: unknown): string {
  if (value === null) return '';
  if (Array.isArray(value)) return value.length > 0 ? value.map(valueInWords).join(', ') : 'none';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Returns since when a clause fails, and whether it comes and goes. */
export function trendInWords({ failsSince, failsThroughout, isFlapping, strip }: Trend): string {
  const judged = judgedIn(strip);
  const failed = judged.filter(isFailure).length;
  const day = failsSince?.slice(0, 10);
  const since = failsThroughout ? `fails since ${day} at least, as long as runs are kept` : `fails since ${day}`;
  const flaps = `comes and goes: failed in ${failed} of the last ${plural(judged.length, 'run')}`;
  return said(isFlapping && flaps, failsSince !== null && since).join('; ');
}

/** Puts pieces of a text together to lines that are shorter than a width. */
export function filled(pieces: readonly string[], width: number, between = ''): string[] {
  const lines: string[] = [];
  for (const piece of pieces) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + piece.length < width) lines[lines.length - 1] = last + between + piece;
    else lines.push(piece);
  }
  return lines;
}

/** What the reports are made from, and the words and figures that they share: of a clause, of a run, and of one run of many. */
import { compact, groupedBy, plural } from '../common/text';
import { isPublished } from '../contract/bounds';
import { clauseText } from '../contract/clauses';
import type { ClauseResult, Conformance, RunVerdict, Verdict } from '../contract/result';
import type { RunFigures } from '../evidence/har';
import type { Evidence } from '../evidence/model';
import type { Trend } from '../history/history';
import { type Cause, coreMusts, HARM } from '../judge/verdict';

/** What was recorded of a run, with its figures and why nothing could be judged, if so. */
export interface Recorded extends RunFigures {
  evidence: Evidence;
  notes: string[];
}

export interface ReportInput {
  conformance: Conformance;
  evidence: Evidence;
  /** The content of `evidence.har`, in parts. */
  har: readonly Buffer[];
  /** What to act on: what is broken, the most harmful first, then warnings, then what is waived. */
  causes: readonly Cause[];
  /** What fails the run besides a broken MUST, one sentence each. */
  failures: string[];
  /** What earlier runs say about clauses that fail; empty if none are kept. */
  trends: readonly Trend[];
  /** Path of the overview of many targets, from this target's page. */
  overview?: string;
}

/** What it means that callers without a valid key are not turned away, by the harm. */
const WITHOUT_KEY: Readonly<Record<number, string>> = {
  [HARM.disclosed]: 'Anyone can read the settings without a valid key',
  [HARM.letIn]: 'The API lets callers in without a valid key',
};

/** Returns what a cause means, for readers who know no header fields. Clauses about callers without a valid key share one. */
export function headlineOf({ clauses, harm }: Pick<Cause, 'clauses' | 'harm'>): string {
  const own = clauses.map((id) => clauseText(id).headline);
  // Who needs no key at all gets in with one in the wrong place, too.
  const [first = null] = own.includes(undefined) ? [] : own;
  return first ?? WITHOUT_KEY[harm] ?? 'Callers without a valid key are not turned away properly';
}

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

export const AREA: Readonly<Record<string, string>> = {
  auth: 'Authentication',
  settings: 'Webhook settings',
  rate: 'Rate limit',
  version: 'Version',
  event: 'Notifications',
  transport: 'Transport',
};

export function clausesByArea(clauses: readonly ClauseResult[]): Array<[area: string, own: ClauseResult[]]> {
  return [...groupedBy(clauses, ({ id }) => clauseText(id).area)];
}

/** Returns the results that have one of the verdicts, in the order of these. */
export function having<Result extends { verdict: Verdict | 'error' }>(
  results: readonly Result[],
  ...verdicts: Array<Verdict | 'error'>
): Result[] {
  return verdicts.flatMap((verdict) => results.filter((result) => result.verdict === verdict));
}

/** Returns the clauses that a run was asked to test, and whether these are not all. */
export function partOf({ clauses }: Pick<Conformance, 'clauses'>): { selected: ClauseResult[]; isPart: boolean } {
  const selected = clauses.filter(({ untested }) => untested !== 'not-selected');
  return { selected, isPart: selected.length < clauses.length };
}

/** Returns milliseconds for people: "310 ms", "9.1 s", "1 min 40 s". */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** Returns a section of the API description as "section 5", of an RFC as "RFC 9110 section 15.5". */
export function sectionName(section: string): string {
  return section.replace(/^(RFC \d+ )?(?=[\d.]+$)/, '$1section ');
}

/** Returns the same with the document: "section 5 of the API description". */
export function sourceOf(section: string): string {
  return `${sectionName(section)}${/^\d/.test(section) ? ' of the API description' : ''}`;
}

/** Returns the first line of a text, such as a reason that goes on with details. */
export function firstLine(text: string): string {
  return text.trim().split(/\r\n|\n|\r/, 1)[0] ?? '';
}

/** Returns the level of a clause and where it comes from: "MUST, section 5". */
export function standingOf({ level, section }: Pick<ClauseResult, 'level' | 'section'>): string {
  return `${level.toUpperCase()}, ${sectionName(section)}`;
}

/** Of more clauses than this only the number is shown at first. */
export const MOST_IDS = 10;

/** A longer list of entries is cut: who wants all of them reads the evidence. */
export const MOST_LISTED = 5;

/** Such as "entry 3" or "entries 3, 4, 8, 9, 12 and 31 more". */
export function entriesInWords(entries: readonly number[]): string {
  const more = entries.length - MOST_LISTED;
  const named = entries.slice(0, MOST_LISTED).join(', ');
  return `${entries.length === 1 ? 'entry' : 'entries'} ${named}${more > 0 ? ` and ${more} more` : ''}`;
}

/** Such as "3 failed, 1 warning, 58 passed". A verdict that no clause has is left out. */
export function countsInWords(results: ReadonlyArray<{ verdict: Verdict }>): string {
  const counts = VERDICTS.map((verdict) => {
    const { length } = having(results, verdict);
    return length > 0 && `${length} ${verdict === 'warn' && length !== 1 ? 'warnings' : VERDICT[verdict].word}`;
  });
  return compact(...counts).join(', ');
}

/** Such as "1 request per second" or "3 requests per 5 s". */
export function rateInWords({ rate: { requests, seconds } }: Conformance['target']): string {
  return `${plural(requests, 'request')} per ${seconds === 1 ? 'second' : `${seconds} s`}`;
}

/** Returns a value of an observation, or a list of them, as people read it. */
export function valueInWords(value: unknown): string {
  if (value === null) return '';
  if (Array.isArray(value)) return value.length > 0 ? value.map(valueInWords).join(', ') : 'none';
  return typeof value === 'string' ? value : JSON.stringify(value);
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

/** The verdict of a run, but `passed` of a part that was tested whole and broke nothing. */
export type RunOutcome = RunVerdict | 'passed';

/** The colour of what is good, bad or open, on a terminal. */
export type Tone = 'green' | 'red' | 'yellow';

/** How the outcome of a run is shown, the worst first. Each colour is dark enough for white text. */
export const OUTCOME: Record<RunOutcome, { glyph: string; word: string; tone: Tone; colour: string }> = {
  'non-conformant': { glyph: '✕', word: 'Non-conformant', tone: 'red', colour: '#b3261e' },
  error: { glyph: '!', word: 'Error', tone: 'red', colour: '#5a6270' },
  incomplete: { glyph: '', word: 'Incomplete', tone: 'yellow', colour: '#8a5800' },
  passed: { glyph: '✓', word: 'Passed', tone: 'green', colour: '#1a7040' },
  conformant: { glyph: '✓', word: 'Conformant', tone: 'green', colour: '#1a7040' },
};

/** Returns the outcome of a run; `error` if it left no result. */
export function runOutcomeOf({ conformance, failures }: Pick<FleetTarget, 'conformance' | 'failures'>): RunOutcome {
  if (conformance === null) return 'error';
  const { verdict } = conformance;
  const { selected, isPart } = partOf(conformance);
  const isFine = failures.length === 0 && having(selected, 'not-tested', 'waived').length === 0;
  return verdict === 'incomplete' && isPart && selected.length > 0 && isFine ? 'passed' : verdict;
}

/** Returns what every form of the report says first of a run. */
export function bannerOf(input: ReportInput) {
  const { conformance, failures } = input;
  const { target, requests, durationMs, waitedMs } = conformance;
  const outcome = runOutcomeOf(input);
  const { glyph, word } = OUTCOME[outcome];
  const isEnough = outcome === 'error' || outcome === 'non-conformant' || failures.length === 0;
  return {
    outcome,
    glyph,
    /** The outcome in a word. If something else failed the run, it says so. */
    word: `${word}${isEnough ? '' : ', but the run failed'}`,
    /** Whose outcome it is; empty if that is not known. */
    name: target.baseURL && target.name,
    /** The verdict in one sentence, and in further sentences what else failed the run. */
    sentence: [sentenceOf(conformance), ...failures].join(' '),
    /** Such as "72 requests in 9.1 s, 7.9 s of it waiting for the rate limit". */
    figures: `${plural(requests, 'request')} in ${duration(durationMs)}, ${duration(waitedMs)} of it waiting for the rate limit`,
  };
}

function sentenceOf(conformance: Conformance): string {
  const { verdict, clauses, error } = conformance;
  if (error !== null) return error;
  if (verdict === 'conformant')
    return 'Every MUST clause of the core profile (all areas but notifications) was tested as far as it applies, and none is broken.';
  const { selected, isPart } = partOf(conformance);
  if (selected.length === 0) return 'No clause of the contract was selected.';
  const only =
    isPart && `only ${selected.length} of ${clauses.length} clauses ${selected.length === 1 ? 'was' : 'were'} selected`;
  const broken = plural(having(clauses, 'fail').length, 'clause of the contract is', 'clauses of the contract are');
  if (verdict === 'non-conformant') return `${compact(`${broken} broken`, only).join('; ')}.`;
  const waived = having(clauses, 'waived').length;
  const untested = having(selected, 'not-tested');
  const undeclared = untested.filter((clause) => clause.untested === 'undeclared').length;
  const unjudged = untested.length - undeclared;
  const left = compact(
    only,
    undeclared > 0 && `${plural(undeclared, 'clause needs', 'clauses need')} something declared or switched on`,
    unjudged > 0 && `${plural(unjudged, 'clause')} could not be judged`,
  );
  const whole =
    waived > 0
      ? `${plural(waived, 'known failure is', 'known failures are')} waived; nothing else that was tested is broken`
      : 'Nothing that was tested is broken';
  return `${compact(whole, left.join(', ')).join('; ')}.`;
}

/** Returns the verdicts of the profiles, and whether the run can be certified, or why not. */
export function certificateInWords(conformance: Conformance): string {
  const { core, event } = conformance.profiles;
  const isInPart = core === 'pass' && coreMusts(conformance.clauses, 'not-tested').length > 0;
  const passed = `${VERDICT[core].word}${isInPart ? ' as far as tested' : ''}`;
  const why = obstacles(conformance);
  const certificate = why.length === 0 ? 'This run can be certified.' : `Cannot be certified: ${why.join('; ')}.`;
  return `Core profile (all areas but notifications) ${passed}, event profile (notifications) ${VERDICT[event].word}. ${certificate}`;
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
    causes: having(input?.causes ?? [], 'fail').map((cause) => ({
      headline: headlineOf(cause),
      clauses: cause.clauses,
    })),
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

/** The selected tests of one target: their clauses, which have ended, how an own test failed; and why none is selected. */
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type {
  FullConfig,
  FullProject,
  Suite,
  TestCase,
  TestError,
  TestResult,
  TestRun,
} from '@playwright/test/reporter';
import { cut, visible } from '../../common/text';
import type { OwnTest } from '../../contract/result';
import { gatedText } from '../../redaction/gate';
import type { FleetTarget } from '../../report/words';
import { CLAUSE, EVIDENCE, PROBLEM } from '../client';
import { CHOICE, embedding, isConformanceProject, selectsTests } from '../setup/suite-config';

const LONGEST_REASON = 500;

export class Selection {
  readonly ids: readonly string[];
  readonly own: TestCase[];
  /** What came of the target, once its results are written. */
  outcome: FleetTarget | null = null;
  /** The last result of each test that ended. */
  private readonly ended = new Map<TestCase, TestResult>();

  /** @param name of the target; empty for a single one */
  constructor(
    readonly name: string,
    private readonly tests: readonly TestCase[],
  ) {
    this.ids = [...new Set(tests.flatMap((test) => clauseIdOf(test) ?? []))];
    this.own = tests.filter((test) => clauseIdOf(test) === null);
  }

  get isEmpty(): boolean {
    return this.ids.length + this.own.length === 0;
  }

  /** Whether every test has ended, retries included. */
  get isFinished(): boolean {
    const hasEnded = (test: TestCase) => {
      const result = this.ended.get(test);
      return result !== undefined && !comesAgain(test, result);
    };
    return !this.isEmpty && this.tests.every(hasEnded);
  }

  add(test: TestCase, result: TestResult): void {
    if (result.status === 'interrupted') return;
    this.ended.set(test, result);
    // In a shared configuration, a test of another project is an own test if it sent something, or tried to.
    const isOwn = result.annotations.some(({ type }) => type === EVIDENCE || type === PROBLEM);
    if (isOwn && clauseIdOf(test) === null && !this.own.includes(test)) this.own.push(test);
  }

  ownResults(): OwnTest[] {
    return this.own.map((test) => ownTestOf(test, this.ended.get(test)));
  }
}

/** Returns the clause that a test is for; `null` for an own test. */
export function clauseIdOf(test: Pick<TestCase, 'annotations'>): string | null {
  return test.annotations.find(({ type }) => type === CLAUSE)?.description ?? null;
}

/** Returns what became of an own test. @param result `undefined` if the test has not ended */
function ownTestOf(test: TestCase, result: TestResult | undefined): OwnTest {
  // Titles of the test and of the groups around it.
  const title = visible(test.titlePath().slice(3).join(' › '));
  if (!result) return { title, verdict: 'not-tested', reason: 'The run ended before this test.', evidence: [] };
  const { status, annotations, errors } = result;
  const described = (...types: string[]) =>
    annotations.flatMap(({ type, description }) => (types.includes(type) && description) || []);
  const evidence = (
    described(EVIDENCE)
      .join()
      .match(/\d{1,9}/g) ?? []
  ).map(Number);
  if (status === test.expectedStatus && status !== 'skipped') return { title, verdict: 'pass', reason: null, evidence };
  const [why] =
    status === 'skipped'
      ? [...described('skip', 'fixme'), 'It was skipped.']
      : [...described(PROBLEM), plainError(errors[0] ?? {})];
  const reason = cut(visible(why ?? '').trim(), LONGEST_REASON);
  return { title, verdict: status === 'skipped' ? 'not-tested' : 'fail', reason, evidence };
}

export function hasFailed({ status }: TestResult): boolean {
  return status === 'failed' || status === 'timedOut';
}

/** Whether a test that ended will be tried again. */
export function comesAgain(test: TestCase, result: TestResult): boolean {
  return hasFailed(result) && result.retry < test.retries;
}

/** Returns a failed test's title and place, and each error with the code around it. @param target empty if only one */
export function failureInWords(test: TestCase, errors: readonly TestError[], target: string): string {
  const title = test.titlePath().slice(3).join(' › ');
  const parts = errors.flatMap((error) => [
    ...['', plainError(error)],
    error.snippet && `\n${stripVTControlCharacters(error.snippet)}\n`,
    placeOf(error.location),
  ]);
  const lines = parts.filter((part) => part !== undefined).join('\n');
  return `\n  ✘ ${target && `${target}: `}${placeOf(test.location)} › ${title}\n${lines.replace(/^(?=.)/gm, '    ')}\n`;
}

function placeOf(location: TestError['location']): string | undefined {
  return location && `${relative(process.cwd(), location.file)}:${location.line}:${location.column}`;
}

/** Returns the message of an error, without stack and colours. */
export function plainError(error: { message?: string; value?: string }): string {
  const text = error.message || error.value || 'unknown error';
  return stripVTControlCharacters(text).replace(/^(?:Usage)?Error: /, '');
}

/** Excludes our project from shards of other tests, which would share a key. @returns what to print, or `null` */
export function keepOutOfShards({ shard }: Pick<FullConfig, 'shard'>, suite: Suite, testRun: TestRun): string | null {
  const ours = suite.suites.filter((project) => isConformanceProject(project.project()));
  if (shard === null || ours.length === 0) return null;
  for (const project of ours) exclude(project, testRun);
  const title = ours[0]?.title;
  return `${title} is left out of shards, because a run is never divided. Judge it with --project ${title}, without --shard.`;
}

/** Excludes tests whose titles, tags or annotations hold a secret: Playwright writes them everywhere. @returns why, each */
export function excludeSecretTitles(suite: Suite, testRun: TestRun): string[] {
  return suite.allTests().flatMap((test) => {
    const annotated = test.annotations.flatMap(({ type, description = '' }) => [type, description]);
    const written = [...test.titlePath(), ...test.tags, ...annotated].join('\n');
    if (clauseIdOf(test) !== null || gatedText(written) === written) return [];
    exclude(test, testRun);
    return `${placeOf(test.location)}: the titles, tags or annotations of this test hold a secret, so it was left out: every report would show it.`;
  });
}

/** Excludes a project or a test. Playwright refuses if another project depends on it. */
function exclude(tests: Suite | TestCase, testRun: TestRun): void {
  try {
    testRun.exclude(tests);
  } catch {
    // Such a project asks this run for nothing that another shard asks for.
  }
}

/**
 * Returns why no clause is judged although the configuration has the suite's project. It is `null` where the command line
 * selects tests, or another tool does, and where there is no test at all: that Playwright reports.
 * @param words the command line, from Playwright's command on
 * @returns one sentence, and whether the run fails for it: not where somebody chose to leave the whole project out
 */
export function whyProjectIsEmpty({ projects, shard }: FullConfig, suite: Suite, words: readonly string[]) {
  const ours = projects.find((project) => isConformanceProject(project) || project.name === embedding.options?.name);
  const isElsewhere = shard !== null || words[0] !== 'test' || selectsTests(words);
  if (!ours || isElsewhere || suite.allTests().length === 0) return null;
  const fails = Object.entries(CHOICE).some(([member, value]) => `${ours[member as keyof FullProject]}` !== `${value}`);
  const why = fails
    ? 'its testDir, testMatch, testIgnore, grep or grepInvert leaves all of its tests out'
    : 'it waits for --project (default: false), or another test is focused (test.only)';
  const text = `No test of the project ${JSON.stringify(ours.name)} is part of this run, so no clause is judged: ${why}.`;
  return { text, fails };
}

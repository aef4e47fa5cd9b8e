/** The selected tests of one target: their clauses, which of them have ended, and how the failure of an own test is shown. */
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { FullResult, TestCase, TestError, TestResult } from '@playwright/test/reporter';
import { cut, visible } from '../../common/text';
import type { OwnTest } from '../../contract/result';
import { CLAUSE, EVIDENCE, PROBLEM } from '../client';

const LONGEST_REASON = 500;

export class Selection {
  readonly ids: readonly string[];
  readonly own: TestCase[];
  /** The last result of each test that ended. */
  private readonly ended = new Map<TestCase, TestResult>();
  private readonly open: Set<string>;

  constructor(tests: readonly TestCase[]) {
    this.ids = [...new Set(tests.flatMap((test) => clauseIdOf(test) ?? []))];
    this.own = tests.filter((test) => clauseIdOf(test) === null);
    this.open = new Set(tests.map((test) => test.id));
  }

  get isEmpty(): boolean {
    return this.ids.length + this.own.length === 0;
  }

  /** Whether every test has ended, retries included. */
  get isFinished(): boolean {
    return !this.isEmpty && this.open.size === 0;
  }

  add(test: TestCase, result: TestResult): void {
    if (result.status === 'interrupted') return;
    this.ended.set(test, result);
    // In a shared configuration, a test of another project is an own test if it sent something, or tried to.
    const isOwn = result.annotations.some(({ type }) => type === EVIDENCE || type === PROBLEM);
    if (isOwn && clauseIdOf(test) === null && !this.own.includes(test)) this.own.push(test);
    if (!comesAgain(test, result)) this.open.delete(test.id);
  }

  ownResults(): OwnTest[] {
    return this.own.map((test) => ownTestOf(test, this.ended.get(test)));
  }

  /** Returns why a clause has no result: one sentence; `null` if it was not selected. */
  whyUndecided(id: string, status: FullResult['status']): string | null {
    return this.ids.includes(id) ? endedBefore('this clause was decided', status) : null;
  }
}

/** Returns why there is no result: one sentence. */
export function endedBefore(what: string, status: FullResult['status']): string {
  return `The run ${status === 'interrupted' ? 'was interrupted' : 'ended'} before ${what}.`;
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
  const entries = annotations.filter(({ type }) => type === EVIDENCE).map(({ description }) => description);
  const evidence = (entries.join().match(/\d{1,9}/g) ?? []).map(Number);
  const reasonOf = (why: string) => cut(visible(why).trim(), LONGEST_REASON);
  const skip = annotations.find(({ type }) => type === 'skip' || type === 'fixme')?.description;
  if (status === 'skipped')
    return { title, verdict: 'not-tested', reason: reasonOf(skip || 'It was skipped.'), evidence };
  if (status === test.expectedStatus) return { title, verdict: 'pass', reason: null, evidence };
  const problem = annotations.find(({ type }) => type === PROBLEM)?.description;
  return { title, verdict: 'fail', reason: reasonOf(problem ?? plainError(errors[0] ?? {})), evidence };
}

/** Whether a test that ended will be tried again. */
export function comesAgain(test: TestCase, result: TestResult): boolean {
  return (result.status === 'failed' || result.status === 'timedOut') && result.retry < test.retries;
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

/** Puts what the run says of a test's requests before what Playwright says of a connection that was closed for it. */
export function problemsFirst(result: TestResult): void {
  const problem = result.annotations.find(({ type }) => type === PROBLEM)?.description;
  const isProblem = (error: TestError) => plainError(error) === problem;
  result.errors.sort((a, b) => Number(isProblem(b)) - Number(isProblem(a)));
  const [first] = result.errors;
  if (first) result.error = first;
}

export function placeOf(location: TestError['location']): string | undefined {
  return location && `${relative(process.cwd(), location.file)}:${location.line}:${location.column}`;
}

/** Returns the message of an error, without stack and colours. */
export function plainError(error: { message?: string; value?: string }): string {
  const text = error.message || error.value || 'unknown error';
  return stripVTControlCharacters(text).replace(/^(?:Usage)?Error: /, '');
}

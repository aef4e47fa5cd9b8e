/** The tests of one target that were selected: which clauses they are of, and how far they are. */
import { readFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import type { FullResult, TestCase, TestResult } from '@playwright/test/reporter';
import { cut } from '../common/cut';
import { visible } from '../common/visible';
import { NOT_SELECTED, type OwnTest } from '../contract/result';
import type { Recorded } from '../report/model';
import { CLAUSE, EVIDENCE, RECORDED } from './annotations';
import { unpacked } from './recorded-attachment';

/** More bytes than any run records. */
const LARGEST_RECORDED = 512 * 1024 * 1024;
/** Characters of the reason of a user's own test. */
const LONGEST_REASON = 500;

export class Selection {
  /** What was recorded of the run, where a test carried it here. */
  recorded: Recorded | null = null;
  /** The ids of the clauses. */
  readonly ids: readonly string[];
  /** The tests of the user's own. */
  readonly own: readonly TestCase[];
  /** The last result of each test that ended. */
  private readonly ended = new Map<TestCase, TestResult>();
  private readonly open: Set<string>;

  constructor(tests: readonly TestCase[]) {
    this.ids = [...new Set(tests.flatMap((test) => clauseIdOf(test) ?? []))];
    this.own = tests.filter((test) => clauseIdOf(test) === null);
    this.open = new Set(tests.map((test) => test.id));
  }

  /** Whether there is no test. */
  get isEmpty(): boolean {
    return this.ids.length + this.own.length === 0;
  }

  /** Whether every test came to its end, retries included. */
  get isFinished(): boolean {
    return !this.isEmpty && this.open.size === 0;
  }

  /** Takes note of a test that ended. */
  add(test: TestCase, result: TestResult): void {
    if (result.status === 'interrupted') return;
    this.ended.set(test, result);
    if (!comesAgain(test, result)) this.open.delete(test.id);
  }

  /** What became of the user's own tests, in their order. */
  ownResults(): OwnTest[] {
    return this.own.map((test) => ownTestOf(test, this.ended.get(test)));
  }

  /** Takes what a test carried to a merge of reports. @throws where this suite did not write it */
  unpack(result: TestResult): void {
    const attached = result.attachments.find(({ name }) => name === RECORDED);
    const bytes = attached?.body ?? (attached?.path ? readFileSync(attached.path) : null);
    if (bytes && bytes.length < LARGEST_RECORDED) this.recorded = unpacked(bytes.toString());
  }

  /** Why a clause has no verdict. */
  whyUndecided(id: string, status: FullResult['status']): string {
    if (!this.ids.includes(id)) return NOT_SELECTED;
    return status === 'interrupted'
      ? 'The run was interrupted before this clause was decided.'
      : 'The run ended before this clause was decided.';
  }
}

/** The clause that a test is of; `null` for one of the user's own. */
export function clauseIdOf(test: Pick<TestCase, 'annotations'>): string | null {
  return test.annotations.find(({ type }) => type === CLAUSE)?.description ?? null;
}

/** What became of a test of the user's own. @param result how it ended; without one, it did not */
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
  return { title, verdict: 'fail', reason: reasonOf(plainError(errors[0] ?? {})), evidence };
}

/** The message of an error, without stack and colours. */
export function plainError(error: { message?: string; value?: string }): string {
  const text = error.message || error.value || 'unknown error';
  return stripVTControlCharacters(text).replace(/^(?:Usage)?Error: /, '');
}

/** Whether a test that ended is tried again. */
export function comesAgain(test: TestCase, result: TestResult): boolean {
  return (result.status === 'failed' || result.status === 'timedOut') && result.retry < test.retries;
}

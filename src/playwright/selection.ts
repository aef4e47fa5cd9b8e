/** The tests of one target that were selected: which clauses they are of, and how far they are. */
import { readFileSync } from 'node:fs';
import type { FullResult, TestCase, TestResult } from '@playwright/test/reporter';
import { NOT_SELECTED, type OwnTest } from '../contract/result';
import type { Recorded } from '../report/model';
import { CLAUSE, RECORDED } from './annotations';
import { ownTestOf } from './own-tests';
import { unpacked } from './recorded-attachment';

/** More bytes than any run records. */
const LARGEST_RECORDED = 512 * 1024 * 1024;

export class Selection {
  /** What was recorded of the run, where a test carried it here. */
  recorded: Recorded | null = null;
  /** The ids of the clauses. */
  readonly ids: readonly string[];
  /** The tests of the user's own. */
  readonly own: readonly TestCase[];
  /** The last result of each of them that ended. */
  private readonly ended = new Map<TestCase, TestResult>();
  private readonly open: Set<string>;

  constructor(tests: readonly TestCase[]) {
    this.ids = [...new Set(tests.map(clauseIdOf).filter((id) => id !== null))];
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
    if (clauseIdOf(test) === null) this.ended.set(test, result);
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

/** Whether a test that ended is tried again. */
export function comesAgain(test: TestCase, result: TestResult): boolean {
  return (result.status === 'failed' || result.status === 'timedOut') && result.retry < test.retries;
}

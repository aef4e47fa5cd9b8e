/** The tests of one target that were selected: which clauses they are of, and how far they are. */
import { readFileSync } from 'node:fs';
import type { FullResult, TestCase, TestResult } from '@playwright/test/reporter';
import { NOT_SELECTED } from '../contract/result';
import type { Recorded } from '../report/model';
import { RECORDED } from './annotations';

export class Selection {
  /** What was recorded of the run, where a test carried it to a merge of reports. */
  recorded: Recorded | null = null;
  /** The ids of the clauses. */
  readonly ids: readonly string[];
  private readonly open: Set<string>;

  constructor(tests: readonly TestCase[]) {
    this.ids = [...new Set(tests.map(clauseIdOf))];
    this.open = new Set(tests.map((test) => test.id));
  }

  /** Whether every test came to its end, retries included. */
  get isFinished(): boolean {
    return this.ids.length > 0 && this.open.size === 0;
  }

  /** Takes note of a test that ended, and of what it carries. */
  add(test: TestCase, result: TestResult): void {
    const recorded = result.attachments.find((attachment) => attachment.name === RECORDED);
    const text = recorded?.body ?? (recorded?.path ? readFileSync(recorded.path) : null);
    if (text) this.recorded = JSON.parse(text.toString()) as Recorded;
    const comesAgain = result.status === 'failed' && result.retry < test.retries;
    if (result.status !== 'interrupted' && !comesAgain) this.open.delete(test.id);
  }

  /** Why a clause has no verdict. */
  whyUndecided(id: string, status: FullResult['status']): string {
    if (!this.ids.includes(id)) return NOT_SELECTED;
    return status === 'interrupted'
      ? 'The run was interrupted before this clause was decided.'
      : 'The run ended before this clause was decided.';
  }
}

function clauseIdOf(test: TestCase): string {
  return test.title.split(' ')[0] ?? test.title;
}

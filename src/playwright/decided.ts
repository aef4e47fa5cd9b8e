/** What the tests of one target decided, collected as they end. */
import { readFileSync } from 'node:fs';
import type { FullResult, TestCase, TestResult } from '@playwright/test/reporter';
import type { ClauseResult } from '../contract/result';
import type { Judgement } from '../judge/verdict';
import type { Group } from '../probes/plan';
import type { Recorded } from '../report/model';
import { NOT_SELECTED } from '../report/words';
import { NEEDS, RECORDED, VERDICT } from './annotations';

/** The verdicts of one target's tests, and the remarks that came with them. */
export class Decided {
  readonly clauses = new Map<string, ClauseResult>();
  readonly notes: string[] = [];
  /** What was recorded of the run; `null` where no test carried it. */
  recorded: Recorded | null = null;
  private readonly selected: Set<string>;
  private readonly open: Set<string>;

  constructor(private readonly tests: readonly TestCase[]) {
    this.selected = new Set(tests.map(clauseIdOf));
    this.open = new Set(tests.map((test) => test.id));
  }

  /** How many clauses were selected. */
  get size(): number {
    return this.tests.length;
  }

  /** Whether every test came to its end, retries included. */
  get isFinished(): boolean {
    return this.tests.length > 0 && this.open.size === 0;
  }

  /** What must be sent for these tests. */
  needs(): Group[] {
    return this.tests.flatMap((test) =>
      test.annotations.filter((one) => one.type === NEEDS).map((one) => one.description as Group),
    );
  }

  /** Takes what a test that ended carries. */
  add(test: TestCase, result: TestResult): void {
    const carried = result.annotations.find((one) => one.type === VERDICT)?.description;
    if (carried !== undefined) {
      const { note, ...decided } = JSON.parse(carried) as Omit<Judgement, 'breaches'>;
      this.clauses.set(clauseIdOf(test), decided);
      if (note && !this.notes.includes(note)) this.notes.push(note);
    }
    const recorded = result.attachments.find((one) => one.name === RECORDED);
    const text = recorded?.body ?? (recorded?.path ? readFileSync(recorded.path) : null);
    if (text) this.recorded = JSON.parse(text.toString()) as Recorded;
    const comesAgain = result.status === 'failed' && result.retry < test.retries;
    if (result.status !== 'interrupted' && !comesAgain) this.open.delete(test.id);
  }

  /** Why a clause has no verdict. */
  whyUndecided(id: string, status: FullResult['status']): string {
    if (!this.selected.has(id)) return NOT_SELECTED;
    return status === 'interrupted'
      ? 'The run was interrupted before this clause was decided.'
      : 'The run ended before this clause was decided.';
  }
}

function clauseIdOf(test: TestCase): string {
  return test.title.split(' ')[0] ?? test.title;
}

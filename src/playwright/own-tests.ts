/** The tests of the user's own in one run: what became of each. They decide no clause. */
import type { TestCase, TestResult } from '@playwright/test/reporter';
import type { OwnTest } from '../contract/result';
import { visible } from '../visible';
import { EVIDENCE } from './annotations';

/** Characters of a reason. */
const LONGEST_REASON = 500;

export class OwnTests {
  private readonly ended = new Map<string, OwnTest>();

  constructor(private readonly tests: readonly TestCase[]) {}

  get count(): number {
    return this.tests.length;
  }

  /** Takes note of one that ended; a retry counts in its place. */
  add(test: TestCase, result: TestResult): void {
    if (result.status === 'interrupted') return;
    const isSkipped = result.status === 'skipped';
    const isGood = isSkipped || result.status === test.expectedStatus;
    const why = isGood
      ? result.annotations.find(({ type }) => type === 'skip' || type === 'fixme')?.description
      : plainError(result.errors[0] ?? {});
    this.ended.set(test.id, {
      title: titleOf(test),
      verdict: isSkipped ? 'not-tested' : isGood ? 'pass' : 'fail',
      reason: isGood && !isSkipped ? null : cut(why || 'It was skipped.'),
      evidence: result.annotations.flatMap(entriesIn),
    });
  }

  /** All that were selected, in their order. */
  results(): OwnTest[] {
    return this.tests.map(
      (test) =>
        this.ended.get(test.id) ?? {
          title: titleOf(test),
          verdict: 'not-tested',
          reason: 'The run ended before this test.',
          evidence: [],
        },
    );
  }
}

/** Titles of the test and of the groups around it. */
function titleOf(test: TestCase): string {
  return visible(test.titlePath().slice(3).join(' › '));
}

function entriesIn({ type, description = '' }: { type: string; description?: string }): number[] {
  return type === EVIDENCE ? [...description.matchAll(/\d{1,9}/g)].map(([entry]) => Number(entry)) : [];
}

function cut(reason: string): string {
  const text = visible(reason).trim();
  return text.length > LONGEST_REASON ? `${text.slice(0, LONGEST_REASON - 1)}…` : text;
}

/** The message of an error, without stack and colours. */
export function plainError(error: { message?: string; value?: string }): string {
  const text = error.message ?? error.value ?? 'unknown error';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
  return text.replace(/\u001b\[[0-9;]*m/g, '').replace(/^(?:Usage)?Error: /, '');
}

/** What became of a test of the user's own. It decides no clause. */
import type { TestCase, TestResult } from '@playwright/test/reporter';
import { visible } from '../common/visible';
import type { OwnTest } from '../contract/result';
import { EVIDENCE } from './annotations';

/** Characters of a reason. */
const LONGEST_REASON = 500;

/** @param result how it ended; without one, it did not */
export function ownTestOf(test: TestCase, result?: TestResult): OwnTest {
  // Titles of the test and of the groups around it.
  const title = visible(test.titlePath().slice(3).join(' › '));
  if (!result) return { title, verdict: 'not-tested', reason: 'The run ended before this test.', evidence: [] };
  const isSkipped = result.status === 'skipped';
  const isGood = isSkipped || result.status === test.expectedStatus;
  const why = isGood
    ? result.annotations.find(({ type }) => type === 'skip' || type === 'fixme')?.description
    : plainError(result.errors[0] ?? {});
  return {
    title,
    verdict: isSkipped ? 'not-tested' : isGood ? 'pass' : 'fail',
    reason: isGood && !isSkipped ? null : cut(why || 'It was skipped.'),
    evidence: result.annotations.flatMap(entriesIn),
  };
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

/** How the failure of an own test is shown: what failed, where, and the code around it. */
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { TestCase, TestError, TestResult } from '@playwright/test/reporter';
import { PROBLEM } from '../annotations';

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

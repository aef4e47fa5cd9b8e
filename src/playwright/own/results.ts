/** What the tests of the user's own said and why they failed, fit to be shown. */
import { readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { TestCase, TestError, TestResult } from '@playwright/test/reporter';
import { RECORDED } from '../annotations';
import { plainError } from '../reporter/selection';

/**
 * Returns title and place of a test that failed, and each error with its place and the code around it.
 * @param target empty if there is only one
 */
export function failureInWords(test: TestCase, errors: readonly TestError[], target: string): string {
  const title = test.titlePath().slice(3).join(' › ');
  const told = errors.flatMap((error) => ['', plainError(error), stripped(error.snippet), placeOf(error.location)]);
  const lines = told.filter((part) => part !== undefined).join('\n');
  return `\n  ✘ ${target && `${target}: `}${placeOf(test.location)} › ${title}\n${lines.replace(/^(?=.)/gm, '    ')}\n`;
}

function stripped(snippet: string | undefined): string | undefined {
  return snippet && `\n${stripVTControlCharacters(snippet)}\n`;
}

function placeOf(location: TestError['location']): string | undefined {
  return location && `${relative(process.cwd(), location.file)}:${location.line}:${location.column}`;
}

/** Members of errors and steps that are texts, and those that hold more of them. */
const TEXTS = ['message', 'stack', 'value', 'snippet', 'title', 'subtitle', 'description'];
const INNER = ['errors', 'error', 'steps', 'annotations'];

/** Masks what a test printed, attached and failed with, in place, before other reporters write it. */
export function maskResult(result: TestResult, mask: (text: string) => string): void {
  // A secret may have come in two chunks.
  for (const said of [result.stdout, result.stderr])
    if (said.length > 0) said.splice(0, said.length, mask(said.join('')));
  maskTexts(result as unknown as Record<string, unknown>, mask);
  for (const attached of result.attachments) {
    const isText = /^text\/|json/.test(attached.contentType) && attached.name !== RECORDED;
    if (attached.body && isText) attached.body = Buffer.from(mask(attached.body.toString()));
    // Playwright writes the errors into a file as well.
    if (attached.path && attached.name === 'error-context')
      writeFileSync(attached.path, mask(readFileSync(attached.path, 'utf8')));
  }
}

function maskTexts(holder: Record<string, unknown>, mask: (text: string) => string): void {
  for (const name of TEXTS) if (typeof holder[name] === 'string') holder[name] = mask(holder[name]);
  for (const inner of INNER.flatMap((name) => holder[name] ?? [])) maskTexts(inner as typeof holder, mask);
}

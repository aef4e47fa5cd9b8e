/** What the tests of the user's own said and why they failed, fit to be shown. */
import { readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { TestCase, TestError, TestResult } from '@playwright/test/reporter';
import { RECORDED } from './annotations';
import { plainError } from './selection';

/** Returns title and place of a test that failed, and each error with its place and the code around it. */
export function failureInWords(test: TestCase, errors: readonly TestError[]): string {
  const title = test.titlePath().slice(3).join(' › ');
  const told = errors.flatMap((error) => ['', plainError(error), stripped(error.snippet), placeOf(error.location)]);
  const lines = told.filter((part) => part !== undefined).join('\n');
  return `\n  ✘ ${placeOf(test.location)} › ${title}\n${lines.replace(/^(?=.)/gm, '    ')}\n`;
}

function stripped(snippet: string | undefined): string | undefined {
  return snippet && `\n${stripVTControlCharacters(snippet)}\n`;
}

function placeOf(location: TestError['location']): string | undefined {
  return location && `${relative(process.cwd(), location.file)}:${location.line}:${location.column}`;
}

/** Masks what a test printed, attached and failed with, in place, before other reporters write it. */
export function maskResult(
  { errors, steps, stdout, stderr, attachments }: TestResult,
  mask: (text: string) => string,
): void {
  // A secret may have come in two chunks.
  for (const said of [stdout, stderr]) said.splice(0, said.length, ...(said.length > 0 ? [mask(said.join(''))] : []));
  for (const error of errors) maskError(error, mask);
  for (const step of steps) maskStep(step, mask);
  for (const attached of attachments) {
    const isText = /^text\/|json/.test(attached.contentType) && attached.name !== RECORDED;
    if (attached.body && isText) attached.body = Buffer.from(mask(attached.body.toString()));
    // Playwright writes the errors into a file as well.
    if (attached.path && attached.name === 'error-context')
      writeFileSync(attached.path, mask(readFileSync(attached.path, 'utf8')));
  }
}

function maskError(error: TestError, mask: (text: string) => string): void {
  for (const member of ['message', 'stack', 'value', 'snippet'] as const)
    if (error[member] !== undefined) error[member] = mask(error[member]);
}

function maskStep(step: TestResult['steps'][number], mask: (text: string) => string): void {
  step.title = mask(step.title);
  if (step.error) maskError(step.error, mask);
  for (const inner of step.steps) maskStep(inner, mask);
}

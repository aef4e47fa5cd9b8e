/** Handles runs in which only some clauses, or none, were selected. */
import { join } from 'node:path';
import type { FullConfig } from '@playwright/test/reporter';
import { distance } from 'fastest-levenshtein';
import { clauseTexts } from '../contract/clauses';
import { nearestClauses } from '../contract/nearest';

/** Where the results of a part go, below those of whole runs. */
const PART = 'part';

/** Options of Playwright that select tests, or let the user select them later. */
const SELECTS =
  /^(?:-[gG].*|--(?:grep|grep-invert|project|last-failed|only-changed|test-list|test-list-invert|ui|ui-host|ui-port)(?:=.*)?)$/;
/** Options of Playwright whose value is the next word. */
const TAKES_A_VALUE =
  /^(?:-[cj]|--(?:add-reporter|browser|config|global-timeout|last-failed-file|max-failures|output|repeat-each|reporter|retries|run-agents|shard|timeout|trace|tsconfig|update-source-method|workers))$/;

/**
 * Returns where the results of a run go. A part has its own directory, so that the whole run's results stay.
 * @param ids clauses of the selected tests; `null` if no test was loaded: then the command line tells
 * @param words the command line, from Playwright's command on
 */
export function directoryFor(
  ids: readonly string[] | null,
  directory: string,
  words: readonly string[] = process.argv.slice(2),
): string {
  const selected = new Set(ids);
  const isWhole = ids === null ? selectsAll(words) : clauseTexts.every(({ id }) => selected.has(id));
  return isWhole ? directory : join(directory, PART);
}

/**
 * Puts the page that Playwright writes beside the results, unless the user wants it elsewhere.
 * @param root where the results of whole runs go
 * @param directory where those of this run go
 */
export function placeReport({ reporter }: Pick<FullConfig, 'reporter'>, root: string, directory: string): void {
  const [, options] = reporter.find(([name]) => name === 'html') ?? [];
  const folder = process.env.PLAYWRIGHT_HTML_OUTPUT_DIR ?? options?.outputFolder;
  const reportFolder = (place: string) => join(place, 'playwright-report');
  // In UI mode, an earlier run of this process may have placed it.
  const isOurs = [root, join(root, PART)].some((place) => reportFolder(place) === folder);
  if (isOurs) process.env.PLAYWRIGHT_HTML_OUTPUT_DIR = reportFolder(directory);
}

/** Whether no word selects tests. A word that is no option and no option's value is part of a file name. */
function selectsAll([command, ...words]: readonly string[]): boolean {
  const selects = (word: string, i: number) =>
    word.startsWith('-') ? SELECTS.test(word) : !TAKES_A_VALUE.test(words[i - 1] ?? '');
  return command === 'test' && !words.some(selects);
}

/** Returns a hint at what the user may have meant by words of the command line that select no test; empty for none. */
export function nearestInWords(words: readonly string[]): string {
  // Each word becomes a line, so the pattern ends where its word ends.
  const [, pattern] = /\n(?:-g|--grep)[=\n](.+)/.exec(`\n${words.join('\n')}`) ?? [];
  const selects = (word = '') => clauseTexts.some(({ id }) => id.includes(word)) || TAGS.includes(word);
  // A pattern that selects a clause is not what is wrong.
  if (pattern !== undefined && !selects(pattern))
    return `No clause matches ${JSON.stringify(pattern)}: ${adviceFor(pattern)}`;
  const file = words.find(
    (word, i) =>
      i > words.indexOf('test') &&
      !word.startsWith('-') &&
      !TAKES_A_VALUE.test(words[i - 1] ?? '') &&
      !SELECTS.test(words[i - 1] ?? ''),
  );
  if (file === undefined) return '';
  const [near = ''] = [...nearestTags(file.replace(/^(?!@)/, '@')), ...nearestClauses(file)];
  return (
    near &&
    `No file of tests matches ${JSON.stringify(file)}. Clauses are selected by -g: npx playwright test -g ${near}`
  );
}

function adviceFor(pattern: string): string {
  const near = pattern.startsWith('@') ? nearestTags(pattern) : nearestClauses(pattern);
  return near.length > 0 ? `did you mean ${near.join(' or ')}?` : '`npx playwright test --list` shows all.';
}

/** The tags of clauses: areas and levels. */
const TAGS = [...new Set(clauseTexts.flatMap(({ area, level }) => [`@${area}`, `@${level}`]))];
/** How many typing errors make a tag another one. */
const MOST_ERRORS = 2;

/** Returns the tag that is nearest to a word that begins as tags do; none for any other word. */
function nearestTags(word: string): string[] {
  if (!word.startsWith('@') || word.length > 20) return [];
  const far = (tag: string) => distance(word.toLowerCase(), tag);
  return TAGS.filter((tag) => far(tag) <= MOST_ERRORS)
    .toSorted((a, b) => far(a) - far(b))
    .slice(0, 1);
}

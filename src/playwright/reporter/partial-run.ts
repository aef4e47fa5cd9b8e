/** Handles runs in which only some clauses, or none, were selected. */
import { join } from 'node:path';
import type { FullConfig } from '@playwright/test/reporter';
import { command } from '../../common/suite';
import { clauseTexts } from '../../contract/clauses';
import { nearestClauses, TAGS } from '../../contract/nearest';

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
 * @param ids clauses of the selected tests; `null` if no test was loaded: then the command line decides
 * @param words the command line, from Playwright's command on
 */
export function directoryFor(ids: readonly string[] | null, directory: string, words: readonly string[]): string {
  const selected = new Set(ids);
  const isWhole =
    ids === null ? words[0] === 'test' && !selectsTests(words) : clauseTexts.every(({ id }) => selected.has(id));
  return isWhole ? directory : join(directory, PART);
}

/** Whether the command line selects tests. @param words the command line, from Playwright's command on */
export function selectsTests(words: readonly string[]): boolean {
  return words.slice(1).some((word, i) => SELECTS.test(word) || namesFile(word, words[i]));
}

/** Where Playwright was asked to write its page; empty if it was not. */
let placed = '';

/** Puts Playwright's page into `directory`, where this run's results go, unless the user wants it elsewhere. */
export function placeReport({ reporter }: Pick<FullConfig, 'reporter'>, root: string, directory: string): void {
  const [, options] = reporter.find(([name]) => name === 'html') ?? [];
  const folder = process.env.PLAYWRIGHT_HTML_OUTPUT_DIR ?? options?.outputFolder;
  const reportFolder = (place: string) => join(place, 'playwright-report');
  // In UI mode, an earlier run of this process may have placed it.
  const isOurs = [root, join(root, PART)].some((place) => reportFolder(place) === folder);
  if (isOurs) process.env.PLAYWRIGHT_HTML_OUTPUT_DIR = placed = reportFolder(directory);
}

/** Lets Playwright name the folder in its hint at `show-report`, which it leaves out if the variable names it. */
export function reportIsPlaced(): void {
  if (process.env.PLAYWRIGHT_HTML_OUTPUT_DIR === placed) delete process.env.PLAYWRIGHT_HTML_OUTPUT_DIR;
}

/** Whether a word of the command line is part of a file name: no option, and no option's value. */
function namesFile(word: string, before = ''): boolean {
  return !word.startsWith('-') && !TAKES_A_VALUE.test(before) && !SELECTS.test(before);
}

/** Returns why the lists of tests that the command line names select none; empty if it names no list. */
export function whyListsSelectNone(words: readonly string[]): string {
  const option = words.find((word) => /^--test-list(?:-invert)?(?:=|$)/.test(word))?.replace(/=.*/s, '');
  if (option === undefined || words.includes('--pass-with-no-tests')) return '';
  const why = option === '--test-list' ? 'the list names no test' : 'the list leaves out every test';
  return `${option}: ${why}, so nothing was judged. \`${command} --list\` shows the lines that it may hold.`;
}

/** Returns a hint at what the user may have meant by words of the command line that select no test; empty for none. */
export function nearestInWords(words: readonly string[]): string {
  // Each word becomes a line, so the pattern ends where its word ends.
  const [, pattern = ''] = /\n(?:-g|--grep)[=\n](.+)/.exec(`\n${words.join('\n')}`) ?? [];
  const near = nearestClauses(pattern, pattern.startsWith('@') ? TAGS : undefined);
  // A pattern that selects a clause is not what is wrong.
  if (pattern !== '' && !near[0]?.includes(pattern)) {
    const advice = near.length > 0 ? `did you mean ${near.join(' or ')}?` : `\`${command} --list\` shows all.`;
    return `No clause matches ${JSON.stringify(pattern)}: ${advice}`;
  }
  const isFile = (word: string, i: number) => i > words.indexOf('test') && namesFile(word, words[i - 1]);
  const file = words.find(isFile);
  if (file === undefined)
    return words.includes('--last-failed') ? 'No test of the last run failed, so --last-failed selects none.' : '';
  const [meant] = [...nearestClauses(file.replace(/^@?/, '@'), TAGS), ...nearestClauses(file)];
  if (meant === undefined) return '';
  return `No file of tests matches ${JSON.stringify(file)}. Clauses are selected by -g: ${command} -g ${meant}`;
}

/** Handles runs in which only some clauses, or none, were selected. */
import { join } from 'node:path';
import { clauseTexts } from '../contract/clauses';
import { nearestClauses } from '../contract/nearest';

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
  return isWhole ? directory : join(directory, 'part');
}

/** Whether no word selects tests. A word that is no option and no option's value is part of a file name. */
function selectsAll([command, ...words]: readonly string[]): boolean {
  const selects = (word: string, i: number) =>
    word.startsWith('-') ? SELECTS.test(word) : !TAKES_A_VALUE.test(words[i - 1] ?? '');
  return command === 'test' && !words.some(selects);
}

/** Returns a hint at clauses that the user may have meant by a pattern that matches none. */
export function nearestInWords(words: readonly string[]): string {
  // Each word becomes a line, so the pattern ends where its word ends.
  const [, pattern] = /\n(?:-g|--grep)[=\n](.+)/.exec(`\n${words.join('\n')}`) ?? [];
  if (pattern === undefined) return '';
  const near = nearestClauses(pattern);
  const advice = near.length > 0 ? `did you mean ${near.join(' or ')}?` : '`npx playwright test --list` shows all.';
  return `No clause matches ${JSON.stringify(pattern)}: ${advice}`;
}

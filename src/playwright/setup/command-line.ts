/** What the words of a command line select: all clauses or a part, and where its results go. */
import { join } from 'node:path';
import { command } from '../../common/suite';
import { clauseTexts } from '../../contract/clauses';
import { nearestClauses, TAGS } from '../../contract/nearest';

/** Where the results of a part go, below those of whole runs. */
export const PART = 'part';

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

/** Whether a word of the command line is part of a file name: no option, and no option's value. */
function namesFile(word: string, before = ''): boolean {
  return !word.startsWith('-') && !TAKES_A_VALUE.test(before) && !SELECTS.test(before);
}

/** Returns a hint at the clauses that a pattern of the command line may have meant, if it selects none; else an empty text. */
export function nearestInWords(words: readonly string[]): string {
  // Each word becomes a line, so the pattern ends where its word ends.
  const [, pattern = ''] = /\n(?:-g|--grep)[=\n](.+)/.exec(`\n${words.join('\n')}`) ?? [];
  const near = nearestClauses(pattern, pattern.startsWith('@') ? TAGS : undefined);
  // A pattern that selects a clause is not what is wrong.
  if (pattern === '' || near[0]?.includes(pattern)) return '';
  const advice = near.length > 0 ? `did you mean ${near.join(' or ')}?` : `\`${command} --list\` shows all.`;
  return `No clause matches ${JSON.stringify(pattern)}: ${advice}`;
}

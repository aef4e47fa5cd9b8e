/** Runs in which only some clauses were selected, and those in which none was. */
import { join } from 'node:path';
import { clauseTexts } from '../contract/clauses';
import { nearestClauses } from '../contract/nearest';

/** Where the results of a run go: those of a part leave the whole run's alone. */
export function directoryFor(ids: readonly string[], directory: string): string {
  const selected = new Set(ids);
  return clauseTexts.every(({ id }) => selected.has(id)) ? directory : join(directory, 'part');
}

/**
 * Which clauses somebody may have meant whose pattern matches none.
 * @param words the command line
 */
export function nearestInWords(words: readonly string[]): string {
  const at = words.findIndex((word) => /^(?:-g|--grep)(?:=|$)/.test(word));
  const pattern = words[at]?.includes('=') ? words[at]?.split('=').slice(1).join('=') : words[at + 1];
  if (at < 0 || !pattern) return '';
  return `No clause matches ${JSON.stringify(pattern)}: did you mean ${nearestClauses(pattern).join(' or ')}?`;
}

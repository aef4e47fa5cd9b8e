/** Clause ids that somebody who mistyped one may have meant. */
import { distance } from 'fastest-levenshtein';
import { clauseTexts } from './clauses';

const SHOWN = 3;
/** A longer text is no id, and takes long to compare. */
const LONGEST = 100;
/** An id that takes so many more corrections than the nearest one was hardly meant. */
const FARTHER_AT_MOST = 1;

const IDS: readonly string[] = clauseTexts.map(({ id }) => id);
/** What clauses are tagged with: areas and levels. */
export const TAGS: readonly string[] = [
  ...new Set(clauseTexts.flatMap(({ area, level }) => [`@${area}`, `@${level}`])),
];

/**
 * The ids that are nearest to a text, the nearest first: those that hold it, then by the number of typing errors.
 * @param among other words to look for than ids
 * @returns three at most; none where half of the text would have to be another
 */
export function nearestClauses(text: string, among = IDS): string[] {
  const asked = text.slice(0, LONGEST).toLowerCase().trim();
  const near = among
    .map((id) => ({ id, far: errorsIn(asked, id) }))
    .filter(({ far }) => far < asked.length / 2)
    .sort((a, b) => a.far - b.far);
  const farthest = (near[0]?.far ?? 0) + FARTHER_AT_MOST;
  return near
    .filter(({ far }) => far <= farthest)
    .slice(0, SHOWN)
    .map(({ id }) => id);
}

/** How many corrections make a text an id, the part of one behind its area, or the beginning of either. */
function errorsIn(asked: string, id: string): number {
  if (id.includes(asked)) return 0;
  const name = id.split('.')[1] ?? '';
  const corrections = (whole: string) =>
    Math.min(distance(asked, whole), distance(asked, whole.slice(0, asked.length)) + 1);
  return Math.min(corrections(id), corrections(name) + (asked.includes('.') ? 4 : 0));
}

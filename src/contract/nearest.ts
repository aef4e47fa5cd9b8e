/** Clause ids that somebody who mistyped one may have meant. */
import { distance } from 'fastest-levenshtein';
import { clauseTexts } from './clauses';

const SHOWN = 3;
/** What is longer is no id, and takes long to compare. */
const LONGEST = 100;

/** The ids that are nearest to a text, the nearest first: those that hold it, then by the number of typing errors. */
export function nearestClauses(text: string): string[] {
  const asked = text.slice(0, LONGEST).toLowerCase().trim();
  const far = ({ id }: { id: string }) => {
    const name = id.split('.')[1] ?? '';
    if (asked !== '' && id.includes(asked)) return 0;
    return Math.min(distance(asked, id), distance(asked, name) + (asked.includes('.') ? 4 : 0));
  };
  return clauseTexts
    .map((clause) => ({ id: clause.id, far: far(clause) }))
    .sort((a, b) => a.far - b.far)
    .slice(0, SHOWN)
    .map(({ id }) => id);
}

/** A section of the page: a heading, and the link to it. */

import type { Conformance } from '../../contract/result';
import type { Markup } from '../markup';

export interface Section {
  /** Unique on the page. */
  id: string;
  title: string;
  body: Markup;
}

/** Whether any clause was judged. */
export function isJudged({ clauses }: Conformance): boolean {
  return clauses.some((clause) => clause.verdict !== 'not-tested');
}

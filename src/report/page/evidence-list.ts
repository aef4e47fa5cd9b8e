/** Every exchange and delivery of the run, in order. */

import type { ClauseResult } from '../../contract/result';
import { markup } from '../markup';
import type { ReportInput } from '../model';
import { entriesOf } from './entry';
import type { Section } from './section';

/** How many exchanges of each clause that did not pass are printed on paper. */
const ON_PAPER = 2;

export function evidenceList(input: ReportInput): Section | null {
  if (input.evidence.exchanges.length === 0) return null;
  const telling = tellingEntries(input.conformance.clauses);
  const entries = entriesOf(input).map(
    ({ index, body }) =>
      markup`<details class="x${telling.has(index) && ' telling'}" id="x${index}">${body()}</details>`,
  );
  const body = markup`
    <p>
      Every exchange of the run, in order. A secret is replaced by its name:\n
      <span class="pill">apiKey <b>account</b></span>.\n
      <span class="on-paper">In print: the first ${ON_PAPER} exchanges of each clause that did not pass.</span>
    </p>\n
    <div class="evidence">${entries}</div>`;
  return { id: 'evidence', title: 'Evidence', body };
}

function tellingEntries(clauses: ClauseResult[]): Set<number> {
  const found = clauses.filter(({ verdict }) => ['fail', 'warn', 'waived'].includes(verdict));
  return new Set(found.flatMap(({ evidence }) => evidence.slice(0, ON_PAPER)));
}

/** The clauses that were not tested, by what would make them testable. */

import { markup, prose } from '../markup';
import type { ReportInput } from '../model';
import { untestedByReason } from '../words';
import { isJudged, type Section } from './section';

export function untestedList({ conformance }: ReportInput): Section | null {
  const groups = untestedByReason(conformance);
  if (!isJudged(conformance) || groups.length === 0) return null;
  const items = groups.map(
    ([reason, ids]) => markup`
      <dt>${prose(reason)}</dt>
      <dd>${ids.map((id) => markup`<a class="id" href="#${id}">${id}</a> `)}</dd>`,
  );
  const body = markup`
    <p>Each reason why clauses could not be tested, and which they are.</p>
    <dl class="untested">${items}</dl>`;
  return { id: 'untested', title: 'What to declare', body };
}

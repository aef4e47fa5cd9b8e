/** What the API description leaves open, and what this server does. */

import { observationTexts } from '../../contract/clauses';
import { type Markup, markup, prose, withPills } from '../markup';
import type { ReportInput } from '../model';
import { sectionName, valueInWords } from '../words';
import { isJudged, type Section } from './section';

export function observationTable({ conformance }: ReportInput): Section | null {
  if (!isJudged(conformance)) return null;
  const rows = Object.entries(conformance.observations).map(([id, values]) => renderRow(id, values));
  const body = markup`
    <p>The API description does not say how these should be, so they are reported and not judged.</p>\n
    <table class="rows observations">
      <thead>
        <tr><th scope="col">Not specified</th><th scope="col">Seen in this run</th><th scope="col">Section</th></tr>
      </thead>
      <tbody>${rows}</tbody>
    </table>`;
  return { id: 'observations', title: 'Observations', body };
}

function renderRow(id: string, values: unknown[]): Markup {
  const text = observationTexts.find((observation) => observation.id === id);
  const seen = values.map((value) => markup`<code>${withPills(valueInWords(value))}</code> `);
  return markup`
    <tr>
      <th scope="row">${prose(text?.what ?? id)} <code class="id">${id}</code></th>
      <td>${values.length > 0 ? seen : markup`<span class="faint">nothing seen</span>`}</td>
      <td>${text && sectionName(text.section)}</td>
    </tr>`;
}

/** The tests of the user's own. They decide no clause. */

import { markup } from '../markup';
import type { ReportInput } from '../model';
import { ownInOrder } from '../own';
import { VERDICT } from '../words';
import type { Section } from './section';

export function ownList({ conformance: { own } }: ReportInput): Section | null {
  if (own.length === 0) return null;
  const rows = ownInOrder(own).map(
    ({ title, verdict, reason, evidence }) => markup`
      <tr class="${verdict}">
        <td>${VERDICT[verdict].glyph} ${VERDICT[verdict].word}</td>
        <td>${title}</td>
        <td>${reason}${evidence.map((index) => markup` <a href="#e${index}">entry ${index}</a>`)}</td>
      </tr>`,
  );
  const body = markup`
    <p>Tests that were added to this suite. They decide no clause of the contract; one that fails fails the run.</p>
    <div class="scroll"><table>
      <thead><tr><th scope="col">Verdict</th><th scope="col">Test</th><th scope="col">Why, and what it sent</th></tr></thead>
      <tbody>${rows}</tbody>
    </table></div>`;
  return { id: 'own', title: 'Own tests', body };
}

/** What changed since the baseline, or since the last run that is kept. */

import type { Change, Verdict } from '../../contract/result';
import { changeKind, changesInOrder, isOfObservation } from '../changes';
import { type Markup, markup, withPills } from '../markup';
import type { ReportInput } from '../model';
import { VERDICT, valueInWords } from '../words';
import type { Section } from './section';
import { verdictMark } from './signs';

export function changeTable({ conformance }: ReportInput): Section | null {
  const { changes } = conformance;
  if (!changes?.length) return null;
  const body = markup`
    <div class="scroll" tabindex="0" role="region" aria-label="Table of changes">
      <table class="rows">
        <thead>
          <tr><th scope="col">What</th><th scope="col">Kind</th><th scope="col">Before</th><th scope="col">Now</th></tr>
        </thead>
        <tbody>${changesInOrder(changes).map(renderRow)}</tbody>
      </table>
    </div>`;
  return { id: 'changes', title: 'What changed', body };
}

function renderRow(change: Change): Markup {
  const { id, from, to } = change;
  const isOnPage = !isOfObservation(change) && changeKind(change) !== 'gone';
  const what = isOnPage ? markup`<a class="id" href="#${id}">${id}</a>` : markup`<code>${id}</code>`;
  return markup`
    <tr>
      <th scope="row">${what}</th>
      <td>${changeKind(change)}</td>
      <td>${renderValue(from)}</td>
      <td>${renderValue(to)}</td>
    </tr>`;
}

function renderValue(value: unknown): Markup {
  if (value === null) return markup`<span class="faint">–</span>`;
  if (typeof value === 'string' && Object.hasOwn(VERDICT, value)) return verdictMark(value as Verdict);
  return markup`<code>${withPills(valueInWords(value))}</code>`;
}

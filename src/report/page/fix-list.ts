/** What somebody has to act on: broken clauses first, then warnings and waivers. */

import { textOf } from '../../contract/clauses';
import type { ClauseResult, Verdict } from '../../contract/result';
import { type Markup, markup, prose } from '../markup';
import type { ReportInput } from '../model';
import { firstLine } from '../words';
import type { Section } from './section';

const GROUPS: ReadonlyArray<readonly [Verdict, title: string]> = [
  ['fail', 'Broken'],
  ['warn', 'Warnings'],
  ['waived', 'Waived'],
];

export function fixList({ conformance }: ReportInput): Section | null {
  const withVerdict = (verdict: Verdict) => conformance.clauses.filter((clause) => clause.verdict === verdict);
  const body = GROUPS.map(([verdict, title]) => renderGroup(verdict, title, withVerdict(verdict)));
  if (body.every((group) => group === null)) return null;
  const title = withVerdict('fail').length > 0 ? 'What to fix' : 'What to look at';
  return { id: 'fix', title, body: markup`${body}` };
}

function renderGroup(verdict: Verdict, title: string, clauses: ClauseResult[]): Markup | null {
  if (clauses.length === 0) return null;
  return markup`
    <h3 class="v-${verdict}">${title} <span class="count">${clauses.length}</span></h3>
    <ul class="fixes">${clauses.map(renderItem)}</ul>`;
}

function renderItem({ id, reason }: ClauseResult): Markup {
  return markup`
    <li><a class="id" href="#${id}">${id}</a>\n
      <p class="reason">${prose(firstLine(reason ?? ''))}</p>
      <p class="conforms"><span>Would conform:</span> ${prose(textOf(id).conforms)}.</p>
    </li>`;
}

/** Every clause, by area: its verdict, why, and the exchanges that decided it. */
import { plural } from '../../common/text';
import { AREA, clausesByArea, countsInWords, having, isSelected, MOST_LISTED } from '../format';
import { type Markup, markup, prose } from '../markup';
import type { ClauseView, ReportInput } from '../model';
import { type Entry, entriesOf } from './evidence-list';
import { linkToSection, renderCell, type Section, verdictMark } from './sections';

/** Returns the section. What passed in an area is folded, and so are the clauses that were not selected. */
export function clauseList(input: ReportInput): Section {
  const { clauses } = input;
  const byIndex = new Map(entriesOf(input).map((entry) => [entry.index, entry]));
  const rendered = (some: ClauseView[]) => clausesByArea(some).map(([area, own]) => renderArea(area, own, byIndex));
  const unselected = clauses.filter((clause) => !isSelected(clause));
  const aside = markup`
    <details class="aside">
      <summary>${plural(unselected.length, 'clause')} not selected</summary>
      ${rendered(unselected)}
    </details>`;
  const body = markup`
    ${rendered(clauses.filter(isSelected))}
    ${unselected.length > 0 && aside}`;
  return { id: 'clauses', title: 'Clauses', body, isFolded: true };
}

function renderArea(area: string, clauses: ClauseView[], byIndex: Map<number, Entry>): Markup {
  const passed = having(clauses, 'pass');
  const others = clauses.filter((clause) => !passed.includes(clause));
  const folded = markup`
    <details class="folded">
      <summary>${passed.length} passed</summary>
      <div class="clauses">${passed.map((clause) => renderClause(clause, byIndex))}</div>
    </details>`;
  return markup`
    <h3>${AREA[area] ?? area} <span class="count">${countsInWords(clauses)}</span></h3>
    <div class="clauses">${others.map((clause) => renderClause(clause, byIndex))}</div>
    ${passed.length > 0 && folded}`;
}

/** Shows the clause, its verdict and why. A click opens what would conform, where that stands, and the evidence. */
function renderClause(clause: ClauseView, byIndex: Map<number, Entry>): Markup {
  const { id, level, section, statement, conforms, verdict, reason } = clause;
  const entries = clause.evidence.flatMap((index) => byIndex.get(index) ?? []);
  // Why clauses were not tested stands in a section of its own.
  const isExplained = reason !== null && verdict !== 'not-tested';
  const more = entries.length - MOST_LISTED;
  const refs = entries.slice(0, MOST_LISTED).map(({ index, title }) => {
    return markup`<li><a href="#x${index}">${index}: ${title}</a></li>`;
  });
  const rest = more > 0 && markup`<li>${more} more in the <a href="#evidence">evidence</a></li>`;
  return markup`
    <details class="clause is-${verdict}" id="${id}">
      <summary>
        ${verdictMark(verdict)}
        <span class="what">
          <span class="statement">${prose(statement)}</span>\n
          <code class="id">${id}</code>
          ${isExplained && markup`<span class="reason">${prose(reason)}</span>`}
        </span>
        <span class="standing">
          <b class="level ${level}">${level.toUpperCase()}</b>
          ${entries.length > 0 && markup`\n<span>${plural(entries.length, 'entry', 'entries')}</span>`}
        </span>
      </summary>
      <p class="source">Would conform: ${prose(conforms)}.</p>
      <p class="source">Source: ${renderCell(linkToSection(section))}</p>
      ${refs.length > 0 && markup`<ul class="refs">${refs}${rest}</ul>`}
    </details>`;
}

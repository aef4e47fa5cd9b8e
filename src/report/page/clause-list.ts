/** Every clause, by area: its verdict, why, and the exchanges that decided it. */
import { plural } from '../../common/text';
import { AREA, clausesByArea, countsInWords, having, isSelected, MOST_LISTED, sectionName } from '../format';
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

function renderClause(clause: ClauseView, byIndex: Map<number, Entry>): Markup {
  const { id, level, section, statement, conforms, verdict, reason } = clause;
  const entries = clause.evidence.flatMap((index) => byIndex.get(index) ?? []);
  // Why clauses were not tested stands in a section of its own.
  const isExplained = reason !== null && verdict !== 'not-tested';
  // Inside a summary that opens on a click, a link could not be told from the summary.
  const isOpenable = entries.length > 0;
  const source = renderCell(linkToSection(section));
  const line = markup`
    ${verdictMark(verdict)}
    <span class="what">
      <span class="statement">${prose(statement)}</span>\n
      <code class="id">${id}</code>
      ${isExplained && markup`<span class="reason">${prose(reason ?? '')}</span>`}
    </span>
    <span class="standing">
      <b class="level ${level}">${level.toUpperCase()}</b>\n
      <span>${isOpenable ? sectionName(section) : source}</span>
      ${isOpenable && markup`\n<span>${plural(entries.length, 'entry', 'entries')}</span>`}
    </span>`;
  if (!isOpenable) return markup`<div class="clause is-${verdict}" id="${id}">${line}</div>`;
  const isBroken = verdict === 'fail' || verdict === 'warn' || verdict === 'waived';
  const more = entries.length - MOST_LISTED;
  const refs = entries.slice(0, MOST_LISTED).map(({ index, title }) => {
    return markup`<li><a href="#x${index}">${index}: ${title}</a></li>`;
  });
  return markup`
    <details class="clause is-${verdict}" id="${id}">
      <summary>${line}</summary>
      ${isBroken && markup`<p class="source">Would conform: ${prose(conforms)}.</p>`}
      <p class="source">Source: ${source}</p>
      <ul class="refs">${refs}${more > 0 && markup`<li>${more} more in the <a href="#evidence">evidence</a></li>`}</ul>
    </details>`;
}

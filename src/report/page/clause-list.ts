import { plural } from '../../common/plural';
import { AREA, clausesByArea, countsInWords, entriesInWords, isSelected, sectionName } from '../format';
import { type Markup, markup, prose } from '../markup';
import type { ClauseView, ReportInput } from '../model';
import { type Entry, entriesOf } from './evidence-list';
import { filterOf, linkToSection, renderCell, type Section } from './sections';
import { verdictMark } from './signs';

/** How many exchanges a clause lists. All exchanges of the run may decide one. */
const LISTED = 30;
const ON_PAPER = 8;

/** Returns every clause, by area: its verdict, why, and the exchanges that decided it. */
export function clauseList(input: ReportInput): Section {
  const { clauses } = input;
  const byIndex = new Map(entriesOf(input).map((entry) => [entry.index, entry]));
  const rendered = (some: ClauseView[]) => clausesByArea(some).map(([area, own]) => renderArea(area, own, byIndex));
  const unselected = clauses.filter((clause) => !isSelected(clause));
  const aside = markup`
    <details class="aside">
      <summary>${plural(unselected.length, 'clause that was', 'clauses that were')} not selected</summary>
      ${rendered(unselected)}
    </details>`;
  const body = markup`
    ${filterOf('.clause', true)}
    ${rendered(clauses.filter(isSelected))}
    ${unselected.length > 0 && aside}`;
  return { id: 'clauses', title: 'Clauses', body };
}

/** A reason that all clauses of an area share is told only once. What passed is folded. */
function renderArea(area: string, clauses: ClauseView[], byIndex: Map<number, Entry>): Markup {
  const reason = clauses[0]?.reason;
  const shared = clauses.length > 1 && clauses.every((clause) => clause.reason === reason) ? reason : null;
  const shown = shared ? clauses.map((clause) => ({ ...clause, reason: null })) : clauses;
  const passed = shown.filter(({ verdict }) => verdict === 'pass');
  const told = shown.filter((clause) => !passed.includes(clause));
  const folded = markup`
    <details class="folded">
      <summary>${told.length > 0 ? `${passed.length} passed` : 'what passed'}</summary>
      <div class="clauses">${passed.map((clause) => renderClause(clause, byIndex))}</div>
    </details>`;
  return markup`
    <h3>${AREA[area] ?? area} <span class="count">${countsInWords(clauses)}</span></h3>
    ${shared && markup`<p class="shared">${prose(shared)}</p>`}
    <div class="clauses">${told.map((clause) => renderClause(clause, byIndex))}</div>
    ${passed.length > 0 && folded}`;
}

function renderClause(clause: ClauseView, byIndex: Map<number, Entry>): Markup {
  const { id, level, section, statement, conforms, verdict, reason } = clause;
  const entries = clause.evidence.flatMap((index) => byIndex.get(index) ?? []);
  // Inside a summary that opens on a click, a link could not be told from the summary.
  const isOpenable = entries.length > 0;
  const source = renderCell(linkToSection(section));
  const indexes = entries.map(({ index }) => index);
  const counted = markup`
    \n<span class="shows">${plural(entries.length, 'exchange')}</span>
    \n<span class="on-paper">${entriesInWords(indexes, ON_PAPER)}</span>`;
  const line = markup`
    ${verdictMark(verdict)}
    <span class="what">
      <span class="statement">${prose(statement)}</span>\n
      <code class="id">${id}</code>
      ${reason && markup`<span class="reason">${prose(reason)}</span>`}
    </span>
    <span class="standing">
      <b class="level ${level}">${level.toUpperCase()}</b>\n
      <span>${isOpenable ? sectionName(section) : source}</span>
      ${isOpenable && counted}
    </span>`;
  if (!isOpenable) return markup`<div class="clause is-${verdict}" id="${id}">${line}</div>`;
  const isTold = verdict === 'fail' || verdict === 'warn' || verdict === 'waived';
  const more = entries.length - LISTED;
  const refs = entries.slice(0, LISTED).map(({ index, title }) => {
    return markup`<li><a href="#x${index}">${index}: ${title}</a></li>`;
  });
  return markup`
    <details class="clause is-${verdict}" id="${id}">
      <summary>${line}</summary>
      ${isTold && markup`<p class="source">Would conform: ${prose(conforms)}.</p>`}
      <p class="source">What it comes from: ${source}</p>
      <ul class="refs">${refs}</ul>
      ${more > 0 && markup`<p class="more">${more} more are in the <a href="#evidence">evidence</a>.</p>`}
    </details>`;
}

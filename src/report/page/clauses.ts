/** What to act on, cause by cause, and every clause by area. */
import { groupedBy } from '../../common/grouped';
import { plural } from '../../common/text';
import { commandFor, curlOf } from '../breach/curl';
import { exampleFor, linesOfResponse } from '../breach/message';
import { type Markup, markup, prose, withPills } from '../markup';
import type { CauseView, ClauseView, ReportInput } from '../model';
import { type Cell, TO_ACT_ON } from '../tables';
import { AREA, clausesByArea, countsInWords, firstLine, having, isSelected, MOST_LISTED } from '../words';
import { linkToSection, renderCell, type Section, verdictMark } from './parts';

/** Returns what needs to be acted on: what is broken, then warnings, then waivers; `null` if nothing. */
export function fixList(input: ReportInput): Section | null {
  const { causes: all, conformance } = input;
  const [first] = all;
  if (first === undefined) return null;
  const groups = [...groupedBy(all, ({ verdict }) => verdict)].map(([verdict, causes]) => {
    return markup`
      <h3 class="v-${verdict}">${verdict === 'fail' ? 'Broken' : TO_ACT_ON[verdict]}\n
        <span class="count">${plural(causes.length, 'cause')}</span>
      </h3>
      <div class="clauses">${causes.map((cause) => renderCause(cause, input, cause === first))}</div>`;
  });
  const title = first.verdict === 'fail' ? 'What to fix' : 'What to look at';
  return {
    id: 'fix',
    title: conformance.verdict === 'error' ? 'If the keys and the address are right' : title,
    body: markup`${groups}`,
  };
}

/** Shows a headline and what came. A click opens the answer, all clauses of the cause, and how to see it again. */
function renderCause(cause: CauseView, input: ReportInput, isOpen: boolean): Markup {
  const { clauses, exchange, headline, reason } = cause;
  const [{ id, area, conforms }] = clauses;
  const command = commandFor(id, exchange, input.evidence);
  const example = exampleFor(id, input.evidence, 2);
  const ids = clauses.map((clause) => clause.id);
  const answer = linesOfResponse(exchange, area, cause.fields).join('\n');
  // If the run could not be done, the page lists no clauses to link to.
  const listed: Cell = input.conformance.verdict === 'error' ? ids.map((code) => ({ code })) : { clauses: ids };
  return markup`
    <details class="fix"${isOpen && markup` open`}>
      <summary>
        <b class="headline">${headline}</b>\n
        <code class="id">${id}</code>\n
        <span class="reason">${prose(firstLine(reason))}</span>
      </summary>
      <div class="how">
        ${answer && markup`<p class="label">What came</p><pre>${withPills(answer)}</pre>`}
        <p>Would conform: ${prose(conforms)}.</p>
        ${example && markup`<pre>${example}</pre>`}
        <p>Clauses: ${renderCell(listed)}</p>
        ${exchange && markup`<p class="label">Sent (<a href="#x${exchange.index}">entry ${exchange.index}</a>)</p>`}
        ${exchange && markup`<pre class="curl">${curlOf(exchange.request, input.evidence.target)}</pre>`}
        ${command && markup`<p class="label">One request does not show it. This command does:</p><pre class="curl">${command}</pre>`}
      </div>
    </details>`;
}

/** Returns the section. What passed in an area is folded, and so are the clauses that were not selected. */
export function clauseList({ clauses }: ReportInput): Section {
  const rendered = (some: ClauseView[]) => clausesByArea(some).map(([area, own]) => renderArea(area, own));
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

function renderArea(area: string, clauses: ClauseView[]): Markup {
  const passed = having(clauses, 'pass');
  const others = clauses.filter((clause) => !passed.includes(clause));
  const folded = markup`
    <details class="folded">
      <summary>${passed.length} passed</summary>
      <div class="clauses">${passed.map(renderClause)}</div>
    </details>`;
  return markup`
    <h3>${AREA[area] ?? area} <span class="count">${countsInWords(clauses)}</span></h3>
    <div class="clauses">${others.map(renderClause)}</div>
    ${passed.length > 0 && folded}`;
}

/** Shows the clause, its verdict and why. A click opens what would conform, where that stands, and the evidence. */
function renderClause({ id, level, section, statement, conforms, verdict, reason, evidence }: ClauseView): Markup {
  // Why clauses were not tested stands in a section of its own.
  const isExplained = reason !== null && verdict !== 'not-tested';
  const entries = evidence.slice(0, MOST_LISTED).map((index): Cell => ({ link: `${index}`, to: `#x${index}` }));
  const more = evidence.length - entries.length;
  return markup`
    <details class="clause is-${verdict}" id="${id}">
      <summary>
        ${verdictMark(verdict)}
        <span class="what">
          <span class="statement">${prose(statement)}</span>\n
          <code class="id">${id}</code>
          ${isExplained && markup`<span class="reason">${prose(reason)}</span>`}
        </span>
        <b class="level ${level}">${level.toUpperCase()}</b>
      </summary>
      <p class="source">Would conform: ${prose(conforms)}.</p>
      <p class="source">Source: ${renderCell(linkToSection(section))}</p>
      ${entries.length > 0 && markup`<p class="source refs">Evidence: ${renderCell(entries)}${more > 0 && `and ${more} more`}</p>`}
    </details>`;
}

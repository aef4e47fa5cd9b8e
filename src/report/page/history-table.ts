/** Clauses over many nights: a strip for each that ever changed, and since when those fail that fail now. */

import type { Verdict } from '../../contract/result';
import type { Trend } from '../../history/trends';
import { type Markup, markup } from '../markup';
import type { ReportInput } from '../model';
import { plural, trendInWords, VERDICT } from '../words';
import type { Section } from './section';

export function historyTable({ history }: ReportInput): Section | null {
  if (!history || history.trends.length === 0) return null;
  const { nights, trends } = history;
  const [first = '', last = ''] = [nights[0]?.slice(0, 10), nights.at(-1)?.slice(0, 10)];
  const body = markup`
    <p>
      The last ${plural(nights.length, 'run')}, from ${first} to ${last}, the latest on the right. A dot is a run that\n
      could not be done. Clauses that never changed and pass are left out.
    </p>
    <div class="scroll" tabindex="0" role="region" aria-label="Clauses over the nights">
      <table class="rows nights">
        <thead><tr><th scope="col">Clause</th><th scope="col">Runs</th><th scope="col">In words</th></tr></thead>
        <tbody>${trends.map((trend) => renderRow(trend, nights))}</tbody>
      </table>
    </div>`;
  return { id: 'nights', title: 'Over the nights', body };
}

function renderRow(trend: Trend, nights: readonly string[]): Markup {
  const last = trend.strip.at(-1);
  const cells = trend.strip.map((verdict, i) => renderNight(verdict, nights[i]?.slice(0, 10) ?? ''));
  return markup`
    <tr>
      <th scope="row"><a class="id" href="#${trend.id}">${trend.id}</a></th>
      <td class="strip">${cells}</td>
      <td>${trendInWords(trend) || `now: ${last ? VERDICT[last].word : 'no result'}`}</td>
    </tr>`;
}

function renderNight(verdict: Verdict | null, day: string): Markup {
  const { glyph, word } = verdict === null ? { glyph: '·', word: 'no result' } : VERDICT[verdict];
  return markup`
    <span class="v-${verdict ?? 'none'}" title="${day}: ${word}">
      <span aria-hidden="true">${glyph}</span><span class="sr">${word} </span>
    </span>`;
}

/** What stands at the top of the page: the target, the verdict and the figures. */

import type { Conformance, Verdict } from '../../contract/result';
import { type Markup, markup, prose } from '../markup';
import type { ReportInput } from '../model';
import {
  certificateInWords,
  countVerdicts,
  duration,
  plural,
  profilesInWords,
  RUN_VERDICT,
  rateInWords,
  remarks,
  VERDICT,
  verdictSentence,
  verdictWord,
} from '../words';

/** The order of the figures. */
const COUNTED: readonly Verdict[] = ['pass', 'fail', 'warn', 'waived', 'not-tested'];

export function renderHead(input: ReportInput): Markup {
  const { conformance } = input;
  const notes = remarks(input);
  return markup`
    <p class="kicker">Conformance report</p>\n
    <h1>${conformance.target.name || 'No target'}</h1>\n
    ${conformance.target.baseURL !== '' && renderTarget(conformance)}\n
    ${renderVerdict(input)}\n
    ${renderFigures(conformance)}\n
    ${notes.length > 0 && markup`<ul class="notes">${notes.map((note) => markup`<li>${prose(note)}</li>`)}</ul>`}`;
}

function renderTarget({ target, startedAt }: Conformance): Markup {
  const { baseURL, embedded, accounts } = target;
  return markup`
    <p class="target"><code>${baseURL}</code>${embedded && ' (embedded)'}\n
      <span>${plural(accounts.length, 'account')}: ${accounts.join(', ')}</span>\n
      <span>${rateInWords(target)}</span>\n
      <time datetime="${startedAt}">${when(startedAt)}</time>
    </p>`;
}

function renderVerdict(input: ReportInput): Markup {
  const { conformance } = input;
  const { glyph } = RUN_VERDICT[conformance.verdict];
  return markup`
    <div class="verdict run-${conformance.verdict}">
      <p>
        <strong><span aria-hidden="true">${glyph}</span> ${verdictWord(input)}</strong>\n
        ${prose(verdictSentence(input))}
      </p>\n
      <p class="certificate">${profilesInWords(conformance)} ${certificateInWords(conformance)}</p>
    </div>`;
}

function renderFigures({ clauses, requests, durationMs, waitedMs }: Conformance): Markup {
  const counts = countVerdicts(clauses);
  const figure = (value: string | number, label: string, kind = '') =>
    markup`<div class="${kind}"><dt>${label}</dt><dd>${value}</dd></div>`;
  const wordFor = (verdict: Verdict) => (verdict === 'warn' && counts.warn !== 1 ? 'warnings' : VERDICT[verdict].word);
  return markup`
    <dl class="figures">
      ${COUNTED.map((verdict) => figure(counts[verdict], wordFor(verdict), counts[verdict] ? `v-${verdict}` : 'none'))}
      ${figure(requests, requests === 1 ? 'request' : 'requests', 'first')}
      ${figure(duration(durationMs), 'duration')}
      ${figure(duration(waitedMs), 'of it waiting')}
    </dl>`;
}

function when(iso: string): string {
  return iso.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d).*Z$/, '$1, $2 UTC');
}

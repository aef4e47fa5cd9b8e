/** What stands at the top of the page, the target, the verdict and the figures, and at its bottom. */

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
  const { target, verdict } = conformance;
  const notes = remarks(input);
  return markup`
    <p class="kicker">Conformance report</p>\n
    <h1>${target.name || 'No target'}</h1>\n
    ${target.baseURL !== '' && renderTarget(conformance)}\n
    <div class="verdict run-${verdict}">
      <p>
        <strong><span aria-hidden="true">${RUN_VERDICT[verdict].glyph}</span> ${verdictWord(input)}</strong>\n
        ${prose(verdictSentence(input))}
      </p>\n
      <p class="certificate">${profilesInWords(conformance)} ${certificateInWords(conformance)}</p>
    </div>\n
    ${renderFigures(conformance)}\n
    ${notes.length > 0 && markup`<ul class="notes">${notes.map((note) => markup`<li>${prose(note)}</li>`)}</ul>`}`;
}

function renderTarget({ target, startedAt }: Conformance): Markup {
  const { baseURL, embedded, accounts } = target;
  return markup`
    <p class="target"><code>${baseURL}</code>${embedded && ' (embedded)'}\n
      <span>${plural(accounts.length, 'account')}: ${accounts.join(', ')}</span>\n
      <span>${rateInWords(target)}</span>\n
      <time datetime="${startedAt}">${startedAt.slice(0, 19).replace('T', ', ')} UTC</time>
    </p>`;
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

/** The words of the page, for who reads it first. */
const WORDS: Readonly<Record<string, string>> = {
  Clause: 'one sentence of the contract, with an id such as settings.json. A MUST fails the run, a SHOULD only warns.',
  Exchange: 'one request and what came of it. All of them together are the evidence, each with a number: its entry.',
  Probe: 'what a request was sent for.',
  Accepted: 'a 2xx came.',
  Rejected: 'a 4xx came to a request without a valid key.',
  Refused: 'a request with a valid key was over the rate limit, and did not get a 2xx.',
  Window: 'the seconds for which the rate limit counts.',
  Waived: 'broken, and declared as known until a day.',
  'Not tested': 'something has to be declared or switched on first; the reason says what.',
  Inapplicable: 'what the clause speaks of was provoked, and never happened.',
};

export function glossary(): Markup {
  const items = Object.entries(WORDS).map(([word, meaning]) => markup`<dt>${word}</dt><dd>${meaning}</dd>`);
  return markup`<details class="glossary"><summary>Words of this page</summary><dl>${items}</dl></details>`;
}

/** How to do the run again, and the other files. */
export function renderFoot({ conformance, evidence }: ReportInput): Markup {
  const { name, version } = conformance.suite;
  const replay = markup`
    <p>The same evidence judged again, with nothing sent:</p>
    <pre class="curl">REPLAY=evidence.har npx playwright test</pre>`;
  return markup`
    <h2>To reproduce</h2>\n
    <p>The same run again:</p>
    <pre class="curl">${commandFor(conformance)}</pre>\n
    ${evidence.exchanges.length > 0 && replay}\n
    <p>
      Beside this page: <code>conformance.json</code> for machines, <code>evidence.har</code> with every exchange,\n
      <code>junit.xml</code>, <code>summary.md</code>, <code>badge.svg</code>.
    </p>\n
    <p>Written by ${name} ${version}.</p>`;
}

/** The command that runs the suite against the same target. */
function commandFor({ target }: Conformance): string {
  if (target.embedded) return 'npx playwright test';
  // Only a target file names its accounts otherwise.
  if (target.accounts.join() !== 'default') return 'TARGET=target.yaml npx playwright test';
  const address = `'${target.baseURL.replaceAll("'", `'\\''`)}'`;
  return `BASE_URL=${address} API_KEY="$API_KEY" npx playwright test`;
}

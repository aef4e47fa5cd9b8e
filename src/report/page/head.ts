/** The top of the page and its bottom. */
import { plural } from '../../common/plural';
import { command } from '../../common/suite';
import type { Conformance } from '../../contract/result';
import { runAgain } from '../breach/curl';
import { countedWord, duration, having, isSelected, rateInWords, remarks, VERDICTS } from '../format';
import { type Markup, markup, prose } from '../markup';
import type { ReportInput } from '../model';
import { certificateInWords, OUTCOME, outcomeOf, outcomeWord, verdictSentence } from '../outcome';
import { listOf } from './sections';

/** Returns the target, the verdict, the figures and the notes. */
export function renderHead(input: ReportInput): Markup {
  const { conformance, evidence } = input;
  const { target, verdict, requests } = conformance;
  const outcome = outcomeOf(input);
  const notes = remarks(conformance);
  // An error may list several mistakes, a line each.
  const [sentence = '', ...details] = verdictSentence(input).split('\n');
  return markup`
    <p class="kicker">Conformance report</p>\n
    <h1>${target.baseURL === '' ? 'No target' : target.name}</h1>\n
    ${target.baseURL !== '' && renderTarget(conformance)}\n
    <div class="verdict run-${outcome}">
      <p>
        <strong><span aria-hidden="true">${OUTCOME[outcome].glyph}</span> ${outcomeWord(input)}</strong>\n
        ${prose(sentence)}
      </p>\n
      ${details.length > 0 && listOf(details)}
      ${verdict !== 'error' && markup`<p class="certificate">${certificateInWords(conformance)}</p>`}
    </div>\n
    ${requests > 0 && renderFigures(conformance)}\n
    ${notes.length > 0 && listOf(notes, 'notes')}\n
    ${evidence.exchanges.length > 0 && GLOSSARY}`;
}

function renderTarget({ target, startedAt }: Conformance): Markup {
  const { baseURL, embedded, accounts } = target;
  return markup`
    <p class="target"><code>${baseURL}</code>${embedded && ' (embedded)'}\n
      <span>${plural(accounts.length, 'account')}: ${accounts.join(', ')}</span>\n
      <span>limit: ${rateInWords(target)}</span>\n
      <time datetime="${startedAt}">${startedAt.slice(0, 19).replace('T', ', ')} UTC</time>
    </p>`;
}

function renderFigures({ clauses, requests, durationMs, waitedMs, verdict: outcome }: Conformance): Markup {
  const figure = (value: string | number, label: string, kind = '') =>
    markup`<div class="${kind}"><dt>${label}</dt><dd>${value}</dd></div>`;
  const isJudged = outcome !== 'error';
  const counts = VERDICTS.map((verdict) => {
    const { length } = having(clauses, verdict);
    const isTold = length > 0 || verdict !== 'inapplicable';
    return isTold && figure(length, countedWord(verdict, length), length > 0 ? `v-${verdict}` : 'none');
  });
  return markup`
    <dl class="figures">
      ${isJudged && counts}
      ${figure(requests, requests === 1 ? 'request' : 'requests', isJudged ? 'first' : '')}
      ${figure(duration(durationMs), 'duration')}
      ${figure(duration(waitedMs), 'of it waiting')}
    </dl>`;
}

const WORDS: Readonly<Record<string, string>> = {
  Clause: 'one sentence of the contract, with an id such as settings.json. A MUST fails the run, a SHOULD only warns.',
  Exchange: 'one request and what came of it. All of them together are the evidence, each with a number: its entry.',
  Probe: 'what a request was sent for.',
  Accepted: 'a 2xx came.',
  Rejected: 'a 4xx came to a request without a valid key.',
  Refused: 'a request with a valid key was over the rate limit, and did not get a 2xx.',
  Window: 'the seconds for which the rate limit counts.',
  '§': 'a section of the API description; what it says stands below, in short.',
  Waived: 'broken, and declared as known until a day.',
  'Not tested': 'it could not be judged; the reason says what to declare or to switch on, or what kept it.',
  Inapplicable: 'what the clause speaks of was provoked, and never happened.',
};

const ITEMS = Object.entries(WORDS).map(([word, meaning]) => markup`<dt>${word}</dt><dd>${meaning}</dd>`);
const GLOSSARY = markup`<details class="glossary"><summary>Words of this page</summary><dl>${ITEMS}</dl></details>`;

/** Returns how to repeat the run, and the names of the other files. */
export function renderFoot({ conformance, evidence }: ReportInput): Markup {
  const { suite, clauses } = conformance;
  const { name, version } = suite;
  const selected = clauses.filter(isSelected).map(({ id }) => id);
  const again = markup`
    <h2>To reproduce</h2>\n
    <p>The same run again:</p>
    <pre class="curl">${runAgain(evidence, selected.length < clauses.length ? selected : [])}</pre>\n
    <p>The same evidence judged again, with nothing sent:</p>
    <pre class="curl">REPLAY=evidence.har ${command}</pre>\n`;
  return markup`
    ${evidence.exchanges.length > 0 && again}
    <p>
      Beside this page: <code>conformance.json</code> for machines, <code>evidence.har</code> with every exchange,\n
      <code>junit.xml</code>, <code>summary.md</code>, <code>badge.svg</code>.
    </p>\n
    <p>Written by ${name} ${version}.</p>`;
}

/** index.html: one run for people, on one page that needs nothing else. */

import { observationTexts, textOf } from '../contract/clauses';
import type { Change, ClauseResult, Conformance, Verdict } from '../contract/result';
import type { Delivery, Evidence, Exchange, HeaderLines } from '../evidence/exchange';
import { nameOf } from '../evidence/probe';
import { curlOf } from './curl';
import type { ReportInput } from './model';
import { Markup, markup, prose, withPills } from './page/markup';
import { answerOf, OUTCOME, outcomeOf, symbol, symbols } from './page/outcome';
import { shell } from './page/shell';
import { renderTimeline, seconds } from './page/timeline';
import {
  areaTitle,
  certificateInWords,
  changeKind,
  changesInOrder,
  clausesByArea,
  countsInWords,
  countVerdicts,
  duration,
  firstLine,
  plural,
  profilesInWords,
  RUN_VERDICT,
  rateInWords,
  remarks,
  sectionName,
  untestedByReason,
  VERDICT,
  valueInWords,
  verdictSentence,
} from './words';

/** A clause that is decided by more exchanges, such as all, lists so many of them. */
const LISTED = 30;
/** On paper, so many exchanges of each clause that did not pass. */
const ON_PAPER = 2;
/** A longer body is cut: the whole of it stands in the evidence file. */
const BODY_CHARACTERS = 4096;

/** The page of one run, as HTML. */
export function renderPage(input: ReportInput): string {
  const { conformance, evidence } = input;
  const { clauses, verdict, target } = conformance;
  const judged = clauses.some((clause) => clause.verdict !== 'not-tested');
  const recorded = evidence.exchanges.length > 0;
  const sections: Array<Section | false | null> = [
    verdict === 'error' && { id: 'error', title: 'What to do', body: renderError() },
    mend(clauses),
    conformance.changes?.length
      ? { id: 'changes', title: 'Changes since the baseline', body: renderChanges(conformance.changes) }
      : null,
    recorded && { id: 'timeline', title: 'The run in time', body: renderTimeline(evidence) },
    judged && { id: 'clauses', title: 'Clauses', body: renderAreas(input) },
    judged &&
      clauses.some((clause) => clause.verdict === 'not-tested') && {
        id: 'untested',
        title: 'Not tested',
        body: renderUntested(conformance),
      },
    judged && { id: 'observations', title: 'Observations', body: renderObservations(conformance) },
    recorded && { id: 'evidence', title: 'Evidence', body: renderEvidence(input) },
  ];
  const shown = sections.filter((section): section is Section => Boolean(section));
  const title = `${RUN_VERDICT[verdict].word}: ${target.name}`;
  return shell(
    title,
    markup`${symbols}<div class="page"><header>${renderHead(input)}</header>
<nav aria-label="Sections">${shown.map(({ id, title }) => markup`<a href="#${id}">${title}</a>`)}</nav>
<main id="content">${shown.map(({ id, title, body }) => markup`<section id="${id}" aria-labelledby="${id}-title"><h2 id="${id}-title">${title}</h2>${body}</section>`)}</main>
<footer>${renderFoot(input)}</footer></div>`,
  );
}

interface Section {
  id: string;
  title: string;
  body: Markup;
}

function renderHead(input: ReportInput): Markup {
  const { conformance } = input;
  const notes = remarks(input);
  const { target, verdict, clauses, requests, durationMs, waitedMs, startedAt } = conformance;
  const counts = countVerdicts(clauses);
  const figure = (value: string | number, label: string, kind = '') =>
    markup`<div class="${kind}"><dt>${label}</dt><dd>${value}</dd></div>`;
  return markup`<p class="kicker">Conformance report</p>
<h1>${target.name}</h1>
<p class="target"><code>${target.baseURL}</code>${target.embedded && ' (embedded)'} <span>${plural(target.accounts.length, 'account')}: ${target.accounts.join(', ')}</span> <span>${rateInWords(target)}</span> <time datetime="${startedAt}">${when(startedAt)}</time></p>
<div class="verdict run-${verdict}"><p><strong><span aria-hidden="true">${RUN_VERDICT[verdict].glyph}</span> ${RUN_VERDICT[verdict].word}</strong> ${prose(verdictSentence(conformance))}</p>
<p class="certificate">${profilesInWords(conformance)} ${certificateInWords(conformance)}</p></div>
<dl class="figures">${(['pass', 'fail', 'warn', 'waived', 'not-tested'] as Verdict[]).map((kind) =>
    figure(
      counts[kind],
      kind === 'warn' ? (counts.warn === 1 ? 'warning' : 'warnings') : VERDICT[kind].word,
      counts[kind] ? `v-${kind}` : 'none',
    ),
  )}${figure(requests, requests === 1 ? 'request' : 'requests', 'first')}${figure(duration(durationMs), 'duration')}${figure(duration(waitedMs), 'of it waiting')}</dl>
${notes.length > 0 && markup`<ul class="notes">${notes.map((note) => markup`<li>${prose(note)}</li>`)}</ul>`}`;
}

function when(iso: string): string {
  return iso.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d).*Z$/, '$1, $2 UTC');
}

function renderError(): Markup {
  return markup`<p>The run did not get far enough for a verdict; nothing is said about clauses that were not judged.</p>
<ul><li>Is the address right, its version segment included, and can it be reached from where the suite ran?</li>
<li>Does a proxy or a certificate authority stand in between? <code>HTTPS_PROXY</code>, <code>NO_PROXY</code> and <code>NODE_EXTRA_CA_CERTS</code> are honoured.</li>
<li>Is each key set, current, and one of this very installation?</li></ul>`;
}

/** What somebody has to act on, the broken clauses first; `null` where there is nothing. */
function mend(all: ClauseResult[]): Section | null {
  const groups: Array<[Verdict, string]> = [
    ['fail', 'Broken'],
    ['warn', 'Warnings'],
    ['waived', 'Waived'],
  ];
  const found = groups
    .map(([verdict, title]) => ({ verdict, title, clauses: all.filter((clause) => clause.verdict === verdict) }))
    .filter(({ clauses }) => clauses.length > 0);
  if (found.length === 0) return null;
  const item = ({ id, reason }: ClauseResult) =>
    markup`<li><a class="id" href="#${id}">${id}</a> <p class="reason">${prose(firstLine(reason ?? ''))}</p><p class="conforms"><span>Would conform:</span> ${prose(textOf(id).conforms)}.</p></li>`;
  const body = markup`${found.map(({ verdict, title, clauses }) => markup`<h3 class="v-${verdict}">${title} <span class="count">${clauses.length}</span></h3><ul class="mend">${clauses.map(item)}</ul>`)}`;
  return { id: 'mend', title: found[0]?.verdict === 'fail' ? 'What to mend' : 'What to look at', body };
}

function renderChanges(changes: Change[]): Markup {
  const KIND = { changed: 'changed', new: 'new here', gone: 'gone since' };
  const value = (of: unknown) => {
    if (of === null) return markup`<span class="faint">–</span>`;
    const verdict = typeof of === 'string' && of in VERDICT ? (of as Verdict) : null;
    return verdict ? verdictMark(verdict) : markup`<code>${withPills(valueInWords(of))}</code>`;
  };
  const row = (change: Change) =>
    markup`<tr><th scope="row">${change.id.startsWith('observations.') || changeKind(change) === 'gone' ? markup`<code>${change.id}</code>` : markup`<a class="id" href="#${change.id}">${change.id}</a>`}</th><td>${KIND[changeKind(change)]}</td><td>${value(change.from)}</td><td>${value(change.to)}</td></tr>`;
  return markup`<div class="scroll" tabindex="0" role="region" aria-label="Table of changes"><table class="rows"><thead><tr><th scope="col">What</th><th scope="col">Kind</th><th scope="col">Before</th><th scope="col">Now</th></tr></thead><tbody>${changesInOrder(changes).map(row)}</tbody></table></div>`;
}

function verdictMark(verdict: Verdict): Markup {
  return markup`<span class="mark v-${verdict}"><span aria-hidden="true">${VERDICT[verdict].glyph}</span> ${VERDICT[verdict].word}</span>`;
}

function renderAreas(input: ReportInput): Markup {
  const byIndex = new Map(entriesOf(input).map((entry) => [entry.index, entry]));
  return markup`${clausesByArea(input.conformance.clauses).map(([area, own]) => {
    const [first] = own;
    const shared =
      own.length > 1 && first?.reason && own.every((clause) => clause.reason === first.reason) ? first.reason : null;
    return markup`<h3 id="area-${area}">${areaTitle(area)} <span class="count">${countsInWords(own)}</span></h3>${shared && markup`<p class="shared">${prose(shared)}</p>`}<div class="clauses">${own.map((clause) => renderClause(shared ? { ...clause, reason: null } : clause, byIndex))}</div>`;
  })}`;
}

function renderClause(clause: ClauseResult, byIndex: Map<number, Entry>): Markup {
  const { id, level, section, verdict, reason } = clause;
  const entries = clause.evidence.map((index) => byIndex.get(index)).filter((entry) => entry !== undefined);
  const head = markup`${verdictMark(verdict)}<span class="what"><span class="statement">${prose(textOf(id).statement)}</span> <code class="id">${id}</code>${reason && markup`<span class="reason">${prose(reason)}</span>`}</span><span class="standing"><b class="level ${level}">${level.toUpperCase()}</b> <span>${sectionName(section)}</span>${entries.length > 0 && markup` <span class="shows">${plural(entries.length, 'exchange')}</span>`}</span>`;
  if (entries.length === 0) return markup`<div class="clause is-${verdict}" id="${id}">${head}</div>`;
  return markup`<details class="clause is-${verdict}" id="${id}"><summary>${head}</summary><ul class="refs">${entries.slice(0, LISTED).map((entry) => markup`<li><a href="#x${entry.index}">${entry.index}: ${entry.title}</a></li>`)}</ul>${entries.length > LISTED && markup`<p class="more">${entries.length - LISTED} more stand in the <a href="#evidence">evidence</a>.</p>`}</details>`;
}

function renderUntested(conformance: Conformance): Markup {
  const groups = untestedByReason(conformance);
  return markup`<p>What was missing, and the clauses that waited for it.</p><dl class="untested">${groups.map(([reason, ids]) => markup`<dt>${prose(reason)}</dt><dd>${ids.map((id) => markup`<a class="id" href="#${id}">${id}</a> `)}</dd>`)}</dl>`;
}

function renderObservations({ observations }: Conformance): Markup {
  const rows = Object.entries(observations).map(([id, values]) => {
    const text = observationTexts.find((observation) => observation.id === id);
    const seen = values.map((value) => markup`<code>${withPills(valueInWords(value))}</code> `);
    return markup`<tr><th scope="row">${prose(text?.what ?? id)} <code class="id">${id}</code></th><td>${values.length > 0 ? seen : markup`<span class="faint">nothing seen</span>`}</td><td>${text && sectionName(text.section)}</td></tr>`;
  });
  return markup`<p>The description leaves these open, so they are reported and not judged.</p>
<table class="rows observations"><thead><tr><th scope="col">Left open</th><th scope="col">Seen in this run</th><th scope="col">Section</th></tr></thead><tbody>${rows}</tbody></table>`;
}

/** An exchange or a delivery: what stands under one number in the evidence. */
interface Entry {
  index: number;
  /** In one line of text. */
  title: string;
  body: () => Markup;
}

function entriesOf({ evidence, conformance }: ReportInput): Entry[] {
  const exchanges = evidence.exchanges.map((x) => ({
    index: x.index,
    title: `${x.request.method} ${shortened(x.request.url, conformance)}, ${x.account ?? 'no valid key'}, ${answerOf(x)}`,
    body: () => renderExchange(x, evidence, conformance),
  }));
  const arrived = evidence.deliveries.map((d) => ({
    index: d.index,
    title: `notification: ${d.method} ${d.path}`,
    body: () => renderDelivery(d),
  }));
  return [...exchanges, ...arrived].sort((a, b) => a.index - b.index);
}

function shortened(url: string, { target }: Conformance): string {
  const base = target.baseURL.replace(/\/+$/, '');
  return url.startsWith(`${base}/`) ? url.slice(base.length) : url;
}

function renderEvidence(input: ReportInput): Markup {
  const telling = new Set(
    input.conformance.clauses
      .filter((clause) => ['fail', 'warn', 'waived'].includes(clause.verdict))
      .flatMap((clause) => clause.evidence.slice(0, ON_PAPER)),
  );
  const entries = entriesOf(input);
  return markup`<p>Every exchange of the run, in order. A secret is replaced by its name: <span class="pill">apiKey <b>account</b></span>. <span class="on-paper">On paper, the first ${ON_PAPER} of each clause that did not pass.</span></p>
<div class="evidence">${entries.map((entry) => markup`<details class="x${telling.has(entry.index) && ' telling'}" id="x${entry.index}">${entry.body()}</details>`)}</div>`;
}

function renderExchange(x: Exchange, evidence: Evidence, conformance: Conformance): Markup {
  const kind = outcomeOf(x, evidence);
  const { request, response, fault } = x;
  return markup`<summary><span class="number">${x.index}</span> <span class="line"><code>${request.method} ${withPills(shortened(request.url, conformance))}</code> <span class="who">${x.account ?? 'no valid key'}</span></span> <span class="probe">${nameOf(x.probe)}</span> <span class="answer ${kind}">${symbol(kind)} ${answerOf(x)} <span class="sr">${OUTCOME[kind]}</span></span> <span class="time">${seconds(x.sentAtMs)}</span></summary>
<div class="exchange"><p class="meta">Sent at ${seconds(x.sentAtMs)} of the run, took ${duration(x.receivedAtMs - x.sentAtMs)}; connection ${x.connection}; probe <code>${nameOf(x.probe)}</code></p>
<pre class="curl">${curlOf(request)}</pre>
<div class="sides"><div><p class="label">Request</p><pre>${request.method} ${withPills(request.url)}
${renderHeaders(request.headers)}</pre></div>
<div><p class="label">Response</p>${
    response &&
    markup`<pre><b>${response.status} ${response.statusText}</b>
${renderHeaders(response.headers)}</pre>${renderBody(response.body, response.bodyEncoding)}`
  }${fault && markup`<p class="fault">${symbol('fault')} <b>${fault.kind}</b>: ${fault.message}</p>`}</div></div></div>`;
}

function renderDelivery(d: Delivery): Markup {
  return markup`<summary><span class="number">${d.index}</span> <span class="line"><code>${d.method} ${withPills(d.path)}</code> <span class="who">to the receiver</span></span> <span class="probe"></span> <span class="answer delivery">${symbol('delivery')} <span>${OUTCOME.delivery}</span></span> <span class="time">${seconds(d.receivedAtMs)}</span></summary>
<div class="exchange"><p class="meta">Arrived at ${seconds(d.receivedAtMs)} of the run</p><div class="sides"><div><p class="label">Notification</p><pre>${d.method} ${withPills(d.path)}
${renderHeaders(d.headers)}</pre>${renderBody(d.body, d.bodyEncoding)}</div></div></div>`;
}

function renderHeaders(headers: HeaderLines): Markup {
  return markup`${headers.map(([name, value]) => markup`<span class="name">${withPills(name)}</span>: ${withPills(value)}\n`)}`;
}

function renderBody(body: string, encoding: 'utf8' | 'base64'): Markup {
  if (body === '') return markup`<p class="faint">No body.</p>`;
  const cut = body.length > BODY_CHARACTERS;
  const shown = withPills(cut ? body.slice(0, BODY_CHARACTERS) : body).source;
  // Compact JSON may break before a member; a copy of the text is not changed by it.
  const breakable = new Markup(shown.replaceAll(',&quot;', ',<wbr>&quot;'));
  return markup`${encoding === 'base64' && markup`<p class="faint">Not text; in base64:</p>`}<pre class="body">${breakable}</pre>${cut && markup`<p class="faint">The first ${BODY_CHARACTERS} of ${body.length} characters; evidence.har holds them all.</p>`}`;
}

function renderFoot({ conformance, evidence }: ReportInput): Markup {
  const { suite } = conformance;
  return markup`<h2>To reproduce</h2>
<p>The same run again:</p><pre class="curl">${reproduction(conformance)}</pre>
${evidence.exchanges.length > 0 && markup`<p>The same evidence judged again, with nothing sent:</p><pre class="curl">REPLAY=evidence.har npx playwright test</pre>`}
<p>Beside this page: <code>conformance.json</code> for machines, <code>evidence.har</code> with every exchange, <code>junit.xml</code>, <code>summary.md</code>, <code>badge.svg</code>.</p>
<p>Written by ${suite.name} ${suite.version}.</p>`;
}

function reproduction({ target }: Conformance): string {
  if (target.embedded) return 'npx playwright test';
  if (target.accounts.join() !== 'default') return 'TARGET=target.yaml npx playwright test';
  const address = `'${target.baseURL.replaceAll("'", `'\\''`)}'`;
  return `BASE_URL=${address} API_KEY="$API_KEY" npx playwright test`;
}

/** From a finding to the verdict of a clause, and to the message a person reads. */
import type { ClauseText } from '../contract/clauses';
import { textOf } from '../contract/clauses';
import type { ClauseResult, Conformance, RunVerdict, Verdict } from '../contract/result';
import type { Delivery, Evidence, Exchange, HeaderLines } from '../evidence/exchange';
import { MARKER } from '../evidence/markers';
import { curlOf, variableOf } from '../report/curl';
import { visible } from '../visible';
import type { Breach, Finding } from './finding';

/** The result of a clause and what is to be said of it. */
export interface Judgement extends ClauseResult {
  /** The whole message for people, of anything but `pass` and `not-tested`. */
  message: string | null;
  /** A waiver that waives nothing: its clause passes, or its day has passed. */
  note: string | null;
}

/** A finding in which some breaches are only worth a warning, whatever the clause's level. */
export type FindingWithWarnings = Finding & { warnings?: Breach[] };

/**
 * The verdict of one clause, waived where the target says so.
 * @param today `YYYY-MM-DD`: the last day of a waiver still counts.
 */
export function judgementOf(id: string, finding: FindingWithWarnings, evidence: Evidence, today: string): Judgement {
  const text = textOf(id);
  const isMust = text.level === 'must';
  const failures = isMust ? finding.breaches : [];
  const warnings = [...(isMust ? [] : finding.breaches), ...(finding.warnings ?? [])];
  const breaches = [...failures, ...warnings];
  const waiver = evidence.target.waivers.find((one) => one.clause === id);
  const base = { id, level: text.level, section: text.section };
  if (breaches.length === 0) {
    const tested = finding.notTested === null;
    const note = tested && waiver ? `The waiver of ${id} is stale: the clause passes.` : null;
    return {
      ...base,
      verdict: tested ? 'pass' : 'not-tested',
      reason: finding.notTested && sentence(finding.notTested),
      evidence: unique(finding.evidence),
      message: null,
      note,
    };
  }
  const seen = `${capitalised(breaches[0]?.came ?? '')}${breaches.length > 1 ? ` (and ${breaches.length - 1} more like it)` : ''}.`;
  const shown = unique(
    breaches.flatMap((breach) => [...breach.exchanges, ...(breach.deliveries ?? [])].map((one) => one.index)),
  );
  const waives = waiver !== undefined && (waiver.until === undefined || today <= waiver.until);
  const verdict: Verdict = waives ? 'waived' : failures.length > 0 ? 'fail' : 'warn';
  const until = waiver?.until ? ` until ${waiver.until}` : '';
  return {
    ...base,
    verdict,
    reason: waives ? `${seen} Waived${until}: ${waiver.reason}` : seen,
    evidence: shown,
    message: messageOf(text, breaches, evidence, shown),
    note: waiver && !waives ? `The waiver of ${id} ended on ${waiver.until} and waives nothing any more.` : null,
  };
}

/** Clause and statement, what was sent, what came, what would conform, and where the evidence stands. */
function messageOf(text: ClauseText, breaches: Breach[], evidence: Evidence, shown: number[]): string {
  const [first] = breaches;
  const telling = first?.exchanges.at(-1);
  const lines = [`${text.id} (${text.level.toUpperCase()}, section ${text.section}): ${text.statement.trim()}`, ''];
  if (telling) lines.push(`  sent     ${curlOf(telling.request)}`);
  lines.push(`  came     ${first?.came}`);
  if (telling) lines.push(...shownResponse(telling).map((line) => `           ${line}`));
  const [delivery] = first?.deliveries ?? [];
  if (delivery)
    lines.push(...shownDelivery(delivery).map((line, i) => (i === 0 ? `  arrived  ${line}` : `           ${line}`)));
  lines.push(`  conforms ${text.conforms}`);
  if (shown.length > 0) {
    const entries = shown.length > 12 ? `${shown.slice(0, 12).join(', ')}, …` : shown.join(', ');
    lines.push(`  evidence entr${shown.length === 1 ? 'y' : 'ies'} ${entries} of evidence.har`);
  }
  for (const other of breaches.slice(1, 4))
    lines.push(`  also     ${other.came}${other.exchanges[0] ? ` (entry ${other.exchanges[0].index})` : ''}`);
  if (breaches.length > 4) lines.push(`  also     ${breaches.length - 4} more`);
  const variables = telling
    ? [...new Set([...JSON.stringify(telling.request).matchAll(MARKER)].map(([marker]) => variableOf(marker)))]
    : [];
  if (variables.length > 0)
    lines.push(
      `  where    ${variables.map((name) => `$${name}`).join(', ')} stand${variables.length === 1 ? 's' : ''} for what was kept secret; the target is ${evidence.target.baseURL}`,
    );
  return lines.join('\n');
}

/** As much of a line as a document of webhook settings usually takes. */
const LONGEST_LINE = 800;

/** Fields that a clause may turn on; the rest of a response is in the evidence. */
const TELLING_FIELDS = /^(?:x-ratelimit-|retry-after$|date$|content-type$|www-authenticate$|cache-control$|vary$)/i;

function shownResponse(exchange: Exchange): string[] {
  const { response } = exchange;
  if (!response) return [];
  const fields = response.headers.filter(([name]) => TELLING_FIELDS.test(name)).slice(0, 8);
  return linesOf(`${response.status} ${response.statusText}`, fields, response);
}

/** A notification at the suite's own receiver; its header lines are few, and any may be the credentials. */
function shownDelivery(delivery: Delivery): string[] {
  return linesOf(`${delivery.method} ${delivery.path}`, delivery.headers.slice(0, 12), delivery);
}

/** A message of a stranger's, each part on one line and none of them long. */
function linesOf(
  first: string,
  headers: HeaderLines,
  { body, bodyEncoding }: Pick<Delivery, 'body' | 'bodyEncoding'>,
): string[] {
  const fields = headers.map(([name, value]) => `${name}: ${value}`);
  return [first, ...fields, bodyEncoding === 'base64' ? '(not UTF-8)' : body]
    .map((line) => visible(line.replace(/\s+/g, ' ').trim()))
    .filter((line) => line !== '')
    .map((line) => (line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE - 1)}…` : line));
}

function sentence(text: string): string {
  return capitalised(/[.:!?]$/.test(text) ? text : `${text}.`);
}

/** Begins a sentence, unless its first word is a name that has to stay as it is. */
function capitalised(text: string): string {
  return /^[a-z]+(?:[ ,;']|$)/.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
}

function unique(entries: number[]): number[] {
  return [...new Set(entries)].sort((a, b) => a - b);
}

/** MUST clauses of the core profile that have one of some verdicts. */
export function coreMusts(clauses: readonly ClauseResult[], ...verdicts: Verdict[]): ClauseResult[] {
  return clauses.filter(
    ({ id, level, verdict }) => level === 'must' && verdicts.includes(verdict) && textOf(id).profile === 'core',
  );
}

/**
 * Why a server left nothing to judge: none of its answers arrived whole, or none of its accounts' keys was accepted.
 * @param decided the clauses that were to be judged
 * @returns one sentence, or `null` where a clause was judged, or could not be for another reason
 */
export function whyNothingIsJudged(decided: readonly ClauseResult[], evidence: Evidence): string | null {
  if (decided.length === 0 || decided.some(({ verdict }) => verdict !== 'not-tested')) return null;
  const { exchanges, notSent, target } = evidence;
  const broken = exchanges.find(({ fault }) => fault !== null)?.fault;
  if (broken && exchanges.every(({ fault }) => fault !== null))
    return `No answer of ${target.baseURL} arrived whole, so nothing could be judged: the server ${broken.message}.`;
  const isAccepted = (name: string) =>
    !notSent.some(({ probe }) => probe.group === 'account' && probe.account === name);
  return target.accounts.length === 0 || target.accounts.some(({ name }) => isAccepted(name))
    ? null
    : `No key was accepted at ${target.baseURL}/webhooks (auth.accepted), so nothing could be judged: check the keys and the address.`;
}

/** The verdict of a whole run over its clauses. */
export function runVerdictOf(clauses: readonly ClauseResult[], error: string | null): RunVerdict {
  if (error !== null) return 'error';
  if (clauses.some((clause) => clause.level === 'must' && clause.verdict === 'fail')) return 'non-conformant';
  return coreMusts(clauses, 'not-tested', 'waived').length > 0 ? 'incomplete' : 'conformant';
}

export { isPublished } from '../contract/bounds';

/** The verdict of a profile: of its MUST clauses. */
export function profileVerdictOf(clauses: readonly ClauseResult[]): Conformance['profiles']['core'] {
  const musts = clauses.filter((clause) => clause.level === 'must');
  if (musts.some((clause) => clause.verdict === 'fail')) return 'fail';
  return musts.every((clause) => clause.verdict === 'not-tested') ? 'not-tested' : 'pass';
}

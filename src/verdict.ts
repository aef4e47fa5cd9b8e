/** From a finding to the verdict of a clause, and to the message a person reads. */
import type { ClauseText } from './clauses';
import { textOf } from './clauses';
import type { ClauseResult, Conformance, RunVerdict, Verdict } from './conformance';
import type { Delivery, Evidence, Exchange } from './exchange';
import type { Breach, Finding } from './judge/finding';
import { MARKER } from './markers';
import { curlOf, variableOf } from './report/curl';

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
      reason: finding.notTested,
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

/** Fields that a clause may turn on; the rest of a response is in the evidence. */
const TELLING_FIELDS = /^(?:x-ratelimit-|retry-after$|date$|content-type$|www-authenticate$|cache-control$|vary$)/i;

function shownResponse(exchange: Exchange): string[] {
  const { response } = exchange;
  if (!response) return [];
  const fields = response.headers
    .filter(([name]) => TELLING_FIELDS.test(name))
    .map(([name, value]) => `${name}: ${value}`);
  const body = printable(response.bodyEncoding === 'base64' ? '(not UTF-8)' : response.body);
  return [
    `${response.status} ${response.statusText}`.trim(),
    ...fields.slice(0, 8).map(printable),
    ...(body ? [body] : []),
  ].map((line) => (line.length > 300 ? `${line.slice(0, 297)}…` : line));
}

/** A notification at the suite's own receiver; its header lines are few, and any may be the credentials. */
function shownDelivery({ method, path, headers, body, bodyEncoding }: Delivery): string[] {
  return [
    `${method} ${path}`,
    ...headers.slice(0, 12).map(([name, value]) => `${name}: ${value}`),
    bodyEncoding === 'base64' ? '(not UTF-8)' : body,
  ]
    .map(printable)
    .filter((line) => line !== '')
    .map((line) => (line.length > 300 ? `${line.slice(0, 297)}…` : line));
}

/** A stranger's text on one line, without what a terminal would obey. */
function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]+/g, ' ').trim();
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function unique(entries: number[]): number[] {
  return [...new Set(entries)].sort((a, b) => a - b);
}

/** The verdict of a whole run over its clauses. */
export function runVerdictOf(
  clauses: readonly ClauseResult[],
  profileOf: (id: string) => string,
  error: string | null,
): RunVerdict {
  if (error !== null) return 'error';
  const musts = clauses.filter((clause) => clause.level === 'must');
  if (musts.some((clause) => clause.verdict === 'fail')) return 'non-conformant';
  const core = musts.filter((clause) => profileOf(clause.id) === 'core');
  const open = core.some((clause) => clause.verdict === 'not-tested' || clause.verdict === 'waived');
  return open ? 'incomplete' : 'conformant';
}

/** The verdict of a profile: of its MUST clauses. */
export function profileVerdictOf(clauses: readonly ClauseResult[]): Conformance['profiles']['core'] {
  const musts = clauses.filter((clause) => clause.level === 'must');
  if (musts.some((clause) => clause.verdict === 'fail')) return 'fail';
  return musts.every((clause) => clause.verdict === 'not-tested') ? 'not-tested' : 'pass';
}

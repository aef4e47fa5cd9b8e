/** The words and figures that every form of the report shares. */

import type { ClauseText } from '../clauses';
import type { Change, ClauseResult, Conformance, RunVerdict, Verdict } from '../conformance';
import type { Evidence, Exchange } from '../exchange';
import { valuesOf } from '../judge/headers';
import { type Outcome as Judged, outcomeOf as judgedOutcomeOf } from '../judge/outcome';
import type { ReportInput } from './input';

export const VERDICT: Record<Verdict, { glyph: string; word: string }> = {
  fail: { glyph: '✕', word: 'failed' },
  warn: { glyph: '!', word: 'warning' },
  waived: { glyph: '~', word: 'waived' },
  'not-tested': { glyph: '–', word: 'not tested' },
  pass: { glyph: '✓', word: 'passed' },
};

export const RUN_VERDICT: Record<RunVerdict, { glyph: string; word: string }> = {
  'non-conformant': { glyph: '✕', word: 'Non-conformant' },
  error: { glyph: '!', word: 'Not judged' },
  incomplete: { glyph: '', word: 'Incomplete' },
  conformant: { glyph: '✓', word: 'Conformant' },
};

const AREA: Record<string, string> = {
  auth: 'Authentication',
  settings: 'Webhook settings',
  rate: 'Rate limit',
  version: 'Version',
  event: 'Notifications',
  transport: 'Transport',
};

export const areaTitle = (area: string): string => AREA[area] ?? area;
export const areaOf = (id: string): string => id.split('.', 1)[0] ?? id;

export function plural(count: number, noun: string, nouns = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : nouns}`;
}

export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

export function sectionName(section: string): string {
  return /^\d/.test(section) ? `§ ${section}` : section.replace(/^(RFC \d+) (.+)$/, '$1 § $2');
}

/** Remarks on the run as a whole. */
export function remarks({ conformance, notes = [] }: ReportInput): string[] {
  const unchanged = conformance.changes?.length === 0;
  return unchanged ? [...notes, 'Nothing changed since the baseline, neither verdicts nor observations.'] : notes;
}

export function countVerdicts(clauses: ClauseResult[]): Record<Verdict, number> {
  const counts: Record<Verdict, number> = { fail: 0, warn: 0, waived: 0, 'not-tested': 0, pass: 0 };
  for (const clause of clauses) counts[clause.verdict] += 1;
  return counts;
}

/** "3 failed, 1 warning, 58 passed": what there is none of is left out. */
export function countsInWords(counts: Record<Verdict, number>, separator = ', '): string {
  const words = (Object.keys(VERDICT) as Verdict[]).filter((verdict) => counts[verdict] > 0);
  return words
    .map((verdict) =>
      verdict === 'warn' ? plural(counts.warn, 'warning') : `${counts[verdict]} ${VERDICT[verdict].word}`,
    )
    .join(separator);
}

/** The verdict of the run in one sentence. */
export function verdictSentence({ verdict, clauses, error }: Conformance): string {
  const failed = clauses.filter((clause) => clause.verdict === 'fail').length;
  if (verdict === 'error') return error ?? 'The run could not be done.';
  if (verdict === 'non-conformant')
    return `${plural(failed, 'clause of the contract is', 'clauses of the contract are')} broken.`;
  if (verdict === 'incomplete')
    return 'Nothing that was tested is broken, but not all that is demanded could be judged.';
  return 'Every demand of the core profile was tested and holds.';
}

/** "Core profile passed, event profile not tested." */
export function profilesInWords({ profiles }: Conformance): string {
  const word = { pass: 'passed', fail: 'failed', 'not-tested': 'not tested' };
  return `Core profile ${word[profiles.core]}, event profile ${word[profiles.event]}.`;
}

/** Everything that stands between a run and a certificate; empty where it can be certified. */
export function obstacles(conformance: Conformance): string[] {
  if (conformance.certifiable) return [];
  if (conformance.verdict === 'error') return ['the run could not be done'];
  const { requests, seconds } = conformance.target.rate;
  const musts = conformance.clauses.filter((clause) => clause.level === 'must');
  const ids = (clauses: ClauseResult[]) => {
    const shown = clauses.slice(0, 5).map((clause) => clause.id);
    return `${shown.join(', ')}${clauses.length > shown.length ? ` and ${clauses.length - shown.length} more` : ''}`;
  };
  const failed = musts.filter((clause) => clause.verdict === 'fail');
  const waived = conformance.clauses.filter((clause) => clause.verdict === 'waived');
  const untested = musts.filter((clause) => clause.verdict === 'not-tested' && areaOf(clause.id) !== 'event');
  const found = [
    failed.length > 0 && (failed.length === 1 ? 'a clause is broken' : 'clauses are broken'),
    (requests !== 1 || seconds !== 1) &&
      `the rate was declared as ${plural(requests, 'request')} per ${seconds} s, not the published 1 per 1 s`,
    waived.length > 0 && `waived: ${ids(waived)}`,
    untested.length > 0 && `not tested: ${ids(untested)}`,
  ].filter((sentence) => sentence !== false);
  return found.length > 0 ? found : ['the run did not meet the conditions for certification'];
}

/** Clauses that were not tested, by what would make them testable, the most useful first. */
export function untestedByReason(
  conformance: Conformance,
  texts: readonly ClauseText[],
): Array<[reason: string, ids: string[]]> {
  const groups = new Map<string, string[]>();
  for (const { id, verdict, reason } of conformance.clauses) {
    if (verdict !== 'not-tested') continue;
    const why = reason ?? texts.find((text) => text.id === id)?.needs ?? 'No reason was recorded.';
    groups.set(why, [...(groups.get(why) ?? []), id]);
  }
  return [...groups].sort((a, b) => b[1].length - a[1].length);
}

export type ChangeKind = 'changed' | 'new' | 'gone';

export function changeKind({ from, to }: Change): ChangeKind {
  if (from === null || from === undefined) return 'new';
  return to === null || to === undefined ? 'gone' : 'changed';
}

/** What broke comes first, then other changes of verdicts, new and vanished clauses, observations. */
export function changesInOrder(changes: Change[]): Change[] {
  const rank = (change: Change) => {
    if (change.id.startsWith('observations.')) return 9;
    return { changed: 1, new: 3, gone: 5 }[changeKind(change)] - (change.to === 'fail' ? 1 : 0);
  };
  return [...changes].sort((a, b) => rank(a) - rank(b));
}

/** A value of an observation, or a list of them, as people read it. */
export function valueInWords(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.length > 0 ? value.map(valueInWords).join(', ') : 'none';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

export function reproduction({ target }: Conformance): string {
  if (target.embedded) return 'npx playwright test';
  if (target.accounts.join() !== 'default') return 'TARGET=target.yaml npx playwright test';
  const address = `'${target.baseURL.replaceAll("'", `'\\''`)}'`;
  return `BASE_URL=${address} API_KEY="$API_KEY" npx playwright test`;
}

export type Outcome = Judged | 'admitted';

/** As judged, but a success without a valid key is told apart (a CORS preflight, which carries none, may succeed). */
export function outcomeOf(exchange: Exchange, evidence: Evidence): Outcome {
  const outcome = judgedOutcomeOf(exchange, evidence);
  const admitted = outcome === 'accepted' && exchange.account === null && exchange.request.method !== 'OPTIONS';
  return admitted ? 'admitted' : outcome;
}

export function headerOf(exchange: Exchange, name: string): string | null {
  const values = valuesOf(exchange, name);
  return values.length > 0 ? values.join(', ') : null;
}

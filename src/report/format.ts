/** Words and figures that several forms of the report share. */
import { groupedBy } from '../common/grouped';
import { plural } from '../common/text';
import type { ClauseResult, Conformance, Verdict } from '../contract/result';
import { isFailure, judgedIn, type Trend } from '../history/changes';
import type { ClauseView } from './model';

/** The sign and the word for the verdict of a clause, the most urgent first. */
export const VERDICT: Record<Verdict, { glyph: string; word: string }> = {
  fail: { glyph: '✕', word: 'failed' },
  warn: { glyph: '!', word: 'warning' },
  waived: { glyph: '~', word: 'waived' },
  'not-tested': { glyph: '–', word: 'not tested' },
  inapplicable: { glyph: '○', word: 'inapplicable' },
  pass: { glyph: '✓', word: 'passed' },
};

export const VERDICTS = Object.keys(VERDICT) as Verdict[];

/** The headings of the areas. */
export const AREA: Readonly<Record<string, string>> = {
  auth: 'Authentication',
  settings: 'Webhook settings',
  rate: 'Rate limit',
  version: 'Version',
  event: 'Notifications',
  transport: 'Transport',
};

export function clausesByArea(clauses: readonly ClauseView[]): Array<[area: string, own: ClauseView[]]> {
  return [...groupedBy(clauses, ({ area }) => area)];
}

/** Returns the results that have one of the verdicts. */
export function having<Result extends { verdict: string }>(
  results: readonly Result[],
  ...verdicts: Array<Result['verdict']>
): Result[] {
  return results.filter(({ verdict }) => verdicts.includes(verdict));
}

/** Whether a run was asked to test a clause. */
export function isSelected({ untested }: ClauseResult): boolean {
  return untested !== 'not-selected';
}

/** Returns the texts that are neither absent nor empty. */
export function compact(...parts: Array<string | false | null | undefined>): string[] {
  return parts.flatMap((part) => part || []);
}

/** Returns milliseconds for people: "310 ms", "9.1 s", "1 min 40 s". */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** Returns a moment of the run: "3.160 s". */
export function momentInWords(ms: number): string {
  return `${(ms / 1000).toFixed(3)} s`;
}

/** Returns a section of the API description as "§ 5", of an RFC as "RFC 9110 § 15.5". @param sign instead of "§" */
export function sectionName(section: string, sign = '§'): string {
  return /^\d/.test(section) ? `${sign} ${section}` : section.replace(/^(RFC \d+) (.+)$/, `$1 ${sign} $2`);
}

/** Returns the first line of a text, such as a reason that goes on with details. */
export function firstLine(text: string): string {
  return text.trim().split(/\r\n|\n|\r/, 1)[0] ?? '';
}

/** Returns the level of a clause and where it comes from: "MUST, § 5". @param sign instead of "§" */
export function standingOf({ level, section }: Pick<ClauseResult, 'level' | 'section'>, sign?: string): string {
  return `${level.toUpperCase()}, ${sectionName(section, sign)}`;
}

/** Of more clauses than this only the number is shown at first: an interrupted run leaves all of them open. */
export const MOST_IDS = 10;

/** A longer list of entries is cut: who wants all of them reads the evidence. */
export const MOST_LISTED = 5;

/** Such as "entry 3" or "entries 3, 4, 8, 9, 12 and 31 more". */
export function entriesInWords(entries: readonly number[]): string {
  const more = entries.length - MOST_LISTED;
  const named = entries.slice(0, MOST_LISTED).join(', ');
  return `${entries.length === 1 ? 'entry' : 'entries'} ${named}${more > 0 ? ` and ${more} more` : ''}`;
}

/** Returns the remarks on the run as a whole. One says if nothing changed. */
export function remarks({ changes, notes }: Conformance): string[] {
  const unchanged = changes?.length === 0;
  return unchanged ? [...notes, 'No verdict and no observation changed.'] : notes;
}

/** Returns the word for a count of clauses with a verdict: "failed", "warnings". */
export function countedWord(verdict: Verdict, count: number): string {
  return verdict === 'warn' && count !== 1 ? 'warnings' : VERDICT[verdict].word;
}

/** Such as "3 failed, 1 warning, 58 passed". A verdict that no clause has is left out. */
export function countsInWords(results: ReadonlyArray<{ verdict: Verdict }>): string {
  const counts = VERDICTS.map((verdict) => {
    const { length } = having(results, verdict);
    return length > 0 && `${length} ${countedWord(verdict, length)}`;
  });
  return compact(...counts).join(', ');
}

/** Such as "1 request per second" or "3 requests per 5 s". */
export function rateInWords({ rate: { requests, seconds } }: Conformance['target']): string {
  return `${plural(requests, 'request')} per ${seconds === 1 ? 'second' : `${seconds} s`}`;
}

/** Returns a value of an observation, or a list of them, as people read it. */
export function valueInWords(value: unknown): string {
  if (value === null) return '';
  if (Array.isArray(value)) return value.length > 0 ? value.map(valueInWords).join(', ') : 'none';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Returns since when a clause has failed, and whether it fails only now and then. */
export function trendInWords({ failsSince, failsThroughout, isFlapping, strip }: Trend): string {
  const judged = judgedIn(strip);
  const failed = judged.filter(isFailure).length;
  const day = failsSince?.slice(0, 10);
  const since = `failing since ${day}${failsThroughout ? ' or earlier' : ''}`;
  const flaps = `intermittent: failed in ${failed} of the last ${plural(judged.length, 'run')}`;
  return compact(isFlapping && flaps, failsSince !== null && since).join('; ');
}

/** Puts pieces of a text together to lines that are shorter than a width. */
export function filled(pieces: readonly string[], width: number, between = ''): string[] {
  const lines: string[] = [];
  for (const piece of pieces) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + piece.length < width) lines[lines.length - 1] = last + between + piece;
    else lines.push(piece);
  }
  return lines;
}

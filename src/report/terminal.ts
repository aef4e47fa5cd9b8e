/** What the terminal shows: failures as they come, and a short table at the end. */
import { textOf } from '../clauses';
import type { Change, ClauseResult, Conformance, RunVerdict } from '../conformance';
import type { FleetTarget } from './input';

const WIDTH = 118;
/** Why a clause has no verdict that the run was not asked for. */
export const NOT_SELECTED = 'Not selected in this run.';

/**
 * The closing table: verdict, figures, failed clauses, warnings, waivers, what was not tested and why.
 * @param where the results are; `null` where they could not be written
 */
export function closingTable(result: Conformance, notes: readonly string[], where: string | null): string {
  const count = (verdict: string) => result.clauses.filter((clause) => clause.verdict === verdict).length;
  const lines = [
    '',
    rule(` ${result.verdict.toUpperCase()}${result.target.baseURL === '' ? '' : `: ${result.target.name}`} `),
  ];
  if (result.error !== null)
    return [...lines, ...result.error.split('\n').flatMap((line) => wrapped(line, '  ')), ...ending(where)].join('\n');
  lines.push(
    `  ${result.target.baseURL}, accounts: ${result.target.accounts.join(', ')}${rateNote(result)}`,
    `  ${count('pass')} passed, ${count('fail')} failed, ${count('warn')} warnings, ${count('waived')} waived, ${count('not-tested')} not tested`,
    `  ${result.requests} request${result.requests === 1 ? '' : 's'} in ${seconds(result.durationMs)}, of which ${seconds(result.waitedMs)} waiting for windows of the rate limit`,
    `  ${result.certifiable ? 'certifiable' : `not certifiable: ${whyNotCertifiable(result)}`}`,
  );
  lines.push(
    ...section(
      'failed',
      result.clauses.filter((clause) => clause.verdict === 'fail'),
    ),
  );
  lines.push(
    ...section(
      'warnings',
      result.clauses.filter((clause) => clause.verdict === 'warn'),
    ),
  );
  lines.push(
    ...section(
      'waived',
      result.clauses.filter((clause) => clause.verdict === 'waived'),
    ),
  );
  lines.push(...notTestedSection(result.clauses.filter((clause) => clause.verdict === 'not-tested')));
  if (result.changes) lines.push(...changesSection(result.changes));
  if (notes.length > 0) lines.push('', '  notes', ...notes.flatMap((note) => wrapped(note, '    ')));
  return [...lines, ...ending(where)].join('\n');
}

/** What one line says of a target among many. */
export function targetLine({ name, verdict, failed, durationMs, conformance }: FleetTarget, width = 0): string {
  const what =
    verdict === 'error'
      ? (conformance?.error ?? 'not finished').replace(/\s+/g, ' ')
      : failed.length > 0
        ? `${failed.length} failed: ${failed.join(', ')}`
        : `${conformance?.clauses.filter((clause) => clause.verdict === 'pass').length ?? 0} passed`;
  const line = `  ${verdict.padEnd('non-conformant'.length)}  ${name.padEnd(width)}  ${seconds(durationMs).padStart(7)}  ${what}`;
  return line.length > WIDTH ? `${line.slice(0, WIDTH - 1)}…` : line;
}

/** The closing table of many targets, the worst first. */
export function fleetTable(targets: readonly FleetTarget[], where: string | null): string {
  const order: RunVerdict[] = ['non-conformant', 'error', 'incomplete', 'conformant'];
  const counts = order
    .map((verdict) => [verdict, targets.filter((target) => target.verdict === verdict)] as const)
    .filter(([, these]) => these.length > 0);
  const width = Math.max(0, ...targets.map((target) => target.name.length));
  const title = counts.map(([verdict, these]) => `${these.length} ${verdict}`).join(', ') || 'none';
  return [
    '',
    rule(` ${targets.length} ${targets.length === 1 ? 'target' : 'targets'}: ${title} `),
    ...counts.flatMap(([, these]) => these.map((target) => targetLine(target, width))),
    ...ending(where),
  ].join('\n');
}

function ending(where: string | null): string[] {
  return [rule(''), ...(where === null ? [] : [`  results in ${where}`]), ''];
}

/** Why a result certifies nothing, in a few words. */
export function whyNotCertifiable(result: Conformance): string {
  const { rate } = result.target;
  const reasons: string[] = [];
  if (result.verdict === 'non-conformant') reasons.push('a MUST failed');
  if (rate.requests !== 1 || rate.seconds !== 1) reasons.push('not judged at the published rate');
  if (result.clauses.some((clause) => clause.verdict === 'waived')) reasons.push('a failure is waived');
  const untested = result.clauses.filter(
    (one) => one.verdict === 'not-tested' && one.level === 'must' && textOf(one.id).profile === 'core',
  );
  if (untested.length > 0)
    reasons.push(`${untested.length} MUST ${untested.length === 1 ? 'clause was' : 'clauses were'} not tested`);
  return reasons.join(', ') || 'the run could not be done';
}

function rateNote({ target: { rate } }: Conformance): string {
  return rate.requests === 1 && rate.seconds === 1 ? '' : `, declared rate: ${rate.requests} per ${rate.seconds} s`;
}

function section(title: string, clauses: ClauseResult[]): string[] {
  if (clauses.length === 0) return [];
  const width = Math.max(...clauses.map((clause) => clause.id.length));
  return ['', `  ${title}`, ...clauses.flatMap((clause) => row(clause.id.padEnd(width), clause.reason ?? ''))];
}

/** Clauses that share a reason stand together. */
function notTestedSection(clauses: ClauseResult[]): string[] {
  if (clauses.length === 0) return [];
  const byReason = new Map<string, string[]>();
  for (const { id, reason } of clauses) byReason.set(reason ?? '', [...(byReason.get(reason ?? '') ?? []), id]);
  const lines = [...byReason].flatMap(([reason, ids]) =>
    // Who chose a few clauses need not be told all the others.
    reason === NOT_SELECTED
      ? [`    ${ids.length} clauses that were not selected`]
      : [...wrapped(ids.join(', '), '    '), ...wrapped(reason, '      ')],
  );
  return ['', '  not tested', ...lines];
}

function changesSection(changes: Change[]): string[] {
  if (changes.length === 0) return ['', '  nothing changed since the baseline'];
  return [
    '',
    '  changed since the baseline',
    ...changes.flatMap(({ id, from, to }) => wrapped(`${id}: ${changed(from, to)}`, '    ')),
  ];
}

/** A change in words: new and vanished are told apart from changed. */
export function changed(from: unknown, to: unknown): string {
  if (from === null) return `new: ${shown(to)}`;
  if (to === null) return `vanished (was ${shown(from)})`;
  return `${shown(from)} -> ${shown(to)}`;
}

function shown(value: unknown): string {
  return Array.isArray(value)
    ? value.map((item) => (typeof item === 'string' ? item : JSON.stringify(item))).join(', ')
    : String(value);
}

function row(label: string, text: string): string[] {
  const indent = ' '.repeat(label.length + 6);
  return wrapped(text, indent).map((line, i) => (i === 0 ? `    ${label}  ${line.trimStart()}` : line));
}

/** Breaks a text into lines of the terminal's width. */
function wrapped(text: string, indent: string): string[] {
  const lines: string[] = [];
  for (const word of text.replace(/\s+/g, ' ').trim().split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < WIDTH) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(indent + word);
  }
  return lines;
}

function rule(title: string): string {
  return title === '' ? '─'.repeat(WIDTH) : `──${title}${'─'.repeat(Math.max(0, WIDTH - 2 - title.length))}`;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

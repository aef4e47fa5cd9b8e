/** What the terminal shows: a line for each of many targets as it ends, and a table at the end. */
import type { Change, ClauseResult, Conformance, Verdict } from '../contract/result';
import { isPublished } from '../judge/verdict';
import { changeKind, changesInOrder } from './changes';
import type { FleetTarget, ReportInput } from './model';
import {
  countVerdicts,
  duration,
  NOT_SELECTED,
  obstacles,
  plural,
  rateInWords,
  remarks,
  targetsByVerdict,
  untestedByReason,
  valueInWords,
} from './words';

const WIDTH = 118;

/**
 * The closing table: verdict, figures, failed clauses, warnings, waivers, what was not tested and why.
 * @param where the results are; `null` where they could not be written
 */
export function closingTable(input: ReportInput, where: string | null): string {
  const { verdict, target, error, clauses, certifiable, changes, requests, durationMs, waitedMs } = input.conformance;
  const head = ['', rule(` ${verdict.toUpperCase()}${target.baseURL === '' ? '' : `: ${target.name}`} `)];
  if (error !== null)
    return [...head, ...error.split('\n').flatMap((line) => wrapped(line, '  ')), ...ending(where)].join('\n');
  const counts = countVerdicts(clauses);
  const rate = isPublished(target.rate) ? '' : `, declared rate: ${rateInWords(target)}`;
  const notes = remarks(input);
  return [
    ...head,
    `  ${target.baseURL}, accounts: ${target.accounts.join(', ')}${rate}`,
    `  ${counts.pass} passed, ${counts.fail} failed, ${plural(counts.warn, 'warning')}, ${counts.waived} waived, ${counts['not-tested']} not tested`,
    `  ${plural(requests, 'request')} in ${duration(durationMs)}, of which ${duration(waitedMs)} waiting for windows of the rate limit`,
    ...(certifiable ? ['  certifiable'] : wrapped(`not certifiable: ${obstacles(input.conformance).join('; ')}`, '  ')),
    ...section('failed', clauses, 'fail'),
    ...section('warnings', clauses, 'warn'),
    ...section('waived', clauses, 'waived'),
    ...notTestedSection(input.conformance),
    ...(changes?.length ? ['', '  changed since the baseline', ...changesInOrder(changes).flatMap(changeLines)] : []),
    ...(notes.length > 0 ? ['', '  notes', ...notes.flatMap((note) => wrapped(note, '    '))] : []),
    ...ending(where),
  ].join('\n');
}

/** What one line says of a target among many, whose name is padded to a width. */
export function targetLine({ name, verdict, failed, durationMs, conformance }: FleetTarget, width = 0): string {
  const what =
    verdict === 'error'
      ? (conformance?.error ?? 'not finished').replace(/\s+/g, ' ')
      : failed.length > 0
        ? `${failed.length} failed: ${failed.join(', ')}`
        : `${countVerdicts(conformance?.clauses ?? []).pass} passed`;
  const line = `  ${verdict.padEnd('non-conformant'.length)}  ${name.padEnd(width)}  ${duration(durationMs).padStart(10)}  ${what}`;
  // What could not be done ends with what to do.
  return line.length > WIDTH && verdict !== 'error' ? `${line.slice(0, WIDTH - 1)}…` : line;
}

/** The closing table of many targets, the worst first. */
export function fleetTable(targets: readonly FleetTarget[], where: string): string {
  const byVerdict = targetsByVerdict(targets);
  const width = Math.max(0, ...targets.map((target) => target.name.length));
  const title = byVerdict.map(([verdict, some]) => `${some.length} ${verdict}`).join(', ') || 'none';
  return [
    '',
    rule(` ${plural(targets.length, 'target')}: ${title} `),
    ...byVerdict.flatMap(([, some]) => some.map((target) => targetLine(target, width))),
    ...ending(where),
  ].join('\n');
}

function ending(where: string | null): string[] {
  return [rule(''), ...(where === null ? [] : [`  results in ${where}`]), ''];
}

function section(title: string, clauses: ClauseResult[], verdict: Verdict): string[] {
  const some = clauses.filter((clause) => clause.verdict === verdict);
  if (some.length === 0) return [];
  const width = Math.max(...some.map((clause) => clause.id.length));
  return ['', `  ${title}`, ...some.flatMap((clause) => row(clause.id.padEnd(width), clause.reason ?? ''))];
}

function notTestedSection(conformance: Conformance): string[] {
  const lines = untestedByReason(conformance).flatMap(([reason, ids]) =>
    // Who chose a few clauses need not be told all the others.
    reason === NOT_SELECTED
      ? [`    ${plural(ids.length, 'clause that was', 'clauses that were')} not selected`]
      : [...wrapped(ids.join(', '), '    '), ...wrapped(reason, '      ')],
  );
  return lines.length > 0 ? ['', '  not tested', ...lines] : [];
}

function changeLines(change: Change): string[] {
  const [from, to] = [valueInWords(change.from), valueInWords(change.to)];
  const what = { new: `new: ${to}`, gone: `gone (was ${from})`, changed: `${from} -> ${to}` }[changeKind(change)];
  return wrapped(`${change.id}: ${what}`, '    ');
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

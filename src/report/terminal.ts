/** What the terminal shows: a table at the end, and for many targets a line for each as it ends. */

import { join } from 'node:path';
import { isPublished } from '../contract/bounds';
import {
  countsInWords,
  duration,
  errorOf,
  filled,
  having,
  isSelected,
  obstacles,
  plural,
  rateInWords,
  remarks,
  targetsByVerdict,
  VERDICT,
  verdictSentence,
  verdictWord,
} from './format';
import type { FleetTarget, ReportInput } from './model';
import { type Cell, causeTables, changesTable, nightsTable, ownTable, type Table, untestedTable } from './tables';

const WIDTH = 118;
/** If a first cell is longer than this, the first cells of the table stand on lines of their own. */
const WIDEST_LABEL = 40;

/**
 * Returns the closing table: the verdict, what to fix by its cause, where to look; then what was not tested and why,
 * what changed, and the figures.
 * @param where the directory of the results; `null` if they could not be written
 */
export function closingTable(input: ReportInput, where: string | null): string {
  const { conformance, history } = input;
  const { verdict, target, certifiable, own, clauses, requests, durationMs, waitedMs } = conformance;
  const title = `${verdictWord(input).toUpperCase()}${target.baseURL === '' ? '' : `: ${target.name}`}`;
  const sentences = verdictSentence(input)
    .split('\n')
    .flatMap((line) => wrapped(line, '  '));
  const open = where === null ? [] : [`  open ${join(where, 'index.html')}`];
  if (verdict === 'error') return framed(title, [sentences, open]);
  const [broken = [], ...others] = causeTables(input).map(block);
  const pressing = history?.trends.filter(({ failsSince, isFlapping }) => failsSince !== null || isFlapping) ?? [];
  const unselected = clauses.filter((clause) => !isSelected(clause)).length;
  const rate = isPublished(target.rate) ? '' : `, declared rate: ${rateInWords(target)}`;
  return framed(title, [
    sentences,
    broken,
    open,
    ...others,
    block(untestedTable(conformance)),
    unselected > 0 ? [`  ${plural(unselected, 'clause that was', 'clauses that were')} not selected`] : [],
    // Only the own tests that failed are listed.
    own.length > 0 ? [`  ${ownTable({ own }).title}`, ...linesOf(ownTable({ own: having(own, 'fail') }))] : [],
    block(changesTable(conformance)),
    block(nightsTable(history && { ...history, trends: pressing })),
    block({ title: 'Notes', rows: remarks(input).map((note) => [note]) }),
    [
      `  ${target.baseURL}, accounts: ${target.accounts.join(', ')}${rate}`,
      `  ${countsInWords(clauses)}`,
      `  ${plural(requests, 'request')} in ${duration(durationMs)}, of which ${duration(waitedMs)} waiting for windows of the rate limit`,
      ...wrapped(certifiable ? 'certifiable' : `not certifiable: ${obstacles(conformance).join('; ')}`, '  '),
    ],
  ]);
}

/** Returns a table with its title; nothing if it has no rows. */
function block(table: Pick<Table, 'title' | 'rows'>): string[] {
  return table.rows.length === 0 ? [] : [`  ${table.title}`, ...linesOf(table)];
}

/** Returns the rows of a table: the first cell, and beside it or below it the others. */
function linesOf({ rows }: Pick<Table, 'rows'>): string[] {
  const texts = rows.map((row) => {
    const [label = '', ...rest] = row.map(textOf);
    return { label, rest: rest.filter(Boolean) };
  });
  const width = Math.max(0, ...texts.map(({ label }) => label.length));
  return texts.flatMap(({ label, rest }) => {
    if (width > WIDEST_LABEL || rest.length === 0)
      return [...wrapped(label, '    '), ...rest.flatMap((text) => wrapped(text, '      '))];
    const beside = rest.flatMap((text) => wrapped(text, ' '.repeat(width + 6)));
    return beside.map((line, i) => (i === 0 ? `    ${label.padEnd(width)}  ${line.trimStart()}` : line));
  });
}

function textOf(cell: Cell): string {
  if (typeof cell === 'string') return cell;
  if (Array.isArray(cell)) return cell.map(textOf).filter(Boolean).join(' ');
  if ('code' in cell) return cell.code;
  if ('clauses' in cell) return cell.clauses.join(', ');
  if ('verdict' in cell) return VERDICT[cell.verdict].word;
  return 'link' in cell ? cell.link : '';
}

/**
 * Returns a target of many as one line. An error stands below it in full, because its end says what to do.
 * @param width to which the name is padded
 */
export function targetLine(target: FleetTarget, width = 0): string {
  const { name, verdict, durationMs, failed, failures, conformance } = target;
  const columns = [verdict.padEnd('non-conformant'.length), name.padEnd(width), duration(durationMs).padStart(10)];
  const head = `  ${columns.join('  ')}`;
  const error = errorOf(target);
  if (error !== null) return [head, ...wrapped(error, '      ')].join('\n');
  const outcome =
    failed.length > 0
      ? `${failed.length} failed: ${failed.join(', ')}`
      : failures.length > 0
        ? `the run failed: ${failures.join(' ')}`
        : countsInWords(conformance?.clauses ?? []);
  const line = `${head}  ${outcome}`;
  return line.length > WIDTH ? `${line.slice(0, WIDTH - 1)}…` : line;
}

/** Returns the closing table of many targets, the worst first. */
export function fleetTable(targets: readonly FleetTarget[], where: string): string {
  const byVerdict = targetsByVerdict(targets);
  const width = Math.max(0, ...targets.map((target) => target.name.length));
  const title = byVerdict.map(([verdict, some]) => `${some.length} ${verdict}`).join(', ') || 'none';
  return framed(`${plural(targets.length, 'target')}: ${title}`, [
    byVerdict.flatMap(([, some]) => some.map((target) => targetLine(target, width))),
    [`  open ${join(where, 'index.html')}`],
  ]);
}

/** Breaks a text into lines of the terminal's width. */
function wrapped(text: string, indent: string): string[] {
  const words = text.replace(/\s+/g, ' ').trim().split(' ');
  return filled(words, WIDTH - indent.length, ' ').map((line) => indent + line);
}

/** Returns blocks of lines between two rules. An empty line separates them, and an empty block is left out. */
function framed(title: string, [first = [], ...others]: string[][]): string {
  const rule = `── ${title} ${'─'.repeat(Math.max(0, WIDTH - 4 - title.length))}`;
  const rest = others.filter((block) => block.length > 0).flatMap((block) => ['', ...block]);
  return ['', rule, ...first, ...rest, '─'.repeat(WIDTH), ''].join('\n');
}

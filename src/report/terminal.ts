/** What the terminal shows: a table at the end, and for many targets a line for each as it ends. */
import { join } from 'node:path';
import { compact, cut, plural } from '../common/text';
import { isPublished } from '../contract/bounds';
import { type Cell, type Table, tablesOf } from './tables';
import {
  bannerOf,
  countsInWords,
  duration,
  type FleetTarget,
  filled,
  having,
  MOST_IDS,
  obstacles,
  partOf,
  type ReportInput,
  rateInWords,
  runOutcomeOf,
  targetsByOutcome,
  VERDICT,
} from './words';

/** Lines are no longer than this on any terminal, so that they stay readable. */
export const WIDEST = 118;
/** If a first cell takes more than this part of a line, the first cells of the table stand on lines of their own. */
const WIDEST_LABEL = 1 / 3;

/**
 * Returns the closing table: the verdict, what to fix by its cause, where to look; then what was not tested and why,
 * what changed, and the figures.
 * @param where the directory of the results; `null` if they could not be written
 */
export function closingTable(input: ReportInput, where: string | null, width = WIDEST): string {
  const { conformance } = input;
  const { verdict, target, certifiable, own } = conformance;
  const { word, name, sentence, figures } = bannerOf(input);
  const sentences = sentence.split('\n').map((line) => `  ${line.trim()}`);
  const open = where === null ? [] : [`  open ${join(where, 'index.html')}`];
  const title = compact(word.toUpperCase(), name).join(': ');
  if (verdict === 'error') return framed(title, [sentences, open], width);
  const block = ({ title, rows }: Pick<Table, 'title' | 'rows'>, hasToShow = rows.length > 0) =>
    hasToShow ? [`  ${title}`, ...linesOf(rows, width)] : [];
  const tables = tablesOf(input);
  const [broken = [], ...others] = tables.toActOn.map((table) => block(table));
  // Only the own tests that failed are listed.
  const failed = tables.own.rows.slice(0, having(own, 'fail').length);
  const { selected, isPart } = partOf(conformance);
  const rate = isPublished(target.rate) ? '' : `, declared rate: ${rateInWords(target)}`;
  const blocks = [
    sentences,
    broken,
    open,
    ...others,
    block(tables.untested),
    block({ ...tables.own, rows: failed }, own.length > 0),
    block(tables.changes),
    block(tables.history),
    block({ title: 'Notes', rows: conformance.notes.map((note) => [note]) }),
    compact(
      `${target.baseURL}, accounts: ${target.accounts.join(', ')}${rate}`,
      countsInWords(selected),
      figures,
      // A part is never certified.
      !isPart && (certifiable ? 'can be certified' : `cannot be certified: ${obstacles(conformance).join('; ')}`),
    ).map((line) => `  ${line}`),
  ];
  return framed(title, blocks, width);
}

function linesOf(rows: readonly Cell[][], width: number): string[] {
  const texts = rows.map((row) => {
    const [label = '', ...rest] = row.map((cell) => cellText(cell).replace(/\s+/g, ' ').trim());
    return { label, rest: rest.filter(Boolean) };
  });
  const widest = Math.max(0, ...texts.map(({ label }) => label.length));
  return texts.flatMap(({ label, rest }) => {
    if (widest > width * WIDEST_LABEL || rest.length === 0)
      return [`    ${label}`, ...rest.map((text) => `      ${text}`)];
    return rest.map((text, i) => `    ${(i === 0 ? label : '').padEnd(widest)}  ${text}`);
  });
}

function cellText(cell: Cell): string {
  if (typeof cell === 'string') return cell;
  if (Array.isArray(cell)) return cell.map(cellText).filter(Boolean).join(' ');
  if ('code' in cell) return cell.code;
  if ('clauses' in cell)
    return cell.clauses.length > MOST_IDS ? plural(cell.clauses.length, 'clause') : cell.clauses.join(', ');
  return 'link' in cell ? cell.link : VERDICT[cell.verdict].word;
}

const MOST_CAUSES = 3;

/** Returns a target of many as one line, and below it what broke it. @param longest name, to which its own is padded */
export function targetLine(target: FleetTarget, width = WIDEST, longest = 0): string {
  const { name, durationMs, failed, causes, failures, conformance, error } = target;
  const took = duration(durationMs).padStart(10);
  const head = `  ${runOutcomeOf(target).padEnd('non-conformant'.length)}  ${name.padEnd(longest)}  ${took}`;
  const outcome =
    failed.length > 0
      ? `${failed.length} failed, ${plural(causes.length, 'cause')}`
      : failures.length > 0
        ? `the run failed: ${failures.join(' ')}`
        : countsInWords(conformance ? partOf(conformance).selected : []);
  // Where address or keys may be wrong, no cause is the server's beyond doubt.
  const open = error === null ? causes : [];
  const shown = open.slice(0, MOST_CAUSES).map(({ headline, clauses }) => `${headline}: ${clauses.join(', ')}`);
  const more = open.length - shown.length;
  const below = compact(error, ...shown, more > 0 && `and ${plural(more, 'other cause')}`);
  const first = cut(error === null ? `${head}  ${outcome}` : head, width);
  return folded([first, ...below.map((text) => `      ${text}`)].join('\n'), width);
}

/** Returns the closing table of many targets, the worst first. */
export function fleetTable(targets: readonly FleetTarget[], where: string, width = WIDEST): string {
  const byOutcome = targetsByOutcome(targets);
  const longest = Math.max(0, ...targets.map((target) => target.name.length));
  const counts = byOutcome.map(([outcome, some]) => `${some.length} ${outcome}`).join(', ') || 'none';
  const title = `${plural(targets.length, 'target')}: ${counts}`;
  const lines = byOutcome.flatMap(([, some]) => some.map((target) => targetLine(target, width, longest)));
  return framed(title, [lines, [`  open ${join(where, 'index.html')}`]], width);
}

/**
 * Breaks the lines of a text at spaces where they are longer than a width. What follows stands below the second column of
 * a line, if it has two, else below its beginning. A command stays whole.
 */
export function folded(text: string, width: number): string {
  return text
    .split('\n')
    .flatMap((line) => {
      if (line.length <= width || line.includes('curl -')) return line;
      const [lead = ''] = /^ *(?:\S.*? {2,})?/.exec(line) ?? [];
      const indent = ' '.repeat(lead.length < width / 2 ? lead.length : 0);
      return filled(line.slice(indent.length).split(' '), width - indent.length, ' ').map(
        (piece, i) => (i === 0 ? line.slice(0, indent.length) : indent) + piece,
      );
    })
    .join('\n');
}

/** Returns blocks of lines between two rules. An empty line separates them, and an empty block is left out. */
function framed(title: string, [first = [], ...others]: string[][], width: number): string {
  const rule = `── ${title} `.padEnd(width, '─');
  const rest = others.filter((block) => block.length > 0).flatMap((block) => ['', ...block]);
  return folded(['', rule, ...first, ...rest, '─'.repeat(width), ''].join('\n'), width);
}

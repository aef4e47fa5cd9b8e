/** Text as GitHub-flavoured Markdown that shows it and does nothing else; and summary.md, one run in it. */
import { compact, cut, plural, visible } from '../../common/text';
import { clauseText } from '../../contract/clauses';
import { againFor } from '../breach/curl';
import { type Cell, causeTables, changesTable, historyTable, ownTable, type Table, untestedTable } from '../tables';
import {
  certificateInWords,
  countsInWords,
  figuresInWords,
  MOST_IDS,
  OUTCOME,
  outcomeWord,
  type ReportInput,
  runOutcomeOf,
  titleOf,
  VERDICT,
  verdictSentence,
} from '../words';

const LONGEST_TEXT = 800;

/** Returns any text on one line. Text between backticks becomes code. */
export function inline(text: string): string {
  const parts = visible(cut(text.trim(), LONGEST_TEXT)).split(/`([^`\n]+)`/);
  const shown = parts.map((part, i) => (i % 2 === 1 ? `<code>${literal(part)}</code>` : literal(part))).join('');
  // At the beginning of a paragraph, these signs would start a list.
  return shown.replace(/^([-+])/, '\\$1').replace(/^(\d+)([.)])/, '$1\\$2');
}

function literal(text: string): string {
  return (
    text
      .replace(/[\\`*_[\]|~#$]/g, '\\$&')
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      // A server's text must make no link and mention no GitHub user.
      .replaceAll('://', '&#58;//')
      .replace(/\bwww\./gi, (www) => `${www.slice(0, -1)}&#46;`)
      .replaceAll('@', '@&#8203;')
      .replace(/\s*\n\s*/g, '<br>')
  );
}

export function code(text: string): string {
  return `<code>${literal(visible(text))}</code>`;
}

/** Returns a block of code, in which nothing is markup. Its fence is longer than any run of backticks in it. */
function fenced(text: string, language: string): string {
  const shown = visible(text);
  const runs = shown.match(/`+/g) ?? [];
  const fence = '`'.repeat(1 + Math.max(2, ...runs.map(({ length }) => length)));
  return [fence + language, shown, fence].join('\n');
}

/** Returns a table with its title; an empty text if it has no rows. */
export function tableIn({ title, head, rows }: Table): string {
  if (rows.length === 0) return '';
  const lines = [head, head.map(() => '---'), ...rows.map((row) => row.map(cellIn))];
  return [`### ${inline(title)}\n`, ...lines.map((cells) => `| ${cells.join(' | ')} |`)].join('\n');
}

function cellIn(cell: Cell): string {
  if (typeof cell === 'string') return inline(cell);
  if (Array.isArray(cell))
    return cell
      .map(cellIn)
      .filter(Boolean)
      .join(cell.some(Array.isArray) ? '<br>' : ' ');
  if ('code' in cell) return code(cell.code);
  if ('clauses' in cell)
    return cell.clauses.length > MOST_IDS ? plural(cell.clauses.length, 'clause') : cell.clauses.map(code).join(', ');
  // Only the page can link to an entry.
  if ('link' in cell) return cell.to.startsWith('#') ? cell.link : `[${inline(cell.link)}](${cell.to})`;
  return inline(`${VERDICT[cell.verdict].glyph} ${VERDICT[cell.verdict].word}`);
}

export function renderSummary(input: ReportInput): string {
  const { conformance, trends } = input;
  const { target, clauses, suite, error } = conformance;
  const [broken, ...others] = causeTables(input);
  const tables = [
    ...others,
    ...(error === null ? [untestedTable(conformance)] : []),
    ownTable(conformance),
    changesTable(conformance),
    historyTable(trends),
  ];
  const blocks = compact(
    `## ${inline(titleOf(input, `${OUTCOME[runOutcomeOf(input)].glyph} ${outcomeWord(input)}`))}`,
    [verdictSentence(input), certificateInWords(conformance)].map(inline).join(' '),
    target.baseURL && `${code(target.baseURL)}: ${countsInWords(clauses)}; ${figuresInWords(conformance)}.`,
    conformance.notes.map((note) => `- Note: ${inline(note)}`).join('\n'),
    broken && tableIn(broken),
    ...howToSee(input),
    ...tables.map(tableIn),
    `<sub>${inline(`${suite.name} ${suite.version}`)}; the whole report is in index.html, every exchange in evidence.har.</sub>`,
  );
  return `${blocks.join('\n\n')}\n`;
}

/** A comment on a pull request has at most 65,536 characters. */
const MOST_SHOWN = 10;

/** Returns, for what is broken, what would conform and how to see it again. Each opens at a click. */
function howToSee({ causes, evidence }: ReportInput): string[] {
  return causes
    .filter(({ verdict }) => verdict === 'fail')
    .slice(0, MOST_SHOWN)
    .map(({ clauses: [id = ''], exchange }) => {
      const again = againFor(id, exchange, evidence);
      const shown = again ? `\n\n${fenced(again, 'sh')}` : '';
      return `<details><summary>${code(id)}: see it again</summary>\n\nWould conform: ${inline(clauseText(id).conforms)}.${shown}\n\n</details>`;
    });
}

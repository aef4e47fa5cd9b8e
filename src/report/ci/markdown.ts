/** Text as GitHub-flavoured Markdown that shows it and does nothing else; and summary.md, one run in it. */
import { compact, cut, plural, visible } from '../../common/text';
import { type Cell, type Table, tablesOf } from '../tables';
import { bannerOf, certificateInWords, countsInWords, MOST_IDS, type ReportInput, VERDICT } from '../words';

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
  const { conformance } = input;
  const { target, clauses, suite, error } = conformance;
  const { glyph, word, name, sentence, figures } = bannerOf(input);
  const { toActOn, untested, own, changes, history } = tablesOf(input);
  const tables = [...toActOn, ...(error === null ? [untested] : []), own, changes, history];
  const blocks = compact(
    `## ${inline(compact(`${glyph} ${word}`, name).join(': '))}`,
    [sentence, certificateInWords(conformance)].map(inline).join(' '),
    target.baseURL && `${code(target.baseURL)}: ${countsInWords(clauses)}; ${figures}.`,
    conformance.notes.map((note) => `- Note: ${inline(note)}`).join('\n'),
    ...tables.map(tableIn),
    `<sub>${inline(`${suite.name} ${suite.version}`)}; the whole report is in index.html, every exchange in evidence.har.</sub>`,
  );
  return `${blocks.join('\n\n')}\n`;
}

/** Text that anybody may have written, as GitHub-flavoured Markdown that shows that text and does nothing else. */

import { visible } from '../visible';

/** A longer text is cut. */
const LONGEST_TEXT = 800;

/** Any text, on one line; what stands between backticks becomes code. */
export function inline(text: string): string {
  const characters = [...visible(text).trim()];
  const cut = characters.length > LONGEST_TEXT;
  const parts = characters
    .slice(0, LONGEST_TEXT)
    .join('')
    .split(/`([^`\n]+)`/);
  const shown = parts.map((part, i) => (i % 2 === 1 ? `<code>${literal(part)}</code>` : literal(part))).join('');
  // At the beginning of a paragraph it would become a list.
  return (cut ? `${shown} …` : shown).replace(/^([-+])/, '\\$1').replace(/^(\d+)([.)])/, '$1\\$2');
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

/** Any text as code. */
export function code(text: string): string {
  return `<code>${literal(visible(text))}</code>`;
}

/** A table; its cells are Markdown already. */
export function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

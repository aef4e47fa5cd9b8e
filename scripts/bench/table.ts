/** Tables as Markdown, and figures as they stand in them. */

/** @param rows the first of them has the names of the columns */
export function printTable(title: string, rows: readonly string[][]): void {
  const [names = [], ...others] = rows;
  const widths = names.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`;
  console.log([`\n### ${title}\n`, line(names), rule, ...others.map(line)].join('\n'));
}

export function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

/** Rewrites the README's table of clauses from schemas/clauses.yaml. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { clauseTexts } from '../src/contract/clauses';

const SECTION = /(<!-- clauses -->\n)[\s\S]*?(<!-- \/clauses -->)/;

/**
 * A README with its table of clauses brought up to date.
 * @throws where the markers that the table stands between are missing
 */
export function withClausesTable(readme: string): string {
  if (!SECTION.test(readme))
    throw new Error(
      'The README has no lines `<!-- clauses -->` and `<!-- /clauses -->`: put them where the table goes.',
    );
  return readme.replace(SECTION, (_, begin: string, end: string) => `${begin}\n${table()}\n\n${end}`);
}

function table(): string {
  const rows = clauseTexts.map(
    ({ id, level, section, statement }) => `| \`${id}\` | ${level.toUpperCase()} | ${section} | ${cell(statement)} |`,
  );
  return ['| clause | level | section | statement |', '|---|---|---|---|', ...rows].join('\n');
}

/** A statement on one line, with nothing that ends a cell. */
function cell(text: string): string {
  return text.trim().replace(/\s+/g, ' ').replaceAll('|', '\\|');
}

if (require.main === module) {
  const file = join(__dirname, '..', 'README.md');
  writeFileSync(file, withClausesTable(readFileSync(file, 'utf8')));
}

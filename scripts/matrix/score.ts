/** The text of SCORE.md: every clause in the contract's words, and what the suite catches by it. */
import { clauseTexts } from '../../src/contract/clauses';
import { COMBINATIONS, isConformant, type MatrixResult } from './jobs';
import type { CrossedFigures, Measured } from './measured';
import { caughtByClause, isOdd, scoreOf, unexpected } from './tally';

/** The figure of a clause that was added after the last whole run of the matrix. */
const UNMEASURED = 'not measured';

/**
 * The whole text. It changes only with the contract or the score, not from one run of the matrix to the next.
 * @param measured what was measured apart from the matrix
 */
export function scoreText(results: readonly MatrixResult[], measured: Measured): string {
  const score = scoreOf(results);
  const dialects = results.filter(({ kind }) => kind === 'dialect').length;
  const inexact = namesOf(results.filter((result) => result.kind === 'fault' && isOdd(result)));
  const alarms = namesOf(results.filter((result) => isConformant(result) && unexpected(result).length > 0));
  const wired = results.filter(({ wire }) => wire).length;
  const figures = [...caughtByClause(results)].map(
    ([id, { caught, faults }]) => [id, `${caught} of ${faults}`] as const,
  );
  const lines = [
    '# Score',
    '',
    'What this suite catches and what it leaves alone, measured on servers that were made for it: faults, each a server',
    'that a careless engineer could have written, and dialects, each another way to conform.',
    '',
    '| | |',
    '|---|---|',
    `| faults caught | **${score.caught} of ${score.faults}** |`,
    `| caught by exactly the clauses they break | **${score.exact} of ${score.faults}** |`,
    `| false alarms on conformant servers, at any look | **${score.falseAlarms} on ${score.conformant}** (${dialects} dialects, ${COMBINATIONS} random combinations of them) |`,
    `| faults not caught exactly at the first look | **${measured.missedAtFirst} of ${score.faults}** |`,
    ...(measured.crossed ? crossedRows(measured.crossed) : []),
    '',
    'A fault is caught when every clause it breaks fails (or warns, for a SHOULD); exactly, when no other clause does.',
    '',
    '## By area',
    '',
    '| area | clauses | faults | caught | exactly |',
    '|---|--:|--:|--:|--:|',
    ...score.areas.map(
      ({ area, clauses, faults, caught, exact }) => `| ${area} | ${clauses} | ${faults} | ${caught} | ${exact} |`,
    ),
    '',
    '## By clause',
    '',
    '| clause | level | section | statement | faults caught |',
    '|---|---|---|---|--:|',
    ...clauseRows(new Map(figures)),
    '',
    ...(inexact === '' ? [] : [`Not caught exactly: ${inexact}.`, '']),
    ...(alarms === '' ? [] : [`False alarms on: ${alarms}.`, '']),
    '## How to reproduce it',
    '',
    '```sh',
    'npm ci',
    'npm run matrix            # prints the matrix, and fails if this file is not what it finds',
    'npm run score             # the same, and writes this file',
    'npm run score -- --words  # only brings the words of the clauses up to date; needs no run',
    'MATRIX_SEED=1000 npm run matrix   # other random combinations of dialects',
    'npm run matrix -- --crossed   # each fault of the rate limit behind each limiter, and random pairs',
    'npm run mutants           # small mistakes in our own code, and whether the tests notice them',
    '```',
    '',
    `The servers are described in \`fixtures/faults\` and \`fixtures/dialects\`. All but ${wired} of them are simulated: the`,
    "suite's own recorder, probes and judges run against the reference server's behaviour over a network and a clock that",
    'are simulated, dialects over a fast and over a slow network, combinations over either. The same seed gives the same',
    'run on any machine. The others need real connections. A conformant server that is accused at any look counts as a false alarm;',
    'a fault over real connections that is not caught exactly is looked at again with fewer at a time.',
    '',
  ];
  return lines.join('\n');
}

function crossedRows({ caught, faults, exact, accused, conformant, seed }: CrossedFigures): string[] {
  return [
    `| faults behind every limiter, and random pairs (\`--seed ${seed}\`), caught exactly | **${exact} of ${faults}** (${caught} caught) |`,
    `| false alarms on crossed conformant servers | **${accused} on ${conformant}** |`,
  ];
}

/** The figure of a clause in a text of SCORE.md. */
export function figureIn(score: string, clause: string): string | undefined {
  const rows = score.split('\n').map((line) => CLAUSE_ROW.exec(line)?.groups);
  return rows.find((row) => row?.id === clause)?.figure;
}

/** A text of SCORE.md with the clauses in the words of schemas/clauses.yaml, and with the figures that it had. */
export function withWords(score: string): string {
  const lines = score.split('\n');
  const rows = lines.map((line) => CLAUSE_ROW.exec(line)?.groups);
  const figures = new Map(rows.flatMap((row) => (row ? [[row.id ?? '', row.figure ?? '']] : [])));
  const first = rows.findIndex((row) => row !== undefined);
  if (first < 0) throw new Error('SCORE.md has no table of clauses: npm run score writes it.');
  const others = lines.filter((_, i) => rows[i] === undefined);
  return [...others.slice(0, first), ...clauseRows(figures), ...others.slice(first)].join('\n');
}

const CLAUSE_ROW = /^\| `(?<id>[a-z]+\.[a-z0-9-]+)` \|.*\| (?<figure>[^|]*) \|$/;

function clauseRows(figures: ReadonlyMap<string, string>): string[] {
  return clauseTexts.map(({ id, level, section, statement }) => {
    // Line breaks and bars would end the cell.
    const words = statement.trim().replace(/\s+/g, ' ').replaceAll('|', '\\|');
    return `| \`${id}\` | ${level.toUpperCase()} | ${section} | ${words} | ${figures.get(id) ?? UNMEASURED} |`;
  });
}

function namesOf(results: readonly MatrixResult[]): string {
  return results
    .map(({ name }) => `\`${name}\``)
    .sort()
    .join(', ');
}

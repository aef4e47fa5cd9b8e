/** The text of SCORE.md: every clause in the contract's words, and what the suite catches by it. */
import { clauseTexts } from '../../src/contract/clauses';
import { COMBINATIONS, isConformant, type MatrixResult } from './jobs';
import type { ChanceFigures, Measured, MutantFigures } from './measured';
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
  const { generated } = measured;
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
    `| generated faults caught | **${generated.caught} of ${generated.faults}**, ${generated.exact} exactly |`,
    `| false alarms on generated conformant servers | **${generated.accused} on ${generated.conformant}** |`,
    ...(measured.crossed ? crossedRows(measured.crossed) : []),
    `| mutants of the judges noticed | **${percentOf(measured.mutants['src/judge'])}** |`,
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
    'npm run matrix -- --generated 1000 --seed 1   # generated servers; without a seed, new ones',
    'npm run mutants           # small mistakes in our own code; npm run mutants -- --write keeps the figures',
    '```',
    '',
    `The servers are described in \`fixtures/faults\` and \`fixtures/dialects\`. All but ${wired} of them are simulated: the`,
    "suite's own recorder, probes and judges run against the reference server's behaviour over a network and a clock that",
    'are simulated, dialects over a fast and over a slow network, combinations over either. The same seed gives the same',
    'run on any machine. The others need real connections. A conformant server that is accused at any look counts as a false alarm;',
    'a fault over real connections that is not caught exactly is looked at again with fewer at a time.',
    '',
    'Generated servers are composed of small changes to the reference behaviour, chosen by a seed, each with the clauses',
    `that the composition breaks by construction: \`fixtures/generated\`. The figures are those of seed ${generated.seed}.`,
    '',
    '## Mutants',
    '',
    'Small mistakes are built into the code, one at a time: a boundary moved, a condition turned round or left out, a',
    'filter that lets everything through, a number off by one, `&&` for `||`. Words of messages are not mutated, but the',
    "tests hold most of them. A mutant is noticed when one of the project's own tests fails; what its fast tests let pass",
    'is tried on the evidence of the servers above: does another clause accuse one of them, or none that did?',
    'Tests that take long are not tried, such as those of connections and of whole runs: `scripts/mutation/areas.ts` lists',
    'those that are.',
    '',
    '| code | noticed | by tests | of | | set aside |',
    '|---|--:|--:|--:|--:|--:|',
    ...Object.entries(measured.mutants).map(
      ([name, figures]) =>
        `| \`${name}\`${sampleOf(figures)} | ${figures.noticed} | ${figures.byTests} | ${figures.of} | ${percentOf(figures)} | ${figures.equivalent} |`,
    ),
    '',
    'Mutants set aside change nothing that anybody could see; `scripts/mutation/equivalent.json` lists each with its reason.',
    '',
  ];
  return lines.join('\n');
}

function crossedRows({ caught, faults, exact, accused, conformant, seed }: ChanceFigures): string[] {
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

function sampleOf({ sample, of, equivalent }: MutantFigures): string {
  return sample ? ` (\`--sample ${of + equivalent} --seed ${sample.seed}\`, of ${sample.of} mutants)` : '';
}

function percentOf(figures: MutantFigures | undefined): string {
  return figures ? `${Math.floor((100 * figures.noticed) / figures.of)} %` : UNMEASURED;
}

function namesOf(results: readonly MatrixResult[]): string {
  return results
    .map(({ name }) => `\`${name}\``)
    .sort()
    .join(', ');
}

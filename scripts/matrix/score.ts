/** The text of SCORE.md: what the suite catches and what it leaves alone, from the results of a whole matrix. */
import { clauseTexts } from '../../src/contract/clauses';
import { byClause, COMBINATIONS, isOdd, type Result, scoreOf, unexpected } from './jobs';

/** Says nothing that changes from run to run unless the score does. */
export function scoreText(results: readonly Result[]): string {
  const score = scoreOf(results);
  const dialects = results.filter((one) => one.kind === 'dialect').length;
  const inexact = results
    .filter((one) => one.kind === 'fault' && isOdd(one))
    .map((one) => `\`${one.name}\``)
    .sort();
  const alarms = results
    .filter((one) => one.kind !== 'fault' && unexpected(one).length > 0)
    .map((one) => `\`${one.name}\``)
    .sort();
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
    `| false alarms on conformant servers | **${score.falseAlarms} on ${score.conformant}** (${dialects} dialects, ${COMBINATIONS} random combinations of them) |`,
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
    '| clause | level | faults caught |',
    '|---|---|--:|',
    ...[...byClause(results)].map(
      ([id, [caught, of]]) =>
        `| \`${id}\` | ${clauseTexts.find((text) => text.id === id)?.level.toUpperCase()} | ${caught} of ${of} |`,
    ),
    '',
    ...(inexact.length > 0 ? [`Not caught exactly: ${inexact.join(', ')}.`, ''] : []),
    ...(alarms.length > 0 ? [`False alarms on: ${alarms.join(', ')}.`, ''] : []),
    '## How to reproduce it',
    '',
    '```sh',
    'npm ci',
    'npm run matrix            # prints the matrix, and fails if this file is not what it finds',
    'npm run score             # the same, and writes this file',
    'MATRIX_SEED=1000 npm run matrix   # other random combinations of dialects',
    '```',
    '',
    'The servers are described in `fixtures/faults` and `fixtures/dialects`. What looks odd while many run side by side is',
    'looked at again with few: a score is not to depend on how busy a machine is.',
    '',
  ];
  return lines.join('\n');
}

/** `npm run score`: writes SCORE.md, every clause in the contract's words and what the catalogue proves of it. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dialects, faults } from '../../fixtures/catalogue';
import { clauseTexts } from '../../src/contract/clauses';
import { catalogueJobs, pairJobs } from './jobs';

export const SCORE = join(__dirname, '..', '..', 'SCORE.md');

/** Returns the text. It changes only with the contract and the catalogue: a test fails where a figure is not true. */
export function scoreText(): string {
  const pairs = pairJobs(1);
  const broken = pairs.filter(({ fault }) => fault);
  const wired = catalogueJobs().filter(({ wire }) => wire).length;
  const areas = [...new Set(clauseTexts.map(({ area }) => area))];
  return `# Score

What this suite catches and what it leaves alone, on servers that were made for it: faults, each a server that a careless
engineer could have written, and dialects, each another way to conform.

| | each time | by |
|---|---|---|
| faults, each caught by exactly the clauses that it breaks | **${faults.length}** | \`npm run test:all\`; that each is caught, \`npm test\` |
| dialects, none accused | **${dialects.length}** | \`npm test\`, over a fast and a slow network \`npm run test:all\` |
| random combinations of dialects, none accused | **120** | \`npm run test:all\` |
| faults of the rate limit behind each limiter, and random pairs, tried; of some no verdict is reached yet, and \`test:all\` names them | **${broken.length}** | \`npm run test:all\`; of all pairs 40 \`npm test\` |
| random pairs of dialects, none accused | **${pairs.length - broken.length}** | \`npm run test:all\` |

A fault is caught when every clause it breaks fails (or warns, for a SHOULD), and exactly, when no other clause does. The test of
a server fails otherwise: a figure of this page is that of the last commit whose tests passed.

## By area

| area | clauses | faults |
|---|--:|--:|
${areas
  .map((area) => {
    const clauses = clauseTexts.filter((text) => text.area === area).length;
    return `| ${area} | ${clauses} | ${faults.filter(({ breaks }) => breaks[0]?.startsWith(`${area}.`)).length} |`;
  })
  .join('\n')}

## By clause

| clause | level | section | statement | faults caught |
|---|---|---|---|--:|
${clauseTexts
  .map(({ id, level, section, statement }) => {
    // Line breaks and bars would end the cell.
    const words = statement.trim().replace(/\s+/g, ' ').replaceAll('|', '\\|');
    const count = faults.filter(({ breaks }) => breaks.includes(id)).length;
    return `| \`${id}\` | ${level.toUpperCase()} | ${section} | ${words} | ${count} |`;
  })
  .join('\n')}

## How to reproduce it

\`\`\`sh
npm ci
npm run matrix                                 # every fault and every dialect
npm run matrix -- url-null date-               # servers whose names contain one of the words
npm run matrix -- --clause rate.reset-honest   # the faults that break one clause
npm run matrix -- --pairs                      # each fault of the rate limit behind each limiter, and random pairs
npm run score                                  # writes this file
npm run mutants                                # small mistakes in our own code, and whether the tests notice them
\`\`\`

The servers are described in \`fixtures/faults\` and \`fixtures/dialects\`. All but ${wired} of them are simulated: the suite's own
recorder, probes and judges run against the reference server's behaviour over a network and a clock that are simulated. The same seed
gives the same run on any machine. The others need real connections: a fault of these is looked at up to three times, because a busy
machine can delay what a clause measures. A dialect that is accused at any look is a false alarm.
`;
}

if (require.main === module) writeFileSync(SCORE, scoreText());

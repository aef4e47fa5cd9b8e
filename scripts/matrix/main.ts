/**
 * `npm run matrix`: the suite against the faults and dialects, and what is odd. `npm run test:all` proves the same.
 *
 * - words: only the servers whose names contain one of them
 * - `--clause ID`: only the faults that break this clause; with `--dialects` every dialect and combination, too
 * - `--pairs`: each fault of the rate limit behind each limiter, and random pairs
 * - `--seed NUMBER`: other combinations and pairs; default: 1
 */
import { parseArgs } from 'node:util';
import { clauseText } from '../../src/contract/clauses';
import { accusationsOf, catalogueJobs, combinationJobs, type Job, oddIn, pairJobs } from './jobs';

function chosenJobs(args: string[]): Job[] {
  const flag = { type: 'boolean', default: false } as const;
  const options = { clause: { type: 'string' }, dialects: flag, pairs: flag, seed: { type: 'string' } } as const;
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options });
  const { clause, dialects, pairs } = values;
  const seed = Number(values.seed ?? 1);
  if (clause !== undefined) clauseText(clause);
  const jobs = [...catalogueJobs(), ...(dialects ? combinationJobs(seed) : []), ...(pairs ? pairJobs(seed) : [])];
  const isEvery = positionals.length === 0 && clause === undefined && !dialects && !pairs;
  return jobs.filter(
    ({ name, kind, breaks }) =>
      isEvery ||
      positionals.some((word) => name.includes(word)) ||
      (pairs && kind === 'pair' && positionals.length === 0) ||
      (dialects && (kind === 'dialect' || kind === 'combination')) ||
      (kind === 'fault' && clause !== undefined && breaks.includes(clause)),
  );
}

/** Runs one server and prints what is odd. @returns whether anything is */
async function isOdd(job: Job): Promise<boolean> {
  const odd = oddIn(job, await accusationsOf(job));
  if (odd.length > 0)
    console.log(`\n${job.kind} ${job.name}: ${job.says}\n${odd.map((line) => `  ${line}`).join('\n')}`);
  return odd.length > 0;
}

async function main(): Promise<void> {
  const jobs = chosenJobs(process.argv.slice(2));
  if (jobs.length === 0)
    throw new Error('No server matches. The names stand in fixtures/faults and fixtures/dialects.');
  console.log(`${jobs.length} servers`);
  // Those with real connections wait nearly all of the time; the simulated ones only compute.
  const wired = Promise.all(jobs.filter(({ wire }) => wire).map(isOdd));
  let odd = 0;
  for (const job of jobs.filter(({ wire }) => !wire)) odd += Number(await isOdd(job));
  odd += (await wired).filter(Boolean).length;
  console.log(`\n${jobs.length - odd} of ${jobs.length} as they should be`);
  if (odd > 0) process.exitCode = 1;
}

// Some faults end connections in ways that Node warns about. They are meant to.
process.on('warning', () => undefined);
main().catch((error: Error) => {
  console.error(error.message);
  process.exitCode = 1;
});

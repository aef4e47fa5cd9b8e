/**
 * `npm run matrix`: the suite against every fault and every dialect, in one process for each core, and the score.
 *
 * - words: only the servers whose names hold one of them
 * - `--clause ID`: only the faults that break this clause; with `--dialects` every conformant server too
 * - `--write`: writes SCORE.md; `--words` only brings the words of its clauses up to date, without running anything
 * - `--json FILE`: writes the results
 */
import { fork } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { textOf } from '../../src/contract/clauses';
import { allJobs, type Job, type MatrixResult, runJob } from './jobs';
import { scoreText, withWords } from './score';
import { caughtByClause, isOdd, missed, scoreOf, unexpected } from './tally';

/** Servers at one time in one process. They wait for their rate windows nearly all of the time. */
const AT_ONCE = 30;
/** How often a server with an odd result is looked at again, with fewer at one time. */
const MORE_LOOKS = 2;
const AT_ONCE_AGAIN = 6;

const SCORE = join(__dirname, '..', '..', 'SCORE.md');

interface Options {
  names: string[];
  clause?: string | undefined;
  dialects: boolean;
  write: boolean;
  words: boolean;
  json?: string | undefined;
}

/** @throws for an option that there is not */
function optionsFrom(words: string[]): Options {
  const flag = { type: 'boolean', default: false } as const;
  const text = { type: 'string' } as const;
  const { values, positionals } = parseArgs({
    args: words,
    allowPositionals: true,
    options: { clause: text, dialects: flag, write: flag, words: flag, json: text },
  });
  return { ...values, names: positionals };
}

/**
 * The servers that the options choose; all of them where nothing is chosen.
 * @throws where they choose none
 */
function chosenJobs({ names, clause, dialects }: Options): { jobs: Job[]; isWhole: boolean } {
  if (clause !== undefined) textOf(clause);
  const isWhole = names.length === 0 && clause === undefined && !dialects;
  const jobs = allJobs().filter(
    ({ name, kind, expected }) =>
      isWhole ||
      names.some((word) => name.includes(word)) ||
      (kind === 'fault' ? clause !== undefined && expected.includes(clause) : dialects),
  );
  if (jobs.length === 0)
    throw new Error('No server matches. The names stand in fixtures/faults and fixtures/dialects.');
  return { jobs, isWhole };
}

/** Shares jobs out among processes, job by job as each has room. */
async function runAll(jobs: Job[], atOnce: number): Promise<MatrixResult[]> {
  const waiting = [...jobs];
  const results: MatrixResult[] = [];
  const processes = Math.min(availableParallelism(), Math.ceil(jobs.length / atOnce));
  await Promise.all(
    Array.from({ length: processes }, async () => {
      const child = startChild();
      const lane = async (): Promise<void> => {
        for (let job = waiting.shift(); job; job = waiting.shift()) results.push(await child.run(job));
      };
      try {
        await Promise.all(Array.from({ length: atOnce }, lane));
      } finally {
        child.stop();
      }
    }),
  );
  return results;
}

/** What a child sends when a job has ended. */
interface Answer {
  name: string;
  result?: MatrixResult;
  error?: string;
}

/** A process that runs jobs, many at one time. */
function startChild(): { run(job: Job): Promise<MatrixResult>; stop(): void } {
  const child = fork(__filename, ['--child'], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const waiting = new Map<string, (answer: Answer) => void>();
  child.on('message', (answer: Answer) => waiting.get(answer.name)?.(answer));
  child.on('exit', () => {
    for (const [name, settle] of waiting) settle({ name, error: 'its process of the matrix ended too early' });
  });
  return {
    async run(job) {
      const { name, result, error } = await new Promise<Answer>((resolve) => {
        waiting.set(job.name, resolve);
        child.send(job);
      });
      waiting.delete(name);
      if (!result) throw new Error(`${name}: ${error}`);
      return result;
    },
    stop: () => child.kill(),
  };
}

/** Looks again at every server whose result is odd: a busy machine can delay what a clause measures. */
async function lookedAtAgain(results: MatrixResult[]): Promise<MatrixResult[]> {
  const odd = results.filter(isOdd);
  if (odd.length === 0) return results;
  console.log(`${odd.length} odd, looked at again: ${odd.map(({ name }) => name).join(', ')}`);
  const again = new Map((await runAll(odd, AT_ONCE_AGAIN)).map((result) => [result.name, result]));
  return results.map((result) => again.get(result.name) ?? result);
}

async function main(): Promise<void> {
  const options = optionsFrom(process.argv.slice(2));
  if (options.words) {
    writeFileSync(SCORE, withWords(readFileSync(SCORE, 'utf8')));
    return;
  }
  const { jobs, isWhole } = chosenJobs(options);
  console.log(`${jobs.length} servers`);
  let results = await runAll(jobs, AT_ONCE);
  for (let look = 0; look < MORE_LOOKS; look += 1) results = await lookedAtAgain(results);
  if (options.json) writeFileSync(options.json, JSON.stringify(results));
  print(results, isWhole);
  const { caught, faults, falseAlarms, unproven } = scoreOf(results);
  if (caught < faults || falseAlarms > 0 || (isWhole && unproven.length > 0)) process.exitCode = 1;
  if (isWhole) settleScore(scoreText(results), options.write);
}

/** Writes SCORE.md, or says that it is out of date. */
function settleScore(text: string, write: boolean): void {
  if (write) writeFileSync(SCORE, text);
  else if (readFileSync(SCORE, 'utf8') !== text) {
    console.log('SCORE.md is out of date: npm run score writes it.');
    process.exitCode = 1;
  }
}

function print(results: MatrixResult[], isWhole: boolean): void {
  for (const [id, { caught, faults }] of caughtByClause(results)) {
    if (faults > 0) console.log(`  ${caught === faults ? ' ' : '!'} ${id.padEnd(34)} ${caught} of ${faults}`);
  }
  for (const result of results.filter(isOdd)) {
    console.log(`\n${result.kind} ${result.name}: ${result.says}`);
    for (const id of missed(result)) console.log(`  missed ${id}`);
    for (const id of unexpected(result))
      console.log(`  ${result.kind === 'fault' ? 'also' : 'FALSE ALARM'} ${id}: ${result.found[id]}`);
  }
  const score = scoreOf(results);
  console.log(`\nfaults caught         ${score.caught} of ${score.faults}`);
  console.log(`caught exactly        ${score.exact} of ${score.faults}`);
  console.log(`false alarms          ${score.falseAlarms} on ${score.conformant} conformant servers`);
  if (isWhole && score.unproven.length > 0) console.log(`clauses without proof ${score.unproven.join(', ')}`);
}

function serveAsChild(): void {
  // Some faults end connections in ways that Node warns about. They are meant to.
  process.on('warning', () => undefined);
  process.on('message', (job: Job) => {
    runJob(job).then(
      (result) => process.send?.({ name: job.name, result } satisfies Answer),
      (error: Error) => process.send?.({ name: job.name, error: error.stack ?? error.message } satisfies Answer),
    );
  });
}

if (process.argv.includes('--child')) serveAsChild();
else
  main().catch((error: Error) => {
    console.error(error.message);
    process.exitCode = 1;
  });

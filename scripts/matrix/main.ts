/**
 * `npm run matrix`: the suite against every fault and every dialect, in one process for each core, and the score.
 *
 * - words: only the servers whose names hold one of them
 * - `--clause ID`: only the faults that break this clause; with `--dialects` every conformant server too
 * - `--crossed`: each fault of the rate limit behind each limiter, and random pairs, which `--seed` moves; `--sample NUMBER`
 *   tries so many of them
 * - `--write`: writes SCORE.md; `--words` only brings the words of its clauses up to date, without running anything
 * - `--json FILE`: writes the results
 */
import { fork } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildSync } from 'esbuild';
import { clauseText } from '../../src/contract/clauses';
import { allJobs, crossedJobs, isConformant, type Job, type MatrixResult, RELEASE_SEED, runJob } from './jobs';
import { keep, measured } from './measured';
import { figureIn, scoreText, withWords } from './score';
import { caughtByClause, isOdd, missed, missedAtFirst, scoreOf, scoreOfCrossed, unexpected } from './tally';

/** Servers with real connections at one time in one process: they wait for their windows nearly all of the time. */
const WIRED_AT_ONCE = 20;
/** Simulated servers at one time in one process: they only compute. */
const SIMULATED_AT_ONCE = 2;
/** How often a fault over real connections with an odd result is looked at again, with fewer at one time. */
const MORE_LOOKS = 2;
const WIRED_AT_ONCE_AGAIN = 6;

const ROOT = join(__dirname, '..', '..');
const SCORE = join(ROOT, 'SCORE.md');

type Options = ReturnType<typeof optionsFrom>;

/** @throws for an option that there is not */
function optionsFrom(words: string[]) {
  const flag = { type: 'boolean', default: false } as const;
  const text = { type: 'string' } as const;
  const { values, positionals } = parseArgs({
    args: words,
    allowPositionals: true,
    options: {
      clause: text,
      dialects: flag,
      write: flag,
      words: flag,
      json: text,
      crossed: flag,
      sample: text,
      seed: text,
    },
  });
  const numberOf = (value: string | undefined) => (value === undefined ? undefined : Number(value));
  const seed = Number(values.seed ?? (values.crossed ? RELEASE_SEED : Date.now() % 1_000_000_000));
  return { ...values, names: positionals, sample: numberOf(values.sample), seed };
}

/**
 * The servers that the options choose; all of them where nothing is chosen.
 * @throws where they choose none
 */
function chosenJobs({ names, clause, dialects, crossed, sample, seed }: Options): {
  jobs: Job[];
  isWhole: boolean;
} {
  if (crossed) {
    const jobs = crossedJobs(seed, sample);
    const isNamed = ({ name }: Job) => names.length === 0 || names.some((word) => name.includes(word));
    return { jobs: jobs.filter(isNamed), isWhole: false };
  }
  if (clause !== undefined) clauseText(clause);
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

/** Writes the matrix as one script: it starts at once, and runs a fifth faster than from many files. */
function bundled(directory: string): string {
  const outfile = join(directory, 'matrix.cjs');
  buildSync({
    entryPoints: [__filename],
    outfile,
    bundle: true,
    platform: 'node',
    packages: 'external',
    logLevel: 'error',
    // Every file that reads by its place is as deep below the root as this one.
    define: { __dirname: JSON.stringify(__dirname) },
  });
  return outfile;
}

/** Shares jobs out among processes that run a script, job by job as each has room. */
async function runAll(script: string, jobs: Job[], atOnce: number): Promise<MatrixResult[]> {
  const waiting = [...jobs];
  const results: MatrixResult[] = [];
  const processes = Math.min(availableParallelism(), Math.ceil(jobs.length / atOnce));
  await Promise.all(
    Array.from({ length: processes }, async () => {
      const child = startChild(script);
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
function startChild(script: string): { run(job: Job): Promise<MatrixResult>; stop(): void } {
  const env = { ...process.env, NODE_PATH: join(ROOT, 'node_modules') };
  const child = fork(script, ['--child'], { env, execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
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

/**
 * Runs servers with real connections, which mostly wait, beside the simulated ones, which only compute: the result of a
 * simulated run does not depend on the machine.
 */
async function lookedAt(jobs: Job[]): Promise<MatrixResult[]> {
  const directory = mkdtempSync(join(tmpdir(), 'matrix-'));
  try {
    const script = bundled(directory);
    const simulated = jobs.filter(({ wire }) => !wire);
    const wired = jobs.filter(({ wire }) => wire);
    return (await Promise.all([wiredLooks(script, wired), runAll(script, simulated, SIMULATED_AT_ONCE)])).flat();
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/**
 * Faults with real connections that were not caught exactly are looked at again: a busy machine can delay what a clause
 * measures. An accused conformant server stays accused.
 */
async function wiredLooks(script: string, jobs: Job[]): Promise<MatrixResult[]> {
  let wired = await runAll(script, jobs, WIRED_AT_ONCE);
  for (let look = 0; look < MORE_LOOKS; look += 1) {
    const odd = wired.filter((result) => result.kind === 'fault' && isOdd(result));
    if (odd.length === 0) break;
    console.log(`looked at again: ${odd.map(({ name }) => name).join(', ')}`);
    const again = new Map((await runAll(script, odd, WIRED_AT_ONCE_AGAIN)).map((result) => [result.name, result]));
    wired = wired.map((result) => {
      const other = again.get(result.name);
      return other ? { ...other, looks: [...result.looks, ...other.looks] } : result;
    });
  }
  return wired;
}

async function main(): Promise<void> {
  const options = optionsFrom(process.argv.slice(2));
  if (options.words) {
    writeFileSync(SCORE, withWords(readFileSync(SCORE, 'utf8')));
    return;
  }
  const { jobs, isWhole } = chosenJobs(options);
  console.log(`${jobs.length} servers`);
  const results = await lookedAt(jobs);
  if (options.json) writeFileSync(options.json, JSON.stringify(results));
  print(results, options);
  const { caught, faults, falseAlarms, unproven } = scoreOf(results);
  const odd = options.crossed ? results.some(isOdd) : caught < faults || falseAlarms > 0;
  if (odd || (isWhole && unproven.length > 0)) process.exitCode = 1;
  if (isWhole) settleScore(results, options.write);
  if (options.crossed && options.write && options.sample === undefined)
    keep({ crossed: { seed: options.seed, ...scoreOfCrossed(results) } });
  if (options.clause !== undefined) checkRow(options.clause, results);
}

/** Writes SCORE.md, or says that it is out of date. */
function settleScore(results: readonly MatrixResult[], write: boolean): void {
  if (write) {
    keep({ missedAtFirst: missedAtFirst(results) });
    writeFileSync(SCORE, scoreText(results, measured()));
  } else if (readFileSync(SCORE, 'utf8') !== scoreText(results, measured())) outOfDate();
}

/** Says where the figure of one clause in SCORE.md is not what was found. */
function checkRow(clause: string, results: readonly MatrixResult[]): void {
  const { caught, faults } = caughtByClause(results).get(clause) ?? { caught: 0, faults: 0 };
  if (figureIn(readFileSync(SCORE, 'utf8'), clause) !== `${caught} of ${faults}`) outOfDate();
}

function outOfDate(): void {
  console.log('SCORE.md is out of date: npm run score writes it.');
  process.exitCode = 1;
}

function print(results: MatrixResult[], options: Options): void {
  const isWhole = results.length === allJobs().length;
  for (const [id, { caught, faults }] of caughtByClause(results)) {
    if (faults > 0) console.log(`  ${caught === faults ? ' ' : '!'} ${id.padEnd(34)} ${caught} of ${faults}`);
  }
  for (const result of results.filter(isOdd)) {
    console.log(`\n${result.kind} ${result.name}: ${result.says}`);
    for (const id of missed(result)) console.log(`  missed ${id}`);
    for (const id of unexpected(result))
      console.log(`  ${isConformant(result) ? 'FALSE ALARM' : 'also'} ${id}: ${result.found[id]}`);
  }
  if (options.crossed) {
    const score = scoreOfCrossed(results);
    console.log(`\ncrossed faults caught ${score.caught} of ${score.faults}, ${score.exact} exactly`);
    console.log(`false alarms on crossed conformant servers: ${score.accused} of ${score.conformant}`);
    return;
  }
  const score = scoreOf(results);
  console.log(`\nfaults caught         ${score.caught} of ${score.faults}`);
  console.log(`caught exactly        ${score.exact} of ${score.faults}`);
  console.log(`not so at first look  ${missedAtFirst(results)} of ${score.faults}`);
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

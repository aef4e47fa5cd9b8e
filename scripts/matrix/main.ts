/**
 * `npm run matrix`: the suite against every fault and dialect, in as many processes as there are cores, and the score.
 * With `--write` it writes SCORE.md, with `--json FILE` the results; words after these choose servers by name.
 */
import { fork } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { allJobs, byClause, isOdd, type Job, missed, type Result, runJob, scoreOf, unexpected } from './jobs';
import { scoreText } from './score';

/** Servers at one time in one process: nearly all of them wait for windows nearly all of the time. */
const AT_ONCE = 30;
/** What looked odd in the crowd is looked at again, so many times, with few others. */
const MORE_LOOKS = 2;
const AT_ONCE_AGAIN = 6;

const SCORE = join(__dirname, '..', '..', 'SCORE.md');

/** Hands jobs to this process and to children, one by one, as each gets free. */
async function runAll(jobs: Job[], atOnce: number): Promise<Result[]> {
  const waiting = [...jobs];
  const results: Result[] = [];
  const processes = Math.min(availableParallelism(), Math.ceil(jobs.length / atOnce));
  await Promise.all(
    Array.from({ length: processes }, async () => {
      const child = fork(__filename, ['--child'], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
      const answers = new Map<string, (result: Result | Error) => void>();
      child.on('message', ({ name, result, error }: { name: string; result?: Result; error?: string }) => {
        answers.get(name)?.(result ?? new Error(error));
      });
      child.on('exit', () => {
        for (const answer of answers.values()) answer(new Error('A process of the matrix ended before its time.'));
      });
      const lane = async (): Promise<void> => {
        for (let job = waiting.shift(); job; job = waiting.shift()) {
          const { name } = job;
          const answer = new Promise<Result | Error>((resolve) => answers.set(name, resolve));
          child.send(job);
          const result = await answer;
          answers.delete(name);
          if (result instanceof Error) throw new Error(`${name}: ${result.message}`);
          results.push(result);
        }
      };
      try {
        await Promise.all(Array.from({ length: atOnce }, lane));
      } finally {
        child.kill();
      }
    }),
  );
  return results;
}

async function main(): Promise<void> {
  const words = process.argv.slice(2);
  const json = words.includes('--json') ? words[words.indexOf('--json') + 1] : undefined;
  const chosen = words.filter((word) => !word.startsWith('--') && word !== json);
  const jobs = allJobs().filter((job) => chosen.length === 0 || chosen.some((word) => job.name.includes(word)));
  console.log(`${jobs.length} servers`);
  let results = await runAll(jobs, AT_ONCE);
  for (let look = 0; look < MORE_LOOKS; look += 1) {
    const odd = results.filter(isOdd);
    if (odd.length === 0) break;
    console.log(`${odd.length} odd, looked at again: ${odd.map((one) => one.name).join(', ')}`);
    const again = await runAll(odd, AT_ONCE_AGAIN);
    const looks = (name: string) => (results.find((one) => one.name === name)?.looks ?? 0) + 1;
    results = results.map((one) => {
      const newer = again.find((other) => other.name === one.name);
      return newer ? { ...newer, looks: looks(one.name) } : one;
    });
  }
  if (json) writeFileSync(json, JSON.stringify(results));
  print(results);
  if (chosen.length > 0) return;
  const text = scoreText(results);
  if (words.includes('--write')) writeFileSync(SCORE, text);
  else if (readFileSync(SCORE, 'utf8') !== text) {
    console.log('SCORE.md is not current: npm run score writes it.');
    process.exitCode = 1;
  }
  const score = scoreOf(results);
  if (score.caught < score.faults || score.falseAlarms > 0 || score.unproven.length > 0) process.exitCode = 1;
}

function print(results: Result[]): void {
  for (const [id, [caught, of]] of byClause(results)) {
    if (of > 0) console.log(`  ${caught === of ? ' ' : '!'} ${id.padEnd(34)} ${caught} of ${of}`);
  }
  for (const one of results.filter(isOdd)) {
    console.log(`\n${one.kind} ${one.name}: ${one.says}`);
    for (const id of missed(one)) console.log(`  missed ${id}`);
    for (const id of unexpected(one))
      console.log(`  ${one.kind === 'fault' ? 'also' : 'FALSE ALARM'} ${id}: ${one.found[id]}`);
  }
  const score = scoreOf(results);
  console.log(`\nfaults caught         ${score.caught} of ${score.faults}`);
  console.log(`caught exactly        ${score.exact} of ${score.faults}`);
  console.log(`false alarms          ${score.falseAlarms} on ${score.conformant} conformant servers`);
  if (results.length === allJobs().length && score.unproven.length > 0)
    console.log(`clauses without proof ${score.unproven.join(', ')}`);
}

function serveAsChild(): void {
  // Some faults end connections in ways that Node warns about; that is their purpose.
  process.on('warning', () => undefined);
  process.on('message', (job: Job) => {
    runJob(job).then(
      (result) => process.send?.({ name: job.name, result }),
      (error: Error) => process.send?.({ name: job.name, error: error.stack }),
    );
  });
}

if (process.argv.includes('--child')) serveAsChild();
else
  main().catch((error: Error) => {
    console.error(error.message);
    process.exitCode = 1;
  });

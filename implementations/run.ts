/**
 * `npm run implementations`: the suite against real rate limiters, and IMPLEMENTATIONS.md.
 *
 * - words: only the limiters whose names hold one of them; then nothing is written
 * - `--runs N`: how often each is run
 */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { implementations, type Named, type Result, resultOf, verdictOf } from './measure';
import { pageText } from './page';
import { type RedisServer, startRedis } from './redis';

/** Servers at one time. They wait for their rate windows nearly all of the time. */
const AT_ONCE = 6;
const PAGE = join(__dirname, '..', 'IMPLEMENTATIONS.md');

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { runs: { type: 'string', default: '2' } },
  });
  if (!existsSync(join(__dirname, 'node_modules'))) {
    throw new Error('The limiters are not installed: npm ci --prefix implementations');
  }
  const all = await implementations();
  const chosen = all.filter(({ file }) => positionals.length === 0 || positionals.some((word) => file.includes(word)));
  if (chosen.length === 0) throw new Error('No limiter matches. The names stand in implementations/limiters.');
  const redis = await startRedis();
  if (!redis) console.log('redis-server is not installed: limiters with Redis are left out, and nothing is written.');
  try {
    const results = await runAll(chosen, Number(values.runs), redis);
    if (!redis || chosen.length < all.length) return;
    writeFileSync(PAGE, pageText(all, results, { Node: process.versions.node, Redis: redis.version }));
    console.log('IMPLEMENTATIONS.md is written.');
  } finally {
    await redis?.stop();
  }
}

/** Runs every variant, some at a time; the results are in the order of the limiters. */
async function runAll(chosen: readonly Named[], runs: number, redis: RedisServer | null): Promise<Result[]> {
  const jobs = chosen.flatMap((named) =>
    named.variants.filter(({ store }) => redis || store === 'memory').map((variant) => ({ named, variant })),
  );
  const results: Result[] = [];
  // What is shown waits longest, so it comes first.
  const waiting = [...jobs.keys()].sort((a, b) => Number(isSet(a)) - Number(isSet(b)));
  function isSet(index: number): boolean {
    return jobs[index]?.variant.as === 'set';
  }
  const lane = async (): Promise<void> => {
    for (let index = waiting.shift(); index !== undefined; index = waiting.shift()) {
      const job = jobs[index];
      if (!job) continue;
      const result = await resultOf(job.named, job.variant, runs, redis);
      results[index] = result;
      print(result);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  return results;
}

function print(result: Result): void {
  console.log(`${verdictOf(result)}  ${result.file}, as ${result.variant.as}, ${result.variant.store}`);
  for (const [index, judgements] of result.runs.entries()) {
    for (const { id, verdict, reason } of judgements) {
      if (verdict !== 'pass') console.log(`  run ${index + 1}: ${verdict} ${id}: ${reason}`);
    }
  }
}

main().then(
  // Clients of Redis that a library keeps for itself must not hold the process.
  () => process.exit(0),
  (error: Error) => {
    console.error(error.message);
    process.exit(1);
  },
);

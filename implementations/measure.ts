/** Runs the suite against the limiters of this folder. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { runOn } from '../scripts/matrix/in-process';
import { targetOf } from '../src/config/target';
import { type Judgement, runVerdictOf } from '../src/judge/verdict';
import { accounts, type Implementation, type Served, type Variant } from './api';
import type { RedisServer } from './redis';

const LIMITERS = join(__dirname, 'limiters');

/** A limiter, and the file that sets it up, without its ending. */
export interface Named extends Implementation {
  file: string;
}

/** What a variant's runs found. */
export interface Result {
  file: string;
  variant: Variant;
  /** The judgements of each run, without those of the event profile: it has nothing to do with limiters. */
  runs: Judgement[][];
}

/** Every file of `limiters`, in the order of their names. */
export async function implementations(): Promise<Named[]> {
  const files = readdirSync(LIMITERS)
    .map((file) => file.replace(/\.ts$/, ''))
    .sort();
  return Promise.all(
    files.map(async (file) => {
      const { implementation }: { implementation: Implementation } = await import(join(LIMITERS, file));
      return { file, ...implementation };
    }),
  );
}

/** Starts a variant's server afresh for each run, runs the whole suite against it with three accounts, and stops it. */
export async function resultOf(
  { file }: Named,
  variant: Variant,
  runs: number,
  redis: RedisServer | null,
): Promise<Result> {
  const result: Result = { file, variant, runs: [] };
  for (let run = 0; run < runs; run++) {
    const served = await started(variant, redis);
    try {
      const { judgements } = await runOn(declared(served.baseURL, `${file}, ${variant.as}`));
      result.runs.push(judgements.filter(({ id }) => !id.startsWith('event.')));
    } finally {
      await served.close();
    }
  }
  return result;
}

/** @throws where Redis is asked for and is not there */
function started(variant: Variant, redis: RedisServer | null): Promise<Served> {
  if (variant.store === 'memory') return variant.start();
  if (!redis) throw new Error('This limiter needs redis-server.');
  return variant.start(redis.database());
}

/** The verdict of a variant: the worst of its runs. */
export function verdictOf({ runs }: Result): string {
  const verdicts = runs.map((judgements) => runVerdictOf(judgements, null));
  return ['non-conformant', 'incomplete'].find((verdict) => verdicts.includes(verdict as never)) ?? 'conformant';
}

function declared(baseURL: string, name: string) {
  const facts = accounts.map(({ name: account, apiKey, password, settings }) => ({
    name: account,
    apiKey,
    hasPassword: password !== null,
    ...(password !== null && { password }),
    settings: { ...settings },
  }));
  return targetOf({ baseURL, accounts: facts }, name);
}

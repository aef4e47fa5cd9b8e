/** The proof: the suite against every fault and every dialect, and what came of it. */
import { combine, dialects, faults } from '../../fixtures/catalogue';
import { clauseTexts } from '../../src/contract/clauses';
import type { Bend } from '../../src/reference/behaviour';
import { idsOf, runOnBent } from './in-process';

/** Random combinations of dialects besides the single ones. */
export const COMBINATIONS = 60;
/** The seed of the first; the others follow. Another one tries other combinations. */
export const FIRST_SEED = Number(process.env.MATRIX_SEED ?? 1);

export interface Job {
  name: string;
  kind: 'fault' | 'dialect' | 'combination';
  says: string;
  /** Clauses that are to fail or warn; of a dialect only those that warn. */
  expected: string[];
}

/** What one server showed. */
export interface Result extends Job {
  /** Clauses that failed or warned, with their reasons. */
  found: Record<string, string>;
  durationMs: number;
  /** How often it was looked at: more than once where the first look was odd. */
  looks: number;
}

/** Everything there is to try, what takes long first. */
export function allJobs(): Job[] {
  const single = dialects.map(
    (dialect): Job => ({ name: dialect.name, kind: 'dialect', says: dialect.says, expected: dialect.warns ?? [] }),
  );
  const combined = Array.from({ length: COMBINATIONS }, (_, i) => combine(FIRST_SEED + i)).map(
    (one): Job => ({
      name: one.name,
      kind: 'combination',
      says: one.dialects.map((dialect) => dialect.name).join(', '),
      expected: one.warns,
    }),
  );
  const broken = faults.map(
    (fault): Job => ({ name: fault.name, kind: 'fault', says: fault.says, expected: fault.breaks }),
  );
  const isSlow = (job: Job) =>
    job.expected.some((id) => /^(?:rate|event)\./.test(id)) || /slow|queue/.test(job.says + job.name);
  return [...broken, ...single, ...combined].sort((a, b) => Number(isSlow(b)) - Number(isSlow(a)));
}

/** Runs the suite against one server. */
export async function runJob(job: Job): Promise<Result> {
  const fault = job.kind === 'fault' ? faults.find((one) => one.name === job.name) : undefined;
  const run = await runOnBent(bendsOf(job), {
    ...(fault?.basePath === undefined ? {} : { basePath: fault.basePath }),
    ...(fault?.rate ? { rate: fault.rate } : {}),
    address: fault?.address,
    target: {
      ...(fault?.rate ? { rate: fault.rate } : {}),
      limits: {
        timeoutSeconds: job.expected.includes('transport.complete') ? 3 : 10,
        bodyBytes: 1_048_576,
        burst: null,
      },
    },
  });
  const ids = idsOf(run, 'fail', 'warn');
  const found = Object.fromEntries(
    run.judgements.filter(({ id }) => ids.includes(id)).map(({ id, reason }) => [id, reason ?? '']),
  );
  return { ...job, found, durationMs: Math.round(run.durationMs), looks: 1 };
}

function bendsOf(job: Job): readonly Bend[] {
  if (job.kind === 'combination') return combine(Number(job.name.split('-')[1])).dialects;
  return [...faults, ...dialects].filter((one) => one.name === job.name);
}

export function missed(result: Result): string[] {
  return result.kind === 'fault' ? result.expected.filter((id) => !(id in result.found)) : [];
}

/** Clauses that accuse without cause: any on a dialect that is not expected to warn, on a fault what it does not break. */
export function unexpected(result: Result): string[] {
  return Object.keys(result.found).filter((id) => !result.expected.includes(id));
}

export function isOdd(result: Result): boolean {
  return missed(result).length > 0 || unexpected(result).length > 0;
}

export interface Tally {
  area: string;
  clauses: number;
  faults: number;
  caught: number;
  exact: number;
}

export interface Score {
  areas: Tally[];
  faults: number;
  caught: number;
  exact: number;
  conformant: number;
  falseAlarms: number;
  /** Clauses that no fault breaks. */
  unproven: string[];
}

/** The figures of a whole matrix. A fault belongs to the area of the first clause that it breaks. */
export function scoreOf(results: readonly Result[]): Score {
  const broken = results.filter((one) => one.kind === 'fault');
  const conformant = results.filter((one) => one.kind !== 'fault');
  const areas = [...new Set(clauseTexts.map((text) => text.area))].map((area): Tally => {
    const own = broken.filter((one) => one.expected[0]?.startsWith(`${area}.`));
    return {
      area,
      clauses: clauseTexts.filter((text) => text.area === area).length,
      faults: own.length,
      caught: own.filter(isCaught).length,
      exact: own.filter((one) => !isOdd(one)).length,
    };
  });
  return {
    areas,
    faults: broken.length,
    caught: broken.filter(isCaught).length,
    exact: broken.filter((one) => !isOdd(one)).length,
    conformant: conformant.length,
    falseAlarms: conformant.filter((one) => unexpected(one).length > 0).length,
    unproven: clauseTexts
      .map((text) => text.id)
      .filter((id) => !broken.some((one) => one.expected.includes(id) && id in one.found)),
  };
}

function isCaught(result: Result): boolean {
  return missed(result).length === 0;
}

/** The faults caught for each clause: `[caught, of]`. */
export function byClause(results: readonly Result[]): Map<string, [number, number]> {
  return new Map(
    clauseTexts.map(({ id }) => {
      const own = results.filter((one) => one.kind === 'fault' && one.expected.includes(id));
      return [id, [own.filter((one) => id in one.found).length, own.length]];
    }),
  );
}

/** The servers of the matrix, and how the suite is run against one of them. */
import { combine, dialects, faults } from '../../fixtures/catalogue';
import type { Bend } from '../../src/reference/behaviour';
import { idsOf, runOnBent } from './in-process';

/** How many random combinations of dialects are tried besides the single dialects. */
export const COMBINATIONS = 60;
/** The seed of the first combination; the others count up from it. Another seed tries other combinations. */
const FIRST_SEED = Number(process.env.MATRIX_SEED ?? 1);

/** One server to run the suite against. */
export interface Job {
  name: string;
  kind: 'fault' | 'dialect' | 'combination';
  says: string;
  /** Of a fault, the ids of the clauses that must fail or warn; of a dialect, those that may warn. */
  expected: string[];
}

/** What the suite found on one server. */
export interface MatrixResult extends Job {
  /** The clauses that failed or warned, by id, with their reasons. */
  found: Record<string, string>;
  durationMs: number;
}

/** Every fault, dialect and combination. The slow ones come first, so that none is left running alone at the end. */
export function allJobs(): Job[] {
  const broken = faults.map(({ name, says, breaks }): Job => ({ name, kind: 'fault', says, expected: breaks }));
  const single = dialects.map(({ name, says, warns = [] }): Job => ({ name, kind: 'dialect', says, expected: warns }));
  const combined = Array.from({ length: COMBINATIONS }, (_, i) => combine(FIRST_SEED + i)).map(
    (combination): Job => ({
      name: combination.name,
      kind: 'combination',
      says: combination.dialects.map(({ name }) => name).join(', '),
      expected: combination.warns,
    }),
  );
  const isSlow = ({ name, says, expected }: Job) =>
    expected.some((id) => /^(?:rate|event)\./.test(id)) || /slow|queue/.test(says + name);
  return [...broken, ...single, ...combined].sort((a, b) => Number(isSlow(b)) - Number(isSlow(a)));
}

/** Runs the suite against one server. */
export async function runJob(job: Job): Promise<MatrixResult> {
  const fault = job.kind === 'fault' ? faults.find(({ name }) => name === job.name) : undefined;
  // A fault that never answers costs the whole timeout for each request.
  const timeoutSeconds = job.expected.includes('transport.complete') ? 3 : 10;
  const { judgements, ...run } = await runOnBent(bendsOf(job), {
    ...(fault?.basePath === undefined ? {} : { basePath: fault.basePath }),
    ...(fault?.rate ? { rate: fault.rate } : {}),
    address: fault?.address,
    target: {
      ...(fault?.rate ? { rate: fault.rate } : {}),
      limits: { timeoutSeconds, bodyBytes: 1_048_576, burst: null },
    },
  });
  const accusing = idsOf({ judgements }, 'fail', 'warn');
  const found = judgements.filter(({ id }) => accusing.includes(id)).map(({ id, reason }) => [id, reason ?? '']);
  return { ...job, found: Object.fromEntries(found), durationMs: Math.round(run.durationMs) };
}

function bendsOf(job: Job): readonly Bend[] {
  if (job.kind === 'combination') return combine(Number(job.name.split('-')[1])).dialects;
  return [...faults, ...dialects].filter(({ name }) => name === job.name);
}

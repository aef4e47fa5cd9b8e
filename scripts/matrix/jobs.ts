/** The servers of the matrix, and how the suite is run against one of them. */
import { behindLimiters, type Crossed, combine, crossed, dialects, type Fault, faults } from '../../fixtures/catalogue';
import type { SimulatedNetwork } from '../../fixtures/in-memory';
import { randomFrom } from '../../fixtures/random';
import type { Bend } from '../../src/reference/behaviour';
import { type InProcessRun, idsOf, runInMemory, runOnBent } from './in-process';

/** How many random combinations of dialects there are for a seed. */
const COMBINATIONS = 120;
/** How many random pairs there are for a seed, besides each fault of the rate limit behind each limiter. */
const RANDOM_PAIRS = 600;

/** Networks that are simulated. */
const NETWORKS = [
  { upMs: 1, downMs: 1 },
  { upMs: 60, downMs: 60 },
];

/** One server to run the suite against. */
export interface Job {
  name: string;
  kind: 'fault' | 'dialect' | 'combination' | 'pair';
  says: string;
  /** The clauses that must fail or warn; none on a conformant server. */
  breaks: readonly string[];
  /** The clauses that may warn. */
  warns: readonly string[];
  /** Whether it needs real connections, so that its run takes real time. All others are simulated. */
  wire: boolean;
  /** What the server is made of, in the order in which each changes what the ones before have done. */
  bends: readonly Bend[];
  fault: Fault | null;
  /** Moves the moment at which a pair is met. */
  seed: number;
}

/** The clauses that failed or warned, by id, with their reasons. */
export type Accusations = Record<string, string>;

/** Every fault and every dialect of the catalogue. */
export function catalogueJobs(): Job[] {
  return [
    ...faults.map((fault) => jobOf('fault', fault.name, [fault], { fault, says: fault.says })),
    ...dialects.map((dialect) =>
      jobOf('dialect', dialect.name, [dialect], { warns: dialect.warns ?? [], says: dialect.says }),
    ),
  ];
}

/** Random combinations of dialects. @param seed any integer; another one tries other combinations */
export function combinationJobs(seed: number): Job[] {
  return Array.from({ length: COMBINATIONS }, (_, i) => combine(seed * COMBINATIONS + i)).map(
    ({ name, dialects: members, warns }) =>
      jobOf('combination', name, members, { warns, says: members.map((member) => member.name).join(', ') }),
  );
}

/**
 * Each fault of the rate limit behind each limiter, and random pairs.
 * @param seed chooses the random pairs and the moments at which all are met
 */
export function pairJobs(seed: number): Job[] {
  const random = Array.from({ length: RANDOM_PAIRS }, (_, i) => crossed(seed * RANDOM_PAIRS + i));
  const jobs = [...behindLimiters, ...random].map((pair) => pairJob(pair, seed));
  return [...new Map(jobs.map((job) => [job.name, job])).values()];
}

export function pairJob({ fault, dialects: some }: Crossed, seed: number): Job {
  const name = [fault?.name ?? 'nothing wrong', ...some.map((dialect) => dialect.name)].join(' behind ');
  const says = [...some, ...(fault ? [fault] : [])].map((bend) => bend.says).join(' ');
  // What a fault writes is compressed as well.
  const codings = some.filter(({ axis }) => axis === 'coding');
  const bends = [...some.filter(({ axis }) => axis !== 'coding'), ...(fault ? [fault] : []), ...codings];
  return jobOf('pair', name, bends, { fault, says, seed });
}

function jobOf(
  kind: Job['kind'],
  name: string,
  bends: readonly Bend[],
  { fault = null, seed = 0, warns = [], says }: Partial<Job> & Pick<Job, 'says'>,
): Job {
  const wire = fault?.address !== undefined || bends.some((bend) => bend.wire);
  return { name, kind, says, breaks: fault?.breaks ?? [], warns, wire, bends, fault, seed };
}

/**
 * Runs the suite against one server.
 * @param network which of the simulated networks leads to it
 * @param ids the clauses that are asked for; by default every one
 * @returns what it accuses the server of
 */
export async function accusationsOf(job: Job, network = 0, ids?: readonly string[]): Promise<Accusations> {
  const run = await (job.wire
    ? runWired(job, ids)
    : runInMemory(job.bends, optionsOf(job, 10), networkOf(job, network), ids));
  const accusing = new Set(idsOf(run, 'fail', 'warn'));
  const found = run.judgements.filter(({ id }) => accusing.has(id));
  return Object.fromEntries(found.map(({ id, reason }) => [id, reason ?? '']));
}

/** Runs the suite over real connections. */
function runWired(job: Job, ids?: readonly string[]): Promise<InProcessRun> {
  // A fault that never answers costs the whole timeout for each request; any other may be slow on a busy machine.
  const timeoutSeconds = job.breaks.includes('transport.complete') ? 3 : 30;
  const options = { ...optionsOf(job, timeoutSeconds), address: job.fault?.address };
  return runOnBent(job.bends, options, ids && ((id) => ids.includes(id)));
}

function optionsOf({ fault }: Job, timeoutSeconds: number) {
  const limits = { timeoutSeconds, bodyBytes: 1_048_576, runSeconds: 600 };
  const { rate, basePath } = fault ?? {};
  return { ...(basePath && { basePath }), ...(rate && { rate }), target: { ...(rate && { rate }), limits } };
}

/** The seed follows from the server's name, so that each has a day of its own. */
function networkOf({ name, seed }: Job, which: number): SimulatedNetwork {
  const ofName = [...name].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) | 0, 1 + seed);
  const network = NETWORKS[which % NETWORKS.length] as (typeof NETWORKS)[number];
  return { ...network, seed: Math.floor(randomFrom(ofName)() * 1e9) };
}

/** What is odd about the accusations: breaches that were missed, and accusations without cause; none where all is right. */
export function oddIn({ breaks, warns, kind }: Job, found: Accusations): string[] {
  const isConformant = breaks.length === 0;
  return [
    ...breaks.filter((id) => !(id in found)).map((id) => `missed ${id}`),
    ...Object.entries(found)
      .filter(([id]) => !breaks.includes(id) && !warns.includes(id))
      .map(([id, reason]) => `${isConformant ? 'FALSE ALARM' : 'also'} ${id} (${kind}): ${reason}`),
  ];
}

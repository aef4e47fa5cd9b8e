/** The servers of the matrix, and how the suite is run against one of them. */
import { behindLimiters, type Crossed, combine, crossed, dialects, faults } from '../../fixtures/catalogue';
import { randomFrom, shuffled } from '../../fixtures/random';
import { suite } from '../../src/common/suite';
import type { Rate } from '../../src/evidence/model';
import type { Bend } from '../../src/reference/behaviour';
import type { SimulatedNetwork } from './in-memory';
import { type InProcessRun, idsOf, runInMemory, runOnBent } from './in-process';

/** How many random combinations of dialects are tried besides the single dialects. */
export const COMBINATIONS = 120;
/** The seed of the first combination; the others count up from it. Another seed tries other combinations. */
const FIRST_SEED = Number(process.env.MATRIX_SEED ?? 1);

/** Networks that are simulated: faults are tried over the first, dialects over all, each combination over one of them. */
const NETWORKS = [
  { upMs: 1, downMs: 1 },
  { upMs: 60, downMs: 60 },
];

/** One server to run the suite against. */
export interface Job {
  name: string;
  kind: `${'' | 'crossed '}${'fault' | 'dialect'}` | 'combination';
  says: string;
  /** Of a fault, the ids of the clauses that must fail or warn; of a dialect, those that may warn. */
  expected: string[];
  /** Moves the moment at which a pair is met. */
  seed?: number;
  /** Whether it needs real connections, so that its run takes real time. All others are simulated. */
  wire: boolean;
}

/** The clauses that failed or warned, by id, with their reasons. */
export type Accusations = Record<string, string>;

/** What the suite found on one server. */
export interface MatrixResult extends Job {
  /** What was found last. */
  found: Accusations;
  /** What each look found, in order. */
  looks: Accusations[];
  durationMs: number;
}

/** What a server is made of. */
interface Server {
  bends: readonly Bend[];
  rate?: Rate | undefined;
  basePath?: string | undefined;
  address?: string | undefined;
}

/** Every fault, dialect and combination. The slow ones come first, so that none is left running alone at the end. */
export function allJobs(): Job[] {
  const broken = faults.map(
    (fault): Job => ({ ...namesOf(fault), kind: 'fault', expected: fault.breaks, wire: needsWire([fault], fault) }),
  );
  const single = dialects.map(
    (dialect): Job => ({
      ...namesOf(dialect),
      kind: 'dialect',
      expected: dialect.warns ?? [],
      wire: needsWire([dialect]),
    }),
  );
  const combined = Array.from({ length: COMBINATIONS }, (_, i) => combine(FIRST_SEED + i)).map(
    (combination): Job => ({
      name: combination.name,
      kind: 'combination',
      says: combination.dialects.map(({ name }) => name).join(', '),
      expected: combination.warns,
      wire: false,
    }),
  );
  const isSlow = ({ name, says, expected }: Job) =>
    expected.some((id) => /^(?:rate|event)\./.test(id)) || /slow|queue/.test(says + name);
  return [...broken, ...single, ...combined].sort((a, b) => Number(isSlow(b)) - Number(isSlow(a)));
}

/** How many random pairs are tried besides each fault of the rate limit behind each limiter. */
const RANDOM_PAIRS = 600;

/** The seed of the random pairs: it moves with each release. */
export const RELEASE_SEED = [...suite.version].reduce(
  (sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 1_000_000,
  1,
);

/**
 * Each fault of the rate limit behind each limiter, and random pairs.
 * @param seed chooses the random pairs and the moments at which all are met
 * @param sample how many of them all, chosen by the seed; default: all
 */
export function crossedJobs(seed: number, sample?: number): Job[] {
  const pairs = [
    ...behindLimiters,
    ...Array.from({ length: RANDOM_PAIRS }, (_, i) => crossed(seed * RANDOM_PAIRS + i)),
  ];
  const jobs = pairs.map((pair): Job => {
    const { fault, dialects: some } = pair;
    return {
      name: nameOfCrossed(pair),
      kind: fault ? 'crossed fault' : 'crossed dialect',
      says: [...some.map(({ says }) => says), ...(fault ? [fault.says] : [])].join(' '),
      expected: fault?.breaks ?? [],
      seed,
      wire: false,
    };
  });
  const all = [...new Map(jobs.map((job) => [job.name, job])).values()];
  return sample === undefined ? all : shuffled(all, seed).slice(0, sample);
}

const JOIN = ' behind ';

function nameOfCrossed({ fault, dialects: some }: Crossed): string {
  return [fault?.name ?? 'nothing wrong', ...some.map(({ name }) => name)].join(JOIN);
}

/** Whether nothing is wrong with a server, so that no clause may fail on it. */
export const isConformant = ({ kind }: Pick<Job, 'kind'>): boolean => !kind.endsWith('fault');

/** Whether a file of the tests holds all that is said of a server: a simulated run is the same each time. */
export const isHeld = ({ wire, kind }: Pick<Job, 'wire' | 'kind'>): boolean =>
  !wire && (kind === 'fault' || kind === 'dialect');

function namesOf({ name, says }: { name: string; says: string }): { name: string; says: string } {
  return { name, says };
}

function needsWire(bends: readonly Bend[], { address }: Pick<Server, 'address'> = {}): boolean {
  return address !== undefined || bends.some(({ wire }) => wire);
}

/** Runs the suite against one server. */
export async function runJob(job: Job): Promise<MatrixResult> {
  const server = serverOf(job);
  const looks: Accusations[] = [];
  let durationMs = 0;
  const note = (run: InProcessRun): void => {
    const accusing = idsOf(run, 'fail', 'warn');
    const found = run.judgements.filter(({ id }) => accusing.includes(id)).map(({ id, reason }) => [id, reason ?? '']);
    looks.push(Object.fromEntries(found));
    durationMs += Math.round(run.durationMs);
  };
  if (job.wire) note(await runWired(server, job));
  else for (const network of networksFor(job)) note(await runSimulated(server, network));
  return { ...job, found: looks.find((found) => accusesMore(found, job)) ?? looks[0] ?? {}, looks, durationMs };
}

function runSimulated(server: Server, network: SimulatedNetwork): Promise<InProcessRun> {
  return runInMemory(server.bends, optionsOf(server, 10), network);
}

/** Runs the suite over real connections. */
function runWired(server: Server, job: Job): Promise<InProcessRun> {
  // A fault that never answers costs the whole timeout for each request; any other may be slow on a busy machine.
  const timeoutSeconds = job.expected.includes('transport.complete') ? 3 : 30;
  return runOnBent(server.bends, { ...optionsOf(server, timeoutSeconds), address: server.address });
}

function optionsOf({ rate, basePath }: Server, timeoutSeconds: number) {
  const limits = { timeoutSeconds, bodyBytes: 1_048_576, burst: null };
  return { ...(basePath && { basePath }), ...(rate && { rate }), target: { ...(rate && { rate }), limits } };
}

/** The networks that a server is tried over. The seed follows from its name, so that each has a day of its own. */
function networksFor(job: Job): SimulatedNetwork[] {
  const seed = [...job.name].reduce(
    (sum, letter) => (sum * 31 + letter.charCodeAt(0)) | 0,
    FIRST_SEED + (job.seed ?? 0),
  );
  const first = job.kind === 'combination' ? seedOf(job) % NETWORKS.length : 0;
  const used = NETWORKS.slice(first, job.kind === 'dialect' ? undefined : first + 1);
  return used.map((network) => ({ ...network, seed: Math.floor(randomFrom(seed)() * 1e9) }));
}

/** The number in the name of what is made from a seed. */
const seedOf = ({ name }: Pick<Job, 'name'>): number => Number(name.split('-')[1]);

function accusesMore(found: Accusations, job: Job): boolean {
  return isConformant(job) && Object.keys(found).some((id) => !job.expected.includes(id));
}

/** @throws for a job that there is no server of */
function serverOf({ kind, name }: Job): Server {
  const seed = seedOf({ name });
  if (kind.startsWith('crossed')) {
    const names = name.split(JOIN);
    const fault = faults.find((candidate) => candidate.name === names[0]);
    const some = dialects.filter((dialect) => names.includes(dialect.name));
    // What a fault writes is compressed as well.
    const codings = some.filter(({ axis }) => axis === 'coding');
    const bends = [...some.filter(({ axis }) => axis !== 'coding'), ...(fault ? [fault] : []), ...codings];
    return { bends, rate: fault?.rate, basePath: fault?.basePath };
  }
  if (kind === 'combination') return { bends: combine(seed).dialects };
  const fault = faults.find((candidate) => kind === 'fault' && candidate.name === name);
  if (fault) return { bends: [fault], rate: fault.rate, basePath: fault.basePath, address: fault.address };
  return { bends: dialects.filter((dialect) => dialect.name === name) };
}

/**
 * `npm run mutants`: small mistakes are built into the judges, one at a time, and what they then say of the evidence of
 * every server of the matrix is compared with what they said before. What that does not show, and a sample of the
 * mistakes in other code, is tried on the project's own tests.
 *
 * - words: only the mutants of files whose paths hold one of them
 * - `--evidence DIRECTORY`: uses the evidence that an earlier run has recorded there
 * - `--write`: writes the figures to SCORE.json
 * - `--json FILE`: writes the mutants that were not noticed
 */
import { fork } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { allJobs } from '../matrix/jobs';
import { keep, type MutantFigures } from '../matrix/measured';
import { JUDGING, MUTATED } from './areas';
import { mutatedFiles } from './bundle';
import type { Mutant } from './points';
import type { Covered, Killer, Look, Task } from './worker';

/** So many mutants of the recorder are tried, chosen evenly: each costs the time of its tests. */
const SAMPLE = 150;
/** What a worker may take for one answer before it is started anew: a mutant may go round in circles. */
const PATIENCE_MS = 180_000;
/** Evidence that is larger than this is left out: only texts in it are longer. */
const MOST_BYTES = 600_000;
/** So many evidences at most are judged with one mutant: those on which its clauses accuse come first. */
const MOST_LOOKS = 40;

const EQUIVALENT = join(__dirname, 'equivalent.json');

interface Result extends Mutant {
  /** How it was noticed; `null`: it was not. */
  killer: Killer;
  /** Whether any judgement ran through it. */
  isCovered: boolean;
}

async function main(): Promise<void> {
  const text = { type: 'string' } as const;
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { evidence: text, json: text, write: { type: 'boolean', default: false } },
  });
  const directory = values.evidence ?? mkdtempSync(join(tmpdir(), 'evidence-'));
  mkdirSync(directory, { recursive: true });
  const workers = Array.from({ length: availableParallelism() }, () => startWorker(directory));
  try {
    await record(directory, workers);
    const names = readdirSync(directory)
      .filter((file) => statSync(join(directory, file)).size <= MOST_BYTES)
      .map((file) => file.replace(/\.json$/, ''));
    const { mutants } = mutatedFiles(MUTATED);
    const judging = mutants.filter(({ file }) => JUDGING.some((folder) => file.startsWith(folder)));
    const results = await judged(judging, names, workers, positionals);
    await tested(mutants, results, workers, positionals);
    report(results, values.write);
    if (values.json)
      writeFileSync(
        values.json,
        JSON.stringify(
          results.filter(({ killer }) => !killer),
          null,
          1,
        ),
      );
  } finally {
    for (const worker of workers) worker.stop();
  }
}

/** Records the evidence of every server of which there is none yet. */
async function record(directory: string, workers: readonly Worker[]): Promise<void> {
  const jobs = allJobs().filter(({ name }) => !existsSync(join(directory, `${name}.json`)));
  console.log(`evidence of ${jobs.length} servers is recorded in ${directory}`);
  const [wired, simulated] = [jobs.filter(({ wire }) => wire), jobs.filter(({ wire }) => !wire)];
  await shared(wired, 15, workers, (job, worker) => worker.ask({ do: 'record', job }));
  await shared(simulated, 1, workers, (job, worker) => worker.ask({ do: 'record', job }));
}

async function judged(
  mutants: readonly Mutant[],
  names: readonly string[],
  workers: readonly Worker[],
  words: readonly string[],
): Promise<Result[]> {
  const looks = mutants.map((): Array<Look & { accusing: number }> => []);
  await shared(names, 1, workers, async (name, worker) => {
    const covered = (await worker.ask({ do: 'cover', name })) as Covered[];
    for (const { clause, verdict, mutants: run } of covered) {
      for (const mutant of run) {
        const mine = looks[mutant] ?? [];
        let look = mine.at(-1);
        if (look?.name !== name) {
          look = { name, clauses: [], accusing: 0 };
          mine.push(look);
        }
        const isAccused = verdict === 'fail' || verdict === 'warn';
        if (isAccused) look.clauses.unshift(clause);
        else look.clauses.push(clause);
        look.accusing += isAccused ? 1 : 0;
      }
    }
  });
  console.log(`${names.length} evidences judged`);
  const results: Result[] = [];
  const chosen = mutants.map((mutant, i) => ({ mutant, i })).filter(({ mutant }) => isWanted(mutant, words));
  await shared(chosen, 1, workers, async ({ mutant, i }, worker) => {
    const mine = (looks[i] ?? []).sort((a, b) => b.accusing - a.accusing);
    const tried = spread(mine).map(({ name, clauses }) => ({ name, clauses }));
    const killer = (await worker.ask({ do: 'judge', mutant: i, looks: tried })) as Killer;
    results.push({ ...mutant, killer, isCovered: mine.length > 0 });
    if (results.length % 100 === 0) console.log(`${results.length} of ${chosen.length} mutants`);
  });
  return results;
}

/** Runs the tests with what the evidence did not show, and with a sample of the mutants of the other code. */
async function tested(
  mutants: readonly Mutant[],
  results: Result[],
  workers: readonly Worker[],
  words: readonly string[],
): Promise<void> {
  const numbers = new Map(mutants.map(({ id }, i) => [id, i]));
  const others = mutants.filter(
    (mutant) => isWanted(mutant, words) && !JUDGING.some((folder) => mutant.file.startsWith(folder)),
  );
  const step = Math.max(1, others.length / SAMPLE);
  const sample = others.filter((_, i) => Math.floor(i / step) !== Math.floor((i - 1) / step));
  results.push(...sample.map((mutant): Result => ({ ...mutant, killer: null, isCovered: false })));
  const left = results.filter(({ killer }) => !killer);
  console.log(`${left.length} mutants are tried on the tests`);
  await shared(left, 1, workers, async (result, worker) => {
    const killer = (await worker.ask({ do: 'test', mutant: numbers.get(result.id) ?? -1 })) as Killer | false;
    result.isCovered ||= killer !== false;
    result.killer = killer || null;
  });
}

/** The first half of what there may be, and the rest from all over what remains. */
function spread<T>(all: readonly T[]): T[] {
  if (all.length <= MOST_LOOKS) return [...all];
  const first = all.slice(0, MOST_LOOKS / 2);
  const rest = all.slice(MOST_LOOKS / 2);
  const step = rest.length / (MOST_LOOKS / 2);
  return [...first, ...Array.from({ length: MOST_LOOKS / 2 }, (_, i) => rest[Math.floor(i * step)] as T)];
}

const isWanted = ({ file }: Mutant, words: readonly string[]) =>
  words.length === 0 || words.some((word) => file.includes(word));

function report(results: readonly Result[], isKept: boolean): void {
  const figures: Record<string, MutantFigures> = {};
  const equivalent = existsSync(EQUIVALENT)
    ? (JSON.parse(readFileSync(EQUIVALENT, 'utf8')) as Record<string, string>)
    : {};
  for (const { id, line, killer, isCovered } of results)
    if (!killer && !Object.hasOwn(equivalent, id)) console.log(`${isCovered ? 'survived' : 'not run '} ${line} ${id}`);
  const files = [...new Set(results.map(({ file }) => file))];
  for (const name of [...files, ...MUTATED]) {
    const own = results.filter(({ file }) => file === name || file.startsWith(`${name}/`));
    if (own.length === 0) continue;
    const counted = own.filter(({ id }) => !Object.hasOwn(equivalent, id));
    const noticed = counted.filter(({ killer }) => killer).length;
    console.log(
      `${name.padEnd(32)} ${noticed} of ${counted.length} (${Math.floor((100 * noticed) / counted.length)} %)`,
    );
    figures[name] = { noticed, of: counted.length, equivalent: own.length - counted.length };
  }
  const areas = MUTATED.flatMap((name) => (figures[name] ? [[name, figures[name]]] : []));
  if (isKept) keep({ mutants: Object.fromEntries(areas) });
}

/** Shares work out among workers, `atOnce` pieces at a time for each. */
async function shared<T>(
  all: readonly T[],
  atOnce: number,
  workers: readonly Worker[],
  work: (one: T, worker: Worker) => Promise<unknown>,
): Promise<void> {
  const waiting = [...all];
  const lane = async (worker: Worker): Promise<void> => {
    for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) await work(one, worker);
  };
  await Promise.all(workers.flatMap((worker) => Array.from({ length: atOnce }, () => lane(worker))));
}

interface Worker {
  ask(task: Task): Promise<unknown>;
  stop(): void;
}

function startWorker(directory: string): Worker {
  type Reply = { number: number; result?: unknown; error?: string };
  const waiting = new Map<number, (reply: Omit<Reply, 'number'>) => void>();
  let number = 0;
  const start = () => {
    const child = fork(join(__dirname, 'worker.ts'), [directory], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    child.on('message', (reply: Reply) => waiting.get(reply.number)?.(reply));
    return child;
  };
  let child = start();
  return {
    async ask(task) {
      number += 1;
      const mine = number;
      const { result, error } = await new Promise<Omit<Reply, 'number'>>((resolve) => {
        const timer = setTimeout(() => {
          child.kill('SIGKILL');
          child = start();
          resolve({ result: { name: 'it took too long', clause: '', by: 'time' } });
        }, PATIENCE_MS);
        waiting.set(mine, (reply) => {
          clearTimeout(timer);
          resolve(reply);
        });
        child.send({ number: mine, task });
      });
      waiting.delete(mine);
      if (error !== undefined) throw new Error(error);
      return result;
    },
    stop: () => child.kill(),
  };
}

main().catch((error: Error) => {
  console.error(error.message);
  process.exitCode = 1;
});

/**
 * `npm run mutants`: small mistakes are built into the code, one at a time. Each is tried on the project's own tests;
 * what those let pass, on the evidence of the servers of the catalogue: whether another clause accuses one of them.
 *
 * - words: only the mutants of files whose paths hold one of them
 * - `--sample NUMBER`: only so many of them, chosen by the seed that `--seed` gives
 * - `--evidence DIRECTORY`: uses the evidence that an earlier run has recorded there
 * - `--write`: writes the figures to SCORE.json
 * - `--json FILE`: writes the mutants that were not noticed
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { shuffled } from '../../fixtures/random';
import type { Evidence } from '../../src/evidence/model';
import { allJobs, evidenceOf, type Job } from '../matrix/jobs';
import { keep, type MutantFigures, measured } from '../matrix/measured';
import { AREAS, JUDGING } from './areas';
import { mutatedFiles } from './bundle';
import { type Fate, Trial } from './judging';
import type { Mutant } from './points';
import { TestTrial } from './testing';

/** Servers with real connections that are recorded at one time: they wait most of the time. */
const WIRED_AT_ONCE = 15;
/** Evidence that is longer than this is left out: only texts in it are longer. */
const MOST_CHARACTERS = 600_000;
const EQUIVALENT = join(__dirname, 'equivalent.json');

type Options = ReturnType<typeof optionsFrom>;

/** @throws for an option that there is not, and for figures of a part of an area that are to be written */
function optionsFrom(args: string[]) {
  const text = { type: 'string' } as const;
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { evidence: text, json: text, sample: text, seed: text, write: { type: 'boolean', default: false } },
  });
  if (values.write && positionals.some((word) => !Object.hasOwn(AREAS, word)))
    throw new Error(`Only the figures of whole areas are written: ${Object.keys(AREAS).join(', ')}.`);
  const sample = values.sample === undefined ? undefined : Number(values.sample);
  return { ...values, sample, seed: Number(values.seed ?? 1), words: positionals };
}

async function main(): Promise<void> {
  const options = optionsFrom(process.argv.slice(2));
  const survivors: Fate[] = [];
  const figures: Record<string, MutantFigures> = {};
  for (const area of Object.keys(AREAS)) {
    const fates = chosen(mutatedFiles(area, false).mutants, options);
    if (fates.length === 0) continue;
    await tested(area, fates);
    const byTests = new Set(fates.filter(({ killer }) => killer));
    if (JUDGING.includes(area)) await judged(area, fates, options);
    figures[area] = reported(area, fates, byTests, options);
    survivors.push(...fates.filter(({ killer }) => !killer));
  }
  if (options.json) writeFileSync(options.json, JSON.stringify(survivors, null, 1));
  if (options.write) keep({ mutants: { ...measured().mutants, ...figures } });
}

function chosen(mutants: readonly Mutant[], { words, sample, seed }: Options): Fate[] {
  const wanted = mutants
    .map((mutant, number): Fate => ({ ...mutant, number, killer: null, tries: 0 }))
    .filter(({ file }) => words.length === 0 || words.some((word) => file.includes(word)));
  if (sample === undefined || sample >= wanted.length) return wanted;
  console.log(`${sample} of ${wanted.length} mutants are tried, chosen by --seed ${seed}`);
  return shuffled(wanted, seed).slice(0, sample);
}

async function tested(area: string, fates: readonly Fate[]): Promise<void> {
  const specs = (AREAS[area] ?? []).map((name) => `tests/self/${name}.spec.ts`);
  const trial = await TestTrial.of(area, specs);
  for (const unfit of trial.unfit) console.log(`left out: ${unfit}`);
  for (const fate of fates) await trial.on(fate);
  console.log(`${area}: ${fates.filter(({ killer }) => killer).length} of ${fates.length} noticed by tests`);
}

/** Tries what is left on the evidence of one server after another, in an order that the seed gives. */
async function judged(area: string, fates: readonly Fate[], options: Options): Promise<void> {
  const directory = options.evidence ?? mkdtempSync(join(tmpdir(), 'evidence-'));
  options.evidence = directory;
  const jobs = allJobs().filter(({ kind }) => kind !== 'combination');
  await record(directory, jobs);
  const trial = await Trial.of(area, fates);
  for (const [i, job] of shuffled(jobs, options.seed).entries()) {
    const text = readFileSync(join(directory, `${job.name}.json`), 'utf8');
    if (text.length > MOST_CHARACTERS) continue;
    trial.on(job.name, JSON.parse(text) as Evidence);
    if (i % 100 === 99) console.log(`${i + 1} of ${jobs.length} servers`);
  }
}

/** Records the evidence of every server of which there is none yet. */
async function record(directory: string, all: readonly Job[]): Promise<void> {
  mkdirSync(directory, { recursive: true });
  const jobs = all.filter(({ name }) => !existsSync(join(directory, `${name}.json`)));
  console.log(`evidence of ${jobs.length} servers is recorded in ${directory}`);
  const recorded = async (waiting: Job[]): Promise<void> => {
    for (let job = waiting.shift(); job; job = waiting.shift())
      writeFileSync(join(directory, `${job.name}.json`), JSON.stringify(await evidenceOf(job)));
  };
  const wired = jobs.filter(({ wire }) => wire);
  await Promise.all(Array.from({ length: WIRED_AT_ONCE }, () => recorded(wired)));
  await recorded(jobs.filter(({ wire }) => !wire));
}

function reported(area: string, fates: readonly Fate[], byTests: ReadonlySet<Fate>, options: Options): MutantFigures {
  const equivalent = JSON.parse(readFileSync(EQUIVALENT, 'utf8')) as Record<string, string>;
  const counted = fates.filter(({ id }) => !Object.hasOwn(equivalent, id));
  for (const { id, line, killer, tries } of counted)
    if (!killer) console.log(`${tries > 0 ? 'survived' : 'not run '} ${line} ${id}`);
  const figuresOf = (of: readonly Fate[]) => `${of.filter(({ killer }) => killer).length} of ${of.length}`;
  for (const name of new Set(counted.map(({ file }) => file)))
    console.log(`${name.padEnd(36)} ${figuresOf(counted.filter(({ file }) => file === name))}`);
  console.log(`${area.padEnd(36)} ${figuresOf(counted)}, ${fates.length - counted.length} set aside`);
  const all = mutatedFiles(area, false).mutants.length;
  return {
    noticed: counted.filter(({ killer }) => killer).length,
    byTests: counted.filter((fate) => byTests.has(fate)).length,
    of: counted.length,
    equivalent: fates.length - counted.length,
    ...(fates.length < all && { sample: { of: all, seed: options.seed } }),
  };
}

// Some faults end connections in ways that Node warns about. They are meant to.
process.on('warning', () => undefined);
main()
  .catch((error: Error) => {
    console.error(error.stack);
    process.exitCode = 1;
  })
  .finally(() => process.exit());

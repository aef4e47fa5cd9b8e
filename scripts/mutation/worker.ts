/**
 * A process that records evidence, says which mutants a judgement runs through, and judges again with a mutant active.
 * It is told what to do by the messages of `Task`, and answers each with a message.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Script } from 'node:vm';
import type { Evidence } from '../../src/evidence/exchange';
import type { Judgement } from '../../src/judge/verdict';
import { evidenceOf, type Job } from '../matrix/jobs';
import { JUDGING, MUTATED, SPECS } from './areas';
import { type Bundle, bundled, type Judges } from './bundle';
import { bundledTests, type TestBundle } from './tests';

export type Task =
  | { do: 'record'; job: Job }
  | { do: 'cover'; name: string }
  | { do: 'judge'; mutant: number; looks: Look[] }
  | { do: 'test'; mutant: number };

/** An evidence, and the clauses to judge on it. */
export interface Look {
  name: string;
  clauses: string[];
}

/** What the judgement of one clause on one evidence came to, and the mutants that it ran through. */
export interface Covered {
  clause: string;
  verdict: string;
  mutants: number[];
}

/** How a mutant was noticed: by which evidence and clause. `null`: it was not. */
export type Killer = { name: string; clause: string; by: string } | null;

const TODAY = '2026-01-01';
/** A mutant may go round in circles. */
const LONGEST_MS = 20_000;

const directory = process.argv[2] ?? '';
const evidences = new Map<string, Evidence>();
const baselines = new Map<string, string>();
let bundle: Bundle;
let unmutated: Judges | null = null;
let tests: TestBundle | null = null;
let covering: Map<number, number[]> | null = null;

function evidenceNamed(name: string): Evidence {
  const known = evidences.get(name) ?? (JSON.parse(readFileSync(join(directory, `${name}.json`), 'utf8')) as Evidence);
  evidences.set(name, known);
  return known;
}

/** All of a judgement that a test of the suite would see: the verdict, its words, and what it points at. */
function printOf(judges: Judges, clause: string, evidence: Evidence): string {
  const judgement = judges.judgementsOf([clause], evidence, TODAY).get(clause) as Judgement;
  const breaches = judgement.breaches.map(({ exchanges, deliveries = [] }) => [
    exchanges.map(({ index }) => index),
    deliveries.map(({ index }) => index),
  ]);
  return JSON.stringify([judgement.verdict, breaches, judgement.verdict === 'pass' ? null : judgement.reason]);
}

function baselineOf(name: string, clause: string): string {
  const key = `${clause} ${name}`;
  unmutated ??= bundle.start(() => false);
  const known = baselines.get(key) ?? printOf(unmutated, clause, evidenceNamed(name));
  baselines.set(key, known);
  return known;
}

function covered(name: string): Covered[] {
  const evidence = evidenceNamed(name);
  let run = new Set<number>();
  const judges = bundle.start((mutant) => {
    run.add(mutant);
    return false;
  });
  return judges.ids.map((clause): Covered => {
    run = new Set();
    // What judges remember belongs to an array of exchanges: of a copy they remember nothing.
    const print = printOf(judges, clause, { ...evidence, exchanges: [...evidence.exchanges] });
    baselines.set(`${clause} ${name}`, print);
    return { clause, verdict: JSON.parse(print)[0] as string, mutants: [...run] };
  });
}

function killerOf(mutant: number, looks: readonly Look[]): Killer {
  let judges: Judges | null = null;
  for (const { name, clauses } of looks) {
    for (const clause of clauses) {
      const was = baselineOf(name, clause);
      let is: string;
      try {
        judges ??= bundle.start((active) => active === mutant);
        const started = judges;
        is = bounded(() => printOf(started, clause, evidenceNamed(name)));
      } catch (error) {
        return { name, clause, by: `error: ${(error as Error).message}` };
      }
      if (is === was) continue;
      const by = JSON.parse(is)[0] === JSON.parse(was)[0] ? 'what it shows' : 'verdict';
      return { name, clause, by };
    }
  }
  return null;
}

/** Runs the tests that run through a mutant, until one of them fails. `false`: no test runs through it. */
async function testKillerOf(mutant: number): Promise<Killer | false> {
  tests ??= await bundledTests(MUTATED, SPECS);
  covering ??= await testsCovering(tests);
  const mine = covering.get(mutant) ?? [];
  if (mine.length === 0) return false;
  const own = await tests.start((active) => active === mutant).catch((error: Error) => error);
  if (own instanceof Error) return { name: own.message, clause: '', by: 'test' };
  for (const i of mine) {
    const failure = await own[i]?.run().catch((error: Error) => error);
    if (failure) return { name: own[i]?.title ?? '', clause: '', by: 'test' };
  }
  return null;
}

/** By the numbers of mutants: the tests that run through them, and pass without. */
async function testsCovering(bundle: TestBundle): Promise<Map<number, number[]>> {
  let run = new Set<number>();
  const own = await bundle.start((mutant) => {
    run.add(mutant);
    return false;
  });
  const found = new Map<number, number[]>();
  for (const [i, test] of own.entries()) {
    run = new Set();
    const failure = await test.run().catch((error: Error) => error);
    if (!failure) for (const mutant of run) found.set(mutant, [...(found.get(mutant) ?? []), i]);
  }
  return found;
}

/** @throws where the work takes too long */
function bounded(work: () => string): string {
  (globalThis as { work?: () => string }).work = work;
  return new Script('work()').runInThisContext({ timeout: LONGEST_MS }) as string;
}

async function answer(task: Task): Promise<unknown> {
  if (task.do === 'test') return testKillerOf(task.mutant);
  bundle ??= await bundled(JUDGING);
  if (task.do === 'cover') return covered(task.name);
  if (task.do === 'judge') return killerOf(task.mutant, task.looks);
  writeFileSync(join(directory, `${task.job.name}.json`), JSON.stringify(await evidenceOf(task.job)));
  return null;
}

process.on('warning', () => undefined);
process.on('message', ({ number, task }: { number: number; task: Task }) => {
  answer(task).then(
    (result) => process.send?.({ number, result }),
    (error: Error) => process.send?.({ number, error: error.stack ?? error.message }),
  );
});

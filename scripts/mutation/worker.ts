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
import { type Bundle, bundled, type Judges } from './bundle';

export type Task =
  | { do: 'record'; job: Job }
  | { do: 'cover'; name: string }
  | { do: 'judge'; mutant: number; looks: Look[] };

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
  const known =
    baselines.get(key) ??
    printOf(
      bundle.start(() => false),
      clause,
      evidenceNamed(name),
    );
  baselines.set(key, known);
  return known;
}

function covered(name: string): Covered[] {
  const evidence = evidenceNamed(name);
  return bundle
    .start(() => false)
    .ids.map((clause): Covered => {
      const mutants = new Set<number>();
      const judges = bundle.start((mutant) => {
        mutants.add(mutant);
        return false;
      });
      const print = printOf(judges, clause, evidence);
      baselines.set(`${clause} ${name}`, print);
      return { clause, verdict: JSON.parse(print)[0] as string, mutants: [...mutants] };
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

/** @throws where the work takes too long */
function bounded(work: () => string): string {
  (globalThis as { work?: () => string }).work = work;
  return new Script('work()').runInThisContext({ timeout: LONGEST_MS }) as string;
}

async function answer(task: Task): Promise<unknown> {
  bundle ??= await bundled(['src/judge', 'src/evidence']);
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

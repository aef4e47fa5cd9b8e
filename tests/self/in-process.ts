/** The suite without Playwright: the same probes and judges, many runs side by side in one process. */
import { type Clause, collectClauses } from '../../src/clause';
import { Conductor } from '../../src/probes/conductor';
import { Recorder } from '../../src/recorder/recorder';
import type { Bend } from '../../src/reference/behaviour';
import { type ReferenceOptions, startReference } from '../../src/reference/server';
import { targetOfReference } from '../../src/run/embedded';
import type { Target } from '../../src/target';
import { type Judgement, judgementOf } from '../../src/verdict';

let clauses: Promise<Clause[]> | null = null;

/** All clauses that the spec files declare. */
export function allClauses(): Promise<Clause[]> {
  clauses ??= collectClauses(async () => {
    await import('../auth.spec');
    await import('../settings.spec');
    await import('../rate.spec');
    await import('../version.spec');
    await import('../transport.spec');
  });
  return clauses;
}

export interface InProcessRun {
  judgements: Judgement[];
  recorder: Recorder;
  durationMs: number;
}

/** Runs every clause, or those whose id `only` accepts, against a target. */
export async function runOn(
  target: Target,
  only: (id: string) => boolean = () => true,
  riskyProbes = true,
): Promise<InProcessRun> {
  const selected = (await allClauses()).filter((clause) => only(clause.id));
  const recorder = new Recorder(target, { insecureTls: false, riskyProbes, environment: {} });
  await new Conductor(
    recorder,
    selected.flatMap((clause) => clause.needs),
    riskyProbes,
  ).conduct();
  const durationMs = recorder.now();
  const evidence = recorder.evidence();
  const judgements = selected.map((clause) =>
    judgementOf(clause.id, clause.judge(evidence), evidence, [], '2026-01-01'),
  );
  return { judgements, recorder, durationMs };
}

/** Starts a bent reference server, runs the suite against it, and stops it. */
export async function runOnBent(
  bends: readonly Bend[],
  options: Omit<ReferenceOptions, 'bends'> & { target?: Partial<Target>; accounts?: ReferenceOptions['accounts'] } = {},
): Promise<InProcessRun> {
  const { target, ...server } = options;
  const reference = await startReference({ ...server, bends });
  try {
    return await runOn({ ...targetOfReference(reference), ...target });
  } finally {
    await reference.close();
  }
}

/** Ids of the clauses with one of some verdicts. */
export function idsOf(run: InProcessRun, ...verdicts: string[]): string[] {
  return run.judgements.filter((judgement) => verdicts.includes(judgement.verdict)).map((judgement) => judgement.id);
}

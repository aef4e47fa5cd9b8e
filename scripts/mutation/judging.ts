/** Mutants tried on recorded evidence: one is noticed where a clause then accuses a server, or no longer does. */
import type { Evidence } from '../../src/evidence/model';
import type * as Rules from '../../src/judge/rules';
import { bundled, mutatedFiles, Switches } from './bundle';
import type { Mutant } from './points';

/** A mutant is tried on so many evidences of each clause and verdict at most, and on so many in all. */
const MOST_ALIKE = 12;
const MOST_TRIES = 200;

/** How a mutant was noticed: on which server, or by which test. */
export interface Killer {
  by: string;
  what: string;
}

export interface Fate extends Mutant {
  /** Its number in its area. */
  number: number;
  killer: Killer | null;
  /** How often it was tried: where it would have changed a value. */
  tries: number;
}

const ENTRY = "module.exports = require('./src/judge/rules');";
const TODAY = '2026-01-01';
/** A file that remembers more than one run: what it worked out for one mutant would be given to the next. */
const REMEMBERING = /^(?:let |const \w+ = new Map<)/m;

/** What a clause said of an evidence without any mutant. */
interface Baseline {
  clause: string;
  verdict: string;
  /** The mutants that would have changed a value meanwhile. */
  telling: Iterable<number>;
}

/** Tries mutants on one evidence after another, as long as each is alive and would change anything there. */
export class Trial {
  private readonly acts = new Switches();
  private readonly acting: typeof Rules;
  private readonly alike = new Map<string, number>();
  private readonly own = new Map<number, typeof Rules>();
  private readonly fates: ReadonlyMap<number, Fate>;

  private constructor(
    fates: readonly Fate[],
    private readonly looking: typeof Rules,
    private readonly looks: Switches,
    private readonly start: (switches: Switches) => typeof Rules,
    /** Mutants that need an instance of their own. */
    private readonly apart: ReadonlySet<number>,
  ) {
    this.fates = new Map(fates.map((fate) => [fate.number, fate]));
    this.acting = start(this.acts);
  }

  /** @param fates the mutants to try, those of a folder */
  static async of(folder: string, fates: readonly Fate[]): Promise<Trial> {
    const looks = new Switches();
    const looking = (await bundled<typeof Rules>(mutatedFiles(folder, true), ENTRY, false))(looks);
    const files = mutatedFiles(folder, false);
    const apart = new Set(looks.passed);
    for (const [number, { file }] of files.mutants.entries())
      if (REMEMBERING.test(files.texts.get(file) ?? '')) apart.add(number);
    return new Trial(fates, looking, looks, await bundled<typeof Rules>(files, ENTRY, false), apart);
  }

  /** @param name of the server, whose evidence it is */
  on(name: string, evidence: Evidence): void {
    const tries = new Map<number, Baseline[]>();
    for (const clause of Object.keys(this.looking.rules)) {
      this.looks.clear();
      const verdict = verdictOf(this.looking, clause, copyOf(evidence));
      const baseline = { clause, verdict, telling: new Set([...this.looks.telling, ...this.apart]) };
      for (const mutant of baseline.telling) this.plan(mutant, baseline, tries);
    }
    for (const [mutant, baselines] of tries) this.tryOut(mutant, baselines, name, copyOf(evidence));
  }

  private plan(mutant: number, baseline: Baseline, tries: Map<number, Baseline[]>): void {
    const fate = this.fates.get(mutant);
    if (!fate || fate.killer || fate.tries >= MOST_TRIES) return;
    const kind = `${mutant} ${baseline.clause} ${baseline.verdict}`;
    const count = this.alike.get(kind) ?? 0;
    if (count >= MOST_ALIKE) return;
    this.alike.set(kind, count + 1);
    tries.set(mutant, [...(tries.get(mutant) ?? []), baseline]);
  }

  private tryOut(mutant: number, baselines: readonly Baseline[], name: string, evidence: Evidence): void {
    const fate = this.fates.get(mutant) as Fate;
    this.acts.active = mutant;
    const instance = this.apart.has(mutant) ? (this.own.get(mutant) ?? this.start(this.acts)) : this.acting;
    if (this.apart.has(mutant)) this.own.set(mutant, instance);
    for (const { clause, verdict } of baselines) {
      fate.tries += 1;
      this.acts.clear();
      const now = verdictOf(instance, clause, evidence);
      if (isAccusation(now) === isAccusation(verdict)) continue;
      fate.killer = { by: name, what: `${clause}: ${now}` };
      this.own.delete(mutant);
      break;
    }
    this.acts.active = -1;
  }
}

function verdictOf({ judgementsOf }: typeof Rules, clause: string, evidence: Evidence): string {
  try {
    return judgementsOf([clause], evidence, TODAY).get(clause)?.verdict ?? '';
  } catch (error) {
    return `error: ${(error as Error).message}`;
  }
}

/** What judges remember of a run belongs to its array of exchanges: of a copy they remember nothing. */
function copyOf(evidence: Evidence): Evidence {
  return { ...evidence, exchanges: [...evidence.exchanges] };
}

/** Whether a clause accuses, or its judge breaks. */
function isAccusation(verdict: string): boolean {
  return verdict === 'fail' || verdict === 'warn' || verdict.startsWith('error');
}

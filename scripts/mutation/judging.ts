/** Mutants of the judges, tried on recorded evidence: what is then said of a server is compared with what was said before. */
import type { Evidence } from '../../src/evidence/exchange';
import type { Judgement } from '../../src/judge/verdict';
import type * as Said from '../matrix/said';
import { bundled, mutatedFiles, Switches } from './bundle';
import type { Mutant } from './points';

/** A mutant is tried on so many evidences of each clause and verdict at most, and on so many in all. */
const MOST_ALIKE = 12;
const MOST_TRIES = 200;

/** The evidence of a server of the matrix. */
export interface Recorded {
  name: string;
  evidence: Evidence;
  /** Whether a file of the tests holds what is said of it; of other servers they only hold what is accused. */
  isHeld: boolean;
}

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

const ENTRY = "module.exports = require('./scripts/matrix/said');";
/** A file that remembers more than one run: what it worked out for one mutant would be given to the next. */
const REMEMBERING = /^(?:let |const \w+ = new Map<)/m;

/** Tries mutants on one evidence after another, as long as each is alive and would change anything there. */
export class Trial {
  private readonly acts = new Switches();
  private readonly acting: typeof Said;
  private readonly alike = new Map<string, number>();
  private readonly own = new Map<number, typeof Said>();
  private readonly fates: ReadonlyMap<number, Fate>;

  private constructor(
    fates: readonly Fate[],
    private readonly looking: typeof Said,
    private readonly looks: Switches,
    private readonly start: (switches: Switches) => typeof Said,
    /** Mutants that need an instance of their own. */
    private readonly apart: ReadonlySet<number>,
  ) {
    this.fates = new Map(fates.map((fate) => [fate.number, fate]));
    this.acting = start(this.acts);
  }

  /** @param fates the mutants to try, those of a folder */
  static async of(folders: readonly string[], fates: readonly Fate[]): Promise<Trial> {
    const looks = new Switches();
    const looking = (await bundled<typeof Said>(mutatedFiles(folders, true), ENTRY, false))(looks);
    const files = mutatedFiles(folders, false);
    const apart = new Set(looks.passed);
    for (const [number, { file }] of files.mutants.entries())
      if (REMEMBERING.test(files.texts.get(file) ?? '')) apart.add(number);
    return new Trial(fates, looking, looks, await bundled<typeof Said>(files, ENTRY, false), apart);
  }

  /** Tries every mutant that is still alive, and that would change a value where this evidence is judged. */
  on({ name, evidence, isHeld }: Recorded): void {
    const subjects = this.lookedAt(evidence);
    const tries = new Map<number, Subject[]>();
    for (const subject of subjects) for (const mutant of subject.telling) this.plan(mutant, subject, tries);
    for (const [mutant, planned] of tries) {
      const fate = this.fates.get(mutant) as Fate;
      const said = this.instanceOf(mutant);
      const fresh = copyOf(evidence);
      for (const { id, isAsBefore } of planned) {
        fate.tries += 1;
        const now = this.saidNow(said, id, mutant, fresh, subjects);
        if (isAsBefore(now, isHeld)) continue;
        fate.killer = { by: `${id} of ${name}`, what: now.slice(0, 300) };
        this.own.delete(mutant);
        break;
      }
    }
  }

  private plan(mutant: number, subject: Subject, tries: Map<number, Subject[]>): void {
    const fate = this.fates.get(mutant);
    if (!fate || fate.killer || fate.tries >= MOST_TRIES) return;
    const kind = `${mutant} ${subject.kind}`;
    const count = this.alike.get(kind) ?? 0;
    if (count >= MOST_ALIKE) return;
    this.alike.set(kind, count + 1);
    tries.set(mutant, [...(tries.get(mutant) ?? []), subject]);
  }

  private instanceOf(mutant: number): typeof Said {
    this.acts.active = mutant;
    if (!this.apart.has(mutant)) return this.acting;
    const own = this.own.get(mutant) ?? this.start(this.acts);
    this.own.set(mutant, own);
    return own;
  }

  private saidNow(
    said: typeof Said,
    id: string,
    mutant: number,
    evidence: Evidence,
    { judgements }: { judgements: Judgement[] },
  ): string {
    this.acts.clear();
    this.acts.active = mutant;
    try {
      if (id === 'open') return said.saidOfOpen(evidence).join('\n');
      if (id === 'run') return said.saidOfRun(judgements, evidence).join('\n');
      return said.saidOfClause(said.judgement(id, evidence)).join('\n');
    } catch (error) {
      return `error: ${(error as Error).message}`;
    } finally {
      this.acts.active = -1;
    }
  }

  /** What is said of an evidence without any mutant, and which mutants bear on it. */
  private lookedAt(evidence: Evidence): Subject[] & { judgements: Judgement[] } {
    const judgements: Judgement[] = [];
    const look = (id: string, kindOf: (text: string) => string, work: () => string[]): Subject => {
      this.looks.clear();
      const before = work().join('\n');
      const telling = [...new Set([...this.looks.telling, ...this.apart])];
      return {
        id,
        kind: `${id} ${kindOf(before)}`,
        telling,
        isAsBefore: (now, isHeld) => (isHeld ? now === before : isAccusation(now) === isAccusation(before)),
      };
    };
    const subjects = this.looking.clauses.map((id) =>
      look(
        id,
        (text) => text.slice(0, 8),
        () => {
          const judgement = this.looking.judgement(id, copyOf(evidence));
          judgements.push(judgement);
          return this.looking.saidOfClause(judgement);
        },
      ),
    );
    const open = look('open', String, () => this.looking.saidOfOpen(copyOf(evidence)));
    const run = look('run', String, () => this.looking.saidOfRun(judgements, evidence));
    return Object.assign([...subjects, open, run], { judgements });
  }
}

interface Subject {
  id: string;
  /** Evidences that are alike for this subject. */
  kind: string;
  telling: number[];
  isAsBefore(now: string, isHeld: boolean): boolean;
}

/** What judges remember of a run belongs to its array of exchanges: of a copy they remember nothing. */
function copyOf(evidence: Evidence): Evidence {
  return { ...evidence, exchanges: [...evidence.exchanges] };
}

/** Whether a clause accuses, or a judge breaks. */
function isAccusation(text: string): boolean {
  return /^(?:fail|warn|error)/.test(text);
}

/** The judgements of one run, each made once: when somebody asks for it first. */
import { judgementsOf } from '../judge/rules';
import type { Judgement } from '../judge/verdict';
import type { Recorded } from '../report/model';

export class Judging {
  /** The clauses that the run was begun for. */
  ids: readonly string[] = [];
  private readonly made = new Map<string, Judgement>();

  /** @param recorded gives what was recorded; it is complete once a judgement is asked for */
  constructor(private readonly recorded: () => Recorded) {}

  /** @throws for an id that has no rule */
  of(id: string): Judgement {
    const today = new Date().toISOString().slice(0, 10);
    const judgement = this.made.get(id) ?? judgementsOf([id], this.recorded().evidence, today).get(id);
    if (!judgement) throw new Error(`The clause ${id} was not judged.`);
    this.made.set(id, judgement);
    return judgement;
  }

  all(): ReadonlyMap<string, Judgement> {
    return new Map(this.ids.map((id) => [id, this.of(id)]));
  }
}

/** The judgements of one run, each made once: when somebody asks for it first. */
import type { Evidence } from '../evidence/exchange';
import { withoutOwn } from '../evidence/groups';
import { judgementsOf } from '../judge/rules';
import type { Judgement } from '../judge/verdict';
import type { Recorded } from '../report/model';

export class Judging {
  private readonly made = new Map<string, Judgement>();
  /** What is judged: it does not change any more once the first judgement is made. */
  private evidence: Evidence | null = null;

  /**
   * @param ids the clauses that the run was begun for
   * @param recorded gives what was recorded; it is complete once a judgement is asked for
   */
  constructor(
    private readonly ids: readonly string[],
    private readonly recorded: () => Recorded,
  ) {}

  /** @throws for an id that has no rule */
  of(id: string): Judgement {
    this.evidence ??= withoutOwn(this.recorded().evidence);
    const today = new Date().toISOString().slice(0, 10);
    const judgement = this.made.get(id) ?? judgementsOf([id], this.evidence, today).get(id);
    if (!judgement) throw new Error(`The clause ${id} was not judged.`);
    this.made.set(id, judgement);
    return judgement;
  }

  all(): ReadonlyMap<string, Judgement> {
    return new Map(this.ids.map((id) => [id, this.of(id)]));
  }
}

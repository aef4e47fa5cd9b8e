/** A prepared target, and a run against it. UI mode and VS Code run a target many times: each run begins afresh. */
import type { Conformance } from '../contract/result';
import type { Evidence, Exchange, HeaderLines } from '../evidence/model';
import { withoutOwn } from '../evidence/select';
import { type Cause, causesIn } from '../judge/causes';
import type { Judgement } from '../judge/verdict';
import { judgementsOf } from '../profiles/rules';
import type { Asked } from '../report/assemble';
import type { Recorded } from '../report/model';

export interface Prepared extends Asked {
  /** Settings that the user may not have meant, one sentence each. */
  notices: string[];
  baseline: Conformance | null;
  /** The directory in which whole runs against this target are kept. */
  history: string | null;
  /** Ends the sending of the previous run, and begins a run that sends what some clauses need. */
  begin(ids: Iterable<string>): Run;
  close?(): Promise<void>;
}

export interface OwnRequest {
  title: string;
  /** Whose key to send; `null` for none. */
  account: string | null;
  method: string;
  /** An address of the API under test. */
  url: string;
  headers: HeaderLines;
  body: Buffer | null;
}

export abstract class Run {
  private readonly made = new Map<string, Judgement>();
  private known: readonly Cause[] | null = null;
  /** The evidence that is judged. It no longer changes once the first judgement is made. */
  private judged: Evidence | null = null;

  readonly ids: readonly string[];
  /** Whether requests of own tests are sent. Where evidence is replayed, none are. */
  readonly sends: boolean = true;
  /** Fulfilled once everything planned is sent. */
  protected conducted: Promise<void> = Promise.resolve();

  /** @param ids the clauses that the run is for */
  constructor(ids: Iterable<string>) {
    this.ids = [...ids];
  }

  abstract sofar(): Recorded;
  /** Whether everything is recorded, and can be judged. */
  protected abstract get isRecorded(): boolean;
  /** What the run is busy with, for people who wait. */
  abstract doing(): string;
  /** Sends an own test's request; `null` if stopped or not recorded. @param isDue called when due; false if unwanted */
  abstract send(request: OwnRequest, isDue: () => boolean): Promise<Exchange | null>;

  /** Ends the sending; what is recorded stays. */
  stop(): void {}

  /** Returns everything recorded, once everything planned is sent. */
  async recorded(): Promise<Recorded> {
    await this.conducted;
    return this.sofar();
  }

  /** Returns the judgement of a clause, made once, when everything is recorded. @throws for an id without a rule */
  judgement(id: string): Judgement {
    if (!this.made.has(id)) {
      this.judged ??= withoutOwn(this.sofar().evidence);
      const today = new Date().toISOString().slice(0, 10);
      const open = new Set([...this.ids, id].filter((clause) => !this.made.has(clause)));
      // They are judged together, because bounding the time of each alone takes longer than judging it.
      for (const [clause, judgement] of judgementsOf(open, this.judged, today)) this.made.set(clause, judgement);
    }
    return this.made.get(id) as Judgement;
  }

  /** Returns the causes of what the run's clauses found, worked out once; none before everything is recorded. */
  causes(): readonly Cause[] {
    if (this.isRecorded) this.known ??= causesIn(this.judgements());
    return this.known ?? [];
  }

  /** Returns the judgements of the run's clauses; none before everything is recorded. */
  judgements(): ReadonlyMap<string, Judgement> {
    return new Map(this.isRecorded ? this.ids.map((id) => [id, this.judgement(id)]) : []);
  }
}

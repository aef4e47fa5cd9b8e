/**
 * What a process is prepared for, and a run of it. One process may run the same target many times (UI mode, VS Code): each
 * run begins afresh, with evidence of its own. In the runner's main process.
 */

import type { Conformance } from '../contract/result';
import type { Evidence, Exchange, HeaderLines } from '../evidence/exchange';
import { withoutOwn } from '../evidence/groups';
import { judgementsOf } from '../judge/rules';
import type { Judgement } from '../judge/verdict';
import type { Asked } from '../report/assemble';
import type { Recorded } from '../report/model';

/** One target, ready to be run. */
export interface Prepared extends Asked {
  /** Things the user may not have meant, one sentence each. */
  notices: string[];
  /** An earlier result to compare with. */
  baseline: Conformance | null;
  /** The directory in which whole runs against this target are kept. */
  history: string | null;
  /** Begins a run: sends what some clauses need. A run before it ends its sending first. */
  begin(ids: Iterable<string>): Run;
  close?(): Promise<void>;
}

/** A request of an own test. */
export interface OwnRequest {
  /** Title of the test. */
  title: string;
  /** Whose key to send; `null` for none. */
  account: string | null;
  method: string;
  /** Path and query below the base URL, with a slash at its beginning. */
  path: string;
  headers: HeaderLines;
  body: Buffer | null;
}

/** One run, from its first request to its results. */
export abstract class Run {
  private readonly made = new Map<string, Judgement>();
  /** What is judged: it does not change any more once the first judgement is made. */
  private judged: Evidence | null = null;

  readonly ids: readonly string[];
  /** Fulfilled once all that was planned is sent. */
  protected conducted: Promise<void> = Promise.resolve();

  /** @param ids the clauses that it is begun for */
  constructor(ids: Iterable<string>) {
    this.ids = [...ids];
  }

  /** What is recorded so far. */
  abstract sofar(): Recorded;
  /** Whether everything is recorded, and can be judged. */
  protected abstract get isRecorded(): boolean;
  /** What the run is busy with, for people who wait. */
  abstract doing(): string;
  /** Ends the sending; what is recorded stays. */
  abstract stop(): void;
  /** Whether requests of this own test can have no answer: what is replayed holds none. */
  abstract isMissing(title: string): boolean;
  /** Sends a request of an own test; `null` where it is not sent any more, or was not recorded in what is replayed. */
  abstract send(request: OwnRequest): Promise<Exchange | null>;

  /** Everything recorded, once all that was planned is sent. */
  async recorded(): Promise<Recorded> {
    await this.conducted;
    return this.sofar();
  }

  /** The judgement of a clause, once everything is recorded. It is made once. @throws for an id that has no rule */
  judgement(id: string): Judgement {
    if (!this.made.has(id)) {
      this.judged ??= withoutOwn(this.sofar().evidence);
      const today = new Date().toISOString().slice(0, 10);
      const open = new Set([...this.ids, id].filter((clause) => !this.made.has(clause)));
      // All at once: to bound the time of each alone takes longer than to judge it.
      for (const [clause, judgement] of judgementsOf(open, this.judged, today)) this.made.set(clause, judgement);
    }
    return this.made.get(id) as Judgement;
  }

  /** The judgements of the clauses that the run was begun for; none before everything is recorded. */
  judgements(): ReadonlyMap<string, Judgement> {
    return new Map(this.isRecorded ? this.ids.map((id) => [id, this.judgement(id)]) : []);
  }
}

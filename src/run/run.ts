/**
 * What a process is prepared for, and a run of it. One process may run the same target many times (UI mode, VS Code): each
 * run begins afresh, with evidence of its own. In the runner's main process.
 */

import type { Conformance } from '../contract/result';
import type { Judgement } from '../judge/verdict';
import type { Recorded } from '../report/model';
import type { Own } from './own';

/** One target, ready to be run. */
export interface Prepared {
  /** Things the user may not have meant, one sentence each. */
  notices: string[];
  /** Whether a MUST of the core profile that was not tested fails the run. */
  requireComplete: boolean;
  /** Whether a warning fails the run. */
  strict: boolean;
  /** An earlier result to compare with. */
  baseline: Conformance | null;
  /** The directory in which whole runs against this target are kept. */
  history: string | null;
  /** Begins a run: sends what some clauses need. A run before it ends its sending first. */
  begin(ids: Iterable<string>): Run;
  close(): Promise<void>;
}

/** One run, from its first request to its results. */
export interface Run {
  /** The clauses that it was begun for. */
  readonly ids: readonly string[];
  /** The requests of the user's own tests. */
  readonly own: Own;
  /** Everything recorded, once all that was planned is sent. */
  recorded(): Promise<Recorded>;
  /** What is recorded so far. */
  sofar(): Recorded;
  /** The judgement of a clause, once everything is recorded. It is made once. @throws for an id that has no rule */
  judgement(id: string): Judgement;
  /** The judgements of the clauses that the run was begun for; none before everything is recorded. */
  judgements(): ReadonlyMap<string, Judgement>;
  /** How many requests were sent so far. */
  requests(): number;
  /** What the run is busy with, for people who wait. */
  doing(): string;
  /** Ends the sending; what is recorded stays. */
  stop(): void;
}

/** The shape of `conformance.json`, the suite's public result: its schema is schemas/conformance.schema.json. */
import type { Clause, Conformance, Found } from '#schemas/conformance.d.ts';

export type {
  Change,
  Clause as ClauseResult,
  Conformance,
  DeclaredAccount,
  Found,
  Limits,
  OwnTest,
} from '#schemas/conformance.d.ts';

export type Level = Clause['level'];
export type Verdict = Clause['verdict'];
export type RunVerdict = Conformance['verdict'];

/** What a flaw is about. Flaws of several clauses in one header or member may have one cause. */
export type Subject = Found['subject'];
/** What is wrong, in members. judge/sentences makes the sentences of it. */
export type Flaw = Omit<Found, 'evidence'>;

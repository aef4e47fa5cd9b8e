/** The words of the contract, read from schemas/clauses.yaml. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { Clause } from '#schemas/conformance.d.ts';
import { root } from '../common/suite';
import { digestOf } from '../common/text';

interface ClauseText {
  id: string;
  area: string;
  level: Clause['level'];
  /** The section of the API description or of an RFC that demands it. */
  section: string;
  statement: string;
  /** What a conformant server sends: completes "would conform: …". */
  conforms: string;
  /** What a breach means, in plain words. Absent for clauses about callers without a valid key: there it depends on the harm. */
  headline?: string;
  profile: 'core' | 'event';
}

interface ObservationText {
  id: string;
  section: string;
  /** What the API description leaves open, in one sentence. */
  what: string;
}

const text = readFileSync(join(root, 'schemas', 'clauses.yaml'), 'utf8');

/** The digest of the contract's wording. Results name it. */
export const contractDigest = digestOf(text);

const contract = parse(text) as {
  clauses: Omit<ClauseText, 'area'>[];
  observations: ObservationText[];
};

export const clauseTexts: readonly ClauseText[] = contract.clauses.map((clause) => ({
  ...clause,
  statement: clause.statement.trim(),
  area: clause.id.split('.')[0] ?? '',
}));
export const observationTexts: readonly ObservationText[] = contract.observations;

/** Returns the text of a clause. @throws for an id that is not in the contract */
export function clauseText(id: string): ClauseText {
  const text = clauseTexts.find((clause) => clause.id === id);
  if (!text) throw new Error(`The contract has no clause ${id}.`);
  return text;
}

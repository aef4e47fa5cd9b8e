/** The contract's words, read from schemas/clauses.yaml. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { Level } from './result';

export interface ClauseText {
  id: string;
  /** What stands before the id's dot. */
  area: string;
  level: Level;
  /** What it stands on: a section of the API description, or of an RFC. */
  section: string;
  statement: string;
  /** Completes "would conform: …". */
  conforms: string;
  profile: 'core' | 'event';
}

export interface ObservationText {
  id: string;
  section: string;
  /** What the API description leaves open, in one sentence. */
  what: string;
}

const contract = parse(readFileSync(join(__dirname, '..', '..', 'schemas', 'clauses.yaml'), 'utf8')) as {
  clauses: Omit<ClauseText, 'area'>[];
  observations: ObservationText[];
};

export const clauseTexts: readonly ClauseText[] = contract.clauses.map((clause) => ({
  ...clause,
  area: areaOf(clause.id),
}));
export const observationTexts: readonly ObservationText[] = contract.observations;

/** The text of a clause. @throws for an id that is not in the contract. */
export function textOf(id: string): ClauseText {
  const text = clauseTexts.find((clause) => clause.id === id);
  if (!text) throw new Error(`The contract has no clause ${id}.`);
  return text;
}

function areaOf(id: string): string {
  return id.split('.')[0] ?? id;
}

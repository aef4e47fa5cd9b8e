/** Figures in SCORE.md that take too long to be measured with every run: SCORE.json keeps them. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { scoreOfKind } from './tally';

const FILE = join(__dirname, '..', '..', 'SCORE.json');

/** How many mutants of some code were noticed. */
export interface MutantFigures {
  noticed: number;
  /** Those of them that the project's own fast tests noticed. */
  byTests: number;
  /** All that were tried, without those that change nothing that anybody could see. */
  of: number;
  /** Mutants that change nothing that anybody could see, each listed with its reason. */
  equivalent: number;
  /** All mutants, and the seed that chose among them, where not all were tried. */
  sample?: { of: number; seed: number };
}

/** Figures of servers that are made by chance, with the seed that chose them. */
export type ChanceFigures = ReturnType<typeof scoreOfKind> & { seed: number };

export interface Measured {
  /** Faults over real connections that the first look missed or did not catch exactly. */
  missedAtFirst: number;
  generated: ChanceFigures;
  /** Faults and dialects crossed, as of the last whole run of them. */
  crossed?: ChanceFigures;
  /** By folder or file of src. */
  mutants: Record<string, MutantFigures>;
}

export function measured(): Measured {
  return JSON.parse(readFileSync(FILE, 'utf8')) as Measured;
}

/** Replaces some of the figures. */
export function keep(figures: Partial<Measured>): void {
  writeFileSync(FILE, `${JSON.stringify({ ...measured(), ...figures }, null, 2)}\n`);
}

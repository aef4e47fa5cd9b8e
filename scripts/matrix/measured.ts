/** Figures in SCORE.md that take too long to be measured with every run: SCORE.json keeps them. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { scoreOfCrossed } from './tally';

const FILE = join(__dirname, '..', '..', 'SCORE.json');

/** Figures of crossed pairs, with the seed that chose them. */
export type CrossedFigures = ReturnType<typeof scoreOfCrossed> & { seed: number };

export interface Measured {
  /** Faults over real connections that the first look missed or did not catch exactly. */
  missedAtFirst: number;
  /** Faults and dialects crossed, as of the last whole run of them. */
  crossed?: CrossedFigures;
}

export function measured(): Measured {
  return JSON.parse(readFileSync(FILE, 'utf8')) as Measured;
}

/** Replaces some of the figures. */
export function keep(figures: Partial<Measured>): void {
  writeFileSync(FILE, `${JSON.stringify({ ...measured(), ...figures }, null, 2)}\n`);
}

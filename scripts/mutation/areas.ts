/** What is mutated, and which tests are tried. */

/** Judges and what they are made of: the mutants of these are judged on evidence. */
export const JUDGING = ['src/judge', 'src/evidence'] as const;
/** All code with mutants; those of the judges come first, so that their numbers are the same. */
export const MUTATED = [...JUDGING, 'src/recorder'] as const;
/** Tests that are fast and need nothing but Node. */
export const SPECS = [
  'mutation-judges',
  'mutation-recorder',
  'headers',
  'windows',
  'harm',
  'declarations',
  'vault',
].map((name) => `tests/self/${name}.spec.ts`);

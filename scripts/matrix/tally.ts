/** The figures of a matrix: which faults were caught, and which conformant servers were accused. */
import { clauseTexts } from '../../src/contract/clauses';
import { isConformant, type MatrixResult } from './jobs';

/** Clauses that a fault breaks and that neither failed nor warned. */
export function missed(result: MatrixResult): string[] {
  return isConformant(result) ? [] : result.expected.filter((id) => !(id in result.found));
}

/** Clauses that accuse without cause: on a fault those that it does not break, on a dialect those that may not warn. */
export function unexpected(result: MatrixResult): string[] {
  return Object.keys(result.found).filter((id) => !result.expected.includes(id));
}

export function isOdd(result: MatrixResult): boolean {
  return missed(result).length > 0 || unexpected(result).length > 0;
}

/** The figures of a whole matrix. A fault belongs to the area of the first clause that it breaks. */
export function scoreOf(results: readonly MatrixResult[]) {
  const broken = results.filter(({ kind }) => kind === 'fault');
  const conformant = results.filter(({ kind }) => kind === 'dialect' || kind === 'combination');
  const areas = [...new Set(clauseTexts.map(({ area }) => area))].map((area) => {
    const own = broken.filter(({ expected }) => expected[0]?.startsWith(`${area}.`));
    return { area, clauses: clauseTexts.filter((text) => text.area === area).length, ...figuresOf(own) };
  });
  return {
    areas,
    ...figuresOf(broken),
    conformant: conformant.length,
    falseAlarms: conformant.filter((result) => unexpected(result).length > 0).length,
    /** Clauses that caught no fault. */
    unproven: [...caughtByClause(results)].filter(([, { caught }]) => caught === 0).map(([id]) => id),
  };
}

/** The figures of faults and dialects crossed. */
export function scoreOfCrossed(results: readonly MatrixResult[]) {
  const conformant = results.filter(({ kind }) => kind === 'crossed dialect');
  return {
    ...figuresOf(results.filter(({ kind }) => kind === 'crossed fault')),
    conformant: conformant.length,
    accused: conformant.filter((result) => unexpected(result).length > 0).length,
  };
}

/** Faults that the first look did not catch exactly. */
export function missedAtFirst(results: readonly MatrixResult[]): number {
  return results.filter((result) => result.kind === 'fault' && isOdd({ ...result, found: result.looks[0] ?? {} }))
    .length;
}

function figuresOf(broken: readonly MatrixResult[]) {
  return {
    faults: broken.length,
    /** Those on which every clause that they break failed or warned. */
    caught: broken.filter((result) => missed(result).length === 0).length,
    /** Those of them on which no other clause failed or warned. */
    exact: broken.filter((result) => !isOdd(result)).length,
  };
}

/** By clause id: how many faults break the clause, and how many of them it caught. */
export function caughtByClause(results: readonly MatrixResult[]): Map<string, { caught: number; faults: number }> {
  return new Map(
    clauseTexts.map(({ id }) => {
      const own = results.filter(({ kind, expected }) => kind === 'fault' && expected.includes(id));
      return [id, { caught: own.filter(({ found }) => id in found).length, faults: own.length }];
    }),
  );
}

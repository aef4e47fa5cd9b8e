/**
 * What the suite says of a server, line by line: `tests/self/said.txt` holds it for the servers of the catalogue, so that
 * a change of any word is seen in review. What differs from run to run only because requests went at other times is left
 * out.
 */
import type { Evidence } from '../../src/evidence/exchange';
import { nameOf } from '../../src/evidence/probe';
import { whyNothingIsJudged } from '../../src/judge/acceptance';
import { causesOf } from '../../src/judge/causes';
import { observationsOf } from '../../src/judge/observations';
import { judgementsOf, rules } from '../../src/judge/rules';
import { type Judgement, runVerdictOf } from '../../src/judge/verdict';

const TODAY = '2026-01-01';

/** Ids of all clauses. */
export const clauses: readonly string[] = Object.keys(rules);

export function judgement(clause: string, evidence: Evidence): Judgement {
  return judgementsOf([clause], evidence, TODAY).get(clause) as Judgement;
}

export function saidOfClause({ id, verdict, reason, note }: Judgement): string[] {
  const remark = note === null ? '' : ` (${note})`;
  return verdict === 'pass' && !remark ? [] : [`${verdict} ${id}: ${timeless(reason ?? '')}${remark}`];
}

/** What the description leaves open, as it was observed. */
export function saidOfOpen(evidence: Evidence): string[] {
  return Object.entries(observationsOf(evidence)).map(
    ([id, values]) => `observed ${id}: ${timeless(values.map((value) => JSON.stringify(value)).join(', '))}`,
  );
}

/** What all judgements of a run come to. */
export function saidOfRun(judgements: readonly Judgement[], evidence: Evidence): string[] {
  const error = whyNothingIsJudged(judgements, evidence);
  const causes = causesOf(judgements).map(({ clauses: ids, telling }) => {
    const exchange = evidence.exchanges.find(({ index }) => index === telling);
    return `to mend ${ids.join(' and ')}${exchange ? `, shown by ${nameOf(exchange.probe)}` : ''}`;
  });
  return [error === null ? runVerdictOf(judgements, error) : `error: ${error}`, ...causes];
}

function timeless(text: string): string {
  return text.replace(/\d+ ms\b|\b\d{10,}\b|\bentry \d+/g, (found) => found.replace(/\d+/, '…'));
}

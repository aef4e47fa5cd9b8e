/** Every rule of the contract, by the id of its clause. */
import type { Evidence } from '../evidence/exchange';
import type { Need } from '../evidence/probe';
import { whyUnjudged } from './acceptance';
import { authRules } from './auth';
import { eventRules } from './event';
import { notTested, type Rule, type Rules } from './finding';
import { budgetRules } from './rate/budgets';
import { headerRules } from './rate/headers';
import { limitRules } from './rate/limit';
import { promiseRules } from './rate/promises';
import { settingsRules } from './settings';
import { transportRules } from './transport';
import { type Judgement, judgementOf } from './verdict';
import { versionRules } from './version';

export const rules: Rules = {
  ...authRules,
  ...settingsRules,
  ...limitRules,
  ...headerRules,
  ...promiseRules,
  ...budgetRules,
  ...versionRules,
  ...eventRules,
  ...transportRules,
};

/** The rule of a clause. @throws for an id that has no rule */
export function ruleOf(id: string): Rule {
  const rule = Object.hasOwn(rules, id) ? rules[id] : undefined;
  if (!rule) throw new Error(`No rule judges the clause ${id}.`);
  return rule;
}

/** The groups of probes that judging some clauses takes. @throws for an id that has no rule */
export function needsOf(ids: Iterable<string>): Need[] {
  return [...ids].flatMap((id) => [...ruleOf(id).needs]);
}

/**
 * Judges some clauses.
 * @param today `YYYY-MM-DD`; a waiver still holds on its last day
 * @returns the judgements by clause id, in the order of `ids`
 */
export function judgementsOf(ids: Iterable<string>, evidence: Evidence, today: string): Map<string, Judgement> {
  return new Map(
    [...ids].map((id) => {
      const why = whyUnjudged(id, evidence);
      return [id, judgementOf(id, why === null ? ruleOf(id).judge(evidence) : notTested(why), evidence, today)];
    }),
  );
}

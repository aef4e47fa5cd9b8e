/** Every rule of the contract, by the id of its clause. */
import type { Need } from '../catalogue/catalogue';
import { nameOf } from '../catalogue/probe';
import { failureOf } from '../common/failure';
import type { Evidence, Exchange } from '../evidence/model';
import { hasStoppedServing, whileServing, whyNotServing } from '../evidence/responder/outages';
import { type Finding, notTested, type Rule, type Rules, unlessUnseen } from '../judge/finding';
import { showsALimit } from '../judge/rate/facts';
import { whyUnjudged } from '../judge/reachability';
import { type Judgement, judgementOf } from '../judge/verdict';
import { profiles } from './profiles';

export const rules: Rules = Object.assign({}, ...profiles.map((profile) => profile.rules));

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

/** Returns judgements by clause, in the order of `ids`. @param today `YYYY-MM-DD`; a waiver holds on its last day */
export function judgementsOf(ids: Iterable<string>, evidence: Evidence, today: string): Map<string, Judgement> {
  const judged = [...ids].map(
    (id) => [id, judgementOf(id, findingUnlessDefect(id, evidence), evidence, today)] as const,
  );
  return new Map(judged);
}

/** What the rule of a clause finds. A defect of one rule keeps no other clause from being judged: it is not tested, and says so. */
function findingUnlessDefect(id: string, evidence: Evidence): Finding {
  try {
    return findingOf(id, evidence);
  } catch (problem) {
    return notTested(failureOf(problem));
  }
}

/** The finding; not tested if it has no breach, and a ban or an outage alone answered wrong keys that it is about. */
function unlessSilenced({ needs, ofEveryRequest }: Rule, finding: Finding, evidence: Evidence): Finding {
  if (!ofEveryRequest) return finding;
  const isNeeded = ({ probe }: Exchange) => needs.some((need) => need === probe.group);
  const answered = new Set(whileServing(evidence).exchanges.map(({ probe }) => nameOf(probe)));
  const silenced = evidence.exchanges.filter((exchange) => isNeeded(exchange) && !answered.has(nameOf(exchange.probe)));
  const why = silenced.length === 0 ? null : whyNotServing(evidence);
  const count = new Set(silenced.map(({ probe }) => nameOf(probe))).size;
  return unlessUnseen(
    finding,
    why && `${count} of these requests got no answer of the server itself: ${why}.`,
    silenced,
  );
}

/** What the rule of a clause finds. Answers during an outage or a ban accuse the server of nothing else. */
function findingOf(id: string, evidence: Evidence): Finding {
  const why = whyUnjudged(id, evidence);
  if (why !== null) return notTested(why);
  const rule = ruleOf(id);
  if (rule.ofTheWholeRun) return rule.judge(evidence);
  if (rule.ofAKeptLimit && !showsALimit(whileServing(evidence)))
    return notTested('No limit is kept, so nothing can be said of what is told of one: fix rate.enforced first.');
  const finding = unlessSilenced(rule, rule.judge(whileServing(evidence)), evidence);
  // What is to be declared stays to be declared, whether the server serves or not.
  const notServing = finding.notTested === null || finding.isUndeclared ? null : whyNotServing(evidence);
  const isWhy = notServing !== null && (hasStoppedServing(evidence) || rule.judge(evidence).notTested === null);
  return isWhy ? notTested(notServing) : finding;
}

/** Every rule of the contract, by the id of its clause. */
import type { Need } from '../catalogue/catalogue';
import { nameOf } from '../catalogue/probe';
import { failureOf } from '../common/failure';
import { once } from '../evidence/memoize';
import type { Evidence, Exchange } from '../evidence/model';
import { hasStoppedServing, whileServing, whyNotServing } from '../evidence/responder/outages';
import { type Finding, notTested, type Rule, type Rules, unlessUnseen } from '../judge/finding';
import { showsALimit } from '../judge/rate/facts';
import { whyUnjudged } from '../judge/reachability';
import { MOST_IN_ALL_MS, type Worked, within } from '../judge/time-limit';
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
  return new Map(
    [...ids].map((id) => {
      const worked = within(() => judgementOf(id, findingOf(id, evidence), evidence, today), allowanceOf(evidence));
      // A clause that cannot be judged within its bounds keeps no other from being judged.
      return [id, 'value' in worked ? worked.value : judgementOf(id, notTested(whyNot(worked)), evidence, today)];
    }),
  );
}

/** For all clauses of a run, whichever are judged together. */
const allowanceOf = once((_: Evidence) => ({ leftMs: MOST_IN_ALL_MS }));

function whyNot(worked: Exclude<Worked<unknown>, { value: unknown }>): string {
  return 'problem' in worked
    ? failureOf(worked.problem)
    : `To judge it took more than ${worked.lateAfterSeconds} s: what the server sent is larger or more entangled than any settings are.`;
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

/** The rules and observations of all profiles. The core knows the other profiles only by this file. */
import { catalogue, type Need, nameOf, standsFor } from '../catalogue/catalogue';
import { failureOf } from '../common/errors';
import { notificationObservations } from '../events/deliveries';
import { eventRules } from '../events/rules';
import { openEvents } from '../events/triggers';
import type { Evidence } from '../evidence/model';
import { accidentsIn, hasStoppedServing, isShutOut, whileServing, whyNotServing } from '../evidence/responder/failures';
import { storedSilently } from '../evidence/time/server-clock';
import { authRules } from '../judge/auth';
import { type Finding, flawIn, notTested, notTestedWhen, type Rule, type Rules } from '../judge/finding';
import { coreObservations, distinct, type Observations } from '../judge/observations';
import { budgetRules } from '../judge/rate/budgets';
import { countRules } from '../judge/rate/counts';
import { showsALimit } from '../judge/rate/facts';
import { headerRules } from '../judge/rate/headers';
import { limitRules } from '../judge/rate/limit';
import { promiseRules } from '../judge/rate/promises';
import { whyUnjudged } from '../judge/reachability';
import { settingsRules } from '../judge/settings';
import { transportRules } from '../judge/transport';
import { validKeyRules } from '../judge/valid-keys';
import { type Judgement, judgementOf } from '../judge/verdict';
import { versionRules } from '../judge/version';
import { oncePer } from '../limiter/timeline';
import type { Aside } from '../probes/schedule';

/** Every rule of the contract, by the id of its clause in schemas/clauses.yaml. */
export const rules: Rules = {
  ...authRules,
  ...validKeyRules,
  ...settingsRules,
  ...limitRules,
  ...headerRules,
  ...countRules,
  ...promiseRules,
  ...budgetRules,
  ...versionRules,
  ...transportRules,
  ...eventRules,
};

/** What the profiles do beside the requests of the core. */
export const asides: readonly Aside[] = [{ need: 'events', open: openEvents }];

/** Returns distinct values by the ids of observations in schemas/clauses.yaml. An observation without values is left out. */
export function observationsOf(evidence: Evidence): Observations {
  const all = Object.entries({ ...coreObservations(evidence), ...notificationObservations(evidence) });
  return Object.fromEntries(all.flatMap(([id, values]) => (values.length > 0 ? [[id, distinct(values)]] : [])));
}

/** Returns the rule of a clause. @throws for an id that has no rule */
export function ruleOf(id: string): Rule {
  const rule = Object.hasOwn(rules, id) ? rules[id] : undefined;
  if (!rule) throw new Error(`No rule judges the clause ${id}.`);
  return rule;
}

/** Returns the groups of probes that some clauses need. @throws for an id that has no rule */
export function needsOf(ids: Iterable<string>): Need[] {
  return [...ids].flatMap((id) => [...ruleOf(id).needs]);
}

/** Returns judgements by clause, in the order of `ids`. @param today `YYYY-MM-DD`; a waiver holds on its last day */
export function judgementsOf(ids: Iterable<string>, evidence: Evidence, today: string): Map<string, Judgement> {
  return new Map([...ids].map((id) => [id, judgementOf(id, findingUnlessDefect(id, evidence), evidence, today)]));
}

/** Returns what the rule of a clause finds. A clause whose rule has a defect is not tested; others are still judged. */
function findingUnlessDefect(id: string, evidence: Evidence): Finding {
  try {
    return findingOf(id, evidence);
  } catch (problem) {
    return notTested(failureOf(problem));
  }
}

/** Returns what the rule of a clause finds. Answers during an outage or a ban break no other clause. */
function findingOf(id: string, everything: Evidence): Finding {
  const unjudged = whyUnjudged(id, everything);
  if (unjudged !== null) return notTested(unjudged);
  const rule = ruleOf(id);
  const served = whileServing(everything);
  if (rule.ofAKeptLimit && !showsALimit(served))
    return notTested(
      'No limit is enforced, so nothing that is reported of one can be judged: fix rate.enforced first.',
    );
  const finding = namingBroken(rule, asOfACache(rule.judge(served, everything), served), served);
  const why = whyNotServing(everything);
  // A missing declaration is missing, whether the server serves or not.
  if (why === null || finding.isUndeclared || finding.breaches.length > 0) return finding;
  const silenced = silencedFor(rule, served, everything);
  if (finding.notTested !== null)
    return silenced.length > 0 || hasStoppedServing(everything) || isShutOut(everything) ? notTested(why) : finding;
  if (!rule.ofEveryRequest || silenced.length === 0) return finding;
  const count = new Set(silenced.map(({ probe }) => nameOf(probe))).size;
  const shown = silenced.filter((each) => 'index' in each);
  return notTestedWhen(finding, `${count} of these requests got no answer of the server itself: ${why}.`, shown);
}

/** Returns a finding. If nothing could be judged, its reason names a broken clause that is to be fixed first. */
function namingBroken({ dependsOn = [] }: Rule, finding: Finding, served: Evidence): Finding {
  if (finding.notTested === null || finding.isUndeclared) return finding;
  const broken = dependsOn.findLast((id) => isBroken(served, id));
  return broken ? { ...finding, notTested: `${finding.notTested.replace(/\.$/, '')}. Fix ${broken} first.` } : finding;
}

/** Whether a clause is broken. Many clauses depend on the same ones, so each is judged only once. */
const isBroken = oncePer((served, id: string) => ruleOf(id).judge(served).breaches.length > 0);

/** Returns a finding with the same flaw in every breach that a cache's stored answers show. */
function asOfACache(finding: Finding, served: Evidence): Finding {
  const { answers, passed } = storedSilently(served);
  const got = `the same answer came ${passed} times after its Reset had passed, as from a cache`;
  const flaw = flawIn('header', 'X-RateLimit-Reset', got, 'an answer made for each request');
  const breaches = finding.breaches.map((breach) =>
    breach.exchanges.some((exchange) => answers.has(exchange)) ? { ...breach, ...flaw } : breach,
  );
  return { ...finding, breaches };
}

/**
 * Returns the requests of a rule that only a ban or an outage answered, or that a ban kept from being sent. What failed by
 * chance was answered at another time. Wrong keys differ, so each of them needs an answer.
 */
function silencedFor({ needs }: Rule, served: Evidence, everything: Evidence) {
  // A flood repeats the requests of other probes.
  const answered = new Set(served.exchanges.flatMap(({ probe }) => [nameOf(probe), nameOf(standsFor(probe))]));
  const byChance = accidentsIn(everything);
  const asked = everything.exchanges.filter(
    (exchange) => !byChance.has(exchange) || catalogue[exchange.probe.group].sent === 'once',
  );
  const unsent = everything.notSent.filter(({ probe }) => catalogue[probe.group].key === 'none');
  return [...asked, ...unsent].filter(
    ({ probe }) => needs.some((need) => need === probe.group) && !answered.has(nameOf(probe)),
  );
}

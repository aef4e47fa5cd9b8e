/** The profiles of the contract: their rules, and what they observe. The core knows no profile but by this list. */
import { catalogue, type Need, nameOf, type Probe } from '../catalogue/catalogue';
import { failureOf } from '../common/errors';
import { arrivalRules } from '../events/arrival-rules';
import { credentialRules } from '../events/credential-rules';
import { notificationObservations } from '../events/deliveries';
import { openEvents } from '../events/triggers';
import type { Evidence, Exchange } from '../evidence/model';
import { accidentsIn, hasStoppedServing, whileServing, whyNotServing } from '../evidence/responder/failures';
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
import { type Judgement, judgementOf } from '../judge/verdict';
import { versionRules } from '../judge/version';
import { oncePer } from '../limiter/timeline';
import type { Aside } from '../probes/schedule';

/** The rules of the core profile, by the ids of their clauses. */
const coreRules: Rules = {
  ...authRules,
  ...settingsRules,
  ...limitRules,
  ...headerRules,
  ...countRules,
  ...promiseRules,
  ...budgetRules,
  ...versionRules,
  ...transportRules,
};

interface Profile {
  /** By the ids of its clauses, which stand with its name in `schemas/clauses.yaml`. */
  rules: Rules;
  /** What it sees besides what it judges. */
  observe(evidence: Evidence): Observations;
  /** What it does beside the requests of the core, if anything. */
  aside?: Aside;
}

const profiles: readonly Profile[] = [
  { rules: coreRules, observe: coreObservations },
  {
    rules: { ...arrivalRules, ...credentialRules },
    observe: notificationObservations,
    aside: { need: 'events', open: openEvents },
  },
];

/** What the profiles do beside the requests of the core. */
export const asides: readonly Aside[] = profiles.flatMap(({ aside }) => aside ?? []);

/** Observations by their ids in schemas/clauses.yaml: distinct values. An observation without a value is left out. */
export function observationsOf(evidence: Evidence): Observations {
  const all = profiles.flatMap(({ observe }) => Object.entries(observe(evidence)));
  return Object.fromEntries(all.flatMap(([id, values]) => (values.length > 0 ? [[id, distinct(values)]] : [])));
}

/** Every rule of the contract, by the id of its clause. */
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

/** What the rule of a clause finds. Answers during an outage or a ban accuse the server of nothing else. */
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
  // What is to be declared stays to be declared, whether the server serves or not.
  if (why === null || finding.isUndeclared || finding.breaches.length > 0) return finding;
  const silenced = silencedFor(rule, served, everything);
  if (finding.notTested !== null)
    return silenced.length > 0 || hasStoppedServing(everything) ? notTested(why) : finding;
  if (!rule.ofEveryRequest || silenced.length === 0) return finding;
  const count = new Set(silenced.map(({ probe }) => nameOf(probe))).size;
  const shown = silenced.flatMap((each) => ('index' in each ? [each] : []));
  return notTestedWhen(finding, `${count} of these requests got no answer of the server itself: ${why}.`, shown);
}

/** The finding. Where nothing could be judged, and a clause that this one depends on is broken, that is to be mended first. */
function namingBroken({ dependsOn = [] }: Rule, finding: Finding, served: Evidence): Finding {
  if (finding.notTested === null || finding.isUndeclared) return finding;
  const broken = dependsOn.findLast((id) => isBroken(served, id));
  return broken ? { ...finding, notTested: `${finding.notTested.replace(/\.$/, '')}. Fix ${broken} first.` } : finding;
}

/** Whether a clause is broken. Many clauses depend on the same ones, so each is judged once. */
const isBroken = oncePer((served, id: string) => ruleOf(id).judge(served).breaches.length > 0);

/** The finding, with one and the same flaw in each breach that the stored answers of a cache show. */
function asOfACache(finding: Finding, served: Evidence): Finding {
  const { answers, passed } = storedSilently(served);
  const got = `the same answer with the same Reset came ${passed} times after that had passed, as a cache sends it`;
  const flaw = flawIn('header', 'X-RateLimit-Reset', got, 'an answer made for each request');
  const breaches = finding.breaches.map((breach) =>
    breach.exchanges.some((exchange) => answers.has(exchange)) ? { ...breach, ...flaw } : breach,
  );
  return { ...finding, breaches };
}

/**
 * The requests that a rule is about to which a ban or an outage alone answered, or that a ban kept from being sent. What failed
 * by chance was answered at another time; of the wrong keys, which differ, each has to be.
 */
function silencedFor(
  { needs }: Rule,
  served: Evidence,
  everything: Evidence,
): Array<Exchange | Evidence['notSent'][number]> {
  const answered = new Set(served.exchanges.map(({ probe }) => nameOf(probe)));
  const byChance = accidentsIn(everything);
  const isSilenced = ({ probe }: { probe: Probe }) =>
    needs.some((need) => need === probe.group) && !answered.has(nameOf(probe));
  const asked = everything.exchanges.filter(
    (exchange) => !byChance.has(exchange) || catalogue[exchange.probe.group].sent === 'once',
  );
  const unsent = everything.notSent.filter(({ probe }) => catalogue[probe.group].key === 'none');
  return [...asked.filter(isSilenced), ...unsent.filter(isSilenced)];
}

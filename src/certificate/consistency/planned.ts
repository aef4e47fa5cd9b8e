/** Checks that every probe of the plan for these declarations was sent, or is noted as not sent. */
import { catalogue, groupsWhere, type Need, planOf } from '../../catalogue/catalogue';
import { hasRole, isSameProbe, nameOf, type Probe, probe, probeAs, standsFor } from '../../catalogue/probe';
import type { GroupRecord, Keys } from '../../catalogue/record';
import { floodOf, type ProbeRequest, plannedWrongKeys } from '../../catalogue/requests';
import { clauseTexts } from '../../contract/clauses';
import { KINDS } from '../../contract/settings';
import { configuredIn } from '../../events/addresses';
import type { Evidence, Exchange } from '../../evidence/model';
import { letInWithoutKey } from '../../evidence/responder/auth-guard';
import { isAccepted } from '../../evidence/responder/classify';
import { exchangesAs } from '../../evidence/select';
import { dealtAmong, shareOf } from '../../probes/allocation';
import { keysOf } from '../../probes/requests';
import { needsOf } from '../../profiles/rules';

/** As for most keys, each alteration of this key gives a different key. */
const A_KEY = 'Aa1bB2cC3dD4eE5f';

/** Returns what the requests of a run were made from, as far as its evidence tells: markers, and made-up keys. */
export function keysIn({ target: { accounts, baseURL, riskyProbes } }: Evidence): Keys {
  const holders = accounts.map(({ name, passwordDeclared }, i) => ({
    ...{ name, apiKey: `${A_KEY}${i}` },
    hasKnownPassword: passwordDeclared,
  }));
  return keysOf({
    target: { accounts: holders, baseURL },
    isRiskAllowed: riskyProbes,
    registerSecret: (marker) => marker,
  });
}

export function planProblems(evidence: Evidence): string[] {
  const noted = new Set([...evidence.exchanges, ...evidence.notSent].map((entry) => nameOf(entry.probe)));
  const missing = plannedProbes(evidence)
    .map(nameOf)
    .filter((name) => !noted.has(name))
    .map((name) => `${name} is neither there nor noted as not sent`);
  return [...missing, ...strangers(evidence), ...triggerProblems(evidence)];
}

/** Returns what a whole run sends, from the functions that plan it and as far as first answers make it necessary. */
function plannedProbes(evidence: Evidence): Probe[] {
  const { notSent, target } = evidence;
  const keys = keysIn(evidence);
  const plan = planOf(needsOf(clauseTexts.map(({ id }) => id)));
  const declared = target.accounts.map(({ name }) => name);
  const accepted = exchangesAs(evidence, 'first-read').filter(isAccepted);
  const open = declared.filter((name) => accepted.some(({ probe: { account } }) => account === name));
  // If an account as a whole is noted as not sent, nothing more was sent for it.
  const givenUp = notSent.filter(({ probe }) => hasRole(probe, 'whole-account')).map(({ probe }) => probe.account);
  const asked = open.filter((account) => !givenUp.includes(account));
  const closed = declared
    .filter((name) => !open.includes(name))
    .map((account) => probeAs('whole-account', { account }));
  const wrongKeys = ofEveryKey(plannedWrongKeys(keys, plan, target.riskyProbes));
  if (open.length === 0) return [...closed, ...wrongKeys];
  const byEach = (sent: GroupRecord['sent'], accounts: readonly string[]) =>
    groupsWhere((record) => record.sent === sent && record.role !== 'flood')
      .filter((group) => plan.has(group as Need))
      .flatMap((group) => accounts.map((account) => probe(group, { account })));
  const { singles, openers } = dealtAmong(keys, target.rate, plan, open);
  const dealt = [...openers.values(), ...singles].filter(({ account }) => !givenUp.includes(account));
  const recovering = asked.filter((account) => shareOf(account, open).recovery && keepsALimit(account, evidence));
  return [
    ...closed,
    ...wrongKeys,
    ...byEach('declared', declared),
    ...byEach('open', open),
    ...dealt.map((request) => request.probe),
    ...byEach('limit', asked),
    ...byEach('recovering', recovering),
    ...floods(evidence, open, asked),
  ];
}

/** The probes of requests that are made from every key: one without letters has no other letter case. */
function ofEveryKey(requests: readonly ProbeRequest[]): Probe[] {
  return requests
    .map(({ probe }) => probe)
    .filter((sentFor) => {
      const { group, form } = standsFor(sentFor);
      return !catalogue[group].forms[form]?.isOfSomeKeys;
    });
}

/** If a burst shows that no limit is kept, there is nothing to recover from. */
function keepsALimit(account: string, evidence: Evidence): boolean {
  const [atOnce] = groupsWhere(({ bursts }) => bursts === 'at-once');
  const burst = atOnce ? answersTo(probe(atOnce, { account }), evidence) : [];
  return burst.filter(isAccepted).length <= evidence.target.rate.requests;
}

/** The floods, and the repeated read after a second one: that comes where the first such read was refused. */
function floods(evidence: Evidence, open: readonly string[], asked: readonly string[]): Probe[] {
  const { exchanges, target } = evidence;
  const flood = (trial: number) => {
    const first = exchanges.find(({ probe }) => hasRole(probe, 'flood') && probe.trial === trial);
    const before = exchanges.filter(({ index }) => index < (first?.index ?? 0));
    return ofEveryKey(floodOf(keysIn(evidence), open, target.rate.requests, trial, letInWithoutKey(before)));
  };
  const refused = open.find((account) =>
    answersTo(probeAs('after-flood', { account }), evidence).some(
      (exchange) => exchange.fault === null && !isAccepted(exchange),
    ),
  );
  const isAgain = refused !== undefined && asked.includes(refused);
  return [...flood(1), ...(isAgain ? [probeAs('after-flood', { account: refused, trial: 2 }), ...flood(2)] : [])];
}

function answersTo(sentFor: Probe, { exchanges }: Evidence): Exchange[] {
  return exchanges.filter((exchange) => isSameProbe(exchange.probe, sentFor));
}

function strangers({ exchanges, target }: Evidence): string[] {
  const names = [...target.accounts.map(({ name }) => name), 'all', null];
  return exchanges
    .filter(({ probe, account }) => !names.includes(probe.account) || !names.includes(account))
    .map(({ index }) => `entry ${index} is of an account that is not declared`);
}

/** Each kind of each account is triggered once, unless a trigger failed. */
function triggerProblems(evidence: Evidence): string[] {
  const { triggers, target, notSent } = evidence;
  const isNoted = (due: Probe) => notSent.some(({ probe }) => isSameProbe(probe, due));
  if (triggers.some(({ failure }) => failure !== null) || isNoted(probeAs('notifications'))) return [];
  // The first reads decide what is triggered.
  const first = { ...evidence, exchanges: exchangesAs(evidence, 'first-read') };
  return (target.notifications?.accounts ?? []).flatMap((account) => {
    const sent = triggers.filter((trigger) => trigger.account === account).map(({ kind }) => kind);
    return KINDS.filter(
      (kind) =>
        configuredIn(first, account)?.kinds[kind] &&
        !sent.includes(kind) &&
        !isNoted(probeAs('receiver-watch', { account, form: kind })),
    ).map((kind) => `the notification "${kind}" of ${account} was never triggered`);
  });
}

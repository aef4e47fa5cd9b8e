/** Checks that every probe of the plan for these declarations was sent, or is noted as not sent. */

import { type Group, isSameProbe, nameOf, type Probe, probe } from '../../catalogue/probe';
import { clauseTexts } from '../../contract/clauses';
import { KINDS } from '../../contract/settings';
import { configuredIn } from '../../evidence/deliveries';
import type { Evidence } from '../../evidence/model';
import { isAccepted } from '../../evidence/responder/classify';
import { exchangesOf } from '../../evidence/select';
import { needsOf } from '../../judge/rules';
import { dealtAmong } from '../../probes/allocation';
import { planOf, shareOf } from '../../probes/dependencies';
import { keylessRequests } from '../../probes/wrong-keys';
import type { ProbeRequest } from '../../recorder/recorder';

/** As for most keys, each alteration of this key gives a different key. */
const A_KEY = 'Aa1bB2cC3dD4eE5f';
/** A key without letters has no other letter case, and a very short key has no half. */
const NOT_OF_EVERY_KEY = ['case-swapped', 'first-half', 'last-character-dropped'];

/**
 * Returns the requests that a whole run sends once, with markers for keys. These are the requests without a valid key,
 * and those that are dealt out among the accounts whose key was accepted. Made-up keys differ from run to run.
 */
export function plannedRequests(evidence: Evidence): ProbeRequest[] {
  const { target } = evidence;
  const plan = planOf(needsOf(clauseTexts.map(({ id }) => id)));
  const accounts = target.accounts.map(({ name }, i) => ({ name, apiKey: `${A_KEY}${i}` }));
  const source = { target: { accounts }, keep: (marker: string) => marker };
  const { singles, openers } = dealtAmong(target, plan, openAccounts(evidence));
  return [...keylessRequests(source, plan, target.riskyProbes), ...openers.values(), ...singles];
}

function openAccounts(evidence: Evidence): string[] {
  const accepted = exchangesOf(evidence, 'read').filter(isAccepted);
  return evidence.target.accounts
    .map(({ name }) => name)
    .filter((name) => accepted.some(({ probe: { account } }) => account === name));
}

export function planProblems(evidence: Evidence): string[] {
  const noted = new Set([...evidence.exchanges, ...evidence.notSent].map((entry) => nameOf(entry.probe)));
  const missing = plannedProbes(evidence)
    .map(nameOf)
    .filter((name) => !noted.has(name));
  return [
    ...missing.map((name) => `${name} is neither there nor noted as not sent`),
    ...strangers(evidence),
    ...triggerProblems(evidence),
  ];
}

function plannedProbes(evidence: Evidence): Probe[] {
  const { exchanges, notSent, target } = evidence;
  const accounts = target.accounts.map(({ name }) => name);
  const open = openAccounts(evidence);
  const closed = accounts.filter((name) => !open.includes(name));
  const ofEach = (names: readonly string[], ...groups: Group[]) =>
    names.flatMap((account) => groups.map((group) => probe(group, { account })));
  // If an account as a whole is noted as not sent, nothing more was sent for it.
  const givenUp = notSent
    .filter((skipped) => skipped.probe.group === 'account')
    .map((skipped) => skipped.probe.account);
  const once = plannedRequests(evidence)
    .filter(({ account, probe: { group, form } }) =>
      account === null ? group !== 'altered-key' || !NOT_OF_EVERY_KEY.includes(form) : !givenUp.includes(account),
    )
    .map((request) => request.probe);
  if (open.length === 0) return [...ofEach(closed, 'account'), ...once];
  const asked = open.filter((account) => !givenUp.includes(account));
  const answersTo = (sentFor: Probe) => exchanges.filter((exchange) => isSameProbe(exchange.probe, sentFor));
  // If a burst shows that no limit is kept, there is nothing to recover from.
  const recovering = asked.filter(
    (account) =>
      shareOf(account, open).recovery &&
      answersTo(probe('concurrent', { account })).filter(isAccepted).length <= target.rate.requests,
  );
  // If the first trial was refused, there is a second.
  const refused = open.find((account) =>
    answersTo(probe('together', { account })).some((exchange) => exchange.fault === null && !isAccepted(exchange)),
  );
  const again =
    refused === undefined || !asked.includes(refused)
      ? []
      : [probe('together', { account: refused, trial: 2 }), probe('keyless', { account: 'all', trial: 2 })];
  return [
    ...ofEach(accounts, 'read'),
    ...ofEach(closed, 'account'),
    ...ofEach(open, 'session', 'after-accepted'),
    ...once,
    ...ofEach(['all'], 'keyless'),
    ...ofEach(open, 'together'),
    ...ofEach(asked, 'sequence', 'concurrent', 'paths'),
    ...ofEach(recovering, 'recovery'),
    ...again,
  ];
}

/** Finds exchanges of accounts that are not declared. */
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
  if (triggers.some(({ failure }) => failure !== null) || isNoted(probe('events'))) return [];
  // The first reads decide what is triggered.
  const first = { ...evidence, exchanges: exchangesOf(evidence, 'read', 'session') };
  return (target.notifications?.accounts ?? []).flatMap((account) => {
    const sent = triggers.filter((trigger) => trigger.account === account).map(({ kind }) => kind);
    return KINDS.filter(
      (kind) =>
        configuredIn(first, account)?.kinds[kind] &&
        !sent.includes(kind) &&
        !isNoted(probe('receiver-check', { account, form: kind })),
    ).map((kind) => `the notification "${kind}" of ${account} was never triggered`);
  });
}

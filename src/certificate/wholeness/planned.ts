/** Whether every probe that the plan sends for these declarations is there, or noted as not sent. */
import { clauseTexts } from '../../contract/clauses';
import { KINDS } from '../../contract/settings';
import type { Evidence } from '../../evidence/exchange';
import { exchangesOf } from '../../evidence/groups';
import { configuredIn } from '../../evidence/notifications';
import { isAccepted } from '../../evidence/outcome';
import { type Group, nameOf, type Probe, probe } from '../../evidence/probe';
import { needsOf } from '../../judge/rules';
import { keylessRequests } from '../../probes/keyless';
import { planOf, shareOf } from '../../probes/plan';
import { dealtAmong } from '../../probes/singles';
import type { ProbeRequest } from '../../recorder/recorder';

/** Each alteration of this key is another one, as of most keys. */
const A_KEY = 'Aa1bB2cC3dD4eE5f';
/** A key without letters has no other letter case, and a very short one no half. */
const NOT_OF_EVERY_KEY = ['case-swapped', 'first-half', 'last-character-dropped'];

/**
 * The requests that a whole run sends once, with markers for keys: those without a valid key, of which some have made-up
 * keys that differ from run to run, and those that are dealt out among the accounts whose key was accepted.
 */
export function plannedRequests(evidence: Evidence): ProbeRequest[] {
  const { target } = evidence;
  const plan = planOf(needsOf(clauseTexts.map(({ id }) => id)));
  const accounts = target.accounts.map(({ name }, i) => ({ name, apiKey: `${A_KEY}${i}` }));
  const source = { target: { accounts }, keep: (marker: string) => marker };
  const { singles, openers } = dealtAmong(target, plan, openAccounts(evidence));
  return [...keylessRequests(source, plan, target.riskyProbes), ...openers.values(), ...singles];
}

/** The accounts whose first read was accepted. */
function openAccounts(evidence: Evidence): string[] {
  const accepted = exchangesOf(evidence, 'read').filter(isAccepted);
  const accounts = evidence.target.accounts.map(({ name }) => name);
  return accounts.filter((name) => accepted.some((exchange) => exchange.probe.account === name));
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
  const { exchanges, target } = evidence;
  const open = openAccounts(evidence);
  const accounts = target.accounts.map(({ name }) => name);
  const ofEach = (group: Group, names: readonly string[]) => names.map((account) => probe(group, { account }));
  const closed = accounts.filter((name) => !open.includes(name));
  // Of an account that is noted as a whole, nothing more was asked.
  const given = new Set<string | null>(
    evidence.notSent.filter((skipped) => skipped.probe.group === 'account').map((skipped) => skipped.probe.account),
  );
  const once = plannedRequests(evidence)
    .filter(({ account, probe: { group, form } }) =>
      account === null ? group !== 'altered-key' || !NOT_OF_EVERY_KEY.includes(form) : !given.has(account),
    )
    .map((request) => request.probe);
  if (open.length === 0) return [...ofEach('account', closed), ...once];
  // Where the first look was refused, another one is taken.
  const refused = open.find((account) => {
    const first = exchanges.find((exchange) => nameOf(exchange.probe) === nameOf(probe('together', { account })));
    return first !== undefined && first.fault === null && !isAccepted(first);
  });
  const again =
    refused === undefined || given.has(refused)
      ? []
      : [probe('together', { account: refused, look: 2 }), probe('keyless', { account: 'all', look: 2 })];
  return [
    ...ofEach('read', accounts),
    ...ofEach('account', closed),
    ...ofEach('session', open),
    ...ofEach('after-accepted', open),
    ...once,
    ...ofEach('keyless', ['all']),
    ...ofEach('together', open),
    ...open.filter((account) => !given.has(account)).flatMap((account) => limiterProbes(account, open, evidence)),
    ...again,
  ];
}

/** The looks at the limit that fall to an account. */
function limiterProbes(account: string, open: readonly string[], evidence: Evidence): Probe[] {
  const groups: Group[] = ['sequence', 'concurrent', 'recovery', 'paths'];
  const recovers = shareOf(account, open).recovery && !isOver(account, evidence);
  return groups.filter((group) => group !== 'recovery' || recovers).map((group) => probe(group, { account }));
}

/** Whether a burst shows that no limit is kept: then there is nothing to recover from. */
function isOver(account: string, { exchanges, target }: Evidence): boolean {
  const first = nameOf(probe('concurrent', { account }));
  const accepted = exchanges.filter((exchange) => nameOf(exchange.probe) === first && isAccepted(exchange));
  return accepted.length > target.rate.requests;
}

/** Exchanges of accounts that are not declared. */
function strangers({ exchanges, target }: Evidence): string[] {
  const names = new Set<string | null>([...target.accounts.map(({ name }) => name), 'all', null]);
  return exchanges
    .filter(({ probe, account }) => !names.has(probe.account) || !names.has(account))
    .map(({ index }) => `entry ${index} is of an account that is not declared`);
}

/** Each kind of each account is triggered once, unless a trigger failed. */
function triggerProblems(evidence: Evidence): string[] {
  const { triggers, target } = evidence;
  if (target.notifications === null || triggers.some(({ failure }) => failure !== null)) return [];
  // What is triggered is decided by the first reads.
  const first = exchangesOf(evidence, 'read', 'session');
  return target.notifications.accounts.flatMap((account) => {
    const kinds = configuredIn({ ...evidence, exchanges: first }, account)?.kinds ?? {};
    return KINDS.filter(
      (kind) => kinds[kind] && !triggers.some((trigger) => trigger.account === account && trigger.kind === kind),
    ).map((kind) => `the notification "${kind}" of ${account} was never triggered`);
  });
}

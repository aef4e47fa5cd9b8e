/**
 * What was triggered and what arrived, sorted out. A notification says neither its kind nor its account in a way that is
 * described: it is told by the path and the query at which it arrives, and by what had been triggered until then.
 */

import { KINDS } from '../contract/settings';
import type { Delivery, Evidence, Exchange, Kind, Trigger } from './exchange';
import { whyNotSent } from './groups';
import { linesOf } from './headers';
import { isObject, type JsonObject, memberAt, settingsIn } from './json';
import { MARKER } from './markers';
import { describedOf, differences, ownReads } from './reads';
import { isHttpUrl } from './url';

/** What the API returned of an account's notifications. */
export interface Configured {
  read: Exchange;
  kinds: Partial<Record<Kind, { enabled: boolean; address: string }>>;
  auth: JsonObject;
}

/** The settings of an account as its own reads agree on them and nothing declared contradicts them; else `null`. */
export function configuredIn(evidence: Evidence, account: string): Configured | null {
  const reads = ownReads(evidence).filter((one) => one.account === account);
  const [read] = reads;
  const webhook = settingsIn(read?.response?.body ?? '');
  if (!read || !webhook || new Set(reads.map(describedOf)).size > 1) return null;
  const declared = evidence.target.accounts.find((one) => one.name === account)?.settings;
  const isOtherwise = differences(declared ?? {}, webhook).some(({ path }) => !/[pP]assword$/.test(path));
  if (isOtherwise) return null;
  const kinds: Configured['kinds'] = {};
  for (const kind of KINDS) {
    const enabled = memberAt(webhook, kind, 'status');
    const url = memberAt(webhook, kind, 'url');
    if (typeof enabled !== 'boolean' || typeof url !== 'string' || !isHttpUrl(url)) continue;
    const [, path = '', query = ''] = /^\w+:\/\/[^/?#\\]*([^?#]*)(\?[^#]*)?/.exec(url) ?? [];
    kinds[kind] = { enabled, address: addressOf((path || '/') + query) };
  }
  return { read, kinds, auth: isObject(webhook.auth) ? webhook.auth : {} };
}

/** Path and query in one spelling: what is percent-encoded differently is the same address. */
export function addressOf(target: string): string {
  if (!target.startsWith('/')) return target;
  const [path = '', ...query] = target.split('?');
  // An encoded slash is no slash.
  const segments = new URL(`http://host${path}`).pathname.replace(/%2f/gi, '%252F');
  const parameters = [...new URLSearchParams(query.join('?'))].map(([name, value]) => `${name}=${value}`);
  return [decoded(segments), ...parameters].join('\n');
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Whether a delivery came to an address. */
export function arrivedAt(delivery: Delivery, address: string): boolean {
  return isSame(addressOf(delivery.path), address);
}

/**
 * Whether a text that was delivered is a text that the API returned. A secret of less than eight characters is masked
 * within what is delivered, but in a document only where it is a whole value.
 */
export function isSame(delivered: string, returned: string): boolean {
  if (delivered === returned) return true;
  let end = 0;
  let pattern = '';
  for (const { 0: marker, 3: form, index } of delivered.matchAll(MARKER)) {
    const isWord = form === undefined || form === 'part';
    pattern += literal(delivered.slice(end, index)) + (isWord ? `(?:${literal(marker)}|.{1,7}?)` : literal(marker));
    end = index + marker.length;
  }
  return end > 0 && new RegExp(`^${pattern}${literal(delivered.slice(end))}$`, 's').test(returned);
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}

/** A trigger of a kind that is on, and what arrived for it. */
export interface Expected {
  trigger: Trigger;
  configured: Configured;
  address: string;
  /** At its own address since it was triggered, in order; with another kind's at the same address, since that one was not. */
  own: Delivery[];
  /** When the next kind that is on was triggered. */
  nextMs: number;
}

export interface Watched {
  /** Kinds that are off, and where they would arrive. */
  silent: Array<{ trigger: Trigger; address: string }>;
  /** What arrived while only kinds that are off had been triggered. */
  unasked: Delivery[];
  expected: Expected[];
  /** What arrived where nothing was expected, after kinds that are on were triggered. */
  strays: Delivery[];
  all: Delivery[];
  reads: Exchange[];
  /** Of every kind of every account. */
  addresses: string[];
}

export type Entry = Exchange | Delivery;

/** Everything that was triggered and arrived, sorted out; or why nothing can be judged. */
export function watchedIn(evidence: Evidence): Watched | string {
  if (evidence.target.notifications === null) {
    return 'Declare `notifications` in the target file: a receiver, and a command that makes the service send.';
  }
  // Where a trigger fails, what was triggered beside it was not waited for.
  const triggers = evidence.triggers.filter((one) => one.failure === null && one.watchedUntilMs > one.endedAtMs);
  if (evidence.triggers.length === 0) {
    return whyNotSent(
      evidence,
      'events',
      'No kind could be triggered: the settings of no account of `notifications.accounts` were read as they are declared (settings.as-configured).',
    );
  }
  const byAccount = new Map(evidence.target.accounts.map(({ name }) => [name, configuredIn(evidence, name)]));
  const settingOf = ({ account, kind }: Trigger) => byAccount.get(account)?.kinds[kind];
  const unclear = triggers.find((one) => settingOf(one)?.enabled !== one.enabled);
  if (unclear) {
    return `The settings of ${unclear.account} were not the same in every read, so what should arrive is not known: mend settings.stable first.`;
  }
  const audible = triggers.filter((one) => one.enabled).sort((a, b) => a.startedAtMs - b.startedAtMs);
  const silent = triggers
    .filter((one) => !one.enabled)
    .map((trigger) => ({ trigger, address: settingOf(trigger)?.address ?? '' }));
  const fromMs = Math.min(...triggers.map((one) => one.startedAtMs));
  const untilMs = Math.max(...triggers.map((one) => one.watchedUntilMs));
  const all = evidence.deliveries.filter((one) => one.receivedAtMs >= fromMs && one.receivedAtMs <= untilMs);
  const audibleFromMs = audible[0]?.startedAtMs ?? Number.POSITIVE_INFINITY;
  const expected = audible.map((trigger, i): Expected => {
    const configured = byAccount.get(trigger.account) as Configured;
    const address = settingOf(trigger)?.address ?? '';
    return { trigger, configured, address, own: [], nextMs: audible[i + 1]?.startedAtMs ?? untilMs };
  });
  const strays: Delivery[] = [];
  for (const delivery of all.filter((one) => one.receivedAtMs >= audibleFromMs)) {
    const owner = expected.findLast(
      (one) => one.trigger.startedAtMs <= delivery.receivedAtMs && arrivedAt(delivery, one.address),
    );
    if (owner) owner.own.push(delivery);
    else strays.push(delivery);
  }
  const arrived = expected.flatMap((one) => one.own);
  const addresses = [...byAccount.values()].flatMap((one) =>
    Object.values(one?.kinds ?? {}).map((kind) => kind.address),
  );
  // Whoever finds a tunnel may knock: what goes nowhere known and is not made as the others are is not the service's.
  const isTheServices = (one: Delivery) =>
    addresses.some((address) => arrivedAt(one, address)) ||
    arrived.length === 0 ||
    arrived.some((other) => other.method === one.method && agentOf(other) === agentOf(one));
  const isWrong = (one: Delivery) => isTheServices(one) && !isOfItsUrlsKind(one, expected, triggers);
  const accounts = [...new Set(triggers.map((one) => one.account))];
  return {
    silent,
    unasked: all.filter((one) => one.receivedAtMs < audibleFromMs).filter(isWrong),
    expected,
    strays: strays.filter(isWrong),
    all,
    addresses,
    reads: accounts.flatMap((account) => byAccount.get(account)?.read ?? []),
  };
}

/**
 * Whether a delivery came before its url's own kind was triggered and is of that kind all the same: what triggers a
 * kind is not described, and the event that another kind of the account tells of may lead to this one as well. It is
 * made as what that kind's own trigger led to, and as nothing that another kind's did.
 */
function isOfItsUrlsKind(delivery: Delivery, expected: readonly Expected[], triggers: readonly Trigger[]): boolean {
  const at = expected.find((one) => arrivedAt(delivery, one.address));
  const [first] = at?.own ?? [];
  if (!at || !first) return false;
  const { account, kind } = at.trigger;
  const before = triggers.filter((one) => one.startedAtMs <= delivery.receivedAtMs);
  const causes = before.some((one) => one.enabled) ? before.filter((one) => one.enabled).slice(-1) : before;
  const others = expected
    .filter((one) => one.trigger.account === account && one !== at)
    .flatMap(({ own }) => own[0] ?? []);
  return (
    causes.some((cause) => cause.account === account && cause.kind !== kind) &&
    wordsOf(delivery) === wordsOf(first) &&
    others.length > 0 &&
    others.every((other) => wordsOf(other) !== wordsOf(first))
  );
}

/** What a notification says, without numbers, times and identifiers, which are others each time. */
function wordsOf({ body }: Delivery): string {
  return body.replace(/[\w-]*\d[\w-]*/g, '#');
}

function agentOf(delivery: Delivery): string {
  return linesOf(delivery.headers, 'User-Agent').join();
}

/** Deliveries that are too many where they arrived, each with the trigger whose own address nothing reached. */
export function misdirectedIn(watched: Watched, waitMs: number): Map<Expected, Delivery> {
  const found = new Map<Expected, Delivery>();
  const surplus = watched.expected.flatMap((one) => one.own.slice(1).filter((delivery) => !isRepeat(delivery, one)));
  const spare = [...watched.strays, ...surplus].sort((a, b) => a.receivedAtMs - b.receivedAtMs);
  for (const missing of watched.expected.filter((one) => one.own.length === 0)) {
    const { startedAtMs, endedAtMs } = missing.trigger;
    const i = spare.findIndex((one) => one.receivedAtMs >= startedAtMs && one.receivedAtMs <= endedAtMs + waitMs);
    const [delivery] = i < 0 ? [] : spare.splice(i, 1);
    if (delivery) found.set(missing, delivery);
  }
  return found;
}

/** The same notification again: word for word what came to this address before. */
function isRepeat(delivery: Delivery, { own }: Expected): boolean {
  return own.some((one) => one.index < delivery.index && one.method === delivery.method && one.body === delivery.body);
}

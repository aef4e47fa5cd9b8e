/** Assigns deliveries to the triggers that caused them: by address and time, as nothing else is described. */
import { isHttpUrl, KINDS } from '../contract/settings';
import { linesOf } from '../evidence/http/headers';
import { isObject, type JsonObject, memberAt, settingsIn } from '../evidence/http/json';
import { type Delivery, type Evidence, type Exchange, type Kind, type Trigger, whyNotSent } from '../evidence/model';
import { declaredOf, differences, isSameSettings, ownReads } from '../evidence/settings-reads';
import { mediaTypeOf, membersOf, type Observations } from '../judge/observations';

/** The settings that decide whether and where the notifications of one kind of an account arrive. */
export interface Configured {
  account: string;
  kind: Kind;
  enabled: boolean;
  url: string;
  /** Host and port, as they stand in the url. */
  host: string;
  address: string;
  auth: JsonObject;
  /** The account's first read, which served them. */
  read: Exchange;
}

/** Returns the settings of an account's kinds; none where unclear or not as declared. */
export function configuredIn(evidence: Evidence, account: string): Configured[] {
  const reads = ownReads(evidence).filter((read) => read.account === account);
  const [read] = reads;
  const webhook = settingsIn(read?.response);
  if (!read || !webhook || reads.some((each) => !isSameSettings(each, read))) return [];
  const declared = declaredOf(evidence, account)?.settings;
  const isOtherwise = differences(declared ?? {}, webhook).some(({ path }) => !/[pP]assword$/.test(path));
  if (isOtherwise) return [];
  const auth: JsonObject = isObject(webhook.auth) ? webhook.auth : {};
  return KINDS.flatMap((kind) => {
    const enabled = memberAt(webhook, `${kind}.status`);
    const url = memberAt(webhook, `${kind}.url`);
    if (typeof enabled !== 'boolean' || typeof url !== 'string' || !isHttpUrl(url)) return [];
    const parts = /^\w+:\/\/(?:[^/?#\\]*@)?([^/?#\\]*)([^?#]*)(\?[^#]*)?/.exec(url) ?? [];
    const [, host = '', path = '', query = ''] = parts;
    return [{ account, kind, enabled, url, host, address: addressOf((path || '/') + query), auth, read }];
  });
}

/** Returns path and query in one form, because an address can be percent-encoded in several ways. */
export function addressOf(target: string): string {
  if (!target.startsWith('/')) return target;
  const [path = '', ...query] = target.split('?');
  const segments = new URL(`http://host${path}`).pathname.split('/').map(segmentOf);
  const parameters = [...new URLSearchParams(query.join('?'))].map(([name, value]) => `${name}=${value}`);
  return [segments.join('/'), ...parameters].join('\n');
}

/** Returns a segment of a path in one form. An encoded slash does not separate segments. */
function segmentOf(text: string): string {
  return decoded(text).replaceAll('%', '%25').replaceAll('/', '%2F');
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function arrivedAt({ path }: Delivery, ...addresses: string[]): boolean {
  const delivered = addressOf(path);
  return addresses.some((address) => isSame(delivered, address));
}

/** A secret that is the value of a parameter of a delivery, and a value in a document that is short enough to stay in clear there. */
const SECRET_VALUE = /=\[secret:[^\]]{1,400}\]$/;
const SHORT_VALUE = /=.{1,15}$/;

export function isSame(delivered: string, served: string): boolean {
  const parts = served.split('\n');
  const came = delivered.split('\n');
  const isMasked = (part: string, other = '') =>
    SECRET_VALUE.test(part) && part.replace(SECRET_VALUE, '') === other.replace(SHORT_VALUE, '');
  return came.length === parts.length && came.every((part, i) => part === parts[i] || isMasked(part, parts[i]));
}

/** A trigger, with the settings of its kind. */
type Triggered = Configured & Trigger;

/** A trigger of a kind that is on, and its deliveries. */
export interface Expected extends Triggered {
  /** Deliveries at its address, in order. Where kinds share an address, the kind triggered last gets the delivery. */
  own: Delivery[];
  /** When its notification must have arrived: the wait after its trigger, plus the time for which this process was held up. */
  dueMs: number;
}

export type Watched = ReturnType<typeof assigned>;

const UNDECLARED = 'Declare `notifications` in the target file: a receiver, and a command that makes the service send.';
const NOT_TRIGGERED =
  'No kind could be triggered: no account in `notifications.accounts` showed settings that are well-formed and as declared.';

/** Returns which trigger caused which delivery, or why nothing can be judged (`declare`: where a declaration helps). */
export function watchedIn(evidence: Evidence): Watched | { whyNot: string | { declare: string } } {
  const { notifications, accounts } = evidence.target;
  if (notifications === null) return { whyNot: { declare: UNDECLARED } };
  if (evidence.triggers.length === 0) return { whyNot: whyNotSent(evidence, 'events', NOT_TRIGGERED) };
  const overrun = evidence.notSent.find(({ probe }) => probe.group === 'events');
  if (overrun) return { whyNot: overrun.reason };
  const kinds = accounts.flatMap(({ name }) => configuredIn(evidence, name));
  const triggered: Triggered[] = [];
  for (const trigger of evidence.triggers) {
    const { account, kind, enabled, failure, watchedUntilMs, endedAtMs } = trigger;
    // Where one trigger fails, the suite does not wait for the deliveries of the others.
    if (failure !== null || watchedUntilMs <= endedAtMs) continue;
    const configured = kinds.find((each) => each.account === account && each.kind === kind);
    if (configured?.enabled !== enabled) {
      const why = `The settings of ${account} were not the same in every read, so what should arrive is not known`;
      return { whyNot: `${why}: fix settings.stable first.` };
    }
    triggered.push({ ...trigger, ...configured });
  }
  return assigned(evidence, triggered, kinds, notifications.waitSeconds * 1000);
}

/**
 * @param kinds of all accounts
 * @param waitMs how long after its trigger a notification may arrive
 */
function assigned(evidence: Evidence, triggered: readonly Triggered[], kinds: readonly Configured[], waitMs: number) {
  const addresses = kinds.map(({ address }) => address);
  const off = triggered.filter(({ enabled }) => !enabled);
  const on = triggered.filter(({ enabled }) => enabled).sort((a, b) => a.startedAtMs - b.startedAtMs);
  const fromMs = Math.min(...triggered.map(({ startedAtMs }) => startedAtMs));
  const untilMs = Math.max(...triggered.map(({ watchedUntilMs }) => watchedUntilMs));
  // OPTIONS asks whether notifications are welcome, as CloudEvents does before the first one.
  const delivered = evidence.deliveries.filter(({ method }) => method !== 'OPTIONS');
  const all = delivered.filter(({ receivedAtMs }) => receivedAtMs >= fromMs && receivedAtMs <= untilMs);
  const onFromMs = on[0]?.startedAtMs ?? Number.POSITIVE_INFINITY;
  const expected = on.map((each): Expected => {
    const { endedAtMs, heldUpMs = 0 } = each;
    return { ...each, own: [], dueMs: endedAtMs + waitMs + heldUpMs };
  });
  const strays: Delivery[] = [];
  for (const delivery of all.filter(({ receivedAtMs }) => receivedAtMs >= onFromMs)) {
    const at = expected.filter(({ address }) => arrivedAt(delivery, address));
    const { own } = causeOf(delivery, at) ?? { own: strays };
    own.push(delivery);
  }
  for (const each of expected) {
    const copies = each.own.filter((delivery) => isCopyOfAnother(delivery, each, expected));
    each.own = each.own.filter((delivery) => !copies.includes(delivery));
    strays.push(...copies);
  }
  const arrived = expected.flatMap(({ own }) => own);
  // Strangers may find the receiver's tunnel. A request at an unknown address comes from the service if it is made like
  // one of the expected deliveries; where there are none, unless its sender was there before anything was triggered.
  const known = new Set(arrived.map(originOf));
  const before = delivered.filter(({ receivedAtMs }) => receivedAtMs < fromMs);
  const visitors = new Set(before.map(originOf));
  // Where others make the service send as well, notifications of a kind that is on came before anything was triggered.
  const offAddresses = kinds.filter(({ enabled }) => !enabled).map(({ address }) => address);
  const busy = before.filter((delivery) => !arrivedAt(delivery, ...offAddresses)).map(({ path }) => addressOf(path));
  const isFromService = (delivery: Delivery) =>
    arrivedAt(delivery, ...addresses) ||
    (arrived.length === 0 ? !visitors.has(originOf(delivery)) : known.has(originOf(delivery)));
  const isWrong = (delivery: Delivery) =>
    isFromService(delivery) && !arrivedAt(delivery, ...busy) && !isOfItsUrlsKind(delivery, expected, triggered);
  const isAt = (delivery: Delivery, some: readonly Triggered[]) =>
    arrivedAt(delivery, ...some.map(({ address }) => address));
  // Where nothing came of the kind that was triggered last, the delivery is its own, and went astray.
  const isOff = (delivery: Delivery) =>
    isAt(delivery, off) && !isAt(delivery, on) && Boolean(causeOf(delivery, expected)?.own.length);
  const wrong = strays.filter((delivery) => isWrong(delivery) && !isOff(delivery));
  return {
    waitMs,
    /** The kinds that are off. */
    off,
    /** Deliveries from when only kinds that are off had been triggered, and later ones at the address of such a kind. */
    unasked: all.filter((delivery) => isWrong(delivery) && (delivery.receivedAtMs < onFromMs || isOff(delivery))),
    expected,
    /** Deliveries at an unexpected address, after a kind that is on was triggered. */
    strays: wrong,
    misdirected: misdirectedIn(expected, wrong),
    all,
    addresses,
    /** The reads of the accounts for which anything was triggered. */
    reads: [...new Set(triggered.map(({ read }) => read))],
  };
}

/** Returns the kind that was triggered last before a delivery came. */
export function causeOf(delivery: Delivery, expected: readonly Expected[]): Expected | undefined {
  return expected.findLast(({ startedAtMs }) => startedAtMs <= delivery.receivedAtMs);
}

/** Returns the kinds of an account whose first delivery says the same as another one, numbers, times and ids aside. */
function sayingTheSame(delivery: Delivery, account: string, expected: readonly Expected[]): Expected[] {
  const words = wordsOf(delivery);
  return expected.filter((each) => each.account === account && each.own[0] && wordsOf(each.own[0]) === words);
}

/**
 * Whether a delivery at a kind's url is a copy of what a kind that was triggered later sent to its own: it came after that
 * trigger, and says the same as that kind's delivery and something else than this kind's.
 */
function isCopyOfAnother(delivery: Delivery, each: Expected, expected: readonly Expected[]): boolean {
  const cause = causeOf(delivery, expected);
  const same = sayingTheSame(delivery, each.account, expected);
  return cause !== undefined && same.includes(cause) && !same.includes(each);
}

/**
 * Whether a delivery is legitimate although the kind of its url was not triggered yet: one event may notify several
 * kinds of an account. Yes if another kind of it was triggered, and of several it says the same as this kind alone.
 */
function isOfItsUrlsKind(delivery: Delivery, expected: readonly Expected[], triggered: readonly Triggered[]): boolean {
  const at = expected.find(({ address }) => arrivedAt(delivery, address));
  if (!at) return false;
  const { account, kind } = at;
  const before = triggered.filter(({ startedAtMs }) => startedAtMs <= delivery.receivedAtMs);
  const on = before.filter(({ enabled }) => enabled).slice(-1);
  const [same, another] = sayingTheSame(delivery, account, expected);
  return (
    (on.length > 0 ? on : before).some((cause) => cause.account === account && cause.kind !== kind) &&
    expected.some((other) => other !== at && other.account === account && other.own.length > 0) &&
    same === at &&
    another === undefined
  );
}

/** The text of a notification without numbers, times and ids, which differ each time. */
function wordsOf({ body }: Delivery): string {
  return body.replace(/[\w-]+/g, (word) => (/\d/.test(word) ? '#' : word));
}

/** Method, `User-Agent` and media type: what every client of one kind has in common. */
function originOf({ method, headers }: Delivery): string {
  const [type = ''] = linesOf(headers, 'Content-Type').join().toLowerCase().split(';');
  return JSON.stringify([method, linesOf(headers, 'User-Agent'), type.trim()]);
}

/** Returns surplus deliveries, each assigned to a trigger at whose own address nothing arrived. */
function misdirectedIn(all: readonly Expected[], strays: readonly Delivery[]): Map<Expected, Delivery> {
  const found = new Map<Expected, Delivery>();
  const surplus = all.flatMap((expected) => expected.own.slice(1).filter((delivery) => !isRepeat(delivery, expected)));
  const spare = [...strays, ...surplus].sort((a, b) => a.receivedAtMs - b.receivedAtMs);
  for (const missing of all.filter(({ own }) => own.length === 0)) {
    const { startedAtMs, dueMs } = missing;
    const i = spare.findIndex(({ receivedAtMs }) => receivedAtMs >= startedAtMs && receivedAtMs <= dueMs);
    const [delivery] = i < 0 ? [] : spare.splice(i, 1);
    if (delivery) found.set(missing, delivery);
  }
  return found;
}

/** Whether a delivery repeats an earlier one at the same address word for word. */
export function isRepeat(delivery: Delivery, { own }: Expected): boolean {
  const earlier = own.filter(({ index }) => index < delivery.index);
  return earlier.some(({ method, body }) => method === delivery.method && body === delivery.body);
}

/** What is seen of notifications besides what is judged. */
export function notificationObservations(evidence: Evidence): Observations {
  const { deliveries } = evidence;
  const watched = watchedIn(evidence);
  const times = 'whyNot' in watched ? [] : watched.expected.map(({ own }) => own.length);
  return {
    'notification.method': deliveries.map(({ method }) => method),
    'notification.content-type': deliveries.map(mediaTypeOf),
    'notification.members': deliveries.flatMap(membersOf),
    'notification.headers': deliveries.flatMap(({ headers }) => headers.map(([name]) => name)),
    'notification.retries': times.filter((count) => count > 0),
  };
}

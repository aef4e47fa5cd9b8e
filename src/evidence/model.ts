/** The evidence of a run, with a marker for every secret: `evidence.har` holds it, and its schema gives most types. */
import type { Account, BasicCredentials, Fault, Target, Trigger } from '#schemas/evidence.d.ts';
import { catalogue, type Group, groupsWhere, type Probe } from '../catalogue/catalogue';
import type { Lines as HeaderLines } from '../catalogue/record';
import { markersIn, type Secret } from '../redaction/markers';

export type * from '#schemas/evidence.d.ts';
export type AccountFacts = Account;
export type TargetFacts = Target;
export type { Rate } from '../contract/bounds';
export type { Kind } from '../contract/settings';
export type { HeaderLines };

/** A request as it was sent, with markers for secrets. */
export interface RecordedRequest {
  method: string;
  url: string;
  headers: HeaderLines;
  /** The beginning of its body; absent where it had none. */
  body?: RecordedBody;
}

/** A body, or its beginning, with markers for secrets: text if it is UTF-8, else base64 of its bytes. */
export interface RecordedBody {
  body: string;
  bodyEncoding: 'utf8' | 'base64';
}

/** A response as it came, with markers for secrets; its body after content decoding. */
export interface RecordedResponse extends RecordedBody {
  status: number;
  statusText: string;
  headers: HeaderLines;
  /** Header lines of interim (1xx) responses and trailers; absent where there were none. */
  aside?: HeaderLines;
}

export interface Exchange {
  /** Entry of `evidence.har`, counted from 0. */
  index: number;
  probe: Probe;
  /** The account whose valid key the `apiKey` header carried; `null` for a request that must be rejected. */
  account: string | null;
  request: RecordedRequest;
  /** `null` where no status line and headers arrived. A response may still end in a fault. */
  response: RecordedResponse | null;
  fault: Fault | null;
  /** Just before the first byte was written: milliseconds since the run began, on a monotonic clock. */
  sentAtMs: number;
  /** Just after the last byte or the fault arrived, on the same clock. */
  receivedAtMs: number;
  /** Exchanges with the same number went over the same connection. */
  connection: number;
  /** Sent twice, because the server had closed the connection. The server may have counted both. */
  resent?: true;
}

/** A notification that reached the suite's own receiver; its body after content decoding. */
export interface Delivery extends RecordedBody {
  index: number;
  method: string;
  /** Path and query as they came. */
  path: string;
  headers: HeaderLines;
  /** Whether the body ended too early, or was longer than what is kept. */
  truncated: boolean;
  /** Its Basic credentials, read before secrets were replaced; empty without `Authorization: Basic`. */
  basic: BasicCredentials[];
  /** When all of it had arrived: milliseconds since the run began. */
  receivedAtMs: number;
}

/** No run sends more, so that judging takes a bounded time. */
export const MOST_EXCHANGES = 10_000;
/** No run takes more notifications, those of strangers included. */
export const MOST_DELIVERIES = 1100;

/** A stretch of the run, in milliseconds. */
export interface Stretch {
  fromMs: number;
  toMs: number;
}

/** Everything that a run saw. Judges use nothing else. */
export interface Evidence {
  target: Target;
  /** When the run began, in milliseconds since the epoch: the wall-clock time of `sentAtMs` 0. */
  startedAtEpochMs: number;
  exchanges: Exchange[];
  /** Probes that could not be sent, each with a reason that a person can act on. */
  notSent: Array<{ probe: Probe; reason: string }>;
  /** Notifications in order of arrival. Exchanges and deliveries are numbered together. */
  deliveries: Delivery[];
  triggers: Trigger[];
  /** When the server did not serve for a while. Present where what failed then was left out. */
  interruptions?: readonly Stretch[];
}

/** Returns `compute` with its value remembered until more exchanges come. `compute` must be pure. */
export function once<E extends { exchanges: readonly Exchange[] }, T>(compute: (evidence: E) => T): (evidence: E) => T {
  const known = new WeakMap<readonly Exchange[], { count: number; value: T }>();
  return (evidence) => {
    const { exchanges } = evidence;
    const before = known.get(exchanges);
    if (before?.count === exchanges.length) return before.value;
    const value = compute(evidence);
    known.set(exchanges, { count: exchanges.length, value });
    return value;
  };
}

/** Returns the exchanges of the groups, in the order of sending. */
export function exchangesOf(evidence: Evidence, ...groups: Group[]): Exchange[] {
  return evidence.exchanges.filter((exchange) => groups.includes(exchange.probe.group));
}

/** Returns the exchanges of the groups that send more than the rate allows. */
export function burstsOf(evidence: Evidence): Exchange[] {
  return exchangesOf(evidence, ...groupsWhere(({ bursts }) => bursts));
}

/** Returns why probes of a group were not sent: the reason noted for the group, or for an account, or `otherwise`. */
export function whyNotSent<Otherwise>(evidence: Evidence, group: Group, otherwise: Otherwise): Otherwise | string {
  const noted =
    evidence.notSent.find(({ probe }) => probe.group === group) ??
    evidence.notSent.find(({ probe }) => probe.group === 'account');
  return noted?.reason ?? otherwise;
}

/** Returns the evidence without the requests of the user's own tests: no clause is judged by them. */
export function withoutOwn(evidence: Evidence): Evidence {
  return { ...evidence, exchanges: evidence.exchanges.filter(({ probe }) => probe.group !== 'own') };
}

/** Returns the exchanges with the API itself. Other versions and paths may belong to other servers with other limits. */
export function ofTheApi(evidence: Evidence): Exchange[] {
  return evidence.exchanges.filter((exchange) => isOfTheApi(exchange, evidence));
}

export function isOfTheApi({ request, probe }: Exchange, { target }: Evidence): boolean {
  return request.url.startsWith(`${target.baseURL}/`) && !isElsewhere(probe);
}

/** Whether a request with a valid key is for another version or path than those described. */
export function isElsewhere({ group }: Probe): boolean {
  const { key, answer } = catalogue[group];
  return key === 'valid' && answer === 'observed';
}

/** Whether a request was for the base path. */
export function isAtTheBase({ request }: Exchange): boolean {
  return /(?<!\/webhooks)\/$/.test(request.url);
}

/** Whether a request differed a little from the described one, so that a server may count it otherwise. */
export function isRespelled({ probe }: Exchange): boolean {
  return catalogue[probe.group].isRespelled === true;
}

/** Returns the secrets that any part of a response holds: status line, headers, trailers and body. */
export function secretsIn({ response }: { response: RecordedResponse | null }): Secret[] {
  if (response === null) return [];
  const { statusText, headers, aside = [] } = response;
  return markersIn([statusText, ...headers.flat(), ...aside.flat(), searchable(response)].join('\n'));
}

/** Returns a body as text in which markers can be found: of one that is not UTF-8, each byte is a character. */
export function searchable({ body, bodyEncoding }: RecordedBody): string {
  return bodyEncoding === 'base64' ? Buffer.from(body, 'base64').toString('latin1') : body;
}

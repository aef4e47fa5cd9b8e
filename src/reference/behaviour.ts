/** The decisions of the conformant reference server, and the bends that replace some of them. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { isSameSecret } from '../common/text';
import { KINDS } from '../contract/settings';
import type { HeaderLines, Rate } from '../evidence/model';
import { type Account, type Notification, notificationsOf, settingsDocument } from './account';

/** A limiter's decision about one request. Times are milliseconds since the epoch on the server's clock. */
export interface Ruling {
  accepted: boolean;
  limit: number;
  /** Requests left in the active window after this one. */
  remaining: number;
  resetAtMs: number;
  retryAtMs: number;
  /** How long an accepted request is held back before it is answered. */
  holdMs?: number;
}

export interface Limiter {
  /** Charges a request to a budget, if there is room. @param nowMs on the server's clock, never decreasing */
  take(bucket: string, nowMs: number): Ruling | Promise<Ruling>;
}

/** Returns fixed windows (API description, section 8) from a first request on. A refused request costs nothing. */
export function fixedWindow(rate: Rate): Limiter {
  const windows = new Map<string, { endsAtMs: number; used: number }>();
  return {
    take(bucket, nowMs) {
      let window = windows.get(bucket);
      if (!window || nowMs >= window.endsAtMs) {
        window = { endsAtMs: nowMs + rate.seconds * 1000, used: 0 };
        windows.set(bucket, window);
      }
      const accepted = window.used < rate.requests;
      if (accepted) window.used++;
      return {
        accepted,
        limit: rate.requests,
        remaining: rate.requests - window.used,
        resetAtMs: window.endsAtMs,
        retryAtMs: window.endsAtMs,
      };
    },
  };
}

export interface Call {
  request: IncomingMessage;
  response: ServerResponse;
  method: string;
  /** The path of the request target, unchanged. */
  path: string;
  query: URLSearchParams;
  /** The account that owns the request's key, once known. */
  account?: Account;
  /** The limiter's decision, once made. */
  ruling?: Ruling;
}

/** A response before it is written. */
export interface Answer {
  status: number;
  headers: HeaderLines;
  body: string | Buffer;
}

/** The server's decisions, in the order in which it makes them. A bend replaces some of them. */
export type Behaviour = ReturnType<typeof conformant>;

/** A named change to the conformant server. */
export interface Bend {
  name: string;
  /** Set if the bend writes to the connection itself or uses files. Such a server cannot be simulated. */
  wire?: true;
  /** Changes the accounts before the server starts. */
  configure?(accounts: Account[]): Account[];
  /** Returns the decisions to replace. Called once for each start, so its variables belong to one server. */
  bend?(behaviour: Behaviour): Partial<Behaviour>;
}

/** Returns the behaviour of a conformant server. @param setup `basePath`: of the base URL, without a slash at its end */
export function conformant(setup: { accounts: Account[]; rate: Rate; basePath: string }) {
  return {
    ...setup,
    /** Milliseconds since the epoch; it never goes back. */
    clock: () => performance.timeOrigin + performance.now(),
    pause,
    random: Math.random,
    /** Wraps everything from authentication to the finished answer. */
    around: (_call: Call, answer: () => Promise<Answer>) => answer(),
    /** The account that owns the request's key; `null` rejects the request. */
    authenticate: (call: Call) => ownerOf(setup.accounts, call.request.headers.apikey),
    rejection: (_call: Call) =>
      problem(401, 'unauthorized', 'This request needs a valid API key in the apiKey header.', [
        ['WWW-Authenticate', 'ApiKey realm="assessment"'],
      ]),
    /** Makes a limiter with this server's algorithm. */
    limiterOf: fixedWindow as (rate: Rate) => Limiter,
    limiter: fixedWindow(setup.rate),
    /** The name of the budget that an authenticated request is charged to. */
    bucket: (account: Account, _call: Call) => account.name,
    /** Answers a request over the rate limit. The limit's header lines are added later. */
    refusal: (_call: Call, _ruling: Ruling) =>
      problem(429, 'rate_limited', 'Too many requests; wait as long as Retry-After says.'),
    /** Which resource a path names; `null` for none. */
    route: ({ path }: Call): 'webhooks' | 'base' | null => {
      if (path === `${setup.basePath}/webhooks`) return 'webhooks';
      return path === `${setup.basePath}/` || path === setup.basePath ? 'base' : null;
    },
    document: (account: Account, _call: Call): unknown => settingsDocument(account),
    serialise: (document: unknown, _call: Call) => JSON.stringify(document),
    welcome: (_account: Account, _call: Call) => json(200, JSON.stringify({ service: 'assessment', version: 2 })),
    /** Values of the rate limit's headers. Only refusals carry Retry-After. */
    limit: (ruling: Ruling) => String(ruling.limit),
    remaining: (ruling: Ruling) => String(ruling.remaining),
    reset: (ruling: Ruling, _nowMs: number) => String(Math.ceil(ruling.resetAtMs / 1000)),
    retryAfter: (ruling: Ruling, nowMs: number) => String(Math.max(1, Math.ceil((ruling.retryAtMs - nowMs) / 1000))),
    /** Which of the rate limit's header lines a response to a valid key carries. */
    carry: (lines: HeaderLines, _ruling: Ruling, _call: Call) => lines,
    /** Value of `Date`; `null` sends none. */
    date: (nowMs: number): string | null => new Date(nowMs).toUTCString(),
    send: send as (call: Call, answer: Answer) => void | Promise<void>,
    notifications: notificationsOf,
  };
}

/** Applies bends in order. Each gets the behaviour that the previous ones returned. */
export function bent(behaviour: Behaviour, bends: readonly Bend[]): Behaviour {
  let sofar = behaviour;
  for (const { bend } of bends) sofar = { ...sofar, ...bend?.(sofar) };
  return sofar;
}

/** Answers a request, and hands the answer to `send`. */
export async function serve(behaviour: Behaviour, call: Call): Promise<void> {
  const answer = await behaviour.around(call, () => answerTo(behaviour, call));
  const date = behaviour.date(behaviour.clock());
  await behaviour.send(call, date === null ? answer : { ...answer, headers: [['Date', date], ...answer.headers] });
}

/**
 * Makes the service send the notifications of a kind's event.
 * @returns when those without a delay are delivered; delayed ones are not waited for
 * @throws if there is no such kind or account
 */
export async function notify(
  behaviour: Behaviour,
  kind: string,
  name: string,
  deliver: (notification: Notification) => void | Promise<void>,
): Promise<void> {
  const account = behaviour.accounts.find((candidate) => candidate.name === name);
  const known = KINDS.find((each) => each === kind);
  if (!known || !account) throw new Error(`There is no kind "${kind}" of an account "${name}".`);
  const sent = behaviour.notifications(known, account).map(async (notification) => {
    const delivery = behaviour.pause(notification.delayMs ?? 0).then(() => deliver(notification));
    if (!notification.delayMs) await delivery;
  });
  await Promise.all(sent);
}

/** Takes a request through authentication, rate limit and resource. Every authenticated request is charged. */
async function answerTo(behaviour: Behaviour, call: Call): Promise<Answer> {
  const account = behaviour.authenticate(call);
  if (!account) return behaviour.rejection(call);
  call.account = account;
  const ruling = await behaviour.limiter.take(behaviour.bucket(account, call), behaviour.clock());
  call.ruling = ruling;
  if (ruling.holdMs) await behaviour.pause(ruling.holdMs);
  const answer = ruling.accepted ? resourceFor(behaviour, call, account) : behaviour.refusal(call, ruling);
  return { ...answer, headers: [...answer.headers, ...behaviour.carry(rateLines(behaviour, ruling), ruling, call)] };
}

/** Returns all header lines of the rate limit for a ruling. */
export function rateLines(behaviour: Behaviour, ruling: Ruling): HeaderLines {
  const nowMs = behaviour.clock();
  const lines: [string, string][] = [
    ['X-RateLimit-Limit', behaviour.limit(ruling)],
    ['X-RateLimit-Remaining', behaviour.remaining(ruling)],
    ['X-RateLimit-Reset', behaviour.reset(ruling, nowMs)],
  ];
  if (!ruling.accepted) lines.push(['Retry-After', behaviour.retryAfter(ruling, nowMs)]);
  return lines;
}

function resourceFor(behaviour: Behaviour, call: Call, account: Account): Answer {
  const resource = behaviour.route(call);
  if (!resource) return problem(404, 'not_found', 'There is nothing at this path.');
  if (call.method !== 'GET' && call.method !== 'HEAD')
    return problem(405, 'method_not_allowed', 'This resource can be read only.', [['Allow', 'GET, HEAD']]);
  if (resource === 'base') return behaviour.welcome(account, call);
  return json(200, behaviour.serialise(behaviour.document(account, call), call));
}

/** Returns an answer of JSON. `no-store`, because a cache does not look at `apiKey` (RFC 9111, 3.5). */
export function json(status: number, body: string, more: HeaderLines = []): Answer {
  return { status, headers: [['Content-Type', 'application/json'], ['Cache-Control', 'no-store'], ...more], body };
}

export function problem(status: number, code: string, message: string, more: HeaderLines = []): Answer {
  return json(status, JSON.stringify({ error: { code, message } }), more);
}

/** Returns the owner of a presented key (API description, section 5). @param same compares it with an issued one */
export function ownerOf(
  accounts: readonly Account[],
  key: string | string[] | undefined,
  same: (presented: string, issued: string) => boolean = isSameSecret,
): Account | null {
  if (typeof key !== 'string' || key === '') return null;
  // Every key is compared, so that the time does not show which key matches.
  return accounts.filter((account) => same(key, account.apiKey))[0] ?? null;
}

/** Writes an answer as one whole response of known length. Node sends no body to HEAD (RFC 9110, 9.3.2). */
function send({ response }: Call, answer: Answer): void {
  const headers = answer.status === 204 ? [] : [['Content-Length', String(Buffer.byteLength(answer.body))]];
  response.sendDate = false;
  response.writeHead(answer.status, [...answer.headers, ...headers].flat());
  response.end(answer.body);
}

/** Waits without keeping the process alive. */
export function pause(ms: number): Promise<void> {
  return setTimeout(ms, undefined, { ref: false });
}

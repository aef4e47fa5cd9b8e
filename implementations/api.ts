/** What the servers of all frameworks have in common: the API behind the limiter, and its address. */
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Account, embeddedAccounts, settingsDocument } from '../src/reference/account';
import { ownerOf, problem } from '../src/reference/behaviour';

export type { Account };

/** Path of the base URL. */
export const BASE = '/api/v2';

/** The published rate: 1 request in 1 second (API description, section 8). */
export const LIMIT = 1;
export const WINDOW_MS = 1000;

/** Three accounts of the embedded server: with a stored password, without one, with the API-key scheme. */
export const accounts: Account[] = embeddedAccounts().slice(0, 3);

/** The account whose key a request carries in the `apiKey` header; `null` rejects it. */
export function accountOf(key: unknown): Account | null {
  return ownerOf(accounts, typeof key === 'string' ? key : undefined);
}

/** Answers a request without a valid key. */
export const rejection = {
  status: 401 as const,
  headers: { 'WWW-Authenticate': 'ApiKey realm="assessment"' },
  body: JSON.parse(
    String(problem(401, 'unauthorized', 'This request needs a valid API key in the apiKey header.').body),
  ),
};

/** The document of GET /webhooks. */
export const settingsOf = settingsDocument;

/** The body of GET on the base path. */
export const welcome = { service: 'assessment', version: 2 };

/** A server that listens on a free port of the loopback. */
export interface Served {
  /** Its version segment included. */
  baseURL: string;
  close(): Promise<void>;
}

/** @param close ends what stands behind the server, such as a connection to Redis */
export async function listening(server: Server, close: () => unknown = () => undefined): Promise<Served> {
  if (!server.listening) await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseURL: `http://127.0.0.1:${(server.address() as AddressInfo).port}${BASE}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await close();
    },
  };
}

/**
 * The headers of the rate limit, for limiters that leave them to the application (API description, section 8).
 * @param resetAtMs when the active window ends, in milliseconds since the epoch
 * @param refused whether the response refuses the request: then it says when to retry
 */
export function rateHeaders(remaining: number, resetAtMs: number, refused = false): Record<string, string> {
  const leftSeconds = Math.max(1, Math.ceil((resetAtMs - Date.now()) / 1000));
  return {
    'X-RateLimit-Limit': String(LIMIT),
    'X-RateLimit-Remaining': String(remaining),
    'X-RateLimit-Reset': String(Math.ceil(resetAtMs / 1000)),
    ...(refused && { 'Retry-After': String(leftSeconds) }),
  };
}

/** A Redis server, and a database of it that no other server uses. */
export interface RedisAddress {
  host: string;
  port: number;
  db: number;
}

/** One way to use a limiter. */
export type Variant = {
  /** As its documentation first shows it, or as it has to be set for this API. */
  as: 'shown' | 'set';
} & ({ store: 'memory'; start(): Promise<Served> } | { store: 'Redis'; start(redis: RedisAddress): Promise<Served> });

/** A limiter, and the API behind it. */
export interface Implementation {
  /** The limiter, then what it is used with; their versions stand in the table. */
  packages: string[];
  documentation: string;
  /** What the documentation's example does, besides the two numbers of the rate, which are the API's. */
  shown: string;
  /** What has to be set or written, in one or two sentences. */
  setting: string;
  variants: Variant[];
}

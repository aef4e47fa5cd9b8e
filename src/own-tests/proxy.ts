/** The proxy between own tests and the API: it adds the key, keeps the pace, records, and answers with markers. */
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createSecureContext, type SecureContext, TLSSocket } from 'node:tls';
import { type Probe, probe, slugOf } from '../catalogue/catalogue';
import { failureOf, UsageError } from '../common/errors';
import { linesOf } from '../evidence/http/headers';
import { type Exchange, type HeaderLines, secretsIn } from '../evidence/model';
import { linesFrom } from '../recorder/transport/answer';
import type { Run } from '../run/run';

const OF_ONE_HOP = ['connection', 'keep-alive', 'transfer-encoding', 'content-length', 'te', 'upgrade'];
/** Fields of one hop, and those that the recorder sets itself. */
const NOT_FORWARDED = [...OF_ONE_HOP, 'host', 'expect', 'proxy-connection', 'user-agent', 'accept-encoding'];
/** Fields of one hop, and the one that no longer fits the decoded body. */
const NOT_RETURNED = [...OF_ONE_HOP, 'content-encoding'];

interface OwnTest {
  run: Run;
  probe: Probe;
  api: URL;
  exchanges: Exchange[];
  problems: string[];
  /** The answer that the test follows; `null` before it does. */
  follower: ServerResponse | null;
}

/** A connection of a test's context, as which account it sends; empty for none. */
interface Tunnel {
  test: OwnTest;
  account: string;
}

export type OwnBegun = Exclude<Awaited<ReturnType<OwnProxy['begin']>>, string>;

export type OwnEnded = NonNullable<ReturnType<OwnProxy['end']>>;

/** Sent to a test while it runs: 1 when a request begins to wait for the rate limit, -1 when it no longer waits. */
export type OwnNews = 1 | -1;

export class OwnProxy {
  /** By an id that only the test knows. */
  private readonly tests = new Map<string, OwnTest>();
  private readonly tunnels = new WeakMap<Duplex, Tunnel>();
  private secure: SecureContext | null = null;

  /** Begins an own test, once the suite's own requests are sent. Returns a sentence if nothing can be sent. */
  async begin(run: Run, title: string) {
    const { evidence, error } = await run.recorded();
    if (error !== null) return `The run could not be done: ${error}`;
    const { baseURL, accounts, embedded } = evidence.target;
    const id = randomBytes(24).toString('hex');
    const test = { run, probe: probe('own', { form: slugOf(title) }), api: new URL(baseURL), follower: null };
    this.tests.set(id, { ...test, exchanges: [], problems: [] });
    return {
      /** The user of the proxy; the password is the name of an account. */
      id,
      baseURL,
      accounts: accounts.map(({ name }) => name),
      embedded,
      sends: run.sends,
    };
  }

  /** Sends a test its news, a line of JSON each, until the test ends. */
  follow(id: string, follower: ServerResponse): void {
    const test = this.tests.get(id);
    if (test) test.follower = follower;
    follower.on('close', () => this.tests.delete(id));
  }

  /** Ends an own test and returns what came of its requests; `null` if no such test is under way. */
  end(id: string) {
    const test = this.tests.get(id);
    if (!test) return null;
    test.follower?.end();
    // A request that nobody waits for may still be sent later.
    test.follower = null;
    this.tests.delete(id);
    return {
      evidence: test.exchanges.map(({ index }) => index),
      /** What fails the test besides its own expectations: leaks, and requests without a whole answer. */
      problems: test.problems,
    };
  }

  /** Opens a test's tunnel to the API and ends it here; Playwright opens one for http, too. @param serve takes it */
  connect(request: IncomingMessage, socket: Duplex, serve: (tunnel: Duplex) => void): void {
    socket.on('error', () => undefined);
    const basic = request.headers['proxy-authorization']?.replace(/^Basic /i, '') ?? '';
    const [id = '', account = ''] = Buffer.from(basic, 'base64').toString().split(/:(.*)/s);
    const test = this.tests.get(id);
    const isSecure = test?.api.protocol === 'https:';
    if (!test || request.url !== `${test.api.hostname}:${test.api.port || (isSecure ? 443 : 80)}`) {
      test?.problems.push(
        `own tests reach only the API under test, ${test.api.origin}: nothing was sent to ${request.url}`,
      );
      socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n');
      return;
    }
    socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
    this.secure ??= isSecure ? createSecureContext(newIdentity()) : null;
    const secureContext = isSecure && this.secure;
    const tunnel = secureContext ? new TLSSocket(socket as never, { isServer: true, secureContext }) : socket;
    this.tunnels.set(tunnel, { test, account });
    serve(tunnel);
  }

  /** Forwards a request of an own test and answers it. Returns false for a request that came through no tunnel. */
  handle(request: IncomingMessage, response: ServerResponse): boolean {
    const tunnel = this.tunnels.get(request.socket);
    if (!tunnel) return false;
    sendOn(tunnel, request, response).catch((problem: unknown) => {
      tunnel.test.problems.push(`${request.method} ${request.url}: ${failureOf(problem)}`);
      response.destroy();
    });
    return true;
  }
}

const NOT_SENT = 'no answer: the run was stopped, or gave the server up';
const KEY_BY_HAND =
  'the header apiKey was set by hand, so nothing was sent: api.as(account) sends the key of an account, and api.anonymous sends none';

async function sendOn({ test, account }: Tunnel, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = 'GET', url: path = '' } = request;
  const { run, api, exchanges, problems } = test;
  if (request.headers.apikey !== undefined) throw new UsageError(KEY_BY_HAND);
  const body = await buffer(request);
  const own = {
    ...{ probe: test.probe, account: account || null, method, path: api.origin + path },
    headers: forwarded(request),
    body: body.length > 0 ? body : null,
  };
  const isWanted = () => !response.destroyed;
  const report = (news: OwnNews) => test.follower?.write(`${news}\n`);
  let waits = true;
  const isDue = () => {
    if (waits) report(-1);
    waits = false;
    return isWanted();
  };
  report(1);
  const exchange = await run.send(own, isDue).finally(isDue);
  // The test ended without waiting for the answer.
  if (!exchange && !isWanted()) return;
  if (exchange) exchanges.push(exchange);
  problems.push(...(exchange ? problemsOf(exchange) : [`${method} ${path}: ${NOT_SENT}`]));
  if (exchange?.response && !exchange.fault) answer(exchange.response, method === 'HEAD', response);
  // Without a whole answer the connection is closed, which Playwright reports.
  else response.destroy();
}

/** What no answer may hold, by the kind of the secret. */
const LEAKS: Readonly<Record<string, string>> = { apiKey: 'the key', password: 'the stored password' };

function problemsOf(exchange: Exchange): string[] {
  const { index, request, fault } = exchange;
  const what = `${request.method} ${request.url} (entry ${index})`;
  const leaks = secretsIn(exchange).flatMap(({ kind, name }) =>
    LEAKS[kind] ? `leak: the answer to ${what} holds ${LEAKS[kind]} of ${name}` : [],
  );
  return [...(fault ? [`${what}: the server ${fault.message}`] : []), ...new Set(leaks)];
}

function answer(
  { status, statusText, headers, body, bodyEncoding }: NonNullable<Exchange['response']>,
  isHead: boolean,
  response: ServerResponse,
): void {
  const bytes = Buffer.from(body, bodyEncoding);
  const lines = headers.filter(([name]) => !NOT_RETURNED.includes(name.toLowerCase()));
  const isBodiless = status === 204 || status === 304;
  const length = isHead ? (linesOf(headers, 'Content-Length')[0] ?? '0') : `${bytes.length}`;
  response.sendDate = false;
  // Node writes no other characters in a reason phrase.
  response.writeHead(status, statusText.replace(/[^ -~]/g, '?'), [
    ...lines.flat(),
    ...(isBodiless ? [] : ['Content-Length', length]),
  ]);
  response.end(isHead || isBodiless ? undefined : bytes);
}

/** Returns the header lines that the test asks for. An `Accept` of any type is left out: every client sends it. */
function forwarded({ rawHeaders }: IncomingMessage): HeaderLines {
  return linesFrom(rawHeaders).filter(([name, value]) => {
    const field = name.toLowerCase();
    return !NOT_FORWARDED.includes(field) && (field !== 'accept' || value !== '*/*');
  });
}

const ED25519 = '300506032b6570';
const FROM_1970_TO_2049 = '301e170d3730303130313030303030305a170d3439313233313233353935395a';

/**
 * Returns a new key, and an X.509 certificate for it that is signed with it, of nobody's name (RFC 5280, section 4.1, and
 * RFC 8410), both as PEM: what the proxy shows to own tests that speak https. They only ever reach their own run, and
 * verify nothing.
 */
function newIdentity(): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const subject = publicKey.export({ type: 'spki', format: 'der' }).toString('hex');
  // All parts have a fixed length.
  const signed = `305a020101${ED25519}3000${FROM_1970_TO_2049}3000${subject}`;
  const signature = sign(null, Buffer.from(signed, 'hex'), privateKey).toString('hex');
  const whole = Buffer.from(`3081a6${signed}${ED25519}034100${signature}`, 'hex').toString('base64');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${whole}\n-----END CERTIFICATE-----\n`,
  };
}

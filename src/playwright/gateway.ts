/**
 * Between the request contexts of own tests and the server under test: adds the key, keeps the pace, bounds and records each
 * exchange, and hands back the answer with markers for secrets. So nothing that Playwright prints can hold one.
 */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { failureOf } from '../common/failure';
import type { Exchange, HeaderLines } from '../evidence/exchange';
import { linesOf } from '../evidence/headers';
import { markerOf, markersIn } from '../evidence/markers';
import type { Run } from '../run/run';

/** Bytes of a request's body. */
const MOST_BYTES = 1_048_576;

/** Fields that concern only one hop. */
const OF_ONE_HOP = ['connection', 'keep-alive', 'transfer-encoding', 'content-length', 'te', 'upgrade'];
/** With what the recorder says itself. */
const NOT_FORWARDED = [...OF_ONE_HOP, 'host', 'expect', 'proxy-connection', 'user-agent', 'accept-encoding'];
/** With what no longer fits what is handed back. */
const NOT_RETURNED = [...OF_ONE_HOP, 'content-encoding'];

/** An own test that is under way. */
interface OwnTest {
  run: Run;
  title: string;
  exchanges: Exchange[];
  problems: string[];
}

/** What an own test needs to know before it begins. */
export type OwnBegun = Awaited<ReturnType<Gateway['begin']>>;

/** What came of an own test's requests. */
export type OwnEnded = NonNullable<ReturnType<Gateway['end']>>;

export class Gateway {
  /** By an id that only the test knows. */
  private readonly tests = new Map<string, OwnTest>();

  /** Lets an own test begin once the suite's own requests are sent. */
  async begin(run: Run, title: string, origin: string) {
    const { evidence, error } = await run.recorded();
    const id = randomBytes(24).toString('hex');
    this.tests.set(id, { run, title, exchanges: [], problems: [] });
    return {
      id,
      /** Where its requests go, ending in a slash. */
      url: `${origin}/${id}/`,
      accounts: evidence.target.accounts.map(({ name }) => name),
      embedded: evidence.target.embedded,
      /** Whether requests are answered from the evidence of an earlier run that holds none of this test. */
      isMissing: run.isMissing(title),
      /** Why nothing can be sent. */
      error,
    };
  }

  /** What came of its requests; `null` for a test that is not under way. */
  end(id: string) {
    const test = this.tests.get(id);
    if (!test) return null;
    this.tests.delete(id);
    return {
      /** Entries of `evidence.har`. */
      evidence: test.exchanges.map(({ index }) => index),
      /** What fails the test whatever it expects: leaks, and requests that were not answered. */
      problems: test.problems,
    };
  }

  /** Sends a request of an own test on, and answers with what came; false for any other request. */
  handle(request: IncomingMessage, response: ServerResponse<IncomingMessage>): boolean {
    const [, id = '', account, path = ''] =
      /^\/([0-9a-f]+)\/(?:as\/([^/?]+)|anonymous)(\/.*)$/.exec(request.url ?? '') ?? [];
    const test = this.tests.get(id);
    if (!test) return false;
    sendOn(test, request, response, path, account).catch((problem: unknown) => {
      test.problems.push(failureOf(problem));
      response.destroy();
    });
    return true;
  }
}

const NOT_SENT = 'no answer: the run was stopped, gave the server up, or replays evidence that holds no such request';

/** Sends a request to the server and answers with what came. The test keeps the exchange and its problems. */
async function sendOn(
  { run, title, exchanges, problems }: OwnTest,
  request: IncomingMessage,
  response: ServerResponse<IncomingMessage>,
  path: string,
  encoded: string | undefined,
): Promise<void> {
  const { method = 'GET' } = request;
  const account = encoded === undefined ? null : decodeURIComponent(encoded);
  const key: HeaderLines = account === null ? [] : [['apiKey', markerOf('apiKey', account)]];
  const headers = [...forwarded(request), ...key];
  const exchange = await run.send({ title, account, method, path, headers, body: await bodyOf(request) });
  if (exchange) exchanges.push(exchange);
  problems.push(...(exchange ? problemsOf(exchange) : [`${method} ${path}: ${NOT_SENT}`]));
  if (exchange?.response && !exchange.fault) answer(exchange.response, method === 'HEAD', response);
  // There is no whole answer. Playwright reports a connection that was closed.
  else response.destroy();
}

/** What no answer may hold. */
const SECRETS = new Map([
  ['apiKey', 'the key'],
  ['password', 'the stored password'],
]);

/** Why there is no whole answer, and each key or stored password that stands in it: one sentence each. */
function problemsOf({ index, request, response, fault }: Exchange): string[] {
  const what = `${request.method} ${request.url} (entry ${index})`;
  const texts = [...(response?.headers ?? []), ...(response?.aside ?? []), response?.body ?? ''].flat();
  const leaks = markersIn(texts.join('\n')).flatMap(({ kind, name }) =>
    SECRETS.has(kind) ? `leak: the answer to ${what} holds ${SECRETS.get(kind)} of ${name}` : [],
  );
  return [...(fault ? [`${what}: the server ${fault.message}`] : []), ...new Set(leaks)];
}

function answer(
  { status, statusText, headers, body, bodyEncoding }: NonNullable<Exchange['response']>,
  isHead: boolean,
  response: ServerResponse<IncomingMessage>,
): void {
  const bytes = Buffer.from(body, bodyEncoding);
  const lines = headers.filter(([name]) => !NOT_RETURNED.includes(name.toLowerCase()));
  const isBodiless = status === 204 || status === 304;
  const length = isHead ? (linesOf(headers, 'Content-Length')[0] ?? '0') : `${bytes.length}`;
  response.sendDate = false;
  response.writeHead(status, statusText, [...lines.flat(), ...(isBodiless ? [] : ['Content-Length', length])]);
  response.end(isHead || isBodiless ? undefined : bytes);
}

/** @throws where the body is larger than is sent on */
async function bodyOf(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MOST_BYTES)
      throw new Error(`The body of an own request is larger than ${MOST_BYTES} bytes: it was not sent.`);
    chunks.push(chunk);
  }
  return size === 0 ? null : Buffer.concat(chunks);
}

/** What the test asks for in header fields; what every client accepts says nothing. */
function forwarded({ rawHeaders }: IncomingMessage): HeaderLines {
  return rawHeaders.flatMap((name, i) => {
    const [field, value = ''] = [name.toLowerCase(), rawHeaders[i + 1]];
    const isOurs = i % 2 > 0 || NOT_FORWARDED.includes(field) || (field === 'accept' && value === '*/*');
    return isOurs ? [] : [[name, value] as const];
  });
}

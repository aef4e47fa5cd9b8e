/**
 * Stands between own tests and the API under test. It adds the key, keeps the pace, bounds and records each exchange,
 * and returns the answer with markers for secrets. So nothing that Playwright prints can hold a secret.
 */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { failureOf } from '../common/failure';
import { linesOf } from '../evidence/http/headers';
import { markerOf, markersIn } from '../evidence/markers';
import type { Exchange, HeaderLines } from '../evidence/model';
import type { Run } from '../run/run';

/** Most bytes of a request's body. */
const MOST_BYTES = 1_048_576;

/** Fields that concern only one hop. */
const OF_ONE_HOP = ['connection', 'keep-alive', 'transfer-encoding', 'content-length', 'te', 'upgrade'];
/** Fields of one hop, and those that the recorder sets itself. */
const NOT_FORWARDED = [...OF_ONE_HOP, 'host', 'expect', 'proxy-connection', 'user-agent', 'accept-encoding'];
/** Fields of one hop, and the one that no longer fits the decoded body. */
const NOT_RETURNED = [...OF_ONE_HOP, 'content-encoding'];

interface OwnTest {
  run: Run;
  title: string;
  exchanges: Exchange[];
  problems: string[];
}

export type OwnBegun = Awaited<ReturnType<Gateway['begin']>>;

export type OwnEnded = NonNullable<ReturnType<Gateway['end']>>;

export class Gateway {
  /** By an id that only the test knows. */
  private readonly tests = new Map<string, OwnTest>();

  /** Begins an own test, once the suite's own requests are sent. */
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
      /** Whether replayed evidence holds no request of this test. */
      isMissing: run.isMissing(title),
      /** Why nothing can be sent; `null` if requests can be sent. */
      error,
    };
  }

  /** Ends an own test and returns what came of its requests; `null` if no such test is under way. */
  end(id: string) {
    const test = this.tests.get(id);
    if (!test) return null;
    this.tests.delete(id);
    return {
      evidence: test.exchanges.map(({ index }) => index),
      /** What fails the test besides its own expectations: leaks, and requests without a whole answer. */
      problems: test.problems,
    };
  }

  /** Forwards a request of an own test and answers it. Returns false for any other request. */
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

/** Forwards a request to the server and answers the test. Notes the exchange and its problems on the test. */
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
  // Without a whole answer the connection is closed, which Playwright reports.
  else response.destroy();
}

/** Secrets that no answer may hold. */
const SECRETS = new Map([
  ['apiKey', 'the key'],
  ['password', 'the stored password'],
]);

/** Returns one sentence for a fault, and one for each key or stored password that the answer holds. */
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

/** Returns the body of a request; `null` if it is empty. @throws if it is too large */
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

/** Returns the header lines that the test asks for. An `Accept` of any type is left out: every client sends it. */
function forwarded({ rawHeaders }: IncomingMessage): HeaderLines {
  return rawHeaders.flatMap((name, i) => {
    const [field, value = ''] = [name.toLowerCase(), rawHeaders[i + 1]];
    const isOurs = i % 2 > 0 || NOT_FORWARDED.includes(field) || (field === 'accept' && value === '*/*');
    return isOurs ? [] : [[name, value] as const];
  });
}

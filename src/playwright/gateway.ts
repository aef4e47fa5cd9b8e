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
import type { OwnRequest, Run } from '../run/run';

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
  private readonly secret = randomBytes(24).toString('hex');
  private readonly tests = new Map<string, OwnTest>();
  private begun = 0;

  /** Whether a request target is one of an own test of this run. */
  isFor(target: string): boolean {
    return target.startsWith(`/${this.secret}/`);
  }

  /** Lets an own test begin once the suite's own requests are sent. */
  async begin(run: Run, title: string, origin: string) {
    const { evidence, error } = await run.recorded();
    this.begun += 1;
    const number = `${this.begun}`;
    this.tests.set(number, { run, title, exchanges: [], problems: [] });
    return {
      /** Where its requests go, ending in a slash. */
      url: `${origin}/${this.secret}/${number}/`,
      accounts: evidence.target.accounts.map(({ name }) => name),
      embedded: evidence.target.embedded,
      /** Whether requests are answered from the evidence of an earlier run that holds none of this test. */
      isMissing: run.isMissing(title),
      /** Why nothing can be sent. */
      error,
    };
  }

  /** What came of its requests; `null` for a test that is not under way. */
  end(url: string) {
    const number = url.split('/').at(-2) ?? '';
    const test = this.tests.get(number);
    if (!test) return null;
    this.tests.delete(number);
    return {
      /** Entries of `evidence.har`. */
      evidence: test.exchanges.map(({ index }) => index),
      /** What fails the test whatever it expects: leaks, and requests that were not answered. */
      problems: test.problems,
    };
  }

  /** Sends the request on, and answers with what came. */
  handle(request: IncomingMessage, response: ServerResponse<IncomingMessage>): void {
    const target = (request.url ?? '').slice(this.secret.length + 2);
    const [, number = '', account, path] = /^(\d+)\/(?:as\/([^/?]+)|anonymous)(\/.*)$/.exec(target) ?? [];
    const test = this.tests.get(number);
    if (!test || path === undefined) {
      response.writeHead(404, { 'Content-Type': 'text/plain' });
      response.end(NO_SUCH_PATH);
      return;
    }
    bodyOf(request)
      .then(async (body) => {
        const name = account === undefined ? null : decodeURIComponent(account);
        const key: HeaderLines = name === null ? [] : [['apiKey', markerOf('apiKey', name)]];
        const sent: OwnRequest = {
          title: test.title,
          account: name,
          method: request.method ?? 'GET',
          path,
          headers: [...forwarded(request), ...key],
          body,
        };
        const exchange = await test.run.send(sent);
        if (exchange) test.exchanges.push(exchange);
        test.problems.push(...(exchange ? problemsOf(exchange) : [`${sent.method} ${path}: ${NOT_SENT}`]));
        if (exchange?.response && !exchange.fault) answer(exchange.response, request.method === 'HEAD', response);
        // What Playwright makes of a connection that ends is as true as anything: there is no whole answer.
        else response.destroy();
      })
      .catch((problem: unknown) => {
        test.problems.push(failureOf(problem));
        response.destroy();
      });
  }
}

/** What is said to whoever asks for a path that is none of an own test. */
export const NO_SUCH_PATH = 'Paths of own tests have no slash at their beginning: api.as("alice").get("webhooks").';

const NOT_SENT = 'no answer: the run was stopped, gave the server up, or replays evidence that holds no such request';

/** A leak, or why there is no whole answer. */
function problemsOf(exchange: Exchange): string[] {
  const { index, request, fault } = exchange;
  const broken = fault ? [`${request.method} ${request.url} (entry ${index}): the server ${fault.message}`] : [];
  return [...broken, ...leaksIn(exchange)];
}

const SECRETS = new Map([
  ['apiKey', 'the key'],
  ['password', 'the stored password'],
]);

/** Where an answer holds an API key or a stored password, which no answer may: one sentence for each; else none. */
function leaksIn({ index, request, response }: Exchange): string[] {
  const texts = [...(response?.headers ?? []), ...(response?.aside ?? [])].flat();
  const found = markersIn([...texts, response?.body ?? ''].join('\n')).filter(({ kind }) => SECRETS.has(kind));
  const secrets = new Set(found.map(({ kind, name }) => `${SECRETS.get(kind)} of ${name}`));
  return [...secrets].map(
    (secret) => `leak: the answer to ${request.method} ${request.url} (entry ${index}) holds ${secret}`,
  );
}

function answer(
  { status, statusText, headers, body, bodyEncoding }: NonNullable<Exchange['response']>,
  isHead: boolean,
  response: ServerResponse<IncomingMessage>,
): void {
  const bytes = Buffer.from(body, bodyEncoding);
  const kept = headers.filter(([name]) => !NOT_RETURNED.includes(name.toLowerCase()));
  const length = isHead ? (linesOf(headers, 'Content-Length')[0] ?? '0') : `${bytes.length}`;
  const isBodiless = status === 204 || status === 304;
  const lines = isBodiless ? kept : [...kept, ['Content-Length', length] as const];
  response.sendDate = false;
  response.writeHead(status, statusText, lines.flat());
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
  const lines = rawHeaders.flatMap((name, i) => (i % 2 === 0 ? [[name, rawHeaders[i + 1] ?? ''] as const] : []));
  return lines.filter(
    ([name, value]) =>
      !NOT_FORWARDED.includes(name.toLowerCase()) && !(name.toLowerCase() === 'accept' && value === '*/*'),
  );
}

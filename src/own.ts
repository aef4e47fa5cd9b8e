/** Tests of the user's own import this file instead of `@playwright/test`, so that Playwright never holds a secret. */
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type {
  APIRequest,
  APIRequestContext,
  APIResponse,
  Expect,
  PlaywrightTestArgs,
  PlaywrightTestOptions,
  PlaywrightWorkerArgs,
  PlaywrightWorkerOptions,
  TestInfo,
  TestType,
} from '@playwright/test';
import { MOST_BYTES, textIn } from './common/files';
import { errorsAgainst } from './common/json';
import { root, suite } from './common/suite';
import type { OwnBegun, OwnEnded, OwnNews } from './own-tests/proxy';
import { ask, EVIDENCE, PROBLEM, plain, playwright, serviceOfRun } from './playwright/client';

const { test: base, expect: baseExpect, request } = playwright;

/** The API under test. A path is resolved as Playwright does: `webhooks` stands below the base URL, `/webhooks` below the host. */
export interface Api {
  /** Names of the target's accounts. */
  readonly accounts: readonly string[];
  /** Whether the embedded reference server is under test. */
  readonly embedded: boolean;
  /** Sends requests without a key. */
  readonly anonymous: APIRequestContext;
  /** Returns a context that sends an account's key, within its rate. @throws if the target has no such account */
  as(account: string): APIRequestContext;
}

type ContextOptions = NonNullable<Parameters<APIRequest['newContext']>[0]>;

/** Playwright's `test` with the API under test as the fixture `api`. */
export const test: TestType<
  PlaywrightTestArgs & PlaywrightTestOptions & { api: Api },
  PlaywrightWorkerArgs & PlaywrightWorkerOptions
> = base.extend<{ api: Api }>({
  api: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright wants a pattern
    async ({}, use, testInfo) => {
      const test = { name: testInfo.titlePath.slice(1).join(' › '), project: testInfo.project.name };
      const begun = await ask<OwnBegun, OwnNews>('own', test, withoutWaits(testInfo));
      if (begun.error !== null) throw plain(`The run could not be done: ${begun.error}`);
      testInfo.skip(!begun.sends, 'Evidence is replayed, so nothing is sent.');
      const { id } = begun;
      const contextOf = (account: string) => {
        // Every option by name, because Playwright takes each that is absent from the project's `use`: headers,
        // credentials and cookies that are the team's, and none of the API's business.
        const options: Record<keyof ContextOptions, unknown> = {
          baseURL: `${begun.baseURL}/`,
          proxy: { server: serviceOfRun().url, username: id, password: account },
          // The certificate is that of the proxy. The recorder verifies the server's.
          ignoreHTTPSErrors: true,
          maxRedirects: 0,
          // The proxy waits for the rate, and then bounds the time of each request itself.
          timeout: 0,
          clientCertificates: undefined,
          extraHTTPHeaders: undefined,
          failOnStatusCode: undefined,
          httpCredentials: undefined,
          storageState: undefined,
          userAgent: undefined,
        };
        return request.newContext(options as ContextOptions);
      };
      const anonymous = await contextOf('');
      const own = new Map<string, APIRequestContext>();
      for (const account of begun.accounts) own.set(account, await contextOf(account));
      await use({
        accounts: begun.accounts,
        embedded: begun.embedded,
        anonymous,
        as(account) {
          const context = own.get(account);
          if (!context) throw plain(`The target has no account ${account}. It has: ${begun.accounts.join(', ')}.`);
          return context;
        },
      });
      for (const context of [anonymous, ...own.values()]) await context.dispose();
      const { evidence, problems, outside } = await ask<OwnEnded>('own-end', { name: id });
      // A test may mean to ask for what is not there. That it failed says otherwise.
      if (testInfo.status !== testInfo.expectedStatus) problems.push(...outside);
      if (evidence.length > 0)
        testInfo.annotations.push({ type: EVIDENCE, description: `entries ${evidence.join(', ')} of evidence.har` });
      if (problems.length === 0) return;
      testInfo.annotations.push({ type: PROBLEM, description: problems.join('\n') });
      throw plain(problems.join('\n'));
    },
    // The fixture waits until the suite's own requests are sent. That takes as long as the rate limit asks for.
    { timeout: 0 },
  ],
});

/** Returns what takes the time in which a test waits for the rate out of its time limit. */
function withoutWaits(testInfo: TestInfo): (news: OwnNews) => void {
  let [waiting, limitMs, sinceMs] = [0, 0, 0];
  return (news) => {
    waiting += news;
    if (waiting === 1 && news === 1) [limitMs, sinceMs] = [testInfo.timeout, performance.now()];
    if (limitMs === 0) return;
    if (waiting > 0) testInfo.setTimeout(0);
    // A limit that the test has set meanwhile stays.
    else if (testInfo.timeout === 0) testInfo.setTimeout(Math.ceil(limitMs + performance.now() - sinceMs));
  };
}

interface SchemaMatcher {
  toMatchSchema(schema: string | object): Promise<void>;
}

/** `expect` of a value of the type `any`, such as `response.json()`: there Playwright's types leave out matchers of others. */
type ExpectAny = <T>(
  actual: 0 extends 1 & T ? T : never,
  messageOrOptions?: string | { message?: string },
  // biome-ignore lint/suspicious/noExplicitAny: it is about just that
) => ReturnType<typeof baseExpect<any>> & SchemaMatcher & { not: SchemaMatcher };

type OwnExpect = ExpectAny &
  Expect<{
    toMatchSchema(received: unknown, schema: string | object): Promise<{ pass: boolean; message: () => string }>;
  }>;

/** Playwright's `expect` with one more matcher: whether a response or a value fits a JSON Schema. */
export const expect = baseExpect.extend({
  /**
   * @param received a response, a value, or a promise of either
   * @param schema a JSON Schema, or the path of one: `assessment-api-conformance/schemas/` and the name of one of this
   *   package, or relative to the test's file or the working directory, or absolute
   */
  async toMatchSchema(received: unknown, schema: string | object) {
    const value = (await received) as APIResponse | null | undefined;
    const text = typeof value?.json === 'function' ? await value.text() : JSON.stringify(value);
    const [what, object] =
      typeof schema === 'string' ? [schema, schemaAt(schema, base.info().file)] : ['the schema', schema];
    const problems = problemsWith(text, object);
    return {
      pass: problems.length === 0,
      message: () =>
        problems.length === 0
          ? `It fits ${what}, and should not.`
          : `It does not fit ${what}:\n  ${problems.join('\n  ')}`,
    };
  },
}) as OwnExpect;

/** How paths of the schemas that this package publishes begin. */
const PUBLISHED = `${suite.name}/schemas/`;
const MOST_PROBLEMS = 10;

/**
 * Reads a JSON Schema.
 * @param path of one that this package publishes, or of a file: beside the test, below the working directory, or absolute
 * @param testFile path of the test's own file
 * @throws Error one sentence, if there is no such file or no JSON object in it
 */
function schemaAt(path: string, testFile: string): object {
  const places = path.startsWith(PUBLISHED)
    ? [join(root, 'schemas', path.slice(PUBLISHED.length))]
    : [...new Set([resolve(dirname(testFile), path), resolve(path)])];
  const file = places.find(existsSync);
  if (file === undefined) {
    const published = `Those of this package are called ${PUBLISHED}webhook-settings.schema.json and the like.`;
    throw new Error(`There is no schema ${path}: it was looked for at ${places.join(' and ')}. ${published}`);
  }
  const schema = parsed(textIn(file, MOST_BYTES.file));
  if (typeof schema !== 'object' || schema === null) throw new Error(`The schema ${file} is no JSON object.`);
  return schema;
}

/**
 * Returns what is wrong with a document, a line for each place; none if it fits.
 * @param text the document as JSON; `undefined` where a value has no JSON
 * @throws Error one sentence, if the schema is none
 */
function problemsWith(text: string | undefined, schema: object): string[] {
  const document = parsed(text);
  if (document === undefined) return ['it is no JSON'];
  let errors: ReturnType<ReturnType<typeof errorsAgainst>>;
  try {
    // The user's schema may itself be wrong, so it is checked, too.
    errors = errorsAgainst(schema, { allErrors: true, strict: false, validateSchema: true })(document);
  } catch (error) {
    throw new Error(`The schema cannot be used: ${(error as Error).message}.`);
  }
  const problems = errors.map(({ instancePath, message, params }) => {
    const also = 'additionalProperty' in params ? ` (${params.additionalProperty})` : '';
    return `${instancePath || 'the document'}: ${message}${also}`;
  });
  return [...new Set(problems)].slice(0, MOST_PROBLEMS);
}

/** Returns the value of a JSON text; `undefined` if it is none. */
function parsed(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
}

/** Tests of the user's own import this file instead of `@playwright/test`, so that Playwright never holds a secret. */
import type * as Playwright from '@playwright/test';
import type { OwnBegun, OwnEnded, OwnNews } from './own-tests/proxy';
import { ask, EVIDENCE, PROBLEM, plain, playwright, serviceOfRun } from './playwright/client';

const { test: base, request } = playwright;

/** Playwright's own, of the copy that runs the tests. */
export const expect: Playwright.Expect = playwright.expect;

/** The API under test. A path is resolved as Playwright does: `webhooks` stands below the base URL, `/webhooks` below the host. */
export interface Api {
  /** Names of the target's accounts. */
  readonly accounts: readonly string[];
  /** Whether the embedded reference server is under test. */
  readonly embedded: boolean;
  /** Sends requests without a key. */
  readonly anonymous: Playwright.APIRequestContext;
  /** Returns a context that sends an account's key, within its rate. @throws if the target has no such account */
  as(account: string): Playwright.APIRequestContext;
}

type ContextOptions = NonNullable<Parameters<Playwright.APIRequest['newContext']>[0]>;

/** Playwright's `test` with the API under test as the fixture `api`. */
export const test: ReturnType<typeof Playwright.test.extend<{ api: Api }>> = base.extend<{ api: Api }>({
  api: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright wants a pattern
    async ({}, use, testInfo) => {
      const test = { name: testInfo.titlePath.slice(1).join(' › '), project: testInfo.project.name };
      const begun = await ask<OwnBegun, OwnNews>('own', test, withoutWaits(testInfo));
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
      const own = new Map<string, Playwright.APIRequestContext>();
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
      const { evidence, problems } = await ask<OwnEnded>('own-end', { name: id });
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
function withoutWaits(testInfo: Playwright.TestInfo): (news: OwnNews) => void {
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

/** What the judges do in cases that no server of the catalogue shows: small mistakes in them would go unnoticed. */
import { expect, test } from '@playwright/test';
import type { Evidence } from '../../../src/evidence/model';
import { isRefused } from '../../../src/evidence/responder/classify';
import { usualSettings } from '../../../src/evidence/settings-reads';
import { ruleOf } from '../../../src/profiles/rules';
import { evidenceOf } from '../support/evidence-of';
import { evidenceIn, rowsOf } from '../support/table';

const breachesOf = (clause: string, evidence: Evidence) => ruleOf(clause).judge(evidence).breaches;

for (const [cacheControl, vary, breaches] of rowsOf(`
  public, max-age=60   | none           | 1
  s-maxage=60          | none           | 1
  public               | Accept         | 1
  public               | Accept, APIKEY | 0
  public               | *              | 0
  public, no-store     | none           | 0
  private, max-age=60  | none           | 0
  x-public-x=1         | none           | 0
`))
  test(`a shared cache may serve to others what is ${cacheControl} and varies by ${vary}`, () => {
    const lines = `"Cache-Control=${cacheControl}" ${vary === 'none' ? '' : `"Vary=${vary}"`}`;
    expect(breachesOf('auth.not-publicly-cacheable', evidenceIn(lines))).toHaveLength(Number(breaches));
  });

for (const [baseURL = '', breaches] of rowsOf(`
  http://localhost:8080/v2    | 0
  http://api.localhost/v2     | 0
  http://127.0.0.1:8080/v2    | 0
  http://127.1.2.3/v2         | 0
  http://[::1]:8080/v2        | 0
  https://api.example/v2      | 0
  http://api.example/v2       | 1
  http://[::2]/v2             | 1
  http://10.0.0.1/v2          | 1
  http://localhost.example/v2 | 1
  http://127.example/v2       | 1
`))
  test(`the key can be read on the way to ${baseURL}: ${breaches}`, () => {
    expect(breachesOf('transport.https', evidenceIn('', { baseURL }))).toHaveLength(Number(breaches));
  });

test('what an account usually gets is what agrees with its declaration, however seldom it comes', () => {
  const settings = (url: string) => JSON.stringify({ webhook: { start: { status: true, url } } });
  const [declared, foreign] = ['https://hooks.example/alice', 'https://hooks.example/bob'];
  const accounts = [{ name: 'alice', passwordDeclared: false, settings: { start: { url: declared } } }];
  const reads = [foreign, foreign, foreign, declared].map((url) => ({ body: settings(url) }));
  expect(usualSettings(evidenceOf(reads, { accounts }), 'alice')).toContain(declared);
  expect(usualSettings(evidenceOf(reads), 'alice')).toContain(foreign);
});

test('only a request with a valid key is refused: a 429 to a wrong one is a rejection', () => {
  const evidence = evidenceIn('429; - 429 unknown-key');
  expect(evidence.exchanges.map((exchange) => isRefused(exchange, evidence))).toEqual([true, false]);
});

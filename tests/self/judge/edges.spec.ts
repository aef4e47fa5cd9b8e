/** What the judges do in cases that no server of the catalogue shows: small mistakes in them would go unnoticed. */
import { expect, test } from '@playwright/test';
import { probe } from '../../../src/catalogue/probe';
import type { Evidence } from '../../../src/evidence/model';
import { isRefused } from '../../../src/evidence/responder/classify';
import { usualSettings } from '../../../src/evidence/settings-reads';
import { ruleOf } from '../../../src/profiles/rules';
import { evidenceOf } from '../support/evidence-of';

const breachesOf = (clause: string, evidence: Evidence) => ruleOf(clause).judge(evidence).breaches;

for (const [cacheControl, vary, breaches] of [
  ['public, max-age=60', null, 1],
  ['s-maxage=60', null, 1],
  ['public', 'Accept', 1],
  ['public', 'Accept, APIKEY', 0],
  ['public', '*', 0],
  ['public, no-store', null, 0],
  ['private, max-age=60', null, 0],
  ['x-public-x=1', null, 0],
] as const)
  test(`a shared cache may serve to others what is ${cacheControl} and varies by ${vary}`, () => {
    const lines = [['Cache-Control', cacheControl] as const, ...(vary ? [['Vary', vary] as const] : [])];
    expect(breachesOf('auth.not-publicly-cacheable', evidenceOf([{ headers: lines }]))).toHaveLength(breaches);
  });

for (const [baseURL, breaches] of [
  ['http://localhost:8080/v2', 0],
  ['http://api.localhost/v2', 0],
  ['http://127.0.0.1:8080/v2', 0],
  ['http://127.1.2.3/v2', 0],
  ['http://[::1]:8080/v2', 0],
  ['https://api.example/v2', 0],
  ['http://api.example/v2', 1],
  ['http://[::2]/v2', 1],
  ['http://10.0.0.1/v2', 1],
  ['http://localhost.example/v2', 1],
  ['http://127.example/v2', 1],
] as const) {
  test(`the key can be read on the way to ${baseURL}: ${breaches > 0 ? 'yes' : 'no'}`, () => {
    expect(breachesOf('transport.https', evidenceOf([], { baseURL }))).toHaveLength(breaches);
  });
}

test('what an account usually gets is what agrees with its declaration, however seldom it comes', () => {
  const settings = (url: string) => JSON.stringify({ webhook: { start: { status: true, url } } });
  const [declared, foreign] = ['https://hooks.example/alice', 'https://hooks.example/bob'];
  const accounts = [{ name: 'alice', passwordDeclared: false, settings: { start: { url: declared } } }];
  const reads = [foreign, foreign, foreign, declared].map((url) => ({ body: settings(url) }));
  expect(usualSettings(evidenceOf(reads, { accounts }), 'alice')).toContain(declared);
  expect(usualSettings(evidenceOf(reads), 'alice')).toContain(foreign);
});

test('only a request with a valid key is refused: a 429 to a wrong one is a rejection', () => {
  const evidence = evidenceOf([{ status: 429 }, { status: 429, account: null, probe: probe('unknown-key') }]);
  expect(evidence.exchanges.map((exchange) => isRefused(exchange, evidence))).toEqual([true, false]);
});

/** What a message says where the server contradicts a declaration, which may be the one that is wrong. */
import { expect, test } from '@playwright/test';
import { probe } from '../../../src/catalogue/probe';
import type { AccountFacts, Evidence, Exchange } from '../../../src/evidence/model';
import { ruleOf } from '../../../src/judge/rules';
import { cameIn } from '../support/evidence-of';

const BASE = 'http://127.0.0.1/api/v2';

function read(webhook: unknown): Exchange {
  return {
    index: 0,
    probe: probe('read', { account: 'alice' }),
    account: 'alice',
    request: { method: 'GET', url: `${BASE}/webhooks`, headers: [] },
    response: { status: 200, statusText: 'OK', headers: [], body: JSON.stringify({ webhook }), bodyEncoding: 'utf8' },
    fault: null,
    sentAtMs: 0,
    receivedAtMs: 1,
    connection: 1,
  };
}

/** What came, as a rule tells it of one read of alice. */
function cameOf(id: string, facts: Partial<AccountFacts>, webhook: unknown): string[] {
  const target = { baseURL: BASE, accounts: [{ name: 'alice', passwordDeclared: false, ...facts }] };
  const evidence = { target, exchanges: [read(webhook)], notSent: [] } as unknown as Evidence;
  return ruleOf(id).judge(evidence).breaches.map(cameIn);
}

test('hasPassword is compared with what is declared to be stored', () => {
  const webhook = (hasPassword: boolean) => ({ auth: { basic: { hasPassword } } });
  expect(cameOf('settings.has-password-stored', { hasPassword: true }, webhook(false))).toEqual([
    'auth.basic.hasPassword: false for alice, which is declared to have a password stored',
  ]);
  expect(cameOf('settings.has-password-not-stored', { hasPassword: false }, webhook(true))).toEqual([
    'auth.basic.hasPassword: true for alice, which is declared to have no password stored',
  ]);
});

test('a setting is shown as it is served and as it is declared', () => {
  const settings = { auth: { type: 'basic' } };
  expect(cameOf('settings.as-configured', { settings }, { auth: { type: 'apikey' } })).toEqual([
    'auth.type: "apikey" to alice, for which "basic" is declared',
  ]);
});

test('every setting that is not as declared is told at once', () => {
  const settings = { start: { status: false }, auth: { type: 'basic', basic: { username: 'bob' } } };
  const served = { start: { status: true }, auth: { type: 'apikey', basic: { username: 'alice' } } };
  expect(cameOf('settings.as-configured', { settings }, served)).toEqual([
    'start.status: true to alice, for which false is declared',
    'auth.type: "apikey" to alice, for which "basic" is declared',
    'auth.basic.username: "alice" to alice, for which "bob" is declared',
  ]);
});

test('a leaked password is called declared where it is', () => {
  const webhook = { auth: { basic: { password: '[secret:password:alice]' } } };
  expect(cameOf('settings.password-absent', { passwordDeclared: true }, webhook)).toEqual([
    'auth.basic.password: the declared password of alice',
  ]);
  expect(cameOf('settings.password-absent', { passwordDeclared: false }, webhook)).toEqual([
    'auth.basic.password: the stored password of alice',
  ]);
});

/** Basic credentials of deliveries: as `user:account` what they may tell, and what is looked for elsewhere from then on. */
import { expect, test } from '@playwright/test';
import type { Account } from '../../../src/config/target';
import { basicCredentialsOf } from '../../../src/recorder/masking';

const PASSWORD = 'pass:wörd-4711';
const ACCOUNTS: Account[] = [
  { name: 'alice', apiKey: 'any-key-4711', password: PASSWORD },
  { name: 'zoe', apiKey: 'zoes-key-4711' },
];
const PASSWORDS: Record<string, string> = {
  '[secret:password:alice]': 'alice',
  '[secret:password:(undeclared)]': '?',
};
const basic = (text: string, encoding: BufferEncoding = 'utf8') =>
  `Basic ${Buffer.from(text, encoding).toString('base64')}`;

for (const [what, lines, told, soughtWord = null] of [
  ['a declared password', [basic(`bob:${PASSWORD}`)], ['bob:alice', 'bob:?']],
  ['in Latin-1', [basic(`bob:${PASSWORD}`, 'latin1').replace('Basic ', 'bAsIc  ')], ['bob:alice', 'bob:?']],
  ['after a username with a colon', [basic(`b:c:${PASSWORD}`)], ['b:c:alice', 'b:?']],
  ['a username in Latin-1', [basic('böb:secret', 'latin1')], ['böb:?']],
  ['the ending of another', [basic(`bobx${PASSWORD}`)], ['bobxpass:?'], 'wörd-4711'],
  ['one of eight bytes', [basic('bob:12345678')], ['bob:?'], '12345678'],
  ['one of seven', [basic('bob:1234567')], ['bob:?']],
  ['none', [basic('bob:')], ['bob:']],
  ['one that is none', [basic('bob:[object Object]')], ['bob:[object Object]']],
  ['no username', [basic(':12345678')], [':?'], '12345678'],
  ['no colon', [basic('bob')], []],
  ['base64 that is cut', ['Basic Ym9iOmE'], []],
  ['another scheme', [basic('bob:12345678').replace('Basic', 'Bearer')], []],
  ['two lines', [basic('bob:a'), basic('bob:a')], []],
] as ReadonlyArray<[string, string[], string[], string?]>)
  test(`Basic credentials with ${what}`, () => {
    const headers = [['Host', 'x'] as const, ...lines.map((line) => ['AUTHORIZATION', line] as const)];
    const { credentials, undeclared } = basicCredentialsOf(headers, ACCOUNTS);
    expect(credentials.map(({ username, password }) => `${username}:${PASSWORDS[password] ?? password}`)).toEqual(told);
    expect(undeclared).toBe(soughtWord);
  });

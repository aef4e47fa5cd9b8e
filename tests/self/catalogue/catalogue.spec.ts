/** One record describes a group of probes: names, requests and words follow from it. */
import { expect, test } from '@playwright/test';
import {
  catalogue,
  formsOf,
  groups,
  nameOf,
  needs,
  plannedWrongKeys,
  planOf,
  probe,
  probeNamed,
  standsFor,
} from '../../../src/catalogue/catalogue';
import { madeUpLike } from '../../../src/catalogue/made-up-keys';

test('every name is read as the probe that it names', () => {
  for (const group of groups) {
    const whole = probe(group, {
      ...(catalogue[group].parts.includes('account') ? { account: 'alice' } : {}),
      ...(catalogue[group].parts.includes('trial') ? { trial: 2 } : {}),
      ...(catalogue[group].parts.includes('form') ? { form: Object.keys(catalogue[group].forms)[0] ?? 'a' } : {}),
    });
    expect(probeNamed(nameOf(whole)), nameOf(whole)).toEqual(whole);
    expect(probeNamed(`${nameOf(whole)}/more/parts`) === null, group).toBe(group !== 'keyless');
  }
  const repeated = probeNamed('keyless/all/2/altered-key/alice/first-half');
  expect(repeated && standsFor(repeated)).toEqual(probe('altered-key', { account: 'alice', form: 'first-half' }));
});

test('what a group builds on is a group that a clause can need, and comes along', () => {
  for (const need of needs) {
    const { buildsOn = need } = catalogue[need];
    expect(needs).toContain(buildsOn);
    expect([...planOf([need])]).toEqual(expect.arrayContaining([need, buildsOn]));
  }
});

const keysOf = (alice: string, bob: string) => ({
  accounts: [
    { name: 'alice', apiKey: alice },
    { name: 'bob', apiKey: bob },
  ],
  baseURL: 'https://api.example/v2',
  isRiskAllowed: true,
  valid: (account: string) => `valid ${account}`,
  derived: (account: string, form: string) => `${form} of ${account}`,
});

test('every wrong key is tried with the key of every account', () => {
  const planned = plannedWrongKeys(keysOf('Aa1bB2cC3dD4eE5f', 'Bb1bB2cC3dD4eE5f'), planOf(needs));
  const formsWith = (name: string) =>
    planned.flatMap(({ probe: { group, account, form } }) => (account === name ? `${group}/${form}` : [])).sort();
  const forms = (['altered-key', 'other-carrier'] as const).flatMap((group) =>
    Object.keys(catalogue[group].forms).map((form) => `${group}/${form}`),
  );
  expect(formsWith('alice')).toEqual([...forms, 'key-in-url/'].sort());
  expect(formsWith('bob')).toEqual(formsWith('alice'));
  for (const { probe: sent, path, headers } of planned)
    if (sent.group === 'other-carrier' || sent.group === 'key-in-url')
      expect(`${path} ${headers?.flat().join(' ')}`).toMatch(new RegExp(`(?:valid|percent of) ${sent.account}`));
});

test('numbered keys without their last character are one wrong key, sent once', () => {
  const planned = plannedWrongKeys(keysOf('team-key-0001', 'team-key-0002'), planOf(['altered-key']));
  const sent = planned.filter((request) => request.probe.group === 'altered-key').map(({ probe }) => nameOf(probe));
  const both = ['case-swapped', 'character-appended', 'last-character-changed'];
  expect(sent.sort()).toEqual(
    [
      ...['alice', 'bob'].flatMap((name) => both.map((form) => `altered-key/${name}/${form}`)),
      ...['first-half', 'last-character-dropped'].map((form) => `altered-key/alice/${form}`),
    ].sort(),
  );
});

test('the most telling wrong keys are sent first, the risky ones only where allowed', () => {
  const keys = keysOf('a1B2c3D4e5F6', '0f1e2d3c4b5a');
  const names = (isRiskAllowed: boolean) =>
    plannedWrongKeys({ ...keys, isRiskAllowed }, new Set(needs)).map(({ probe }) => nameOf(probe));
  const sent = names(true);
  const first = ['missing-key', 'altered-key/alice/case-swapped', 'other-carrier/alice/authorization-bearer'];
  expect(sent.slice(0, 4)).toEqual([...first, 'other-carrier/alice/x-api-key']);
  const risky = sent.filter((name) => !names(false).includes(name));
  expect(risky.every((name) => /^(?:every-method\/(?!HEAD|OPTIONS)|key-in-url\/)/.test(name))).toBe(true);
  expect(risky).toHaveLength(6);
});

test('a key without letters has no other letter case, and none of its forms is another account’s key', () => {
  const forms = (apiKey: string, other = 'x') =>
    formsOf('altered-key', keysOf(apiKey, other), 'alice').map(({ probe: { form } }) => form);
  expect(forms('12345678')).not.toContain('case-swapped');
  expect(forms('12345678', '1234')).not.toContain('first-half');
  expect(forms('1')).not.toContain('last-character-dropped');
  expect(forms('aB')).toHaveLength(5);
});

test('a key in base64 is altered before its padding, without which it spells the same key', () => {
  for (const key of ['c2VjcmV0LWtleS0x', 'c2VjcmV0LWtleS0xMg==', 'c2VjcmV0LWtleS0xMjM=']) {
    const sent: string[] = [];
    const keys = { ...keysOf(key, 'x'), derived: (_: string, __: string, value: string) => String(sent.push(value)) };
    formsOf('altered-key', keys, 'alice');
    const bytes = sent.map((value) => Buffer.from(value, 'base64').toString());
    expect(bytes.slice(0, 2)).not.toContain(Buffer.from(key, 'base64').toString());
  }
});

for (const [key, form] of [
  ['sk_live_4eC39HqLyjWDarjtT1zdp7dc', /^sk_live_[A-Za-z0-9]{24}$/],
  ['acme-prod-0123456789abcdef', /^acme-prod-[0-9a-f]{16}$/],
  ['c0ffee-254729296a45a388', /^[0-9a-f]{6}-[0-9a-f]{16}$/],
  ['abcdefgh-ijklmnop', /^[a-z]{8}-[a-z]{8}$/],
  ['~~!!--~~', /^~~!!--~~[0-9a-f]{16}$/],
] as const) {
  test(`a made-up key looks as ${key}`, () => {
    const made = madeUpLike(key);
    expect(made).toMatch(form);
    expect(made).not.toBe(key);
  });
}

/** Markers of a secret's other forms; and words that the server says to everyone, which tell nobody a secret. */
import { expect, test } from '@playwright/test';
import { isCommonWord } from '../../../src/judge/leaks';
import { isTheSecret } from '../../../src/redaction/markers';
import { evidenceOf, found, serving } from '../support/evidence-of';

test('a key in another letter case is not the key itself', () => {
  const forms = [undefined, 'word', 'base64', 'hex', 'other-case', 'base64:other-case', 'case-swapped'];
  expect(forms.map(isTheSecret)).toEqual([true, true, true, true, false, false, false]);
});

const word = { kind: 'password', name: 'alice', form: 'word' };
const body = '{"service":"[secret:password:alice:word]"}';

test('a word that others are told is the server’s own, unless their request held it', () => {
  const request = { method: 'GET', url: 'https://a.example/v2/webhooks?[secret:password:alice]', headers: [] };
  for (const [account, more, isAll] of [
    ['alice', {}, false],
    ['bob', {}, true],
    [null, {}, true],
    [null, { request }, false],
  ] as const) {
    const evidence = evidenceOf([{ account, body, ...more }]);
    expect([isCommonWord(word, evidence), isCommonWord({ ...word, form: undefined }, evidence)]).toEqual([
      isAll,
      false,
    ]);
  }
});

test('a word within an address of the settings is no leak, and a password there is one', () => {
  const target = { accounts: [{ name: 'alice', passwordDeclared: true }] };
  const told = (marker: string) =>
    found('settings.password-absent', evidenceOf([serving({ start: { url: `https://${marker}.example/` } })], target));
  expect(told('hooks.[secret:password:alice:word]')).toEqual([]);
  expect(told('hooks.[secret:password:alice]')).toHaveLength(1);
});

/** How a delivery is known by its address, and a delivered text by the one that was served. */
import { expect, test } from '@playwright/test';
import { addressOf, isSame } from '../../../src/events/addresses';
import { markerOf } from '../../../src/redaction/markers';

for (const [one, other, same] of [
  ['/hooks/start', '/hooks/start', true],
  ['/a%20b', '/a b', true],
  ['/%7Ea', '/~a', true],
  ['/a%2Fb', '/a/b', false],
  ['/a%2fb', '/a%2Fb', true],
  ['/a%2Fb', '/a%252Fb', false],
  ['/100%', '/100%25', true],
  ['/a/../b', '/b', true],
  ['/a?x=%41', '/a?x=A', true],
  ['/a?x=1&y=2', '/a?y=2&x=1', false],
  ['/a?x=1?2', '/a?x=1%3F2', true],
  ['/a?', '/a', true],
  ['/%zz', '/%zz', true],
  ['*', '/*', false],
] satisfies [string, string, boolean][]) {
  test(`${one} and ${other} are ${same ? 'one address' : 'two addresses'}`, () => {
    expect(addressOf(one) === addressOf(other)).toBe(same);
  });
}

test('what is no path is an address as it stands', () => {
  expect(addressOf('*')).toBe('*');
});

const short = markerOf('password', 'alice');
const word = markerOf('password', 'alice', 'part');
const encoded = markerOf('password', 'alice', 'base64');

for (const [what, delivered, served, same] of [
  ['the same text', 'start', 'start', true],
  ['another text', 'start', 'stop', false],
  ['text that would be a pattern', 'a.c', 'abc', false],
  ['a secret of one character', `a${short}z`, 'a1z', true],
  ['a secret of seven', `a${short}z`, 'a1234567z', true],
  ['a secret of eight', `a${short}z`, 'a12345678z', false],
  ['no secret at all', `a${short}z`, 'az', false],
  ['a secret at the end', `a${short}`, 'a1234567', true],
  ['a word that is a secret by chance', `a${word}z`, 'a12z', true],
  ['the longest word', `a${word}z`, `a${'w'.repeat(7)}z`, true],
  ['what is longer than any word', `a${word}z`, `a${'w'.repeat(8)}z`, false],
  ['an encoded secret', `a${encoded}z`, 'a12z', false],
  ['the marker itself', `a${encoded}z`, `a${encoded}z`, true],
  ['a marker that both have, and one that is in clear', `${encoded}-${short}`, `${encoded}-12`, true],
  ['several secrets', `${short}-${short}`, '12-34', true],
  ['other text behind it', `${short}-z`, '12-y', false],
  ['other text before it', `a${short}`, 'b12', false],
  ['more behind it', `${short}-z`, '12-zz', false],
  ['fifty markers', short.repeat(50), '1'.repeat(50), true],
  ['more than fifty', short.repeat(51), '1'.repeat(51), false],
] satisfies [string, string, string, boolean][]) {
  test(`a delivered text ${same ? 'equals' : 'does not equal'} a served one: ${what}`, () => {
    expect(isSame(delivered, served)).toBe(same);
  });
}

/** How a delivery is known by its address, and a delivered text by the one that was served. */
import { expect, test } from '@playwright/test';
import { addressOf, isSame } from '../../../src/events/deliveries';
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

const short = markerOf('password', 'alice');

for (const [what, delivered, served, same] of [
  ['the same', '/a\nk=1', '/a\nk=1', true],
  ['a short secret', `/a\nk=${short}`, '/a\nk=123456789012345', true],
  ['a longer text', `/a\nk=${short}`, '/a\nk=1234567890123456', false],
  ['no value', `/a\nk=${short}`, '/a\nk=', false],
  ['another parameter', `/a\nk=${short}`, '/a\nj=1', false],
  ['one more', `/a\nk=${short}`, '/a\nk=1\nj=1', false],
  ['in a path', `/${short}`, '/a', false],
] satisfies [string, string, string, boolean][]) {
  test(`a delivered address ${same ? 'equals' : 'does not equal'} a served one: ${what}`, () => {
    expect(isSame(delivered, served)).toBe(same);
  });
}

/** What no server has: keys that look valid and are not, and a path that does not exist. */
import { randomBytes, randomInt } from 'node:crypto';

/** Matches what many issuers put before the random part of a key, such as `sk_live_`. */
const PREFIX = /^(?:[a-z]{2,10}[_-]){1,3}(?=.{16})/i;

/** Returns a random key with the prefix, length and characters of a valid one, so that no check of form rejects it. */
export function madeUpLike(key: string): string {
  const [prefix = ''] = PREFIX.exec(key) ?? [];
  const secret = key.slice(prefix.length);
  const lower = /[g-z]/.test(secret) ? 'abcdefghijklmnopqrstuvwxyz' : 'abcdef';
  const upper = /[G-Z]/.test(secret) ? 'ABCDEFGHIJKLMNOPQRSTUVWXYZ' : 'ABCDEF';
  const made = secret.replace(/[0-9a-z]/gi, (character) => {
    const alphabet = /\d/.test(character) ? '0123456789' : /[a-z]/.test(character) ? lower : upper;
    return alphabet.charAt(randomInt(alphabet.length));
  });
  // A key of a few letters, or of signs alone, may come out as the valid one.
  return made === secret ? prefix + made + randomBytes(8).toString('hex') : prefix + made;
}

const HEXADECIMAL = '0123456789abcdef';
const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Returns a key with another last character of the same kind. Without its padding alone, base64 spells the same key. */
export function withAnotherLast(key: string): string {
  const [padding = ''] = /=*$/.exec(key) ?? [];
  const plain = key.slice(0, key.length - padding.length);
  const isHexadecimal = (alphabet: string) => [...plain].every((each) => each === '-' || alphabet.includes(each));
  const alphabet = [HEXADECIMAL, HEXADECIMAL.toUpperCase()].find(isHexadecimal) ?? BASE64;
  const value = alphabet.indexOf(plain.at(-1) ?? '');
  // Half an alphabet away, a high bit differs: decoders of base64 drop low ones.
  const other = value < 0 ? 'x' : alphabet.charAt((value + alphabet.length / 2) % alphabet.length);
  return plain.slice(0, -1) + other + padding;
}

/** Returns a path below the base URL that does not exist. */
export function noSuchPath(): string {
  return `/no-such-path-${randomBytes(4).toString('hex')}`;
}

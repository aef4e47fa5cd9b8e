/** Small things about texts. */
import { isUtf8 } from 'node:buffer';

/** Returns at most `length` characters of a text. A text that is cut ends with `…`. */
export function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}

/** Such as "1 request" or "2 requests". */
export function plural(count: number, noun: string, nouns = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : nouns}`;
}

/** Such as "a", "a and b" or "a, b and c". */
export function listed(items: Iterable<string>, conjunction: 'and' | 'or' = 'and'): string {
  const [last = '', ...before] = [...items].reverse();
  return before.length === 0 ? last : `${before.reverse().join(', ')} ${conjunction} ${last}`;
}

/** Decodes bytes as UTF-8, or as Latin-1 if they are not UTF-8. */
export function utf8OrLatin1(bytes: Buffer): string {
  return bytes.toString(isUtf8(bytes) ? 'utf8' : 'latin1');
}

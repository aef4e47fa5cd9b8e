/** Small things about texts, lists and digests. */
import { isUtf8 } from 'node:buffer';
import { createHash, timingSafeEqual } from 'node:crypto';

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

/** Returns the texts that are neither absent nor empty. */
export function compact(...parts: Array<string | false | null | undefined>): string[] {
  return parts.flatMap((part) => part || []);
}

/** Decodes bytes as UTF-8, or as Latin-1 if they are not UTF-8. */
export function utf8OrLatin1(bytes: Buffer): string {
  return bytes.toString(isUtf8(bytes) ? 'utf8' : 'latin1');
}

/** Returns a text that is safe to show: control characters become pictures. All output goes through this. */
export function visible(text: string): string {
  // Most texts are plain, and one test is cheaper than four replacements.
  if (!/[^\t\n -~]|::|##/.test(text)) return text;
  return (
    inert(text.replace(/\r\n?/g, '\n'))
      .replace(/\p{Cs}|[\ufffe\uffff]/gu, '\ufffd')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
      .replace(/[\x00-\x08\x0b-\x1f]/g, (control) => String.fromCharCode(0x2400 + control.charCodeAt(0)))
      .replace(/[\x7f-\x9f]/g, '\u2421')
  );
}

/** As `visible`, but colours stay. No text turns the direction of writing or commands a CI server. */
export function inert(text: string): string {
  return text
    .replace(/[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, escaped)
    .replace(COMMAND, (begins) => `${begins[0]}\u200b${begins.slice(1)}`);
}

/** Returns the JSON of a value, with everything escaped that a terminal or a CI server could obey. */
export function visibleJson(value: unknown, indent = 2): string {
  const text = JSON.stringify(value, null, indent).replace(COMMAND, (begins) => escaped(begins) + begins.slice(1));
  return inert(text.replace(/[\x7f-\x9f]/g, escaped));
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Matches commands of GitHub, Azure Pipelines and TeamCity anywhere, since lines may be broken anywhere. */
const COMMAND = /::(?=[a-z][a-z_-]{0,40}(?:\s|::|$))|##(?=\[|vso\[|teamcity\[)/gi;

/** Groups values by their key. Groups, and the values in each, keep their order. */
export function groupedBy<Value, Key>(values: Iterable<Value>, keyOf: (value: Value) => Key): Map<Key, Value[]> {
  const groups = new Map<Key, Value[]>();
  for (const value of values) {
    const key = keyOf(value);
    const group = groups.get(key);
    if (group) group.push(value);
    else groups.set(key, [value]);
  }
  return groups;
}

/** Returns the SHA-256 of bytes, or of a text's UTF-8, as hexadecimal digits. */
export function sha256Of(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

/** Returns the same with the name of the algorithm before it. */
export function digestOf(content: string | Uint8Array): string {
  return `sha256:${sha256Of(content)}`;
}

/** Whether two secrets are equal, in a time that does not depend on where they differ. */
export function isSameSecret(presented: string, issued: string): boolean {
  return timingSafeEqual(Buffer.from(sha256Of(presented)), Buffer.from(sha256Of(issued)));
}

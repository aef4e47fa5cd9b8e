/** Decodes the escapes of JSON, JavaScript, URLs and HTML, so that a text can be compared however it is written. */
import { codePointOf } from './html-names';

/** One escape in a text. Each character of the text is a byte. */
export interface Escape {
  index: number;
  length: number;
  /** What it stands for, each character a byte; never longer than the escape. */
  bytes: string;
}

/**
 * With the groups that `meaningOf` reads. Each group is bounded, so that search time grows linearly with the text.
 * `%41` `%u0041` `\u{41}` `\u0041` `\x41` `\101` `\n` `&#65;` `&#x41;` (the semicolon may be missing) `&amp;`
 */
const FORMS = [
  // A surrogate pair: two halves of one character.
  '(?:%[uU]|\\\\u)([dD][89abAB]HH)(?:%[uU]|\\\\u)([dD][c-fC-F]HH)',
  '(?:%[uU]|\\\\u)(HHHH)',
  '\\\\u\\{(H{1,6})\\}',
  '(?:%|\\\\x)(HH)',
  '\\\\([0-3][0-7]{0,2}|[4-7][0-7]?)',
  '\\\\(["\\\\/\'bfnrtv])',
  // Numbers may have leading zeros.
  '&#[xX](H{1,16});?',
  '&#([0-9]{1,16});?',
  '&([A-Za-z0-9]{1,9});',
].map((form) => form.replaceAll('H', '[0-9a-fA-F]'));
const ESCAPE = new RegExp(FORMS.join('|'), 'g');
const BEGINS_WITH_ESCAPE = new RegExp(`^(?:${FORMS.join('|')})`);
const LONGEST = 24;

/** The letters that JSON and JavaScript escape with a backslash. Any other character there stands for itself. */
const SHORT: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

/**
 * Yields the escapes of a text in order. Each character of the text is a byte.
 * @param isDeep whether an escape and the text behind it count as one if they form another escape, such as `%2541`
 */
export function* escapesIn(text: string, isDeep = false): Generator<Escape> {
  const search = new RegExp(ESCAPE);
  for (let found = search.exec(text); found; found = search.exec(text)) {
    let bytes = meaningOf(found);
    while (isDeep && (bytes === '%' || bytes === '\\' || bytes === '&')) {
      const next = BEGINS_WITH_ESCAPE.exec(bytes + text.slice(search.lastIndex, search.lastIndex + LONGEST));
      const meaning = next && meaningOf(next);
      if (meaning === null) break;
      search.lastIndex += (next?.[0].length ?? 1) - 1;
      bytes = meaning;
    }
    if (bytes !== null) yield { index: found.index, length: search.lastIndex - found.index, bytes };
  }
}

function meaningOf(found: ReadonlyArray<string | undefined>): string | null {
  const [, high, low, unit, braced, byte, octal, short, hex, decimal, name] = found;
  if (byte !== undefined) return String.fromCharCode(Number.parseInt(byte, 16));
  if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8));
  if (short !== undefined) return SHORT[short] ?? short;
  const digits = decimal ?? hex ?? braced ?? unit ?? high;
  const code = digits === undefined ? codePointOf(name ?? '') : Number.parseInt(digits, decimal ? 10 : 16);
  if (code === undefined) return null;
  if (low === undefined) return utf8Of(code);
  return utf8Of(0x10000 + ((code - 0xd800) << 10) + (Number.parseInt(low, 16) - 0xdc00));
}

/** The bytes of a code point, each as a character; empty where there is no such character. */
function utf8Of(code: number): string {
  return code > 0x10ffff ? '' : Buffer.from(String.fromCodePoint(code)).toString('latin1');
}

/** Returns a text with its escapes decoded once, twice and three times, for JSON in a URL or a URL in JSON. */
export function layersOf(text: string): string[] {
  const undone = (layer: string) => layer.replace(ESCAPE, (...found) => meaningOf(found) ?? found[0]);
  const first = undone(text);
  if (first === text) return [text];
  const second = undone(first);
  return [first, second, undone(second)];
}

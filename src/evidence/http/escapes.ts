/**
 * Reads the escapes of JSON and JavaScript, of URLs and of HTML. Which characters of a text are escaped is free, so a text
 * is compared as it stands and with the escapes of each kind read. In all texts here each character stands for one byte.
 */
import { codePointOf } from './html-names';

/** A text, perhaps with escapes read. */
export interface Reading {
  text: string;
  /** By character, where it begins in the source, and last where the source ends; `null` for the source itself. */
  places: Int32Array | null;
}

/** A kind of escape. The groups of its expression are bounded, so that the work grows linearly with the text. */
interface Kind {
  /** Each escape of the kind begins with it. */
  introducer: string;
  form: RegExp;
  /** Returns the bytes that an escape stands for, from the groups of the expression; `null` if it is none. */
  meaning(groups: ReadonlyArray<string | undefined>): string | null;
}

const withHexDigits = (source: string) => new RegExp(source.replaceAll('H', '[0-9a-fA-F]'), 'g');

/** The letters that JSON and JavaScript escape with a backslash. Any other character there stands for itself. */
const LETTERS: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

const KINDS: readonly Kind[] = [
  {
    introducer: '\\',
    // A surrogate pair, `\u0041`, `\u{41}`, `\x41`, `\n`.
    form: withHexDigits(
      String.raw`\\(?:[uU]([dD][89abAB]HH)\\[uU]([dD][c-fC-F]HH)|[uU](HHHH)|u\{(H{1,6})\}|x(HH)|(["\\/'bfnrtv]))`,
    ),
    meaning([high, low, unit, braced, byte, letter]) {
      if (letter !== undefined) return LETTERS[letter] ?? letter;
      if (high === undefined || low === undefined) return utf8Of(hexadecimal(unit ?? braced ?? byte));
      return utf8Of(0x10000 + ((hexadecimal(high) - 0xd800) << 10) + (hexadecimal(low) - 0xdc00));
    },
  },
  {
    introducer: '%',
    form: withHexDigits('%(HH)'),
    meaning: ([byte]) => String.fromCharCode(hexadecimal(byte)),
  },
  {
    introducer: '&',
    // `&#x41;` and `&#65;`, with or without the semicolon, and `&amp;`.
    form: withHexDigits('&(?:#[xX](H{1,8});?|#([0-9]{1,8});?|([A-Za-z0-9]{1,9});)'),
    meaning([hex, decimal, name = '']) {
      const code = hex ? hexadecimal(hex) : decimal ? Number(decimal) : codePointOf(name);
      return code === undefined ? null : utf8Of(code);
    },
  },
];

function hexadecimal(digits = ''): number {
  return Number.parseInt(digits, 16);
}

/** The bytes of a code point; empty where there is no such character. */
function utf8Of(code: number): string {
  return code > 0x10ffff ? '' : Buffer.from(String.fromCodePoint(code)).toString('latin1');
}

/** A line break behind a whole line of base64. It is no escape, but is read in the same way. */
const LINE_BREAK: Kind = {
  introducer: '\n',
  form: /\r?\n(?<=[A-Za-z0-9+/_-]{64}\r?\n)(?=[A-Za-z0-9+/_=-])/g,
  meaning: () => '',
};

/**
 * Yields a text as it stands, then with the escapes of one kind read, and of two kinds one after the other; each also
 * without the line breaks in base64.
 */
export function* readingsOf(text: string): Generator<Reading> {
  const source: Reading = { text, places: null };
  yield* unbroken(source);
  for (const outer of KINDS) {
    const once = read(source, outer);
    if (!once) continue;
    yield* unbroken(once);
    for (const inner of KINDS) {
      const twice = read(once, inner);
      if (twice) yield* unbroken(twice);
    }
  }
}

function* unbroken(reading: Reading): Generator<Reading> {
  yield reading;
  const joined = read(reading, LINE_BREAK);
  if (joined) yield joined;
}

/** Returns a text with the escapes of one kind read; `null` if it has none. */
function read({ text, places }: Reading, { introducer, form, meaning }: Kind): Reading | null {
  if (!text.includes(introducer)) return null;
  const placeOf = (index: number) => (places ? (places[index] ?? 0) : index);
  const parts: string[] = [];
  let read: Int32Array | null = null;
  let [at, length] = [0, 0];
  for (const found of text.matchAll(form)) {
    const [whole, ...groups] = found;
    const bytes = meaning(groups);
    if (bytes === null) continue;
    read ??= new Int32Array(text.length + 1);
    parts.push(text.slice(at, found.index), bytes);
    for (; at < found.index; at += 1, length += 1) read[length] = placeOf(at);
    for (let i = 0; i < bytes.length; i += 1, length += 1) read[length] = placeOf(at);
    at += whole.length;
  }
  if (!read) return null;
  parts.push(text.slice(at));
  for (; at <= text.length; at += 1, length += 1) read[length] = placeOf(at);
  return { text: parts.join(''), places: read.subarray(0, length) };
}

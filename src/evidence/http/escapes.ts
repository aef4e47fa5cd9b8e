/**
 * Reads the escapes of JSON and JavaScript, of URLs and of HTML. Which characters of a text are escaped is free, so a text
 * is compared as it stands and with the escapes of each kind read. All texts here are bytes.
 */
import { codePointOf } from './html-names';

/** A text, perhaps with escapes read. */
export class Reading {
  /** By stretch that the source holds as it is: where it begins here, and in the source. */
  private readonly begins: number[] = [];
  private readonly sourceBegins: number[] = [];

  constructor(
    public bytes: Buffer,
    private readonly source: Reading | null = null,
  ) {}

  /** Notes that from `index` on stands what stands in the source from `place` on. */
  note(index: number, place: number): void {
    const at = this.begins.at(-1) === index ? this.begins.length - 1 : this.begins.length;
    this.begins[at] = index;
    this.sourceBegins[at] = place;
  }

  /** Returns where a byte, or the end, stands in the text that was read. */
  placeOf(index: number): number {
    if (this.source === null) return index;
    let [low, high] = [0, this.begins.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.begins[middle] ?? 0) <= index) low = middle + 1;
      else high = middle;
    }
    return this.source.placeOf(index - (this.begins[low - 1] ?? 0) + (this.sourceBegins[low - 1] ?? 0));
  }
}

/**
 * Returns what the escape at a place stands for and how many bytes it takes, as `meant(code, length)`; `NONE` if none
 * begins there. It looks at a bounded number of bytes.
 */
type Parser = (bytes: Buffer, at: number) => number;

interface Kind {
  /** Each escape of the kind begins with it. */
  introducer: string;
  parse: Parser;
  /** Whether an escape stands for a byte, and not for a code point. */
  isByte?: boolean;
}

const NONE = -1;
/** No escape is longer. */
const LONGEST = 16;
const meant = (code: number, length: number) => code * LONGEST + length;
/** Stands for nothing: there is no such character. */
const NOTHING = 0x110000;

const LINE_FEED = 0x0a;
const HASH = 0x23;
const SEMICOLON = 0x3b;
const EQUALS = 0x3d;
const BACKSLASH = 0x5c;
const U = 0x75;
const X = 0x78;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
/** Makes a small letter of a capital, and no other letter of anything else. */
const small = (byte: number | undefined) => (byte ?? 0) | 0x20;

/** Returns 1 for each byte that an expression matches. */
const those = (expression: RegExp) =>
  new Uint8Array(256).map((_, byte) => (expression.test(String.fromCharCode(byte)) ? 1 : 0));
const IN_BASE64 = those(/[\w+/-]/);
const IN_NAMES = those(/[A-Za-z0-9]/);
const DIGITS = new Int8Array(256).fill(NONE);
for (const digit of '0123456789abcdefABCDEF') DIGITS[digit.charCodeAt(0)] = Number.parseInt(digit, 16);

/** How many digits below `base` stand at a place, `most` of them at most. */
function digitsAt(bytes: Buffer, at: number, most: number, base = 16): number {
  let count = 0;
  for (; count < most; count += 1) {
    const digit = DIGITS[bytes[at + count] ?? 0] ?? NONE;
    if (digit < 0 || digit >= base) break;
  }
  return count;
}

function numberAt(bytes: Buffer, at: number, digits: number, base = 16): number {
  let number = 0;
  for (let i = at; i < at + digits; i += 1) number = number * base + (DIGITS[bytes[i] ?? 0] ?? 0);
  return number;
}

/** Returns a number of just so many hexadecimal digits, or `NONE`. */
function hexAt(bytes: Buffer, at: number, digits: number): number {
  return digitsAt(bytes, at, digits) === digits ? numberAt(bytes, at, digits) : NONE;
}

/** What JSON and JavaScript escape with a backslash and one letter. Any other character there stands for itself. */
const LETTERS = new Map(
  ['b\b', 'f\f', 'n\n', 'r\r', 't\t', 'v\v', '""', '\\\\', '//', "''"].map(
    (pair) => [pair.charCodeAt(0), pair.charCodeAt(1)] as const,
  ),
);

/** A surrogate pair, `\u0041`, `\u{41}`, `\x41`, `\n`. */
const afterBackslash: Parser = (bytes, at) => {
  const next = bytes[at + 1] ?? 0;
  const letter = LETTERS.get(next);
  if (letter !== undefined) return meant(letter, 2);
  if (next === X) return meantIf(hexAt(bytes, at + 2, 2), 4);
  if (small(next) !== U) return NONE;
  const unit = hexAt(bytes, at + 2, 4);
  if (unit >> 10 === 0x36 && bytes[at + 6] === BACKSLASH && small(bytes[at + 7]) === U) {
    const low = hexAt(bytes, at + 8, 4);
    if (low >> 10 === 0x37) return meant(0x10000 + ((unit & 0x3ff) << 10) + (low & 0x3ff), 12);
  }
  if (unit >= 0 || next !== U || bytes[at + 2] !== OPEN_BRACE) return meantIf(unit, 6);
  const count = digitsAt(bytes, at + 3, 6);
  return count > 0 && bytes[at + 3 + count] === CLOSE_BRACE ? meant(numberAt(bytes, at + 3, count), count + 4) : NONE;
};

/** `&#x41;` and `&#65;`, with or without the semicolon, and `&amp;`. */
const afterAmpersand: Parser = (bytes, at) => {
  if (bytes[at + 1] !== HASH) {
    let end = at + 1;
    while (end < at + 10 && IN_NAMES[bytes[end] ?? 0] === 1) end += 1;
    const code = bytes[end] === SEMICOLON ? codePointOf(bytes.toString('latin1', at + 1, end)) : undefined;
    return code === undefined ? NONE : meant(code, end + 1 - at);
  }
  const isHex = small(bytes[at + 2]) === X;
  const [from, base] = isHex ? [at + 3, 16] : [at + 2, 10];
  const count = digitsAt(bytes, from, 8, base);
  if (count === 0) return NONE;
  const end = from + count + (bytes[from + count] === SEMICOLON ? 1 : 0);
  return meant(Math.min(numberAt(bytes, from, count, base), NOTHING), end - at);
};

function meantIf(code: number, length: number): number {
  return code < 0 ? NONE : meant(code, length);
}

const KINDS: readonly Kind[] = [
  { introducer: '\\', parse: afterBackslash },
  { introducer: '%', parse: (bytes, at) => meantIf(hexAt(bytes, at + 1, 2), 3), isByte: true },
  { introducer: '&', parse: afterAmpersand },
];

const LINE = 64;

/** A line break behind a whole line of base64. It is no escape, but is read in the same way. */
const LINE_BREAKS: readonly Kind[] = ['\r\n', '\n'].map((introducer) => ({
  introducer,
  parse(bytes, at) {
    const end = at + introducer.length;
    const next = bytes[end] ?? 0;
    if (at < LINE || bytes[end - 1] !== LINE_FEED || (IN_BASE64[next] !== 1 && next !== EQUALS)) return NONE;
    for (let i = at - LINE; i < at; i += 1) if (IN_BASE64[bytes[i] ?? 0] !== 1) return NONE;
    return meant(NOTHING, introducer.length);
  },
}));

/**
 * Yields a text as it stands, then with the escapes of one kind read, and of two kinds one after the other; each also
 * without the line breaks in base64.
 */
export function* readingsOf(bytes: Buffer): Generator<Reading> {
  const source = new Reading(bytes);
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
  for (const kind of LINE_BREAKS) {
    const joined = read(reading, kind);
    if (joined) yield joined;
  }
}

/** Returns a text with the escapes of one kind read; `null` if it has none. */
function read(source: Reading, { introducer, parse, isByte = false }: Kind): Reading | null {
  const { bytes } = source;
  const code = introducer.charCodeAt(0);
  let at = bytes.indexOf(code);
  while (at >= 0 && parse(bytes, at) === NONE) at = bytes.indexOf(code, at + 1);
  if (at < 0) return null;
  // What an escape stands for is never longer than the escape.
  const read = Buffer.allocUnsafe(bytes.length);
  const reading = new Reading(read, source);
  let length = bytes.copy(read, 0, 0, at);
  if (at > 0) reading.note(0, 0);
  while (at < bytes.length) {
    const byte = bytes[at] ?? 0;
    const found = byte === code ? parse(bytes, at) : NONE;
    if (found === NONE) {
      read[length] = byte;
      length += 1;
      at += 1;
      continue;
    }
    const to = length + write(Math.floor(found / LONGEST), read, length, isByte);
    for (; length < to; length += 1) reading.note(length, at);
    at += found % LONGEST;
    reading.note(length, at);
  }
  reading.bytes = read.subarray(0, length);
  return reading;
}

/** Writes a code point in UTF-8, or a byte. Returns how many bytes it took. */
function write(code: number, into: Buffer, at: number, isByte: boolean): number {
  if (code >= NOTHING) return 0;
  if (code >= 0x80 && !isByte) return into.write(String.fromCodePoint(code), at);
  into[at] = code;
  return 1;
}

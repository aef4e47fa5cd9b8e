/**
 * Reads the escapes of JSON and JavaScript, of URLs and of HTML. Which characters of a text are escaped is free, so a text
 * is compared as it stands and with the escapes of each kind read. Each character of a text stands for one byte here.
 */
import { CODE_POINTS } from './html-names';

/** A text, perhaps with escapes read. */
export class Reading {
  readonly bytes: Buffer;

  /** @param begins where each stretch of the source, or byte of an escape, begins here @param sourceBegins and there */
  constructor(
    readonly text: string,
    private readonly source: Reading | null = null,
    private readonly begins: readonly number[] = [],
    private readonly sourceBegins: readonly number[] = [],
  ) {
    this.bytes = Buffer.from(text, 'latin1');
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

interface Kind {
  /** A text without it has no such escape. */
  introducer: string;
  /** Matches its escapes. It looks at a bounded number of characters from the first one on. */
  form: RegExp;
  /** Returns the bytes that a match stands for; `null` if it is no escape after all. */
  meaning(match: RegExpMatchArray): string | null;
}

/** What JSON and JavaScript escape with a backslash and one letter. Any other character there stands for itself. */
const LETTERS: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

/** The UTF-8 of a code point; nothing if there is no such character. */
function utf8(code: number): string {
  if (code < 0x80) return String.fromCharCode(code);
  return code > 0x10ffff ? '' : Buffer.from(String.fromCodePoint(code)).toString('latin1');
}

const hex = (digits: string) => Number.parseInt(digits, 16);

/** What a name of HTML stands for, also in capitals, as the text around it may be. */
const codePointOf = (name = '') => CODE_POINTS.get(name) ?? CODE_POINTS.get(name.toLowerCase());

const KINDS: readonly Kind[] = [
  {
    introducer: '\\',
    // A surrogate pair, `\u0041`, `\u{41}`, `\x41`, `\n`.
    form: /\\(?:[uU]([dD][89abAB][\da-fA-F]{2})\\[uU]([dD][c-fC-F][\da-fA-F]{2})|[uU]([\da-fA-F]{4})|u\{([\da-fA-F]{1,6})\}|x([\da-fA-F]{2})|([bfnrtv"\\/']))/g,
    meaning: ([, high, low, unit, point, byte, letter]) => {
      if (letter !== undefined) return LETTERS[letter] ?? letter;
      if (high && low) return utf8(0x10000 + ((hex(high) & 0x3ff) << 10) + (hex(low) & 0x3ff));
      return utf8(hex(unit ?? point ?? byte ?? ''));
    },
  },
  { introducer: '%', form: /%([\da-fA-F]{2})/g, meaning: ([, byte = '']) => String.fromCharCode(hex(byte)) },
  {
    introducer: '&',
    // `&#x41;` and `&#65;`, with or without the semicolon, and `&amp;`.
    form: /&(?:#[xX]([\da-fA-F]{1,8});?|#(\d{1,8});?|([A-Za-z\d]{1,9});)/g,
    meaning: ([, hexadecimal, decimal, name]) => {
      const code = hexadecimal ? hex(hexadecimal) : decimal ? Number(decimal) : codePointOf(name);
      return code === undefined ? null : utf8(code);
    },
  },
];

/** A line break behind a whole line of base64. It is no escape, but is read in the same way. */
const LINE_BREAKS: readonly Kind[] = [
  { introducer: '\r\n', form: /(?<=[\w+/-]{64})\r\n(?=[\w+/=-])/g, meaning: () => '' },
  { introducer: '\n', form: /(?<=[\w+/-]{64})\n(?=[\w+/=-])/g, meaning: () => '' },
];

/** Yields a text as it stands and with the escapes of one kind and of two kinds read; each also without line breaks. */
export function* readingsOf(bytes: Buffer): Generator<Reading> {
  const source = new Reading(bytes.toString('latin1'));
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
function read(source: Reading, { introducer, form, meaning }: Kind): Reading | null {
  const { text } = source;
  if (!text.includes(introducer)) return null;
  const parts: string[] = [];
  const [begins, sourceBegins] = [[0], [0]];
  let [length, from] = [0, 0];
  for (const match of text.matchAll(form)) {
    const meant = meaning(match);
    if (meant === null) continue;
    parts.push(text.slice(from, match.index), meant);
    length += match.index - from;
    for (const end = length + meant.length; length < end; length += 1) {
      begins.push(length);
      sourceBegins.push(match.index);
    }
    from = match.index + match[0].length;
    begins.push(length);
    sourceBegins.push(from);
  }
  return from === 0 ? null : new Reading(parts.join('') + text.slice(from), source, begins, sourceBegins);
}

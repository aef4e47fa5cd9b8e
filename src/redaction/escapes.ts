/**
 * Reads the escapes of JSON and JavaScript, of URLs and of HTML. Which characters of a text are escaped is free, so a text
 * is compared as it stands and with its escapes read. Each character of a text stands for one byte here.
 */

/** A text, perhaps with escapes read. */
export class Reading {
  /** @param places where each byte, and the end, stands in the text that was read; `null` for that text itself */
  constructor(
    readonly bytes: Buffer,
    private readonly places: Uint32Array | null = null,
  ) {}

  /** Returns where a byte, or the end, stands in the text that was read. */
  placeOf(index: number): number {
    return this.places?.[index] ?? index;
  }
}

/** What JSON and JavaScript escape with a backslash and one letter. Any other character there stands for itself. */
const LETTERS: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

const hex = (digits = '') => Number.parseInt(digits, 16);

/** The UTF-8 of a code point; nothing if there is no such character. */
function utf8(code: number): string {
  if (code < 0x80) return String.fromCharCode(code);
  return code > 0x10ffff ? '' : Buffer.from(String.fromCodePoint(code)).toString('latin1');
}

/** U+00A0 to U+00FF, in order. */
const LATIN_1 =
  'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para ' +
  'middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave ' +
  'Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc ' +
  'Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc ' +
  'iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml';

/** By the name that HTML has for a character (HTML, section 13.5): those that have a meaning there, and those of Latin-1. */
const CODE_POINTS: ReadonlyMap<string, number> = new Map([
  ...Object.entries({ quot: 0x22, amp: 0x26, apos: 0x27, lt: 0x3c, gt: 0x3e, euro: 0x20ac }),
  ...LATIN_1.split(' ').map((name, i) => [name, 0xa0 + i] as const),
]);

/**
 * Escapes of JSON and JavaScript (a surrogate pair, `\\u0041`, `\\u{41}`, `\\x41`, `\\n`), of URLs (`%41`) and of HTML (`&#x41;` and
 * `&#65;`, with or without the semicolon, and `&amp;`, also in capitals, as the text around it may be). It looks at a bounded
 * number of characters from the first one on.
 */
const ESCAPE =
  /\\(?:[uU]([dD][89abAB][\da-fA-F]{2})\\[uU]([dD][c-fC-F][\da-fA-F]{2})|[uU]([\da-fA-F]{4})|u\{([\da-fA-F]{1,6})\}|x([\da-fA-F]{2})|([bfnrtv"\\/']))|%([\da-fA-F]{2})|&(?:#[xX]([\da-fA-F]{1,8});?|#(\d{1,8});?|([A-Za-z\d]{1,9});)/g;

/** Returns the bytes that a match stands for; `null` if it is no escape after all. */
function escapeMeaning(match: RegExpMatchArray): string | null {
  const [, high, low, unit, point, code, letter, byte, hexadecimal, decimal, name = ''] = match;
  if (byte !== undefined) return String.fromCharCode(hex(byte));
  if (letter !== undefined) return LETTERS[letter] ?? letter;
  if (high && low) return utf8(0x10000 + ((hex(high) & 0x3ff) << 10) + (hex(low) & 0x3ff));
  if (unit ?? point ?? code) return utf8(hex(unit ?? point ?? code));
  const named = CODE_POINTS.get(name) ?? CODE_POINTS.get(name.toLowerCase());
  const of = hexadecimal ? hex(hexadecimal) : decimal ? Number(decimal) : named;
  return of === undefined ? null : utf8(of);
}

/** A line break behind a whole line of base64, which is looked at second: that is far faster. Read as an escape is. */
const LINE_BREAK = /\r?\n(?<=[\w+/-]{64}\r?\n)(?=[\w+/=-])/g;

/** Two encodings in a row, and the escapes that a secret itself may hold (`formsOf`), which are read with them. */
const MOST_IN_A_ROW = 3;

/** Yields a text as it stands, with its escapes read, with those read that it has then, and so on; each also without line breaks. */
export function* readingsOf(bytes: Buffer): Generator<Reading> {
  let reading: Reading | null = new Reading(bytes);
  for (let left = MOST_IN_A_ROW; reading; left -= 1) {
    yield reading;
    const joined = read(reading, LINE_BREAK, '\n', () => '');
    if (joined) yield joined;
    reading = left > 0 ? readOnce(reading) : null;
  }
}

/** Returns a text with its escapes read; `null` if it has none. */
export function readOnce(source: Reading): Reading | null {
  return read(source, ESCAPE, /[\\%&]/, escapeMeaning);
}

/** Returns a text with what matches replaced by its meaning; `null` if nothing does. @param introducer a text without it has no match */
function read(
  source: Reading,
  form: RegExp,
  introducer: RegExp | string,
  meaning: (match: RegExpMatchArray) => string | null,
): Reading | null {
  const text = source.bytes.toString('latin1');
  if (text.search(introducer) < 0) return null;
  // No escape is shorter than what it stands for.
  const [bytes, places] = [Buffer.alloc(text.length), new Uint32Array(text.length + 1)];
  let [from, to] = [0, 0];
  const putUntil = (end: number) => {
    for (; from < end; from += 1, to += 1) {
      bytes[to] = source.bytes[from] as number;
      places[to] = source.placeOf(from);
    }
  };
  for (const match of text.matchAll(form)) {
    const meant = meaning(match);
    if (meant === null) continue;
    putUntil(match.index);
    for (let i = 0; i < meant.length; i += 1, to += 1) {
      bytes[to] = meant.charCodeAt(i);
      places[to] = source.placeOf(match.index);
    }
    from = match.index + match[0].length;
  }
  if (from === 0) return null;
  putUntil(text.length);
  places[to] = source.placeOf(text.length);
  return new Reading(bytes.subarray(0, to), places.subarray(0, to + 1));
}

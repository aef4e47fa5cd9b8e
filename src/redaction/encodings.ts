/**
 * What ordinary software makes of a value, the list of SECURITY.md: the forms in which a secret is looked for, and the
 * escapes that are read before the search, because which characters of a text are escaped is free. Each character of a
 * text stands for one byte here.
 */
import { WORD } from './markers';

/** A text, perhaps with escapes read. */
export interface Reading {
  bytes: Buffer;
  /** Returns where a byte, or the end, stands in the text that was read. */
  placeOf(index: number): number;
}

/** What JSON and JavaScript escape with a backslash and one letter. Any other character there stands for itself. */
const LETTERS: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

const latin1 = (bytes: Buffer) => bytes.toString('latin1');
const utf8 = (text: string) => latin1(Buffer.from(text));

/** The characters that have a meaning in HTML, by their names there (HTML, section 13.5). */
const NAMED = new Map(Object.entries({ quot: '"', amp: '&', apos: "'", lt: '<', gt: '>' }));

/**
 * Escapes of JSON and JavaScript (a surrogate pair, `\\u0041`, `\\u{41}`, `\\x41`, `\\n`), of URLs (`%41`) and of HTML (`&#x41;` and
 * `&#65;`, with or without the semicolon, and `&amp;`, also in capitals, as the text around it may be); and a line break behind a
 * line of base64, which stands for nothing. It looks at a bounded number of characters around the first one.
 */
const ESCAPE =
  /\\(?:[uU]([dD][89abAB][\da-fA-F]{2})\\[uU]([dD][c-fC-F][\da-fA-F]{2})|[uU]([\da-fA-F]{4})|u\{([\da-fA-F]{1,6})\}|x([\da-fA-F]{2})|([bfnrtv"\\/']))|%([\da-fA-F]{2})|&(?:#[xX]([\da-fA-F]{1,8});?|#(\d{1,8});?|([A-Za-z]{2,4});)|(\r?\n)(?<=[\w+/-]{60}\r?\n)(?=[\w+/=-])/g;

const hex = (digits = '') => Number.parseInt(digits, 16);
/** The UTF-8 of a code point; nothing if there is no such character. */
const characterAt = (code: number) => (code > 0x10ffff ? '' : utf8(String.fromCodePoint(code)));

/** Returns the bytes that a match stands for; `null` if it is no escape after all. */
function escapeMeaning(match: RegExpMatchArray): string | null {
  const [, high, low, unit, point, code, letter, byte, hexadecimal, decimal, name = '', lineBreak] = match;
  if (lineBreak !== undefined) return '';
  if (byte !== undefined) return String.fromCharCode(hex(byte));
  if (letter !== undefined) return LETTERS[letter] ?? letter;
  if (high && low) return characterAt(0x10000 + ((hex(high) & 0x3ff) << 10) + (hex(low) & 0x3ff));
  if (unit ?? point ?? code) return characterAt(hex(unit ?? point ?? code));
  if (hexadecimal ?? decimal) return characterAt(hexadecimal ? hex(hexadecimal) : Number(decimal));
  return NAMED.get(name.toLowerCase()) ?? null;
}

/** Two encodings in a row, and the escapes that a secret itself may hold (`formsOf`), which are read with them. */
const MOST_IN_A_ROW = 3;

/** Yields a text as it stands, with its escapes read, with those read that it has then, and so on. */
export function* readingsOf(bytes: Buffer): Generator<Reading> {
  let reading: Reading | null = { bytes, placeOf: (index) => index };
  for (let left = MOST_IN_A_ROW; reading; left -= 1) {
    yield reading;
    reading = left > 0 ? readOnce(reading) : null;
  }
}

function readOnce(source: Reading): Reading | null {
  const text = latin1(source.bytes);
  if (!/[\\%&\n]/.test(text)) return null;
  // No escape is shorter than what it stands for.
  const [bytes, places] = [Buffer.alloc(text.length), new Uint32Array(text.length + 1)];
  let [from, to] = [0, 0];
  const put = (byte: number, at: number) => {
    bytes[to] = byte;
    places[to] = source.placeOf(at);
    to += 1;
  };
  for (const match of text.matchAll(ESCAPE)) {
    const meant = escapeMeaning(match);
    if (meant === null) continue;
    for (; from < match.index; from += 1) put(text.charCodeAt(from), from);
    for (let i = 0; i < meant.length; i += 1) put(meant.charCodeAt(i), match.index);
    from = match.index + match[0].length;
  }
  if (from === 0) return null;
  for (; from < text.length; from += 1) put(text.charCodeAt(from), from);
  places[to] = source.placeOf(text.length);
  return { bytes: bytes.subarray(0, to), placeOf: (index) => places[index] ?? to };
}

type Encoder = (bytes: Buffer) => string[];

/** UTF-8, once more UTF-8 where its bytes were taken for Latin-1, and Latin-1 as far as it goes; `+` for spaces. */
const characterSets: Encoder = (bytes) =>
  [bytes.toString(), bytes.toString().replaceAll(' ', '+')].flatMap((text) => [
    utf8(text),
    utf8(utf8(text)),
    text.replace(/[^\0-\u00ff]+/g, utf8),
  ]);

/** Each of these also as it is read where escapes are: a secret may itself hold `%41` or `&amp;`. */
const asItIs = (secret: string) =>
  characterSets(Buffer.from(secret)).flatMap((text) => {
    const read = [...readingsOf(Buffer.from(text, 'latin1'))].slice(1, MOST_IN_A_ROW);
    return [text, ...read.map(({ bytes }) => latin1(bytes)).filter((again) => !mayBeAWord(again))];
  });

/** The digits that some bytes decide alone, at each of the three offsets. */
const base64: Encoder = (bytes) =>
  [0, 1, 2].flatMap((offset) => {
    const digits = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
    const text = digits.slice(offset + Math.sign(offset), Math.floor(((offset + bytes.length) * 8) / 6));
    return [text, text.replaceAll('+', '-').replaceAll('/', '_')];
  });

/** UTF-16, also if its bytes were taken for Latin-1, as those of UTF-8. */
const utf16: Encoder = (bytes) => {
  const wide = Buffer.from(bytes.toString(), 'utf16le');
  return [latin1(wide), latin1(wide.swap16())].flatMap((text) => [text, utf8(text)]);
};

const PACKINGS: ReadonlyArray<readonly [word: string, encode: Encoder]> = [
  ['base64', base64],
  ['hex', (bytes) => [bytes.toString('hex'), bytes.toString('hex').toUpperCase()]],
  ['', utf16],
];

const digitsOf = (code: number, least = 0) => code.toString(16).padStart(least, '0');
const codeOf = (c: string) => c.codePointAt(0) ?? 0;
const capitals = (text: string) => text.replace(/(?<=\\u|%|&#x)[\da-f]+/g, (digits) => digits.toUpperCase());

/** What may have been done before a secret is packed: strings of JSON, values in URLs, and escapes of every character. */
const escapes: Encoder = (bytes) => {
  const text = bytes.toString();
  const throughout = [
    text.replace(/./gs, (half) => `\\u${digitsOf(half.charCodeAt(0), 4)}`),
    Array.from(bytes, (byte) => `%${digitsOf(byte, 2)}`).join(''),
    Array.from(text, (c) => `&#x${digitsOf(codeOf(c))};`).join(''),
  ];
  const decimal = Array.from(text, (c) => `&#${codeOf(c)};`).join('');
  const json = JSON.stringify(text).slice(1, -1);
  return [json, encodeURIComponent(text), decimal, ...throughout, ...throughout.map(capitals)].map(utf8);
};

/** A shorter secret may be any word or number. */
export const WHOLE_VALUE_BELOW = 8;
/** A shorter secret of letters and hyphens alone may be an ordinary word, such as the name of a header. */
const TELLING_LETTERS = 16;
/** Of a longer secret, no two encodings in a row are looked for: they have hundreds of times its length. */
export const LONGEST_IN_TWO = 1000;

/** Whether a secret may be an ordinary word, which anybody may say: only a whole value counts as the secret. */
export function mayBeAWord(secret: string): boolean {
  return secret.length < WHOLE_VALUE_BELOW || (secret.length < TELLING_LETTERS && /^[\p{L}-]+$/u.test(secret));
}

/** Values of `auth.type`, literals of JSON and its media type: who sends one of them discloses no secret that equals it. */
const EVERY_SERVER_SENDS =
  /^(?:basic|apikey|bearer|digest|api[-_]key|token|oauth2?|hmac|none|true|false|null|application\/json(?:; ?charset=utf-8)?)$/i;

/** Small letters and capitals, of all letters and of those of ASCII alone: others may have been escaped before. */
const inOtherCases = (secret: string) => [
  secret.toLowerCase(),
  secret.toUpperCase(),
  secret.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()),
  secret.replace(/[a-z]+/g, (letters) => letters.toUpperCase()),
];

/** To make the forms of a secret takes longer than to search an answer, and many runs of one process have the same. */
const made = new Map<string, ReadonlyMap<string, string>>();
const MOST_MADE = 100;

/**
 * Returns all forms of a secret, the same map each time: each text in which it may stand, with what is added to its marker,
 * such as `base64`. What is `WORD` may be an ordinary word or number, so it counts as a whole value alone.
 */
export function formsOf(secret: string): ReadonlyMap<string, string> {
  const known = made.get(secret);
  if (known) return known;
  const forms = new Map<string, string>();
  const put = (texts: Iterable<string>, word = '') => {
    for (const text of texts) if (!forms.has(text)) forms.set(text, word);
  };
  const isWord = mayBeAWord(secret);
  const isUsual = EVERY_SERVER_SENDS.test(secret);
  if (!isUsual) put(asItIs(secret), isWord ? WORD : '');
  if (!isUsual && !isWord) for (const text of inOtherCases(secret)) put(asItIs(text), 'other-case');
  if (secret.length >= WHOLE_VALUE_BELOW) {
    const bytes = Buffer.from(secret);
    const encoded = [escapes, ...PACKINGS.map(([, encode]) => encode)].flatMap((encode) => encode(bytes));
    const first = new Set([...characterSets(bytes), ...(secret.length > LONGEST_IN_TWO ? [] : encoded)]);
    for (const text of first) for (const [word, encode] of PACKINGS) put(encode(Buffer.from(text, 'latin1')), word);
  }
  if (made.size >= MOST_MADE) made.clear();
  made.set(secret, forms);
  return forms;
}

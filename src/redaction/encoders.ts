/**
 * What ordinary software makes of a value: the list of SECURITY.md. A secret is looked for as it stands in each character
 * set, and packed, which each encoder may have preceded. Escapes around all of these are read by `readingsOf`. In all
 * results each character stands for one byte.
 */

import { CODE_POINTS } from './html-names';
import { WORD } from './markers';
import type { Sought } from './spans';
import { isOfTheProtocol } from './words';

/** Returns each way in which an encoder writes some bytes. */
type Encoder = (bytes: Buffer) => string[];
/** Writes one character. */
type Writer = (character: string) => string;
/** Writes a number in hexadecimal. */
type Digits = (code: number, least?: number) => string;

const latin1 = (bytes: Buffer) => bytes.toString('latin1');
const utf8 = (text: string) => latin1(Buffer.from(text));
const same: Writer = (c) => c;
const small: Digits = (code, least = 2) => code.toString(16).padStart(least, '0');
const IN_EITHER_CASE: readonly Digits[] = [small, (code, least) => small(code, least).toUpperCase()];

/** Returns a writer that escapes some characters. */
function escaping(which: RegExp, escaped: Writer, other = same): Writer {
  return (c) => (which.test(c) ? escaped(c) : other(c));
}

const NOTHING = /$^/;
const NOT_ASCII = /[^\0-\u007f]/;
const LATIN_1 = /[\u00a0-\u00ff]/;

/** What becomes `\u0041` in JavaScript, Python, Go, Gson, .NET, PHP, Django, serialize-javascript; and all of it. */
const UNITS = [
  ...[NOTHING, NOT_ASCII, /[<>&]/, /[<>&=']/, /["<>&'+`]|[^\0-\u007f]/],
  ...[/["<>&']|[^\0-\u007f]/, /[\\'"<>&=;`-]/, /[<>/]/, /./s],
];
const asUnits = (c: string, digits: Digits) => c.replace(/./gs, (half) => `\\u${digits(half.charCodeAt(0), 4)}`);
const inJson: Writer = (c) => JSON.stringify(c).slice(1, -1);
const STRINGS = [
  ...IN_EITHER_CASE.flatMap((digits) => UNITS.map((which) => escaping(which, (c) => asUnits(c, digits), inJson))),
  // In quotes of JavaScript, Python, PHP and SQL.
  ...[/['\\]/, /['"\\]/].map((which) => escaping(which, (c) => `\\${c}`)),
];

/** What stays as it is in URLs, and where nothing does. */
const KEPT_IN_URLS = [
  // encodeURIComponent, encodeURI, and paths and queries of `URL` in JavaScript.
  ...[/[\w.!~*'()-]/, /[\w.!~*'();/?:@&=+$,#-]/, /[^\0- "#<>?^`{}\u007f-\uffff]/, /[^\0- "#<>'\u007f-\uffff]/],
  // RFC 3986, its paths, forms of Java, of PHP, of .NET; paths of Python and Go.
  ...[/[\w.~-]/, /[\w.~!$&'()*+,;=:@-]/, /[\w.*-]/, /[\w.-]/, /[\w.!*()-]/],
  ...[/[\w.~/-]/, /[\w.~$&+=:@-]/, /[\w.~$&+,/:;=@-]/, /[\w.~$&+,/:;=@!'()*-]/],
  NOTHING,
];
const percent = (c: string, digits: Digits) => Array.from(Buffer.from(c), (byte) => `%${digits(byte)}`).join('');
const URLS = IN_EITHER_CASE.flatMap((digits) =>
  KEPT_IN_URLS.map((kept) => escaping(kept, same, (c) => percent(c, digits))),
);

const codeOf = (c: string) => c.codePointAt(0) ?? 0;
const NAMES = new Map([...CODE_POINTS].reverse().map(([name, code]) => [code, `&${name};`]));
const named: Writer = (c) => NAMES.get(codeOf(c)) ?? c;
const decimal: Writer = (c) => `&#${codeOf(c)};`;
const [hexadecimal = same, inCapitals = same] = IN_EITHER_CASE.map(
  (digits) => (c: string) => `&#x${digits(codeOf(c))};`,
);
/** What is written otherwise than by the names of `&`, `<`, `>` and `"` alone. */
const SIGNS: ReadonlyArray<Readonly<Record<string, string>>> = [
  // JavaScript, Python, PHP, XML, Go.
  ...[{}, { "'": '&#39;' }, { "'": '&#x27;' }, { "'": '&#039;' }, { "'": '&apos;' }, { "'": '&#39;', '"': '&#34;' }],
  // Text between tags.
  ...[{ '"': '"' }, { '"': '"', '>': '>' }],
  // Mustache, Handlebars, OWASP, .NET.
  { "'": '&#39;', '/': '&#x2F;', '`': '&#x60;', '=': '&#x3D;' },
  { "'": '&#x27;', '`': '&#x60;', '=': '&#x3D;' },
  { "'": '&#x27;', '/': '&#x2F;' },
  { "'": '&#x27;', '+': '&#x2B;' },
];
/** Many libraries leave letters, PHP and Java name them, .NET counts them, and XML in ASCII counts all of them. */
const LETTERS: ReadonlyArray<readonly [which: RegExp, write: Writer]> = [
  [NOTHING, named],
  [LATIN_1, named],
  [LATIN_1, decimal],
  [NOT_ASCII, decimal],
  [NOT_ASCII, hexadecimal],
  [NOT_ASCII, inCapitals],
];
const inHtml = escaping(/[&<>"]/, named);

/** How software escapes the characters of a text. */
const WRITERS: readonly Writer[] = [
  ...STRINGS.flatMap((write) => [write, escaping(/\//, () => '\\/', write)]),
  ...URLS.flatMap((write) => [write, escaping(/ /, () => '+', write)]),
  ...SIGNS.flatMap((signs) => LETTERS.map(([which, write]) => escaping(which, write, (c) => signs[c] ?? inHtml(c)))),
  ...[decimal, hexadecimal, inCapitals],
];
const escapes: Encoder = (bytes) => WRITERS.map((write) => utf8(Array.from(bytes.toString(), write).join('')));

/** UTF-8, once more UTF-8 where its bytes were taken for Latin-1, and Latin-1 as far as it goes; `+` for spaces. */
const characterSets: Encoder = (bytes) =>
  [bytes.toString(), bytes.toString().replaceAll(' ', '+')].flatMap((text) => [
    utf8(text),
    utf8(utf8(text)),
    text.replace(/[^\0-\u00ff]+/g, utf8),
  ]);

/** The digits that some bytes decide alone, at each of the three offsets; and all digits, as at the end of a text. */
const base64: Encoder = (bytes) =>
  [0, 1, 2].flatMap((offset) => {
    const digits = Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    const to = Math.floor(((offset + bytes.length) * 8) / 6);
    const from = offset + Math.sign(offset);
    return [digits.slice(from, to), digits.slice(from)].flatMap((text) => [
      text,
      text.replaceAll('+', '-').replaceAll('/', '_'),
    ]);
  });

/** UTF-16, also if its bytes were taken for Latin-1, as those of UTF-8. */
const utf16: Encoder = (bytes) => {
  const wide = Buffer.from(bytes.toString(), 'utf16le');
  return [latin1(wide), latin1(wide.swap16())].flatMap((text) => [text, utf8(text)]);
};

const PACKINGS: ReadonlyArray<readonly [words: readonly string[], encode: Encoder]> = [
  [['base64'], base64],
  [['hex'], (bytes) => [bytes.toString('hex'), bytes.toString('hex').toUpperCase()]],
  [[], utf16],
];
const ENCODERS: readonly Encoder[] = [characterSets, escapes, ...PACKINGS.map(([, encode]) => encode)];

/** A shorter secret may be any word or number, so only whole values count as the secret. */
export const WHOLE_VALUE_BELOW = 8;
/** A shorter secret of letters alone may be an ordinary word. */
const TELLING_LETTERS = 16;

/** Whether a secret may be an ordinary word, which anybody may say. */
export function mayBeAWord(secret: string): boolean {
  return secret.length < WHOLE_VALUE_BELOW || (secret.length < TELLING_LETTERS && /^\p{L}+$/u.test(secret));
}

/** Returns all forms of a secret. @param marker what replaces it as it is; words such as `base64` are added to it */
export function formsOf(marker: string, secret: string): Sought[] {
  const bytes = Buffer.from(secret);
  const isShort = secret.length < WHOLE_VALUE_BELOW;
  const isWord = mayBeAWord(secret);
  const otherCase = isWord ? ['other-case', 'part'] : ['other-case'];
  const marked = (words: readonly string[]) => [marker.slice(0, -1), ...new Set(words)].join(':').concat(']');
  const forms = new Map<string, Sought>();
  const put = (texts: Iterable<string>, words: readonly string[], counts: Sought['counts'] = 'anywhere') => {
    const inOtherCase = isShort ? null : marked([...words, ...otherCase]);
    for (const text of texts)
      if (!forms.has(text)) forms.set(text, { text, marker: marked(words), counts, inOtherCase });
  };
  const putPacked = (texts: Iterable<string>, words: readonly string[]) => {
    for (const text of texts)
      for (const [packed, encode] of PACKINGS) put(encode(Buffer.from(text, 'latin1')), [...packed, ...words]);
  };
  if (!isOfTheProtocol(secret)) put(characterSets(bytes), isWord ? [WORD] : [], isShort ? 'as a value' : 'anywhere');
  if (isShort) {
    // What stands before or behind a single character decides each of its digits.
    if (bytes.length > 1) put(base64(bytes).slice(2, 4), ['base64'], 'as a run');
    return [...forms.values()];
  }
  putPacked(new Set(ENCODERS.flatMap((encode) => encode(bytes))), []);
  for (const text of [secret.toLowerCase(), secret.toUpperCase()]) {
    const inThatCase = characterSets(Buffer.from(text));
    if (!isOfTheProtocol(secret)) put(inThatCase, otherCase);
    putPacked(new Set(inThatCase), otherCase);
  }
  return [...forms.values()];
}

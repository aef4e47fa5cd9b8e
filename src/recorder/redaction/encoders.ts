/**
 * What ordinary software makes of a value: the list of SECURITY.md. A secret is looked for as it stands in each character
 * set, and packed, which each encoder may have preceded. Escapes around all of these are read by `readingsOf`. In all
 * results each character stands for one byte.
 */
import { STATUS_CODES } from 'node:http';
import { MEMBER_NAMES } from '../../contract/settings';
import { CODE_POINTS } from '../../evidence/http/html-names';
import type { Sought } from './findings';

/** Returns each way in which an encoder writes some bytes. */
type Encoder = (bytes: Buffer) => string[];

const hex = (code: number, digits = 2) => code.toString(16).padStart(digits, '0');
const capitals = (digits: string) => digits.toUpperCase();
const latin1 = (bytes: Buffer) => bytes.toString('latin1');
const utf8 = (text: string) => latin1(Buffer.from(text));
/** Makes an encoder that writes each character of a text in one of several ways. */
const each =
  (...ways: Array<(character: string) => string>): Encoder =>
  (bytes) =>
    ways.map((write) => utf8([...bytes.toString()].map(write).join('')));

const NOTHING = /$^/;
const NOT_ASCII = /[^\0-\u007f]/;
const LATIN_1 = /[\u00a0-\u00ff]/;

/** UTF-8, once more UTF-8 where its bytes were taken for Latin-1, and Latin-1 as far as it goes; `+` for spaces. */
const characterSets: Encoder = (bytes) =>
  [bytes.toString(), bytes.toString().replaceAll(' ', '+')].flatMap((text) => [
    utf8(text),
    utf8(utf8(text)),
    text.replace(/[^\0-\u00ff]+/g, utf8),
  ]);

/** What becomes `\u0041` in JavaScript, Python, Go, Gson, .NET, PHP, Django, serialize-javascript, and where everything does. */
const UNITS = [
  ...[NOTHING, NOT_ASCII, /[<>&]/, /[<>&=']/, /["<>&'+`]|[^\0-\u007f]/],
  ...[/["<>&']|[^\0-\u007f]/, /[\\'"<>&=;`-]/, /[<>/]/, /./s],
];
const unit = (c: string) => c.replace(/./gs, (half) => `\\u${hex(half.charCodeAt(0), 4)}`);
const units = each(
  ...UNITS.flatMap((escaped) => {
    const written = (c: string) => (escaped.test(c) ? unit(c) : JSON.stringify(c).slice(1, -1));
    return [written, (c: string) => written(c).replace(/(?<=\\u)..../g, capitals)];
  }),
  // In quotes of JavaScript, Python, PHP and SQL.
  ...[/['\\]/, /['"\\]/].map((escaped) => (c: string) => (escaped.test(c) ? `\\${c}` : c)),
);
const json: Encoder = (bytes) => units(bytes).flatMap((text) => [text, text.replaceAll('/', '\\/')]);

/** What stays as it is in URLs, and where nothing does. */
const KEPT_IN_URLS = [
  // encodeURIComponent, encodeURI, and paths and queries of `URL` in JavaScript.
  ...[/[\w.!~*'()-]/, /[\w.!~*'();/?:@&=+$,#-]/, /[^\0- "#<>?^`{}\u007f-\u00ff]/, /[^\0- "#<>'\u007f-\u00ff]/],
  // RFC 3986, its paths, forms of Java, of PHP, of .NET; paths of Python and Go.
  ...[/[\w.~-]/, /[\w.~!$&'()*+,;=:@-]/, /[\w.*-]/, /[\w.-]/, /[\w.!*()-]/],
  ...[/[\w.~/-]/, /[\w.~$&+=:@-]/, /[\w.~$&+,/:;=@-]/, /[\w.~$&+,/:;=@!'()*-]/],
  NOTHING,
];
const percent: Encoder = (bytes) =>
  KEPT_IN_URLS.flatMap((kept) => {
    const text = latin1(bytes).replace(/./gs, (c) => (kept.test(c) ? c : `%${capitals(hex(c.charCodeAt(0)))}`));
    return [text, text.replaceAll('%20', '+')].flatMap((each) => [
      each,
      each.replace(/%../g, (code) => code.toLowerCase()),
    ]);
  });

const codeOf = (c: string) => c.codePointAt(0) ?? 0;
const decimal = (c: string) => `&#${codeOf(c)};`;
const hexadecimal = (c: string) => `&#x${hex(codeOf(c))};`;
const inCapitals = (c: string) => `&#x${capitals(hex(codeOf(c)))};`;
const NAMES = new Map([...CODE_POINTS].reverse().map(([name, code]) => [code, `&${name};`]));
const named = (c: string) => NAMES.get(codeOf(c)) ?? c;
/** What is written otherwise than by the names of `&`, `<`, `>` and `"` alone. */
const IN_HTML: ReadonlyArray<Readonly<Record<string, string>>> = [
  // JavaScript, Python, PHP, XML, Go.
  ...[{}, { "'": '&#39;' }, { "'": '&#x27;' }, { "'": '&#039;' }, { "'": '&apos;' }, { "'": '&#39;', '"': '&#34;' }],
  // Text between tags.
  ...[{ '"': '"' }, { '"': '"', '>': '>' }],
  // Mustache, Handlebars, OWASP, .NET.
  ...[
    { "'": '&#39;', '/': '&#x2F;', '`': '&#x60;', '=': '&#x3D;' },
    { "'": '&#x27;', '`': '&#x60;', '=': '&#x3D;' },
  ],
  ...[
    { "'": '&#x27;', '/': '&#x2F;' },
    { "'": '&#x27;', '+': '&#x2B;' },
  ],
];
/** Many libraries leave letters, PHP and Java name them, .NET counts them, and XML in ASCII counts all of them. */
const LETTERS: ReadonlyArray<readonly [RegExp, (c: string) => string]> = [
  [NOTHING, named],
  [LATIN_1, named],
  [LATIN_1, decimal],
  [NOT_ASCII, decimal],
  [NOT_ASCII, hexadecimal],
  [NOT_ASCII, inCapitals],
];
const html = each(
  ...IN_HTML.flatMap((otherwise) =>
    LETTERS.map(
      ([letters, write]) =>
        (c: string) =>
          otherwise[c] ?? (/[&<>"]/.test(c) ? named(c) : letters.test(c) ? write(c) : c),
    ),
  ),
  ...[decimal, hexadecimal, inCapitals],
);

/**
 * The digits of base64 that some bytes decide alone, at each of the three offsets at which they may begin; and all
 * digits, as at the very end of what is encoded.
 */
const base64: Encoder = (bytes) =>
  [0, 1, 2].flatMap((offset) => {
    const digits = Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    const to = Math.floor(((offset + bytes.length) * 8) / 6);
    return [digits.slice(offset + Math.sign(offset), to), digits.slice(offset + Math.sign(offset))];
  });
const orUrlSafe = (texts: string[]) => texts.flatMap((text) => [text, text.replaceAll('+', '-').replaceAll('/', '_')]);

const PACKINGS: ReadonlyArray<readonly [word: string | null, encode: Encoder]> = [
  ['base64', (bytes) => orUrlSafe(base64(bytes))],
  ['hex', (bytes) => [bytes.toString('hex'), bytes.toString('hex').toUpperCase()]],
  [
    null,
    (bytes) => {
      const wide = Buffer.from(bytes.toString(), 'utf16le');
      // Their bytes may be taken for Latin-1, as those of UTF-8.
      return [latin1(wide), latin1(wide.swap16())].flatMap((units) => [units, utf8(units)]);
    },
  ],
];
const ENCODERS: readonly Encoder[] = [characterSets, json, percent, html, ...PACKINGS.map(([, encode]) => encode)];

/** A shorter secret may be an ordinary word, so only whole values count as the secret. */
const WHOLE_VALUE_BELOW = 8;
/** In another letter case, a shorter secret of letters alone may be an ordinary word. */
const TELLING_LETTERS = 16;
/** What every server of this API may say. A password such as `unauthorized` accuses nobody by standing in a sentence. */
const SAID_BY_ALL = [
  ...Object.values(STATUS_CODES).flatMap((phrase = '') => phrase.split(' ')),
  'webhooks',
  ...MEMBER_NAMES,
];
const ORDINARY = new Set(SAID_BY_ALL.map((word) => word.toLowerCase()));

/** Returns all forms of a secret. @param marker what replaces it as it is; words such as `base64` are added to it */
export function formsOf(marker: string, secret: string): Sought[] {
  const bytes = Buffer.from(secret);
  const isShort = secret.length < WHOLE_VALUE_BELOW;
  const isWord = isShort || ORDINARY.has(secret.toLowerCase());
  const mayBeWord = secret.length < TELLING_LETTERS && /^\p{L}+$/u.test(secret);
  const other = mayBeWord ? ['other-case', 'part'] : ['other-case'];
  const marked = (words: readonly string[]) => [marker.slice(0, -1), ...new Set(words)].join(':').concat(']');
  const forms = new Map<string, Sought>();
  const put = (texts: Iterable<string>, words: readonly string[], counts: Sought['counts'] = 'anywhere') => {
    const inOtherCase = isWord ? null : marked([...words, ...other]);
    for (const text of texts)
      if (!forms.has(text)) forms.set(text, { text, marker: marked(words), counts, inOtherCase });
  };
  const putPacked = (texts: Iterable<string>, words: readonly string[]) => {
    for (const text of texts)
      for (const [word, encode] of PACKINGS) put(encode(Buffer.from(text, 'latin1')), word ? [word, ...words] : words);
  };
  put(characterSets(bytes), [], isWord ? 'as a value' : 'anywhere');
  if (isShort) {
    const [, digits = ''] = base64(bytes);
    if (bytes.length > 1) put(orUrlSafe([digits]), ['base64'], 'as a run');
    return [...forms.values()];
  }
  const otherCases = [secret.toLowerCase(), secret.toUpperCase()].flatMap((text) => characterSets(Buffer.from(text)));
  if (!isWord) put(otherCases, other);
  putPacked(new Set(ENCODERS.flatMap((encode) => encode(bytes))), []);
  putPacked(new Set(otherCases), other);
  return [...forms.values()];
}

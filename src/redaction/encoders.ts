/**
 * What ordinary software makes of a value: the list of SECURITY.md. A secret is looked for as it stands in each character
 * set, and packed (base64, hexadecimal, UTF-16), which one more encoder of the list may have preceded. Escapes around all
 * of these are read by `readingsOf`. In all results each character stands for one byte.
 */
import { Reading, readOnce } from './escapes';
import { WORD } from './markers';
import { isOfTheProtocol } from './words';

/** One way in which a secret may stand in a text. */
export interface Form {
  text: string;
  /** The text in small letters, as it is compared. */
  folded: string;
  /** What is added to the marker, such as `base64`. */
  words: readonly string[];
  /** Whether it counts as a whole value alone, because it may be an ordinary word or number. */
  isWhole: boolean;
  /** What is added to the marker in another letter case; `null` if it does not count there. */
  wordsInOtherCase: readonly string[] | null;
}

/** Returns each way in which an encoder writes some bytes. */
type Encoder = (bytes: Buffer) => string[];

const latin1 = (bytes: Buffer) => bytes.toString('latin1');
const utf8 = (text: string) => latin1(Buffer.from(text));

/** UTF-8, once more UTF-8 where its bytes were taken for Latin-1, and Latin-1 as far as it goes; `+` for spaces. */
const characterSets: Encoder = (bytes) =>
  [bytes.toString(), bytes.toString().replaceAll(' ', '+')].flatMap((text) => [
    utf8(text),
    utf8(utf8(text)),
    text.replace(/[^\0-\u00ff]+/g, utf8),
  ]);

/** Each of these also as it is read where escapes are: a secret may itself hold `%41` or `&amp;`. */
const asItIs: Encoder = (bytes) =>
  characterSets(bytes).flatMap((text) => {
    const once = readOnce(new Reading(Buffer.from(text, 'latin1')));
    const twice = once && readOnce(once);
    const texts = [once, twice].flatMap((read) => (read ? [latin1(read.bytes)] : []));
    return [text, ...texts.filter((read) => !mayBeAWord(read))];
  });

/** The digits that some bytes decide alone, at each of the three offsets. */
const base64: Encoder = (bytes) =>
  [0, 1, 2].flatMap((offset) => {
    const digits = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
    const text = digits.slice(offset + Math.sign(offset), Math.floor(((offset + bytes.length) * 8) / 6));
    return [text, inUrl(text)];
  });
const inUrl = (digits: string) => digits.replaceAll('+', '-').replaceAll('/', '_');

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

const codeOf = (c: string) => c.codePointAt(0) ?? 0;
const percent = (c: string) => Array.from(Buffer.from(c), (byte) => `%${digitsOf(byte, 2)}`).join('');
const digitsOf = (code: number, least: number) => code.toString(16).padStart(least, '0');
const inUnits = (c: string) => c.replace(/./gs, (half) => `\\u${digitsOf(half.charCodeAt(0), 4)}`);
const capitals = (text: string) => text.replace(/(?<=\\u|%|&#x)[\da-f]+/g, (digits) => digits.toUpperCase());

/** What may have been done before a secret is packed: strings of JSON, values in URLs, and escapes of every character. */
const escapes: Encoder = (bytes) => {
  const text = bytes.toString();
  const each = (write: (c: string) => string) => Array.from(text, write).join('');
  const throughout = [inUnits, percent, (c: string) => `&#x${digitsOf(codeOf(c), 1)};`].map(each);
  return [
    JSON.stringify(text).slice(1, -1),
    each((c) => (/[\w.!~*'()-]/.test(c) ? c : percent(c).toUpperCase())),
    each((c) => `&#${codeOf(c)};`),
    ...[...throughout, ...throughout.map(capitals)],
  ].map(utf8);
};

/** A shorter secret may be any word or number, so only whole values count as the secret. */
export const WHOLE_VALUE_BELOW = 8;
/** A shorter secret of letters alone may be an ordinary word. */
const TELLING_LETTERS = 16;
/** Of a longer secret, no two encodings in a row are looked for: they have hundreds of times its length. */
const LONGEST_IN_TWO = 1000;

/** Whether a secret may be an ordinary word, which anybody may say. */
export function mayBeAWord(secret: string): boolean {
  return secret.length < WHOLE_VALUE_BELOW || (secret.length < TELLING_LETTERS && /^\p{L}+$/u.test(secret));
}

/** To make the forms of a secret takes longer than to search an answer, and many runs of one process have the same. */
const made = new Map<string, readonly Form[]>();
const MOST_MADE = 2_000_000;
let charactersMade = 0;

/** Returns all forms of a secret, the same list each time. */
export function formsOf(secret: string): readonly Form[] {
  const before = made.get(secret);
  if (before) return before;
  const forms = newFormsOf(secret);
  charactersMade += charactersIn(forms);
  if (charactersMade > MOST_MADE) made.clear();
  if (made.size === 0) charactersMade = charactersIn(forms);
  made.set(secret, forms);
  return forms;
}

/** How many characters some forms have together. */
export function charactersIn(forms: readonly Form[]): number {
  return forms.reduce((sum, { text }) => sum + text.length, 0);
}

/** Returns the forms of a secret in which it is not packed. */
export function formsAsItIs(secret: string): readonly Form[] {
  return newFormsOf(secret, false);
}

const OTHER_CASE = 'other-case';

function newFormsOf(secret: string, isPacked = true): Form[] {
  const bytes = Buffer.from(secret);
  const isShort = secret.length < WHOLE_VALUE_BELOW;
  const isWord = mayBeAWord(secret);
  const otherCase = isWord ? [OTHER_CASE, 'part'] : [OTHER_CASE];
  const forms = new Map<string, Form>();
  const put = (texts: Iterable<string>, words: readonly string[]) => {
    const wordsInOtherCase = isShort ? null : [...new Set([...words, ...otherCase])];
    for (const text of texts)
      if (!forms.has(text))
        forms.set(text, { text, folded: text.toLowerCase(), words, isWhole: isShort, wordsInOtherCase });
  };
  const putPacked = (texts: Iterable<string>, words: readonly string[]) => {
    for (const text of isPacked ? new Set(texts) : [])
      for (const [packed, encode] of PACKINGS)
        put(encode(Buffer.from(text, 'latin1')), [...new Set([...packed, ...words])]);
  };
  if (!isOfTheProtocol(secret)) put(asItIs(bytes), isWord ? [WORD] : []);
  if (isShort) return [...forms.values()];
  putPacked(characterSets(bytes), []);
  const inAnotherCase = [secret, utf8(secret)].flatMap((text) => [text.toLowerCase(), text.toUpperCase()]);
  for (const text of inAnotherCase) {
    const inThatCase = characterSets(Buffer.from(text));
    if (!isOfTheProtocol(secret)) put(asItIs(Buffer.from(text)), otherCase);
    if (secret.length <= LONGEST_IN_TWO) putPacked(inThatCase, otherCase);
  }
  if (!isPacked || secret.length > LONGEST_IN_TWO) return [...forms.values()];
  putPacked(escapes(bytes), []);
  for (const [words, encode] of PACKINGS) putPacked(encode(bytes), words);
  return [...forms.values()];
}

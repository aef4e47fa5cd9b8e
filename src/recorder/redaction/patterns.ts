/** Lists what is searched for: each way in which the bytes of a secret may stand in a text without escapes. */
import { escapesIn } from '../../evidence/http/escapes';
import { Automaton } from './automaton';

/** A shorter secret may be an ordinary word, so only whole values count as the secret. */
const WHOLE_VALUE_BELOW = 8;
/** A secret that looks like escapes is also searched for with these undone, if at least this many bytes are left. */
const TELLING_LEFT = 6;
/** A shorter secret of letters alone may be a word, so it is not searched for in another case or backwards. */
const TELLING_LETTERS = 16;

/** A secret, and a marker such as `[secret:apiKey:alice]`. */
export type Secret = { marker: string; raw: string };

export interface Found {
  marker: string;
  isShort: boolean;
  /** The pattern is the secret's base64, too short to be recognized in the middle of other base64. */
  isBase64?: true;
  /** The pattern lacks the secret's first and last byte: an encoding that was cut may hold only parts of these. */
  isTrimmed?: true;
  /** This is added to the marker. */
  form?: 'reversed' | 'other-case';
}

export type Patterns = ReturnType<typeof patternsOf>;

/**
 * Returns the automatons that search for all secrets. If two patterns are equal, the first counts.
 * @returns `exact` for bytes as they are; `folded` for bytes in small letters, forwards and backwards; `shortest` and
 * `reach`, the lengths of the shortest and the longest exact pattern
 */
export function patternsOf(secrets: readonly Secret[]) {
  const [exact, folded] = [new Map<string, Found>(), new Map<string, Found>()];
  const put = (into: Map<string, Found>, text: string, found: Found) => into.has(text) || into.set(text, found);
  for (const { marker, raw } of secrets) {
    const isShort = raw.length < WHOLE_VALUE_BELOW;
    const found: Found = { marker, isShort };
    const spellings = spellingsOf(raw);
    for (const spelling of spellings) put(exact, spelling, found);
    if (isShort) {
      if (Buffer.byteLength(raw) > 1)
        for (const alphabet of ['base64', 'base64url'] as const)
          put(exact, Buffer.from(raw).toString(alphabet).replace(/=+$/, ''), { ...found, isBase64: true });
      continue;
    }
    for (const spelling of spellings) {
      const left = withoutEscapes(spelling);
      if (left.length >= TELLING_LEFT) put(exact, left, found);
      put(exact, spelling.slice(1, -1), { ...found, isTrimmed: true });
    }
    if (!isTelling(raw)) continue;
    const cases = new Set([raw, raw.toLowerCase(), raw.toUpperCase(), swapped(raw)]);
    for (const spelling of [...cases].flatMap(spellingsOf)) {
      put(folded, foldedText(spelling), { ...found, form: 'other-case' });
      put(folded, foldedText(backwards(spelling)), { ...found, form: 'reversed' });
    }
    for (const spelling of [...cases].map(backwards).flatMap(spellingsOf))
      put(folded, foldedText(spelling), { ...found, form: 'reversed' });
  }
  const lengths = [...exact.keys()].map(({ length }) => length);
  const [shortest, reach] = [Math.min(...lengths), Math.max(0, ...lengths)];
  return { exact: new Automaton(exact), folded: new Automaton(folded), shortest, reach };
}

/** Returns a byte with a capital letter made small. */
export function foldedByte(byte: number): number {
  return byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte;
}

function foldedText(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

function backwards(text: string): string {
  return [...text].reverse().join('');
}

function swapped(text: string): string {
  return [...text].map((c) => (c === c.toLowerCase() ? c.toUpperCase() : c.toLowerCase())).join('');
}

/** Whether a secret can be searched for in another case and backwards, because it is no ordinary word. */
function isTelling(raw: string): boolean {
  return raw.length >= TELLING_LETTERS || (/[A-Za-z]/.test(raw) && /[^A-Za-z]/.test(raw));
}

/**
 * Returns a secret in UTF-8, in Latin-1 (characters beyond it stay in UTF-8), and in UTF-16 if it has such characters;
 * each also with `+` for spaces, as in forms. Each character of a result stands for one byte.
 */
function spellingsOf(raw: string): string[] {
  const texts = raw.includes(' ') ? [raw, raw.replaceAll(' ', '+')] : [raw];
  return texts.flatMap((text) => {
    const utf8 = Buffer.from(text, 'utf8').toString('latin1');
    const utf16 = Buffer.from(text, 'utf16le');
    return [
      utf8,
      // UTF-8 that was taken for Latin-1 and encoded in UTF-8 once more.
      Buffer.from(utf8, 'utf8').toString('latin1'),
      text.replace(/[^\0-\u00ff]+/g, (rest) => Buffer.from(rest, 'utf8').toString('latin1')),
      ...(/[^\0-\u00ff]/.test(text) ? [utf16.toString('latin1'), utf16.swap16().toString('latin1')] : []),
    ];
  });
}

/** Returns a secret with everything in it undone that looks like an escape. */
function withoutEscapes(spelling: string): string {
  let [left, escapes] = [spelling, [...escapesIn(spelling, true)]];
  while (escapes.length > 0) {
    for (const { index, length, bytes } of escapes.reverse())
      left = left.slice(0, index) + bytes + left.slice(index + length);
    escapes = [...escapesIn(left, true)];
  }
  return left;
}

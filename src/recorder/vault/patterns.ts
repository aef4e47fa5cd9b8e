/** What is looked for: every secret in the ways in which its bytes may stand in a text that no longer has escapes. */
import { escapesIn } from '../../evidence/escapes';
import { Automaton } from './automaton';

/** Below this length a secret is too likely to be an ordinary word: only whole values are taken for it. */
const WHOLE_VALUE_BELOW = 8;
/** What is left of a secret without the escapes in it is looked for from this length on. */
const TELLING_LEFT = 6;
/** A secret of letters alone is looked for in the other case and backwards from this length on: it may be a word. */
const TELLING_LETTERS = 16;

/** A secret, and a marker such as `[secret:apiKey:alice]`. */
export type Secret = { marker: string; raw: string };

/** How a secret was found. */
export interface Found {
  marker: string;
  isShort: boolean;
  /** Its base64, which is too short to be told in the middle of other base64. */
  isBase64?: true;
  /** Without its first and last byte, of which an encoding that was cut holds a part only. */
  isTrimmed?: true;
  /** Added to the marker. */
  form?: 'reversed' | 'other-case';
}

export type Patterns = ReturnType<typeof patternsOf>;

/**
 * The searches for all secrets; of two that are equal, the first counts.
 * @returns `exact` for what stands as it is, `folded` for small letters, forwards and backwards; the bytes of the shortest
 * and of the longest, its `reach`
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

/** A byte in small letters. */
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

/** Not a word that might stand anywhere in another letter case. */
function isTelling(raw: string): boolean {
  return raw.length >= TELLING_LETTERS || (/[A-Za-z]/.test(raw) && /[^A-Za-z]/.test(raw));
}

/**
 * UTF-8; Latin-1 as far as it goes; UTF-16 where it is more than Latin-1 with zeros; spaces as forms write them.
 * @returns texts of which each character is a byte
 */
function spellingsOf(raw: string): string[] {
  const texts = raw.includes(' ') ? [raw, raw.replaceAll(' ', '+')] : [raw];
  return texts.flatMap((text) => {
    const utf8 = Buffer.from(text, 'utf8').toString('latin1');
    const utf16 = Buffer.from(text, 'utf16le');
    return [
      utf8,
      // UTF-8 that somebody took for Latin-1 and wrote in UTF-8 once more.
      Buffer.from(utf8, 'utf8').toString('latin1'),
      text.replace(/[^\0-\u00ff]+/g, (rest) => Buffer.from(rest, 'utf8').toString('latin1')),
      ...(/[^\0-\u00ff]/.test(text) ? [utf16.toString('latin1'), utf16.swap16().toString('latin1')] : []),
    ];
  });
}

/** What is left of a secret that looks like escapes itself, once these are undone. */
function withoutEscapes(spelling: string): string {
  let [left, escapes] = [spelling, [...escapesIn(spelling, true)]];
  while (escapes.length > 0) {
    for (const { index, length, bytes } of escapes.reverse())
      left = left.slice(0, index) + bytes + left.slice(index + length);
    escapes = [...escapesIn(left, true)];
  }
  return left;
}

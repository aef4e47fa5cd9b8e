/** What is looked for: every secret in the ways in which its bytes may stand in a text that no longer has escapes. */
import { isAlphanumeric } from '../../evidence/escapes';
import { Automaton } from './automaton';
import { layerOf, unescaped } from './decodings';

/** Below this length a secret is too likely to be an ordinary word: only whole values are taken for it. */
export const WHOLE_VALUE_BELOW = 8;
/** As much must be left of a secret that looks like escapes itself. */
const TELLING_LEFT = 6;
/** A secret of letters alone is looked for in the other case and backwards from this length on: it may be a word. */
const TELLING_LETTERS = 16;

export interface Secret {
  /** Such as `[secret:apiKey:alice]`. */
  marker: string;
  raw: string;
}

/** How a secret was found. */
export interface Found {
  secret: Secret;
  isShort: boolean;
  /** Its base64, which is too short to be told in the middle of other base64. */
  isBase64: boolean;
  /** Without its first and last byte, of which an encoding that was cut holds a part only. */
  isTrimmed: boolean;
  /** Added to the marker. */
  form: 'reversed' | 'other-case' | null;
}

export interface Patterns {
  /** As it is. */
  exact: Automaton<Found>;
  /** Bytes of the shortest, and of the longest. */
  shortest: number;
  reach: number;
  /** In small letters, forwards and backwards. */
  folded: Automaton<Found>;
}

/** The searches for all secrets; of two that are equal, the first counts. */
export function patternsOf(secrets: readonly Secret[]): Patterns {
  const exact = new Map<string, Found>();
  const folded = new Map<string, Found>();
  const put = (into: Map<string, Found>, bytes: Uint8Array, found: Found) => {
    const text = Buffer.from(bytes).toString('latin1');
    if (!into.has(text)) into.set(text, found);
  };
  for (const secret of secrets) {
    const { raw } = secret;
    const found: Found = {
      secret,
      isShort: raw.length < WHOLE_VALUE_BELOW,
      isBase64: false,
      isTrimmed: false,
      form: null,
    };
    const spellings = spellingsOf(raw);
    for (const bytes of spellings) put(exact, bytes, found);
    if (found.isShort) {
      const base64 = Buffer.from(raw, 'utf8').toString('base64').replace(/=+$/, '');
      for (const text of base64.length > 2 ? [base64, base64.replace(/\+/g, '-').replace(/\//g, '_')] : [])
        put(exact, Buffer.from(text), { ...found, isBase64: true });
      continue;
    }
    for (const bytes of spellings) {
      const left = withoutEscapes(bytes);
      if (left.length >= TELLING_LEFT) put(exact, left, found);
      put(exact, bytes.subarray(1, -1), { ...found, isTrimmed: true });
    }
    if (!isTelling(raw)) continue;
    const cases = [raw, raw.toLowerCase(), raw.toUpperCase(), swapped(raw)];
    for (const text of new Set(cases))
      for (const bytes of spellingsOf(text)) {
        put(folded, bytes.map(foldedByte), { ...found, form: 'other-case' });
        put(folded, bytes.map(foldedByte).reverse(), { ...found, form: 'reversed' });
      }
    for (const text of new Set(cases))
      for (const bytes of spellingsOf([...text].reverse().join('')))
        put(folded, bytes.map(foldedByte), { ...found, form: 'reversed' });
  }
  const lengths = [...exact.keys()].map(({ length }) => length);
  const [shortest, reach] = [Math.min(...lengths), Math.max(0, ...lengths)];
  return { exact: new Automaton(exact), folded: new Automaton(folded), shortest, reach };
}

/** A byte in small letters. */
export function foldedByte(byte: number): number {
  return byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte;
}

function swapped(text: string): string {
  return [...text].map((c) => (c === c.toLowerCase() ? c.toUpperCase() : c.toLowerCase())).join('');
}

/** Not a word that might stand anywhere in another letter case. */
function isTelling(raw: string): boolean {
  if (raw.length >= TELLING_LETTERS) return true;
  return /[A-Za-z]/.test(raw) && [...Buffer.from(raw)].some((byte) => !isAlphanumeric(byte) || byte < 0x40);
}

/** UTF-8; Latin-1 as far as it goes; UTF-16 where it is more than Latin-1 with zeros; spaces as forms write them. */
function spellingsOf(raw: string): Buffer[] {
  const texts = raw.includes(' ') ? [raw, raw.replaceAll(' ', '+')] : [raw];
  return texts.flatMap((text) => {
    const little = Buffer.from(text, 'utf16le');
    return [
      Buffer.from(text, 'utf8'),
      // UTF-8 that somebody took for Latin-1 and wrote in UTF-8 once more.
      Buffer.from(Buffer.from(text, 'utf8').toString('latin1'), 'utf8'),
      Buffer.concat([...text].map((c) => Buffer.from(c, c <= '\u00ff' ? 'latin1' : 'utf8'))),
      ...(/[^\0-\u00ff]/.test(text) ? [little, Buffer.from(little).swap16()] : []),
    ];
  });
}

/** What is left of a secret that looks like escapes itself, once these are undone. */
function withoutEscapes(bytes: Buffer): Uint8Array {
  let layer = layerOf([{ bytes, from: 0, to: 0 }]);
  for (;;) {
    const next = layer && unescaped(layer, true);
    if (!next) return layer?.bytes ?? bytes;
    layer = next;
  }
}

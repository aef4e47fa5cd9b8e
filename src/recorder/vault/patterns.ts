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
  /** Bytes of the longest. */
  reach: number;
  /** In small letters, forwards and backwards. */
  folded: Automaton<Found>;
}

/** The searches for all secrets; of two that are equal, the first counts. */
export function patternsOf(secrets: readonly Secret[]): Patterns {
  const exact: Array<readonly [Uint8Array, Found]> = [];
  const folded: Array<readonly [Uint8Array, Found]> = [];
  for (const secret of secrets) {
    const isShort = secret.raw.length < WHOLE_VALUE_BELOW;
    const found: Found = { secret, isShort, isBase64: false, isTrimmed: false, form: null };
    const spellings = spellingsOf(secret.raw);
    for (const bytes of spellings) exact.push([bytes, found]);
    if (isShort) {
      const base64 = Buffer.from(secret.raw, 'utf8').toString('base64').replace(/=+$/, '');
      if (base64.length > 2)
        for (const text of new Set([base64, base64.replace(/\+/g, '-').replace(/\//g, '_')]))
          exact.push([Buffer.from(text), { ...found, isBase64: true }]);
      continue;
    }
    for (const bytes of spellings) exact.push([bytes.subarray(1, -1), { ...found, isTrimmed: true }]);
    for (const bytes of spellings) {
      const left = withoutEscapes(bytes);
      if (left.length >= TELLING_LEFT) exact.push([left, found]);
    }
    if (!isTelling(secret.raw)) continue;
    const cases = [...new Set([secret.raw, secret.raw.toLowerCase(), secret.raw.toUpperCase(), swapped(secret.raw)])];
    for (const bytes of cases.flatMap(spellingsOf)) folded.push([foldedBytes(bytes), { ...found, form: 'other-case' }]);
    const backwards = cases.map((text) => [...text].reverse().join('')).flatMap(spellingsOf);
    for (const bytes of [...backwards, ...cases.flatMap(spellingsOf).map((one) => one.reverse())])
      folded.push([foldedBytes(bytes), { ...found, form: 'reversed' }]);
  }
  const reach = exact.reduce((most, [bytes]) => Math.max(most, bytes.length), 0);
  return { exact: new Automaton(exact), folded: new Automaton(folded), reach };
}

/** A byte in small letters. */
export function foldedByte(byte: number): number {
  return byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte;
}

function foldedBytes(bytes: Uint8Array): Uint8Array {
  return bytes.map(foldedByte);
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

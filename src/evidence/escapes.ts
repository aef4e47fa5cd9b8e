/** Escapes of JSON and JavaScript, URLs and HTML, undone: what a text says, whichever way it says it. */
import { codePointOf } from './html-names';

/** What JSON and JavaScript write with one letter after a backslash. */
const SHORT: ReadonlyMap<number, number> = new Map(
  [...'""\\\\//\'\'b\bf\fn\nr\rt\tv\v'].flatMap((character, i, all) =>
    i % 2 === 0 ? [[character.charCodeAt(0), all[i + 1]?.charCodeAt(0) ?? 0] as const] : [],
  ),
);

const PERCENT = 0x25;
const AMPERSAND = 0x26;
const BACKSLASH = 0x5c;
const SEMICOLON = 0x3b;

/** One escape: how many bytes it takes, and the bytes it stands for. */
export interface Escape {
  length: number;
  bytes: readonly number[];
}

/** Whether an escape may begin with this byte. */
export function isIntroducer(byte: number | undefined): boolean {
  return byte === PERCENT || byte === BACKSLASH || byte === AMPERSAND;
}

/**
 * The escape that begins at a position, or `null`: `%41`, `%u0041`, `\u0041`, `\u{41}`, `\x41`, `\101`, `\n`, `&#65;`,
 * `&#x41;` (with or without the semicolon) and `&amp;`.
 */
export function escapeAt(text: Uint8Array, at: number): Escape | null {
  switch (text[at]) {
    case PERCENT:
      return percentAt(text, at);
    case BACKSLASH:
      return backslashAt(text, at);
    case AMPERSAND:
      return entityAt(text, at);
    default:
      return null;
  }
}

function percentAt(text: Uint8Array, at: number): Escape | null {
  if (isLetter(text[at + 1], 'u')) return unitAt(text, at, PERCENT);
  const byte = hexAt(text, at + 1, 2);
  return byte === null ? null : { length: 3, bytes: [byte] };
}

function backslashAt(text: Uint8Array, at: number): Escape | null {
  const next = text[at + 1];
  if (next === undefined) return null;
  if (next === 0x75) return text[at + 2] === 0x7b ? bracedAt(text, at) : unitAt(text, at, BACKSLASH);
  if (next === 0x78) {
    const byte = hexAt(text, at + 2, 2);
    return byte === null ? null : { length: 4, bytes: [byte] };
  }
  const short = SHORT.get(next);
  if (short !== undefined) return { length: 2, bytes: [short] };
  let length = 1;
  let value = 0;
  for (let digit = text[at + length]; length <= 3 && isOctal(digit); digit = text[at + length]) {
    if (value * 8 + (digit - 0x30) > 0xff) break;
    value = value * 8 + (digit - 0x30);
    length += 1;
  }
  return length === 1 ? null : { length, bytes: [value] };
}

/** `\u` or `%u` and four digits; two of them where they are the halves of one character. */
function unitAt(text: Uint8Array, at: number, introducer: number): Escape | null {
  const unit = hexAt(text, at + 2, 4);
  if (unit === null) return null;
  const isHigh = unit >= 0xd800 && unit < 0xdc00 && text[at + 6] === introducer && isLetter(text[at + 7], 'u');
  const low = isHigh ? hexAt(text, at + 8, 4) : null;
  if (low !== null && low >= 0xdc00 && low < 0xe000)
    return { length: 12, bytes: utf8Of(0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00)) };
  return { length: 6, bytes: utf8Of(unit) };
}

function bracedAt(text: Uint8Array, at: number): Escape | null {
  let length = 3;
  while (length < 9 && hexAt(text, at + length, 1) !== null) length += 1;
  const code = hexAt(text, at + 3, length - 3);
  return code === null || text[at + length] !== 0x7d ? null : { length: length + 1, bytes: utf8Of(code) };
}

function entityAt(text: Uint8Array, at: number): Escape | null {
  if (text[at + 1] !== 0x23) {
    let end = at + 1;
    while (end < at + 10 && isAlphanumeric(text[end])) end += 1;
    const code = text[end] === SEMICOLON ? codePointOf(latin1(text.subarray(at + 1, end))) : undefined;
    return code === undefined ? null : { length: end + 1 - at, bytes: utf8Of(code) };
  }
  const isHex = isLetter(text[at + 2], 'x');
  const from = at + (isHex ? 3 : 2);
  let end = from;
  // Leading zeros may go on for a while.
  while (end < from + 16 && digitOf(text[end]) < (isHex ? 16 : 10)) end += 1;
  if (end === from) return null;
  const code = Number.parseInt(latin1(text.subarray(from, end)), isHex ? 16 : 10);
  return { length: end - at + (text[end] === SEMICOLON ? 1 : 0), bytes: code > 0x10ffff ? [] : utf8Of(code) };
}

function hexAt(text: Uint8Array, at: number, digits: number): number | null {
  let value = 0;
  for (let i = at; i < at + digits; i += 1) {
    const digit = digitOf(text[i]);
    if (digit > 15) return null;
    value = value * 16 + digit;
  }
  return digits === 0 ? null : value;
}

/** The value of a hexadecimal digit; 99 for anything else. */
export function digitOf(byte: number | undefined): number {
  if (byte === undefined) return 99;
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const small = byte | 0x20;
  return small >= 0x61 && small <= 0x66 ? small - 0x57 : 99;
}

function isOctal(byte: number | undefined): byte is number {
  return byte !== undefined && byte >= 0x30 && byte <= 0x37;
}

function isLetter(byte: number | undefined, letter: string): boolean {
  return byte !== undefined && (byte | 0x20) === letter.charCodeAt(0);
}

export function isAlphanumeric(byte: number | undefined): boolean {
  if (byte === undefined) return false;
  const small = byte | 0x20;
  return (byte >= 0x30 && byte <= 0x39) || (small >= 0x61 && small <= 0x7a);
}

/** The bytes of a code point; half of a surrogate pair is written as if it were a character. */
function utf8Of(code: number): number[] {
  if (code < 0x80) return [code];
  if (code < 0x800) return [0xc0 | (code >> 6), 0x80 | (code & 0x3f)];
  if (code < 0x10000) return [0xe0 | (code >> 12), 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f)];
  return [0xf0 | (code >> 18), 0x80 | ((code >> 12) & 0x3f), 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f)];
}

function latin1(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes);
}

function unescaped(text: Buffer): Buffer {
  const result: number[] = [];
  for (let i = 0; i < text.length; i += 1) {
    const found = isIntroducer(text[i]) ? escapeAt(text, i) : null;
    if (found) {
      result.push(...found.bytes);
      i += found.length - 1;
    } else result.push(text[i] ?? 0);
  }
  return Buffer.from(result);
}

/** What a text says once its escapes are undone, then the escapes in that, and in that: JSON in a URL, a URL in JSON. */
export function layersOf(text: string): string[] {
  const layers: Buffer[] = [Buffer.from(text, 'latin1')];
  for (let i = 0; i < 3; i += 1) layers.push(unescaped(layers[i] as Buffer));
  return layers[1]?.equals(layers[0] as Buffer) ? [text] : layers.slice(1).map((layer) => layer.toString('latin1'));
}

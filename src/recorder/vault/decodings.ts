/**
 * What a layer of bytes may stand for: each decoding makes of a layer the next one, which remembers where in the
 * source its bytes came from. The time of each is that of the layer's length.
 */
import { brotliDecompressSync, constants, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';
import { digitOf, escapeAt, isIntroducer } from '../../evidence/escapes';
import { END_OF_PART, type Layer, LayerBuilder, MARKER_STANDS_HERE } from './layer';

/** Fewer characters of base64, hexadecimal digits or base32 hold no secret that is looked for in them. */
const LEAST_BASE64 = 8;
const LEAST_HEX = 16;
const LEAST_BASE32 = 13;
const LEAST_NUMBERS = 8;
const LEAST_AT_THE_END = 6;

/** Bytes with which the escapes of JSON, URLs and HTML begin. */
export const INTRODUCERS = [0x5c, 0x25, 0x26];

/**
 * A layer without its escapes, or `null` where it has none.
 * @param isDeep also undoes what an escape and the text behind it make together, such as `%2541`
 * @param only undoes no escapes but those that begin with this byte
 */
export function unescaped(layer: Layer, isDeep: boolean, only?: number): Layer | null {
  const bytes = isDeep ? layer.bytes.slice() : layer.bytes;
  const from = isDeep ? layer.from.slice() : layer.from;
  const result = new LayerBuilder(bytes.length, only === undefined);
  let isChanged = false;
  for (let i = 0; i < bytes.length; i += 1) {
    const byte = bytes[i] ?? 0;
    const start = from[i] ?? 0;
    const isPossible = start >= 0 && (only === undefined ? isIntroducer(byte) : byte === only);
    const found = isPossible ? escapeAt(bytes, i) : null;
    if (!found) {
      result.push(byte, start, layer.to[i] ?? 0, from !== layer.from && start !== layer.from[i]);
      continue;
    }
    isChanged = true;
    const last = i + found.length - 1;
    const [first] = found.bytes;
    if (isDeep && found.bytes.length === 1 && isIntroducer(first)) {
      bytes[last] = first ?? 0;
      from[last] = start;
      i = last - 1;
      continue;
    }
    for (const one of found.bytes) result.push(one, start, layer.to[last] ?? 0, true);
    i = last;
  }
  return isChanged ? result.layer() : null;
}

/**
 * Of a layer, what lies around something fresh: all else was looked at before.
 * @param reach as many bytes to each side as a secret has; and on to the end of a run of base64
 */
export function aroundFresh(layer: Layer, reach: number): Layer | null {
  const { bytes, from, to, fresh } = layer;
  if (!fresh) return layer;
  const isKept = new Uint8Array(bytes.length);
  const mark = (i: number, left: number): number => {
    if (fresh[i] === 1) {
      isKept[i] = 1;
      return reach;
    }
    const isInReach = left > 0 || (left === 0 && isBase64(bytes[i]));
    if (isInReach) isKept[i] = 1;
    return isInReach ? Math.max(0, left - 1) : -1;
  };
  for (let i = 0, left = -1; i < bytes.length; i += 1) left = mark(i, left);
  for (let i = bytes.length - 1, left = -1; i >= 0; i -= 1) left = mark(i, left);
  const result = new LayerBuilder(bytes.length, true);
  for (let i = 0; i < bytes.length; i += 1) {
    if (isKept[i] === 0) result.end(MARKER_STANDS_HERE);
    else if ((from[i] ?? 0) < 0) result.end(from[i]);
    else result.push(bytes[i] ?? 0, from[i] ?? 0, to[i] ?? 0, fresh[i] === 1);
  }
  return result.layer();
}

/** Quoted-printable undone (RFC 2045, 6.7), or `null` where there is none. */
export function unquoted(layer: Layer): Layer | null {
  const { bytes, from, to } = layer;
  const result = new LayerBuilder(bytes.length, true);
  let isChanged = false;
  let isAfterBreak = false;
  for (let i = 0; i < bytes.length; i += 1) {
    if (bytes[i] === 0x3d && (from[i] ?? 0) >= 0) {
      const [high, low] = [digitOf(bytes[i + 1]), digitOf(bytes[i + 2])];
      const isSoft = bytes[i + 1] === 0x0a || (bytes[i + 1] === 0x0d && bytes[i + 2] === 0x0a);
      if (isSoft || (high < 16 && low < 16)) {
        isChanged = true;
        const last = i + (bytes[i + 1] === 0x0a ? 1 : 2);
        if (!isSoft) result.push(high * 16 + low, from[i] ?? 0, to[last] ?? 0, true);
        isAfterBreak = isSoft;
        i = last;
        continue;
      }
    }
    result.push(bytes[i] ?? 0, from[i] ?? 0, to[i] ?? 0, isAfterBreak);
    isAfterBreak = false;
  }
  return isChanged ? result.layer() : null;
}

/** Fewer characters that are two or four bytes each hold no secret that is looked for in them. */
const LEAST_WIDE = 8;

/** What stands in UTF-16 or UTF-32 and has one byte in Latin-1: every other byte of it, or three of four, are zeros. */
export function narrowed(layer: Layer): Layer | null {
  const { bytes, from, to } = layer;
  const result = new LayerBuilder(bytes.length + 1);
  let start = 0;
  let zeros = 0;
  let others = 0;
  for (let i = 0; i <= bytes.length; i += 1) {
    const isZero = bytes[i] === 0;
    // Two in a row that are not zero, or four that are, end what may be wide.
    const ends = i === bytes.length || (isZero ? zeros === 3 : others === 1) || (from[i] ?? 0) < 0;
    if (ends) {
      if (i - start >= 2 * LEAST_WIDE) {
        result.end();
        for (let k = start; k < i; k += 1) if (bytes[k] !== 0) result.push(bytes[k] ?? 0, from[k] ?? 0, to[k] ?? 0);
      }
      start = i;
      others = 0;
      zeros = 0;
    }
    zeros = isZero ? zeros + 1 : 0;
    others = isZero ? 0 : others + 1;
  }
  return result.layer();
}

/** The same bytes, the last one first. */
export function reversed({ bytes, from, to, fresh }: Layer): Layer {
  return {
    bytes: bytes.slice().reverse(),
    from: from.slice().reverse(),
    to: to.slice().reverse(),
    fresh: fresh?.slice().reverse() ?? null,
  };
}

/** In a table: no digit. */
const NO_DIGIT = 99;

/** A run of characters of one alphabet, line by line: a line is masked as a whole where anything in it is. */
interface Run {
  lines: Array<{ start: number; end: number; from: number; to: number }>;
  length: number;
}

const BASE64 = tableOf('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/', '-_');
const BASE32 = tableOf('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567');
for (let i = 0; i < 26; i += 1) BASE32[0x61 + i] = i;
const HEX = new Uint8Array(256).map((_, byte) => digitOf(byte));

function tableOf(alphabet: string, lastTwo = ''): Uint8Array {
  const table = new Uint8Array(256).fill(NO_DIGIT);
  for (const [i, character] of [...alphabet].entries()) table[character.charCodeAt(0)] = i;
  for (const [i, character] of [...lastTwo].entries()) table[character.charCodeAt(0)] = 62 + i;
  return table;
}

export function isBase64(byte: number | undefined): boolean {
  return byte !== undefined && BASE64[byte] !== NO_DIGIT;
}

/** A way to write bytes in digits of so many bits. */
interface Digits {
  form: string;
  table: Uint8Array;
  bits: number;
  /** Digits after which the bits begin anew: a run may be read from any of so many. */
  phases: number;
  least: number;
}

/** With the name that a marker gets which was found so. */
export const DIGITS: readonly Digits[] = [
  { form: 'base64', table: BASE64, bits: 6, phases: 4, least: LEAST_BASE64 },
  { form: 'hex', table: HEX, bits: 4, phases: 2, least: LEAST_HEX },
  { form: 'base32', table: BASE32, bits: 5, phases: 8, least: LEAST_BASE32 },
];

/**
 * The runs of an alphabet, over the ends of lines; of a layer of escapes undone, those alone in which one was.
 * @param length of the source
 */
export function runsOf(layer: Layer, { table, least }: Digits, length: number): Run[] {
  const { bytes, from, to, fresh } = layer;
  const runs: Run[] = [];
  for (let i = 0; i < bytes.length; i += 1) {
    if (table[bytes[i] ?? 0] === NO_DIGIT) continue;
    const run: Run = { lines: [], length: 0 };
    let isFresh = fresh === null;
    for (;;) {
      const start = i;
      for (; i < bytes.length && table[bytes[i] ?? 0] !== NO_DIGIT; i += 1) isFresh ||= fresh?.[i] === 1;
      let end = i;
      while (end < i + 2 && bytes[end] === 0x3d) end += 1;
      const ends = [from[start] ?? 0, to[start] ?? 0, from[end - 1] ?? 0, to[end - 1] ?? 0];
      run.lines.push({ start, end: i, from: Math.min(...ends), to: Math.max(...ends) });
      run.length += i - start;
      const next = afterLineBreak(bytes, i);
      if (next === i || table[bytes[next] ?? 0] === NO_DIGIT || (from[i] ?? 0) < 0) break;
      for (let k = i; k < next; k += 1) isFresh ||= fresh?.[k] === 1;
      i = next;
    }
    // At the very end, a run may be the beginning of a longer one.
    const enough = (run.lines.at(-1)?.to ?? 0) >= length ? LEAST_AT_THE_END : least;
    if (run.length >= enough && isFresh) runs.push(run);
  }
  return runs;
}

/** Where the text goes on after one end of a line and some indentation. */
function afterLineBreak(bytes: Uint8Array, at: number): number {
  let next = at;
  if (bytes[next] === 0x0d) next += 1;
  if (bytes[next] !== 0x0a) return next;
  next += 1;
  while (next < at + 10 && (bytes[next] === 0x20 || bytes[next] === 0x09)) next += 1;
  return next;
}

/** What runs of digits stand for, where so many of their first digits end what began before; `null` where nothing is left. */
export function decoded(
  layer: Layer,
  runs: readonly Run[],
  { table, bits, phases }: Digits,
  phase: number,
): Layer | null {
  const size = runs.reduce((sum, run) => sum + Math.ceil((run.length * bits) / 8) + 3, 1);
  const result = new LayerBuilder(size);
  for (const { lines } of runs) {
    result.end();
    // As if the digits before the run's first one had been zeros.
    let left = (((phases - phase) % phases) * bits) % 8;
    let value = 0;
    let before = lines[0];
    for (const line of lines) {
      for (let i = line.start; i < line.end; i += 1) {
        value = ((value << bits) | (table[layer.bytes[i] ?? 0] ?? 0)) & 0xffff;
        left += bits;
        if (left < 8) continue;
        left -= 8;
        // Up to two digits before this one have a part in the byte.
        const first = (i - line.start < 2 ? before : line) ?? line;
        result.push((value >> left) & 0xff, Math.min(first.from, line.from), Math.max(first.to, line.to));
      }
      before = line;
    }
  }
  return result.layer();
}

/** Bytes written as numbers or as pairs of hexadecimal digits, with a little between them: `[115, 101]`, `73:65`. */
export function listed(layer: Layer, isHex: boolean): Layer | null {
  const { bytes, from, to } = layer;
  const result = new LayerBuilder(2 * bytes.length + 2);
  let found = 0;
  let between = 0;
  for (let i = 0; i < bytes.length; i += 1) {
    const token = isHex ? pairAt(bytes, i) : numberAt(bytes, i);
    if (token === null) {
      between += 1;
      if (between > 3 || !isBetween(bytes[i])) {
        result.end();
        // What is a part of a word is no number.
        while (isWordByte(bytes[i]) && isWordByte(bytes[i + 1])) i += 1;
      }
      continue;
    }
    const last = i + token.length - 1;
    result.push(token.value, from[i] ?? 0, to[last] ?? 0);
    found += 1;
    between = 0;
    i = last;
  }
  return found >= LEAST_NUMBERS ? result.layer() : null;
}

function isBetween(byte: number | undefined): boolean {
  return byte !== undefined && (byte <= 0x20 || byte === 0x2c || byte === 0x3a || byte === 0x3b || byte === 0x2d);
}

function isWordByte(byte: number | undefined): boolean {
  return byte !== undefined && (digitOf(byte) < 10 || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a));
}

function numberAt(bytes: Uint8Array, at: number): { value: number; length: number } | null {
  let value = 0;
  let length = 0;
  while (length < 4 && digitOf(bytes[at + length]) < 10) {
    value = value * 10 + digitOf(bytes[at + length]);
    length += 1;
  }
  return length === 0 || length > 3 || value > 255 || isWordByte(bytes[at + length]) ? null : { value, length };
}

function pairAt(bytes: Uint8Array, at: number): { value: number; length: number } | null {
  const skipped = bytes[at] === 0x30 && ((bytes[at + 1] ?? 0) | 0x20) === 0x78 ? 2 : 0;
  const [high, low] = [digitOf(bytes[at + skipped]), digitOf(bytes[at + skipped + 1])];
  if (high > 15 || low > 15 || isWordByte(bytes[at + skipped + 2])) return null;
  return { value: high * 16 + low, length: skipped + 2 };
}

/** What a part stands for that is compressed; `undecided` where it holds more than may be read. */
export type Inflated = Buffer | 'undecided' | null;

/**
 * The content of a part that begins as gzip or zlib do, as far as it goes; or, with nothing to tell it by, of one that
 * is a whole stream of deflate or brotli.
 */
export function inflated(part: Buffer, limit: number, isUnmarked: boolean): Inflated {
  const [first = 0, second = 0] = part;
  const partly = { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: limit };
  if (first === 0x1f && second === 0x8b) return attempt(() => gunzipSync(part, partly));
  const isZlib = (first & 0x0f) === 8 && (first * 256 + second) % 31 === 0;
  const zlib = isZlib ? attempt(() => inflateSync(part, partly)) : null;
  if (zlib !== null || !isUnmarked) return zlib;
  const whole = { maxOutputLength: limit };
  const raw = attempt(() => inflateRawSync(part, whole));
  return raw === null || raw.length === 0 ? attempt(() => brotliDecompressSync(part, whole)) : raw;
}

function attempt(inflate: () => Buffer): Inflated {
  try {
    return inflate();
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' ? 'undecided' : null;
  }
}

/** A layer of its own for what stands for a part of another. */
export function layerOf(contents: ReadonlyArray<{ bytes: Uint8Array; from: number; to: number }>): Layer | null {
  const result = new LayerBuilder(contents.reduce((sum, { bytes }) => sum + bytes.length + 1, 1));
  for (const { bytes, from, to } of contents) {
    result.end();
    for (const byte of bytes) result.push(byte, from, to);
  }
  return result.layer();
}

/** The parts of a layer, each with the place it stands for. */
export function* partsOf({ bytes, from, to }: Layer): Generator<{ bytes: Buffer; from: number; to: number }> {
  let start = 0;
  for (let i = 0; i <= bytes.length; i += 1) {
    if (i < bytes.length && (from[i] ?? END_OF_PART) >= 0) continue;
    if (i > start) {
      const ends = [from[start] ?? 0, to[start] ?? 0, from[i - 1] ?? 0, to[i - 1] ?? 0];
      yield { bytes: Buffer.from(bytes.subarray(start, i)), from: Math.min(...ends), to: Math.max(...ends) };
    }
    start = i + 1;
  }
}

/**
 * What a layer of bytes may stand for: each decoding makes of a layer the next one, which remembers where in the
 * source its bytes came from. The time of each is that of the layer's length.
 */
import { brotliDecompressSync, constants, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';
import { digitOf, type Escape, escapeAt, isIntroducer } from '../../evidence/escapes';
import { END_OF_PART, type Layer, LayerBuilder, MARKER_STANDS_HERE } from './layer';

const EQUALS = 0x3d;
/** Bytes with which the escapes of JSON, URLs and HTML begin. */
export const INTRODUCERS = [0x5c, 0x25, 0x26];

/**
 * A layer without its escapes, or `null` where it has none.
 * @param isDeep also undoes what an escape and the text behind it make together, such as `%2541`
 * @param only undoes no escapes but those that begin with this byte; an equals sign asks for those of quoted-printable
 */
export function unescaped(layer: Layer, isDeep: boolean, only?: number): Layer | null {
  const mayBegin = (byte: number) => (only === undefined ? isIntroducer(byte) : byte === only);
  if (!layer.bytes.some(mayBegin)) return null;
  const bytes = isDeep ? layer.bytes.slice() : layer.bytes;
  const from = isDeep ? layer.from.slice() : layer.from;
  const result = new LayerBuilder(bytes.length);
  let isChanged = false;
  let isAfterNothing = false;
  for (let i = 0; i < bytes.length; i += 1) {
    const byte = bytes[i] ?? 0;
    const start = from[i] ?? 0;
    const found = start >= 0 && mayBegin(byte) ? (byte === EQUALS ? quotedAt(bytes, i) : escapeAt(bytes, i)) : null;
    if (!found) {
      result.push(byte, start, layer.to[i] ?? 0, isAfterNothing || start !== layer.from[i]);
      isAfterNothing = false;
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
    for (const one of found.bytes) result.push(one, start, layer.to[last] ?? 0);
    isAfterNothing = found.bytes.length === 0;
    i = last;
  }
  return isChanged ? result.layer() : null;
}

/** An escape of quoted-printable, or the end of a line that was broken for it (RFC 2045, 6.7). */
function quotedAt(bytes: Uint8Array, at: number): Escape | null {
  if (bytes[at + 1] === 0x0a) return { length: 2, bytes: [] };
  if (bytes[at + 1] === 0x0d && bytes[at + 2] === 0x0a) return { length: 3, bytes: [] };
  const [high, low] = [digitOf(bytes[at + 1]), digitOf(bytes[at + 2])];
  return high < 16 && low < 16 ? { length: 3, bytes: [high * 16 + low] } : null;
}

/**
 * Of a layer, what lies around something fresh: all else was looked at before.
 * @param reach as many bytes to each side as a secret has; and on to the end of a run of base64
 */
export function aroundFresh({ bytes, from, to, fresh }: Layer, reach: number): Layer | null {
  const isKept = new Uint8Array(bytes.length);
  const mark = (i: number, left: number): number => {
    const isInReach = fresh[i] === 1 || left > 0 || (left === 0 && isBase64(bytes[i]));
    if (isInReach) isKept[i] = 1;
    return fresh[i] === 1 ? reach : isInReach ? Math.max(0, left - 1) : -1;
  };
  for (let i = 0, left = -1; i < bytes.length; i += 1) left = mark(i, left);
  for (let i = bytes.length - 1, left = -1; i >= 0; i -= 1) left = mark(i, left);
  const result = new LayerBuilder();
  for (let i = 0; i < bytes.length; i += 1) {
    if (isKept[i] === 0) result.end(MARKER_STANDS_HERE);
    else if ((from[i] ?? 0) < 0) result.end(from[i]);
    else result.push(bytes[i] ?? 0, from[i] ?? 0, to[i] ?? 0, fresh[i] === 1);
  }
  return result.layer();
}

/** The same bytes, the last one first. */
export function reversed({ bytes, from, to, fresh }: Layer): Layer {
  const [first, last] = [from.toReversed(), to.toReversed()];
  return { bytes: bytes.toReversed(), from: first, to: last, fresh: fresh.toReversed() };
}

/** A way of writing bytes that keeps none of them as it is. */
interface Decoding {
  /** Added to the marker of what is found so. */
  form: string | null;
  /** By how much what is found so is further from the plain one. */
  rank: number;
  /** Whether what is compressed may be written so. */
  packs?: boolean;
  /**
   * What a layer stands for, read in each possible way.
   * @param length of the source
   * @param reach bytes of the longest secret
   */
  decode(layer: Layer, length: number, reach: number): Iterable<Layer>;
}

/** In a table: no digit. */
const NO_DIGIT = 99;

function tableOf(alphabet: string, lastTwo = ''): Uint8Array {
  const table = new Uint8Array(256).fill(NO_DIGIT);
  for (const [i, character] of [...alphabet].entries()) table[character.charCodeAt(0)] = i;
  for (const [i, character] of [...lastTwo].entries()) table[character.charCodeAt(0)] = 62 + i;
  return table;
}

const CAPITALS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const BASE64 = tableOf(`${CAPITALS}${CAPITALS.toLowerCase()}0123456789+/`, '-_');
const BASE32 = tableOf(`${CAPITALS}234567`);
for (let i = 0; i < 26; i += 1) BASE32[0x61 + i] = i;
const HEX = new Uint8Array(256).map((_, byte) => digitOf(byte));

/** Whether a byte is a character of base64 or base64url. */
export function isBase64(byte: number | undefined): boolean {
  return byte !== undefined && BASE64[byte] !== NO_DIGIT;
}

/**
 * Bytes in digits of so many bits.
 * @param phases digits after which the bits begin anew: a run may be read from any of so many
 * @param least fewer digits hold no secret that is looked for in them
 */
function digits(form: string, table: Uint8Array, bits: number, phases: number, least: number): Decoding {
  return {
    form,
    rank: 10,
    packs: form === 'base64',
    *decode(layer, length) {
      const runs = runsOf(layer, table, least, length);
      for (let phase = 0; runs.length > 0 && phase < phases; phase += 1) {
        // As if the digits before a run's first one had been zeros.
        const inner = decoded(layer, runs, table, bits, (((phases - phase) % phases) * bits) % 8);
        if (inner) yield inner;
      }
    },
  };
}

/** With the name that a marker gets which was found so. */
export const DECODINGS: readonly Decoding[] = [
  digits('base64', BASE64, 6, 4, 8),
  digits('hex', HEX, 4, 2, 16),
  digits('base32', BASE32, 5, 8, 13),
  { form: 'bytes', rank: 10, decode: (layer) => listed(layer, /(?<![0-9A-Za-z])\d{1,3}(?![0-9A-Za-z])/g, 10) },
  {
    form: 'hex',
    rank: 10,
    decode: (layer) => listed(layer, /(?<![0-9A-Za-z])(?:0[xX])?[0-9A-Fa-f]{2}(?![0-9A-Za-z])/g, 16),
  },
  { form: null, rank: 1, decode: narrowed },
  {
    form: null,
    rank: 1,
    decode(layer, _length, reach) {
      const unquoted = isText(layer.bytes) ? unescaped(layer, false, EQUALS) : null;
      const inner = unquoted && aroundFresh(unquoted, reach);
      return inner ? [inner] : [];
    },
  },
];

/** Whether bytes are a text: nearly none of them is a control character or outside ASCII. */
export function isText(bytes: Uint8Array): boolean {
  let other = 0;
  for (const byte of bytes) if (byte > 0x7e || (byte < 0x20 && byte !== 9 && byte !== 10 && byte !== 13)) other += 1;
  return other * 8 <= bytes.length;
}

/** A run of characters of one alphabet, line by line: a line is masked as a whole where anything in it is. */
interface Run {
  lines: Array<{ start: number; end: number; from: number; to: number }>;
  length: number;
}

/** At the very end of the source, a run may be the beginning of a longer one. */
const LEAST_AT_THE_END = 6;

/** The runs of an alphabet in which anything is fresh, over the ends of lines. */
function runsOf({ bytes, from, to, fresh }: Layer, table: Uint8Array, least: number, length: number): Run[] {
  const runs: Run[] = [];
  const isDigit = (i: number) => i < bytes.length && table[bytes[i] ?? 0] !== NO_DIGIT;
  for (let i = 0; i < bytes.length; i += 1) {
    if (!isDigit(i)) continue;
    const run: Run = { lines: [], length: 0 };
    let isFresh = false;
    for (;;) {
      const start = i;
      for (; isDigit(i); i += 1) isFresh ||= fresh[i] === 1;
      let end = i;
      while (end < i + 2 && bytes[end] === EQUALS) end += 1;
      const ends = [from[start] ?? 0, to[start] ?? 0, from[end - 1] ?? 0, to[end - 1] ?? 0];
      run.lines.push({ start, end: i, from: Math.min(...ends), to: Math.max(...ends) });
      run.length += i - start;
      const next = afterLineBreak(bytes, i);
      if (next === i || !isDigit(next) || (from[i] ?? 0) < 0) break;
      for (; i < next; i += 1) isFresh ||= fresh[i] === 1;
    }
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

/** What runs of digits stand for, where so many bits stood before each. */
function decoded(
  { bytes }: Layer,
  runs: readonly Run[],
  table: Uint8Array,
  bits: number,
  bitsBefore: number,
): Layer | null {
  const result = new LayerBuilder(runs.reduce((sum, { length }) => sum + length, 0));
  for (const { lines } of runs) {
    result.end();
    let left = bitsBefore;
    let value = 0;
    let before = lines[0];
    for (const line of lines) {
      for (let i = line.start; i < line.end; i += 1) {
        value = ((value << bits) | (table[bytes[i] ?? 0] ?? 0)) & 0xffff;
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

/** Fewer numbers hold no secret that is looked for in them. */
const LEAST_NUMBERS = 8;
const BETWEEN_NUMBERS = /^[\0- ,:;-]*$/;

/** Bytes written as numbers, with a little between them: `[115, 101]`, `73:65`. */
function listed({ bytes, from, to }: Layer, numbers: RegExp, radix: number): Layer[] {
  const result = new LayerBuilder();
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
  let found = 0;
  let end = 0;
  for (const { 0: token, index } of text.matchAll(numbers)) {
    const value = Number.parseInt(token, radix);
    if (value > 255) continue;
    if (index - end > 3 || !BETWEEN_NUMBERS.test(text.slice(end, index))) result.end();
    end = index + token.length;
    result.push(value, from[index] ?? 0, to[end - 1] ?? 0);
    found += 1;
  }
  const inner = found >= LEAST_NUMBERS ? result.layer() : null;
  return inner ? [inner] : [];
}

/** Fewer characters that are two or four bytes each hold no secret that is looked for in them. */
const LEAST_WIDE = 8;

/** What stands in UTF-16 or UTF-32 and has one byte in Latin-1: every other byte of it, or three of four, are zeros. */
function narrowed({ bytes, from, to }: Layer): Layer[] {
  if (!bytes.includes(0)) return [];
  const result = new LayerBuilder();
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
  const inner = result.layer();
  return inner ? [inner] : [];
}

/** A part of a layer, or what was made of it, and the place it stands for. */
export interface Part {
  bytes: Buffer;
  from: number;
  to: number;
}

/** A part that holds more than may be read. */
export const TOO_LARGE = Symbol('too large');

const GZIP = Buffer.from([0x1f, 0x8b, 0x08]);

/**
 * The content of a part in which gzip stands, or which begins as zlib does, as far as it goes; or, with nothing to tell it
 * by, of one that is a whole stream of deflate or brotli.
 */
export function inflated(part: Buffer, limit: number, isUnmarked: boolean): Buffer | typeof TOO_LARGE | null {
  const [first = 0, second = 0] = part;
  const partly = { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: limit };
  const gzip = part.indexOf(GZIP);
  const isZlib = (first & 0x0f) === 8 && (first * 256 + second) % 31 === 0;
  const whole = { maxOutputLength: limit };
  return (
    (gzip >= 0 ? attempt(() => gunzipSync(part.subarray(gzip), partly)) : null) ??
    (isZlib ? attempt(() => inflateSync(part, partly)) : null) ??
    (isUnmarked
      ? (attempt(() => inflateRawSync(part, whole)) ?? attempt(() => brotliDecompressSync(part, whole)))
      : null)
  );
}

function attempt(inflate: () => Buffer): Buffer | typeof TOO_LARGE | null {
  const { stackTraceLimit } = Error;
  // Most parts are no such stream. The stack of each error would take longer than the attempt, and nobody reads it.
  Error.stackTraceLimit = 0;
  try {
    const content = inflate();
    return content.length === 0 ? null : content;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' ? TOO_LARGE : null;
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** A layer of its own for what stands for parts of another. */
export function layerOf(parts: readonly Part[]): Layer | null {
  const result = new LayerBuilder();
  for (const { bytes, from, to } of parts) {
    result.end();
    for (const byte of bytes) result.push(byte, from, to);
  }
  return result.layer();
}

/** The parts of a layer. */
export function* partsOf({ bytes, from, to }: Layer): Generator<Part> {
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

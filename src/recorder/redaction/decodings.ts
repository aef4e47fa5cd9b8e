/**
 * Decodes a layer of bytes into further layers, which remember where in the source their bytes came from. The time of
 * each decoding grows with the layer's length.
 */
import { brotliDecompressSync, constants, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';
import { type Escape, escapesIn } from '../../evidence/http/escapes';
import { GAP, Layer } from './layer';

/** Thrown when a body takes more work than the bound allows. */
export class Undecided extends Error {}

/** What a decoding needs to know of its search. */
export interface Searching {
  /** Length of the source, in bytes. */
  readonly length: number;
  /** Length of the longest secret, in bytes. */
  readonly reach: number;
  /** How many more parts may be decompressed on trial, without a mark that says they are compressed. */
  unmarkedLeft: number;
  /** Counts bytes that were read. @throws Undecided if there are too many */
  spend(bytes: number): void;
}

/** Yields one layer for each way to read the given one in this encoding. @param depth 0 for the body itself */
type Decode = (layer: Layer, search: Searching, depth: number) => Iterable<Layer>;

/** Returns a layer with the given escapes undone; `null` if there are none. Only what was undone is fresh. */
export function undone(layer: Layer, escapes: Iterable<Escape>): Layer | null {
  const result = new Layer(layer.length);
  let at = 0;
  let isAfterNothing = false;
  const copy = (end: number) => {
    for (; at < end; at += 1) {
      result.copy(layer, at, isAfterNothing);
      isAfterNothing = false;
    }
  };
  for (const { index, length, bytes } of escapes) {
    copy(index);
    at = index + length;
    const { from, to } = layer.placeOf(index, at);
    for (const byte of Buffer.from(bytes, 'latin1')) result.push(byte, from, to);
    isAfterNothing = bytes === '';
  }
  if (at === 0) return null;
  copy(layer.length);
  return result;
}

/** Returns a layer with all escapes undone; `null` if it has none. @param isDeep as in `escapesIn` */
export function unescaped(layer: Layer, isDeep: boolean): Layer | null {
  return undone(layer, escapesIn(layer.text(), isDeep));
}

/**
 * Returns the stretches of a layer around its fresh bytes, since everything else was searched before.
 * @param reach how many bytes are kept on each side: the length of the longest secret. A run of base64 is kept whole.
 */
export function aroundFresh(layer: Layer, reach: number): Layer {
  const { bytes, fresh, length } = layer;
  const isKept = new Uint8Array(length);
  const mark = (i: number, left: number): number => {
    const isInReach = fresh[i] === 1 || left > 0 || (left === 0 && BASE64_BYTES.has(bytes[i]));
    if (isInReach) isKept[i] = 1;
    return fresh[i] === 1 ? reach : isInReach ? Math.max(0, left - 1) : -1;
  };
  for (let i = 0, left = -1; i < length; i += 1) left = mark(i, left);
  for (let i = length - 1, left = -1; i >= 0; i -= 1) left = mark(i, left);
  const result = new Layer();
  for (let i = 0; i < length; i += 1) {
    if (isKept[i] === 1) result.copy(layer, i);
    else result.end(GAP);
  }
  return result;
}

const QUOTED = /=(?:\r?\n|([0-9A-Fa-f]{2}))/g;

/** Undoes quoted-printable: its escapes and its soft line breaks (RFC 2045 section 6.7). */
function unquoted(layer: Layer, { reach }: Searching): Layer[] {
  const escapes = Array.from(layer.text().matchAll(QUOTED), ({ 0: { length }, 1: hex, index }) => {
    return { index, length, bytes: hex ? String.fromCharCode(Number.parseInt(hex, 16)) : '' };
  });
  const inner = undone(layer, escapes);
  return inner ? [aroundFresh(inner, reach)] : [];
}

/** Whether bytes are text: at most one in eight is a control character or outside ASCII. */
function isText(bytes: Uint8Array): boolean {
  let other = 0;
  for (const byte of bytes) if (byte > 0x7e || (byte < 0x20 && byte !== 9 && byte !== 10 && byte !== 13)) other += 1;
  return other * 8 <= bytes.length;
}

/** So few digits are enough at the very end of the source, where a run may be cut off. */
const LEAST_AT_THE_END = 4;

/** A way to write bytes as digits. */
interface Alphabet {
  /** Matches the beginning of a run: digits that belong together. */
  begin: RegExp;
  /** Sticky: matches what continues a run. One expression for a whole long run would need too much memory. */
  next: RegExp;
  /** Matches a token, whose group holds only digits. If a secret lies in a token, the whole token is masked. */
  token: RegExp;
  /** Returns the values of a token's digits. */
  read(digits: string): Uint8Array | number[];
  /** How many bits a digit has. */
  bits: number;
  /** A run with fewer digits holds no secret that is searched for in runs. */
  least: number;
  /** Whether the bytes that are written in it may be compressed. */
  mayBeCompressed?: true;
}

/** Makes the decoding of an alphabet. It yields the bytes of all runs, once for each bit at which a byte may begin. */
function digitsOf(alphabet: Alphabet): Decode {
  const step = alphabet.bits & -alphabet.bits;
  return function* (layer, { length }) {
    const found = digitsIn(layer, alphabet, length);
    for (let bitsBefore = 0; found.length > 0 && bitsBefore < 8; bitsBefore += step) {
      const inner = bytesOf(found, alphabet.bits, bitsBefore);
      if (alphabet.mayBeCompressed) inner.compressed = bitsBefore === 0 ? 'unmarked' : 'marked';
      yield inner;
    }
  };
}

/**
 * Returns the digits of each run that may hold a secret and that has a fresh byte in it or next to it. Each run is a
 * part, and each digit has the place of its whole token. @param length of the source
 */
function digitsIn(layer: Layer, { begin, next, token, read, least }: Alphabet, length: number): Layer {
  const text = layer.text();
  const result = new Layer();
  begin.lastIndex = 0;
  for (let first = begin.exec(text); first; first = begin.exec(text)) {
    const start = first.index;
    let end = begin.lastIndex;
    for (next.lastIndex = end; next.test(text); ) end = next.lastIndex;
    begin.lastIndex = end;
    const all = text.slice(start, end);
    const enough = (layer.to[end - 1] ?? 0) >= length ? LEAST_AT_THE_END : least;
    // The bytes next to a run count as well: they decide where it begins and ends.
    const isFresh = layer.fresh.subarray(Math.max(0, start - 1), end + 1).includes(1);
    if (all.length < enough || !isFresh) continue;
    let count = 0;
    for (const { 1: own = '' } of all.matchAll(token)) count += read(own).length;
    if (count < enough) continue;
    result.end();
    for (const { 0: whole, 1: own = '', index } of all.matchAll(token)) {
      const { from, to } = layer.placeOf(start + index, start + index + whole.length);
      for (const value of read(own)) result.push(value, from, to);
    }
  }
  return result;
}

/** Joins digits to bytes. @param bitsBefore how many zero bits are put before each run */
function bytesOf(digits: Layer, bits: number, bitsBefore: number): Layer {
  const result = new Layer(digits.length);
  let [begin, left, value] = [0, bitsBefore, 0];
  for (let i = 0; i < digits.length; i += 1) {
    if (digits.isEnd(i)) {
      result.end();
      [begin, left, value] = [i + 1, bitsBefore, 0];
      continue;
    }
    value = ((value << bits) | (digits.bytes[i] ?? 0)) & 0xffff;
    left += bits;
    if (left < 8) continue;
    left -= 8;
    // The place of the byte covers all digits that have a part in it.
    const { from, to } = digits.placeOf(Math.max(begin, i + 1 - Math.ceil((8 + left) / bits)), i + 1);
    result.push((value >> left) & 0xff, from, to);
  }
  return result;
}

const LEAST_COMPRESSED = 10;
const MOST_INFLATED = 4 * 1024 * 1024;

/** Decompresses those parts of a layer that are compressed. */
function inflatedIn(layer: Layer, search: Searching, depth: number): Layer[] {
  const compressed = depth === 0 ? 'unmarked' : layer.compressed;
  if (!compressed) return [];
  const contents = [];
  for (const { bytes, from, to } of layer.parts()) {
    if (bytes.length < LEAST_COMPRESSED) continue;
    const mayBeUnmarked = compressed === 'unmarked' && !isText(bytes) && search.unmarkedLeft > 0;
    if (mayBeUnmarked) search.unmarkedLeft -= 1;
    const content = inflated(bytes, mayBeUnmarked);
    search.spend(content.length);
    contents.push({ content, from, to });
  }
  // A layer takes many times the memory of its content, so it is made only after all content is within the bound.
  const result = new Layer();
  result.compressed = 'marked';
  for (const { content, from, to } of contents) {
    result.end();
    for (const byte of content) result.push(byte, from, to);
  }
  return [result];
}

const GZIP = Buffer.from([0x1f, 0x8b, 0x08]);

/**
 * Decompresses a part as far as possible: gzip anywhere in it, or zlib at its beginning.
 * @param mayBeUnmarked whether to try a whole stream of deflate or brotli as well, which no mark announces
 * @returns the content; empty if the part is not compressed
 * @throws Undecided if the content is too large
 */
function inflated(part: Buffer, mayBeUnmarked: boolean): Buffer {
  const [first = 0, second = 0] = part;
  const whole = { maxOutputLength: MOST_INFLATED };
  const partly = { ...whole, finishFlush: constants.Z_SYNC_FLUSH };
  const gzip = part.indexOf(GZIP);
  const isZlib = (first & 0x0f) === 8 && (first * 256 + second) % 31 === 0;
  const attempts = [
    ...(gzip >= 0 ? [() => gunzipSync(part.subarray(gzip), partly)] : []),
    ...(isZlib ? [() => inflateSync(part, partly)] : []),
    ...(mayBeUnmarked ? [() => inflateRawSync(part, whole), () => brotliDecompressSync(part, whole)] : []),
  ];
  const { stackTraceLimit } = Error;
  // Most attempts fail. Recording the stack of each error, which nobody reads, would take longer than the attempt.
  Error.stackTraceLimit = 0;
  try {
    for (const attempt of attempts) {
      try {
        const content = attempt();
        if (content.length > 0) return content;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw new Undecided();
      }
    }
    return Buffer.alloc(0);
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

const CAPITALS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const SMALL = CAPITALS.toLowerCase();
const DIGITS = '0123456789';
export const WORD_BYTES: ReadonlySet<number | undefined> = new Set(Buffer.from(CAPITALS + SMALL + DIGITS));
/** Characters of base64 and base64url. */
export const BASE64_BYTES: ReadonlySet<number | undefined> = new Set([...WORD_BYTES, ...Buffer.from('+/-_')]);

/** Makes `read` for digits of one character each. @param alphabets several ways to write the same digits */
function valuesIn(...alphabets: string[]): Alphabet['read'] {
  const table = new Uint8Array(256);
  for (const alphabet of alphabets) for (const [i, byte] of Buffer.from(alphabet).entries()) table[byte] = i;
  return (digits) => Buffer.from(digits).map((byte) => table[byte] ?? 0);
}

/** Returns the expressions for a run that may go on over several lines, which may be indented. */
function lines(digit: string): Pick<Alphabet, 'begin' | 'next' | 'token'> {
  const token = new RegExp(`(${digit}+)={0,2}`, 'g');
  return { begin: new RegExp(token), next: new RegExp(`(?<!=)\\r?\\n[ \\t]{0,8}${digit}+={0,2}`, 'y'), token };
}

const BASE64: Alphabet = {
  ...lines('[A-Za-z0-9+/_-]'),
  read: valuesIn(`${CAPITALS}${SMALL}${DIGITS}+/`, `${CAPITALS}${SMALL}${DIGITS}-_`),
  bits: 6,
  least: 8,
  mayBeCompressed: true,
};
const BASE32: Alphabet = {
  ...lines('[A-Za-z2-7]'),
  read: valuesIn(`${CAPITALS}234567`, `${SMALL}234567`),
  bits: 5,
  least: 13,
};
/** Also matches pairs with short separators: `73:65`, `0x73, 0x65`. */
const HEX: Alphabet = {
  begin: /[0-9A-Fa-f]+/g,
  next: /(?:\r?\n[ \t]{0,8}|[xX]|[\0- ,:;-]{0,3}(?:0[xX])?)[0-9A-Fa-f]+/y,
  token: /(?:0[xX])?([0-9A-Fa-f]+)/g,
  read: valuesIn(`${DIGITS}abcdef`, `${DIGITS}ABCDEF`),
  bits: 4,
  least: 16,
};
const NUMBER = '(?<![0-9A-Za-z])(?:[01]?[0-9]{1,2}|2[0-4][0-9]|25[0-5])(?![0-9A-Za-z])';
/** Numbers with short separators: `[115, 101]`. */
const NUMBERS: Alphabet = {
  begin: new RegExp(NUMBER, 'g'),
  next: new RegExp(`[\\0- ,:;-]{1,3}${NUMBER}`, 'y'),
  token: /([0-9]+)/g,
  read: (digits) => [Number(digits)],
  bits: 8,
  least: 6,
};
/**
 * UTF-16 or UTF-32 text whose characters are all in Latin-1: every other byte, or three of four, are zeros. A run has
 * at least seven characters, because fewer hold no secret that is searched for in runs.
 */
const WIDE: Alphabet = {
  begin: /\0{0,3}(?:[^\0]\0{1,3}){7}/g,
  next: /(?<=\0)[^\0]\0{0,3}/y,
  token: /([^\0])/g,
  read: (digits) => Buffer.from(digits, 'latin1'),
  bits: 8,
  least: 7,
};

/** All decodings, each with the form that it adds to the markers of secrets found in it. */
export const DECODINGS: ReadonlyArray<readonly [form: string | null, decode: Decode]> = [
  ['base64', digitsOf(BASE64)],
  ['hex', digitsOf(HEX)],
  ['base32', digitsOf(BASE32)],
  ['bytes', digitsOf(NUMBERS)],
  [null, digitsOf(WIDE)],
  [null, unquoted],
  // Compressed bytes in base64 get the form `base64`: the first form of a way stays.
  ['compressed', inflatedIn],
];

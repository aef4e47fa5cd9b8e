/**
 * What a layer of bytes may stand for: each decoding makes of a layer the next ones, which remember where in the
 * source their bytes came from. The time of each is that of the layer's length.
 */
import { brotliDecompressSync, constants, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';
import { type Escape, escapesIn } from '../../evidence/escapes';
import { Layer, MARKER_STANDS_HERE } from './layer';

/** Thrown where a body takes more work than it may. */
export class Undecided extends Error {}

/** The search that asks for a decoding. */
export interface Searching {
  /** Of the source, in bytes. */
  readonly length: number;
  /** Bytes of the longest secret. */
  readonly reach: number;
  /** How many attempts are left to read as compressed what does not say that it is. */
  unmarkedLeft: number;
  /** Counts bytes that are read. @throws Undecided once they are too many */
  spend(bytes: number): void;
}

/**
 * What a layer stands for, read in each possible way.
 * @param depth 0 for a body itself
 */
type Decode = (layer: Layer, search: Searching, depth: number) => Iterable<Layer>;

/** A layer without some of its escapes, `null` where it has none. What was undone is fresh, and nothing else. */
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

/** A layer without its escapes, `null` where it has none. @param isDeep as of `escapesIn` */
export function unescaped(layer: Layer, isDeep: boolean): Layer | null {
  return undone(layer, escapesIn(layer.text(), isDeep));
}

/**
 * The stretches of a layer that lie around fresh bytes: everything else was searched before.
 * @param reach how many bytes are kept on each side, as many as a secret has; a run of base64 is kept to its end
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
    else result.end(MARKER_STANDS_HERE);
  }
  return result;
}

const QUOTED = /=(?:\r?\n|([0-9A-Fa-f]{2}))/g;

/** Without the escapes of quoted-printable, and the ends of lines that were broken for it (RFC 2045, 6.7). */
function unquoted(layer: Layer, { reach }: Searching): Layer[] {
  const escapes = Array.from(layer.text().matchAll(QUOTED), ({ 0: { length }, 1: hex, index }) => {
    return { index, length, bytes: hex ? String.fromCharCode(Number.parseInt(hex, 16)) : '' };
  });
  const inner = undone(layer, escapes);
  return inner ? [aroundFresh(inner, reach)] : [];
}

/** Whether bytes are a text: nearly none of them is a control character or outside ASCII. */
function isText(bytes: Uint8Array): boolean {
  let other = 0;
  for (const byte of bytes) if (byte > 0x7e || (byte < 0x20 && byte !== 9 && byte !== 10 && byte !== 13)) other += 1;
  return other * 8 <= bytes.length;
}

/** At the very end of the source, a run may be the beginning of a longer one. */
const LEAST_AT_THE_END = 4;

/** A way of writing bytes in digits. */
interface Alphabet {
  /** Matches the beginning of a run of digits that belong together. */
  begin: RegExp;
  /** Sticky: what continues it. One expression for all of a long run would need more memory than there is. */
  next: RegExp;
  /** Matches a token, which is masked as a whole where anything in it is; its group holds nothing but digits. */
  token: RegExp;
  /** The values of a token's digits. */
  read(digits: string): Uint8Array | number[];
  /** Of a digit. */
  bits: number;
  /** Fewer digits hold no secret that is looked for in them. */
  least: number;
  /** Whether what stands in it may be compressed. */
  mayBeCompressed?: true;
}

/** Reads the bytes that runs of digits stand for, in each way in which the bits may fall into bytes. */
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
 * The values of the digits in those runs that may hold a secret and in or next to which anything is fresh. Each run is a
 * part, and each digit stands for its whole token. @param length of the source
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
    // What stands next to a run decides where it begins and ends.
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

/** The bytes that digits make. @param bitsBefore of digits that are zeros, as if these stood before each run */
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
    // Digits before this one have a part in the byte, too.
    const { from, to } = digits.placeOf(Math.max(begin, i + 1 - Math.ceil((8 + left) / bits)), i + 1);
    result.push((value >> left) & 0xff, from, to);
  }
  return result;
}

const LEAST_COMPRESSED = 10;
const MOST_INFLATED = 4 * 1024 * 1024;

/** What is compressed among the parts of a layer. */
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
  // A layer takes many times the memory: it is made once all of it is within the bound.
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
 * The content of a part in which gzip stands, or which begins as zlib does, as far as it goes; or, with nothing to tell it
 * by, of one that is a whole stream of deflate or brotli; empty where it is neither.
 * @throws Undecided where it is larger than is read
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
  // Most parts are no such stream. The stack of each error, which is not read, would take longer than the attempt.
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

/** Reads digits of which each is a character. @param alphabets the same digits, written in several ways */
function valuesIn(...alphabets: string[]): Alphabet['read'] {
  const table = new Uint8Array(256);
  for (const alphabet of alphabets) for (const [i, byte] of Buffer.from(alphabet).entries()) table[byte] = i;
  return (digits) => Buffer.from(digits).map((byte) => table[byte] ?? 0);
}

/** Lines of digits, which may be indented. */
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
/** Also pairs with a little between them: `73:65`, `0x73, 0x65`. */
const HEX: Alphabet = {
  begin: /[0-9A-Fa-f]+/g,
  next: /(?:\r?\n[ \t]{0,8}|[xX]|[\0- ,:;-]{0,3}(?:0[xX])?)[0-9A-Fa-f]+/y,
  token: /(?:0[xX])?([0-9A-Fa-f]+)/g,
  read: valuesIn(`${DIGITS}abcdef`, `${DIGITS}ABCDEF`),
  bits: 4,
  least: 16,
};
const NUMBER = '(?<![0-9A-Za-z])(?:[01]?[0-9]{1,2}|2[0-4][0-9]|25[0-5])(?![0-9A-Za-z])';
/** Numbers with a little between them: `[115, 101]`. */
const NUMBERS: Alphabet = {
  begin: new RegExp(NUMBER, 'g'),
  next: new RegExp(`[\\0- ,:;-]{1,3}${NUMBER}`, 'y'),
  token: /([0-9]+)/g,
  read: (digits) => [Number(digits)],
  bits: 8,
  least: 6,
};
/**
 * What stands in UTF-16 or UTF-32 and has one byte in Latin-1: every other byte of it, or three of four, are zeros. Seven
 * characters or more: fewer hold no secret that is looked for in them.
 */
const WIDE: Alphabet = {
  begin: /\0{0,3}(?:[^\0]\0{1,3}){7}/g,
  next: /(?<=\0)[^\0]\0{0,3}/y,
  token: /([^\0])/g,
  read: (digits) => Buffer.from(digits, 'latin1'),
  bits: 8,
  least: 7,
};

/** Ways of writing bytes, and what each adds to the marker of what is found so. */
export const DECODINGS: ReadonlyArray<readonly [form: string | null, decode: Decode]> = [
  ['base64', digitsOf(BASE64)],
  ['hex', digitsOf(HEX)],
  ['base32', digitsOf(BASE32)],
  ['bytes', digitsOf(NUMBERS)],
  [null, digitsOf(WIDE)],
  [null, unquoted],
  // What is compressed in base64 is told of as base64.
  ['compressed', inflatedIn],
];

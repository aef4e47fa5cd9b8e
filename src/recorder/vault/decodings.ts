/**
 * What a layer of bytes may stand for: each decoding makes of a layer the next ones, which remember where in the
 * source their bytes came from. The time of each is that of the layer's length.
 */
import { brotliDecompressSync, constants, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';
import { type Escape, escapesIn } from '../../evidence/escapes';
import {
  type Layer,
  LayerBuilder,
  layerOf,
  MARKER_STANDS_HERE,
  NO_CHARACTER,
  type Part,
  partsOf,
  placeOf,
  textOf,
} from './layer';

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

/** What a layer stands for. */
interface Inner extends Layer {
  /** How many encodings were undone, where it is more than one. */
  levels?: number;
}

/** A way of writing bytes. */
interface Decoding {
  /** Added to the marker of what is found so. */
  form: string | null;
  /** Added to the rank of what is found so: the plainest of several hits at one place names the secret. */
  rank: number;
  /**
   * What a layer stands for, read in each possible way.
   * @param depth 0 for a body itself
   */
  decode(layer: Layer, search: Searching, depth: number): Iterable<Inner | null>;
}

/** A layer without some of its escapes, `null` where it has none. What was undone is fresh, and nothing else. */
export function undone(layer: Layer, escapes: Iterable<Escape>): Layer | null {
  const { from, to } = layer;
  const result = new LayerBuilder(layer.bytes.length);
  let at = 0;
  let isAfterNothing = false;
  const copy = (end: number) => {
    for (; at < end; at += 1) {
      result.push(layer.bytes[at] ?? 0, from[at] ?? 0, to[at] ?? 0, isAfterNothing);
      isAfterNothing = false;
    }
  };
  for (const { index, length, bytes } of escapes) {
    copy(index);
    at = index + length;
    const place = placeOf(layer, index, at);
    for (const byte of Buffer.from(bytes, 'latin1')) result.push(byte, place.from, place.to);
    isAfterNothing = bytes === '';
  }
  if (at === 0) return null;
  copy(layer.bytes.length);
  return result.layer();
}

/** A layer without its escapes, `null` where it has none. @param isDeep as of `escapesIn` */
export function unescaped(layer: Layer, isDeep: boolean): Layer | null {
  return undone(layer, escapesIn(textOf(layer), isDeep));
}

/**
 * The stretches of a layer that lie around fresh bytes: everything else was searched before.
 * @param reach how many bytes are kept on each side, as many as a secret has; a run of base64 is kept to its end
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

const QUOTED = /=(?:\r?\n|([0-9A-Fa-f]{2}))/g;

/** Without the escapes of quoted-printable, and the ends of lines that were broken for it (RFC 2045, 6.7). */
function unquoted(layer: Layer, { reach }: Searching): Array<Layer | null> {
  const escapes = Array.from(textOf(layer).matchAll(QUOTED), ({ 0: { length }, 1: hex, index }) => {
    return { index, length, bytes: hex ? String.fromCharCode(Number.parseInt(hex, 16)) : '' };
  });
  const inner = undone(layer, escapes);
  return [inner && aroundFresh(inner, reach)];
}

/** Whether bytes are a text: nearly none of them is a control character or outside ASCII. */
function isText(bytes: Uint8Array): boolean {
  let other = 0;
  for (const byte of bytes) if (byte > 0x7e || (byte < 0x20 && byte !== 9 && byte !== 10 && byte !== 13)) other += 1;
  return other * 8 <= bytes.length;
}

/** In a table: no digit. */
const NO_DIGIT = 99;
const CAPITALS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const SMALL = CAPITALS.toLowerCase();

/** By byte, the value of a digit. @param others other characters for digits, of values from `first` on */
function tableOf(alphabet: string, others: string, first: number): Uint8Array {
  const table = new Uint8Array(256).fill(NO_DIGIT);
  for (const [i, character] of [...alphabet].entries()) table[character.charCodeAt(0)] = i;
  for (const [i, character] of [...others].entries()) table[character.charCodeAt(0)] = first + i;
  return table;
}

const BASE64 = tableOf(`${CAPITALS}${SMALL}0123456789+/`, '-_', 62);
const HEX = tableOf('0123456789abcdef', 'ABCDEF', 10);
const BASE32 = tableOf(`${CAPITALS}234567`, SMALL, 0);

/** Whether a byte is a character of base64 or base64url. */
export function isBase64(byte: number | undefined): boolean {
  return byte !== undefined && BASE64[byte] !== NO_DIGIT;
}

/** Digits that belong together, token by token: a token is masked as a whole where anything in it is. */
interface Run {
  digits: string;
  /** Each with the number of digits before it. */
  tokens: Array<{ before: number; from: number; to: number }>;
}

/** At the very end of the source, a run may be the beginning of a longer one. */
const LEAST_AT_THE_END = 6;

/** How bytes are written in digits. */
interface Alphabet {
  /** By byte, the value of a digit. */
  table: Uint8Array;
  bits: number;
  /** Matches digits that stand together; the group holds nothing else. */
  tokens: RegExp;
  /** Sticky: what may stand between the tokens of one run. */
  between: RegExp;
  /** Fewer digits hold no secret that is looked for in them. */
  least: number;
}

function digits(form: string, alphabet: Alphabet): Decoding {
  return {
    form,
    rank: 10,
    *decode(layer, search) {
      const runs = [...runsIn(layer, alphabet, search.length)];
      // As if digits that are zeros stood before each run, in each way in which the bits may fall into bytes.
      const step = alphabet.bits & -alphabet.bits;
      for (let bitsBefore = 0; runs.length > 0 && bitsBefore < 8; bitsBefore += step) {
        const inner = decoded(runs, alphabet, bitsBefore);
        yield inner;
        if (inner && form === 'base64') yield* inflatedIn(inner, search, bitsBefore === 0 ? 0 : 1);
      }
    },
  };
}

/** The runs that may hold a secret and in which anything is fresh. @param length of the source */
function* runsIn(layer: Layer, { table, tokens, between, least }: Alphabet, length: number): Generator<Run> {
  const { bytes, fresh, to } = layer;
  const text = textOf(layer);
  const isDigit = (i: number) => table[bytes[i] ?? NO_CHARACTER] !== NO_DIGIT;
  for (let i = 0; i < bytes.length; i += 1) {
    if (!isDigit(i)) continue;
    const start = i;
    let count = 0;
    for (let next = i; isDigit(next); ) {
      for (i = next; isDigit(i); i += 1) count += 1;
      between.lastIndex = i;
      next = between.test(text) ? between.lastIndex : i;
    }
    const end = i + (/^={1,2}/.exec(text.slice(i, i + 2))?.[0].length ?? 0);
    const enough = (to[end - 1] ?? 0) >= length ? LEAST_AT_THE_END : least;
    if (count < enough || !fresh.subarray(start, i).includes(1)) continue;
    const run: Run = { digits: '', tokens: [] };
    for (const { 0: token, 1: own = '', index } of text.slice(start, end).matchAll(tokens)) {
      const at = start + index;
      run.tokens.push({ before: run.digits.length, ...placeOf(layer, at, at + token.length) });
      run.digits += own;
    }
    yield run;
  }
}

/** What runs of digits stand for, where so many bits stood before each. */
function decoded(runs: readonly Run[], { table, bits }: Alphabet, bitsBefore: number): Layer | null {
  const result = new LayerBuilder(runs.reduce((sum, { digits }) => sum + digits.length, 0));
  for (const { digits, tokens } of runs) {
    result.end();
    let [left, value] = [bitsBefore, 0];
    let before = tokens[0];
    for (const [t, token] of tokens.entries()) {
      const end = tokens[t + 1]?.before ?? digits.length;
      for (let i = token.before; i < end; i += 1) {
        value = ((value << bits) | (table[digits.charCodeAt(i)] ?? 0)) & 0xffff;
        left += bits;
        if (left < 8) continue;
        left -= 8;
        // Digits before this one have a part in the byte, too.
        const first = i - token.before < (8 - bits + left) / bits ? (before ?? token) : token;
        result.push((value >> left) & 0xff, Math.min(first.from, token.from), Math.max(first.to, token.to));
      }
      before = token;
    }
  }
  return result.layer();
}

/** Fewer numbers hold no secret that is looked for in them. */
const LEAST_NUMBERS = 8;
const BETWEEN_NUMBERS = /^[\0- ,:;-]{0,3}$/;

/** Bytes written as numbers, with a little between them: `[115, 101]`. */
function listed(layer: Layer): Array<Layer | null> {
  const result = new LayerBuilder();
  const text = textOf(layer);
  let found = 0;
  let end = 0;
  for (const { 0: number, index } of text.matchAll(/(?<![0-9A-Za-z])\d{1,3}(?![0-9A-Za-z])/g)) {
    if (Number(number) > 255) continue;
    if (!BETWEEN_NUMBERS.test(text.slice(end, index))) result.end();
    end = index + number.length;
    result.push(Number(number), layer.from[index] ?? 0, layer.to[end - 1] ?? 0);
    found += 1;
  }
  return found >= LEAST_NUMBERS ? [result.layer()] : [];
}

/** Seven characters or more of which each is two or four bytes: fewer hold no secret that is looked for in them. */
const WIDE = /\0{0,3}(?:[^\0]\0{1,3}){7,}[^\0]?/g;

/** What stands in UTF-16 or UTF-32 and has one byte in Latin-1: every other byte of it, or three of four, are zeros. */
function narrowed(layer: Layer): Array<Layer | null> {
  const { bytes, from, to } = layer;
  if (!bytes.includes(0)) return [];
  const result = new LayerBuilder();
  for (const { 0: wide, index } of textOf(layer).matchAll(WIDE)) {
    result.end();
    for (let i = index; i < index + wide.length; i += 1)
      if (bytes[i] !== 0) result.push(bytes[i] ?? 0, from[i] ?? 0, to[i] ?? 0);
  }
  return [result.layer()];
}

const LEAST_COMPRESSED = 10;
const MOST_INFLATED = 4 * 1024 * 1024;

/**
 * What is compressed among the parts of a layer, and in what that holds.
 * @param level 0 where a part may be compressed without saying so
 */
function* inflatedIn(layer: Layer, search: Searching, level: number): Generator<Inner> {
  const contents: Part[] = [];
  for (const { bytes, from, to } of partsOf(layer)) {
    if (bytes.length < LEAST_COMPRESSED) continue;
    const mayBeUnmarked = level === 0 && !isText(bytes) && search.unmarkedLeft > 0;
    if (mayBeUnmarked) search.unmarkedLeft -= 1;
    const content = inflated(bytes, mayBeUnmarked);
    if (content.length === 0) continue;
    search.spend(content.length);
    contents.push({ bytes: content, from, to });
  }
  const inner = layerOf(contents);
  if (!inner) return;
  yield { ...inner, levels: level + 2 };
  yield* inflatedIn(inner, search, level + 1);
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
  // Most parts are no such stream. The stack of each error would take longer than the attempt, and nobody reads it.
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

/** Lines of digits may be indented. */
const LINES = { tokens: /([A-Za-z0-9+/_-]+)={0,2}/g, between: /\r?\n[ \t]{0,8}/y };
/** Also pairs with a little between them: `73:65`, `0x73, 0x65`. */
const PAIRS = {
  tokens: /(?:0[xX])?([0-9A-Fa-f]+)/g,
  between: /\r?\n[ \t]{0,8}|[xX]|[\0- ,:;-]{0,3}(?:0[xX])?/y,
};

export const DECODINGS: readonly Decoding[] = [
  digits('base64', { ...LINES, table: BASE64, bits: 6, least: 8 }),
  digits('hex', { ...PAIRS, table: HEX, bits: 4, least: 16 }),
  digits('base32', { ...LINES, table: BASE32, bits: 5, least: 13 }),
  { form: 'bytes', rank: 10, decode: listed },
  { form: null, rank: 1, decode: narrowed },
  { form: null, rank: 1, decode: unquoted },
  {
    form: 'compressed',
    rank: 10,
    decode: (layer, search, depth) => (depth === 0 ? inflatedIn(layer, search, 0) : []),
  },
];

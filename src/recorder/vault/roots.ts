/** A body taken apart: what in it may hold secrets, and what stays as it is whatever a secret may be. */
import { MEMBER_NAMES } from '../../contract/settings';
import { isTooDeep } from '../../evidence/json';
import { unescaped } from './decodings';
import { END_OF_PART, type Layer, LayerBuilder, MARKER_STANDS_HERE } from './layer';

/** What is searched of a body. */
export interface Roots {
  isJson: boolean;
  /** The text, or of JSON what its strings say, each a part. */
  text: Layer | null;
  /** Of JSON: strings that follow one another in a list, put together. */
  joined: Layer | null;
  /** Of JSON: numbers that follow one another, as bytes. */
  bytes: Layer | null;
  /** Of JSON: numbers as they are written. */
  numbers: Layer | null;
}

/** @param isOurs whether a text in brackets is a marker that was put in before */
export function rootsOf(text: string, isOurs: (marker: string) => boolean): Roots {
  const beginning = text.search(/[^ \t\r\n]/);
  const looksLikeJson = text[beginning] === '{' || text[beginning] === '[';
  if (looksLikeJson && isReadable(text)) return jsonRoots(text, isOurs);
  return { isJson: false, text: textRoot(text, looksLikeJson, isOurs), joined: null, bytes: null, numbers: null };
}

function isReadable(text: string): boolean {
  if (isTooDeep(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The position of the quote that ends a string, or of the text's last character. */
function endOfString(text: string, at: number): number {
  for (let i = at + 1; i < text.length; i += 1) {
    if (text[i] === '\\') i += 1;
    else if (text[i] === '"') return i;
  }
  return text.length - 1;
}

const BACKSLASH = 0x5c;
const NUMERIC_NAME = /^\d{1,9}$/;

function jsonRoots(text: string, isOurs: (marker: string) => boolean): Roots {
  const strings = new LayerBuilder(2 * text.length + 2);
  const joined = new LayerBuilder(text.length + 2);
  const bytes = new LayerBuilder(4 * text.length + 2);
  const numbers = new LayerBuilder(2 * text.length + 2);
  const breakUp = () => {
    joined.end();
    bytes.end();
  };
  let isAfterString = false;
  for (let i = 0; i < text.length; i += 1) {
    const c = text[i] ?? '';
    if (c === '"') {
      const end = endOfString(text, i);
      const isName = text[skipSpace(text, end + 1)] === ':';
      const inner = text.slice(i + 1, end);
      if (!isName || !NUMERIC_NAME.test(inner)) bytes.end();
      if (isName || !isAfterString) joined.end();
      if (!isName || !MEMBER_NAMES.has(inner)) {
        strings.end();
        put(strings, text, i + 1, end, isOurs);
        if (!isName) put(joined, text, i + 1, end, isOurs);
      }
      isAfterString = !isName;
      i = end;
    } else if (c === '-' || (c >= '0' && c <= '9')) {
      const end = endOfNumber(text, i);
      const written = text.slice(i, end);
      numbers.end();
      for (let k = i; k < end; k += 1) numbers.push(text.charCodeAt(k), i, end);
      const value = /^\d{1,7}$/.test(written) ? Number(written) : Number.POSITIVE_INFINITY;
      if (value > 0x10ffff) bytes.end();
      else
        for (const byte of value < 256 ? [value] : Buffer.from(String.fromCodePoint(value))) bytes.push(byte, i, end);
      isAfterString = false;
      i = end - 1;
    } else if (c === '{' || c === '[' || c === '}' || c === ']') {
      breakUp();
      isAfterString = false;
    }
  }
  const said = strings.layer();
  const together = joined.layer();
  return {
    isJson: true,
    text: said && (unescaped(said, false, BACKSLASH) ?? said),
    joined: together && (unescaped(together, false, BACKSLASH) ?? together),
    bytes: bytes.layer(),
    numbers: numbers.layer(),
  };
}

function skipSpace(text: string, at: number): number {
  let next = at;
  while (next < text.length && ' \t\r\n'.includes(text[next] ?? '')) next += 1;
  return next;
}

function endOfNumber(text: string, at: number): number {
  let end = at + 1;
  while (end < text.length && '0123456789.eE+-'.includes(text[end] ?? '')) end += 1;
  return end;
}

/** Puts a stretch of the text into a layer, without the markers in it. */
function put(layer: LayerBuilder, text: string, from: number, to: number, isOurs: (marker: string) => boolean): void {
  for (let i = from; i < to; i += 1) {
    const end = text[i] === '[' ? endOfMarker(text, i, to, isOurs) : -1;
    if (end > 0) {
      layer.end(MARKER_STANDS_HERE);
      i = end;
    } else layer.push(text.charCodeAt(i), i, i + 1);
  }
}

const MARKER_BEGINS = '[secret:';
const LONGEST_MARKER = 400;

/** The position of the bracket that ends a marker of ours, or -1. */
function endOfMarker(text: string, at: number, to: number, isOurs: (marker: string) => boolean): number {
  if (!text.startsWith(MARKER_BEGINS, at)) return -1;
  for (let end = at + MARKER_BEGINS.length; end < Math.min(to, at + LONGEST_MARKER); end += 1) {
    if (text[end] === ']') return isOurs(text.slice(at, end + 1)) ? end : -1;
    if (text[end] === '[') return -1;
  }
  return -1;
}

/** Of what was to be JSON, the names that the description knows and the literals stay as they are. */
function textRoot(text: string, looksLikeJson: boolean, isOurs: (marker: string) => boolean): Layer | null {
  const layer = new LayerBuilder(2 * text.length + 2);
  let from = 0;
  const keep = (start: number, end: number) => {
    put(layer, text, from, start, isOurs);
    layer.end(END_OF_PART);
    from = end;
  };
  if (looksLikeJson) {
    for (let i = 0; i < text.length; i += 1) {
      if (text[i] === '"') {
        const end = nameAt(text, i);
        if (end > 0) {
          keep(i, end);
          i = end - 1;
        }
      } else if (text[i] === 't' || text[i] === 'f' || text[i] === 'n') {
        const word = ['true', 'false', 'null'].find((one) => text.startsWith(one, i));
        if (word && isAValue(text, i, i + word.length)) keep(i, i + word.length);
      }
    }
  }
  put(layer, text, from, text.length, isOurs);
  return layer.layer();
}

const LONGEST_NAME = Math.max(...[...MEMBER_NAMES].map((name) => name.length));

/** Where a described member's name in quotes ends, or -1. */
function nameAt(text: string, at: number): number {
  for (let end = at + 1; end < at + LONGEST_NAME + 2; end += 1) {
    if (text[end] !== '"') continue;
    const isName = MEMBER_NAMES.has(text.slice(at + 1, end)) && /^[ \t\r\n]{0,40}:/.test(text.slice(end + 1, end + 42));
    return isName ? end + 1 : -1;
  }
  return -1;
}

/** Whether a literal stands where a value may. */
function isAValue(text: string, from: number, to: number): boolean {
  if (/\w/.test(text[to] ?? '')) return false;
  return /[:[,][ \t\r\n]{0,40}$/.test(text.slice(Math.max(0, from - 41), from));
}

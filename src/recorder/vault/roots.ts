/** A body taken apart: what in it may hold secrets, and what stays as it is whatever a secret may be. */
import { MEMBER_NAMES } from '../../contract/settings';
import { escapesIn } from '../../evidence/escapes';
import { parsed, TOKEN } from '../../evidence/json';
import { MARKER } from '../../evidence/markers';
import { undone } from './decodings';
import { Layer, MARKER_STANDS_HERE } from './layer';

/** How a layer was read from the source, and what is said of the secrets that are found in it. */
export interface Way {
  /** Of their markers. */
  form: string | null;
  /** The further from the text as it is, the higher. */
  rank: number;
  /** Encodings within encodings. */
  depth: number;
  /** Stands for numbers of JSON: a marker needs quotes. */
  isNumber: boolean;
  /** Holds whole values of JSON as its parts. */
  isJson: boolean;
}

/** Something in which secrets are looked for. */
export interface Root extends Way {
  layer: Layer;
  /** Whether what is written in it may be encoded once more. */
  isDeep: boolean;
}

/** A longer text is not searched for encodings that were written backwards. */
const MOST_REVERSED = 16_384;

/**
 * What is searched of a body.
 * @param isOurs whether a text in brackets is a marker that was put in before
 */
export function rootsOf(text: string, isOurs: (marker: string) => boolean): Root[] {
  const looksLikeJson = /^[ \t\r\n]*[{[]/.test(text);
  const isJson = looksLikeJson && parsed(text) !== undefined;
  const layers: Layers = isJson ? inJson(text, isOurs) : { text: inText(text, looksLikeJson, isOurs) };
  const roots: Root[] = [];
  const add = (layer: Layer | null | undefined, how: Partial<Root> = {}) => {
    const depth = how.form ? 1 : 0;
    if (layer) roots.push({ layer, form: null, rank: 0, depth, isDeep: false, isNumber: false, isJson, ...how });
  };
  add(layers.text, { isDeep: true });
  // A secret may look like escapes of another kind itself: then these stay as they are.
  for (const only of '\\%&') add(unescapedOnly(layers.text, only));
  if (layers.text.length <= MOST_REVERSED) add(reversed(layers.text), { form: 'reversed', rank: 20, isDeep: true });
  add(layers.joined, { form: 'joined', rank: 5 });
  add(layers.numbers, { isNumber: true });
  add(layers.bytes, { form: 'bytes', rank: 10, isDeep: true, isNumber: true });
  return roots;
}

type Layers = { text: Layer } & Partial<Record<'joined' | 'numbers' | 'bytes', Layer>>;

/** The same bytes, the last one first. */
function reversed(layer: Layer): Layer {
  const result = new Layer(layer.length);
  for (let i = layer.length - 1; i >= 0; i -= 1) result.copy(layer, i);
  return result;
}

/** A layer without those escapes that begin with one character, `null` where it has none. */
function unescapedOnly(layer: Layer, introducer: string): Layer | null {
  const text = layer.text();
  function* ofThese() {
    for (const found of escapesIn(text)) if (text[found.index] === introducer) yield found;
  }
  return undone(layer, ofThese());
}

/**
 * Of JSON: `text`, what its strings say; `joined`, the same where they follow one another in a list; `bytes`, numbers
 * that follow one another, also as members named by their positions; `numbers`, as they are written.
 */
function inJson(text: string, isOurs: (marker: string) => boolean): Layers {
  const [strings, joined] = [new Layer(text.length), new Layer()];
  const [bytes, numbers] = [new Layer(), new Layer()];
  let isAfterString = false;
  for (const { 0: token, 1: inner, 2: colon, index } of text.matchAll(TOKEN)) {
    const end = index + token.length;
    if (inner !== undefined) {
      const isName = colon !== undefined;
      if (!isName || !/^\d{1,9}$/.test(inner)) bytes.end();
      if (isName || !isAfterString) joined.end();
      if (!isName || !MEMBER_NAMES.has(inner)) {
        strings.end();
        put(strings, text, index + 1, index + 1 + inner.length, isOurs);
      }
      if (!isName) put(joined, text, index + 1, index + 1 + inner.length, isOurs);
      isAfterString = !isName;
    } else if (/\d$/.test(token)) {
      numbers.end();
      for (const digit of Buffer.from(token)) numbers.push(digit, index, end);
      const value = /^\d{1,7}$/.test(token) ? Number(token) : Number.POSITIVE_INFINITY;
      if (value > 0x10ffff) bytes.end();
      else
        for (const byte of value < 256 ? [value] : Buffer.from(String.fromCodePoint(value)))
          bytes.push(byte, index, end);
      isAfterString = false;
    } else if (token !== ',') {
      joined.end();
      bytes.end();
      isAfterString = false;
    }
  }
  const said = (layer: Layer) => {
    const plain = unescapedOnly(layer, '\\') ?? layer;
    plain.fresh.fill(1);
    return plain;
  };
  return { text: said(strings), joined: said(joined), bytes, numbers };
}

/** Puts a stretch of the text into a layer, without the markers in it. */
function put(layer: Layer, text: string, from: number, to: number, isOurs: (marker: string) => boolean): void {
  let at = from;
  const copy = (end: number) => {
    for (; at < end; at += 1) layer.push(text.charCodeAt(at), at, at + 1);
  };
  const stretch = text.slice(from, to);
  for (const { 0: marker, index } of stretch.includes('[secret:') ? stretch.matchAll(MARKER) : []) {
    if (!isOurs(marker)) continue;
    copy(from + index);
    layer.end(MARKER_STANDS_HERE);
    at += marker.length;
  }
  copy(to);
}

/** In what was to be JSON: names that the description knows, and literals where a value may stand. */
const KEPT = new RegExp(
  `"(?:${[...MEMBER_NAMES].join('|')})"[ \\t\\r\\n]{0,40}:|(?<=[:[,][ \\t\\r\\n]{0,40})(?:true|false|null)\\b`,
  'g',
);

function inText(text: string, looksLikeJson: boolean, isOurs: (marker: string) => boolean): Layer {
  const layer = new Layer(text.length);
  let from = 0;
  for (const { 0: kept, index } of looksLikeJson ? text.matchAll(KEPT) : []) {
    put(layer, text, from, index, isOurs);
    layer.end();
    from = index + kept.length;
  }
  put(layer, text, from, text.length, isOurs);
  return layer;
}

/** Takes a body apart into what may hold secrets and what is never masked. */
import { MEMBER_NAMES } from '../../contract/settings';
import { escapesIn } from '../../evidence/http/escapes';
import { parsed, TOKEN } from '../../evidence/http/json';
import { MARKER } from '../../evidence/markers';
import { undone } from './decodings';
import { GAP, Layer } from './layer';

/** How a layer was decoded from the source, and how secrets found in it are marked. */
export interface Way {
  /** Added to the markers of secrets found in it. */
  form: string | null;
  /** Higher for a layer that is further from the plain text. */
  rank: number;
  /** How many encodings were undone to get this layer. */
  depth: number;
  /** Whether it was read from JSON numbers. A marker in their place needs quotes. */
  isNumber: boolean;
  /** Whether its parts are whole JSON values. */
  isJson: boolean;
}

/** A layer to search, read from the body itself. */
export interface Root extends Way {
  layer: Layer;
  /** Whether its text may hold further encodings. */
  isDeep: boolean;
}

/** A longer text is not searched backwards. */
const MOST_REVERSED = 16_384;

/** Returns what is searched of a body. @param isOurs whether a text that looks like a marker is one of ours */
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
  // A secret may itself look like escapes of one kind. So the escapes of each kind are also undone alone.
  for (const only of '\\%&') add(unescapedOnly(layers.text, only));
  if (layers.text.length <= MOST_REVERSED) add(reversed(layers.text), { form: 'reversed', rank: 20, isDeep: true });
  add(layers.joined, { form: 'joined', rank: 5 });
  add(layers.numbers, { isNumber: true });
  add(layers.bytes, { form: 'bytes', rank: 10, isDeep: true, isNumber: true });
  return roots;
}

type Layers = { text: Layer } & Partial<Record<'joined' | 'numbers' | 'bytes', Layer>>;

function reversed(layer: Layer): Layer {
  const result = new Layer(layer.length);
  for (let i = layer.length - 1; i >= 0; i -= 1) result.copy(layer, i);
  return result;
}

/** Returns a layer with the escapes undone that begin with one character; `null` if it has none. */
function unescapedOnly(layer: Layer, introducer: string): Layer | null {
  const text = layer.text();
  function* ofThese() {
    for (const found of escapesIn(text)) if (text[found.index] === introducer) yield found;
  }
  return undone(layer, ofThese());
}

/**
 * Returns the layers of a JSON text: `text`, its strings; `joined`, strings that follow one another in a list, joined;
 * `bytes`, successive numbers read as bytes, also in members named by position; `numbers`, the digits as written.
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

/** Pushes a stretch of the text onto a layer, without the markers in it. */
function put(layer: Layer, text: string, from: number, to: number, isOurs: (marker: string) => boolean): void {
  let at = from;
  const copy = (end: number) => {
    for (; at < end; at += 1) layer.push(text.charCodeAt(at), at, at + 1);
  };
  const stretch = text.slice(from, to);
  for (const { 0: marker, index } of stretch.includes('[secret:') ? stretch.matchAll(MARKER) : []) {
    if (!isOurs(marker)) continue;
    copy(from + index);
    layer.end(GAP);
    at += marker.length;
  }
  copy(to);
}

/** Never masked in text that begins like JSON but is none: described member names, and literals in place of a value. */
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

/** Searches one body for all secrets, through all encodings, within a bound of work. */
import { aroundFresh, BASE64_BYTES, DECODINGS, type Searching, Undecided, unescaped, WORD_BYTES } from './decodings';
import { END_OF_PART, type Layer, NO_CHARACTER } from './layer';
import { type Found, foldedByte, type Patterns } from './patterns';
import type { Root, Way } from './roots';

/** A short secret of at least this length is also masked where it is a word of a text, but only as `part`. */
const WORD_FROM = 4;
/** A secret with fewer bytes occurs in decoded base64 by chance. */
const TELLING_IN_BASE64 = 6;
/** Fewer bytes of a secret's beginning may stay at the end of a body: they disclose nothing. */
const TOLD_BY_A_PART = 4;
/** The work of taking a body apart, for each of its bytes. */
const TAKING_APART = 8;
/** The most encodings within one another that are undone. */
const MOST_DEPTH = 12;
const MOST_ROUNDS = 8;
/** Added to the rank for each encoding: one that the marker names, and any other. */
const [RANK_OF_FORM, RANK_OF_SPELLING] = [10, 1];
/** This many rounds undo only one level of escapes each, since a secret may itself look like escapes. */
const SHALLOW_ROUNDS = 2;
/** The most parts that are decompressed on trial, without a mark that says they are compressed. */
const MOST_UNMARKED = 400;

/** A secret that was found. `from` and `to` are its place in the source. */
export interface Hit {
  from: number;
  to: number;
  marker: string;
  /** `start` and `end` are its place in the layer in which it was found. */
  start: number;
  end: number;
  layer: Layer;
  /** Higher for a form that is further from the plain secret. */
  rank: number;
  /** Whether it was read from JSON numbers. A marker in their place needs quotes. */
  isNumber: boolean;
}

export class Search implements Searching {
  readonly hits: Hit[] = [];
  readonly reach: number;
  /** Where a secret begins that the end of the source cuts off; the end of the source if there is none. */
  cut: number;
  work = 0;
  unmarkedLeft = MOST_UNMARKED;

  /**
   * @param length of the source
   * @param allowed the most bytes that may be read in all layers together
   * @param isProtocol whether short secrets are ignored
   */
  constructor(
    private readonly patterns: Patterns,
    readonly length: number,
    private readonly allowed: number,
    private readonly isProtocol: boolean,
  ) {
    this.cut = length;
    this.reach = patterns.reach;
  }

  /** Searches the whole body. @returns whether the bound of work was enough */
  through(roots: readonly Root[]): boolean {
    try {
      this.spend(TAKING_APART * this.length);
      for (const root of roots) {
        if (root.isDeep) this.trial(root.layer, root);
        else this.find(root.layer, root);
      }
      return true;
    } catch (error) {
      if (error instanceof Undecided) return false;
      throw error;
    }
  }

  spend(bytes: number): void {
    this.work += bytes;
    if (this.work > this.allowed) throw new Undecided();
  }

  /** Searches a layer and all layers decoded from it, then undoes its escapes and repeats this until none are left. */
  private trial(layer: Layer, way: Way): void {
    if (layer.length === 0) return;
    if (way.depth > MOST_DEPTH) throw new Undecided();
    let current = layer;
    for (let round = 0; ; round += 1) {
      if (round > MOST_ROUNDS) throw new Undecided();
      this.find(current, way);
      for (const [form, decode] of DECODINGS) {
        this.spend(current.length);
        const rank = way.rank + (form ? RANK_OF_FORM : RANK_OF_SPELLING);
        const below = { ...way, form: way.form ?? form, rank, depth: way.depth + 1 };
        for (const inner of decode(current, this, way.depth)) this.trial(inner, below);
      }
      this.spend(current.length);
      const next = unescaped(current, round >= SHALLOW_ROUNDS);
      if (!next) return;
      current = aroundFresh(next, this.reach);
    }
  }

  /** Searches a layer in one pass for secrets as they are, in other letter cases and backwards. */
  private find(layer: Layer, way: Way): void {
    const { bytes, from, length: all } = layer;
    this.spend(2 * all);
    const { exact, folded } = this.patterns;
    let [state, foldedState, end] = [0, 0, 0];
    const accept = (found: Found, length: number) => this.take(layer, end - length, end, found, way);
    while (end < all) {
      const byte = bytes[end] ?? 0;
      const isNone = byte === NO_CHARACTER && layer.isEnd(end);
      state = isNone ? 0 : exact.next(state, byte);
      foldedState = isNone ? 0 : folded.next(foldedState, foldedByte(byte));
      end += 1;
      exact.ending(state, accept);
      folded.ending(foldedState, accept);
    }
    const begun = exact.depth(state);
    if (begun >= TOLD_BY_A_PART && (layer.to[end - 1] ?? 0) >= this.length)
      this.cut = Math.min(this.cut, Math.max(0, from[end - begun] ?? 0));
  }

  /** Records a hit. @returns whether it counts; then no shorter pattern that ends here is tried */
  private take(layer: Layer, start: number, end: number, found: Found, way: Way): boolean {
    if (found.isTrimmed && way.form === null) return false;
    const word = found.isShort ? this.isTakenFor(layer, start, end, found, way) : '';
    if (word === null) return false;
    const forms = [...new Set([found.isBase64 ? 'base64' : word, found.form, way.form])].filter(Boolean);
    const marker = [found.marker.slice(0, -1), ...forms].join(':').concat(']');
    const { from, to } = layer.placeOf(start, end);
    const before = this.hits.at(-1);
    // A secret that is repeated many times in a row is one hit.
    if (before?.marker === marker && before.layer === layer && from <= before.to && to >= before.from) {
      before.from = Math.min(before.from, from);
      before.to = Math.max(before.to, to);
      before.start = Math.min(before.start, start);
      before.end = Math.max(before.end, end);
      return true;
    }
    const rank = way.rank + (found.form ? 2 : word === 'part' ? 1 : 0) + (found.isBase64 ? RANK_OF_FORM : 0);
    this.hits.push({ from, to, marker, start, end, layer, rank, isNumber: way.isNumber });
    return true;
  }

  /** Says what a match of a short secret is: `''` the secret itself, `part` perhaps only a word, `null` no match. */
  private isTakenFor(layer: Layer, start: number, end: number, found: Found, way: Way): '' | 'part' | null {
    const { bytes } = layer;
    if (this.isProtocol) return null;
    if (found.isBase64) {
      const isRun = !BASE64_BYTES.has(bytes[start - 1]) && !BASE64_BYTES.has(bytes[end]);
      return isRun && way.form === null && !way.isNumber ? '' : null;
    }
    if (way.form === 'base64' && way.depth === 1) return end - start >= TELLING_IN_BASE64 ? '' : null;
    if (way.form !== null) return null;
    if (way.isJson) {
      const isAll = endsPart(layer, start - 1) && endsPart(layer, end);
      return isAll && (!way.isNumber || end - start >= WORD_FROM) ? '' : null;
    }
    if (endsValue(layer, start - 1, -1) && endsValue(layer, end, 1)) return '';
    const isWord = !WORD_BYTES.has(bytes[start - 1]) && !WORD_BYTES.has(bytes[end]);
    return isWord && end - start >= WORD_FROM ? 'part' : null;
  }
}

function endsPart({ from, length }: Layer, at: number): boolean {
  return at < 0 || at >= length || from[at] === END_OF_PART;
}

const BEFORE_A_VALUE = new Set(Buffer.from('=:"\'<>(&;\r\n'));
const AFTER_A_VALUE = new Set(Buffer.from('"\'<>)&;\r\n'));

/** Whether a value may end here: at an end of the text, a quote or a tag; on its left also at a colon and the like. */
function endsValue(layer: Layer, at: number, step: 1 | -1): boolean {
  let i = at;
  while (layer.bytes[i] === 0x20 || layer.bytes[i] === 0x09) i += step;
  return endsPart(layer, i) || (step < 0 ? BEFORE_A_VALUE : AFTER_A_VALUE).has(layer.bytes[i] ?? 0);
}

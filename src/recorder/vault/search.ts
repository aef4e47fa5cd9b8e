/** One search of one body for all secrets, through whatever it was encoded in, within a bound of work. */
import { aroundFresh, BASE64_BYTES, DECODINGS, type Searching, Undecided, unescaped, WORD_BYTES } from './decodings';
import { END_OF_PART, type Layer, NO_CHARACTER } from './layer';
import { type Found, foldedByte, type Patterns } from './patterns';
import type { Root, Way } from './roots';

/** From this length on a short secret is kept out of texts as a word too, without being taken for it. */
const WORD_FROM = 4;
/** Base64 of fewer bytes is found in ordinary base64 by chance. */
const TELLING_IN_BASE64 = 6;
/** Fewer characters from the beginning of a secret tell nobody anything. */
const TOLD_BY_A_PART = 4;
/** What it costs to take a body apart, for each of its bytes. */
const TAKING_APART = 8;
/** Encodings within encodings. */
const MOST_DEPTH = 12;
const MOST_ROUNDS = 8;
/** Added to the rank of what is found in an encoding that its marker names, and in any other. */
const [RANK_OF_FORM, RANK_OF_SPELLING] = [10, 1];
/** Rounds that are taken one escape at a time, since a secret may look like escapes itself. */
const SHALLOW_ROUNDS = 2;
/** Attempts to read as compressed what does not say that it is. */
const MOST_UNMARKED = 400;

/** Where a secret stands in the source. */
export interface Hit {
  from: number;
  to: number;
  marker: string;
  /** Where it stands in the layer in which it was found. */
  start: number;
  end: number;
  layer: Layer;
  /** The further a form is from the plain one, the higher. */
  rank: number;
  /** Stands for numbers of JSON: needs quotes. */
  isNumber: boolean;
}

export class Search implements Searching {
  readonly hits: Hit[] = [];
  readonly reach: number;
  /** Where the beginning of a secret stands at the very end; the end itself where none does. */
  cut: number;
  work = 0;
  unmarkedLeft = MOST_UNMARKED;

  /**
   * @param length of the source
   * @param allowed how many bytes may be read in all layers together
   * @param isProtocol leaves short secrets alone
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

  /** Looks through all of a body. @returns whether it could be decided within the bound */
  through(roots: readonly Root[]): boolean {
    try {
      this.spend(TAKING_APART * this.length);
      for (const root of roots) {
        if (root.isDeep) this.look(root.layer, root);
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

  /** Searches a layer, all that its decodings make of it, and the same of what is left of it without its escapes. */
  private look(layer: Layer, way: Way): void {
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
        for (const inner of decode(current, this, way.depth)) this.look(inner, below);
      }
      this.spend(current.length);
      const next = unescaped(current, round >= SHALLOW_ROUNDS);
      if (!next) return;
      current = aroundFresh(next, this.reach);
    }
  }

  /** One pass for what stands as it is, and at the same time for other letter cases and directions. */
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

  /** Takes down what was found. @returns whether it counts, so that nothing shorter is asked for */
  private take(layer: Layer, start: number, end: number, found: Found, way: Way): boolean {
    if (found.isTrimmed && way.form === null) return false;
    const word = found.isShort ? this.isTakenFor(layer, start, end, found, way) : '';
    if (word === null) return false;
    const forms = [...new Set([found.isBase64 ? 'base64' : word, found.form, way.form])].filter(Boolean);
    const marker = [found.marker.slice(0, -1), ...forms].join(':').concat(']');
    const { from, to } = layer.placeOf(start, end);
    const before = this.hits.at(-1);
    // A secret that repeats itself without end is one hit.
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

  /** What a short secret is taken for where it was found: `''` itself, `part` a word by chance, `null` nothing. */
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

/** Whether a whole value may end here: at an end of the text, at a quote or a tag; before it also at a colon and the like. */
function endsValue(layer: Layer, at: number, step: 1 | -1): boolean {
  let i = at;
  while (layer.bytes[i] === 0x20 || layer.bytes[i] === 0x09) i += step;
  return endsPart(layer, i) || (step < 0 ? BEFORE_A_VALUE : AFTER_A_VALUE).has(layer.bytes[i] ?? 0);
}

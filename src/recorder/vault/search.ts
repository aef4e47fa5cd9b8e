/** One search of one body for all secrets, through whatever it was encoded in, within a bound of work. */
import { isAlphanumeric } from '../../evidence/escapes';
import {
  aroundFresh,
  DECODINGS,
  inflated,
  isBase64,
  isText,
  layerOf,
  type Part,
  partsOf,
  TOO_LARGE,
  unescaped,
} from './decodings';
import { END_OF_PART, type Layer, NO_CHARACTER } from './layer';
import { type Found, foldedByte, type Patterns } from './patterns';
import type { Root } from './roots';

/** From this length on a short secret is kept out of texts as a word too, without being taken for it. */
const WORD_FROM = 4;
/** Base64 of fewer bytes is found in ordinary base64 by chance. */
const TELLING_IN_BASE64 = 6;
/** Fewer characters from the beginning of a secret tell nobody anything. */
const TOLD_BY_A_PART = 4;
/** What it takes to find the roots of a byte, in bytes read. */
const TAKING_APART = 8;
/** Encodings within encodings. */
const MOST_DEPTH = 12;
const MOST_ROUNDS = 8;
/** Rounds that are taken one escape at a time, since a secret may look like escapes itself. */
const SHALLOW_ROUNDS = 2;
/** Attempts to read as compressed what does not say that it is. */
const MOST_UNMARKED = 400;
const LEAST_COMPRESSED = 10;
const MOST_INFLATED = 4 * 1024 * 1024;

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

/** How a layer was read from its root. */
interface Way extends Omit<Root, 'layer' | 'isDeep'> {
  depth: number;
}

/** Thrown inside, where a body takes more work than it may. */
class Undecided extends Error {}

export class Search {
  readonly hits: Hit[] = [];
  /** Where the beginning of a secret stands at the very end; the end itself where none does. */
  cut: number;
  work = 0;
  private unmarked = 0;

  /**
   * @param length of the source
   * @param allowed how many bytes may be read in all layers together
   * @param isProtocol leaves short secrets alone
   */
  constructor(
    private readonly patterns: Patterns,
    private readonly length: number,
    private readonly allowed: number,
    private readonly isProtocol: boolean,
  ) {
    this.cut = length;
  }

  /** Looks through all of a body. @returns whether it could be decided within the bound */
  through(roots: () => readonly Root[]): boolean {
    try {
      this.spend(TAKING_APART * this.length);
      for (const { layer, isDeep, ...root } of roots()) {
        const way = { ...root, depth: root.form === null ? 0 : 1 };
        if (isDeep) this.look(layer, way);
        else this.find(layer, way);
      }
      return true;
    } catch (error) {
      if (error instanceof Undecided) return false;
      throw error;
    }
  }

  private spend(bytes: number): void {
    this.work += bytes;
    if (this.work > this.allowed) throw new Undecided();
  }

  /** Searches a layer, what is left of it without its escapes, and what both stand for. */
  private look(layer: Layer, way: Way): void {
    if (way.depth > MOST_DEPTH) throw new Undecided();
    let current: Layer | null = layer;
    for (let round = 0; current; round += 1) {
      if (round > MOST_ROUNDS) throw new Undecided();
      this.find(current, way);
      this.unpack(current, way);
      this.spend(current.bytes.length);
      const next: Layer | null = unescaped(current, round >= SHALLOW_ROUNDS);
      current = next && aroundFresh(next, this.patterns.reach);
    }
  }

  private unpack(layer: Layer, way: Way): void {
    const below = (form: string | null, by: number): Way => {
      return { ...way, form: way.form ?? form, rank: way.rank + by, depth: way.depth + 1 };
    };
    for (const { form, rank, packs = false, decode } of DECODINGS) {
      this.spend(layer.bytes.length);
      let isFirst = true;
      for (const inner of decode(layer, this.length, this.patterns.reach)) {
        this.look(inner, below(form, rank));
        if (packs) this.inflate(inner, below(form, rank), isFirst);
        isFirst = false;
      }
    }
    if (way.depth === 0) this.inflate(layer, below('compressed', 10), true);
  }

  /** Looks into what is compressed among the parts of a layer. */
  private inflate(layer: Layer, way: Way, mayBeUnmarked: boolean): void {
    const contents: Part[] = [];
    for (const { bytes, from, to } of partsOf(layer)) {
      if (bytes.length < LEAST_COMPRESSED) continue;
      const isUnmarked = mayBeUnmarked && !isText(bytes) && this.unmarked < MOST_UNMARKED;
      if (isUnmarked) this.unmarked += 1;
      const content = inflated(bytes, MOST_INFLATED, isUnmarked);
      if (content === TOO_LARGE) throw new Undecided();
      if (content === null) continue;
      this.spend(content.length);
      contents.push({ bytes: content, from, to });
    }
    const inner = layerOf(contents);
    if (!inner) return;
    this.look(inner, { ...way, depth: way.depth + 1 });
    this.inflate(inner, { ...way, depth: way.depth + 1 }, false);
  }

  /** One pass for what stands as it is, and at the same time for other letter cases and directions. */
  private find(layer: Layer, way: Way): void {
    const { bytes, from } = layer;
    this.spend(2 * bytes.length);
    const { exact, folded } = this.patterns;
    let state = 0;
    let foldedState = 0;
    for (let i = 0; i < bytes.length; i += 1) {
      const byte = bytes[i] ?? 0;
      if (byte === NO_CHARACTER && (from[i] ?? 0) < 0) {
        state = 0;
        foldedState = 0;
        continue;
      }
      state = exact.next(state, byte);
      foldedState = folded.next(foldedState, foldedByte(byte));
      if (exact.isEnd(state)) exact.ending(state, (what, length) => this.take(layer, i + 1 - length, i + 1, what, way));
      if (folded.isEnd(foldedState))
        folded.ending(foldedState, (what, length) => this.take(layer, i + 1 - length, i + 1, what, way));
    }
    const depth = exact.depth(state);
    const end = layer.to[bytes.length - 1] ?? 0;
    if (depth >= TOLD_BY_A_PART && end >= this.length)
      this.cut = Math.min(this.cut, Math.max(0, from[bytes.length - depth] ?? 0));
  }

  /** Takes down what was found. @returns whether it counts, so that nothing shorter is asked for */
  private take(layer: Layer, start: number, end: number, found: Found, way: Way): boolean {
    if (found.isTrimmed && way.form === null) return false;
    const word = found.isShort ? this.isTakenFor(layer, start, end, found, way) : '';
    if (word === null) return false;
    const forms = [...new Set([found.isBase64 ? 'base64' : word, found.form, way.form])].filter(Boolean);
    const [first = 0, last = 0] = [layer.from[start], layer.from[end - 1]];
    const [firstEnd = 0, lastEnd = 0] = [layer.to[start], layer.to[end - 1]];
    const hit: Hit = {
      from: Math.min(first, last),
      to: Math.max(firstEnd, lastEnd),
      start,
      end,
      layer,
      marker: forms.length === 0 ? found.secret.marker : `${found.secret.marker.slice(0, -1)}:${forms.join(':')}]`,
      rank: way.rank + (found.form !== null ? 2 : word === 'part' ? 1 : 0) + (found.isBase64 ? 10 : 0),
      isNumber: way.isNumber,
    };
    const before = this.hits.at(-1);
    // What repeats itself without end is one.
    if (before?.marker === hit.marker && before.layer === layer && hit.from <= before.to && hit.to >= before.from) {
      before.from = Math.min(before.from, hit.from);
      before.to = Math.max(before.to, hit.to);
      before.start = Math.min(before.start, start);
      before.end = Math.max(before.end, end);
    } else this.hits.push(hit);
    return true;
  }

  /** What a short secret is taken for where it was found: `''` itself, `part` a word by chance, `null` nothing. */
  private isTakenFor(layer: Layer, start: number, end: number, found: Found, way: Way): '' | 'part' | null {
    const { bytes } = layer;
    if (this.isProtocol) return null;
    if (found.isBase64) {
      const isRun = !isBase64(bytes[start - 1]) && !isBase64(bytes[end]);
      return isRun && way.form === null && !way.isNumber ? '' : null;
    }
    if (way.form === 'base64' && way.depth === 1) return end - start >= TELLING_IN_BASE64 ? '' : null;
    if (way.form !== null) return null;
    if (way.isJson) {
      const isAll = endsPart(layer, start - 1) && endsPart(layer, end);
      return isAll && (!way.isNumber || end - start >= WORD_FROM) ? '' : null;
    }
    if (endsValue(layer, start - 1, -1) && endsValue(layer, end, 1)) return '';
    const isWord = !isAlphanumeric(bytes[start - 1]) && !isAlphanumeric(bytes[end]);
    return isWord && end - start >= WORD_FROM ? 'part' : null;
  }
}

function endsPart({ from }: Layer, at: number): boolean {
  return at < 0 || at >= from.length || from[at] === END_OF_PART;
}

const BEFORE_A_VALUE = new Set(Buffer.from('=:"\'<>(&;\r\n'));
const AFTER_A_VALUE = new Set(Buffer.from('"\'<>)&;\r\n'));

/** Whether a whole value may end here: at an end of the text, at a quote or a tag; before it also at a colon and the like. */
function endsValue(layer: Layer, at: number, step: 1 | -1): boolean {
  let i = at;
  while (layer.bytes[i] === 0x20 || layer.bytes[i] === 0x09) i += step;
  return endsPart(layer, i) || (step < 0 ? BEFORE_A_VALUE : AFTER_A_VALUE).has(layer.bytes[i] ?? 0);
}

/** One search of one body for all secrets, through whatever it was encoded in, within a bound of work. */
import { isAlphanumeric } from '../../evidence/escapes';
import {
  aroundFresh,
  DIGITS,
  decoded,
  INTRODUCERS,
  inflated,
  isBase64,
  layerOf,
  listed,
  narrowed,
  partsOf,
  reversed,
  runsOf,
  unescaped,
  unquoted,
} from './decodings';
import { END_OF_PART, type Layer, NO_CHARACTER } from './layer';
import { type Found, foldedByte, type Patterns } from './patterns';
import type { Roots } from './roots';

/** From this length on a short secret is kept out of texts as a word too, without being taken for it. */
const WORD_FROM = 4;
/** Base64 of fewer bytes is found in ordinary base64 by chance. */
const TELLING_IN_BASE64 = 6;
/** Fewer characters from the beginning of a secret tell nobody anything. */
const TOLD_BY_A_PART = 4;
/** Encodings within encodings. */
const MOST_DEPTH = 12;
const MOST_ROUNDS = 8;
/** Rounds that are taken one escape at a time, since a secret may look like escapes itself. */
const SHALLOW_ROUNDS = 2;
/** Attempts to read as compressed what does not say that it is. */
const MOST_UNMARKED = 400;
const LEAST_COMPRESSED = 10;
/** Of a longer text, only the secrets themselves are looked for backwards, and not what they are encoded in. */
const MOST_REVERSED = 16_384;
const MOST_INFLATED = 4 * 1024 * 1024;

/** Where a secret stands in the source. */
export interface Hit {
  from: number;
  to: number;
  marker: string;
  /** The further a form is from the plain one, the higher. */
  rank: number;
  /** Stands for numbers of JSON: needs quotes. */
  isNumber: boolean;
}

interface Way {
  /** Of a marker that is found so; `null` where it stands in the text itself, escaped or not. */
  form: string | null;
  rank: number;
  depth: number;
  isJson: boolean;
  isNumber: boolean;
}

/** What was found in a layer. */
interface InLayer {
  start: number;
  end: number;
  what: Found;
  word: '' | 'part';
}

function rankOf({ what, word }: InLayer): number {
  return what.form !== null ? 2 : word === 'part' ? 1 : 0;
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
  through({ isJson, text, joined, bytes, numbers }: Roots): boolean {
    const way: Way = { form: null, rank: 0, depth: 0, isJson, isNumber: false };
    try {
      if (text) this.look(text, way);
      // A secret may look like escapes of another kind itself: then these stay as they are.
      for (const only of text ? INTRODUCERS : []) {
        const said = unescaped(text as Layer, false, only);
        if (said) this.find(said, way);
      }
      if (joined) this.find(joined, { ...way, form: 'joined', rank: 5 });
      if (numbers) this.find(numbers, { ...way, isNumber: true });
      if (bytes) this.look(bytes, { ...way, form: 'bytes', rank: 10, depth: 1, isNumber: true });
      if (text && text.bytes.length <= MOST_REVERSED)
        this.look(reversed(text), { ...way, form: 'reversed', rank: 20, depth: 1 });
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
    const below = (form: string | null, by: number): Way => ({
      ...way,
      form: way.form ?? form,
      rank: way.rank + by,
      depth: way.depth + 1,
    });
    for (const digits of DIGITS) {
      this.spend(layer.bytes.length);
      const runs = runsOf(layer, digits, this.length);
      for (let phase = 0; runs.length > 0 && phase < digits.phases; phase += 1) {
        const inner = decoded(layer, runs, digits, phase);
        if (!inner) continue;
        this.look(inner, below(digits.form, 10));
        if (digits.form === 'base64') this.inflate(inner, below(digits.form, 10), phase === 0);
      }
    }
    for (const isHex of [false, true]) {
      this.spend(layer.bytes.length);
      const inner = listed(layer, isHex);
      if (inner) this.look(inner, below(isHex ? 'hex' : 'bytes', 10));
    }
    const unwrapped = isText(layer.bytes) ? unquoted(layer) : null;
    const quoted = unwrapped && aroundFresh(unwrapped, this.patterns.reach);
    if (quoted) this.look(quoted, below(null, 1));
    const narrow = narrowed(layer);
    if (narrow) this.look(narrow, below(null, 1));
    if (way.depth === 0) this.inflate(layer, below('compressed', 10), true);
  }

  /** Looks into what is compressed among the parts of a layer. */
  private inflate(layer: Layer, way: Way, mayBeUnmarked: boolean): void {
    const contents: Array<{ bytes: Uint8Array; from: number; to: number }> = [];
    for (const { bytes, from, to } of partsOf(layer)) {
      if (bytes.length < LEAST_COMPRESSED) continue;
      const isUnmarked = mayBeUnmarked && !isText(bytes) && this.unmarked < MOST_UNMARKED;
      if (isUnmarked) this.unmarked += 1;
      const content = inflated(bytes, MOST_INFLATED, isUnmarked);
      if (content === 'undecided') throw new Undecided();
      if (!content || content.length === 0) continue;
      this.spend(content.length);
      contents.push({ bytes: content, from, to });
    }
    const inner = layerOf(contents);
    if (!inner) return;
    this.look(inner, { ...way, depth: way.depth + 1 });
    this.inflate(inner, { ...way, depth: way.depth + 1 }, false);
  }

  /** One pass for what stands as it is, one for other letter cases and directions. */
  private find(layer: Layer, way: Way): void {
    const { bytes, from } = layer;
    this.spend(2 * bytes.length);
    const { exact, folded } = this.patterns;
    /** In order; what lies within a later one of the same or a plainer form is gone. */
    const found: InLayer[] = [];
    const keep = (one: InLayer): boolean => {
      const counts = this.counts(layer, one, way);
      if (!counts) return false;
      for (let last = found.at(-1); last && last.start >= one.start && rankOf(last) >= rankOf(one); last = found.at(-1))
        found.pop();
      found.push(one);
      return true;
    };
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
      if (exact.isEnd(state))
        exact.ending(state, (what, length) => keep({ start: i + 1 - length, end: i + 1, what, word: '' }));
      if (folded.isEnd(foldedState))
        folded.ending(foldedState, (what, length) => keep({ start: i + 1 - length, end: i + 1, what, word: '' }));
    }
    for (const one of found) this.take(layer, one, way);
    const depth = exact.depth(state);
    const end = layer.to[bytes.length - 1] ?? 0;
    if (depth >= TOLD_BY_A_PART && end >= this.length)
      this.cut = Math.min(this.cut, Math.max(0, from[bytes.length - depth] ?? 0));
  }

  /** Whether what was found is taken for the secret there. */
  private counts(layer: Layer, found: InLayer, way: Way): boolean {
    if (found.what.isTrimmed) return way.form !== null;
    if (!found.what.isShort) return true;
    const word = this.isTakenFor(layer, found.start, found.end, found.what, way);
    if (word !== null) found.word = word;
    return word !== null;
  }

  /** Takes down what was found. */
  private take(layer: Layer, { start, end, what: found, word }: InLayer, way: Way): void {
    const forms = [found.isBase64 ? 'base64' : word, found.form, way.form].filter(
      (one, i, all) => one && all.indexOf(one) === i,
    );
    const [first = 0, last = 0] = [layer.from[start], layer.from[end - 1]];
    const [firstEnd = 0, lastEnd = 0] = [layer.to[start], layer.to[end - 1]];
    const hit: Hit = {
      from: Math.min(first, last),
      to: Math.max(firstEnd, lastEnd),
      marker: forms.length === 0 ? found.secret.marker : `${found.secret.marker.slice(0, -1)}:${forms.join(':')}]`,
      rank: way.rank + (found.form === null ? 0 : 2) + (found.isBase64 ? 10 : 0),
      isNumber: way.isNumber,
    };
    const before = this.hits.at(-1);
    // What repeats itself without end is one.
    if (before?.marker === hit.marker && before.rank === hit.rank && hit.from <= before.to && hit.to >= before.from) {
      before.from = Math.min(before.from, hit.from);
      before.to = Math.max(before.to, hit.to);
    } else this.hits.push(hit);
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
    if (isBefore(layer, start) && isAfter(layer, end)) return '';
    const isWord = !isAlphanumeric(bytes[start - 1]) && !isAlphanumeric(bytes[end]);
    return isWord && end - start >= WORD_FROM ? 'part' : null;
  }
}

function endsPart({ from }: Layer, at: number): boolean {
  return at < 0 || at >= from.length || from[at] === END_OF_PART;
}

const BEFORE_A_VALUE = new Set(Buffer.from('=:"\'<>(&;\r\n'));
const AFTER_A_VALUE = new Set(Buffer.from('"\'<>)&;\r\n'));

/** Whether a whole value may begin here: at the beginning, or behind a quote, an equals sign, a colon or a tag. */
function isBefore({ bytes, from }: Layer, at: number): boolean {
  let i = at - 1;
  while (i >= 0 && (bytes[i] === 0x20 || bytes[i] === 0x09)) i -= 1;
  return i < 0 || from[i] === END_OF_PART || BEFORE_A_VALUE.has(bytes[i] ?? 0);
}

function isAfter({ bytes, from }: Layer, at: number): boolean {
  let i = at;
  while (i < bytes.length && (bytes[i] === 0x20 || bytes[i] === 0x09)) i += 1;
  return i >= bytes.length || from[i] === END_OF_PART || AFTER_A_VALUE.has(bytes[i] ?? 0);
}

/** Whether bytes are a text: nearly none of them is a control character or outside ASCII. */
function isText(bytes: Uint8Array): boolean {
  let other = 0;
  for (const byte of bytes) if (byte > 0x7e || (byte < 0x20 && byte !== 9 && byte !== 10 && byte !== 13)) other += 1;
  return other * 8 <= bytes.length;
}

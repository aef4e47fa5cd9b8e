/**
 * The only place that maps secrets to markers and back. All other code uses markers such as `[secret:apiKey:alice]`.
 * Markers are replaced by secrets when a request is written, and secrets by markers in everything that is read.
 */
import { createHash } from 'node:crypto';
import { isTooDeep } from '../../common/json-text';
import { Remembered } from '../../common/remembered';
import { ENCODINGS, MARKER, withheldOf } from '../../evidence/markers';
import { type Patterns, patternsOf, type Secret } from './patterns';
import { rootsOf } from './roots';
import { type Hit, Search } from './search';

/** The most characters of bodies whose masked form is remembered. */
const MOST_REMEMBERED = 8 * 1024 * 1024;
/** One search may read this many bytes for each byte of the body, plus `WORK_AT_LEAST`. */
const WORK_PER_BYTE = 128;
const WORK_AT_LEAST = 8_000_000;
/** Once all searches have read this many bytes, each gets only a tenth of its bound, so that a run takes no hours. */
const WORK_IN_ALL = 400_000_000;
/** The most values of one marker, such as passwords that nobody declared. */
const MOST_VALUES = 100;
/** The most characters of all values together, without the first value of each marker. */
const MOST_LEARNT = 65_536;

export class Vault {
  /** By marker, the values that it stands for. The first one is sent. */
  private readonly values = new Map<string, string[]>();
  private readonly unsearched = new Map<string, string>();
  private readonly secrets: Secret[] = [];
  private patterns: Patterns | null = null;
  private readonly done = new Remembered<Buffer>(MOST_REMEMBERED);
  private work = 0;
  private learnt = 0;

  /**
   * Registers a secret under a marker and returns the marker. A marker may have several values; its first one is sent.
   * If a value has several markers, it is masked by the first one.
   */
  add(marker: string, raw: string): string {
    const values = this.values.get(marker) ?? [];
    if (raw === '' || values.includes(raw) || values.length >= MOST_VALUES) return marker;
    if (values.length > 0) this.learnt += raw.length;
    if (this.learnt > MOST_LEARNT) return marker;
    values.push(raw);
    this.values.set(marker, values);
    this.secrets.push({ marker, raw });
    this.patterns = null;
    this.done.forget();
    return marker;
  }

  /** How many values are searched for. */
  get size(): number {
    return this.secrets.length;
  }

  /** Registers a value that is sent in place of a marker but never searched for. */
  addForSending(marker: string, raw: string): void {
    this.unsearched.set(marker, raw);
  }

  /** Returns a text with every registered marker replaced by its secret. Only for requests that are written. */
  reveal(text: string): string {
    return text.replace(MARKER, (marker) => this.values.get(marker)?.[0] ?? this.unsearched.get(marker) ?? marker);
  }

  /**
   * Returns bytes with every registered secret replaced by its marker, in all encodings that SECURITY.md promises.
   * JSON keeps its structure: described member names and literals stay, and a number with a secret becomes a string.
   * If the search exceeds its bound of work, all bytes are withheld, see `withheldOf`.
   * @param isProtocol whether the bytes are words and numbers of the protocol, where short secrets are not searched for
   */
  mask(bytes: Buffer, isProtocol = false): Buffer {
    this.patterns ??= patternsOf(this.secrets);
    // No encoding of a secret is shorter than the secret: compression saves less than its frame adds.
    if (bytes.length < this.patterns.shortest) return bytes;
    const text = bytes.toString('latin1');
    return this.done.of(`${isProtocol}:${text}`, () => {
      const { masked } = this.searched(text, isProtocol);
      return masked === text ? bytes : Buffer.from(masked, 'latin1');
    });
  }

  /** `mask` for bytes that were cut off: if they end in the beginning of a secret, that beginning is dropped. */
  maskCut(bytes: Buffer): Buffer {
    if (this.secrets.length === 0 || bytes.length === 0) return bytes;
    const masked = this.mask(bytes).toString('latin1');
    const whole = masked.slice(0, masked.length - lengthOfPart(masked));
    const { cut } = this.searched(whole, false);
    return Buffer.from(cut < whole.length ? masked.slice(0, cut) : masked, 'latin1');
  }

  /** `mask` for text, such as a header value. */
  maskText(text: string): string {
    return this.mask(Buffer.from(text)).toString();
  }

  private searched(text: string, isProtocol: boolean): { masked: string; cut: number } {
    this.patterns ??= patternsOf(this.secrets);
    const most = WORK_AT_LEAST + WORK_PER_BYTE * text.length;
    const allowed = Math.max(most / 10, Math.min(most, WORK_IN_ALL - this.work));
    const search = new Search(this.patterns, text.length, allowed, isProtocol);
    const isDecided = search.through(rootsOf(text, (marker) => this.isOurs(marker)));
    this.work += search.work;
    if (isDecided) return { masked: replaced(text, search.hits), cut: search.cut };
    const digest = createHash('sha256').update(text, 'latin1').digest('hex');
    const masked = withheldOf(text.length, digest, isTooDeep(text));
    return { masked, cut: masked.length };
  }

  /** Whether a marker in a response is one of ours. Any other is searched like plain text: it could hide a secret. */
  private isOurs(marker: string): boolean {
    const parts = marker.slice(0, -1).split(':');
    for (;;) {
      if (this.values.has(`${parts.join(':')}]`)) return true;
      if (!ENCODINGS.has(parts.pop() ?? '')) return false;
    }
  }
}

/** The most markers that replace one stretch of text. */
const MOST_MARKERS = 8;
const MOST_COMPARED = 256;

/** Returns a text with markers in place of each stretch that holds secrets. */
function replaced(text: string, hits: readonly Hit[]): string {
  const stretches: Array<{ from: number; to: number; hits: Hit[] }> = [];
  // Of hits that begin at the same place, the longest comes first.
  for (const hit of hits.toSorted((a, b) => a.from - b.from || b.to - a.to || a.rank - b.rank)) {
    const last = stretches.at(-1);
    if (last && hit.from < last.to) {
      last.hits.push(hit);
      last.to = Math.max(last.to, hit.to);
    } else stretches.push({ from: hit.from, to: hit.to, hits: [hit] });
  }
  let [masked, end] = ['', 0];
  for (const { from, to, hits } of stretches) {
    const markers = markersOf(hits).join('');
    masked += text.slice(end, from) + (hits.some(({ isNumber }) => isNumber) ? `"${markers}"` : markers);
    end = to;
  }
  return masked + text.slice(end);
}

/** Returns the markers of hits. A hit is dropped if it lies within another one that is as plain or plainer. */
function markersOf(hits: readonly Hit[]): string[] {
  const told = hits.length > MOST_COMPARED ? hits : hits.filter((hit) => !hits.some((other) => isPartOf(hit, other)));
  return [...new Set(told.map(({ marker }) => marker))].slice(0, MOST_MARKERS);
}

/** Compares hits of one layer by their place in it: all that was decoded from one token has one place in the source. */
function isPartOf(hit: Hit, other: Hit): boolean {
  const [from, to] = hit.layer === other.layer ? (['start', 'end'] as const) : (['from', 'to'] as const);
  const isWithin = other[from] <= hit[from] && hit[to] <= other[to];
  return isWithin && other.rank <= hit.rank && (other.rank < hit.rank || other[to] - other[from] > hit[to] - hit[from]);
}

/** Returns the length of an escape at the very end that may have been cut off; 0 if there is none. */
function lengthOfPart(text: string): number {
  return (
    /(?:\\(?:u[0-9a-fA-F]{0,3}|x[0-9a-fA-F]?|[0-7]{0,2})|%(?:u[0-9a-fA-F]{0,3}|[0-9a-fA-F]?)|&[#A-Za-z0-9]{0,8}|=[0-9A-F]?)$/.exec(
      text.slice(-12),
    )?.[0].length ?? 0
  );
}

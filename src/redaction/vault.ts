/**
 * The only place that maps secrets to markers and back. All other code uses markers such as `[secret:apiKey:alice]`.
 * Secrets become markers in everything that is read. What others write that looks like a marker is escaped.
 */
import { charactersIn, type Form, formsAsItIs, formsOf, WHOLE_VALUE_BELOW } from './encoders';
import { readingsOf } from './escapes';
import { LOOKALIKE, MARKER, MARKER_BEGINS } from './markers';
import { type Manner, type Sought, Spans } from './spans';

/**
 * Finds many byte strings (patterns) in one pass over a text (Aho and Corasick, 1975). The time grows with the length of
 * the text alone. A state is made when a text first leads to it: there are many patterns, and most texts hold the
 * beginnings of few.
 */

/** A text in which each character stands for one byte, and what to find where it ends. */
type Pattern<Found> = readonly [text: string, found: Found];

/** Most bytes of a text lead to a state of no more than this depth, which knows where every byte leads. */
const SHALLOW = 1;

/** The longest beginning of a pattern that the bytes read last make up. */
class State<Found> {
  /** By the next byte: the state, or until it is made, the patterns that go on with that byte. */
  private readonly next = new Map<number, State<Found> | Pattern<Found>[]>();
  /** By the next byte: the state after it, once it was asked for. */
  private readonly known: Array<State<Found> | undefined> | null;
  /** What is found where this state is reached. */
  readonly found: Found[] = [];
  /** This state if a pattern ends in it, else the first one of its fallbacks in which one does. */
  readonly ending: State<Found> | null;

  /**
   * @param patterns all patterns that begin with these bytes
   * @param depth how many bytes these are
   * @param fallback the state of their longest ending that is shorter and begins a pattern; `null` for no bytes
   */
  constructor(
    patterns: readonly Pattern<Found>[],
    readonly depth = 0,
    private readonly fallback: State<Found> | null = null,
  ) {
    this.known = depth <= SHALLOW ? new Array(256).fill(undefined) : null;
    for (const pattern of patterns) {
      const [text, found] = pattern;
      const byte = text.charCodeAt(depth);
      const others = this.next.get(byte);
      if (text.length === depth) this.found.push(found);
      else if (Array.isArray(others)) others.push(pattern);
      else this.next.set(byte, [pattern]);
    }
    this.ending = this.found.length === 0 ? (fallback?.ending ?? null) : this;
  }

  /** Returns the state after one more byte. */
  after(byte: number): State<Found> {
    let state: State<Found> = this;
    for (;;) {
      const known = state.known?.[byte];
      if (known) return known;
      const next = state.next.get(byte);
      if (next || !state.fallback || state.known) return state.learnt(byte, next);
      state = state.fallback;
    }
  }

  private learnt(byte: number, next: State<Found> | readonly Pattern<Found>[] | undefined): State<Found> {
    if (next instanceof State) return next;
    const elsewhere = this.fallback?.after(byte) ?? this;
    const state = next ? new State(next, this.depth + 1, elsewhere) : elsewhere;
    if (next) this.next.set(byte, state);
    if (this.known) this.known[byte] = state;
    return state;
  }

  /** Returns the state of the longest shorter pattern that ends here. */
  get shorter(): State<Found> | null {
    return this.fallback?.ending ?? null;
  }
}

/** The most characters of the forms of all values that a server shows. Those beyond half of it are looked for as they are. */
const MOST_LEARNT = 2_000_000;
/** A longer value is replaced in its member alone. */
const LONGEST_LEARNT = 20_000;
/** Fewer bytes of a secret's beginning may stay at the end of a body: they disclose nothing. */
const SHORTEST_PART = 4;
/** An escape at the very end that may have been cut off, and how many bytes it may have. */
const LONGEST_ESCAPE = 16;
const PART_OF_AN_ESCAPE = /(?:\\(?:u[0-9a-fA-F]{0,3}|x[0-9a-fA-F]?)?|%[0-9a-fA-F]?|&[#A-Za-z0-9]{0,9})$/;
/** By byte: its small letter in Latin-1. */
const FOLDED = Uint8Array.from({ length: 256 }, (_, byte) => String.fromCharCode(byte).toLowerCase().charCodeAt(0));

const BY_OTHERS: Form = {
  text: MARKER_BEGINS,
  folded: MARKER_BEGINS,
  words: [],
  isWhole: false,
  wordsInOtherCase: null,
};
const OF_OTHERS: Sought = { form: BY_OTHERS, marker: LOOKALIKE };

type Report = (marker: string, secret: string, forms: readonly Form[]) => void;

export class Vault {
  /** By marker, the values that it stands for. The first one is sent. */
  private readonly values = new Map<string, Set<string>>();
  /** By marker, what may be sent. */
  private readonly reserved = new Map<string, string>();
  /** The state before the first byte: states differ by small letters. `null` until all that is known is in it. */
  private start: State<Sought> | null = null;
  private readonly registered: Array<Parameters<Report>> = [];
  private report: Report | null = null;
  private learnt = 0;

  /** @param sought all that is looked for; by default what looks like a marker */
  constructor(private readonly sought: Sought[] = [OF_OTHERS]) {}

  /** How many values are searched for. */
  get size(): number {
    return this.registered.length;
  }

  /** Reports every secret, and those that are registered later once they are. */
  reportTo(report: Report): void {
    for (const secret of this.registered) report(...secret);
    this.report = report;
  }

  /**
   * Registers a secret under a marker and returns the marker. A marker may have several values; its first one is sent.
   * If a value has several markers, it is masked by the first one.
   */
  add(marker: string, raw: string, forms = formsOf(raw)): string {
    const values = this.values.get(marker) ?? new Set();
    if (raw === '' || values.has(raw)) return marker;
    this.values.set(marker, values.add(raw));
    for (const form of forms) this.sought.push({ form, marker });
    this.start = null;
    this.registered.push([marker, raw, forms]);
    this.report?.(marker, raw, forms);
    return marker;
  }

  /** As `add`, for what a server shows: what is made of all of it is bounded. */
  learn(marker: string, raw: string): void {
    if (raw.length > LONGEST_LEARNT || this.values.get(marker)?.has(raw)) return;
    const all = formsOf(raw);
    const forms = this.learnt + charactersIn(all) <= MOST_LEARNT / 2 ? all : formsAsItIs(raw);
    if (this.learnt + charactersIn(forms) > MOST_LEARNT) return;
    this.learnt += charactersIn(forms);
    this.add(marker, raw, forms);
  }

  /** Registers a value that is sent in place of a marker but never searched for. */
  addForSending(marker: string, raw: string): void {
    this.values.set(marker, new Set([raw]));
  }

  /** Notes a value that was made from a secret, such as an altered key. It is registered once it is sent. */
  reserve(marker: string, raw: string): void {
    this.reserved.set(marker, raw);
  }

  /** Returns a text of ours with every marker replaced by its secret. Only for requests that are written. */
  reveal(text: string): string {
    return text.replace(MARKER, (marker) => {
      const raw = this.reserved.get(marker);
      // A short one is sent, but not looked for: the half of a short key may be any number.
      if (raw !== undefined && raw.length < WHOLE_VALUE_BELOW) this.addForSending(marker, raw);
      else if (raw !== undefined) this.add(marker, raw);
      const [first = marker] = this.values.get(marker) ?? [];
      return first;
    });
  }

  /**
   * Returns bytes with every registered secret replaced by its marker, in all forms that SECURITY.md promises. JSON keeps
   * its structure: described member names stay, and a number with a secret becomes a string.
   */
  mask(bytes: Buffer, manner: Manner = {}): Buffer {
    return this.search(bytes, manner).spans.replaced();
  }

  /** `mask` for bytes that were cut off: if they end in the beginning of a secret, that beginning is dropped. */
  maskCut(bytes: Buffer, manner: Manner = {}): Buffer {
    const [part = ''] = PART_OF_AN_ESCAPE.exec(bytes.subarray(-LONGEST_ESCAPE).toString('latin1')) ?? [];
    const { spans, cut } = this.search(bytes.subarray(0, bytes.length - part.length), { ...manner, isCut: true });
    return spans.replaced(cut);
  }

  /** `mask` for text, such as a header value. */
  maskText(text: string, manner: Manner = {}): string {
    return this.mask(Buffer.from(text), manner).toString();
  }

  /** @returns `cut` is where a secret begins that the end of the text cuts off, or the end */
  private search(source: Buffer, manner: Manner): { spans: Spans; cut: number } {
    this.start ??= new State(this.sought.map((sought) => [sought.form.folded, sought]));
    const spans = new Spans(source, manner);
    let cut = source.length;
    for (const reading of readingsOf(source)) {
      const { bytes } = reading;
      let state = this.start;
      for (let i = 0; i < bytes.length; i += 1) {
        state = state.after(FOLDED[bytes[i] ?? 0] ?? 0);
        for (let at = state.ending; at; at = at.shorter)
          if (spans.take(reading, i + 1 - at.depth, i + 1, at.found)) break;
      }
      if (state.depth >= SHORTEST_PART) cut = Math.min(cut, reading.placeOf(bytes.length - state.depth));
      spans.endReading();
    }
    return { spans, cut };
  }
}

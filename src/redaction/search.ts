/**
 * Finds many byte strings (patterns) in one pass over a text (Aho and Corasick, 1975). The time grows with the length of
 * the text alone. A state is made when a text first leads to it: there are many patterns, and most texts hold the
 * beginnings of few.
 */

/** A text in which each character stands for one byte, and what to find where it ends. */
export type Pattern<Found> = readonly [text: string, found: Found];

/** Most bytes of a text lead to a state of no more than this depth, which knows where every byte leads. */
const SHALLOW = 1;

/** The longest beginning of a pattern that the bytes read last make up. */
export class State<Found> {
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

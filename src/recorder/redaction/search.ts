/**
 * Finds many byte strings (patterns) in one pass over a text (Aho and Corasick, 1975). The time grows with the length of
 * the text alone. A state is made when a text first leads to it: there are many patterns, and most texts hold the
 * beginnings of few.
 */

/** A text in which each character stands for one byte, and what to find where it ends. */
export type Pattern<Found> = readonly [text: string, found: Found];

/** The longest beginning of a pattern that the bytes read last make up. */
export class State<Found> {
  /** By the next byte: the state, or until it is made, the patterns that go on with that byte. */
  private readonly next = new Map<number, State<Found> | Pattern<Found>[]>();
  /** Set if a pattern ends in this state. */
  readonly found: Found | undefined;
  /** This state if a pattern ends in it, else the first one of its fallbacks in which one does. */
  readonly ending: State<Found> | null;

  /**
   * @param patterns all patterns that begin with these bytes, each text once
   * @param depth how many bytes these are
   * @param fallback the state of their longest ending that is shorter and begins a pattern; `null` for no bytes
   */
  constructor(
    patterns: readonly Pattern<Found>[],
    readonly depth = 0,
    private readonly fallback: State<Found> | null = null,
  ) {
    for (const pattern of patterns) {
      const [text, found] = pattern;
      if (text.length === depth) this.found = found;
      else {
        const [byte, others] = [text.charCodeAt(depth), this.next.get(text.charCodeAt(depth))];
        if (Array.isArray(others)) others.push(pattern);
        else this.next.set(byte, [pattern]);
      }
    }
    this.ending = this.found === undefined ? (fallback?.ending ?? null) : this;
  }

  /** Returns the state after one more byte. */
  after(byte: number): State<Found> {
    let state: State<Found> = this;
    for (;;) {
      const next = state.next.get(byte);
      if (next) return Array.isArray(next) ? state.made(byte, next) : next;
      if (!state.fallback) return state;
      state = state.fallback;
    }
  }

  private made(byte: number, patterns: readonly Pattern<Found>[]): State<Found> {
    const state = new State(patterns, this.depth + 1, this.fallback ? this.fallback.after(byte) : this);
    this.next.set(byte, state);
    return state;
  }

  /** Returns the state of the longest shorter pattern that ends here. */
  get shorter(): State<Found> | null {
    return this.fallback?.ending ?? null;
  }
}

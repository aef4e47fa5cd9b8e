/**
 * Finds many byte strings (patterns) in one pass over a text (Aho and Corasick, 1975). The time depends only on the
 * length of the text, not on the number or the length of the patterns.
 */

const ROOT = 0;
const NONE = -1;

export class Automaton<Found> {
  /** By state and byte, the next state. */
  private readonly edges = new Map<number, number>();
  /** By state, the state to fall back to: the longest shorter ending of what was read that begins a pattern. */
  private readonly fail: number[] = [ROOT];
  private readonly depths: number[] = [0];
  /** By state, the value of the pattern that ends there. */
  private readonly found: Array<Found | undefined> = [undefined];
  /** By state, the first state in which a pattern ends: itself or one that it falls back to. */
  private readonly ends: number[] = [NONE];

  /** @param patterns values by byte string, in which each character stands for one byte */
  constructor(patterns: ReadonlyMap<string, Found>) {
    let open = [...patterns].map(([text, found]) => ({ text, found, state: ROOT })).filter(({ text }) => text !== '');
    // All patterns grow by one byte at a time, so that the shorter states to fall back to exist already.
    for (let depth = 1; open.length > 0; depth += 1) {
      for (const branch of open) {
        branch.state = this.grown(branch.state, branch.text.charCodeAt(depth - 1), depth);
        if (branch.text.length === depth) {
          this.found[branch.state] = branch.found;
          this.ends[branch.state] = branch.state;
        }
      }
      open = open.filter(({ text }) => text.length > depth);
    }
  }

  private grown(parent: number, byte: number, depth: number): number {
    const edge = (parent << 8) | byte;
    const known = this.edges.get(edge);
    if (known !== undefined) return known;
    const fail = parent === ROOT ? ROOT : this.next(this.fail[parent] ?? ROOT, byte);
    const state = this.fail.push(fail) - 1;
    this.edges.set(edge, state);
    this.depths.push(depth);
    this.found.push(undefined);
    this.ends.push(this.ends[fail] ?? NONE);
    return state;
  }

  next(from: number, byte: number): number {
    for (let state = from; ; state = this.fail[state] ?? ROOT) {
      const next = this.edges.get((state << 8) | byte);
      if (next !== undefined) return next;
      if (state === ROOT) return ROOT;
    }
  }

  /** Returns how many bytes of a pattern have been read in a state. */
  depth(state: number): number {
    return this.depths[state] ?? 0;
  }

  /** Calls `accept` for each pattern that ends in a state, the longest first, until `accept` returns true. */
  ending(state: number, accept: (found: Found, length: number) => boolean): void {
    for (let at = this.ends[state] ?? NONE; at !== NONE; at = this.ends[this.fail[at] ?? ROOT] ?? NONE)
      if (accept(this.found[at] as Found, this.depth(at))) return;
  }
}

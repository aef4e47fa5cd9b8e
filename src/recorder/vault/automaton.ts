/**
 * Finds many byte strings in one pass over a text (Aho and Corasick, 1975): the time is that of the text's length,
 * whatever the length and the number of what is looked for.
 */

const ROOT = 0;
const NONE = -1;

export class Automaton<Found> {
  /** The state that a state and a byte lead to. */
  private readonly edges = new Map<number, number>();
  /** By state, the state of the longest shorter text that begins a pattern and ends what was read. */
  private readonly fail: number[] = [ROOT];
  private readonly depths: number[] = [0];
  /** By state, what ends in it. */
  private readonly found: Array<Found | undefined> = [undefined];
  /** By state, the first of itself and its ever shorter states in which a pattern ends. */
  private readonly ends: number[] = [NONE];

  /** @param patterns byte strings, each character a byte */
  constructor(patterns: ReadonlyMap<string, Found>) {
    let open = [...patterns].map(([text, found]) => ({ text, found, state: ROOT })).filter(({ text }) => text !== '');
    // All patterns grow by a byte at a time: the shorter states that a state refers to are there before it.
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

  /** The state after a byte. */
  next(from: number, byte: number): number {
    for (let state = from; ; state = this.fail[state] ?? ROOT) {
      const next = this.edges.get((state << 8) | byte);
      if (next !== undefined) return next;
      if (state === ROOT) return ROOT;
    }
  }

  /** How much of a pattern's beginning has been read in a state. */
  depth(state: number): number {
    return this.depths[state] ?? 0;
  }

  /** Calls `accept` for what ends in a state, the longest first, until it says that it is enough. */
  ending(state: number, accept: (found: Found, length: number) => boolean): void {
    for (let at = this.ends[state] ?? NONE; at !== NONE; at = this.ends[this.fail[at] ?? ROOT] ?? NONE)
      if (accept(this.found[at] as Found, this.depth(at))) return;
  }
}

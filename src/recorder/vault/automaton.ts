/**
 * Finds many byte strings in one pass over a text (Aho and Corasick, 1975): the time is that of the text's length,
 * whatever the length and the number of what is looked for.
 */

const ROOT = 0;
const NONE = -1;

export class Automaton<Found> {
  /** Open addressing: a state and a byte lead to a state. */
  private readonly keys: Int32Array;
  private readonly targets: Int32Array;
  private readonly mask: number;
  private readonly shift: number;
  private readonly fail: Int32Array;
  private readonly depths: Int32Array;
  private readonly roots = new Int32Array(256);
  /** By state, whether anything ends in it. */
  private readonly ends: Uint8Array;
  /** What ends in a state, and the next shorter state in which anything ends. */
  private readonly found: Array<Found | undefined> = [undefined];
  private readonly shorter: number[] = [NONE];

  /** @param patterns byte strings, each character a byte */
  constructor(patterns: ReadonlyMap<string, Found>) {
    const edges = [...patterns.keys()].reduce((sum, { length }) => sum + length, 0);
    const capacity = 2 ** Math.ceil(Math.log2(2 * edges + 2));
    this.keys = new Int32Array(capacity).fill(NONE);
    this.targets = new Int32Array(capacity);
    this.mask = capacity - 1;
    this.shift = 32 - Math.log2(capacity);
    const order: Array<[state: number, parent: number, byte: number]> = [];
    const depths: number[] = [0];
    for (const [text, found] of patterns) {
      let state = ROOT;
      for (const byte of Buffer.from(text, 'latin1')) {
        const slot = this.slot(state, byte);
        if (this.keys[slot] === NONE) {
          this.keys[slot] = (state << 8) | byte;
          this.targets[slot] = depths.length;
          order.push([depths.length, state, byte]);
          depths.push((depths[state] ?? 0) + 1);
          this.found.push(undefined);
          this.shorter.push(NONE);
        }
        state = this.targets[slot] ?? ROOT;
      }
      if (state !== ROOT) this.found[state] = found;
    }
    for (let byte = 0; byte < 256; byte += 1) this.roots[byte] = this.targets[this.slot(ROOT, byte)] ?? ROOT;
    this.depths = Int32Array.from(depths);
    this.fail = new Int32Array(depths.length);
    // A state's shorter one is known before its own: it lies less deep.
    order.sort((a, b) => (depths[a[0]] ?? 0) - (depths[b[0]] ?? 0));
    for (const [state, parent, byte] of order) {
      const fail = parent === ROOT ? ROOT : this.next(this.fail[parent] ?? ROOT, byte);
      this.fail[state] = fail;
      this.shorter[state] = this.found[fail] === undefined ? (this.shorter[fail] ?? NONE) : fail;
    }
    this.ends = Uint8Array.from(depths, (_, state) =>
      this.found[state] !== undefined || this.shorter[state] !== NONE ? 1 : 0,
    );
  }

  /** The state after a byte. */
  next(from: number, byte: number): number {
    let state = from;
    while (state !== ROOT) {
      const slot = this.slot(state, byte);
      if (this.keys[slot] !== NONE) return this.targets[slot] ?? ROOT;
      state = this.fail[state] ?? ROOT;
    }
    return this.roots[byte] ?? ROOT;
  }

  /** Whether anything ends in a state. */
  isEnd(state: number): boolean {
    return this.ends[state] === 1;
  }

  /** How much of a pattern's beginning has been read in a state. */
  depth(state: number): number {
    return this.depths[state] ?? 0;
  }

  /** Calls `accept` for what ends in a state, the longest first, until it says that it is enough. */
  ending(state: number, accept: (found: Found, length: number) => boolean): void {
    let at = this.found[state] === undefined ? (this.shorter[state] ?? NONE) : state;
    while (at !== NONE) {
      const found = this.found[at];
      if (found !== undefined && accept(found, this.depth(at))) return;
      at = this.shorter[at] ?? NONE;
    }
  }

  /** Where it stands what a state and a byte lead to, or where it would. */
  private slot(state: number, byte: number): number {
    const key = (state << 8) | byte;
    let slot = Math.imul(key, 0x9e3779b1) >>> this.shift;
    while (this.keys[slot] !== key && this.keys[slot] !== NONE) slot = (slot + 1) & this.mask;
    return slot;
  }
}

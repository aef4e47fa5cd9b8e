/** A layer: bytes that were decoded from a source, each with its place in the source. */

/** Ends a part, such as a JSON string or a run of base64. No secret is found across the end of a part. */
export const END_OF_PART = -1;
/** The same within a text, where a marker or bytes that were searched before are left out. */
export const GAP = -2;
/** The byte at either of these. No alphabet has it. */
export const NO_CHARACTER = 0xff;

const NO_BYTES = new Uint8Array(0);
const NO_PLACES = new Int32Array(0);

/** Grows as bytes are pushed, so its arrays may be longer than `length`. Most layers stay empty and take no memory. */
export class Layer {
  length = 0;
  bytes = NO_BYTES;
  /** By byte, where its place in the source begins; negative at the end of a part. */
  from = NO_PLACES;
  /** By byte, where its place in the source ends. */
  to = NO_PLACES;
  /** 1 for a fresh byte, one that is new in this layer. A stretch without fresh bytes was searched before. */
  fresh = NO_BYTES;
  /** Whether its parts may be compressed: `marked` if only with a mark that says so, `unmarked` if also without. */
  compressed: 'marked' | 'unmarked' | null = null;

  /** @param expected about how many bytes there will be */
  constructor(private readonly expected = 16) {}

  push(byte: number, from: number, to: number, isFresh = true): void {
    const i = this.length;
    if (i === this.bytes.length) this.grow(Math.max(this.expected, 2 * i));
    this.bytes[i] = byte;
    this.from[i] = from;
    this.to[i] = to;
    this.fresh[i] = isFresh ? 1 : 0;
    this.length += 1;
  }

  private grow(size: number): void {
    const { bytes, from, to, fresh } = this;
    [this.bytes, this.fresh] = [new Uint8Array(size), new Uint8Array(size)];
    [this.from, this.to] = [new Int32Array(size), new Int32Array(size)];
    this.bytes.set(bytes);
    this.from.set(from);
    this.to.set(to);
    this.fresh.set(fresh);
  }

  copy(layer: Layer, i: number, isFresh = layer.fresh[i] === 1): void {
    this.push(layer.bytes[i] ?? 0, layer.from[i] ?? 0, layer.to[i] ?? 0, isFresh);
  }

  /** Ends the current part. Does nothing if it has just ended in the same way. */
  end(kind = END_OF_PART): void {
    const last = this.length > 0 ? this.from[this.length - 1] : END_OF_PART;
    if (last !== kind) this.push(NO_CHARACTER, kind, kind, false);
  }

  isEnd(i: number): boolean {
    return (this.from[i] ?? 0) < 0;
  }

  /** Returns the bytes as a text in which each character stands for one byte. */
  text(): string {
    return Buffer.from(this.bytes.buffer, 0, this.length).toString('latin1');
  }

  /** Returns the place of a stretch in the source. The layer may have been read backwards. */
  placeOf(start: number, end: number): { from: number; to: number } {
    const { from, to } = this;
    return {
      from: Math.min(from[start] ?? 0, from[end - 1] ?? 0),
      to: Math.max(to[start] ?? 0, to[end - 1] ?? 0),
    };
  }

  /** Yields the parts with their places in the source. */
  *parts() {
    let start = 0;
    for (let i = 0; i <= this.length; i += 1) {
      if (i < this.length && !this.isEnd(i)) continue;
      if (i > start) yield { bytes: Buffer.from(this.bytes.subarray(start, i)), ...this.placeOf(start, i) };
      start = i + 1;
    }
  }
}

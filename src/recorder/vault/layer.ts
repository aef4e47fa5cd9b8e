/** Bytes that were read out of others, each with the place it stands for there. */

/** Where nothing is read across: between two strings of JSON, two runs of base64. */
export const END_OF_PART = -1;
/** The same where a marker stands in the middle of a text. */
export const MARKER_STANDS_HERE = -2;
/** The byte at a place of either kind: no alphabet has it. */
export const NO_CHARACTER = 0xff;

const NO_BYTES = new Uint8Array(0);
const NO_PLACES = new Int32Array(0);

/** Grows as bytes are pushed: its lists may be longer than the layer. Most layers stay empty, and take no memory. */
export class Layer {
  length = 0;
  bytes = NO_BYTES;
  /** By byte, where in the source begins what it was read from; negative at the end of a part. */
  from = NO_PLACES;
  /** Where it ends. */
  to = NO_PLACES;
  /** 1 for a byte that is new in this layer. A stretch without new bytes was searched before. */
  fresh = NO_BYTES;
  /** Set where it may be compressed: with a mark that tells so, or also without. */
  compressed: 'marked' | 'unmarked' | null = null;

  /** @param expected how many bytes there will be about */
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

  /** Pushes a byte of another layer. */
  copy(layer: Layer, i: number, isFresh = layer.fresh[i] === 1): void {
    this.push(layer.bytes[i] ?? 0, layer.from[i] ?? 0, layer.to[i] ?? 0, isFresh);
  }

  /** Ends a part, unless that was said already. */
  end(kind = END_OF_PART): void {
    const last = this.length > 0 ? this.from[this.length - 1] : END_OF_PART;
    if (last !== kind) this.push(NO_CHARACTER, kind, kind, false);
  }

  /** Whether a part ends at a byte. */
  isEnd(i: number): boolean {
    return (this.from[i] ?? 0) < 0;
  }

  /** The bytes as a text of which each character is one. */
  text(): string {
    return Buffer.from(this.bytes.buffer, 0, this.length).toString('latin1');
  }

  /** The place in the source that a stretch stands for; a layer may be read backwards. */
  placeOf(start: number, end: number): { from: number; to: number } {
    const { from, to } = this;
    return {
      from: Math.min(from[start] ?? 0, from[end - 1] ?? 0),
      to: Math.max(to[start] ?? 0, to[end - 1] ?? 0),
    };
  }

  /** The parts, and the places that they stand for. */
  *parts() {
    let start = 0;
    for (let i = 0; i <= this.length; i += 1) {
      if (i < this.length && !this.isEnd(i)) continue;
      if (i > start) yield { bytes: Buffer.from(this.bytes.subarray(start, i)), ...this.placeOf(start, i) };
      start = i + 1;
    }
  }
}

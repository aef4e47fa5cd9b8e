/** Bytes that were read out of others, each with the place it stands for there. */

/** Where nothing is read across: between two strings of JSON, two runs of base64. */
export const END_OF_PART = -1;
/** The same where a marker stands in the middle of a text. */
export const MARKER_STANDS_HERE = -2;
/** The byte at a place of either kind: no alphabet has it. */
export const NO_CHARACTER = 0xff;

export interface Layer {
  bytes: Uint8Array;
  /** By byte, where in the source begins what it was read from; negative at the end of a part. */
  from: Int32Array;
  /** Where it ends. */
  to: Int32Array;
  /** 1 for a byte that is new in this layer. A stretch without new bytes was searched before. */
  fresh: Uint8Array;
}

/** Collects a layer, and grows with it. */
export class LayerBuilder {
  private all: Layer;
  private length = 0;

  /** @param expected how many bytes there will be about */
  constructor(expected = 16) {
    this.all = room(expected);
  }

  push(byte: number, from: number, to: number, isFresh = true): void {
    const i = this.length;
    if (i === this.all.bytes.length) {
      const larger = room(2 * i + 16);
      for (const list of ['bytes', 'from', 'to', 'fresh'] as const) larger[list].set(this.all[list]);
      this.all = larger;
    }
    const { all } = this;
    all.bytes[i] = byte;
    all.from[i] = from;
    all.to[i] = to;
    all.fresh[i] = isFresh ? 1 : 0;
    this.length += 1;
  }

  /** Ends a part, unless that was said already. */
  end(kind = END_OF_PART): void {
    const last = this.length > 0 ? this.all.from[this.length - 1] : END_OF_PART;
    if (last !== kind) this.push(NO_CHARACTER, kind, kind, false);
  }

  /** `null` where nothing was collected. */
  layer(): Layer | null {
    const { length } = this;
    return length === 0 ? null : changed(this.all, (list) => list.subarray(0, length));
  }
}

function room(size: number): Layer {
  const [bytes, fresh] = [new Uint8Array(size), new Uint8Array(size)];
  return { bytes, from: new Int32Array(size), to: new Int32Array(size), fresh };
}

function changed(layer: Layer, change: <List extends Uint8Array | Int32Array>(list: List) => unknown): Layer {
  return Object.fromEntries(Object.entries(layer).map(([name, list]) => [name, change(list)])) as unknown as Layer;
}

/** The same bytes, the last one first. */
export function reversed(layer: Layer): Layer {
  return changed(layer, (list) => list.toReversed());
}

/** The bytes as a text of which each character is one. */
export function textOf({ bytes }: Layer): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
}

/** The place in the source that a stretch of a layer stands for; a layer may be read backwards. */
export function placeOf({ from, to }: Layer, start: number, end: number): { from: number; to: number } {
  const [first, last] = [start, end - 1];
  return {
    from: Math.min(from[first] ?? 0, from[last] ?? 0),
    to: Math.max(to[first] ?? 0, to[last] ?? 0),
  };
}

/** The parts of a layer, and the places that they stand for. */
export function* partsOf(layer: Layer) {
  const { bytes, from } = layer;
  let start = 0;
  for (let i = 0; i <= bytes.length; i += 1) {
    if (i < bytes.length && (from[i] ?? END_OF_PART) >= 0) continue;
    if (i > start) yield { bytes: Buffer.from(bytes.subarray(start, i)), ...placeOf(layer, start, i) };
    start = i + 1;
  }
}

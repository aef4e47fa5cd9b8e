/** Bytes that were read out of others, each with the place it stands for there. */

/** Where nothing is read across: between two strings of JSON, two runs of base64. */
export const END_OF_PART = -1;
/** The same where a marker stands in the middle of a text. */
export const MARKER_STANDS_HERE = -2;
/** The byte at a place of either kind: no alphabet has it. */
export const NO_CHARACTER = 0xff;

export interface Layer {
  bytes: Uint8Array;
  /** Where in the source what a byte stands for begins; negative where nothing stands. */
  from: Int32Array;
  /** Where it ends. */
  to: Int32Array;
  /** By position, 1 where something was undone: what has none of it was looked at before. */
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
      for (const part of ['bytes', 'from', 'to', 'fresh'] as const) larger[part].set(this.all[part]);
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
    return this.length === 0 ? null : within(this.all, this.length);
  }
}

function room(size: number): Layer {
  const [bytes, fresh] = [new Uint8Array(size), new Uint8Array(size)];
  return { bytes, from: new Int32Array(size), to: new Int32Array(size), fresh };
}

function within({ bytes, from, to, fresh }: Layer, length: number): Layer {
  const [first, second] = [from.subarray(0, length), to.subarray(0, length)];
  return { bytes: bytes.subarray(0, length), from: first, to: second, fresh: fresh.subarray(0, length) };
}

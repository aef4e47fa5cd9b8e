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
  /** By position, whether an escape stood there: what has none was looked at before. `null` where all is new. */
  fresh: Uint8Array | null;
}

/** Collects a layer of at most so many bytes. */
export class LayerBuilder {
  private readonly bytes: Uint8Array;
  private readonly from: Int32Array;
  private readonly to: Int32Array;
  private readonly fresh: Uint8Array | null;
  length = 0;

  constructor(capacity: number, tellsFresh = false) {
    this.bytes = new Uint8Array(capacity);
    this.from = new Int32Array(capacity);
    this.to = new Int32Array(capacity);
    this.fresh = tellsFresh ? new Uint8Array(capacity) : null;
  }

  push(byte: number, from: number, to: number, isFresh = false): void {
    this.bytes[this.length] = byte;
    this.from[this.length] = from;
    this.to[this.length] = to;
    if (this.fresh && isFresh) this.fresh[this.length] = 1;
    this.length += 1;
  }

  /** Ends a part, unless that was said already. */
  end(kind = END_OF_PART): void {
    const last = this.length > 0 ? this.from[this.length - 1] : END_OF_PART;
    if (last !== kind) this.push(NO_CHARACTER, kind, kind);
  }

  /** `null` where nothing was collected. */
  layer(): Layer | null {
    const { length } = this;
    if (length === 0) return null;
    return {
      bytes: this.bytes.subarray(0, length),
      from: this.from.subarray(0, length),
      to: this.to.subarray(0, length),
      fresh: this.fresh?.subarray(0, length) ?? null,
    };
  }
}

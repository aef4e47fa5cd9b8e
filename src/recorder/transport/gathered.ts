/** Bytes that come in pieces, copied together: alone, each piece would take hundreds of bytes besides its own. */
export class Gathered {
  length = 0;
  private held = Buffer.allocUnsafe(4096);

  add(piece: Buffer): void {
    const length = this.length + piece.length;
    if (length > this.held.length) {
      const larger = Buffer.allocUnsafe(Math.max(length, 2 * this.held.length));
      this.held.copy(larger, 0, 0, this.length);
      this.held = larger;
    }
    piece.copy(this.held, this.length);
    this.length = length;
  }

  get bytes(): Buffer {
    return this.held.subarray(0, this.length);
  }
}

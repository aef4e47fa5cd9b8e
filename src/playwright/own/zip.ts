/** Reads zip files as Playwright writes them (APPNOTE.TXT, sections 4.3.7, 4.3.12 and 4.3.16). */
import { inflateRawSync } from 'node:zlib';

const END = Buffer.from('PK\x05\x06', 'latin1');
const ENTRY = 0x02014b50;
const STORED = 0;
const MOST_OF_AN_ENTRY = 256 * 1024 * 1024;

/** Yields the content of each entry. @throws if it is no such file */
export function* entriesOf(zip: Buffer): Generator<Buffer> {
  const end = zip.lastIndexOf(END);
  let at = zip.readUInt32LE(end + 16);
  for (let left = zip.readUInt16LE(end + 10); left > 0; left -= 1) {
    if (zip.readUInt32LE(at) !== ENTRY) throw new RangeError('This is no zip file.');
    const method = zip.readUInt16LE(at + 10);
    const size = zip.readUInt32LE(at + 20);
    const local = zip.readUInt32LE(at + 42);
    const from = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
    const content = zip.subarray(from, from + size);
    yield method === STORED ? content : inflateRawSync(content, { maxOutputLength: MOST_OF_AN_ENTRY });
    at += 46 + zip.readUInt16LE(at + 28) + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
  }
}

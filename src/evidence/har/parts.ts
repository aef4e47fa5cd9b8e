/** Takes a HAR apart in its bytes, so that each entry is parsed alone: as a whole, JSON takes many times its size. */
import { MOST_DEPTH, MOST_VALUES } from '../../common/json-text';
import { MOST_DELIVERIES, MOST_EXCHANGES } from '../model';

/** No entry, and no run without its entries, holds more: the schema bounds header lines and probes that were not sent. */
const MOST_IN_A_PART = 400_000;
/** More than the schema lets a run say besides its entries. */
const MOST_BYTES = 16 * 2 ** 20;
/** Where the entries stand. */
const [LOG, ENTRIES] = ['log', 'entries'];
/** The depth of what stands between the brackets of the entries. */
const DEPTH = 3;

const [SPACE, QUOTE, COMMA, COLON, OPEN_BRACKET, BACKSLASH, OPEN_BRACE] = [0x20, 0x22, 0x2c, 0x3a, 0x5b, 0x5c, 0x7b];

/** The text is whole JSON if all parts are. */
interface Parts {
  /** The text without its entries. */
  frame: Buffer;
  entries: Buffer[];
}

/** Returns the parts of a HAR, or why they are not to be parsed, as the end of a sentence. Costs far less than parsing. */
export function partsOfHar(bytes: Buffer): Parts | string {
  const frame: Buffer[] = [];
  let entries: Buffer[] = [];
  /** By depth: the last name of a member. */
  const names: string[] = [];
  let [depth, all, inEntry, inFrame, from, told] = [0, 0, 0, 0, 0, ''];
  const areEntries = () => depth === DEPTH && names[1] === LOG && names[2] === ENTRIES;
  for (let i = 0; i < bytes.length; i += 1) {
    const code = bytes[i];
    if (code === QUOTE) {
      const start = i + 1;
      for (i += 1; i < bytes.length && bytes[i] !== QUOTE; i += 1) if (bytes[i] === BACKSLASH) i += 1;
      if (depth < DEPTH) told = bytes.toString('latin1', start, Math.min(i, start + ENTRIES.length + 1));
      continue;
    }
    const isOpening = code === OPEN_BRACE || code === OPEN_BRACKET;
    const isClosing = code === OPEN_BRACE + 2 || code === OPEN_BRACKET + 2;
    if (code === COLON && depth < DEPTH) names[depth] = told;
    if ((code === COMMA || isClosing) && areEntries()) {
      entries.push(bytes.subarray(from, i));
      [from, inEntry] = [code === COMMA ? i + 1 : i, 0];
      if (entries.length > MOST_EXCHANGES + MOST_DELIVERIES) return 'its entries are more than a run leaves';
    }
    if (isClosing) depth -= 1;
    if (isOpening) depth += 1;
    if (depth > MOST_DEPTH) return `it is nested more than ${MOST_DEPTH} levels deep`;
    if (isOpening && areEntries()) {
      frame.push(bytes.subarray(from, i + 1));
      // Of a member that stands there twice, the last one counts.
      [from, inEntry, entries] = [i + 1, 0, []];
    }
    if (!isOpening && code !== COMMA) continue;
    all += 1;
    if (depth >= DEPTH && names[1] === LOG && names[2] === ENTRIES) inEntry += 1;
    else inFrame += 1;
    if (all > MOST_VALUES || Math.max(inEntry, inFrame) > MOST_IN_A_PART)
      return `it holds more than ${all > MOST_VALUES ? MOST_VALUES : MOST_IN_A_PART} values`;
  }
  frame.push(bytes.subarray(from));
  const length = frame.reduce((sum, part) => sum + part.length, 0);
  if (length > MOST_BYTES) return `it has more than ${MOST_BYTES} bytes besides its entries`;
  const areNone = entries.length === 1 && entries[0]?.every((byte) => byte <= SPACE);
  return { frame: Buffer.concat(frame), entries: areNone ? [] : entries };
}

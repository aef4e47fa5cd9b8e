/** Keeps the texts of answers and deliveries: equal ones once, and in all no more than fits into one JSON text. */
import { setFlagsFromString } from 'node:v8';
import type { HeaderLines } from '../evidence/model';

const MOST_KEPT = 32 * 1024 * 1024;
/** What a text has beyond this counts several times: the settings of an account are a few kilobytes, and to search and to judge more than that is work. */
const LONG = 64 * 1024;
const TIMES_IF_LONG = 4;
/** More than any honest server sends. */
const MUCH = MOST_KEPT / 8;
/** By default, V8 collects garbage once the heap has several times the size of what is in use. */
const COLLECTED_EARLY = '--heap-growing-percent=20';
/** Characters of JSON around a header's name and value in a HAR file. */
const AROUND_A_LINE = 64;
/** Bytes of memory that a header line takes in addition to its characters. */
const NEW_LINE = 256;

/** By content: the only copy, and how many characters each use of it counts for, in JSON. */
type Known<Value> = Map<string, { value: Value; length: number }>;

export class Kept {
  private readonly texts: Known<string> = new Map();
  private readonly headerLines: Known<HeaderLines[number]> = new Map();
  private size = 0;

  /** True once all texts together are too much to be recorded. */
  get isFull(): boolean {
    return this.size > MOST_KEPT;
  }

  /** Counts a text and returns its only copy. */
  text(text: string): string {
    return this.oneOf(this.texts, text, text, 0, 0);
  }

  /** Counts header lines and returns the only copy of each. */
  lines(lines: HeaderLines): HeaderLines {
    return lines.map((line) => {
      const key = line.join(':');
      return this.oneOf(this.headerLines, key, line, AROUND_A_LINE, key.length + NEW_LINE);
    });
  }

  private oneOf<Value>(all: Known<Value>, key: string, value: Value, around: number, once: number): Value {
    let known = all.get(key);
    if (!known) {
      const { length } = JSON.stringify(value);
      known = { value, length: length + around + (TIMES_IF_LONG - 1) * Math.max(0, length - LONG) };
      all.set(key, known);
      this.size += once;
    }
    if (this.size <= MUCH && this.size + known.length > MUCH) setFlagsFromString(COLLECTED_EARLY);
    this.size += known.length;
    return known.value;
  }
}

/**
 * What is kept of answers and deliveries: equal texts and equal header lines once in memory, and no more in all than
 * fits into one JSON text.
 */
import type { HeaderLines } from '../evidence/exchange';

type HeaderLine = HeaderLines[number];

/** Characters that all of it may take. */
const MOST_KEPT = 64 * 1024 * 1024;
/** Characters of JSON around a header's name and value in a HAR file. */
const AROUND_A_LINE = 64;
/** Bytes of memory that a header line takes besides its characters. */
const NEW_LINE = 256;

interface Counted<T> {
  value: T;
  /** Characters of JSON, for each time it is used. */
  length: number;
}

export class Kept {
  private readonly texts = new Map<string, Counted<string>>();
  private readonly headerLines = new Map<string, Counted<HeaderLine>>();
  private size = 0;

  /** True once there is more than can be recorded. */
  get isFull(): boolean {
    return this.size > MOST_KEPT;
  }

  /** Counts a text; gives the one copy of it. */
  text(text: string): string {
    const known = this.texts.get(text) ?? { value: text, length: JSON.stringify(text).length };
    this.texts.set(text, known);
    this.size += known.length;
    return known.value;
  }

  /** Counts header lines; gives the one copy of each. */
  lines(lines: HeaderLines): HeaderLines {
    return lines.map((line) => {
      const key = line.join(':');
      let known = this.headerLines.get(key);
      if (!known) {
        known = { value: line, length: JSON.stringify(line).length + AROUND_A_LINE };
        this.headerLines.set(key, known);
        this.size += key.length + NEW_LINE;
      }
      this.size += known.length;
      return known.value;
    });
  }
}

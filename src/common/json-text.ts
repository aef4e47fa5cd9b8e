/** Parses JSON of strangers: its depth and the number of its values are bounded before anything is built of it. */
import { UsageError } from './usage-error';

/** The deepest nesting that is read (RFC 8259 section 9 allows a limit), so that recursive code does not overflow. */
export const MOST_DEPTH = 500;

/** The most values that are read of one text: each takes many times the memory of its characters. */
const MOST_VALUES = 4_000_000;

/** Returns the value of a JSON text; `undefined` if it is malformed (RFC 8259), nested too deeply or holds too much. */
export function jsonOf(text: string): unknown {
  if (whyTooMuch(text) !== null) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** As `jsonOf`. @param file the text's name in the message @throws UsageError if there is no such value */
export function wholeJsonIn(text: string, file: string): unknown {
  const value = jsonOf(text);
  if (value === undefined)
    throw new UsageError(`${file} cannot be read: ${whyTooMuch(text) ?? 'it is not whole JSON'}.`);
  return value;
}

/** Returns why a text is more than is read, as the end of a sentence; else `null`. Costs far less than parsing it. */
export function whyTooMuch(text: string): string | null {
  const { deepest, values } = sizeOf(text);
  if (deepest > MOST_DEPTH) return `it is nested more than ${MOST_DEPTH} levels deep`;
  return values > MOST_VALUES ? `it holds more than ${MOST_VALUES} values` : null;
}

/** Whether a text nests brackets, outside strings, deeper than `MOST_DEPTH`. */
export function isTooDeep(text: string): boolean {
  return sizeOf(text).deepest > MOST_DEPTH;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;

/** Counts brackets within brackets and commas, outside strings, until the nesting is too deep. */
function sizeOf(text: string): { deepest: number; values: number } {
  let [depth, deepest, values] = [0, 0, 1];
  if (text.length <= MOST_DEPTH) return { deepest, values };
  for (let i = 0; i < text.length && deepest <= MOST_DEPTH; i += 1) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) {
      for (i += 1; i < text.length && text.charCodeAt(i) !== QUOTE; i += 1)
        if (text.charCodeAt(i) === BACKSLASH) i += 1;
    } else if (code === COMMA) values += 1;
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      depth += 1;
      if (depth > deepest) deepest = depth;
    } else if (code === OPEN_BRACE + 2 || code === OPEN_BRACKET + 2) depth -= 1;
  }
  return { deepest, values };
}

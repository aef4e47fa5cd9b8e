/** Parses JSON of strangers: its depth and the number of its values are bounded before anything is built of it. */
import { UsageError } from './errors';

/** The deepest nesting that is read (RFC 8259 section 9 allows a limit), so that recursive code does not overflow. */
export const MOST_DEPTH = 500;

/** The most values that are read of one text: each takes many times the memory of its characters. */
const MOST_VALUES = 1_000_000;

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

/** Counts opening brackets and commas, outside strings, until the nesting is too deep. */
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
      values += 1;
      if (depth > deepest) deepest = depth;
    } else if (code === OPEN_BRACE + 2 || code === OPEN_BRACKET + 2) depth -= 1;
  }
  return { deepest, values };
}

/** A token of JSON: a string as a value or as the name of a member, a number, a bracket or a comma. */
export interface Token {
  kind: 'string' | 'name' | 'number' | 'sign';
  from: number;
  to: number;
  /** Whether it is a string that the end of the text cuts off. */
  isCut: boolean;
}

const COLON = /[ \t\r\n]*:/y;
const NUMBER = /-?\d[\d.eE+-]*/y;

/** Yields the tokens of a text, whether or not it is whole JSON; what is no token is left out. */
export function* tokensOf(text: string): Generator<Token> {
  for (let from = 0, to = 0; from < text.length; from = Math.max(to, from + 1)) {
    const code = text.charCodeAt(from);
    if (code === QUOTE) {
      for (to = from + 1; to < text.length && text.charCodeAt(to) !== QUOTE; to += 1)
        if (text.charCodeAt(to) === BACKSLASH) to += 1;
      const isCut = to >= text.length;
      to = Math.min(to + 1, text.length);
      COLON.lastIndex = to;
      yield { kind: COLON.test(text) ? 'name' : 'string', from, to, isCut };
    } else if (code === 0x2d || (code >= 0x30 && code <= 0x39)) {
      NUMBER.lastIndex = from;
      if (!NUMBER.test(text)) continue;
      to = NUMBER.lastIndex;
      yield { kind: 'number', from, to, isCut: false };
    } else if ('{}[],'.includes(text.charAt(from))) yield { kind: 'sign', from, to: from + 1, isCut: false };
  }
}

/** What a backslash and one of these letters stand for. Any other character there stands for itself. */
const ESCAPED: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

/** Returns the value of a string token, of broken JSON as far as it can be read. */
export function stringIn(text: string, { from, to, isCut }: Token): string {
  const inner = text.slice(from + 1, isCut ? to : to - 1);
  if (!inner.includes('\\')) return inner;
  return inner.replace(/\\(?:u([\da-fA-F]{4})|(.))/gs, (_, unit: string | undefined, letter: string) =>
    unit ? String.fromCharCode(Number.parseInt(unit, 16)) : (ESCAPED[letter] ?? letter),
  );
}

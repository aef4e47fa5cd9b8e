/** Reads JSON of strangers. Depth and number of values are checked before anything is built of it. */
import type { ErrorObject, Options, ValidateFunction } from 'ajv/dist/2020';
import { UsageError } from './errors';

/** The deepest nesting that is read, so that recursive code does not overflow (RFC 8259 section 9 allows a limit). */
const MOST_DEPTH = 500;

/** The most values that are read: each takes many times the memory of its characters. Settings have some thirty. */
export const MOST_VALUES = { answer: 100_000, file: 1_000_000 };

/** Returns the value of a JSON text; `undefined` if it is malformed (RFC 8259), nested too deeply or too large. */
export function jsonOf(text: string, mostValues = MOST_VALUES.answer): unknown {
  if (whyTooMuch(text, mostValues) !== null) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** As `jsonOf`, of a file. @param file its name in the message @throws UsageError if there is no such value */
export function wholeJsonIn(text: string, file: string): unknown {
  const value = jsonOf(text, MOST_VALUES.file);
  if (value === undefined)
    throw new UsageError(`${file} cannot be read: ${whyTooMuch(text, MOST_VALUES.file) ?? 'it is not whole JSON'}.`);
  return value;
}

const [QUOTE, BACKSLASH, COMMA, OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = Buffer.from('"\\,[]{}');

/** Returns where a JSON string ends: behind its second quote, or at the end of the text. @param from its first quote */
function endOfString(text: string, from: number): number {
  let to = from + 1;
  for (; to < text.length && text.charCodeAt(to) !== QUOTE; to += 1) if (text.charCodeAt(to) === BACKSLASH) to += 1;
  return Math.min(to + 1, text.length);
}

/** Returns why a text is too much to be read, as the end of a sentence; else `null`. Far cheaper than parsing. */
export function whyTooMuch(text: string, mostValues = MOST_VALUES.answer): string | null {
  let [depth, values] = [0, 1];
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) i = endOfString(text, i) - 1;
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) depth += 1;
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth -= 1;
    if (code === COMMA || code === OPEN_BRACE || code === OPEN_BRACKET) values += 1;
    if (depth > MOST_DEPTH) return `it is nested more than ${MOST_DEPTH} levels deep`;
  }
  return values > mostValues ? `it holds more than ${mostValues} values` : null;
}

/** A token of JSON: a string as a value or as the name of a member, a number, a bracket or a comma. */
export interface Token {
  kind: 'string' | 'name' | 'number' | 'sign';
  from: number;
  to: number;
}

const COLON = /[ \t\r\n]*:/y;
const NUMBER = /-?\d[\d.eE+-]*/y;

/** Yields the tokens of a text, which need not be whole JSON. What is no token is left out. */
export function* tokensOf(text: string): Generator<Token> {
  for (let from = 0, to = 0; from < text.length; from = Math.max(to, from + 1)) {
    const code = text.charCodeAt(from);
    if (code === QUOTE) {
      to = endOfString(text, from);
      COLON.lastIndex = to;
      yield { kind: COLON.test(text) ? 'name' : 'string', from, to };
    } else if (code === 0x2d || (code >= 0x30 && code <= 0x39)) {
      NUMBER.lastIndex = from;
      if (!NUMBER.test(text)) continue;
      to = NUMBER.lastIndex;
      yield { kind: 'number', from, to };
    } else if ('{}[],'.includes(text.charAt(from))) yield { kind: 'sign', from, to: from + 1 };
  }
}

/** The meanings of letters behind a backslash. Any other character there stands for itself. */
const ESCAPED: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

/** Returns the value of a string token, as far as broken JSON can be read. */
export function stringIn(text: string, { from, to }: Token): string {
  const inner = text.slice(from + 1, to - 1);
  if (!inner.includes('\\')) return inner;
  return inner.replace(/\\(?:u([\da-fA-F]{4})|(.))/gs, (_, unit: string | undefined, letter: string) =>
    unit ? String.fromCharCode(Number.parseInt(unit, 16)) : (ESCAPED[letter] ?? letter),
  );
}

/**
 * Returns a function that lists what is wrong with a value; an empty list means that it fits. The first call compiles
 * the schema, which takes longer than all else in most runs. The schema itself is not checked.
 * @param options `allErrors` lists every error, not only the first
 */
export function errorsAgainst(schema: object, options: Options = {}): (value: unknown) => ErrorObject[] {
  let validate: ValidateFunction | null = null;
  return (value) => {
    if (validate === null) {
      const { Ajv2020 } = require('ajv/dist/2020') as typeof import('ajv/dist/2020');
      const { default: addFormats } = require('ajv-formats') as typeof import('ajv-formats');
      validate = addFormats(new Ajv2020({ validateSchema: false, ...options })).compile(schema);
    }
    return validate(value) ? [] : (validate.errors ?? []);
  };
}

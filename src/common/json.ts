/** Reads JSON of strangers: its depth and the number of its values are bounded before anything is built of it. */
import type { ErrorObject, Options, ValidateFunction } from 'ajv/dist/2020';
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

const [QUOTE, BACKSLASH, COMMA, OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = Buffer.from('"\\,[]{}');

/** Returns where a string of JSON ends: behind its second quote, or with the text. @param from its first quote */
function endOfString(text: string, from: number): number {
  let to = from + 1;
  for (; to < text.length && text.charCodeAt(to) !== QUOTE; to += 1) if (text.charCodeAt(to) === BACKSLASH) to += 1;
  return Math.min(to + 1, text.length);
}

/** Returns why a text is more than is read, as the end of a sentence; else `null`. Costs far less than parsing it. */
export function whyTooMuch(text: string): string | null {
  let [depth, values] = [0, 1];
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) i = endOfString(text, i) - 1;
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) depth += 1;
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth -= 1;
    if (code === COMMA || code === OPEN_BRACE || code === OPEN_BRACKET) values += 1;
    if (depth > MOST_DEPTH) return `it is nested more than ${MOST_DEPTH} levels deep`;
  }
  return values > MOST_VALUES ? `it holds more than ${MOST_VALUES} values` : null;
}

/** A token of JSON: a string as a value or as the name of a member, a number, a bracket or a comma. */
export interface Token {
  kind: 'string' | 'name' | 'number' | 'sign';
  from: number;
  to: number;
}

const COLON = /[ \t\r\n]*:/y;
const NUMBER = /-?\d[\d.eE+-]*/y;

/** Yields the tokens of a text, whether or not it is whole JSON; what is no token is left out. */
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

/** What a backslash and one of these letters stand for. Any other character there stands for itself. */
const ESCAPED: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

/** Returns the value of a string token, of broken JSON as far as it can be read. */
export function stringIn(text: string, { from, to }: Token): string {
  const inner = text.slice(from + 1, to - 1);
  if (!inner.includes('\\')) return inner;
  return inner.replace(/\\(?:u([\da-fA-F]{4})|(.))/gs, (_, unit: string | undefined, letter: string) =>
    unit ? String.fromCharCode(Number.parseInt(unit, 16)) : (ESCAPED[letter] ?? letter),
  );
}

/**
 * Returns a function that lists what is wrong with a value; an empty list means that it fits. The first call compiles
 * the schema, which takes longer than everything else in most runs. The schema itself is not checked.
 * @param options with `allErrors`, every error is listed and not only the first
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

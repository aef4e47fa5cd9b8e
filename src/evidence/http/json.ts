/** Reads the JSON of responses: each body once, and with the duplicate names that JSON.parse does not report. */
import { Remembered } from '../../common/remembered';
import { KINDS, MEMBERS } from '../../contract/settings';
import { withheldIn } from '../markers';

export type Json = null | boolean | number | string | Json[] | { [member: string]: Json };
export type JsonObject = { [member: string]: Json };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The deepest nesting that is read (RFC 8259 section 9 allows a limit), so that recursive code does not overflow. */
export const MOST_DEPTH = 500;

/** Returns why a text has no readable value; `null` where it has one. */
export function unreadable(text: string): string | null {
  if (outlined(text) !== undefined) return null;
  return isTooDeep(text) || withheldIn(text)?.isTooDeep
    ? `JSON nested more than ${MOST_DEPTH} levels deep`
    : 'a body that is not well-formed JSON';
}

/** What the rules need of a body: the whole value would take many times the memory of its text. */
interface Outline {
  /** Of an object only the member `webhook` is kept in full, of a list nothing. */
  value: Json | undefined;
  holdsSettings: boolean;
}

/** Every rule asks for the same bodies: each is read once. */
const outlines = new Remembered<Outline>(16 * 1024 * 1024);

function outlineOf(text: string): Outline {
  return outlines.of(text, () => {
    const value = parsed(text);
    return { value: withoutTheRest(value), holdsSettings: holdsDescribed(value) };
  });
}

function withoutTheRest(value: Json | undefined): Json | undefined {
  if (Array.isArray(value)) return [];
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, name === 'webhook' ? inner : null]));
}

/**
 * Returns the value of a body as far as clauses speak of it: members beside `webhook` are null, a list is empty.
 * `undefined` where the body is malformed (RFC 8259) or nested too deeply. Callers must not change the value.
 */
export function outlined(text: string): Json | undefined {
  return outlineOf(text).value;
}

/** Returns the value of a JSON text, or `undefined` where it is malformed (RFC 8259) or nested too deeply. */
export function parsed(text: string): Json | undefined {
  if (isTooDeep(text)) return undefined;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** Whether a text nests brackets, outside strings, deeper than `MOST_DEPTH`. This costs far less than parsing it. */
export function isTooDeep(text: string): boolean {
  if (text.length <= MOST_DEPTH) return false;
  let depth = 0;
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) {
      for (i += 1; i < text.length && text.charCodeAt(i) !== QUOTE; i += 1)
        if (text.charCodeAt(i) === BACKSLASH) i += 1;
    } else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      depth += 1;
      if (depth > MOST_DEPTH) return true;
    } else if (code === OPEN_BRACE + 2 || code === OPEN_BRACKET + 2) depth -= 1;
  }
  return false;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;

/** Returns the webhook object of a body that serves settings: it has at least one described member. Else `null`. */
export function settingsIn(body: string): JsonObject | null {
  return webhookIn(outlined(body));
}

/** As `settingsIn`, for a value that is already parsed. */
export function webhookIn(value: Json | undefined): JsonObject | null {
  const webhook = isObject(value) ? value.webhook : undefined;
  if (!isObject(webhook)) return null;
  return MEMBERS[''].some((member) => Object.hasOwn(webhook, member)) ? webhook : null;
}

/** Whether a body is JSON with `hasPassword`, or a kind that has a `url`, at any depth. */
export function holdsSettings(body: string): boolean {
  return outlineOf(body).holdsSettings;
}

function holdsDescribed(value: Json | undefined): boolean {
  if (Array.isArray(value)) return value.some(holdsDescribed);
  if (!isObject(value)) return false;
  if (Object.hasOwn(value, 'hasPassword')) return true;
  const kinds = KINDS.filter((kind) => isObject(value[kind]) && Object.hasOwn(value[kind] as object, 'url'));
  return kinds.length > 0 || Object.values(value).some(holdsDescribed);
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

/** Returns what a string token says, of broken JSON as it stands there. */
export function saidIn(text: string, { from, to, isCut }: Token): string {
  const inner = text.slice(from + 1, isCut ? to : to - 1);
  const said = inner.includes('\\') ? parsed(`"${inner}"`) : inner;
  return typeof said === 'string' ? said : inner;
}

/** Returns the names that stand twice in one object of a well-formed JSON text. JSON.parse does not report them. */
export function duplicateMembers(text: string): string[] {
  if (outlined(text) === undefined) return [];
  const duplicates: string[] = [];
  const open: Set<string>[] = [];
  for (const token of tokensOf(text)) {
    const sign = text.charAt(token.from);
    if (sign === '{' || sign === '[') open.push(new Set());
    else if (sign === '}' || sign === ']') open.pop();
    else if (token.kind === 'name') {
      const name = saidIn(text, token);
      const names = open.at(-1);
      if (names?.has(name)) duplicates.push(name);
      names?.add(name);
    }
  }
  return duplicates;
}

/** Returns the value at a path of member names, or `undefined`. */
export function memberAt(value: unknown, ...path: string[]): unknown {
  return path.reduce<unknown>(
    (inner, member) => (isObject(inner) && Object.hasOwn(inner, member) ? inner[member] : undefined),
    value,
  );
}

/** Yields every string below a value, with its path: member names and array positions joined by dots. */
export function* stringsIn(value: Json, path = ''): Generator<{ path: string; text: string }> {
  if (typeof value === 'string') yield { path, text: value };
  else if (Array.isArray(value)) for (const [i, item] of value.entries()) yield* stringsIn(item, `${path}.${i}`);
  else if (isObject(value))
    for (const [name, inner] of Object.entries(value)) yield* stringsIn(inner, path ? `${path}.${name}` : name);
}

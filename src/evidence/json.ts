import { Remembered } from '../common/remembered';
import { KINDS, MEMBERS } from '../contract/settings';
import { withheldIn } from './markers';

/** JSON as a response holds it: read once, with what JSON.parse passes over. */
export type Json = null | boolean | number | string | Json[] | { [member: string]: Json };
export type JsonObject = { [member: string]: Json };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A parser may set itself a limit (RFC 8259 section 9); whatever walks through a value comes back from this depth. */
export const MOST_DEPTH = 500;

/** Why a text has no value that can be read; `null` where it has one. */
export function unreadable(text: string): string | null {
  if (outlined(text) !== undefined) return null;
  return isTooDeep(text) || withheldIn(text)?.isTooDeep
    ? `JSON nested more than ${MOST_DEPTH} levels deep`
    : 'a body that is not well-formed JSON';
}

/** What the rules ask of a body, without the whole of it: a value takes many times the memory of its text. */
interface Outline {
  /** The value; of an object only the member `webhook` with all that is in it, of a list nothing. */
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
 * The value of a body as far as clauses speak of it: an object's members beside `webhook` are null, a list is empty.
 * `undefined` where it is not well-formed (RFC 8259) or nested too deeply. Who gets it must not change it.
 */
export function outlined(text: string): Json | undefined {
  return outlineOf(text).value;
}

/** The value of a JSON text, or `undefined` where it is not well-formed (RFC 8259) or nested too deeply to be read. */
export function parsed(text: string): Json | undefined {
  if (isTooDeep(text)) return undefined;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/**
 * Whether a text opens more brackets than `MOST_DEPTH` within one another, strings aside. Looked at before anything is
 * parsed: a parser takes much more for half a million levels than for as many characters.
 */
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

/**
 * The webhook object of a body that serves settings: JSON with a member `webhook` that has at least one of the
 * members the API description names. `null` for anything else.
 */
export function settingsIn(body: string): JsonObject | null {
  return webhookIn(outlined(body));
}

/** The same of a document that was read. */
export function webhookIn(value: Json | undefined): JsonObject | null {
  const webhook = isObject(value) ? value.webhook : undefined;
  if (!isObject(webhook)) return null;
  return MEMBERS[''].some((member) => Object.hasOwn(webhook, member)) ? webhook : null;
}

/** Whether a body is JSON that holds the described members anywhere: a `webhook` object, or what lies in one. */
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

/** What JSON consists of. Groups: a string without its quotes; the colon behind it, where it is a name. */
export const TOKEN = /"([^"\\]*(?:\\.[^"\\]*)*)"([ \t\r\n]*:)?|[{}[\],]|-?\d[\d.eE+-]*/g;

/**
 * Member names that stand twice in one object of a JSON text: parsers disagree on which one counts, and JSON.parse
 * does not tell. None where the text is not well-formed.
 */
export function duplicateMembers(text: string): string[] {
  if (outlined(text) === undefined) return [];
  const duplicates: string[] = [];
  const open: Set<string>[] = [];
  for (const [token, inner, colon] of text.matchAll(TOKEN)) {
    if (token === '{' || token === '[') open.push(new Set());
    else if (token === '}' || token === ']') open.pop();
    else if (colon !== undefined) {
      const name = JSON.parse(`"${inner}"`) as string;
      const names = open.at(-1);
      if (names?.has(name)) duplicates.push(name);
      names?.add(name);
    }
  }
  return duplicates;
}

/** The value at a path of member names, or `undefined`. */
export function memberAt(value: unknown, ...path: string[]): unknown {
  return path.reduce<unknown>(
    (inner, member) => (isObject(inner) && Object.hasOwn(inner, member) ? inner[member] : undefined),
    value,
  );
}

/** Every string and its path below a value, member names and array positions joined by dots. */
export function* stringsIn(value: Json, path = ''): Generator<{ path: string; text: string }> {
  if (typeof value === 'string') yield { path, text: value };
  else if (Array.isArray(value)) for (const [i, item] of value.entries()) yield* stringsIn(item, `${path}.${i}`);
  else if (isObject(value))
    for (const [name, inner] of Object.entries(value)) yield* stringsIn(inner, path ? `${path}.${name}` : name);
}

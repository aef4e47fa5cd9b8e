import { KINDS, MEMBERS } from '../contract/settings';

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
  if (parsed(text) !== undefined) return null;
  try {
    JSON.parse(text);
    return `JSON nested more than ${MOST_DEPTH} levels deep`;
  } catch {
    return 'a body that is not well-formed JSON';
  }
}

/** The value of a JSON text, or `undefined` where it is not well-formed (RFC 8259) or nested too deeply to be read. */
export function parsed(text: string): Json | undefined {
  try {
    const value = JSON.parse(text) as Json;
    return text.length > 2 * MOST_DEPTH && isTooDeep(value) ? undefined : value;
  } catch {
    return undefined;
  }
}

function isTooDeep(value: Json): boolean {
  let level = [value];
  for (let depth = 0; depth <= MOST_DEPTH && level.length > 0; depth += 1) {
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []));
  }
  return level.length > 0;
}

/**
 * The webhook object of a body that serves settings: JSON with a member `webhook` that has at least one of the
 * members the API description names. `null` for anything else.
 */
export function settingsIn(body: string): JsonObject | null {
  const value = parsed(body);
  const webhook = isObject(value) ? value.webhook : undefined;
  if (!isObject(webhook)) return null;
  return MEMBERS[''].some((member) => Object.hasOwn(webhook, member)) ? webhook : null;
}

/** JSON that holds the described members anywhere: a `webhook` object, or what lies in one. */
export function holdsSettings(value: Json | undefined): boolean {
  if (Array.isArray(value)) return value.some(holdsSettings);
  if (!isObject(value)) return false;
  if ('hasPassword' in value) return true;
  const kinds = KINDS.filter((kind) => isObject(value[kind]) && 'url' in (value[kind] as object));
  return kinds.length > 0 || Object.values(value).some(holdsSettings);
}

const STRING_OR_BRACKET = /"([^"\\]*(?:\\.[^"\\]*)*)"(\s*:)?|[{}[\]]/g;

/**
 * Member names that stand twice in one object of a JSON text: parsers disagree on which one counts, and JSON.parse
 * does not tell. None where the text is not well-formed.
 */
export function duplicateMembers(text: string): string[] {
  if (parsed(text) === undefined) return [];
  const duplicates: string[] = [];
  const open: Set<string>[] = [];
  for (const [token, inner, colon] of text.matchAll(STRING_OR_BRACKET)) {
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
  return path.reduce<unknown>((inner, member) => (isObject(inner) ? inner[member] : undefined), value);
}

/** Every string and its path below a value, member names and array positions joined by dots. */
export function* stringsIn(value: Json, path = ''): Generator<{ path: string; text: string }> {
  if (typeof value === 'string') yield { path, text: value };
  else if (Array.isArray(value)) for (const [i, item] of value.entries()) yield* stringsIn(item, `${path}.${i}`);
  else if (isObject(value))
    for (const [name, inner] of Object.entries(value)) yield* stringsIn(inner, path ? `${path}.${name}` : name);
}

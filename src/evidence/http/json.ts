/** Reads the JSON of responses: each body once, and with the duplicate names that JSON.parse does not report. */
import { jsonOf, stringIn, tokensOf, whyTooMuch } from '../../common/json';
import { KINDS, MEMBERS } from '../../contract/settings';
import { isTypeName } from '../../redaction/undeclared';

export type Json = null | boolean | number | string | Json[] | { [member: string]: Json };
export type JsonObject = { [member: string]: Json };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A response or a delivery, as far as its body is read; `null` or `undefined` where there is none. */
type Message = { body: string } | null | undefined;

/** Returns why the text of a body has no readable value; `null` if it has one. */
export function unreadable(message: Message): string | null {
  if (parsed(message) !== undefined) return null;
  const text = message?.body ?? '';
  if (text === '') return 'an empty body';
  if (text.startsWith('\uFEFF')) return 'a body that begins with a byte order mark, which is not JSON';
  const tooMuch = whyTooMuch(text);
  return tooMuch === null ? 'a body that is not well-formed JSON' : `a body that is not read: ${tooMuch}`;
}

/** What was read, since every rule asks for the same bodies. */
const known = new WeakMap<object, { value: Json | undefined }>();
const NONE = { body: '' };

/**
 * Returns the value of a body; `undefined` if it is malformed (RFC 8259), nested too deeply or too large. Callers must not
 * change it.
 */
export function parsed(message: Message): Json | undefined {
  const asked = message ?? NONE;
  const read = known.get(asked) ?? { value: jsonOf(asked.body) as Json | undefined };
  known.set(asked, read);
  return read.value;
}

/** Returns the webhook object of a body, if it has at least one described member; else `null`. */
export function settingsIn(message: Message): JsonObject | null {
  const webhook = memberAt(parsed(message), 'webhook');
  return isObject(webhook) && MEMBERS[''].some((member) => Object.hasOwn(webhook, member)) ? webhook : null;
}

/** Whether a body is JSON with a value of `hasPassword` or of a kind's `url` at any depth. Their types are no values. */
export function holdsSettings(message: Message): boolean {
  return holdsDescribed(parsed(message));
}

function holdsDescribed(value: Json | undefined): boolean {
  if (Array.isArray(value)) return value.some(holdsDescribed);
  if (!isObject(value)) return false;
  const isHeld = (holder: Json | undefined, member: 'hasPassword' | 'url') =>
    isObject(holder) && Object.hasOwn(holder, member) && isValue(member, holder[member]);
  if (isHeld(value, 'hasPassword') || KINDS.some((kind) => isHeld(value[kind], 'url'))) return true;
  return Object.entries(value).some(([name, inner]) => !EXAMPLE.test(name) && holdsDescribed(inner));
}

/** Names of members in a description (JSON Schema, OpenAPI) whose values are made up. */
const EXAMPLE = /^(?:default|(?:x-)?(?:example|sample)[a-z]*)$/i;

/** Whether a text that stands in JSON below some names describes a member and is no value of it. */
export function isDescription(text: string, names: readonly string[] = []): boolean {
  return isTypeName(text) || names.some((name) => EXAMPLE.test(name));
}

/** Whether a described member has a value here. A description has a schema, a type or a sentence instead. */
function isValue(member: 'hasPassword' | 'url', value: Json | undefined): boolean {
  if (typeof value !== 'string') return !isObject(value) && !Array.isArray(value);
  return member === 'url' ? !value.includes(' ') && !isDescription(value) : /^(?:true|false|yes|no|[01])$/i.test(value);
}

/** Returns the names that stand twice in one object of well-formed JSON. JSON.parse does not report them. */
export function duplicateMembers(text: string): string[] {
  const duplicates: string[] = [];
  const open: Set<string>[] = [];
  for (const token of tokensOf(text)) {
    const sign = text.charAt(token.from);
    if (sign === '{' || sign === '[') open.push(new Set());
    else if (sign === '}' || sign === ']') open.pop();
    else if (token.kind === 'name') {
      const name = stringIn(text, token);
      const names = open.at(-1);
      if (names?.has(name)) duplicates.push(name);
      names?.add(name);
    }
  }
  return duplicates;
}

/** Returns the value at a path such as `auth.type`; `undefined` if there is none. */
export function memberAt(value: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
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

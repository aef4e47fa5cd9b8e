/** The search of everything that a run left for every secret it was given, in every form that a secret may take. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { unzipSync } from 'fflate';
import { filesBelow, type WholeRun } from './whole-runs';

const utf8 = (text: string): Buffer => Buffer.from(text);
const each = (bytes: Buffer, write: (character: string, i: number) => string) =>
  utf8(Array.from(bytes.toString(), write).join(''));
const eachByte = (bytes: Buffer, write: (digits: string) => string) =>
  utf8(Array.from(bytes, (byte) => write(byte.toString(16).padStart(2, '0'))).join(''));
const changed = (bytes: Buffer, change: (text: string) => string) => utf8(change(bytes.toString()));
const unitsOf = (c: string) =>
  c
    .split('')
    .map((half) => `\\u${half.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
const large = (text: string) =>
  text.replace(/(?<=\\u)[0-9a-f]{4}|(?<=%)[0-9a-f]{2}/g, (digits) => digits.toUpperCase());
const json = (text: string) => JSON.stringify(text).slice(1, -1);
const NAMES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** The digits of base64 that depend on some bytes alone, where so many others stand before them. */
function digitsOf(bytes: Buffer, before: number): string {
  const all = Buffer.concat([Buffer.alloc(before), bytes]);
  const from = Math.ceil((before * 8) / 6);
  return all
    .toString('base64')
    .replace(/=/g, '')
    .slice(from, Math.floor((all.length * 8) / 6));
}

/** The encodings that SECURITY.md promises to see through, written for themselves. */
const ENCODINGS: Record<string, (bytes: Buffer) => Buffer> = {
  JSON: (bytes) => changed(bytes, json),
  'JSON with slashes escaped': (bytes) => changed(bytes, (text) => json(text).replace(/\//g, '\\/')),
  'JSON in ASCII': (bytes) => changed(bytes, (text) => json(text).replace(/[^ -~]/g, unitsOf)),
  'JSON in ASCII, in capitals': (bytes) => changed(bytes, (text) => large(json(text).replace(/[^ -~]/g, unitsOf))),
  '\\u throughout': (bytes) => each(bytes, unitsOf),
  '\\u throughout in capitals': (bytes) => each(bytes, (c) => large(unitsOf(c))),
  'in single quotes': (bytes) => changed(bytes, (text) => text.replace(/['\\]/g, '\\$&')),
  'every other character as \\u': (bytes) => each(bytes, (c, i) => (i % 2 || /["\\]|[^ -~]/.test(c) ? unitsOf(c) : c)),
  'percent-encoded': (bytes) => changed(bytes, encodeURIComponent),
  'percent-encoded in small letters': (bytes) =>
    changed(bytes, (text) => encodeURIComponent(text).replace(/%../g, (code) => code.toLowerCase())),
  'percent-encoded throughout': (bytes) => eachByte(bytes, (digits) => `%${digits}`),
  'percent-encoded throughout in capitals': (bytes) => eachByte(bytes, (digits) => large(`%${digits}`)),
  'every other character percent-encoded': (bytes) =>
    each(bytes, (c, i) => (i % 2 || /%|[^ -~]/.test(c) ? eachByte(utf8(c), (digits) => `%${digits}`).toString() : c)),
  'as a whole URL': (bytes) => changed(bytes, encodeURI),
  'as a form': (bytes) => changed(bytes, (text) => new URLSearchParams({ '': text }).toString().slice(1)),
  HTML: (bytes) => each(bytes, (c) => NAMES[c] ?? c),
  'every other character as an entity': (bytes) =>
    each(bytes, (c, i) => (i % 2 || /&|[^ -~]/.test(c) ? `&#${c.codePointAt(0)};` : c)),
  'decimal entities': (bytes) => each(bytes, (c) => `&#${c.codePointAt(0)};`),
  'hexadecimal entities': (bytes) => each(bytes, (c) => `&#x${c.codePointAt(0)?.toString(16)};`),
  ...Object.fromEntries(
    [0, 1, 2].flatMap((before) => [
      [`base64 after ${before}`, (bytes: Buffer) => utf8(digitsOf(bytes, before))],
      [
        `base64url after ${before}`,
        (bytes: Buffer) => utf8(digitsOf(bytes, before).replaceAll('+', '-').replaceAll('/', '_')),
      ],
    ]),
  ),
  hex: (bytes) => utf8(bytes.toString('hex')),
  'hex in capitals': (bytes) => utf8(bytes.toString('hex').toUpperCase()),
  'UTF-16 LE': (bytes) => Buffer.from(bytes.toString(), 'utf16le'),
  'UTF-16 BE': (bytes) => Buffer.from(bytes.toString(), 'utf16le').swap16(),
  'UTF-8 taken for Latin-1': (bytes) => utf8(bytes.toString('latin1')),
  'Latin-1': (bytes) => Buffer.from(bytes.toString(), 'latin1'),
  capitals: (bytes) => changed(bytes, (text) => text.toUpperCase()),
  'small letters': (bytes) => changed(bytes, (text) => text.toLowerCase()),
};

/** A character set stands last in a row, or before base64 or hexadecimal; before others its bytes are taken for Latin-1. */
const CHARACTER_SETS = ['UTF-16 LE', 'UTF-16 BE', 'UTF-8 taken for Latin-1', 'Latin-1'];

/** What is looked for within base64, hexadecimal and UTF-16 besides those and character sets themselves. */
const IN_PACKINGS =
  /^(?:JSON|percent-encoded|(?:\\u|percent-encoded) throughout(?: in capitals)?|(?:hexa)?decimal entities|(?:base64|hex|UTF|Latin).*)$/;
const IS_PACKING = /^(?:base64|hex|UTF-16)/;
const IS_OTHER_CASE = /^(?:capitals|small letters)$/;

/** What a secret looks like in bytes, by the name of the form. @param most how many encodings stand in a row */
export function formsOf(value: string, most: 1 | 2 = 1): Map<string, Buffer> {
  const forms = new Map<string, Buffer>([['plain', utf8(value)]]);
  for (const [outer, encode] of Object.entries(ENCODINGS)) {
    forms.set(outer, encode(utf8(value)));
    if (most === 2)
      for (const [inner, encodeFirst] of Object.entries(ENCODINGS)) {
        if (IS_PACKING.test(outer) && !IN_PACKINGS.test(inner)) continue;
        // The letters of an escape stay as they are.
        if (IS_OTHER_CASE.test(outer) && (IS_PACKING.test(inner) || inner.startsWith('every other'))) continue;
        const first = encodeFirst(utf8(value));
        if (!CHARACTER_SETS.includes(inner) || /^(?:base64|hex)\b/.test(outer))
          forms.set(`${outer} of ${inner}`, encode(first));
        else if (/JSON|^\\u|entities/.test(outer))
          forms.set(
            `${outer} of ${inner}`,
            encode(inner === 'UTF-8 taken for Latin-1' ? first : utf8(first.toString('latin1'))),
          );
      }
  }
  return forms;
}

/** What a search looks for: all of it is found in one pass over the bytes. */
class Needles {
  /** By the first four bytes. */
  private readonly byStart = new Map<number, Array<{ name: string; needle: Buffer }>>();
  /** By a hash of four bytes: whether anything may begin with them. */
  private readonly mayStart = new Uint8Array(2 ** HASH_BITS);

  /** @throws for what is so short that it is found by chance */
  add(name: string, needle: Buffer): void {
    if (needle.length < START) throw new Error(`${name} is too short to be looked for.`);
    const start = needle.readInt32BE(0);
    const alike = this.byStart.get(start) ?? [];
    if (alike.some((other) => other.needle.equals(needle))) return;
    this.byStart.set(start, [...alike, { name, needle }]);
    this.mayStart[hashOf(start)] = 1;
  }

  /** The names of what stands in some bytes. */
  in(bytes: Buffer): Set<string> {
    const found = new Set<string>();
    let start = 0;
    for (let i = 0; i < bytes.length; i += 1) {
      start = (start << 8) | (bytes[i] ?? 0);
      if (this.mayStart[hashOf(start)] === 0 || i + 1 < START) continue;
      const from = i + 1 - START;
      for (const { name, needle } of this.byStart.get(start) ?? [])
        if (needle.equals(bytes.subarray(from, from + needle.length))) found.add(name);
    }
    return found;
  }
}

const START = 4;
const HASH_BITS = 16;
const hashOf = (start: number) => Math.imul(start, 0x9e3779b1) >>> (32 - HASH_BITS);

/** Every form of every secret, and of what gives a key away: its first half, its letters in the other case. */
export function needlesOf(secrets: Record<string, string>): Needles {
  const swapped = (text: string) =>
    [...text].map((c) => (c === c.toLowerCase() ? c.toUpperCase() : c.toLowerCase())).join('');
  const needles = new Needles();
  for (const [name, value] of Object.entries(secrets)) {
    for (const [form, needle] of formsOf(value, 2)) needles.add(`${name}, ${form}`, needle);
    if (!name.startsWith('KEY')) continue;
    for (const [alteration, text] of Object.entries({
      half: value.slice(0, value.length / 2),
      swapped: swapped(value),
    }))
      for (const [form, needle] of formsOf(text)) needles.add(`${name}, ${alteration}, ${form}`, needle);
  }
  return needles;
}

/** The bytes, and everything that is packed into them as zip, gzip or base64. */
function* layersOf(bytes: Buffer, where: string, depth = 0): Generator<{ bytes: Buffer; where: string }> {
  yield { bytes, where };
  if (depth > 4) return;
  if (bytes.toString('latin1', 0, 4) === 'PK\x03\x04') {
    for (const [name, content] of Object.entries(unzipSync(bytes)))
      yield* layersOf(Buffer.from(content), `${where} > ${name}`, depth + 1);
    return;
  }
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) yield* layersOf(gunzipSync(bytes), `${where} > gzip`, depth + 1);
  for (const [run] of bytes.toString('latin1').matchAll(/[A-Za-z0-9+/_-]{40,}={0,2}/g))
    yield* layersOf(Buffer.from(run, 'base64'), `${where} > base64`, depth + 1);
}

export function leaksIn(bytes: Buffer, where: string, needles: Needles): string[] {
  const found: string[] = [];
  for (const layer of layersOf(bytes, where))
    for (const name of needles.in(layer.bytes)) found.push(`${name} in ${layer.where}`);
  return found;
}

/** Every secret that a run printed or left. */
export function leaksOf(run: WholeRun, secrets: Record<string, string>, besides: string[] = []): string[] {
  const needles = needlesOf(secrets);
  const files = [...filesBelow(run.directory).map((name) => join(run.directory, name)), ...besides];
  return [
    ...leaksIn(Buffer.from(run.output), 'terminal', needles),
    ...files.flatMap((file) => leaksIn(readFileSync(file), file, needles)),
  ];
}

/** Secrets with characters that JSON, URLs, HTML and base64 write differently, and plain secrets. */
export const ACCOUNTS = [
  { name: 'signs', apiKey: 'k/ey+Sekret"4711=&<aB>~Zz', password: 'pä55/Sekret+"0815"<ü>&?=~' },
  { name: 'plain', apiKey: 'plainKeySekret1234AbCdEfGh', password: 'plainPasswordSekret5678' },
];

/** By the variable that holds it. */
export const SECRETS = {
  GATE: 'gate/Sekret+"&<2342>=\\~x',
  KEY_SIGNS: ACCOUNTS[0]?.apiKey ?? '',
  PASSWORD_SIGNS: ACCOUNTS[0]?.password ?? '',
  KEY_PLAIN: ACCOUNTS[1]?.apiKey ?? '',
  PASSWORD_PLAIN: ACCOUNTS[1]?.password ?? '',
};

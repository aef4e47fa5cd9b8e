/** The search of everything that a run left for every secret it was given, in every form that a secret may take. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { unzipSync } from 'fflate';
import { filesBelow, type WholeRun } from './whole-runs';

/** What a secret looks like in bytes, by the name of the form. */
export function formsOf(value: string): Map<string, Buffer> {
  const unit = (c: string) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`;
  const percent = (text: string) =>
    [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
  const html = (text: string) =>
    text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');
  const json = JSON.stringify(value).slice(1, -1);
  const texts: Record<string, string> = {
    plain: value,
    JSON: json,
    'JSON with slashes escaped': json.replace(/\//g, '\\/'),
    'JSON in ASCII': json.replace(/[^ -~]/g, unit),
    'JSON in JSON': JSON.stringify(json).slice(1, -1),
    'JSON escapes alone': value.split('').map(unit).join(''),
    'percent-encoded': encodeURIComponent(value),
    'percent-encoded in small letters': encodeURIComponent(value).replace(/%../g, (code) => code.toLowerCase()),
    'percent-encoded throughout': percent(value),
    'percent-encoded throughout in capitals': percent(value).toUpperCase(),
    'as a form': new URLSearchParams({ '': value }).toString().slice(1),
    HTML: html(value),
    'HTML of JSON': html(json),
  };
  const forms = new Map(Object.entries(texts).map(([form, text]) => [form, Buffer.from(text)] as const));
  forms.set('Latin-1', Buffer.from(value, 'latin1'));
  for (const offset of [0, 1, 2]) {
    // The characters of base64 that depend on the secret alone, at each of its three possible offsets.
    const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(value)]);
    const core = bytes
      .toString('base64')
      .replace(/=+$/, '')
      .slice(Math.ceil((offset * 8) / 6), Math.floor((bytes.length * 8) / 6));
    const url = core.replace(/\+/g, '-').replace(/\//g, '_');
    for (const [form, text] of [
      ['base64', core],
      ['base64url', url],
      ['base64, percent-encoded', encodeURIComponent(core)],
    ] as const)
      forms.set(`${form} from ${offset}`, Buffer.from(text));
  }
  return forms;
}

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** What only somebody who means to hide a secret writes. */
function hiddenForms(value: string): Map<string, Buffer> {
  const bytes = [...Buffer.from(value)];
  const each = (write: (byte: number) => string, between = '') => bytes.map(write).join(between);
  const hex = (byte: number) => byte.toString(16).padStart(2, '0');
  const bits = each((byte) => byte.toString(2).padStart(8, '0')).match(/.{5}/g) ?? [];
  const utf16 = Buffer.from(value, 'utf16le');
  const texts: Record<string, string> = {
    hex: each(hex),
    'hex in capitals': each(hex).toUpperCase(),
    'hex with colons': each(hex, ':'),
    numbers: each(String, ','),
    'numbers apart': each(String, ', '),
    reversed: [...value].reverse().join(''),
    capitals: value.toUpperCase(),
    'small letters': value.toLowerCase(),
    octal: each((byte) => `\\${byte.toString(8).padStart(3, '0')}`),
    '\\x': each((byte) => `\\x${hex(byte)}`),
    entities: [...value].map((c) => `&#${c.codePointAt(0)};`).join(''),
    'hexadecimal entities': [...value].map((c) => `&#x${c.codePointAt(0)?.toString(16)};`).join(''),
    'percent twice': each((byte) => `%25${hex(byte)}`),
    'quoted-printable': each((byte) => `=${hex(byte).toUpperCase()}`),
    base32: bits.map((five) => BASE32[Number.parseInt(five, 2)]).join(''),
    'base64 twice': Buffer.from(Buffer.from(value).toString('base64')).toString('base64').slice(0, -4),
    'UTF-8 twice': Buffer.from(value).toString('latin1'),
  };
  // Most of what a run leaves is JSON.
  const inJson = Object.entries(texts).map(([form, text]) => [`${form}, in JSON`, JSON.stringify(text).slice(1, -1)]);
  const all = [...Object.entries(texts), ...inJson] as Array<[string, string]>;
  const forms = new Map(all.map(([form, text]) => [form, Buffer.from(text)] as const));
  return forms.set('UTF-16 LE', utf16).set('UTF-16 BE', Buffer.from(utf16).swap16());
}

/** What a search looks for: all of it is found in one pass over the bytes. */
export class Needles {
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
    const altered = name.startsWith('KEY') ? { half: value.slice(0, value.length / 2), swapped: swapped(value) } : {};
    for (const [alteration, text] of Object.entries({ whole: value, ...altered }))
      for (const [form, needle] of [...formsOf(text), ...hiddenForms(text)])
        needles.add(`${name}, ${alteration}, ${form}`, needle);
  }
  return needles;
}

/** The bytes, and everything that is packed into them as zip, gzip or base64. */
function* layersOf(bytes: Buffer, where: string, depth = 0): Generator<{ bytes: Buffer; where: string }> {
  yield { bytes, where };
  if (depth > 4) return;
  if (bytes.readUInt32BE?.call(Buffer.concat([bytes, Buffer.alloc(4)]), 0) === 0x504b0304) {
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

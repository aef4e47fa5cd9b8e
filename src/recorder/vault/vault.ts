/**
 * The only place that maps secrets to markers and back. Everything outside speaks in markers,
 * `[secret:apiKey:alice]`; they are revealed when a request is written and put back into whatever is read.
 */

import { MEMBER_NAMES } from '../../contract/settings';
import { layersOf, NAMED, SHORT } from '../../evidence/escapes';
import { MARKER } from '../../evidence/markers';

/** Below this length a secret is too likely to be an ordinary word: only whole values are taken for it. */
const WHOLE_VALUE_BELOW = 8;
/** From this length on it is kept out of texts as a word too, without being taken for it. */
const WORD_FROM = 4;
/** Characters in all of what was masked before. */
const MOST_REMEMBERED = 16 * 1024 * 1024;
/** Fewer characters from the beginning of a secret tell nobody anything. */
const TOLD_BY_A_PART = 4;
/** Base64 of fewer bytes is found in ordinary base64 by chance, and fewer characters in any text. */
const TELLING_FROM = 6;

/** The members the API description names: never a secret, whatever a password may be. */
const DESCRIBED_MEMBERS = [...MEMBER_NAMES].join('|');

interface Entry {
  marker: string;
  raw: string;
}

export class Vault {
  private readonly entries = new Map<string, Entry>();
  private readonly unsearched = new Map<string, string>();
  /** By the length of the shortest secret that is searched for. */
  private readonly patterns = new Map<number, Patterns>();
  /** Servers repeat themselves: what was masked before need not be searched again. */
  private readonly done = new Map<string, Buffer>();
  private remembered = 0;

  /** Registers a secret under its marker. The same value keeps its first marker when masked. */
  add(marker: string, raw: string): void {
    if (raw === '' || this.entries.has(marker)) return;
    this.entries.set(marker, { marker, raw });
    this.patterns.clear();
    this.done.clear();
    this.remembered = 0;
  }

  /** Registers what a marker stands for on the wire, without looking for it anywhere. */
  addForSending(marker: string, raw: string): void {
    this.unsearched.set(marker, raw);
  }

  /** A text with every registered marker replaced by its secret: for the wire only. */
  reveal(text: string): string {
    return text.replace(MARKER, (marker) => this.entries.get(marker)?.raw ?? this.unsearched.get(marker) ?? marker);
  }

  /**
   * Bytes with every registered secret replaced by its marker, whether it stands there as it is, JSON-escaped,
   * percent-encoded, HTML-escaped, in base64 or base64url, alone or as a part of what was encoded.
   * JSON keeps its structure: described member names, literals and numbers stay what they are.
   */
  mask(bytes: Buffer): Buffer {
    if (this.entries.size === 0 || bytes.length === 0) return bytes;
    const text = bytes.toString('latin1');
    const known = this.done.get(text);
    if (known) return known;
    const masked = this.search(text);
    const result = masked === text ? bytes : Buffer.from(masked, 'latin1');
    if (this.remembered + text.length <= MOST_REMEMBERED) {
      this.remembered += text.length;
      this.done.set(text, result);
    }
    return result;
  }

  /** `mask` for bytes that were cut off: where they end in the beginning of a secret, they end before it. */
  maskCut(bytes: Buffer): Buffer {
    const text = this.mask(bytes).toString('latin1');
    const starts = [...this.entries.values()].map(({ raw }) => startOfCut(text, Buffer.from(raw, 'utf8')));
    return Buffer.from(text.slice(0, Math.min(text.length, ...starts)), 'latin1');
  }

  /** `mask` for what the protocol says in words and numbers of its own: no short secret is looked for there. */
  maskProtocol(bytes: Buffer): Buffer {
    return Buffer.from(this.search(bytes.toString('latin1'), WHOLE_VALUE_BELOW), 'latin1');
  }

  private search(text: string, fromLength = 0): string {
    const patterns = this.compiled(fromLength);
    // Base64 first, run by run, so that a long run is read once and not once from each of its characters.
    const isPossible = patterns.anyBase64.test(text) || LONG_RUN.test(text);
    const isJson = /^\s*[[{]/.test(text);
    const runs = isJson ? BASE64_RUN_IN_JSON : BASE64_RUN;
    const decoded = isPossible ? text.replace(runs, (run) => maskRun(run, patterns)) : text;
    const possible = this.possibleIn(decoded, patterns.entries);
    if (possible.length === 0) return decoded;
    const exact = exactly(possible, patterns, isJson);
    const masked = decoded.replace(exact, (...found) => {
      const groups = found[found.length - 1] as Record<string, string | undefined>;
      if (groups.keep !== undefined) return groups.keep;
      const hit = Object.keys(groups).find((name) => groups[name] !== undefined) ?? '';
      const marker = patterns.entries[Number(hit.slice(1))]?.marker ?? '';
      if (hit.startsWith('n')) return `"${marker}"`;
      return hit.startsWith('w') ? marker.replace(/\]$/, ':part]') : marker;
    });
    return possible.reduce((sofar, i) => withoutNested(sofar, patterns.entries[i] as Entry, isJson), masked);
  }

  /** A quick look which secrets the exact search could find: positions in the list of entries. */
  private possibleIn(text: string, entries: Entry[]): number[] {
    const layers = layersOf(text);
    return [...entries.keys()].filter((i) => {
      const raw = entries[i]?.raw ?? '';
      const bytes = Buffer.from(raw, 'utf8').toString('latin1');
      const isPlain = text.includes(raw) || text.includes(bytes) || layers.some((layer) => layer.includes(bytes));
      return isPlain || /[ \ud800-\udfff]/.test(raw) || innermost(layers).includes(innermost(layersOf(bytes)));
    });
  }

  /** `mask` for text, such as a header value. */
  maskText(text: string): string {
    return this.mask(Buffer.from(text, 'utf8')).toString('utf8');
  }

  private compiled(fromLength: number): Patterns {
    const known = this.patterns.get(fromLength);
    if (known) return known;
    // The longest first, so that a key wins over a part of itself.
    const entries = [...this.entries.values()]
      .filter(({ raw }) => raw.length >= fromLength)
      .sort((a, b) => b.raw.length - a.raw.length);
    const base64 = entries.map((entry) => base64Form(entry.raw));
    const anyBase64 = new RegExp(base64.map(({ source }) => source.replace(/^\^|\$$/g, '')).join('|'));
    const patterns = { entries, base64, anyBase64, exact: new Map() };
    this.patterns.set(fromLength, patterns);
    return patterns;
  }
}

interface Patterns {
  entries: Entry[];
  /** By entry: matches a run of base64 that holds the secret. */
  base64: RegExp[];
  anyBase64: RegExp;
  /** Compiled searches, by the entries they search for. */
  exact: Map<string, RegExp>;
}

/** What one pass before has put in, and what the API description names, is not searched. */
const KEPT_MARKER = '\\[secret:[A-Za-z]+:[^\\]\\s"]+\\]';
const KEPT_IN_JSON = `"(?:${DESCRIBED_MEMBERS})"\\s*:|(?:true|false|null)\\b(?<=[:[,]\\s*(?:true|false|null))`;

function exactly(possible: number[], patterns: Patterns, json: boolean): RegExp {
  const key = `${json}${possible.join()}`;
  const known = patterns.exact.get(key);
  if (known) return known;
  const forms = possible.flatMap((i) => {
    const raw = patterns.entries[i]?.raw ?? '';
    return json ? jsonForms(raw, i) : [textForm(raw, i)];
  });
  // A marker in a response is kept only if it is one of ours: a stranger's could hide a secret.
  const ours = patterns.entries.map(({ marker }) => `${literal(marker.slice(0, -1))}(?::base64|:part)?\\]`).join('|');
  const keep = json ? `(?=${KEPT_MARKER})(?:${ours})|${KEPT_IN_JSON}` : `(?=${KEPT_MARKER})(?:${ours})`;
  const compiled = new RegExp([`(?<keep>${keep})`, ...forms].join('|'), 'g');
  patterns.exact.set(key, compiled);
  return compiled;
}

/** Characters of base64 and base64url, percent-encoded or JSON-escaped where they may be, and padding. */
const BASE64_RUN = /(?:[A-Za-z0-9+/_-]|%2[BbFf]|\\\/){3,}(?:=|%3[Dd]){0,2}/g;

/** In JSON an escape before a run is none of it, though its letter or its digits could be. */
const BASE64_RUN_IN_JSON = new RegExp(`\\\\(?:u[0-9a-fA-F]{4}|[\\\\"bfnrt])|${BASE64_RUN.source}`, 'g');

/** As much as a secret of some length takes that was escaped before. */
const LONG_RUN = /[A-Za-z0-9+/_-]{16}/;

function maskRun(run: string, patterns: Patterns): string {
  if (/^\\[^/]/.test(run)) return run;
  const direct = patterns.base64.findIndex((pattern) => pattern.test(run));
  const hit = direct < 0 && LONG_RUN.test(run) ? escapedWithin(run, patterns.entries) : direct;
  return hit < 0 ? run : (patterns.entries[hit]?.marker ?? '').replace(/\]$/, ':base64]');
}

/** The position of a secret that was escaped before all of it was encoded, such as a JSON text in base64; or -1. */
function escapedWithin(run: string, entries: Entry[]): number {
  const plain = run.replace(/%2[Bb]/g, '+').replace(/%2[Ff]|\\\//g, '/');
  // What stands before it may look like base64 too, so any of four characters may be its first.
  const decoded = [0, 1, 2, 3]
    .map((skipped) => Buffer.from(plain.slice(skipped), 'base64').toString('latin1'))
    .filter((text) => /[\\%&]/.test(text))
    .map(layersOf);
  return entries.findIndex(({ raw }) => {
    const bytes = Buffer.from(raw, 'utf8').toString('latin1');
    return raw.length >= WHOLE_VALUE_BELOW && decoded.some((layers) => isSaidIn(layers, bytes));
  });
}

function jsonForms(raw: string, i: number): string[] {
  const escaped = [...raw].map(characterForms).join('');
  const isNumber = /^\d+$/.test(raw) && raw.length >= WORD_FROM;
  const number = isNumber ? [`(?<n${i}>${raw}(?=\\s*[,}\\]])(?<=[:[,]\\s*${raw}))`] : [];
  return [...number, raw.length < WHOLE_VALUE_BELOW ? `(?<p${i}>(?<=")${escaped}(?="))` : `(?<p${i}>${escaped})`];
}

/** A whole value in a text: all of it, or what stands in quotes, after an equals sign or a colon, or between tags. */
const BEFORE_A_VALUE = `(?<=(?:^|[=:"'<>(&;\\r\\n]|%(?:3[AaDd]|2[267]))[ \\t]*)`;
const AFTER_A_VALUE = `(?=[ \\t]*(?:$|["'<>)&;\\r\\n]|%2[267]))`;

function textForm(raw: string, i: number): string {
  const escaped = [...raw].map(characterForms).join('');
  if (raw.length >= WHOLE_VALUE_BELOW) return `(?<p${i}>${escaped})`;
  const whole = `(?<p${i}>${BEFORE_A_VALUE}${escaped}${AFTER_A_VALUE})`;
  return raw.length < WORD_FROM ? whole : `${whole}|(?<w${i}>(?<![A-Za-z0-9])${escaped}(?![A-Za-z0-9]))`;
}

function base64Form(raw: string): RegExp {
  const bytes = Buffer.from(raw, 'utf8');
  if (bytes.length >= TELLING_FROM) return new RegExp(base64Cores(bytes).join('|'));
  return new RegExp(`^${base64Pattern(bytes.toString('base64').replace(/=+$/, ''))}(?:=|%3[Dd])*$`);
}

/** Whether a secret stands in a layer, or what is left in the last one of a secret that looks like escapes itself. */
function isSaidIn(layers: string[], bytes: string): boolean {
  const left = innermost(layersOf(bytes));
  const isLeft = left.length >= TELLING_FROM && innermost(layers).includes(left);
  return isLeft || layers.some((layer) => layer.includes(bytes));
}

function innermost(layers: string[]): string {
  return layers.at(-1) ?? '';
}

/**
 * A text without a secret that was escaped more than once, which the exact search does not follow: then the whole
 * word, or the whole string of JSON, that holds it goes. What stands there unescaped was kept on purpose.
 */
function withoutNested(text: string, { raw, marker }: Entry, isJson: boolean): string {
  const bytes = Buffer.from(raw, 'utf8').toString('latin1');
  const hides = (part: string) =>
    raw.length >= WHOLE_VALUE_BELOW && !part.includes(bytes) && isSaidIn(layersOf(part), bytes);
  if (isJson) return text.replace(JSON_STRING, (string) => (hides(string) ? `"${marker}"` : string));
  const masked = text.replace(/[^\s"<>,;]+/g, (word) => (hides(word) ? marker : word));
  return hides(masked) ? marker : masked;
}

/** One that never ends goes on to the end of the text, which is then read once and not from each of its quotes. */
const JSON_STRING = /"[^"\\]*(?:\\[\s\S][^"\\]*)*(?:"|\\?$)/g;

/** One character as it is, as JSON, URL and HTML escape it; on latin1 text that holds UTF-8 bytes. */
function characterForms(character: string): string {
  const utf8 = [...Buffer.from(character, 'utf8')];
  const ways = new Set<string>();
  ways.add(utf8.map((byte) => literal(String.fromCharCode(byte))).join(''));
  const code = character.codePointAt(0) ?? 0;
  if (code > 0x7f && code <= 0xff) ways.add(literal(character));
  ways.add(
    [...character]
      .flatMap((c) => unitsOf(c))
      .map((unit) => `\\\\u${anyCase(unit.toString(16).padStart(4, '0'))}`)
      .join(''),
  );
  ways.add(utf8.map((byte) => `%${anyCase(byte.toString(16).padStart(2, '0'))}`).join(''));
  ways.add(`&#(?:0*${code}|[xX]0*${anyCase(code.toString(16))});`);
  if (SHORT[character]) ways.add(`\\\\${literal(SHORT[character])}`);
  if (NAMED[character]) ways.add(`&${NAMED[character]};`);
  if (character === ' ') ways.add('\\+');
  return `(?:${[...ways].join('|')})`;
}

const PART_OF_AN_ESCAPE = /(?:\\(?:u[0-9a-fA-F]{0,3})?|%[0-9a-fA-F]?|&[#A-Za-z0-9]{0,8})$/;

/** Where the beginning of a secret stands at the end of a text that was cut, in any form; the text's length if it does not. */
function startOfCut(text: string, secret: Buffer): number {
  const raw = secret.toString('latin1');
  const begins = (tail: string) => {
    const layers = layersOf(tail.replace(PART_OF_AN_ESCAPE, ''));
    return layers.some((plain) => plain.length >= TOLD_BY_A_PART && raw.startsWith(plain));
  };
  // An escape takes at most six characters for each of the secret's.
  for (let start = Math.max(0, text.length - 6 * raw.length); start < text.length; start += 1) {
    const isPossible = text[start] === raw[0] || '\\%&'.includes(text[start] ?? '');
    if (isPossible && begins(text.slice(start))) return start;
  }
  const run = /[A-Za-z0-9+/_-]*$/.exec(text)?.[0].slice(-2 * raw.length - 8) ?? '';
  const parts = Array.from({ length: raw.length }, (_, i) => raw.slice(0, i)).slice(TOLD_BY_A_PART);
  const isCut = [0, 1, 2, 3]
    .map((skipped) => Buffer.from(run.slice(skipped), 'base64').toString('latin1'))
    .some((decoded) => parts.some((part) => decoded.endsWith(part)));
  return isCut ? text.length - run.length : text.length;
}

function unitsOf(character: string): number[] {
  return Array.from({ length: character.length }, (_, i) => character.charCodeAt(i));
}

function anyCase(hex: string): string {
  return [...hex].map((digit) => (/[a-f]/.test(digit) ? `[${digit}${digit.toUpperCase()}]` : digit)).join('');
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}

/**
 * The characters of base64 that depend on the secret alone, for the three ways it can lie in the bytes that
 * were encoded: `user:password` in base64 holds one of them.
 */
function base64Cores(bytes: Buffer): string[] {
  return [0, 1, 2].map((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    const first = Math.ceil((offset * 8) / 6);
    const last = Math.floor(((offset + bytes.length) * 8) / 6);
    return base64Pattern(encoded.slice(first, last));
  });
}

function base64Pattern(encoded: string): string {
  return [...encoded].map((c) => (c === '+' ? '(?:[+-]|%2[Bb])' : c === '/' ? '(?:[/_]|%2[Ff]|\\\\/)' : c)).join('');
}

/**
 * The only place that maps secrets to markers and back. All other code uses markers such as `[secret:apiKey:alice]`.
 * Secrets become markers in everything that is read. What others write that looks like a marker is escaped.
 */
import { jsonOf, tokensOf } from '../common/json';
import { formsOf, LONGEST_IN_TWO, type Reading, readingsOf } from './encodings';
import { LOOKALIKE, MARKER, MARKER_BEGINS, WORD } from './markers';

/** What is looked for: a form of a secret, or what looks like the beginning of a marker. */
interface Sought {
  text: string;
  marker: string;
  isWhole: boolean;
}

/**
 * Finds many byte strings in one pass over a text (Aho and Corasick, 1975). The time grows with the length of the text
 * alone. A state is made when a text first leads to it: there are many forms, and most texts hold the beginnings of few.
 * A state is the longest beginning of a form that the bytes read last make up.
 */
class State {
  /** By the next byte: the state, or until it is made, the forms that go on with that byte. */
  private readonly next = new Map<number, State | Sought[]>();
  /** What is found where this state is reached: of several alike, what was looked for first. */
  readonly found: Sought | null = null;
  /** This state if a form ends in it, else the first one of its fallbacks in which one does. */
  readonly ending: State | null;

  /**
   * @param sought all forms that begin with these bytes
   * @param depth how many bytes these are
   * @param fallback the state of their longest ending that is shorter and begins a form; `null` for no bytes
   */
  constructor(
    sought: readonly Sought[],
    readonly depth = 0,
    readonly fallback: State | null = null,
  ) {
    for (const each of sought) {
      const byte = each.text.charCodeAt(depth);
      const others = this.next.get(byte);
      if (each.text.length === depth) this.found ??= each;
      else if (Array.isArray(others)) others.push(each);
      else this.next.set(byte, [each]);
    }
    this.ending = this.found === null ? (fallback?.ending ?? null) : this;
  }

  /** Returns the state after one more byte. */
  after(byte: number): State {
    let state: State = this;
    let next = state.next.get(byte);
    while (!next && state.fallback) {
      state = state.fallback;
      next = state.next.get(byte);
    }
    if (!Array.isArray(next)) return next ?? state;
    const made = new State(next, state.depth + 1, state.fallback?.after(byte) ?? state);
    state.next.set(byte, made);
    return made;
  }
}

/** What a character of JSON belongs to, if it is a value. */
const [STRING, NUMBER] = [1, 2];

/** Decides which matches of a search count, and puts markers in their place. */
class Spans {
  /** Stretches of the source, and what replaces them. */
  private readonly spans: Array<{ from: number; to: number; marker: string }> = [];
  /** By byte of the source, once asked for: what it belongs to. Empty if the source is no JSON. */
  private roles: Uint8Array | null = null;

  constructor(
    private readonly source: Buffer,
    private readonly isProtocol: boolean,
  ) {}

  /** Takes a match in a reading of the source. @returns whether it counts; then no shorter match that ends here does */
  take(reading: Reading, start: number, end: number, { marker, isWhole }: Sought): boolean {
    if (isWhole && !this.isWhole(reading, start, end)) return false;
    const [from, to] = [reading.placeOf(start), reading.placeOf(end)];
    const last = this.spans.at(-1);
    // Where letters repeat, secrets may end at each of them: all are one span.
    if (last && from > last.from && from < last.to) last.to = Math.max(last.to, to);
    else this.spans.push({ from, to, marker });
    return true;
  }

  /** Returns the source with markers in place of the spans. */
  replaced(): Buffer {
    if (this.spans.length === 0) return this.source;
    const parts: Buffer[] = [];
    let [end, last] = [0, ''];
    for (const span of this.spans) this.quote(span);
    // Of spans that begin at the same place the longest comes first, and those within it are left out.
    for (const { from, to, marker } of this.spans.sort((a, b) => a.from - b.from || b.to - a.to)) {
      if (to <= end) continue;
      if (from > end) parts.push(this.source.subarray(end, from));
      if (from >= end || marker !== last) parts.push(Buffer.from(marker, 'latin1'));
      [end, last] = [to, marker];
    }
    return Buffer.concat([...parts, this.source.subarray(end)]);
  }

  /** A number of JSON with a secret in it becomes a string. */
  private quote(span: { from: number; to: number; marker: string }): void {
    if (this.roleAt(span.from) !== NUMBER) return;
    while (this.roleAt(span.from - 1) === NUMBER) span.from -= 1;
    while (this.roleAt(span.to) === NUMBER) span.to += 1;
    span.marker = `"${span.marker}"`;
  }

  private roleAt(index: number): number {
    this.roles ??= rolesIn(this.source.toString('latin1'));
    return this.roles[index] ?? 0;
  }

  /** Whether a match is a whole value: a string of JSON, or in another text between quotes, signs or ends of lines. */
  private isWhole(reading: Reading, start: number, end: number): boolean {
    if (this.isProtocol) return false;
    const [before, first, behind] = [reading.placeOf(start) - 1, reading.placeOf(start), reading.placeOf(end)];
    const isString = this.roleAt(first) === STRING;
    if (this.roles?.length) return isString && [before, behind].every((at) => this.roleAt(at) !== STRING);
    const around = (at: number, until: number) => reading.bytes.toString('latin1', Math.max(0, at), until);
    return BEFORE_A_VALUE.test(around(start - BESIDE, start)) && BEHIND_A_VALUE.test(around(end, end + BESIDE));
  }
}

/** Up to a value: the beginning of the text, a quote, a tag, a colon and the like; and behind it. */
const BEFORE_A_VALUE = /(?:^|[=:"'<>(&;\r\n])[ \t]{0,20}$/;
const BEHIND_A_VALUE = /^[ \t]{0,20}(?:["'<>)&;\r\n]|$)/;
/** So many characters on each side of a value are looked at. */
const BESIDE = 40;

/** Much other software writes `{'a': 1}` and `[a]`: that is text. */
function rolesIn(text: string): Uint8Array {
  if (!/^[ \t\r\n]*[[{]/.test(text) || jsonOf(text) === undefined) return new Uint8Array();
  const roles = new Uint8Array(text.length);
  for (const { kind, from, to } of tokensOf(text))
    if (kind === 'string') roles.fill(STRING, from + 1, to - 1);
    else if (kind === 'number') roles.fill(NUMBER, from, to);
  return roles;
}

/** The most characters of the forms of all values that a server shows. */
const MOST_LEARNT = 2_000_000;
/** The most characters of the forms that are made for a byte of a secret, and for one of a longer secret. */
const FOR_A_BYTE = 600;
const FOR_A_BYTE_OF_LONGER = 80;

export class Vault {
  /** By marker, the values that it stands for. The first one is sent. */
  private readonly values = new Map<string, Set<string>>();
  /** By marker, what may be sent. */
  private readonly reserved = new Map<string, string>();
  /** The state before the first byte; `null` until all that is known is in it. */
  private start: State | null = null;
  private report: (marker: string, secret: string) => void = () => undefined;
  private learnt = 0;
  /** By marker, what a server showed of it. */
  private readonly shown = new Map<string, Set<string>>();

  /** @param sought what is looked for besides secrets; by default what looks like a marker */
  constructor(private readonly sought: Sought[] = [{ text: MARKER_BEGINS, marker: LOOKALIKE, isWhole: false }]) {}

  /** Reports every secret, and those that are registered later once they are. */
  reportTo(report: typeof this.report): void {
    for (const [marker, secrets] of this.values) for (const secret of secrets) report(marker, secret);
    this.report = report;
  }

  /**
   * Registers a secret under a marker and returns the marker. A marker may have several values; its first one is sent.
   * If a value has several markers, it is masked by the first one.
   */
  add(marker: string, raw: string): string {
    const values = this.values.get(marker) ?? new Set();
    if (raw === '' || values.has(raw)) return marker;
    this.values.set(marker, values.add(raw));
    for (const [text, word] of formsOf(raw)) {
      const named = word === '' ? marker : `${marker.slice(0, -1)}:${word}]`;
      this.sought.push({ text, marker: named, isWhole: word === WORD });
    }
    this.start = null;
    this.report(marker, raw);
    return marker;
  }

  /**
   * As `add`, for what a server shows: what is made of all of it is bounded. A further value gets a number behind the
   * marker's name, so that it is seen to be another one.
   * @returns whether it is looked for
   */
  learn(marker: string, raw: string): boolean {
    const shown = this.shown.get(marker) ?? new Set();
    if (shown.has(raw)) return true;
    const forAByte = raw.length > LONGEST_IN_TWO ? FOR_A_BYTE_OF_LONGER : FOR_A_BYTE;
    const characters = this.learnt + Buffer.byteLength(raw) * forAByte;
    if (characters > MOST_LEARNT) return false;
    this.learnt = characters;
    this.shown.set(marker, shown.add(raw));
    this.add(shown.size === 1 ? marker : marker.replace(/\]$/, `#${shown.size}]`), raw);
    return true;
  }

  /** Notes a value that may be sent, such as an altered key or a cookie. It is registered once it is sent, unless it is a cookie. */
  reserve(marker: string, raw: string): void {
    this.reserved.set(marker, raw);
  }

  /** Returns a text of ours with every marker replaced by its secret. Only for requests that are written. */
  reveal(text: string): string {
    return text.replace(MARKER, (marker, kind) => {
      const raw = this.reserved.get(marker) ?? '';
      // A cookie may be any words of the server's.
      if (kind !== 'cookie') this.add(marker, raw);
      const [first = raw || marker] = this.values.get(marker) ?? [];
      return first;
    });
  }

  /**
   * Returns bytes with every registered secret replaced by its marker, in all forms that SECURITY.md promises. JSON keeps
   * its structure: a number with a secret becomes a string.
   * @param isProtocol it consists of words and numbers of the protocol, where an ordinary word is no secret
   */
  mask(source: Buffer, isProtocol = false): Buffer {
    this.start ??= new State(this.sought);
    const spans = new Spans(source, isProtocol);
    for (const reading of readingsOf(source)) {
      let state = this.start;
      for (let i = 0; i < reading.bytes.length; i += 1) {
        state = state.after(reading.bytes[i] ?? 0);
        for (let at = state.ending; at?.found; at = at.fallback?.ending ?? null)
          if (spans.take(reading, i + 1 - at.depth, i + 1, at.found)) break;
      }
    }
    return spans.replaced();
  }

  /** `mask` for text, such as a header value. */
  maskText(text: string, isProtocol = false): string {
    return this.mask(Buffer.from(text), isProtocol).toString();
  }
}

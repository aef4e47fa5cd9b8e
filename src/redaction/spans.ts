/** Decides which matches of a search count, and puts markers in their place. */
import { jsonOf, tokensOf } from '../common/json-text';
import type { Form } from './encoders';
import type { Reading } from './escapes';
import { MARKER, WORD } from './markers';

/** What is looked for: a form of a secret, or what looks like the beginning of a marker. */
export interface Sought {
  form: Form;
  /** Replaces the secret as it is. */
  marker: string;
}

/** A stretch of the source and what replaces it. */
interface Span {
  from: number;
  to: number;
  marker: string;
}

/** How a text is masked. */
export interface Manner {
  /** The text consists of words and numbers of the protocol, where an ordinary word is no secret. */
  isProtocol?: boolean;
  /** It was masked before, so the markers in it are ours. */
  isMasked?: boolean;
  /** Its end is missing, so that it may be the beginning of JSON. */
  isCut?: boolean;
}

/** A shorter secret is no whole value where it stands as a number of JSON: that may be any number. */
const SHORTEST_NUMBER = 4;
/** What a character of JSON belongs to. */
const ROLES = { none: 0, string: 1, name: 2, number: 3, sign: 0 };

export class Spans {
  private readonly spans: Span[] = [];
  /** How many spans the earlier readings have found. */
  private settled = 0;
  /** What was taken in this reading, each overlapping the one before. */
  private readonly overlapping = new Set<readonly Sought[]>();
  /** By byte of the source: whether an earlier reading replaces it, or it stays what it is. */
  private readonly isDone: Uint8Array;
  /** By byte of the source, once asked for: what it belongs to. Empty if the source is no JSON. */
  private roles: Uint8Array | null = null;

  constructor(
    private readonly source: Buffer,
    private readonly manner: Manner,
  ) {
    this.isDone = new Uint8Array(source.length);
    if (manner.isMasked && source.includes('[secret:'))
      for (const { 0: marker, index } of source.toString('latin1').matchAll(MARKER))
        this.isDone.fill(1, index, index + marker.length);
  }

  /**
   * Takes a match in a reading of the source.
   * @param alike what equals the match but for the letter case
   * @returns whether it counts; then no shorter match that ends here does
   */
  take(reading: Reading, start: number, end: number, alike: readonly Sought[]): boolean {
    const [from, to] = [reading.placeOf(start), reading.placeOf(end)];
    if (this.isDone[from] && this.isDone[to - 1]) return true;
    const last = this.spans.at(-1);
    if (!last || from >= last.to) this.overlapping.clear();
    // Where letters repeat, secrets may end at each of them: all are one span, and are not compared again.
    else if (this.overlapping.has(alike) && to >= last.to) {
      last.to = to;
      return true;
    }
    const text = reading.bytes.toString('latin1', start, end);
    const exact = alike.find(({ form }) => form.text === text);
    const marker = (exact && this.markerOf(exact, reading, start, end)) ?? inOtherCase(alike, this.manner);
    if (!marker) return false;
    this.overlapping.add(alike);
    // A secret that is repeated many times in a row is one span.
    if (last?.marker === marker && this.spans.length > this.settled && from <= last.to && to > last.to) last.to = to;
    else this.spans.push({ from, to, marker });
    return true;
  }

  /** Ends a reading. What it has found is not looked for in the next ones, which are further from the source. */
  endReading(): void {
    for (const { from, to } of this.spans.slice(this.settled)) this.isDone.fill(1, from, to);
    this.settled = this.spans.length;
    this.overlapping.clear();
  }

  /** Returns the source with markers in place of the spans. @param cut where it ends */
  replaced(cut = this.source.length): Buffer {
    const parts: Buffer[] = [];
    let [end, last] = [0, ''];
    const spans = this.spans.filter(({ to }) => to <= cut).map((span) => this.quoted(span));
    // Of spans that begin at the same place the longest comes first, and those within it are left out.
    for (const { from, to, marker } of spans.sort((a, b) => a.from - b.from || b.to - a.to)) {
      if (to <= end) continue;
      if (from > end) parts.push(this.source.subarray(end, from));
      if (from >= end || marker !== last) parts.push(Buffer.from(marker, 'latin1'));
      [end, last] = [to, marker];
    }
    if (parts.length === 0 && end === 0 && cut === this.source.length) return this.source;
    return Buffer.concat([...parts, this.source.subarray(end, cut)]);
  }

  /** A number of JSON with a secret in it becomes a string. */
  private quoted(span: Span): Span {
    let { from, to } = span;
    if (this.roleAt(from) !== ROLES.number) return span;
    while (this.roleAt(from - 1) === ROLES.number) from -= 1;
    while (this.roleAt(to) === ROLES.number) to += 1;
    return { from, to, marker: `"${span.marker}"` };
  }

  private roleAt(index: number): number {
    this.roles ??= rolesIn(this.source.toString('latin1'), this.manner);
    return this.roles[index] ?? ROLES.none;
  }

  /** Returns the marker of a match that equals what is sought; `null` if it does not count where it stands. */
  private markerOf(sought: Sought, reading: Reading, start: number, end: number): string | null {
    const { isWhole, words } = sought.form;
    const marker = withWords(sought.marker, words);
    if (this.manner.isProtocol && (isWhole || words.includes(WORD))) return null;
    if (!isWhole) return marker;
    const [from, to] = [reading.placeOf(start), reading.placeOf(end)];
    const role = this.roleAt(from);
    if (this.roles?.length) {
      const isAlone = this.roleAt(from - 1) !== role && this.roleAt(to) !== role;
      const isValue = role === ROLES.string || (role === ROLES.number && end - start >= SHORTEST_NUMBER);
      return isAlone && isValue ? marker : null;
    }
    const around = (at: number, until: number) => reading.bytes.toString('latin1', Math.max(0, at), until);
    const isAlone =
      BEFORE_A_VALUE.test(around(start - BESIDE, start)) && BEHIND_A_VALUE.test(around(end, end + BESIDE));
    return isAlone ? marker : null;
  }
}

function withWords(marker: string, words: readonly string[]): string {
  return words.length === 0 ? marker : `${marker.slice(0, -1)}:${words.join(':')}]`;
}

function inOtherCase(alike: readonly Sought[], { isProtocol }: Manner): string | undefined {
  for (const { marker, form } of alike)
    if (form.wordsInOtherCase && !(isProtocol && form.words.includes(WORD)))
      return withWords(marker, form.wordsInOtherCase);
  return undefined;
}

/** Up to a value: the beginning of the text, a quote, a tag, a colon and the like; and behind it. */
const BEFORE_A_VALUE = /(?:^|[=:"'<>(&;\r\n])[ \t]{0,20}$/;
const BEHIND_A_VALUE = /^[ \t]{0,20}(?:["'<>)&;\r\n]|$)/;
/** So many characters on each side of a value are looked at. */
const BESIDE = 40;

/** Much other software writes `{'a': 1}` and `[a]`: that is text, unless it may be JSON that is cut. */
function rolesIn(text: string, { isCut }: Manner): Uint8Array {
  if (!/^[ \t\r\n]*[[{]/.test(text) || (!isCut && jsonOf(text) === undefined)) return new Uint8Array();
  const roles = new Uint8Array(text.length);
  for (const { kind, from, to } of tokensOf(text)) {
    const quotes = kind === 'number' ? 0 : 1;
    roles.fill(ROLES[kind], from + quotes, to - quotes);
  }
  return roles;
}

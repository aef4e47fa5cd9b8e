/** Decides which matches of a search count, and puts markers in their place. */

import { tokensOf } from '../../common/json-text';
import type { Reading } from '../../evidence/http/escapes';
import { MARKER } from '../../evidence/markers';

/** What is looked for: a form of a secret, or what looks like the beginning of a marker. */
export interface Sought {
  text: string;
  /** Replaces it. */
  marker: string;
  /** Where it counts: anywhere; as a whole value, because it may be an ordinary word; as a whole run of base64. */
  counts: 'anywhere' | 'as a value' | 'as a run';
  /** Replaces it in another letter case; `null` if it does not count there. */
  inOtherCase: string | null;
}

/** A stretch of the source and what replaces it. */
export interface Hit {
  from: number;
  to: number;
  marker: string;
}

/** How a text is masked. */
export interface Manner {
  /** The text consists of words and numbers of the protocol, where a short secret would stand by chance. */
  isProtocol?: boolean;
  /** It was masked before, so the markers in it are ours. */
  isMasked?: boolean;
}

/** A short secret of at least this length is also masked where it is a word of a text, but only as `part`. */
const WORD_FROM = 4;

export class Findings {
  private readonly hits: Hit[] = [];
  /** By byte of the source, once anything is found: whether an earlier reading replaces it, or it stays what it is. */
  private isDone: Uint8Array | null = null;
  /** How many hits the earlier readings had. */
  private before = 0;
  private readonly looksLikeJson: boolean;
  private roles: Uint8Array | null = null;

  constructor(
    private readonly source: Buffer,
    private readonly manner: Manner,
  ) {
    this.looksLikeJson = '{['.includes(String.fromCharCode(source.find((byte) => !BLANKS.includes(byte)) ?? 0));
    if (!manner.isMasked || !source.includes('[secret:')) return;
    for (const { 0: marker, index } of source.toString('latin1').matchAll(MARKER))
      this.finish(index, index + marker.length);
  }

  private finish(from: number, to: number): void {
    this.isDone ??= new Uint8Array(this.source.length);
    this.isDone.fill(1, from, to);
  }

  /**
   * Takes a match in a reading of the source.
   * @param alike what equals the match but for the letter case
   * @returns whether it counts; then no shorter match that ends here does
   */
  take(reading: Reading, start: number, end: number, alike: readonly Sought[]): boolean {
    const [from, to] = [reading.placeOf(start), reading.placeOf(end)];
    const isDone = this.isDone?.[from] === 1 && this.isDone[to - 1] === 1;
    if (isDone) return true;
    const text = reading.bytes.toString('latin1', start, end);
    const marker =
      alike.map((sought) => (sought.text === text ? this.markerOf(sought, reading, start, end) : null)).find(Boolean) ??
      alike.find(({ inOtherCase }) => inOtherCase !== null)?.inOtherCase;
    if (!marker) return false;
    const last = this.hits.at(-1);
    // A secret that is repeated many times in a row is one hit.
    if (last?.marker === marker && this.hits.length > this.before && from <= last.to && to > last.to) last.to = to;
    else this.hits.push({ from, to, marker });
    return true;
  }

  /** Ends a reading. What it has found is not looked for in the next ones, which are further from the source. */
  endReading(): void {
    for (const { from, to } of this.hits.slice(this.before)) this.finish(from, to);
    this.before = this.hits.length;
  }

  /** Returns the source with markers in place of the hits. @param cut where it ends */
  replaced(cut = this.source.length): Buffer {
    if (this.hits.length === 0) return this.source.subarray(0, cut);
    const hits = this.hits.filter(({ to }) => to <= cut).map((hit) => this.quoted(hit));
    const parts: Buffer[] = [];
    let [end, last] = [0, ''];
    // Of hits that begin at the same place the longest comes first, and those within it are left out.
    for (const { from, to, marker } of hits.sort((a, b) => a.from - b.from || b.to - a.to)) {
      if (to <= end) continue;
      if (from > end) parts.push(this.source.subarray(end, from));
      if (from >= end || marker !== last) parts.push(Buffer.from(marker, 'latin1'));
      [end, last] = [to, marker];
    }
    return Buffer.concat([...parts, this.source.subarray(end, cut)]);
  }

  /** A number of JSON with a secret in it becomes a string. */
  private quoted({ from, to, marker }: Hit): Hit {
    if (this.roleAt(from) !== ROLES.number) return { from, to, marker };
    let [begin, end] = [from, to];
    while (this.roleAt(begin - 1) === ROLES.number) begin -= 1;
    while (this.roleAt(end) === ROLES.number) end += 1;
    return { from: begin, to: end, marker: `"${marker}"` };
  }

  private roleAt(index: number): number {
    if (!this.looksLikeJson) return ROLES.none;
    this.roles ??= rolesIn(this.source.toString('latin1'));
    return this.roles[index] ?? ROLES.none;
  }

  /** Returns the marker of a match that equals what is sought; `null` if it does not count where it stands. */
  private markerOf({ marker, counts }: Sought, reading: Reading, start: number, end: number): string | null {
    if (counts === 'anywhere') return marker;
    if (this.manner.isProtocol) return null;
    const { bytes } = reading;
    const before = bytes.toString('latin1', Math.max(0, start - 1), start);
    const behind = bytes.toString('latin1', end, end + 1);
    if (counts === 'as a run') return BASE64.test(before) || BASE64.test(behind) ? null : marker;
    if (this.looksLikeJson) {
      const [from, to] = [reading.placeOf(start), reading.placeOf(end)];
      const role = this.roleAt(from);
      const isWhole = this.roleAt(from - 1) !== role && this.roleAt(to) !== role;
      const isValue = role === ROLES.string || (role === ROLES.number && end - start >= WORD_FROM);
      return isWhole && isValue ? marker : null;
    }
    if (endsValue(bytes, start - 1, -1) && endsValue(bytes, end, 1)) return marker;
    const isWord = !/\w/.test(before) && !/\w/.test(behind);
    return isWord && end - start >= WORD_FROM ? `${marker.slice(0, -1)}:part]` : null;
  }
}

const BASE64 = /[\w+/-]/;

/** Whether a value may end here: at an end of the text, a quote or a tag; on its left also at a colon and the like. */
function endsValue(text: Buffer, at: number, step: 1 | -1): boolean {
  let i = at;
  while (text[i] === 0x20 || text[i] === 0x09) i += step;
  return text[i] === undefined || (step < 0 ? BEFORE_A_VALUE : BEHIND_A_VALUE).includes(text[i] ?? 0);
}

const BLANKS = Buffer.from(' \t\r\n');
const BEHIND_A_VALUE = Buffer.from('"\'<>)&;\r\n');
const BEFORE_A_VALUE = Buffer.from('=:"\'<>(&;\r\n');

/** What a character of JSON belongs to. */
const ROLES = { none: 0, string: 1, name: 2, number: 3 };

function rolesIn(text: string): Uint8Array {
  const roles = new Uint8Array(text.length);
  for (const { kind, from, to } of tokensOf(text))
    if (kind === 'number') roles.fill(ROLES.number, from, to);
    else if (kind !== 'sign') roles.fill(ROLES[kind], from + 1, to - 1);
  return roles;
}

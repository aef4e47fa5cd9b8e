/** Markup that is escaped by construction: whatever is put into the template is text unless it is markup itself. */

import { MARKER } from '../../markers';

export class Markup {
  constructor(readonly source: string) {}
}

type Part = Markup | string | number | null | undefined | false | Part[];

export function markup(strings: TemplateStringsArray, ...parts: Part[]): Markup {
  return new Markup(strings.reduce((source, string, i) => source + print(parts[i - 1]) + string));
}

function print(part: Part): string {
  if (part === null || part === undefined || part === false) return '';
  if (part instanceof Markup) return part.source;
  return Array.isArray(part) ? part.map(print).join('') : escaped(String(part));
}

const ENTITY: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** For HTML and XML, text and attributes alike. What neither can hold, or what would deceive a reader, becomes visible. */
export function escaped(text: string): string {
  return visible(text).replace(/[&<>"']/g, (character) => ENTITY[character] ?? '');
}

/** Control characters as their pictures, marks that turn the direction of writing as code points. */
export function visible(text: string): string {
  return (
    text
      .replace(/\r\n?/g, '\n')
      .replace(/[\u202a-\u202e\u2066-\u2069\u200e\u200f]/g, (mark) => `\\u${mark.charCodeAt(0).toString(16)}`)
      .replace(/\p{Cs}|[\ufffe\uffff]/gu, '\ufffd')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
      .replace(/[\x00-\x08\x0b-\x1f]/g, (control) => String.fromCharCode(0x2400 + control.charCodeAt(0)))
      .replace(/[\x7f-\x9f]/g, '\u2421')
  );
}

/** Text as it stands, but each secret's marker as a pill. */
export function withPills(text: string): Markup {
  const parts: Markup[] = [];
  let from = 0;
  for (const match of text.matchAll(MARKER)) {
    const [marker, kind, name, form] = match;
    parts.push(markup`${text.slice(from, match.index)}`);
    parts.push(
      markup`<span class="pill" title="A secret stood here: ${marker}">${kind} <b>${name}</b>${form ? ` ${form}` : ''}</span>`,
    );
    from = match.index + marker.length;
  }
  return markup`${parts}${text.slice(from)}`;
}

/** A sentence with `code` between backticks. */
export function prose(text: string): Markup {
  const parts = text.split(/`([^`\n]+)`/);
  return markup`${parts.map((part, i) => (i % 2 === 1 ? markup`<code>${withPills(part)}</code>` : withPills(part)))}`;
}

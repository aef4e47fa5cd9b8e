/** Markup that is escaped by construction: whatever is put into the template is text unless it is markup itself. */

import { MARKER } from '../../evidence/markers';
import { visible } from '../../visible';

/** What needs no escaping any more: whoever makes one by hand answers for it. */
export class Markup {
  constructor(readonly source: string) {}
}

type Part = Markup | string | number | null | undefined | false | Part[];

/** Markup from a template; of its parts, `null`, `undefined` and `false` leave nothing and a list all of its items. */
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
function escaped(text: string): string {
  return visible(text).replace(/[&<>"']/g, (character) => ENTITY[character] ?? '');
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

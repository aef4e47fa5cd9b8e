/** Markup that is always escaped: whatever is put into a template is text, unless it is markup itself. */
import { visible } from '../common/text';
import { MARKER } from '../redaction/markers';

/** Text that needs no escaping. The caller of the constructor answers for that. */
export class Markup {
  constructor(readonly source: string) {}
}

type Part = Markup | string | number | null | undefined | false | Part[];

/**
 * Returns markup from a template. A line break in the template, with the indentation after it, leaves nothing; `\n` is
 * a line break.
 * @param parts text, which is escaped, and markup; all items of a list; `null`, `undefined` and `false` leave nothing
 */
export function markup({ raw }: TemplateStringsArray, ...parts: Part[]): Markup {
  const literals = raw.map((literal) => literal.replace(/\n\s*/g, '').replaceAll('\\n', '\n'));
  return new Markup(literals.reduce((source, literal, i) => source + print(parts[i - 1]) + literal));
}

function print(part: Part): string {
  if (part === null || part === undefined || part === false) return '';
  if (part instanceof Markup) return part.source;
  return Array.isArray(part) ? part.map(print).join('') : escaped(String(part));
}

const ENTITY: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Escapes text for HTML and XML, also in attributes. Characters that are forbidden or deceive become visible. */
function escaped(text: string): string {
  return visible(text).replace(/[&<>"']/g, (character) => ENTITY[character] ?? '');
}

/** Returns a text in which the marker of each secret is a pill. */
export function withPills(text: string): Markup {
  const pill = (marker: string, kind: string, name: string, form?: string) =>
    `<span class="pill" title="A secret stood here: ${marker}">${kind} <b>${name}</b>${form ? ` ${form}` : ''}</span>`;
  // Escaping changes no bracket and no colon, so it leaves every marker a marker.
  return new Markup(escaped(text).replace(MARKER, pill));
}

/** Returns a sentence in which text between backticks is code. */
export function prose(text: string): Markup {
  const parts = text.split(/`([^`\n]+)`/);
  return markup`${parts.map((part, i) => (i % 2 === 1 ? markup`<code>${withPills(part)}</code>` : withPills(part)))}`;
}

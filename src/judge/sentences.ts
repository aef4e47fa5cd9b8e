/** The sentences about what broke a clause. They are made here, from members, and never read again. */
import { groupedBy } from '../common/grouped';
import type { Flaw, Subject } from '../contract/result';
import { disclosesSettings, statusOf } from '../evidence/responder/classify';
import type { Breach } from './finding';

const MOST_GROUPS = 3;

/** Of these, what came is reported without a name. */
const NAMELESS: ReadonlySet<Subject['kind']> = new Set(['answer', 'server']);

/** What came, as a sentence without a full stop: `200 with the settings without a key`. */
export function sentenceOf({ subject: { kind, name }, got }: Flaw): string {
  if (kind === 'request') return `${got} ${name}`;
  return NAMELESS.has(kind) ? got : `${name}: ${got}`;
}

/** The reason of a broken clause: `500 without a key (and 3 more like it).` @param breaches the worst first */
export function reasonOf(breaches: readonly Breach[]): string {
  const groups = [...groupedBy(breaches, likenessOf).values()].slice(0, MOST_GROUPS);
  const others = breaches.length - groups.flat().length;
  const texts = groups.flatMap(([first, ...more]) =>
    first ? `${sentenceOf(first)}${more.length > 0 ? ` (and ${more.length} more like it)` : ''}` : [],
  );
  const text = `${[...texts, ...(others > 0 ? [`and ${others} more`] : [])].join('; ')}.`;
  // A name keeps its case at the beginning of a sentence.
  const [first] = breaches;
  return first && NAMELESS.has(first.subject.kind) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
}

/** Breaches that one sentence can stand for: about one header or member, or answered alike. */
function likenessOf({ subject: { kind, name }, exchanges }: Breach): string {
  const telling = exchanges.at(-1);
  if (kind === 'header' || kind === 'member') return `${kind} ${name}`;
  return `${kind} ${telling && statusOf(telling)} ${telling && disclosesSettings(telling)}`;
}

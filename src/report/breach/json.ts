/** JSON for people: one member on each line, as it came. Members that break a clause are marked. */

/** Lines that are nested deeper are not indented further. */
const DEEPEST = 40;
/** No member that lies deeper or has a longer name is marked. This bounds the time for a hostile document. */
const DEEPEST_NAMED = 8;
const LONGEST_NAME = 80;

/** A line ends after an opening bracket, after a comma, and before a closing bracket. */
const LINE = /[\]}]?(?:"(?:[^"\\]|\\.)*"?|[^"[\]{},])*[[{,]?/g;
const NAME = /^\s*"((?:[^"\\]|\\.)*)"\s*:/;

/**
 * Returns a JSON text line by line and indented, duplicates twice, and which of its members break a clause.
 * @param named paths of these, also from below `webhook`, in lower case
 */
export function jsonLines(text: string, named: ReadonlySet<string> = new Set()) {
  const lines: Array<{ text: string; isNamed: boolean }> = [];
  const names: string[] = [];
  for (const [part] of text.matchAll(LINE)) {
    const closes = /^[}\]]/.test(part);
    if (closes) names.pop();
    const line = part.replace(/("(?:[^"\\]|\\.)*"?)|\s+|:/g, (sign, quoted) => quoted ?? (sign === ':' ? ': ' : ''));
    if (line === '') continue;
    const name = NAME.exec(part)?.[1]?.slice(0, LONGEST_NAME) ?? '';
    const path = names.length > DEEPEST_NAMED ? '' : [...names, name].filter(Boolean).join('.').toLowerCase();
    const isMember = !closes && path !== '' && path !== 'webhook';
    const isNamed = isMember && (named.has(path) || named.has(path.replace(/^webhook\./, '')));
    lines.push({ text: '  '.repeat(Math.min(names.length, DEEPEST)) + line, isNamed });
    if (/[[{]$/.test(part)) names.push(name);
  }
  return lines;
}

/** JSON as people read it: a member on each line, as it came, and those marked that a sentence is about. */

const INDENT = '  ';
/** Deeper than this nothing is indented any more. */
const DEEPEST = 40;
/** A sentence names no member that lies deeper, and none with a longer name: what a stranger sends takes no more time. */
const DEEPEST_NAMED = 8;
const LONGEST_NAME = 80;

/** A line ends after a bracket that opens, after a comma, and before a bracket that closes. */
const LINE = /[\]}]?(?:"(?:[^"\\]|\\.)*"?|[^"[\]{},])*[[{,]?/g;
const NAME = /^\s*"((?:[^"\\]|\\.)*)"\s*:/;

/** A line of JSON. */
export interface JsonLine {
  /** Indented. */
  text: string;
  /** Whether the sentence names the member. */
  isNamed: boolean;
}

/** The words in a sentence that may be the path of a member or the name of a header, in lower case. */
export function namedIn(sentence: string): ReadonlySet<string> {
  return new Set((sentence.match(/[\w.-]+/g) ?? []).map((word) => word.replace(/[.]+$/, '').toLowerCase()));
}

/**
 * A JSON text, line by line. It is taken apart by its signs alone, so that a member that stands twice is shown twice.
 * @param named paths from the top or below `webhook`, such as `auth.basic.password`, in lower case
 */
export function jsonLines(text: string, named: ReadonlySet<string>): JsonLine[] {
  const lines: JsonLine[] = [];
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
    lines.push({ text: INDENT.repeat(Math.min(names.length, DEEPEST)) + line, isNamed });
    if (/[[{]$/.test(part)) names.push(name);
  }
  return lines;
}

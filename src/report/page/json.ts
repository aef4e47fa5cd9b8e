/** JSON as people read it: a member on each line, as it came, and those marked that a clause is about. */
import { type Markup, markup, withPills } from '../markup';

const INDENT = '  ';
/** Deeper than this nothing is indented any more. */
const DEEPEST = 40;

interface Line {
  depth: number;
  text: string;
  /** Names of the members above it and its own, joined by dots. */
  path: string;
}

/**
 * A JSON text, line by line. It is taken apart by its signs alone, so that a member that stands twice is shown twice.
 * @param marked paths below `webhook`, such as `auth.basic.password`
 */
export function renderJson(text: string, marked: ReadonlySet<string>): Markup {
  const lines = linesOf(text).map(({ depth, text: line, path }) => {
    const shown = markup`${INDENT.repeat(Math.min(depth, DEEPEST))}${withPills(line)}`;
    const isMarked = marked.has(path.replace(/^webhook\./, ''));
    return isMarked ? markup`<mark>${shown}</mark>\n` : markup`${shown}\n`;
  });
  return markup`${lines}`;
}

function linesOf(text: string): Line[] {
  const lines: Line[] = [];
  const names: string[] = [];
  let name = '';
  let line = '';
  const end = () => {
    if (line !== '') lines.push({ depth: names.length, text: line, path: [...names, name].filter(Boolean).join('.') });
    line = '';
  };
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"?|[[\]{}:,]|[^\s"[\]{}:,]+/g)) {
    if (token === '{' || token === '[') {
      line += token;
      end();
      names.push(name);
      name = '';
    } else if (token === '}' || token === ']') {
      end();
      name = names.pop() ?? '';
      line = token;
    } else if (token === ',') {
      line += token;
      end();
      name = '';
    } else if (token === ':') {
      name = line.replace(/^"|"$/g, '');
      line += ': ';
    } else line += token;
  }
  end();
  return lines;
}

/** The members of the settings that a sentence names, as paths below `webhook`. */
export function membersNamed(sentence: string): string[] {
  const found = sentence.matchAll(/\b(?:auth|start|submission|updates)(?:\.[A-Za-z]+)*(?![\w-])/g);
  return [...found].map(([path]) => path).filter((path) => path.includes('.'));
}

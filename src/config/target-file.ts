/** Reads the target file, which is YAML with `${VAR}`, and reports every problem with its line. */
import { randomInt } from 'node:crypto';
import { basename, dirname } from 'node:path';
import {
  type Document,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  visit,
  type YAMLError,
} from 'yaml';
import { MOST_BYTES, textIn } from '../common/plain-file';
import { UsageError } from '../common/usage-error';
import { isObject, type Json, stringsIn } from '../evidence/http/json';
import type { Waiver } from '../evidence/model';
import {
  type Declaration,
  HOLDS_SECRET,
  holdsSecret,
  type Problem,
  placeOf,
  problemsIn,
  shownName,
  targetOf,
} from './declaration';
import type { Variables } from './environment';
import type { Target } from './target';

/** Private characters that no file can foresee, so that none holds what stands for a variable. */
const [BEGINS, ENDS, ENDED] = Array.from({ length: 3 }, () => String.fromCharCode(randomInt(0xe000, 0xf900)));
/** Stands for `${VAR}` while YAML is parsed, where braces have a meaning. It is as long, so that offsets stay right. */
const REFERENCE = new RegExp(`${BEGINS}(\\w+)${ENDS}${ENDED}`, 'g');
const NOTHING_BUT_REFERENCE = new RegExp(`^${REFERENCE.source}$`);
const MOST_PROBLEMS = 10;

interface LocatedProblem {
  /** Characters from the beginning of the file. */
  offset: number;
  text: string;
}

/**
 * Loads a target file.
 * @param variables where `${VAR}` is looked up; `BASE_URL` there beats the file's `baseURL`
 * @throws UsageError with file, line, member and what would be right, for each problem. Its message shows no value of
 * the file but an account's name.
 */
export function loadTarget(file: string, variables: Variables): Target {
  const text = textIn(file, MOST_BYTES.declaration, { named: 'TARGET: ' }).replace(
    /\$\{([A-Za-z_]\w*)\}/g,
    `${BEGINS}$1${ENDS}${ENDED}`,
  );
  const { document, plain, refuse } = documentOf(file, text, 'The target file');
  if (document.contents === null || (isScalar(document.contents) && document.contents.value === null))
    refuse([
      { offset: 0, text: 'the file is empty: it has to declare baseURL and accounts, and `init` writes such a file' },
    ]);
  const asWritten = document.clone();
  const { misread, unset } = replaceReferences(document, variables);
  // What YAML took for something else would be told again as members that are missing or unknown.
  if (misread.length > 0) refuse([...misread, ...unset]);
  const declared = plain(document);
  const { BASE_URL: base } = variables;
  if (base && isMap(document.contents)) (declared as Declaration).baseURL = base.trim();
  const problems = problemsIn(declared);
  const ofBase = problems.find(({ path }) => path[0] === 'baseURL');
  if (base && ofBase) throw new UsageError(`BASE_URL: ${ofBase.text}`);
  const open = unsetIn(declared);
  const known = problems.filter(({ path }) => !open.has(path.join('/')));
  refuse([...unset, ...known.map((problem) => located(problem, document))]);
  const name = basename(file).replace(/\.ya?ml$/i, '');
  if (holdsSecret(name, declared as Declaration))
    throw new UsageError(`The name of the target file ${HOLDS_SECRET}: rename it.`);
  const target = targetOf(declared as Declaration, name);
  const { notifications } = target;
  return {
    ...target,
    file: basename(file),
    variables: variablesIn(plain(asWritten) as Declaration, target),
    notifications: notifications && {
      ...notifications,
      directory: dirname(file),
      environment: ofTrigger(notifications.trigger, variables),
    },
  };
}

/**
 * Loads a file of waivers for a run without a target file. It is YAML with the one member `waivers` of a target file.
 * @param apiKey the key of the run, which no reason may hold
 * @throws UsageError with file, line, member and what would be right, for each problem
 */
export function loadWaivers(file: string, apiKey = 'any'): Waiver[] {
  // With waivers added, it is a declaration that can be checked.
  const target = { baseURL: 'https://any.invalid/v2', accounts: [{ name: 'any', apiKey }] };
  const text = textIn(file, MOST_BYTES.declaration, { named: 'WAIVERS: ' });
  const { document, plain, refuse } = documentOf(file, text, 'The file of WAIVERS');
  const declared = plain(document);
  const { waivers, ...others } = isObject(declared) ? (declared as Record<string, unknown>) : {};
  const [other] = Object.keys(others);
  if (waivers === undefined || other !== undefined) {
    const what = 'its one member is `waivers`, a list of { clause, reason, until }, as in a target file';
    refuse([{ offset: offsetOf(document, other === undefined ? [] : [other]), text: what }]);
  }
  refuse(problemsIn({ ...target, waivers }).map((problem) => located(problem, document)));
  return targetOf({ ...target, waivers: waivers as Waiver[] }, '').waivers;
}

/** Returns the variables that secrets come from, by `kind:name` of the marker. The declaration still has `${VAR}`. */
function variablesIn({ accounts, headers = {} }: Declaration, target: Target): Record<string, string> {
  const secrets = [
    ...Object.entries(headers).map(([name, value]) => [`header:${name}`, value] as const),
    // Names come from the target: in the file, a name may be a `${VAR}` as well.
    ...target.accounts.flatMap(({ name }, i) => [
      [`apiKey:${name}`, accounts[i]?.apiKey] as const,
      [`password:${name}`, accounts[i]?.password] as const,
    ]),
  ];
  return Object.fromEntries(
    secrets.flatMap(([secret, value = '']) => {
      const [, name] = NOTHING_BUT_REFERENCE.exec(value) ?? [];
      return name === undefined ? [] : [[secret, name]];
    }),
  );
}

const BAD_ALIAS = 'a value that begins with * must be quoted';

/** Says a YAML error in our own words: the parser's message may quote a line that holds a key. */
function yamlProblem({ code, message }: YAMLError): string {
  if (code === 'MISSING_CHAR' && /followed by map values|without - indicator/.test(message))
    return 'a colon with a space after it is missing, or the indentation is off';
  if (code === 'BAD_INDENT' && /^Flow/.test(message)) return 'a closing bracket or brace is missing here or above';
  const words: Record<string, string> = {
    TAB_AS_INDENT: 'a tab where YAML wants spaces',
    BAD_INDENT: 'the indentation is off',
    MISSING_CHAR: 'a closing quote, bracket or brace is missing here or above',
    MULTIPLE_DOCS: 'a second document begins here: a target file is one document',
    BAD_ALIAS,
    BAD_DQ_ESCAPE: 'a backslash in double quotes must be doubled; single quotes take it as it is',
    BAD_SCALAR_START: 'a value that begins with this character must be quoted',
    MULTILINE_IMPLICIT_KEY: 'a colon or a line break is missing',
    BLOCK_AS_IMPLICIT_KEY: 'a value with ": " in it must be quoted, or the indentation is off',
  };
  return words[code] ?? `not valid YAML (${code})`;
}

/**
 * Parses a YAML text. The parser's warnings are switched off, because they quote the line.
 * @returns `document`; `plain`, which returns the values of a document; `refuse`, which throws if there are problems
 * @throws UsageError if the text is no YAML or is nested too deeply
 */
function documentOf(file: string, text: string, what: string) {
  const lineCounter = new LineCounter();
  const refuse = (problems: readonly LocatedProblem[]) => {
    if (problems.length > 0) throw unusable(file, problems, lineCounter, what);
  };
  let document: Document.Parsed;
  try {
    // The parser compares each member with all others of its object, so it is not asked.
    document = parseDocument(text, { lineCounter, prettyErrors: false, logLevel: 'error', uniqueKeys: false });
  } catch {
    throw new UsageError(`${file}: it is nested too deeply to be read.`);
  }
  refuse(document.errors.map((error) => ({ offset: error.pos[0], text: yamlProblem(error) })));
  refuse(misfitsIn(document));
  const plain = (parsed: Document): unknown => {
    try {
      return parsed.toJS({ maxAliasCount: MOST_ALIASES });
    } catch {
      throw new UsageError(`${file}: its aliases refer to too much: write the values out.`);
    }
  };
  return { document, plain, refuse };
}

/** What an alias names is looked for in the whole document. */
const MOST_ALIASES = 100;

/** Finds members that one object has twice or takes from elsewhere, aliases within what they name, and too many of them. */
function misfitsIn(document: Document): LocatedProblem[] {
  const problems: LocatedProblem[] = [];
  const tell = (node: Node, text: string) => problems.push({ offset: node.range?.[0] ?? 0, text });
  let aliases = 0;
  visit(document, {
    Alias(_, node, path) {
      aliases += 1;
      if (aliases > MOST_ALIASES) {
        tell(node, `at most ${MOST_ALIASES} aliases are read: write the values out`);
        return visit.BREAK;
      }
      const named = node.resolve(document);
      if (named && path.includes(named)) tell(node, 'this alias stands within what it names: write it out');
      return undefined;
    },
    Map(_, { items }) {
      const names = new Set<string>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        const name = String(key.value);
        // A merge key would put members where no path shows them, a command with its variables replaced among them.
        if (typeof key.value === 'symbol') tell(key, 'members that are merged in (<<) are not read: write them out');
        if (names.has(name)) tell(key, 'this member is given twice');
        names.add(name);
      }
    },
  });
  return problems;
}

function unusable(file: string, problems: readonly LocatedProblem[], lines: LineCounter, what: string): UsageError {
  const inOrder = problems
    .toSorted((a, b) => a.offset - b.offset)
    .map(({ offset, text }) => `\n  ${file}:${lines.linePos(offset).line}: ${text}`);
  const told = [...new Set(inOrder)];
  const more = told.length > MOST_PROBLEMS ? `\n  … and ${told.length - MOST_PROBLEMS} more` : '';
  return new UsageError(`${what} cannot be used:${told.slice(0, MOST_PROBLEMS).join('')}${more}`);
}

function located({ path, text }: Problem, document: Document): LocatedProblem {
  return { offset: offsetOf(document, path), text: `${placeOf(path)}: ${text}` };
}

/** Returns the names of the members on a path, joined by dots. */
function namesOn(path: ReadonlyArray<unknown>): string {
  return path.flatMap((pair) => (isPair(pair) && isScalar(pair.key) ? [String(pair.key.value)] : [])).join('.');
}

function ofTrigger(trigger: unknown, variables: Variables): Record<string, string> {
  const named = Object.entries(variables).flatMap(([name, value]) =>
    value && String(trigger).includes(`\${${name}}`) ? [[name, value] as const] : [],
  );
  return Object.fromEntries(named);
}

/** Variables that the suite sets when it runs the trigger. */
const OF_THE_TRIGGER = ['KIND', 'ACCOUNT'];

/** Stands for the value of a variable that is not set. */
const UNSET = `${BEGINS}${ENDS}${ENDED}`;

/** Returns the paths of values that an unset variable leaves open, each joined by slashes. */
function unsetIn(declared: unknown): Set<string> {
  const found = [...stringsIn(declared as Json)].filter(({ text }) => text.includes(UNSET));
  return new Set(found.map(({ path }) => path.replaceAll('.', '/')));
}

/** Replaces each `${VAR}` in the document's strings. Returns what YAML misread, and which variables are not set. */
function replaceReferences(document: Document, variables: Variables) {
  const [misread, unset]: [LocatedProblem[], LocatedProblem[]] = [[], []];
  const problemAt = (node: Node, text: string) => ({ offset: node.range?.[0] ?? 0, text });
  const tell = (node: Node, text: string) => misread.push(problemAt(node, text));
  visit(document, {
    // YAML reads a value that begins with a star as an alias.
    Alias(_, node, path) {
      if (!node.resolve(document)) tell(node, BAD_ALIAS);
      // Where its anchor stands, variables would have been replaced, and the shell would run what they hold.
      else if (/^notifications(?:\.trigger)?$/.test(namesOn(path)))
        tell(node, 'the command is run as it is written: write it out here, without an alias');
    },
    // YAML reads `{ apiKey:secret }` as one member named `apiKey:secret`, without a value.
    Pair(_, { key, value }) {
      const name = isScalar(key) && value === null && /^([A-Za-z][A-Za-z_-]{0,23}):/.exec(String(key.value))?.[1];
      if (name) tell(key, `${shownName(name)}: is a space missing after the colon?`);
      if (isNode(key) && !isScalar(key))
        tell(key, 'a list or an object stands where a name belongs: put a value that begins with { or [ in quotes');
    },
    Scalar(_, node, path) {
      if (typeof node.value !== 'string') return;
      // The trigger's variables are left to the shell, so that no value can become a command.
      const staysAsWritten = namesOn(path) === 'notifications.trigger';
      node.value = node.value.replace(REFERENCE, (_all, name: string) => {
        const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
        if (staysAsWritten && (value !== undefined || OF_THE_TRIGGER.includes(name))) return `\${${name}}`;
        if (value === undefined)
          unset.push(problemAt(node, `\${${name}} is not set: set ${name} in the environment or in .env`));
        return value ?? UNSET;
      });
    },
  });
  return { misread, unset };
}

/** Returns the offset of a member's name, since its value may be on a later line. A missing member has its parent's. */
function offsetOf({ contents }: Document, path: readonly string[]): number {
  let node: unknown = contents;
  let offset = contents?.range?.[0] ?? 0;
  for (const step of path) {
    const pair = isMap(node) ? node.items.find(({ key }) => isScalar(key) && String(key.value) === step) : undefined;
    node = pair ? pair.value : isSeq(node) ? node.items[Number(step)] : null;
    const beginning = pair ? pair.key : node;
    if (!isNode(beginning)) break;
    offset = beginning.range?.[0] ?? offset;
  }
  return offset;
}

/** Reads the target file, which is YAML with `${VAR}`, and reports every problem with its line. */
import { randomInt } from 'node:crypto';
import { basename, dirname, isAbsolute, relative, resolve } from 'node:path';
import { createSecureContext } from 'node:tls';
import { type Document, isCollection, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument, visit } from 'yaml';
import type { Declaration } from '#schemas/target.d.ts';
import { UsageError } from '../common/errors';
import { MOST_BYTES, textIn } from '../common/files';
import { isObject } from '../evidence/http/json';
import type { Waiver } from '../evidence/model';
import {
  type ClientCertificate,
  type Problem,
  placeOf,
  problemsIn,
  type Target,
  targetOf,
  type Variables,
} from './target';

/** Random private characters, which no file can foresee. */
const [BEGINS, ENDS, ENDED] = Array.from({ length: 3 }, () => String.fromCharCode(randomInt(0xe000, 0xf900)));
/** Matches what stands for `${VAR}` while YAML is parsed, where braces have a meaning. It is as long, which keeps offsets. */
const REFERENCE = new RegExp(`${BEGINS}(\\w+)${ENDS}${ENDED}`, 'g');
const NOTHING_BUT_REFERENCE = new RegExp(`^${REFERENCE.source}$`);
const MOST_PROBLEMS = 10;

/**
 * Loads a target file.
 * @param variables where `${VAR}` is looked up; `BASE_URL` there beats the file's `baseURL`
 * @throws UsageError with file, line, member and what would be right, for each problem. Of the file's values, its message
 * shows only names of accounts.
 */
export function loadTarget(file: string, variables: Variables): Target {
  const text = textIn(file, MOST_BYTES.declaration, 'TARGET: ').replace(
    /\$\{([A-Za-z_]\w*)\}/g,
    `${BEGINS}$1${ENDS}${ENDED}`,
  );
  const { asWritten, refuse } = documentOf(file, text, 'The target file');
  const { declared, unset, ofTrigger } = withValues(asWritten, variables);
  const { BASE_URL: base } = variables;
  if (base && isObject(declared)) Object.assign(declared, { baseURL: base.trim() });
  const problems = problemsIn(declared);
  const ofBase = problems.find(({ path }) => path[0] === 'baseURL');
  if (base && ofBase) throw new UsageError(`BASE_URL: ${ofBase.text}`);
  const open = new Set(unset.map(({ path }) => path.join('/')));
  refuse([...unset, ...problems.filter(({ path }) => !open.has(path.join('/')))]);
  const name = basename(file).replace(/\.ya?ml$/i, '');
  const target = targetOf(declared as Declaration, name);
  const { notifications, clientCertificate } = target;
  return {
    ...target,
    file: shownAs(file, variables.TARGET),
    ...(clientCertificate && { identity: identityIn(clientCertificate, dirname(file)) }),
    variables: variablesIn(asWritten as Declaration, target),
    notifications: notifications && { ...notifications, directory: dirname(file), environment: ofTrigger },
  };
}

/** Returns a path as reports show it: as given or from the working directory on. Other places are the machine's own business. */
function shownAs(file: string, given = file): string {
  if (!given.startsWith('~') && !isAbsolute(given)) return given;
  const path = relative(process.cwd(), file);
  return path.startsWith('..') || isAbsolute(path) ? `/path/to/${basename(file)}` : path;
}

function identityIn({ cert, key, passphrase }: ClientCertificate, directory: string): ClientCertificate {
  const contentOf = (path: string, member: string) =>
    textIn(resolve(directory, path), MOST_BYTES.declaration, `TARGET: clientCertificate.${member}: `);
  const identity = {
    cert: contentOf(cert, 'cert'),
    key: contentOf(key, 'key'),
    ...(passphrase !== undefined && { passphrase }),
  };
  try {
    createSecureContext(identity);
  } catch {
    throw new UsageError(
      'TARGET: clientCertificate: cert must be a certificate and key its private key, both as PEM, and passphrase what the key is encrypted with.',
    );
  }
  return identity;
}

/**
 * Loads a file of waivers for a run without a target file. It is YAML with the member `waivers` of a target file.
 * @throws UsageError as `loadTarget`
 */
export function loadWaivers(file: string): Waiver[] {
  // With waivers added, this is a declaration that can be checked.
  const target = { baseURL: 'https://any.invalid/v2', accounts: [{ name: 'any', apiKey: 'a-key-of-any-kind' }] };
  const written = textIn(file, MOST_BYTES.declaration, 'WAIVERS: ');
  const { asWritten, refuse } = documentOf(file, written, 'The file of WAIVERS');
  const waivers: unknown = isObject(asWritten) ? (asWritten.waivers ?? null) : null;
  refuse(problemsIn({ ...target, waivers }));
  return targetOf({ ...target, waivers: waivers as Waiver[] }, '').waivers;
}

/** Returns the variables that hold secrets, by `kind:name` of the marker. The declaration still has `${VAR}`. */
function variablesIn({ accounts, headers = {} }: Declaration, target: Target): Record<string, string> {
  const secrets = [
    ...Object.entries(headers).map(([name, value]) => [`header:${name}`, value] as const),
    // A name in the file may be a `${VAR}`, so names come from the target.
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

/**
 * Parses a text as YAML, without the parser's warnings, which quote lines.
 * @returns `asWritten`, its values, and `refuse`, which throws if there are problems
 * @throws UsageError if the text is no YAML, is nested too deeply, or has aliases or a member twice
 */
function documentOf(file: string, text: string, what: string) {
  const lineCounter = new LineCounter();
  /** @param problems with their places, in characters from the beginning of the file */
  const refuseAt = (...problems: ReadonlyArray<{ offset: number; text: string }>) => {
    if (problems.length === 0) return;
    const inOrder = problems
      .toSorted((a, b) => a.offset - b.offset)
      .map(({ offset, text }) => `\n  ${file}:${lineCounter.linePos(offset).line}: ${text}`);
    const shown = [...new Set(inOrder)];
    const more = shown.length > MOST_PROBLEMS ? `\n  … and ${shown.length - MOST_PROBLEMS} more` : '';
    throw new UsageError(`${what} cannot be used:${shown.slice(0, MOST_PROBLEMS).join('')}${more}`);
  };
  // With a schema, `%YAML 1.1` changes nothing.
  const document = parseDocument(text, { schema: 'core', prettyErrors: false, logLevel: 'error', lineCounter });
  // The parser's message may quote a key.
  const yamlProblems = document.errors.map(({ code, pos: [offset] }) => {
    const kind = code.toLowerCase().replaceAll('_', ' ');
    return { offset, text: `not valid YAML at column ${lineCounter.linePos(offset).col}: ${kind}` };
  });
  refuseAt(...yamlProblems);
  visit(document, {
    Alias: (_, { range }) => refuseAt({ offset: range?.[0] ?? 0, text: ALIAS }),
    // To write lists and members out as the name of another takes a time that grows with the square of their depth.
    Pair: (_, { key }) => (isCollection(key) ? refuseAt({ offset: key.range?.[0] ?? 0, text: COMPLEX }) : undefined),
  });
  const placed = ({ path, text }: Problem) => ({ offset: offsetIn(document, path), text: `${placeOf(path)}: ${text}` });
  return {
    asWritten: document.toJS() ?? {},
    refuse: (problems: readonly Problem[]) => refuseAt(...problems.map(placed)),
  };
}

const ALIAS = 'aliases are not read: write the value out, and put a value that begins with * in quotes';
const COMPLEX = 'the name of a member is a text: put one that begins with ?, [ or { in quotes';

/** Variables that the suite sets for the trigger. */
const OF_THE_TRIGGER = ['KIND', 'ACCOUNT'];

/**
 * Replaces each `${VAR}` by its value. The shell expands those of the trigger, so that no value can become a command.
 * @returns `declared`; `unset`, the problems of variables that are not set; `ofTrigger`, the values for the shell
 */
function withValues(asWritten: unknown, variables: Variables) {
  const unset: Problem[] = [];
  const ofTrigger: Record<string, string> = {};
  const inText = (text: string, path: readonly string[]) =>
    text.replace(REFERENCE, (_, name: string) => {
      const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
      if (path.join('.') === 'notifications.trigger') {
        if (value !== undefined) ofTrigger[name] = value;
        if (value !== undefined || OF_THE_TRIGGER.includes(name)) return `\${${name}}`;
      }
      if (value === undefined)
        unset.push({ path, text: `\${${name}} is not set: set ${name} in the environment or in .env` });
      return value ?? '';
    });
  const inValue = (value: unknown, path: readonly string[]): unknown => {
    if (typeof value === 'string') return inText(value, path);
    if (typeof value !== 'object' || value === null) return value;
    const members = Object.entries(value).map(([name, member]) => [name, inValue(member, [...path, name])] as const);
    return Array.isArray(value) ? members.map(([, member]) => member) : Object.fromEntries(members);
  };
  return { declared: inValue(asWritten, []), unset, ofTrigger };
}

/** Returns the offset of a member's name, or of its parent's if it is missing: its value may be on a later line. */
function offsetIn({ contents }: Document, path: readonly string[]): number {
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

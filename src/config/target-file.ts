/** The target file: YAML with `${VAR}`, held against its schema, every problem told with its line. */
import { basename } from 'node:path';
import Ajv, { type ErrorObject } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { type Document, isNode, isPair, isScalar, LineCounter, parseDocument, visit, type YAMLError } from 'yaml';
import schema from '../../schemas/target.schema.json';
import { clauseTexts } from '../clauses';
import { DEFAULT_LIMITS, type Target } from '../target';
import { UsageError } from '../usage-error';
import type { Variables } from './environment';
import { textOf } from './readable';

const validate = addFormats(new Ajv({ allErrors: true, strict: false, verbose: true })).compile(schema);

/** Around a variable's name where it stood in the text: as long as `${}`, and nothing YAML takes for its own. */
const REFERENCE = /\uE000([A-Za-z_][A-Za-z0-9_]*)\uE001\uE002/g;
const MOST_PROBLEMS = 10;

interface Problem {
  /** Counted from 1. */
  line: number;
  text: string;
}

/**
 * Loads a target file.
 * @param variables where `${VAR}` is looked up; `BASE_URL` there beats the file's `baseURL`.
 * @throws UsageError with file, line, member and what would be right, for everything that is wrong with it; no value
 * of the file is ever part of the message.
 */
export function loadTarget(file: string, variables: Variables): Target {
  const lines = new LineCounter();
  const text = textOf('TARGET', file).replace(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, '\uE000$1\uE001\uE002');
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const lineAt = (offset: number) => lines.linePos(offset).line;
  // The parser's messages may quote the line, and so a key: its codes say enough.
  fail(
    file,
    document.errors.map((error) => ({ line: lineAt(error.pos[0]), text: yamlProblem(error) })),
  );
  fail(file, unknownAliases(document, lineAt));
  fail(file, replaceReferences(document, variables, lineAt));
  const raw = plain(file, document);
  if (isRecord(raw) && variables.BASE_URL) raw.baseURL = variables.BASE_URL.trim();
  const locate = (path: ReadonlyArray<string | number>) => lineAt(offsetOf(document, path));
  if (!validate(raw)) fail(file, schemaProblems(validate.errors ?? [], raw, locate));
  const checked = raw as unknown as TargetFile;
  fail(file, otherProblems(checked, locate));
  return targetOf(checked, basename(file).replace(/\.ya?ml$/i, ''));
}

/** A target file that fits its schema. */
type TargetFile = Partial<Omit<Target, 'limits' | 'headers'>> &
  Pick<Target, 'baseURL' | 'accounts'> & {
    limits?: Partial<Target['limits']> & { burst?: number };
    headers?: Record<string, string>;
    notifications?: Omit<NonNullable<Target['notifications']>, 'waitSeconds'> & { waitSeconds?: number };
  };

function targetOf(file: TargetFile, name: string): Target {
  const baseURL = file.baseURL.replace(/\/+$/, '');
  return {
    name: file.name ?? name,
    baseURL,
    embedded: false,
    accounts: file.accounts,
    rate: file.rate ?? { requests: 1, seconds: 1 },
    headers: Object.entries(file.headers ?? {}),
    limits: {
      timeoutSeconds: file.limits?.timeoutSeconds ?? DEFAULT_LIMITS.timeoutSeconds,
      bodyBytes: file.limits?.bodyBytes ?? DEFAULT_LIMITS.bodyBytes,
      burst: file.limits?.burst ?? null,
    },
    notifications: file.notifications
      ? { ...file.notifications, waitSeconds: file.notifications.waitSeconds ?? 3 }
      : null,
    waivers: file.waivers ?? [],
  };
}

const BAD_ALIAS = 'a value that begins with * must be quoted';

/** YAML takes a value that begins with a star for a reference to another. */
function unknownAliases(document: Document, lineAt: (offset: number) => number): Problem[] {
  const problems: Problem[] = [];
  visit(document, {
    Alias(_, node) {
      if (!node.resolve(document)) problems.push({ line: lineAt(node.range?.[0] ?? 0), text: BAD_ALIAS });
    },
  });
  return problems;
}

function yamlProblem({ code, message }: YAMLError): string {
  if (code === 'MISSING_CHAR' && /followed by map values|without - indicator/.test(message))
    return 'a colon with a space after it is missing, or the indentation is off';
  if (code === 'BAD_INDENT' && /^Flow/.test(message)) return 'a closing bracket or brace is missing here or above';
  const words: Record<string, string> = {
    DUPLICATE_KEY: 'this member stands here twice',
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

/** Replaces each `${VAR}` in the document's strings; a whole value keeps its type as text. */
function replaceReferences(document: Document, variables: Variables, lineAt: (offset: number) => number): Problem[] {
  const problems: Problem[] = [];
  visit(document, {
    Scalar(_, node) {
      if (typeof node.value !== 'string' || !node.value.includes('\uE000')) return;
      node.value = node.value.replace(REFERENCE, (_all, name: string) => {
        const value = variables[name];
        if (value === undefined) {
          problems.push({
            line: lineAt(node.range?.[0] ?? 0),
            text: `\${${name}} is not set: set ${name} in the environment or in .env`,
          });
        }
        return value ?? '';
      });
    },
  });
  return problems;
}

function plain(file: string, document: Document): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch {
    throw new UsageError(`${file}: its aliases refer to too much: write the values out.`);
  }
}

function offsetOf(document: Document, path: ReadonlyArray<string | number>): number {
  for (let depth = path.length; depth >= 0; depth -= 1) {
    const part = path.slice(0, depth);
    const parent = part.length === 0 ? document.contents : document.getIn(part.slice(0, -1), true);
    // The line of a member is that of its name, not of a value that begins below it.
    if (part.length > 0 && isNode(parent) && 'items' in parent) {
      const pair = parent.items.find((item) => isPair(item) && isScalar(item.key) && item.key.value === part.at(-1));
      if (isPair(pair) && isScalar(pair.key) && pair.key.range) return pair.key.range[0];
    }
    const node = part.length === 0 ? document.contents : document.getIn(part, true);
    if (isNode(node) && node.range) return node.range[0];
  }
  return 0;
}

function schemaProblems(
  errors: ErrorObject[],
  raw: unknown,
  locate: (path: ReadonlyArray<string | number>) => number,
): Problem[] {
  return errors.flatMap((error) => {
    const path = error.instancePath
      .split('/')
      .slice(1)
      .map((part) => part.replace(/~1/g, '/').replace(/~0/g, '~'))
      .map((part) => (/^\d+$/.test(part) ? Number(part) : part));
    if (error.keyword === 'if' || error.keyword === 'propertyNames') return [];
    if (error.keyword === 'additionalProperties') {
      const unknown = String(error.params.additionalProperty);
      const known = Object.keys((error.parentSchema as { properties?: object })?.properties ?? {});
      const meant = nearest(unknown, known);
      const hint = meant ? `did you mean ${meant}?` : `it can have: ${known.join(', ')}`;
      const isWord = meant !== null || WORD.test(shownName(unknown));
      const text = isWord
        ? `${dotted([...path, unknown])}: unknown member; ${unspaced(unknown) ?? hint}`
        : `${path.length > 0 ? dotted(path) : 'the file'}: has an unknown member; ${hint}`;
      return [{ line: locate([...path, unknown]), text }];
    }
    if (error.propertyName !== undefined) {
      const title = (error.parentSchema as { description?: string })?.description;
      return [
        {
          line: locate([...path, error.propertyName]),
          text: `${dotted([...path, error.propertyName])}: not allowed here: ${unspaced(error.propertyName) ?? title}`,
        },
      ];
    }
    const where = path.length > 0 ? dotted(path) : 'the file';
    const missing = error.keyword === 'required' ? String(error.params.missingProperty) : null;
    if (missing !== null) {
      const present = isRecord(valueAt(raw, path)) ? Object.keys(valueAt(raw, path) as object) : [];
      // A misspelt member is told once, as the unknown one.
      if (nearest(missing, present.map(shownName))) return [];
      return [{ line: locate(path), text: `${where}: ${missing} is missing` }];
    }
    // That its name is wrong was told already.
    if (unspaced(String(path.at(-1)))) return [];
    const isUnquoted = error.params.type === 'string' && /^(?:number|boolean)$/.test(typeof error.data);
    const quoted = isUnquoted ? ': put it in quotes' : '';
    const { description = '', examples = [] } = (error.parentSchema ?? {}) as {
      description?: string;
      examples?: unknown[];
    };
    const example = examples.length > 0 ? ` (for example ${JSON.stringify(examples[0])})` : '';
    return [
      {
        line: locate(path),
        text: `${where}: ${error.message}${quoted}${description ? `. ${description}` : ''}${example}`,
      },
    ];
  });
}

function otherProblems(file: TargetFile, locate: (path: ReadonlyArray<string | number>) => number): Problem[] {
  const problems: Problem[] = [];
  const tell = (path: ReadonlyArray<string | number>, text: string) =>
    problems.push({ line: locate(path), text: `${dotted(path)}: ${text}` });
  for (const [i, account] of file.accounts.entries()) {
    const before = file.accounts.slice(0, i);
    if (before.some((one) => one.name.toLowerCase() === account.name.toLowerCase()))
      tell(['accounts', i, 'name'], `another account is called "${account.name}" already`);
    const same = before.find((one) => one.apiKey === account.apiKey);
    if (same) tell(['accounts', i, 'apiKey'], `the same key as that of ${same.name}: a key belongs to one account`);
    if (account.hasPassword === false && account.password !== undefined)
      tell(['accounts', i, 'password'], 'declared though hasPassword is false');
  }
  const names = file.accounts.map((account) => account.name);
  for (const [i, name] of (file.notifications?.accounts ?? []).entries()) {
    if (!names.includes(name))
      tell(['notifications', 'accounts', i], `no account is called "${name}"; there are: ${names.join(', ')}`);
  }
  const ids = clauseTexts.map((clause) => clause.id);
  for (const [i, waiver] of (file.waivers ?? []).entries()) {
    if (ids.includes(waiver.clause)) continue;
    const meant = nearest(waiver.clause, ids);
    tell(
      ['waivers', i, 'clause'],
      `there is no clause "${waiver.clause}"${meant ? `; did you mean ${meant}?` : ': the README lists them'}`,
    );
  }
  return problems;
}

function fail(file: string, problems: Problem[]): void {
  if (problems.length === 0) return;
  const told = [...new Map(problems.map((problem) => [`${problem.line}:${problem.text}`, problem])).values()].sort(
    (a, b) => a.line - b.line,
  );
  const more = told.length > MOST_PROBLEMS ? `\n  … and ${told.length - MOST_PROBLEMS} more` : '';
  const list = told.slice(0, MOST_PROBLEMS).map(({ line, text }) => `\n  ${file}:${line}: ${text}`);
  throw new UsageError(`The target file cannot be used:${list.join('')}${more}`);
}

function dotted(path: ReadonlyArray<string | number>): string {
  const names = path.map((part) => (typeof part === 'number' ? part : shownName(part)));
  return names.map((part, i) => (typeof part === 'number' ? `[${part}]` : i === 0 ? part : `.${part}`)).join('');
}

/** What is surely no key or password that stands where a member's name belongs. */
const WORD = /^[A-Za-z][A-Za-z_-]{0,23}$/;

/** The name of a member as far as it is one: in `{ apiKey:secret }`, where a space is missing, the value is a part of it. */
function shownName(name: string): string {
  return /^[^:="'\s]*/.exec(name)?.[0] || '…';
}

function unspaced(name: string): string | null {
  return shownName(name) === name ? null : 'is a space missing after the colon?';
}

function valueAt(value: unknown, path: ReadonlyArray<string | number>): unknown {
  return path.reduce<unknown>(
    (inner, part) =>
      typeof inner === 'object' && inner !== null ? (inner as Record<string | number, unknown>)[part] : undefined,
    value,
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The known word that a mistyped one most likely meant, if any is near. */
export function nearest(word: string, known: readonly string[]): string | null {
  const ranked = known
    .map((candidate) => ({ candidate, distance: distance(word.toLowerCase(), candidate.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance);
  const best = ranked[0];
  return best && best.distance <= Math.max(1, Math.floor(best.candidate.length / 4)) ? best.candidate : null;
}

/** Levenshtein's distance. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

/** Checks a declared target against the schema of target files, and fills in the schema's defaults. */
import querystring from 'node:querystring';
import type { ErrorObject } from 'ajv/dist/2020';
import { distance } from 'fastest-levenshtein';
import schema from '../../schemas/target.schema.json';
import { groupedBy } from '../common/grouped';
import { errorsAgainst } from '../common/json-schema';
import { clauseTexts } from '../contract/clauses';
import { nearestClauses } from '../contract/nearest';
import { MEMBER_NAMES } from '../contract/settings';
import type { Notifications, Target } from './target';

/** Writes the defaults into the value that it checks. */
const errorsIn = errorsAgainst(schema, { allErrors: true, verbose: true, useDefaults: true });

/** The content of a target file that fits its schema. */
export type Declaration = Pick<Completed, 'baseURL' | 'accounts'> &
  Partial<Omit<Completed, 'limits'>> & { limits?: Partial<Completed['limits']> };

/** The same with all defaults. */
interface Completed
  extends Pick<Target, 'baseURL' | 'accounts' | 'rate' | 'waivers' | 'vendor' | 'product' | 'version'> {
  name?: string;
  headers: Record<string, string>;
  limits: { timeoutSeconds: number; bodyBytes: number; burst?: number };
  notifications?: Notifications;
}

/** What is wrong with one member. */
export interface Problem {
  /** Names of members and positions in lists. */
  path: readonly string[];
  /** What is wrong with it and what would be right, without any value. */
  text: string;
}

/** What is wrong with a declaration, one problem for each place; none if it can be used. */
export function problemsIn(declared: unknown): Problem[] {
  const errors = errorsIn(declared);
  const problems =
    errors.length === 0
      ? problemsAmong(declared as unknown as Completed)
      : errors.map(problemOf).filter((problem) => problem !== null);
  return [...groupedBy(problems, ({ path }) => path.join('/')).values()].flatMap(([first]) => first ?? []);
}

/**
 * The target that is declared, with its defaults.
 * @param declaration one in which `problemsIn` found nothing
 * @param name what to call it where no name is declared
 */
export function targetOf(declaration: Declaration, name: string): Target {
  const completed = structuredClone(declaration) as Completed;
  errorsIn(completed);
  return {
    ...completed,
    name: completed.name ?? name,
    baseURL: completed.baseURL.replace(/\/+$/, ''),
    embedded: false,
    headers: Object.entries(completed.headers),
    limits: { ...completed.limits, burst: completed.limits.burst ?? null },
    notifications: completed.notifications ?? null,
  };
}

/** Every name that a target file may hold. */
const NAMES = [...new Set([...namesIn(schema), ...MEMBER_NAMES])];
/** So many typing errors make no other name of one. */
const TYPING_ERRORS = 2;
const LONGEST_NAME = 24;

function namesIn(part: unknown): string[] {
  if (typeof part !== 'object' || part === null) return [];
  const own = Object.keys((part as Subschema).properties ?? {});
  return [...own, ...Object.values(part).flatMap(namesIn)];
}

/** A word, or a header's name in words: no key looks so. */
const ORDINARY = /^(?:[a-z]{1,8}|[A-Z][a-z]{0,9}(?:-[A-Z][a-z]{0,9}){1,4})$/;

/** The name of a member, or `…`: what is neither ordinary nor nearly a known one could be a secret in the wrong place. */
export function shownName(name: string): string {
  if (ORDINARY.test(name)) return name;
  const isNear = (known: string) => distance(known.toLowerCase(), name.toLowerCase()) <= TYPING_ERRORS;
  return /^[A-Za-z_-]+$/.test(name) && name.length <= LONGEST_NAME && NAMES.some(isNear) ? name : '…';
}

/** A path as people write it, such as `accounts[0].apiKey`. Steps that could be secrets are left out. */
export function placeOf(path: readonly string[]): string {
  if (path.length === 0) return 'the file';
  const steps = path.map((step) => (/^\d{1,4}$/.test(step) ? `[${step}]` : `.${shownName(step)}`));
  return steps.join('').replace(/^\./, '');
}

/** The keywords of a schema that messages quote. */
interface Subschema {
  description?: string;
  examples?: unknown[];
  properties?: object;
}

function problemOf({ keyword, message, params, propertyName, ...error }: ErrorObject): Problem | null {
  const path = error.instancePath
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  const { description, examples, properties } = error.parentSchema as Subschema;
  // Another error says what is wrong with the name.
  if (keyword === 'propertyNames') return null;
  if (keyword === 'required') return { path: [...path, params.missingProperty], text: 'missing' };
  if (keyword === 'additionalProperties') {
    const known = Object.keys(properties ?? {}).join(', ');
    return { path: [...path, params.additionalProperty], text: `unknown member; it can have: ${known}` };
  }
  if (propertyName !== undefined) return { path: [...path, propertyName], text: `not allowed here. ${description}` };
  const isUnquoted = params.type === 'string' && /^(?:number|boolean)$/.test(typeof error.data);
  const wrong = isUnquoted
    ? `${message}: put it in quotes`
    : /^(?:pattern|format)$/.test(keyword)
      ? 'wrong form'
      : message;
  // An example such as ${VAR} does not show the form.
  const example = examples?.find((value) => typeof value !== 'string' || !value.startsWith('${'));
  const shown = example === undefined ? '' : ` For example: ${JSON.stringify(example)}`;
  return { path, text: `${wrong}. ${description}${shown}` };
}

/** A shorter secret may stand in a name by chance. */
const SHORTEST_TELLING = 8;

/** Problems that no schema finds: members that do not fit together, and unknown clause ids. */
function problemsAmong({ name, baseURL, accounts, headers, notifications, waivers }: Completed): Problem[] {
  const problems: Problem[] = [];
  const tell = (text: string, ...path: Array<string | number>) => problems.push({ path: path.map(String), text });
  if (!URL.canParse(baseURL)) tell('not an absolute URL: no host can have this name', 'baseURL');
  for (const [i, account] of accounts.entries()) {
    const before = accounts.slice(0, i);
    if (before.some(({ name }) => name.toLowerCase() === account.name.toLowerCase()))
      tell('another account already has this name', 'accounts', i, 'name');
    const same = before.find(({ apiKey }) => apiKey === account.apiKey);
    if (same) tell(`the same key as that of ${same.name}: a key belongs to one account`, 'accounts', i, 'apiKey');
    if (account.hasPassword === false && account.password !== undefined)
      tell('declared though hasPassword is false', 'accounts', i, 'password');
  }
  // Reports show these as they are.
  const secrets = [
    ...accounts.flatMap(({ apiKey, password }) => [apiKey, password ?? '']),
    ...Object.values(headers ?? {}),
  ];
  const holdsSecret = (text: string) =>
    secrets.some(
      (secret) =>
        secret.length >= SHORTEST_TELLING && (text.includes(secret) || querystring.unescape(text).includes(secret)),
    );
  const names = accounts.map((account) => account.name);
  const accountNames = names.map((text, i) => [text, 'accounts', i, 'name'] as const);
  for (const [text = '', ...path] of [[baseURL, 'baseURL'], [name, 'name'], ...accountNames] as const)
    if (holdsSecret(text)) tell('holds a key or another secret, and every report shows it', ...path);
  for (const [i, name] of (notifications?.accounts ?? []).entries())
    if (!names.includes(name))
      tell(`no account has this name; there are: ${names.join(', ')}`, 'notifications', 'accounts', i);
  for (const [i, { clause }] of waivers.entries()) {
    if (clauseTexts.some(({ id }) => id === clause)) continue;
    const near = nearestClauses(clause);
    const meant = near.length > 0 ? `; did you mean ${near.join(' or ')}?` : '';
    tell(`no clause has this id${meant}`, 'waivers', i, 'clause');
  }
  return problems;
}

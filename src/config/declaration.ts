/** Checks a declared target against the schema of target files and fills in the schema's defaults. */
import type { ErrorObject } from 'ajv/dist/2020';
import type { Declaration } from '#schemas/target.d.ts';
import schema from '#schemas/target.schema.json';
import { groupedBy } from '../common/grouped';
import { errorsAgainst } from '../common/json';
import { clauseTexts } from '../contract/clauses';
import { nearestClauses } from '../contract/nearest';
import { MEMBER_NAMES } from '../contract/settings';
import { isObject } from '../evidence/http/json';
import { urlOf } from '../evidence/http/url';
import { MANUAL, type Target } from './target';

export type { Declaration };

/** Also writes the schema's defaults into the value that it checks. */
const errorsIn = errorsAgainst(schema, { allErrors: true, verbose: true, useDefaults: true });

/** How long a notification may take after its trigger, where the target file does not say. */
const WAIT_SECONDS = 3;
/** A service may take its time between what a person did and the notification. */
const WAIT_AFTER_A_PERSON_SECONDS = 10;

/** The content of a target file, with the defaults of its schema. */
type Completed = Declaration &
  Required<Pick<Declaration, 'rate' | 'headers' | 'waivers'>> & {
    limits: { timeoutSeconds: number; bodyBytes: number; runSeconds: number };
  };

export interface Problem {
  /** Member names, and positions in lists. */
  path: readonly string[];
  /** What is wrong and what would be right. Never quotes a value, which may be a secret. */
  text: string;
}

/** Returns the problems of a declaration, at most one for each place; none if it can be used. */
export function problemsIn(declared: unknown): Problem[] {
  const misfits = errorsIn(declared)
    .map(problemOf)
    .filter((problem) => problem !== null);
  const broken = new Set(misfits.map(({ path }) => path[0]));
  // Members that do not fit the schema are left out of what is looked at together.
  const rest = isObject(declared) ? Object.entries(declared).filter(([name]) => !broken.has(name)) : [];
  const problems = [...misfits, ...problemsAmong(Object.fromEntries(rest))];
  return [...groupedBy(problems, ({ path }) => path.join('/')).values()].flatMap(([first]) => first ?? []);
}

/** Returns the target with its defaults. @param declaration one without problems @param name if none is declared */
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
    notifications: completed.notifications
      ? {
          waitSeconds: completed.notifications.trigger === MANUAL ? WAIT_AFTER_A_PERSON_SECONDS : WAIT_SECONDS,
          ...completed.notifications,
        }
      : null,
  };
}

const NAMES = new Set([...namesIn(schema), ...MEMBER_NAMES]);

function namesIn(part: unknown): string[] {
  if (typeof part !== 'object' || part === null) return [];
  const own = Object.keys((part as Subschema).properties ?? {});
  return [...own, ...Object.values(part).flatMap(namesIn)];
}

/** Returns a name that the schema knows, else `…`: anything else in its place may be a secret. */
export function shownName(name: string): string {
  return NAMES.has(name) ? name : '…';
}

/** Returns a path as people write it, such as `accounts[0].apiKey`. Names that the schema does not know are shown as `…`. */
export function placeOf(path: readonly string[]): string {
  if (path.length === 0) return 'the file';
  const steps = path.map((step) => (/^\d{1,4}$/.test(step) ? `[${step}]` : `.${shownName(step)}`));
  return steps.join('').replace(/^\./, '');
}

/** The schema keywords that messages quote. */
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
  // The validator reports a second error that says what is wrong with the name.
  if (keyword === 'propertyNames') return null;
  if (keyword === 'required') return { path: [...path, params.missingProperty], text: 'missing' };
  if (keyword === 'additionalProperties') {
    const known = Object.keys(properties ?? {}).join(', ');
    return { path: [...path, params.additionalProperty], text: `unknown member; it can have: ${known}` };
  }
  if (propertyName !== undefined) return { path: [...path, propertyName], text: `not allowed here. ${description}` };
  const isUnquoted = params.type === 'string' && /^(?:number|boolean)$/.test(typeof error.data);
  const isForm = /^(?:pattern|format)$/.test(keyword);
  const wrapped = isForm && typeof error.data === 'string' ? aroundIt(error.data) : null;
  if (wrapped !== null) return { path, text: wrapped };
  const wrong = isUnquoted ? `${message}: put it in quotes` : isForm ? 'wrong form' : message;
  // An example such as ${VAR} does not show the form.
  const example = examples?.find((value) => typeof value !== 'string' || !value.startsWith('${'));
  const shown = example === undefined ? '' : ` For example: ${JSON.stringify(example)}`;
  return { path, text: `${wrong}. ${description}${shown}` };
}

/** Returns what stands around a value and does not belong to it; `null` for nothing. */
function aroundIt(value: string): string | null {
  const bare = value.trim();
  if (bare !== value) return 'white space stands at its beginning or end: remove it';
  return bare.length > 1 && /^["'`“”‘’„«»]/.test(bare) && /["'`“”‘’«»]$/.test(bare)
    ? 'it stands in quotes that are a part of its value (a shell and `.env` remove one pair, `docker --env-file` none): remove them'
    : null;
}

/** A secret shorter than this may be part of a name by chance. */
const SHORTEST_SECRET = 8;

/** Finds what no schema can: members that do not fit together, secrets in names. @param declared fits the schema */
function problemsAmong(declared: Partial<Completed>): Problem[] {
  const { baseURL, accounts = [], headers = {}, notifications, waivers = [] } = declared;
  const problems: Problem[] = [];
  const report = (text: string, ...path: Array<string | number>) => problems.push({ path: path.map(String), text });
  if (baseURL !== undefined && !urlOf(baseURL)) report('not an absolute URL: no host can have this name', 'baseURL');
  const secrets = [...accounts.flatMap(({ apiKey, password = '' }) => [apiKey, password]), ...Object.values(headers)];
  const holdsSecret = (name: string) =>
    secrets.some((secret) => secret.length >= SHORTEST_SECRET && name.includes(secret));
  const held = 'holds a key or another secret, and every marker shows it';
  for (const name of Object.keys(headers)) if (holdsSecret(name)) report(held, 'headers');
  for (const [i, { name, apiKey, password, hasPassword }] of accounts.entries()) {
    const wrapped = aroundIt(apiKey);
    if (wrapped !== null) report(wrapped, 'accounts', i, 'apiKey');
    if (hasPassword === false && password !== undefined)
      report('declared though hasPassword is false', 'accounts', i, 'password');
    if (holdsSecret(name)) report(held, 'accounts', i, 'name');
    const before = accounts.slice(0, i);
    const called = before.findIndex((other) => other.name.toLowerCase() === name.toLowerCase());
    if (called >= 0) report(`accounts[${called}] has the same: give each a name of its own`, 'accounts', i, 'name');
    const keyed = before.findIndex((other) => other.apiKey === apiKey);
    if (keyed >= 0) report(`accounts[${keyed}] has the same: a key belongs to one account`, 'accounts', i, 'apiKey');
  }
  const names = accounts.map((account) => account.name);
  for (const [i, name] of (notifications?.accounts ?? []).entries())
    if (names.length > 0 && !names.includes(name))
      report(`no account has this name; there are: ${names.join(', ')}`, 'notifications', 'accounts', i);
  for (const [i, { clause }] of waivers.entries()) {
    if (clauseTexts.some(({ id }) => id === clause)) continue;
    const near = nearestClauses(clause);
    const meant = near.length > 0 ? `; did you mean ${near.join(' or ')}?` : '';
    report(`no clause has this id${meant}`, 'waivers', i, 'clause');
  }
  return problems;
}

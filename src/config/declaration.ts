/** Checks a declared target against the schema of target files and fills in the schema's defaults. */
import querystring from 'node:querystring';
import type { ErrorObject } from 'ajv/dist/2020';
import type { Declaration } from '#schemas/target.d.ts';
import schema from '#schemas/target.schema.json';
import { groupedBy } from '../common/grouped';
import { errorsAgainst } from '../common/json-schema';
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
  const twice = isObject(declared) ? accountsTwice(declared.accounts) : [];
  const problems = [...misfits, ...twice, ...problemsAmong(Object.fromEntries(rest))];
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

/** A variable as shells and workflows write it: a target file replaces `${NAME}` alone. */
const VARIABLE = /^\$(?:\{(?!\w+\}$).*\}|[A-Z][A-Z0-9_]*)$/s;
const UNREPLACED =
  'a variable stands here instead of its value: a target file replaces a dollar sign with a name in braces, and nothing else';

/** A secret shorter than this may be part of a name by chance. */
const SHORTEST_SECRET = 8;

/** Returns what is wrong with a text, which every report shows, that holds a secret, percent-encoded or not; else `null`. */
export function secretIn(text: string, { accounts, headers = {} }: Pick<Declaration, 'accounts' | 'headers'>) {
  const secrets = [...accounts.flatMap(({ apiKey, password }) => [apiKey, password ?? '']), ...Object.values(headers)];
  const texts = [text, querystring.unescape(text)];
  const isHeld = (secret: string) => secret.length >= SHORTEST_SECRET && texts.some((each) => each.includes(secret));
  return secrets.some(isHeld) ? 'holds a key or another secret, and every report shows it' : null;
}

/** Finds accounts with the name or the key of an earlier one, whatever else is wrong with them. */
function accountsTwice(accounts: unknown): Problem[] {
  if (!Array.isArray(accounts)) return [];
  const twice = (member: string, why: string, formOf = (text: string) => text) => {
    const texts = accounts.map((one) =>
      isObject(one) && typeof one[member] === 'string' ? formOf(one[member]) : null,
    );
    return texts.flatMap((text, i) => {
      const first = texts.indexOf(text);
      const wrong = `accounts[${first}] has the same: ${why}`;
      return text !== null && first < i ? [{ path: ['accounts', `${i}`, member], text: wrong }] : [];
    });
  };
  return [
    ...twice('name', 'give each a name of its own', (name) => name.toLowerCase()),
    ...twice('apiKey', 'a key belongs to one account'),
  ];
}

/** Finds what no schema can: members that do not fit together, secrets in names. @param declared fits the schema */
function problemsAmong(declared: Partial<Completed>): Problem[] {
  const { name, vendor, product, version, baseURL, accounts = [], headers, notifications, waivers = [] } = declared;
  const { clientCertificate } = declared;
  const problems: Problem[] = [];
  const report = (text: string, ...path: Array<string | number>) => problems.push({ path: path.map(String), text });
  if (baseURL !== undefined && !urlOf(baseURL)) report('not an absolute URL: no host can have this name', 'baseURL');
  for (const [i, account] of accounts.entries()) {
    const wrapped = aroundIt(account.apiKey);
    if (wrapped !== null) report(wrapped, 'accounts', i, 'apiKey');
    for (const member of ['apiKey', 'password'] as const)
      if (VARIABLE.test(account[member] ?? '')) report(UNREPLACED, 'accounts', i, member);
    if (account.hasPassword === false && account.password !== undefined)
      report('declared though hasPassword is false', 'accounts', i, 'password');
  }
  for (const [header, value] of Object.entries(headers ?? {}))
    if (VARIABLE.test(value)) report(UNREPLACED, 'headers', header);
  const names = accounts.map((account) => account.name);
  const shown = [
    ...Object.entries({ baseURL, name, vendor, product, version }).map(([member, text]) => [text, member] as const),
    ...names.map((text, i) => [text, 'accounts', i, 'name'] as const),
    ...waivers.map(({ reason }, i) => [reason, 'waivers', i, 'reason'] as const),
    ...Object.keys(headers ?? {}).map((text) => [text, 'headers'] as const),
    [notifications?.listen, 'notifications', 'listen'] as const,
    ...(['cert', 'key'] as const).map((file) => [clientCertificate?.[file], 'clientCertificate', file] as const),
  ];
  for (const [text = '', ...path] of shown) {
    const held = secretIn(text, { accounts, ...(headers && { headers }) });
    if (held !== null) report(held, ...path);
  }
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

/** The server under test as declared, secrets included, and the problems of a declaration. Only the recorder holds secrets. */
import type { ErrorObject } from 'ajv/dist/2020';
import type { Declaration } from '#schemas/target.d.ts';
import schema from '#schemas/target.schema.json';
import { errorsAgainst } from '../common/json';
import { groupedBy } from '../common/text';
import { clauseTexts } from '../contract/clauses';
import { MEMBER_NAMES, urlOf } from '../contract/settings';
import { isObject } from '../evidence/http/json';
import type { HeaderLines, Kind, TargetFacts } from '../evidence/model';
import { WHOLE_VALUE_BELOW } from '../redaction/encodings';

/** Values by name. A missing name is unset. */
export type Variables = Readonly<Record<string, string | undefined>>;

export type Account = Declaration['accounts'][number];

/** The trigger with which a person makes the service send. */
export const MANUAL = 'manual';

/** How the event profile is tested. */
export interface Notifications extends Omit<NonNullable<Declaration['notifications']>, 'trigger'> {
  /** Makes the service send a notification: a shell command, a person (`MANUAL`), or for the embedded server a function. */
  trigger: string | ((kind: Kind, account: string) => Promise<void>);
  waitSeconds: number;
  /** Variables that the trigger names as `${VAR}`. The shell expands them, so that no value can become a command. */
  environment?: Readonly<Record<string, string>>;
  /** Where the shell command runs; the working directory by default. */
  directory?: string;
  /** A receiver that already listens: the embedded server's, which the urls of its accounts point to. */
  receiver?: Receiver | undefined;
}

/** Members of a target that are reported in another form, or never. */
type Otherwise = 'accounts' | 'limits' | 'notifications' | 'riskyProbes' | 'insecureTls' | 'clientCertificate';

/** A client certificate for mutual TLS: certificate, key, and the passphrase of the key. */
export type ClientCertificate = NonNullable<Declaration['clientCertificate']>;

/** An undeclared `burst` follows from the rate. */
type Limits = Record<'timeoutSeconds' | 'bodyBytes' | 'runSeconds', number> & { burst?: number };

/** All that is declared, with defaults. `baseURL` has no slash at its end. */
export interface Target extends Omit<TargetFacts, Otherwise> {
  accounts: Account[];
  /** Sent with every request; the values are secrets. */
  headers: ReadonlyArray<readonly [name: string, value: string]>;
  /** Its files as paths. */
  clientCertificate?: ClientCertificate;
  /** The content of these files. */
  identity?: ClientCertificate;
  limits: Limits;
  notifications: Notifications | null;
}

const LARGEST_UNDECLARED_BURST = 1000;

/** Returns the size of a burst: by default more than twice the limit, so that no boundary explains its acceptance. */
export function burstSize({ limits, rate }: Target): number {
  return limits.burst ?? Math.min(Math.max(10, 2 * rate.requests + 5), LARGEST_UNDECLARED_BURST);
}

/** Returns what judges and reports may know about a target, without secrets. @param mask replaces secrets by markers */
export function factsOf(
  target: Target,
  { riskyProbes, insecureTls, environment }: { riskyProbes: boolean; insecureTls: boolean; environment?: Variables },
  mask: (text: string) => string,
): TargetFacts {
  const { name, vendor, product, version, baseURL, embedded, rate, waivers, variables, file, notifications } = target;
  const { timeoutSeconds, bodyBytes } = target.limits;
  const { cert, key } = target.clientCertificate ?? {};
  const accounts = target.accounts.map(({ name, password, hasPassword, settings }) => {
    const masked = settings && JSON.parse(mask(JSON.stringify(settings)));
    return { name, passwordDeclared: password !== undefined, hasPassword, settings: masked };
  });
  const facts = {
    ...{ name, vendor, product, version, baseURL, embedded, accounts, rate, riskyProbes },
    insecureTls: insecureTls || undefined,
    extraAuthorities: environment?.NODE_EXTRA_CA_CERTS ? true : undefined,
    clientCertificate: cert && { cert, key },
    limits: { timeoutSeconds, bodyBytes, burst: burstSize(target) },
    ...{ waivers, variables, file },
    notifications: notifications && { accounts: notifications.accounts, waitSeconds: notifications.waitSeconds },
  };
  // JSON drops undefined members, which were not declared.
  return JSON.parse(JSON.stringify(facts));
}

/** A notification as it arrived, secrets included. */
export interface RawDelivery {
  method: string;
  /** Path and query; each character is one byte. */
  path: string;
  /** Each character of a value is one byte. */
  headers: HeaderLines;
  /** After content decoding. */
  body: Buffer;
  truncated: boolean;
}

export interface Receiver {
  /** Such as `http://127.0.0.1:9099`. */
  origin: string;
  /** Whether a request whose head has arrived is the suite's own. Such a request is answered, but is no delivery. */
  isOwn: (head: Pick<RawDelivery, 'method' | 'path' | 'headers'>) => boolean;
  /** Called for each delivery when it is complete or was cut at a limit. */
  onDelivery: (delivery: RawDelivery) => void;
  /** How many deliveries came beyond the number and size that are recorded. */
  overrun: number;
  /** Hands on the deliveries that are still arriving, ends every connection and stops listening. */
  close(): Promise<void>;
}

/** Also writes the schema's defaults into the checked value. */
const errorsIn = errorsAgainst(schema, { allErrors: true, verbose: true, useDefaults: true });

/** How long a notification may take after its trigger, by default. */
const WAIT_SECONDS = 3;
const WAIT_AFTER_A_PERSON_SECONDS = 10;

type Completed = Declaration & Required<Pick<Declaration, 'rate' | 'headers' | 'waivers'>> & { limits: Limits };

export interface Problem {
  /** Member names, and positions in lists. */
  path: readonly string[];
  /** What is wrong and what would be right, without a value, which may be a secret. */
  text: string;
}

/** Returns the problems of a declaration, at most one for each place. */
export function problemsIn(declared: unknown): Problem[] {
  const misfits = errorsIn(declared)
    .map(problemOf)
    .filter((problem) => problem !== null);
  const broken = new Set(misfits.map(({ path }) => path[0]));
  // Only members that fit the schema are checked together.
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

/** Returns a name that the schema knows, else `…`: an unknown name may be a secret. */
function shownName(name: string): string {
  return NAMES.has(name) ? name : '…';
}

/** Returns a path as people write it, such as `accounts[0].apiKey`, with `…` for unknown names. */
export function placeOf(path: readonly string[]): string {
  if (path.length === 0) return 'the file';
  const steps = path.map((step) => (/^\d{1,4}$/.test(step) ? `[${step}]` : `.${shownName(step)}`));
  return steps.join('').replace(/^\./, '');
}

interface Subschema {
  description?: string;
  examples?: unknown[];
  properties?: object;
}

/** The validator's words, and plain ones for what is right. */
const PLAIN_WORDS = new Map([
  ['array', 'a list'],
  ['boolean', 'true or false'],
  ['integer', 'a whole number'],
  ['number', 'a number'],
  ['object', 'a group of members'],
  ['string', 'a text'],
  [',', ' or '],
  ['properties', 'members'],
  ['NOT have fewer than', 'have at least'],
  ['NOT have more than', 'have at most'],
  ['>', 'more than'],
  ['>=', 'at least'],
  ['<=', 'at most'],
]);

function inPlainWords(message: string): string {
  return message.replace(/NOT have (?:fewer|more) than|[a-z]+|[<>]=?|,/g, (word) => PLAIN_WORDS.get(word) ?? word);
}

function problemOf({ keyword, message = '', params, propertyName, ...error }: ErrorObject): Problem | null {
  const path = error.instancePath
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  const { description, examples, properties } = error.parentSchema as Subschema;
  // A second error of the validator names the problem of the name.
  if (keyword === 'propertyNames') return null;
  if (keyword === 'required') return { path: [...path, params.missingProperty], text: 'missing' };
  if (keyword === 'additionalProperties') {
    const known = Object.keys(properties ?? {}).join(', ');
    const { additionalProperty: name } = params;
    // A key has a digit or more letters.
    const named = /^[A-Za-z_-]{1,15}$/.test(name) ? `unknown member ${name}` : 'unknown member';
    return { path: [...path, name], text: `${named}; it can have: ${known}` };
  }
  if (propertyName !== undefined) return { path: [...path, propertyName], text: `not allowed here. ${description}` };
  const isUnquoted = params.type === 'string' && /^(?:number|boolean)$/.test(typeof error.data);
  const plain = inPlainWords(message) + (isUnquoted ? ': put it in quotes' : '');
  const wrong = /^(?:pattern|format)$/.test(keyword) ? 'wrong form' : plain;
  // An example such as ${VAR} does not show the form.
  const example = examples?.find((value) => typeof value !== 'string' || !value.startsWith('${'));
  const shown = example === undefined ? '' : ` For example: ${JSON.stringify(example)}`;
  return { path, text: `${wrong}. ${description}${shown}` };
}

/** Finds problems that no schema can: members that do not fit together, secrets in names. @param declared fits the schema */
function problemsAmong(declared: Partial<Completed>): Problem[] {
  const { baseURL, accounts = [], headers = {}, notifications, waivers = [] } = declared;
  const problems: Problem[] = [];
  const report = (text: string, ...path: Array<string | number>) => problems.push({ path: path.map(String), text });
  if (baseURL !== undefined && !urlOf(baseURL)) report('not an absolute URL: no host can have this name', 'baseURL');
  const secrets = [...accounts.flatMap(({ apiKey, password = '' }) => [apiKey, password]), ...Object.values(headers)];
  const holdsSecret = (name: string) =>
    // A shorter one may be part of a name by chance.
    secrets.some((secret) => secret.length >= WHOLE_VALUE_BELOW && name.includes(secret));
  const held = 'holds a key or another secret, and every marker shows it';
  for (const name of Object.keys(headers)) if (holdsSecret(name)) report(held, 'headers');
  for (const [i, { name, apiKey, password, hasPassword }] of accounts.entries()) {
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
    if (!clauseTexts.some(({ id }) => id === clause))
      report('no clause has this id; schemas/clauses.yaml lists them', 'waivers', i, 'clause');
  }
  return problems;
}

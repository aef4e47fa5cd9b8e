/** The settings clauses: the document of GET /webhooks (API description, section 2.1). */

import { isMemberPath, KINDS, MEMBERS } from '../contract/settings';
import type { Evidence, Exchange } from '../evidence/exchange';
import { valuesOf } from '../evidence/headers';
import { duplicateMembers, isObject, memberAt, unreadable } from '../evidence/json';
import { bodyAt, declaredOf, describedOf, differences, ownReads, whyNoRead } from '../evidence/reads';
import { isHttpUrl } from '../evidence/url';
import { each, type Finding, notTested, type Rule, type Rules } from './finding';
import { passwordsInResponses } from './leaks';

/** A rule about what accepted reads hold. */
function onReads(judge: Rule['judge']): Rule {
  return { needs: ['read'], judge };
}

export const settingsRules: Rules = {
  'settings.json': onReads((evidence) => eachRead(evidence, flawOfJson)),
  'settings.content-type': onReads((evidence) => eachRead(evidence, flawOfContentType)),

  'settings.envelope': onReads((evidence) => {
    const reads = ownReads(evidence);
    const readable = reads.filter((read) => bodyAt(read) !== undefined);
    if (readable.length === 0 && reads.length > 0) return notTested('No document is JSON (settings.json).');
    return each(readable, noRead(evidence), flawOfEnvelope);
  }),

  'settings.kinds': eachParent('webhook', (webhook) =>
    firstWrong(KINDS, (kind) => (isObject(webhook[kind]) ? null : `${kind}: ${shown(webhook[kind])}`)),
  ),
  'settings.kind-status': eachKind('status'),
  'settings.kind-url': eachKind('url'),

  'settings.auth-status': eachParent('webhook', ({ auth }) =>
    isObject(auth) ? flawOfMember(auth, 'auth', 'status') : `auth: ${shown(auth)}`,
  ),
  'settings.auth-type': eachParent('webhook.auth', (auth) => flawOfMember(auth, 'auth', 'type')),
  'settings.basic': hasItsMembers('basic'),

  'settings.username': eachParent('webhook.auth.basic', ({ username }) =>
    // settings.basic judges whether the member exists.
    username === undefined || isWellFormed('auth.basic.username', username)
      ? null
      : `auth.basic.username: ${typeInWords(username)}, ${shown(username)}`,
  ),

  'settings.password-null': eachParent('webhook.auth.basic', ({ password }) => {
    if (isWellFormed('auth.basic.password', password)) return null;
    const what = password === undefined ? shown(password) : `${typeInWords(password)} where null must stand`;
    return `auth.basic.password: ${what}`;
  }),

  'settings.password-absent': {
    needs: ['read', 'missing-key', 'unknown-key'],
    judge: passwordsInResponses,
    ofBodies: 'all',
  },

  'settings.has-password-type': eachParent('webhook.auth.basic', (basic) =>
    basic.hasPassword === undefined ? null : flawOfMember(basic, 'auth.basic', 'hasPassword'),
  ),
  'settings.has-password-stored': hasPasswordIs(true),
  'settings.has-password-not-stored': hasPasswordIs(false),

  'settings.apikey': hasItsMembers('apikey'),
  'settings.apikey-unused': onReads(unusedApikeyIsNull),

  'settings.as-configured': onReads(servedAsDeclared),
  'settings.stable': { needs: ['read', 'together'], judge: sameInEveryRead },
  'settings.no-extra': eachParent('webhook', undescribedMember),
};

/**
 * Judges every accepted read.
 * @param check what is wrong with a document, or `null`
 */
function eachRead(evidence: Evidence, check: (read: Exchange) => string | null): Finding {
  return each(ownReads(evidence), noRead(evidence), check);
}

function noRead(evidence: Evidence): string {
  return whyNoRead(evidence, 'GET /webhooks was never accepted, so there is no document to judge (auth.accepted)');
}

/**
 * Judges an object, by its path, in every document that holds it. Where no document holds it, another clause fails
 * and this one is not tested.
 */
function eachParent(path: string, check: (parent: Record<string, unknown>) => string | null): Rule {
  const parentIn = (read: Exchange) => bodyAt(read, ...path.split('.'));
  return onReads((evidence) => {
    const reads = ownReads(evidence);
    const having = reads.filter((read) => isObject(parentIn(read)));
    if (reads.length > 0 && having.length === 0) return notTested(noObjectAt(path));
    return each(having, noRead(evidence), (read) => check(parentIn(read) as Record<string, unknown>));
  });
}

function noObjectAt(path: string): string {
  return `No document holds an object at ${path}: the clauses of its parents say what is wrong.`;
}

function shown(value: unknown): string {
  if (value === undefined) return 'no such member';
  const text = JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 77)}…` : text;
}

function typeInWords(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'an array' : typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

function firstWrong<T>(items: readonly T[], check: (item: T) => string | null): string | null {
  return items.map(check).find((wrong) => wrong !== null) ?? null;
}

/** What is wrong with the form of a member of an object at a path below `webhook`, or `null`. */
function flawOfMember(object: Record<string, unknown>, path: string, member: string): string | null {
  const name = `${path}.${member}`;
  return isWellFormed(name, object[member]) ? null : `${name}: ${shown(object[member])}`;
}

/** Judges a member of each kind that is an object. */
function eachKind(member: 'status' | 'url') {
  return eachParent('webhook', (webhook) =>
    firstWrong(KINDS, (kind) => {
      const setting = webhook[kind];
      return isObject(setting) ? flawOfMember(setting, kind, member) : null;
    }),
  );
}

/** Judges that a part of `auth` is an object with all described members. */
function hasItsMembers(name: 'basic' | 'apikey') {
  return eachParent('webhook.auth', ({ [name]: part }) => {
    if (!isObject(part)) return `auth.${name}: ${shown(part)}`;
    const missing = MEMBERS[`auth.${name}`].find((member) => !(member in part));
    return missing === undefined ? null : `auth.${name} without "${missing}"`;
  });
}

function flawOfJson({ response }: Exchange): string | null {
  if (response?.bodyEncoding === 'base64') return 'a body that is not UTF-8';
  const body = response?.body ?? '';
  if (body === '') return 'an empty body';
  if (body.startsWith('\uFEFF')) return 'a body that begins with a byte order mark, which is not JSON';
  const [twice] = duplicateMembers(body);
  return unreadable(body) ?? (twice === undefined ? null : `the member "${twice}" twice in one object`);
}

function flawOfContentType(read: Exchange): string | null {
  const types = valuesOf(read, 'Content-Type');
  if (types.length === 0) return 'no Content-Type';
  const essence = types[0]?.split(';')[0]?.trim().toLowerCase() ?? '';
  const isJson = ['application/json', 'text/json'].includes(essence) || /^[^/]+\/[^/]+\+json$/.test(essence);
  return isJson && types.length === 1 ? null : `Content-Type: ${types.join(', ')}`;
}

function flawOfEnvelope(read: Exchange): string | null {
  const document = bodyAt(read);
  if (!isObject(document)) return `${typeInWords(document)} instead of an object`;
  if (!isObject(document.webhook))
    return `webhook: ${'webhook' in document ? typeInWords(document.webhook) : 'no such member'}`;
  const other = Object.keys(document).find((name) => name !== 'webhook');
  return other === undefined ? null : `the member "${other}" beside "webhook"`;
}

/** Judges the accounts whose scheme is "basic" by what is served or by what is declared. */
function unusedApikeyIsNull(evidence: Evidence): Finding {
  const reads = ownReads(evidence);
  const unused = reads.filter(
    (read) =>
      bodyAt(read, 'webhook', 'auth', 'type') === 'basic' ||
      memberAt(declaredOf(evidence, read.account)?.settings, 'auth', 'type') === 'basic',
  );
  if (reads.length > 0 && unused.length === 0) {
    return notTested('Every account uses another scheme than "basic": declare one whose `auth.type` is "basic".');
  }
  return each(unused, noRead(evidence), (read) => {
    const apikey = bodyAt(read, 'webhook', 'auth', 'apikey');
    if (!isObject(apikey)) return null;
    return firstWrong(MEMBERS['auth.apikey'], (member) =>
      apikey[member] === null || apikey[member] === undefined
        ? null
        : `auth.apikey.${member}: ${shown(apikey[member])} though the scheme is "basic"`,
    );
  });
}

/** Compares each declared member with what is served, and leaves malformed members to the clauses of their form. */
function servedAsDeclared(evidence: Evidence): Finding {
  const reads = ownReads(evidence).filter((read) => declaredOf(evidence, read.account)?.settings !== undefined);
  if (evidence.target.accounts.every(({ settings }) => settings === undefined)) {
    return notTested(
      'Declare `settings` of an account in the target file: what is configured there is compared with what is served.',
    );
  }
  const readable = reads.filter((read) => isObject(bodyAt(read, 'webhook')));
  if (reads.length > 0 && readable.length === 0) return notTested(noObjectAt('webhook'));
  return each(readable, noRead(evidence), (read) => {
    const webhook = bodyAt(read, 'webhook');
    const wrong = differences(declaredOf(evidence, read.account)?.settings, webhook)
      .filter(({ path, served }) => isWellFormed(path, served, webhook))
      .map(
        (member) =>
          `${member.path} of ${read.account}: ${shown(member.served)} is served, ${shown(member.declared)} is declared`,
      );
    return wrong.join('; ') || null;
  });
}

/** Compares every read of an account with its first one. */
function sameInEveryRead(evidence: Evidence): Finding {
  const firsts = new Map<string, { settings: string; index: number }>();
  return eachRead(evidence, (read) => {
    const account = read.account ?? '';
    const settings = describedOf(read);
    if (settings === null) return null;
    const first = firsts.get(account) ?? { settings, index: read.index };
    firsts.set(account, first);
    return first.settings === settings
      ? null
      : `other settings of ${account} than its first read gave (entry ${first.index})`;
  });
}

function undescribedMember(webhook: Record<string, unknown>): string | null {
  for (const [path, members] of Object.entries<readonly string[]>(MEMBERS)) {
    const object = path === '' ? webhook : memberAt(webhook, ...path.split('.'));
    const extra = isObject(object) ? Object.keys(object).find((name) => !members.includes(name)) : undefined;
    if (extra !== undefined)
      return `the member "${path ? `${path}.` : ''}${extra}", which the description does not name`;
  }
  return null;
}

/** Judges `hasPassword` of the accounts that are declared to have, or not to have, a stored password. */
function hasPasswordIs(stored: boolean) {
  const quantity = stored ? 'a' : 'no';
  return onReads((evidence) => {
    if (evidence.target.accounts.every(({ hasPassword }) => hasPassword !== stored)) {
      return notTested(
        `Declare an account with \`hasPassword: ${stored}\` in the target file: one that has ${quantity} password stored.`,
      );
    }
    const reads = ownReads(evidence).filter((read) => declaredOf(evidence, read.account)?.hasPassword === stored);
    return each(reads, noRead(evidence), (read) => {
      const served = bodyAt(read, 'webhook', 'auth', 'basic', 'hasPassword');
      // settings.has-password-type judges values that are not boolean.
      return typeof served !== 'boolean' || served === stored
        ? null
        : `hasPassword: ${served} for ${read.account}, which is declared to have ${quantity} password stored`;
    });
  });
}

const isBoolean = (served: unknown) => typeof served === 'boolean';
const isAddress = (served: unknown) => typeof served === 'string' && isHttpUrl(served);
/** Only where the API-key scheme is in use may its members hold a value. */
const isApikeyMember = (served: unknown, webhook: unknown) =>
  served === null || (served !== undefined && memberAt(webhook, 'auth', 'type') !== 'basic');

/** What each described member may hold, by its path below `webhook`. */
const FORMS: ReadonlyMap<string, (served: unknown, webhook: unknown) => boolean> = new Map([
  ...KINDS.map((kind) => [`${kind}.status`, isBoolean] as const),
  ...KINDS.map((kind) => [`${kind}.url`, isAddress] as const),
  ['auth.status', isBoolean],
  ['auth.type', (served) => typeof served === 'string' && served !== ''],
  ['auth.basic.username', (served) => typeof served === 'string' || served === null],
  ['auth.basic.password', (served) => served === null],
  ['auth.basic.hasPassword', isBoolean],
  ['auth.apikey.header', isApikeyMember],
  ['auth.apikey.apikey', isApikeyMember],
]);

/**
 * Whether a served value has the form of its member, so that only the value can be wrong. A described object that is
 * missing breaks its own clause. A member that the description does not have may hold anything.
 */
function isWellFormed(path: string, served: unknown, webhook?: unknown): boolean {
  return FORMS.get(path)?.(served, webhook) ?? !isMemberPath(path);
}

/** The settings clauses: the document of GET /webhooks (API description, section 2.1). */
import { cut } from '../common/text';
import type { Flaw } from '../contract/result';
import { isHttpUrl, isMemberPath, KINDS, MEMBERS, pathOf, pathsIn } from '../contract/settings';
import { valuesOf } from '../evidence/http/headers';
import { duplicateMembers, isObject, memberAt, parsed, unreadable } from '../evidence/http/json';
import { type AccountFacts, type Evidence, type Exchange, once, whyNotSent } from '../evidence/model';
import {
  bodyAt,
  DESCRIBED,
  declaredOf,
  describedOf,
  differences,
  isSameSettings,
  ownReads,
  readsOf,
} from '../evidence/settings-reads';
import { answerFlaw, each, type Flaws, flawIn, notTested, type Reason, type Rule, type Rules } from './finding';
import { passwordsInResponses } from './leaks';

/** The clauses that must hold so that a part of the document can be judged, the outermost first. */
const IN_DOCUMENT = ['auth.accepted', 'auth.own-settings', 'settings.json'];
const IN_WEBHOOK = [...IN_DOCUMENT, 'settings.envelope'];
const IN_KINDS = [...IN_WEBHOOK, 'settings.kinds'];
const IN_AUTH = [...IN_WEBHOOK, 'settings.auth-status'];
const IN_BASIC = [...IN_AUTH, 'settings.basic'];

const HAS_PASSWORD = 'auth.basic.hasPassword';

export const settingsRules: Rules = {
  'settings.json': onReads(IN_DOCUMENT, flawOfJson),
  'settings.content-type': onReads(IN_DOCUMENT, flawOfContentType),
  'settings.envelope': onReads(IN_DOCUMENT, flawOfEnvelope, (read) => parsed(read.response) !== undefined),

  'settings.kinds': onMembers(IN_WEBHOOK, KINDS),
  'settings.kind-status': onMembers(IN_KINDS, ofEachKind('status')),
  'settings.kind-url': onMembers(IN_KINDS, ofEachKind('url')),

  'settings.auth-status': onMembers(IN_WEBHOOK, ['auth', 'auth.status']),
  'settings.auth-type': onMembers(IN_AUTH, ['auth.type']),
  'settings.basic': onMembers(IN_AUTH, ['auth.basic', ...pathsIn('auth.basic')], flawOfPresence),
  'settings.username': onMembers(IN_BASIC, ['auth.basic.username'], flawOf, presence('auth.basic.username')),
  'settings.password-null': onMembers(IN_BASIC, ['auth.basic.password'], flawOfPassword),

  'settings.password-absent': {
    needs: ['read', 'missing-key', 'unknown-key', 'unknown-path', 'other-answers', 'respelled'],
    judge: passwordsInResponses,
  },

  'settings.has-password-type': onMembers(IN_BASIC, [HAS_PASSWORD], flawOf, presence(HAS_PASSWORD)),
  'settings.has-password-stored': hasPasswordIs(true),
  'settings.has-password-not-stored': hasPasswordIs(false),

  'settings.apikey': onMembers(IN_AUTH, ['auth.apikey', ...pathsIn('auth.apikey')], flawOfPresence),
  'settings.apikey-unused': onMembers(
    [...IN_AUTH, 'settings.apikey', 'settings.auth-type'],
    pathsIn('auth.apikey'),
    flawOfUnused,
    objectAt('webhook.auth.apikey'),
    readsOfBasic,
  ),

  'settings.as-configured': onReads(
    IN_WEBHOOK,
    flawsOfDeclared,
    objectAt('webhook'),
    ofDeclared(
      ({ settings }) => settings !== undefined,
      'Declare `settings` of an account in the target file: what is configured there is compared with what is served.',
    ),
  ),
  'settings.stable': { ...onReads(IN_DOCUMENT, flawOfStability, undefined, ownReads), needs: ['read', 'together'] },
  'settings.no-extra': onReads(IN_WEBHOOK, undescribedMember, objectAt('webhook')),
};

/** Whether a document has what a clause is about. If none has, another clause fails. */
type Having = (read: Exchange) => boolean;

function objectAt(...paths: string[]): Having {
  return (read) => paths.some((path) => isObject(bodyAt(read, path)));
}

function presence(path: string): Having {
  return (read) => settingAt(read, path) !== undefined;
}

/** The reads that a clause is about, or why it cannot be judged. */
type Reads = (evidence: Evidence) => Exchange[] | Reason;

const NO_SUBJECT = 'No document has what this is about.';
const NEVER_READ = 'No account that this is about got its own settings from GET /webhooks.';

/** A rule about accepted reads that have what the clause is about. @param check returns what is wrong with a document */
function onReads(
  dependsOn: readonly string[],
  check: (read: Exchange, evidence: Evidence) => Flaws,
  has: Having = () => true,
  readsIn: Reads = readsOf,
): Rule {
  const judge: Rule['judge'] = (evidence) => {
    const reads = readsIn(evidence);
    if (!Array.isArray(reads)) return notTested(reads);
    const none = reads.length > 0 ? NO_SUBJECT : whyNotSent(evidence, 'read', NEVER_READ);
    return each(reads.filter(has), none, (read) => check(read, evidence));
  };
  return { needs: ['read'], dependsOn, judge };
}

/** A rule about described members, by their paths below `webhook`. The first wrong one of a document is reported. */
function onMembers(
  dependsOn: readonly string[],
  paths: readonly string[],
  check: (path: string, value: unknown, account: string | null) => Flaw | null = flawOf,
  has = objectAt(...paths.map(holderOf)),
  readsIn: Reads = readsOf,
): Rule {
  const flawAt = (path: string, read: Exchange) =>
    isObject(bodyAt(read, holderOf(path))) ? check(path, settingAt(read, path), read.account) : null;
  return onReads(dependsOn, (read) => firstWrong(paths, (path) => flawAt(path, read)), has, readsIn);
}

function ofEachKind(member: string): string[] {
  return KINDS.map((kind) => `${kind}.${member}`);
}

function holderOf(path: string): string {
  return `webhook.${path}`.replace(/\.\w+$/, '');
}

function settingAt(read: Exchange, path: string): unknown {
  return bodyAt(read, pathOf('webhook', path));
}

/** The reads of accounts with a declaration. @param declare what to declare if no account has it */
function ofDeclared(isDeclared: (account: AccountFacts) => boolean, declare: string): Reads {
  return (evidence) => {
    const names = new Set<string | null>(evidence.target.accounts.filter(isDeclared).map(({ name }) => name));
    return names.size === 0 ? { declare } : ownReads(evidence).filter(({ account }) => names.has(account));
  };
}

const NONE_BASIC = 'Every account uses another scheme than "basic": declare one whose `auth.type` is "basic".';

/** The reads of accounts whose scheme is "basic", as served or as declared. */
function readsOfBasic(evidence: Evidence): Exchange[] | Reason {
  const reads = ownReads(evidence);
  const basic = reads.filter(
    (read) =>
      settingAt(read, 'auth.type') === 'basic' ||
      memberAt(declaredOf(evidence, read.account)?.settings, 'auth.type') === 'basic',
  );
  if (reads.length === 0 || basic.length > 0) return basic;
  return reads.some(presence('auth.type')) ? { declare: NONE_BASIC } : NO_SUBJECT;
}

const LONGEST_VALUE = 80;

function shown(value: unknown): string {
  if (value === undefined) return 'missing';
  return cut(JSON.stringify(value), LONGEST_VALUE);
}

function typeInWords(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'an array' : typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

function firstWrong<T>(items: readonly T[], check: (item: T) => Flaw | null): Flaw | null {
  return items.map(check).find((wrong) => wrong !== null) ?? null;
}

function flawOf(path: string, value: unknown): Flaw | null {
  return isWellFormed(path, value) ? null : flawIn('member', path, shown(value), formOf(path)?.words ?? '');
}

/** What is wrong with an object, or with an absent member. Other clauses judge the values of members. */
function flawOfPresence(path: string, value: unknown): Flaw | null {
  if (isMemberPath(path)) return flawOf(path, value);
  return value === undefined ? flawIn('member', path, shown(value), 'the member') : null;
}

function flawOfPassword(path: string, value: unknown): Flaw | null {
  if (value === null) return null;
  // The value may be a password, so it is not shown.
  const got = value === undefined ? shown(value) : `${typeInWords(value)} where null belongs`;
  return flawIn('member', path, got, 'null');
}

function flawOfJson({ response }: Exchange): Flaw | null {
  const wrong = response?.bodyEncoding === 'base64' ? 'a body that is not UTF-8' : unreadable(response);
  if (wrong !== null) return answerFlaw(wrong, 'JSON in UTF-8');
  const twice = duplicateMembers(response?.body ?? '')[0];
  return twice === undefined ? null : flawIn('member', twice, 'twice in one object', 'each member once');
}

function flawOfContentType(read: Exchange): Flaw | null {
  const types = valuesOf(read, 'Content-Type');
  const essence = types[0]?.split(';')[0]?.trim().toLowerCase() ?? '';
  const isJson = /^(?:(?:application|text)\/json|[^/]+\/[^/]+\+json)$/.test(essence);
  if (isJson && types.length === 1) return null;
  return flawIn('header', 'Content-Type', types.join(', ') || 'absent', 'application/json, once');
}

function flawOfEnvelope(read: Exchange): Flaw | null {
  const document = parsed(read.response);
  if (!isObject(document)) return answerFlaw(`${typeInWords(document)} instead of an object`, 'an object');
  if (!isObject(document.webhook)) {
    const what = 'webhook' in document ? typeInWords(document.webhook) : shown(undefined);
    return flawIn('member', 'webhook', what, 'an object');
  }
  const other = Object.keys(document).find((name) => name !== 'webhook');
  return other === undefined ? null : flawIn('member', other, 'a member beside `webhook`', 'no other member');
}

function flawOfUnused(path: string, value: unknown): Flaw | null {
  const isSet = value !== undefined && value !== null;
  return isSet ? flawIn('member', path, `${shown(value)}, although the scheme is "basic"`, 'null') : null;
}

/** Compares declared members with served ones. An absent one breaks this clause, a malformed one its own. */
function flawsOfDeclared(read: Exchange, evidence: Evidence): Flaw[] {
  const webhook = bodyAt(read, 'webhook');
  return differences(declaredOf(evidence, read.account)?.settings, webhook)
    .filter(({ path, served, isAbsent }) => isAbsent || isWellFormed(path, served, webhook))
    .map(({ path, served, declared }) => {
      const got = `${shown(served)} for ${read.account}, declared as ${shown(declared)}`;
      return flawIn('member', path, got, shown(declared));
    });
}

/** The first read of each account that holds settings. */
const firstReads = once((evidence: Evidence) => {
  const readable = ownReads(evidence).filter((read) => describedOf(read) !== null);
  return new Map(readable.reverse().map((read) => [read.account, read]));
});

function flawOfStability(read: Exchange, evidence: Evidence): Flaw | null {
  const settings = describedOf(read);
  const first = firstReads(evidence).get(read.account);
  if (!first || settings === null || isSameSettings(read, first)) return null;
  const got = `other settings than those of entry ${first.index}, its first read`;
  return flawIn('account', read.account ?? '', got, 'the same settings in every read');
}

function undescribedMember(read: Exchange): Flaw | null {
  return firstWrong(Object.entries<readonly string[]>(MEMBERS), ([path, members]) => {
    const object = settingAt(read, path);
    const extra = isObject(object) ? Object.keys(object).find((name) => !members.includes(name)) : undefined;
    if (extra === undefined) return null;
    return flawIn('member', pathOf(path, extra), 'a member that the description does not name', 'no such member');
  });
}

function hasPasswordIs(stored: boolean): Rule {
  const quantity = stored ? 'a' : 'no';
  const declare = `Declare an account with \`hasPassword: ${stored}\` in the target file: one that has ${quantity} password stored.`;
  return onMembers(
    [...IN_BASIC, 'settings.has-password-type'],
    [HAS_PASSWORD],
    (path, value, account) => {
      const got = `${!stored} for ${account}, which is declared to have ${quantity} password stored`;
      return value === stored ? null : flawIn('member', path, got, String(stored));
    },
    (read) => typeof settingAt(read, HAS_PASSWORD) === 'boolean',
    ofDeclared(({ hasPassword }) => hasPassword === stored, declare),
  );
}

interface Form {
  fits: (served: unknown, webhook: unknown) => boolean;
  words: string;
}

const OBJECT: Form = { fits: isObject, words: 'an object' };
const BOOLEAN: Form = { fits: (served) => typeof served === 'boolean', words: 'true or false' };
/** A value is allowed only if the API-key scheme is in use. */
const OF_APIKEY: Form = {
  fits: (served, webhook) => served === null || (served !== undefined && memberAt(webhook, 'auth.type') !== 'basic'),
  words: 'null, unless the API-key scheme is in use',
};

/** The form of each described member that is no object, by its name. */
const FORMS: Readonly<Record<string, Form>> = {
  status: BOOLEAN,
  url: { fits: (served) => typeof served === 'string' && isHttpUrl(served), words: 'an http or https address' },
  type: { fits: (served) => typeof served === 'string' && served !== '', words: 'a string that is not empty' },
  username: { fits: (served) => typeof served === 'string' || served === null, words: 'a string or null' },
  password: { fits: (served) => served === null, words: 'null' },
  hasPassword: BOOLEAN,
  header: OF_APIKEY,
  apikey: OF_APIKEY,
};

/** Returns the form of a member, by its path below `webhook`. An undescribed member has any. */
function formOf(path: string): Form | undefined {
  if (isMemberPath(path)) return OBJECT;
  return DESCRIBED.includes(path) ? FORMS[path.replace(/^.*\./, '')] : undefined;
}

function isWellFormed(path: string, served: unknown, webhook?: unknown): boolean {
  return formOf(path)?.fits(served, webhook) ?? true;
}

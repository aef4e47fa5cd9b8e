/** The settings clauses: the document of GET /webhooks (API description, section 2.1). */
import { cut } from '../common/text';
import type { Flaw } from '../contract/result';
import { isHttpUrl, isMemberPath, KINDS, MEMBERS, pathOf, pathsIn } from '../contract/settings';
import { valuesOf } from '../evidence/http/headers';
import { duplicateMembers, isObject, memberAt, parsed, unreadable } from '../evidence/http/json';
import { type AccountFacts, type Evidence, type Exchange, whyNotSent } from '../evidence/model';
import { bodyAt, declaredOf, describedOf, differences, ownReads, readsOf } from '../evidence/settings-reads';
import { answerFlaw, each, type Finding, type Flaws, flawIn, notTested, type Rule, type Rules } from './finding';
import { passwordsInResponses } from './leaks';

/** The clauses that must hold so that a part of the document can be judged, the outermost first. */
const IN_DOCUMENT = ['auth.accepted', 'auth.own-settings', 'settings.json'];
const IN_WEBHOOK = [...IN_DOCUMENT, 'settings.envelope'];
const IN_KINDS = [...IN_WEBHOOK, 'settings.kinds'];
const IN_AUTH = [...IN_WEBHOOK, 'settings.auth-status'];
const IN_BASIC = [...IN_AUTH, 'settings.basic'];

function onReads(dependsOn: readonly string[], judge: Rule['judge']): Rule {
  return { needs: ['read'], dependsOn, judge };
}

const HAS_PASSWORD = 'auth.basic.hasPassword';

export const settingsRules: Rules = {
  'settings.json': onReads(IN_DOCUMENT, (evidence) => eachRead(evidence, flawOfJson)),
  'settings.content-type': onReads(IN_DOCUMENT, (evidence) => eachRead(evidence, flawOfContentType)),

  'settings.envelope': onReads(IN_DOCUMENT, (evidence) =>
    eachRead(evidence, flawOfEnvelope, (read) => parsed(read.response) !== undefined),
  ),

  'settings.kinds': eachMember(IN_WEBHOOK, KINDS),
  'settings.kind-status': eachMember(IN_KINDS, ofEachKind('status')),
  'settings.kind-url': eachMember(IN_KINDS, ofEachKind('url')),

  'settings.auth-status': eachMember(IN_WEBHOOK, ['auth', 'auth.status']),
  'settings.auth-type': eachMember(IN_AUTH, ['auth.type']),
  'settings.basic': eachMember(IN_AUTH, ['auth.basic', ...pathsIn('auth.basic')], flawOfPresence),
  'settings.username': eachMember(IN_BASIC, ['auth.basic.username'], flawOf, presence('auth.basic.username')),
  'settings.password-null': eachMember(IN_BASIC, ['auth.basic.password'], flawOfPassword),

  'settings.password-absent': {
    needs: ['read', 'missing-key', 'unknown-key', 'unknown-path', 'other-answers', 'respelled'],
    judge: passwordsInResponses,
  },

  'settings.has-password-type': eachMember(IN_BASIC, [HAS_PASSWORD], flawOf, presence(HAS_PASSWORD)),
  'settings.has-password-stored': hasPasswordIs(true),
  'settings.has-password-not-stored': hasPasswordIs(false),

  'settings.apikey': eachMember(IN_AUTH, ['auth.apikey', ...pathsIn('auth.apikey')], flawOfPresence),
  'settings.apikey-unused': onReads([...IN_AUTH, 'settings.apikey', 'settings.auth-type'], unusedApikeyIsNull),

  'settings.as-configured': ofDeclared(
    IN_WEBHOOK,
    ({ settings }) => settings !== undefined,
    'Declare `settings` of an account in the target file: what is configured there is compared with what is served.',
    servedAsDeclared,
  ),
  'settings.stable': { needs: ['read', 'together'], dependsOn: IN_DOCUMENT, judge: sameInEveryRead },
  'settings.no-extra': onReads(IN_WEBHOOK, (evidence) => eachRead(evidence, undescribedMember, objectAt('webhook'))),
};

/** Whether a document has what a clause is about. If none has, another clause fails. */
type Having = (read: Exchange) => boolean;

function objectAt(...paths: string[]): Having {
  return (read) => paths.some((path) => isObject(bodyAt(read, path)));
}

function presence(path: string): Having {
  return (read) => settingAt(read, path) !== undefined;
}

const NO_SUBJECT = 'No document has what this is about.';

/** Judges every accepted read that has what a clause is about. @param check returns what is wrong with a document */
function eachRead(
  evidence: Evidence,
  check: (read: Exchange) => Flaws,
  has: Having = () => true,
  reads: readonly Exchange[] = readsOf(evidence),
): Finding {
  const none = reads.length > 0 ? NO_SUBJECT : whyNotSent(evidence, 'read', NEVER_READ);
  return each(reads.filter(has), none, check);
}

const NEVER_READ = 'No account that this is about got its own settings from GET /webhooks.';

/** A rule about described members, by their paths below `webhook`. The first wrong one of a document is reported. */
function eachMember(
  dependsOn: readonly string[],
  paths: readonly string[],
  check: (path: string, value: unknown) => Flaw | null = flawOf,
  having = objectAt(...paths.map(holderOf)),
): Rule {
  const firstFlaw = (read: Exchange) =>
    firstWrong(paths, (path) => (isObject(bodyAt(read, holderOf(path))) ? check(path, settingAt(read, path)) : null));
  return onReads(dependsOn, (evidence) => eachRead(evidence, firstFlaw, having));
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

/** A rule about the accounts with a declaration. @param undeclared what to declare if no account has it */
function ofDeclared(
  dependsOn: readonly string[],
  isDeclared: (account: AccountFacts) => boolean,
  undeclared: string,
  judge: (reads: Exchange[], evidence: Evidence) => Finding,
): Rule {
  return onReads(dependsOn, (evidence) => {
    const names = evidence.target.accounts.filter(isDeclared).map(({ name }) => name);
    const reads = ownReads(evidence).filter(({ account }) => account !== null && names.includes(account));
    return names.length === 0 ? notTested({ declare: undeclared }) : judge(reads, evidence);
  });
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
  return isWellFormed(path, value) ? null : flawIn('member', path, shown(value), FORMS.get(path)?.form ?? '');
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

const NONE_BASIC = 'Every account uses another scheme than "basic": declare one whose `auth.type` is "basic".';

function unusedApikeyIsNull(evidence: Evidence): Finding {
  const isUnused = (read: Exchange) =>
    settingAt(read, 'auth.type') === 'basic' ||
    memberAt(declaredOf(evidence, read.account)?.settings, 'auth.type') === 'basic';
  const reads = ownReads(evidence);
  const unused = reads.filter(isUnused);
  if (reads.length > 0 && unused.length === 0)
    return notTested(reads.some(presence('auth.type')) ? { declare: NONE_BASIC } : NO_SUBJECT);
  const check = (read: Exchange) =>
    firstWrong(pathsIn('auth.apikey'), (path) => {
      const value = settingAt(read, path) ?? null;
      return value === null ? null : flawIn('member', path, `${shown(value)}, although the scheme is "basic"`, 'null');
    });
  return eachRead(evidence, check, objectAt('webhook.auth.apikey'), unused);
}

/** Compares declared members with served ones. An absent one breaks this clause, a malformed one its own. */
function servedAsDeclared(reads: Exchange[], evidence: Evidence): Finding {
  const webhookIn = (read: Exchange) => bodyAt(read, 'webhook');
  const check = (read: Exchange) =>
    differences(declaredOf(evidence, read.account)?.settings, webhookIn(read))
      .filter(({ path, served, isAbsent }) => isAbsent || isWellFormed(path, served, webhookIn(read)))
      .map(({ path, served, declared }) => {
        const got = `${served === undefined ? 'missing' : shown(served)} for ${read.account}, declared as ${shown(declared)}`;
        return flawIn('member', path, got, shown(declared));
      });
  return eachRead(evidence, check, objectAt('webhook'), reads);
}

function sameInEveryRead(evidence: Evidence): Finding {
  const firsts = new Map<string | null, { settings: string; index: number }>();
  const check = (read: Exchange) => {
    const { account, index } = read;
    const settings = describedOf(read);
    if (settings === null) return null;
    const first = firsts.get(account) ?? { settings, index };
    firsts.set(account, first);
    if (first.settings === settings) return null;
    const got = `other settings than those of entry ${first.index}, its first read`;
    return flawIn('account', account ?? '', got, 'the same settings in every read');
  };
  return eachRead(evidence, check, undefined, ownReads(evidence));
}

function undescribedMember(read: Exchange): Flaw | null {
  return firstWrong(Object.entries<readonly string[]>(MEMBERS), ([path, members]) => {
    const object = settingAt(read, path);
    const extra = isObject(object) ? Object.keys(object).find((name) => !members.includes(name)) : undefined;
    if (extra === undefined) return null;
    return flawIn('member', pathOf(path, extra), 'a member that the description does not name', 'no such member');
  });
}

function hasPasswordIs(stored: boolean) {
  const quantity = stored ? 'a' : 'no';
  return ofDeclared(
    [...IN_BASIC, 'settings.has-password-type'],
    ({ hasPassword }) => hasPassword === stored,
    `Declare an account with \`hasPassword: ${stored}\` in the target file: one that has ${quantity} password stored.`,
    (reads, evidence) => {
      const check = (read: Exchange) => {
        if (settingAt(read, HAS_PASSWORD) === stored) return null;
        const got = `${!stored} for ${read.account}, which is declared to have ${quantity} password stored`;
        return flawIn('member', HAS_PASSWORD, got, String(stored));
      };
      return eachRead(evidence, check, (read) => typeof settingAt(read, HAS_PASSWORD) === 'boolean', reads);
    },
  );
}

interface Form {
  fits: (served: unknown, webhook: unknown) => boolean;
  form: string;
}

const OBJECT: Form = { fits: isObject, form: 'an object' };
const BOOLEAN: Form = { fits: (served) => typeof served === 'boolean', form: 'true or false' };
const ADDRESS: Form = {
  fits: (served) => typeof served === 'string' && isHttpUrl(served),
  form: 'an http or https address',
};
/** A value is allowed only if the API-key scheme is in use. */
const OF_APIKEY: Form = {
  fits: (served, webhook) => served === null || (served !== undefined && memberAt(webhook, 'auth.type') !== 'basic'),
  form: 'null, unless the API-key scheme is in use',
};

const FORMS = new Map<string, Form>([
  ...Object.keys(MEMBERS).map((path) => [path, OBJECT] as const),
  ...KINDS.flatMap((kind) => [[`${kind}.status`, BOOLEAN] as const, [`${kind}.url`, ADDRESS] as const]),
  ['auth.status', BOOLEAN],
  ['auth.type', { fits: (served) => typeof served === 'string' && served !== '', form: 'a string that is not empty' }],
  [
    'auth.basic.username',
    { fits: (served) => typeof served === 'string' || served === null, form: 'a string or null' },
  ],
  ['auth.basic.password', { fits: (served) => served === null, form: 'null' }],
  ['auth.basic.hasPassword', BOOLEAN],
  ['auth.apikey.header', OF_APIKEY],
  ['auth.apikey.apikey', OF_APIKEY],
]);

/** Whether a served value has its member's form. An undescribed member has any. */
function isWellFormed(path: string, served: unknown, webhook?: unknown): boolean {
  return FORMS.get(path)?.fits(served, webhook) ?? true;
}

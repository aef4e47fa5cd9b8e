/** The settings clauses: the document of GET /webhooks (API description, section 2.1). */

import { cut } from '../common/cut';
import type { Flaw } from '../contract/result';
import { isMemberPath, KINDS, MEMBERS } from '../contract/settings';
import { valuesOf } from '../evidence/http/headers';
import { duplicateMembers, isObject, type JsonObject, memberAt, unreadable } from '../evidence/http/json';
import { isHttpUrl } from '../evidence/http/url';
import type { AccountFacts, Evidence, Exchange } from '../evidence/model';
import {
  bodyAt,
  declaredOf,
  describedOf,
  differences,
  foreignReads,
  ownReads,
  readsOf,
  whyNoRead,
} from '../evidence/settings-reads';
import {
  accountFlaw,
  answerFlaw,
  each,
  type Finding,
  type Flaws,
  headerFlaw,
  memberFlaw,
  notTested,
  type Reason,
  type Rule,
  type Rules,
} from './finding';
import { passwordsInResponses } from './leaks';

function onReads(judge: Rule['judge']): Rule {
  return { needs: ['read'], judge };
}

export const settingsRules: Rules = {
  'settings.json': onReads((evidence) => eachRead(evidence, flawOfJson)),
  'settings.content-type': onReads((evidence) => eachRead(evidence, flawOfContentType)),

  'settings.envelope': onReads((evidence) => {
    const isJson = (read: Exchange) => bodyAt(read) !== undefined;
    return eachHaving(isJson, 'No document is JSON (settings.json).', evidence, flawOfEnvelope);
  }),

  'settings.kinds': eachParent('webhook', (webhook) =>
    firstWrong(KINDS, (kind) => (isObject(webhook[kind]) ? null : memberFlaw(kind, shown(webhook[kind]), 'an object'))),
  ),
  'settings.kind-status': eachKind('status'),
  'settings.kind-url': eachKind('url'),

  'settings.auth-status': eachParent('webhook', ({ auth }) =>
    isObject(auth) ? flawOf('auth.status', auth.status) : memberFlaw('auth', shown(auth), 'an object'),
  ),
  'settings.auth-type': eachParent('webhook.auth', ({ type }) => flawOf('auth.type', type)),
  'settings.basic': hasItsMembers('basic'),

  'settings.username': eachParent('webhook.auth.basic', ({ username }) =>
    // settings.basic judges whether the member exists.
    username === undefined ? null : flawOf('auth.basic.username', username),
  ),

  'settings.password-null': eachParent('webhook.auth.basic', ({ password }) => {
    if (password === null) return null;
    const what = password === undefined ? shown(password) : `${typeInWords(password)} where null must stand`;
    return memberFlaw('auth.basic.password', what, 'null');
  }),

  'settings.password-absent': {
    needs: ['read', 'missing-key', 'unknown-key', 'unknown-path'],
    judge: passwordsInResponses,
    ofBodies: 'all',
  },

  'settings.has-password-type': eachParent('webhook.auth.basic', ({ hasPassword }) =>
    hasPassword === undefined ? null : flawOf('auth.basic.hasPassword', hasPassword),
  ),
  'settings.has-password-stored': hasPasswordIs(true),
  'settings.has-password-not-stored': hasPasswordIs(false),

  'settings.apikey': hasItsMembers('apikey'),
  'settings.apikey-unused': onReads(unusedApikeyIsNull),

  'settings.as-configured': ofDeclared(
    ({ settings }) => settings !== undefined,
    'Declare `settings` of an account in the target file: what is configured there is compared with what is served.',
    servedAsDeclared,
  ),
  'settings.stable': { needs: ['read', 'together'], judge: sameInEveryRead },
  'settings.no-extra': eachParent('webhook', undescribedMember),
};

/** Judges every accepted read. @param check what is wrong with a document, or `null` */
function eachRead(
  evidence: Evidence,
  check: (read: Exchange) => Flaws,
  reads: readonly Exchange[] = readsOf(evidence),
): Finding {
  const none =
    foreignReads(evidence).size > 0
      ? 'no read held the settings of its own account: fix auth.own-settings first'
      : 'GET /webhooks was never accepted, so there is no document to judge (auth.accepted)';
  return each(reads, whyNoRead(evidence, none), check);
}

/** Judges the reads that have what a clause is about. @param none why nothing is judged where no read has it */
function eachHaving(
  has: (read: Exchange) => boolean,
  none: Reason,
  evidence: Evidence,
  check: (read: Exchange) => Flaws,
  reads: readonly Exchange[] = readsOf(evidence),
): Finding {
  const having = reads.filter(has);
  return reads.length > 0 && having.length === 0 ? notTested(none) : eachRead(evidence, check, having);
}

/** Judges an object, by its path, in the documents that hold it. Where none does, another clause fails. */
function eachParent(path: string, check: (parent: JsonObject) => Flaws): Rule {
  const parentIn = (read: Exchange) => bodyAt(read, ...path.split('.'));
  return onReads((evidence) =>
    eachHaving(
      (read) => isObject(parentIn(read)),
      noObjectAt(path),
      evidence,
      (read) => check(parentIn(read) as JsonObject),
    ),
  );
}

function noObjectAt(path: string): string {
  return `No document holds an object at ${path}: the clauses of its parents say what is wrong.`;
}

/** A rule about accounts of which something is declared. @param undeclared what to declare where it is of none */
function ofDeclared(
  isDeclared: (account: AccountFacts) => boolean,
  undeclared: string,
  judge: (reads: Exchange[], evidence: Evidence) => Finding,
): Rule {
  return onReads((evidence) => {
    const names = evidence.target.accounts.filter(isDeclared).map(({ name }) => name);
    const reads = ownReads(evidence).filter(({ account }) => account !== null && names.includes(account));
    return names.length === 0 ? notTested({ declare: undeclared }) : judge(reads, evidence);
  });
}

const LONGEST_VALUE = 80;

function shown(value: unknown): string {
  if (value === undefined) return 'no such member';
  return cut(JSON.stringify(value), LONGEST_VALUE);
}

function typeInWords(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'an array' : typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

function firstWrong<T>(items: readonly T[], check: (item: T) => Flaw | null): Flaw | null {
  return items.map(check).find((wrong) => wrong !== null) ?? null;
}

/** What is wrong with the form of a described member, by its path below `webhook`, or `null`. */
function flawOf(path: string, value: unknown): Flaw | null {
  return isWellFormed(path, value) ? null : memberFlaw(path, shown(value), FORMS.get(path)?.form ?? 'an object');
}

/** Judges a member of each kind that is an object. */
function eachKind(member: 'status' | 'url') {
  return eachParent('webhook', (webhook) =>
    firstWrong(KINDS, (kind) => {
      const setting = webhook[kind];
      return isObject(setting) ? flawOf(`${kind}.${member}`, setting[member]) : null;
    }),
  );
}

/** Judges that a part of `auth` is an object with all described members. */
function hasItsMembers(name: 'basic' | 'apikey') {
  return eachParent('webhook.auth', ({ [name]: part }) => {
    if (!isObject(part)) return memberFlaw(`auth.${name}`, shown(part), 'an object');
    const missing = MEMBERS[`auth.${name}`].find((member) => !(member in part));
    return missing === undefined ? null : memberFlaw(`auth.${name}.${missing}`, shown(undefined), 'the member');
  });
}

function flawOfJson({ response }: Exchange): Flaw | null {
  const body = response?.body ?? '';
  const twice = duplicateMembers(body)[0];
  const wrong =
    response?.bodyEncoding === 'base64'
      ? 'a body that is not UTF-8'
      : body === ''
        ? 'an empty body'
        : body.startsWith('\uFEFF')
          ? 'a body that begins with a byte order mark, which is not JSON'
          : unreadable(body);
  if (wrong !== null) return answerFlaw(wrong, 'JSON in UTF-8');
  return twice === undefined ? null : memberFlaw(twice, 'twice in one object', 'each member once');
}

function flawOfContentType(read: Exchange): Flaw | null {
  const types = valuesOf(read, 'Content-Type');
  const essence = types[0]?.split(';')[0]?.trim().toLowerCase() ?? '';
  const isJson = /^(?:(?:application|text)\/json|[^/]+\/[^/]+\+json)$/.test(essence);
  if (isJson && types.length === 1) return null;
  return headerFlaw('Content-Type', types.join(', ') || 'absent', 'application/json, once');
}

function flawOfEnvelope(read: Exchange): Flaw | null {
  const document = bodyAt(read);
  if (!isObject(document)) return answerFlaw(`${typeInWords(document)} instead of an object`, 'an object');
  if (!isObject(document.webhook)) {
    const what = 'webhook' in document ? typeInWords(document.webhook) : shown(undefined);
    return memberFlaw('webhook', what, 'an object');
  }
  const other = Object.keys(document).find((name) => name !== 'webhook');
  return other === undefined ? null : memberFlaw(other, 'a member beside `webhook`', 'no other member');
}

/** Judges the accounts whose scheme is "basic" by what is served or by what is declared. */
function unusedApikeyIsNull(evidence: Evidence): Finding {
  const isUnused = (read: Exchange) =>
    bodyAt(read, 'webhook', 'auth', 'type') === 'basic' ||
    memberAt(declaredOf(evidence, read.account)?.settings, 'auth', 'type') === 'basic';
  const none = {
    declare: 'Every account uses another scheme than "basic": declare one whose `auth.type` is "basic".',
  };
  const check = (read: Exchange) =>
    firstWrong(MEMBERS['auth.apikey'], (member) => {
      const value = bodyAt(read, 'webhook', 'auth', 'apikey', member) ?? null;
      if (value === null) return null;
      return memberFlaw(`auth.apikey.${member}`, `${shown(value)} though the scheme is "basic"`, 'null');
    });
  return eachHaving(isUnused, none, evidence, check, ownReads(evidence));
}

/** Compares each declared member with what is served, and leaves malformed members to the clauses of their form. */
function servedAsDeclared(reads: Exchange[], evidence: Evidence): Finding {
  const webhookIn = (read: Exchange) => bodyAt(read, 'webhook');
  const check = (read: Exchange) =>
    differences(declaredOf(evidence, read.account)?.settings, webhookIn(read))
      .filter(({ path, served }) => isWellFormed(path, served, webhookIn(read)))
      .map(({ path, served, declared }) => {
        const got = `${shown(served)} to ${read.account}, for which ${shown(declared)} is declared`;
        return memberFlaw(path, got, shown(declared));
      });
  return eachHaving((read) => isObject(webhookIn(read)), noObjectAt('webhook'), evidence, check, reads);
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
    return accountFlaw(account ?? '', got, 'the same settings in every read');
  };
  return eachRead(evidence, check, ownReads(evidence));
}

function undescribedMember(webhook: JsonObject): Flaw | null {
  return firstWrong(Object.entries<readonly string[]>(MEMBERS), ([path, members]) => {
    const names = path.split('.').filter(Boolean);
    const object = memberAt(webhook, ...names);
    const extra = isObject(object) ? Object.keys(object).find((name) => !members.includes(name)) : undefined;
    if (extra === undefined) return null;
    return memberFlaw([...names, extra].join('.'), 'a member that the description does not name', 'no such member');
  });
}

/** Judges `hasPassword` of the accounts that are declared to have, or not to have, a stored password. */
function hasPasswordIs(stored: boolean) {
  const quantity = stored ? 'a' : 'no';
  return ofDeclared(
    ({ hasPassword }) => hasPassword === stored,
    `Declare an account with \`hasPassword: ${stored}\` in the target file: one that has ${quantity} password stored.`,
    (reads, evidence) =>
      eachRead(
        evidence,
        (read) =>
          // settings.has-password-type judges values that are not boolean.
          bodyAt(read, 'webhook', 'auth', 'basic', 'hasPassword') === !stored
            ? memberFlaw(
                'auth.basic.hasPassword',
                `${!stored} for ${read.account}, which is declared to have ${quantity} password stored`,
                String(stored),
              )
            : null,
        reads,
      ),
  );
}

/** What a described member may hold, as a test and in words. */
interface Form {
  fits: (served: unknown, webhook: unknown) => boolean;
  form: string;
}

const BOOLEAN: Form = { fits: (served) => typeof served === 'boolean', form: 'true or false' };
const ADDRESS: Form = {
  fits: (served) => typeof served === 'string' && isHttpUrl(served),
  form: 'an http or https address',
};
/** Only where the API-key scheme is in use may its members hold a value. */
const OF_APIKEY: Form = {
  fits: (served, webhook) => served === null || (served !== undefined && memberAt(webhook, 'auth', 'type') !== 'basic'),
  form: 'null, unless the API-key scheme is in use',
};

const FORMS = new Map<string, Form>([
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

/** Whether a served value has its member's form. A missing object breaks its own clause; other members are free. */
function isWellFormed(path: string, served: unknown, webhook?: unknown): boolean {
  return FORMS.get(path)?.fits(served, webhook) ?? !isMemberPath(path);
}

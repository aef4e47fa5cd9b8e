/** The settings clauses: the document of GET /webhooks (API description, section 2.1). */

import { KINDS, MEMBERS } from '../contract/settings';
import type { Evidence, Exchange } from '../evidence/exchange';
import { whyNotSent } from '../evidence/groups';
import { valuesOf } from '../evidence/headers';
import { duplicateMembers, isObject, memberAt, parsed, stringsIn, unreadable } from '../evidence/json';
import { markersIn, withoutMarkers } from '../evidence/markers';
import { describedOf, differences, ownReads } from '../evidence/reads';
import { isHttpUrl } from '../evidence/url';
import { each, type Finding, judged, notTested, type Rules } from './finding';

export const settingsRules: Rules = {
  'settings.json': {
    needs: ['read'],
    judge(evidence) {
      return eachRead(evidence, (read) => {
        if (read.response?.bodyEncoding === 'base64') return 'a body that is not UTF-8';
        const body = read.response?.body ?? '';
        if (body === '') return 'an empty body';
        if (body.startsWith('\uFEFF')) return 'a body that begins with a byte order mark, which is no JSON';
        const wrong = unreadable(body);
        if (wrong !== null) return wrong;
        const twice = duplicateMembers(body);
        return twice.length > 0 ? `the member "${twice[0]}" twice in one object` : null;
      });
    },
  },

  'settings.content-type': {
    needs: ['read'],
    judge(evidence) {
      return eachRead(evidence, (read) => {
        const types = valuesOf(read, 'Content-Type');
        const essence = (types[0] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
        const isJsonType =
          types.length === 1 &&
          (essence === 'application/json' || essence === 'text/json' || /^[^/]+\/[^/]+\+json$/.test(essence));
        return isJsonType ? null : types.length === 0 ? 'no Content-Type' : `Content-Type: ${types.join(', ')}`;
      });
    },
  },

  'settings.envelope': {
    needs: ['read'],
    judge(evidence) {
      const readable = ownReads(evidence).filter((read) => at(read) !== undefined);
      if (readable.length === 0 && ownReads(evidence).length > 0)
        return notTested('No document is JSON (settings.json).');
      return each(readable, noRead(evidence), (read) => {
        const document = at(read);
        if (!isObject(document)) return `${kindOf(document)} instead of an object`;
        if (!isObject(document.webhook))
          return `webhook: ${'webhook' in document ? kindOf(document.webhook) : 'no such member'}`;
        const others = Object.keys(document).filter((name) => name !== 'webhook');
        return others.length > 0 ? `the member "${others[0]}" beside "webhook"` : null;
      });
    },
  },

  'settings.kinds': {
    needs: ['read'],
    judge: eachParent(['webhook'], (webhook) =>
      firstWrong(KINDS, (kind) => (isObject(webhook[kind]) ? null : `${kind}: ${shown(webhook[kind])}`)),
    ),
  },

  'settings.kind-status': {
    needs: ['read'],
    judge: eachKind(({ status }, kind) => (typeof status === 'boolean' ? null : `${kind}.status: ${shown(status)}`)),
  },

  'settings.kind-url': {
    needs: ['read'],
    judge: eachKind(({ url }, kind) =>
      typeof url === 'string' && isHttpUrl(url) ? null : `${kind}.url: ${shown(url)}`,
    ),
  },

  'settings.auth-status': {
    needs: ['read'],
    judge: eachParent(['webhook'], ({ auth }) => {
      if (!isObject(auth)) return `auth: ${shown(auth)}`;
      return typeof auth.status === 'boolean' ? null : `auth.status: ${shown(auth.status)}`;
    }),
  },

  'settings.auth-type': {
    needs: ['read'],
    judge: eachParent(['webhook', 'auth'], ({ type }) =>
      typeof type === 'string' && type !== '' ? null : `auth.type: ${shown(type)}`,
    ),
  },

  'settings.basic': {
    needs: ['read'],
    judge: eachParent(['webhook', 'auth'], ({ basic }) => {
      if (!isObject(basic)) return `auth.basic: ${shown(basic)}`;
      const missing = ['username', 'password', 'hasPassword'].filter((member) => !(member in basic));
      return missing.length > 0 ? `auth.basic without "${missing[0]}"` : null;
    }),
  },

  'settings.username': {
    needs: ['read'],
    judge: eachParent(['webhook', 'auth', 'basic'], ({ username }) =>
      // Whether it is there at all is for settings.basic.
      username === undefined || username === null || typeof username === 'string'
        ? null
        : `auth.basic.username: ${kindOf(username)}, ${shown(username)}`,
    ),
  },

  'settings.password-null': {
    needs: ['read'],
    judge: eachParent(['webhook', 'auth', 'basic'], (basic) =>
      basic.password === null
        ? null
        : `auth.basic.password: ${basic.password === undefined ? 'no such member' : `${kindOf(basic.password)} where null must stand`}`,
    ),
  },

  /** Judged on every response of the run, headers included. */
  'settings.password-absent': {
    needs: ['read', 'missing-key', 'unknown-key'],
    judge(evidence) {
      // What came of a broken answer may hold it as well.
      const answered = evidence.exchanges.filter((one) => one.response !== null);
      const elsewhere = heldElsewhere(evidence);
      const breaches = answered.flatMap((one) => {
        const came = leakIn(one, evidence, elsewhere);
        return came === null ? [] : [{ exchanges: [one], came }];
      });
      const finding = answered.length > 0 ? judged(answered, breaches) : notTested('Nothing was answered.');
      const declared = evidence.target.accounts.some((account) => account.passwordDeclared);
      if (declared || finding.breaches.length > 0 || finding.notTested) return finding;
      return {
        ...notTested(
          'Declare the stored `password` of an account in the target file: it is looked for in every response.',
        ),
        evidence: finding.evidence,
      };
    },
  },

  'settings.has-password-type': {
    needs: ['read'],
    judge: eachParent(['webhook', 'auth', 'basic'], ({ hasPassword }) =>
      hasPassword === undefined || typeof hasPassword === 'boolean'
        ? null
        : `auth.basic.hasPassword: ${shown(hasPassword)}`,
    ),
  },

  'settings.has-password-stored': {
    needs: ['read'],
    judge: hasPasswordIs(true),
  },

  'settings.has-password-not-stored': {
    needs: ['read'],
    judge: hasPasswordIs(false),
  },

  'settings.apikey': {
    needs: ['read'],
    judge: eachParent(['webhook', 'auth'], ({ apikey }) => {
      if (!isObject(apikey)) return `auth.apikey: ${shown(apikey)}`;
      const missing = ['header', 'apikey'].filter((member) => !(member in apikey));
      return missing.length > 0 ? `auth.apikey without "${missing[0]}"` : null;
    }),
  },

  'settings.apikey-unused': {
    needs: ['read'],
    judge(evidence) {
      const reads = ownReads(evidence);
      const unused = reads.filter((read) => {
        const declared = evidence.target.accounts.find((account) => account.name === read.account)?.settings;
        return at(read, 'webhook', 'auth', 'type') === 'basic' || memberAt(declared, 'auth', 'type') === 'basic';
      });
      if (reads.length > 0 && unused.length === 0) {
        return notTested('Every account uses another scheme than "basic": declare one whose `auth.type` is "basic".');
      }
      return each(unused, noRead(evidence), (read) => {
        const apikey = at(read, 'webhook', 'auth', 'apikey');
        if (!isObject(apikey)) return null;
        return firstWrong(['header', 'apikey'], (member) =>
          apikey[member] === null || apikey[member] === undefined
            ? null
            : `auth.apikey.${member}: ${shown(apikey[member])} though the scheme is "basic"`,
        );
      });
    },
  },

  'settings.as-configured': {
    needs: ['read'],
    judge(evidence) {
      const declared = new Map(
        evidence.target.accounts.filter((one) => one.settings !== undefined).map((one) => [one.name, one.settings]),
      );
      if (declared.size === 0) {
        return notTested(
          'Declare `settings` of an account in the target file: what is configured there is compared with what is served.',
        );
      }
      const reads = ownReads(evidence).filter((read) => declared.has(read.account ?? ''));
      const readable = reads.filter((read) => isObject(at(read, 'webhook')));
      if (reads.length > 0 && readable.length === 0)
        return notTested('No document holds an object at webhook: the clauses of its form say what is wrong.');
      return each(readable, noRead(evidence), (read) => {
        const webhook = at(read, 'webhook');
        const [first] = differences(declared.get(read.account ?? ''), webhook).filter(({ path, served }) =>
          isWellFormed(path, served, webhook),
        );
        return first
          ? `${first.path}: ${shown(first.served)} for ${read.account}, declared as ${shown(first.declared)}`
          : null;
      });
    },
  },

  'settings.stable': {
    needs: ['read', 'together'],
    judge(evidence) {
      const firsts = new Map<string, { settings: string; read: Exchange }>();
      return eachRead(evidence, (read) => {
        const settings = describedOf(read);
        if (settings === null) return null;
        const first = firsts.get(read.account ?? '');
        if (!first) firsts.set(read.account ?? '', { settings, read });
        return !first || first.settings === settings
          ? null
          : `other settings of ${read.account} than its first read gave (entry ${first.read.index})`;
      });
    },
  },

  'settings.no-extra': {
    needs: ['read'],
    judge: eachParent(['webhook'], (webhook) => {
      for (const [path, members] of Object.entries<readonly string[]>(MEMBERS)) {
        const object = path === '' ? webhook : memberAt(webhook, ...path.split('.'));
        const extra = isObject(object) ? Object.keys(object).find((name) => !members.includes(name)) : undefined;
        if (extra !== undefined)
          return `the member "${path ? `${path}.` : ''}${extra}", which the description does not name`;
      }
      return null;
    }),
  },
};

/** Judges every accepted read; `check` says what is wrong with a document, or `null`. */
function eachRead(evidence: Evidence, check: (read: Exchange) => string | null): Finding {
  return each(ownReads(evidence), noRead(evidence), check);
}

function noRead(evidence: Evidence): string {
  return whyNotSent(
    evidence,
    'read',
    'GET /webhooks was never accepted, so there is no document to judge (auth.accepted)',
  );
}

/**
 * Judges a member of every document whose parent is there; where it is nowhere, the clause of the parent fails
 * and this one has nothing to judge.
 */
function eachParent(parent: string[], check: (parent: Record<string, unknown>, read: Exchange) => string | null) {
  return (evidence: Evidence): Finding => {
    const reads = ownReads(evidence);
    const having = reads.filter((read) => isObject(at(read, ...parent)));
    if (reads.length > 0 && having.length === 0) {
      return notTested(
        `No document holds an object at ${parent.join('.')}: the clauses of its parents say what is wrong.`,
      );
    }
    return each(having, noRead(evidence), (read) => check(at(read, ...parent) as Record<string, unknown>, read));
  };
}

function at(read: Exchange, ...path: string[]): unknown {
  return memberAt(parsed(read.response?.body ?? ''), ...path);
}

function shown(value: unknown): string {
  if (value === undefined) return 'no such member';
  const text = JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 77)}…` : text;
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'an array' : typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

function firstWrong<T>(items: readonly T[], check: (item: T) => string | null): string | null {
  for (const item of items) {
    const wrong = check(item);
    if (wrong !== null) return wrong;
  }
  return null;
}

/** Judges a member of each kind that is an object. */
function eachKind(check: (setting: Record<string, unknown>, kind: string) => string | null) {
  return eachParent(['webhook'], (webhook) =>
    firstWrong(KINDS, (kind) => {
      const setting = webhook[kind];
      return isObject(setting) ? check(setting, kind) : null;
    }),
  );
}

/** Judges `hasPassword` of the accounts that are declared to have, or not to have, a stored password. */
function hasPasswordIs(stored: boolean) {
  return (evidence: Evidence): Finding => {
    const declared = evidence.target.accounts
      .filter((account) => account.hasPassword === stored)
      .map((account) => account.name);
    if (declared.length === 0) {
      return notTested(
        `Declare an account with \`hasPassword: ${stored}\` in the target file: one that has ${stored ? 'a' : 'no'} password stored.`,
      );
    }
    const reads = ownReads(evidence).filter((read) => declared.includes(read.account ?? ''));
    return each(reads, noRead(evidence), (read) => {
      const served = at(read, 'webhook', 'auth', 'basic', 'hasPassword');
      // Another type is for settings.has-password-type.
      return typeof served !== 'boolean' || served === stored
        ? null
        : `hasPassword: ${served} for ${read.account}, which has ${stored ? 'a' : 'no'} password stored`;
    });
  };
}

/** What a described member may hold; a value of another form is for the clause of that form, and not a wrong setting. */
function isWellFormed(path: string, served: unknown, webhook: unknown): boolean {
  if (/^(?:start|submission|updates|auth)\.status$/.test(path) || path === 'auth.basic.hasPassword')
    return typeof served === 'boolean';
  if (/^(?:start|submission|updates)\.url$/.test(path)) return typeof served === 'string' && isHttpUrl(served);
  if (path === 'auth.type') return typeof served === 'string' && served !== '';
  if (path === 'auth.basic.username') return typeof served === 'string' || served === null;
  if (path === 'auth.basic.password') return served === null;
  if (/^auth\.apikey\.(?:header|apikey)$/.test(path)) {
    return served === null || (served !== undefined && memberAt(webhook, 'auth', 'type') !== 'basic');
  }
  // Whole objects are missing where their own clauses say so; members beside the description are as declared.
  return !/^(?:start|submission|updates|auth|auth\.basic|auth\.apikey)$/.test(path);
}

/** Names that speak of a password or secret, of members that the description does not have. */
const SECRET_NAME = /passw(?:or)?d|passphrase|passcode|\bpwd\b|^pw$|secret/i;

/** What may rightly equal a password, where no settings are declared. */
const MAY_EQUAL = ['auth.basic.username', 'auth.type', 'auth.apikey.header', 'auth.apikey.apikey'];
const WHOLE_PASSWORD = /^\[secret:password:[^\]]+\]$/;
/** The same in what is no JSON. */
const USERNAME_IN_TEXT = /username["'\s]*[:=]\s*["']?\[secret:password:[^\]]+\]/gi;

/** The accounts whose password equals what their settings rightly hold, such as the user name: it tells nothing. */
function heldElsewhere(evidence: Evidence): Set<string> {
  const documents = [
    ...evidence.target.accounts.map(({ settings }) => settings),
    ...ownReads(evidence).map((read) => at(read, 'webhook')),
  ];
  const held = documents.flatMap((document) => MAY_EQUAL.map((path) => memberAt(document, ...path.split('.'))));
  return new Set(
    held.flatMap((value) =>
      typeof value === 'string' && WHOLE_PASSWORD.test(value) ? (passwordMarker(value) ?? []) : [],
    ),
  );
}

function leakIn(exchange: Exchange, evidence: Evidence, elsewhere: ReadonlySet<string>): string | null {
  const { headers = [], aside = [], body = '', statusText = '' } = exchange.response ?? {};
  for (const [name, value] of [...headers, ...aside, ['the status line', statusText] as const]) {
    const leaked = passwordMarker(`${name}\n${value}`, elsewhere);
    if (leaked) return `the stored password of ${leaked} in ${withoutMarkers(name)}`;
  }
  const document = parsed(body);
  if (document === undefined) {
    const leaked = passwordMarker(body.replace(USERNAME_IN_TEXT, ''), elsewhere);
    return leaked ? `the stored password of ${leaked} in the body` : null;
  }
  // A member that stands twice shadows the first from JSON.parse, so the text is searched for what parsing hides.
  const counted = [...stringsIn(document)].filter(({ text }) => passwordMarker(text) !== null);
  for (const { path, text } of counted) {
    if (!rightlyHolds(path, text, exchange, evidence))
      return `the stored password of ${passwordMarker(text)} in ${path}`;
  }
  const inText = markersIn(body).filter((marker) => marker.kind === 'password').length;
  const inValues = counted.reduce(
    (sum, { text }) => sum + markersIn(text).filter((marker) => marker.kind === 'password').length,
    0,
  );
  if (inText > inValues)
    return 'a stored password in a member that another of the same name hides, or in a member name';
  for (const { path } of stringsIn(document)) {
    const name = path.split('.').at(-1) ?? '';
    const isDescribed = /^webhook\.auth\.basic\.(?:password|hasPassword)$/.test(path);
    if (!isDescribed && SECRET_NAME.test(name))
      return `a string in the member "${path}", whose name speaks of a secret`;
  }
  return null;
}

/** Whose password stands in a text; a plain one of those excused does not count. */
function passwordMarker(text: string, excused: ReadonlySet<string> = new Set()): string | null {
  const found = markersIn(text).find(
    ({ kind, name, form }) => kind === 'password' && !(form === undefined && excused.has(name)),
  );
  return found?.name ?? null;
}

/**
 * A described member may rightly hold what is also somebody's password: a username that equals it. Where the
 * settings are declared they decide; else a whole value outside `password` is given the benefit of the doubt.
 */
function rightlyHolds(path: string, text: string, exchange: Exchange, { target }: Evidence): boolean {
  const below = path.replace(/^webhook\./, '');
  const concerned = [exchange.account, passwordMarker(text)];
  return target.accounts
    .filter(({ name }) => exchange.account === null || concerned.includes(name))
    .map(({ settings }) => memberAt(settings, ...below.split('.')))
    .some((declared) =>
      declared === undefined ? MAY_EQUAL.includes(below) && WHOLE_PASSWORD.test(text) : declared === text,
    );
}

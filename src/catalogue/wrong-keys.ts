/** The groups without a valid key in the `apiKey` header, which a server rejects (API description, section 5). */
import { randomBytes } from 'node:crypto';
import { madeUpLike, noSuchPath, withAnotherLast } from './made-up-keys';
import type { Form, GroupRecord } from './record';

const bare: Form = { sends: () => ({}) };

/** A key that looks like that of the first account. */
const madeUp: Form = {
  words: 'to a key that was never issued',
  sends: ({ accounts: [first] }) => ({ headers: [['apiKey', madeUpLike(first?.apiKey ?? '')]] }),
};

const issuedToNobody = (make: () => string): Form => ({ sends: () => ({ headers: [['apiKey', make()]] }) });

const atTheBase = (form: Form): Form => ({
  ...form,
  sends: (keys, holder) => ({ ...form.sends(keys, holder), path: '/' }),
});

/** A valid key, altered. Left out if the result is a valid key, or the same as for an earlier account. */
function altered(
  name: string,
  words: string,
  alter: (key: string) => string,
  more: Pick<Form, 'shell' | 'rank' | 'isNearMiss'> = {},
): Record<string, Form> {
  const sends: Form['sends'] = ({ accounts, derived }, { name: account, apiKey }) => {
    const value = alter(apiKey);
    const isAKey = value === '' || accounts.some((other) => other.apiKey === value);
    // Numbered keys share their beginning.
    const isKnown = accounts.find((other) => alter(other.apiKey) === value)?.name !== account;
    return isAKey || isKnown ? null : { headers: [['apiKey', derived(account, name, value)]] };
  };
  return { [name]: { words, sends, ...more } };
}

/** Other headers in which a server may look for a key, each with the text before the key. */
const CARRIERS = {
  bearer: ['Authorization', 'Bearer '],
  xApiKey: ['X-API-Key', ''],
  apiKey: ['Api-Key', ''],
  cookie: ['Cookie', 'apiKey='],
} as const;

/** A valid key in another header, on both paths. */
export function carried(
  name: string,
  words: string,
  [header, before]: readonly [header: string, before: string],
  more: Pick<Form, 'rank'> = {},
): Record<string, Form> {
  const sends: Form['sends'] = ({ valid }, holder) => ({ headers: [[header, before + valid(holder.name)]] });
  return {
    [name]: { words, sends, ...more },
    [`base-${name}`]: atTheBase({ words: `${words} on the base path`, sends }),
  };
}

function withFirstLetterEncoded(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname.replace(/[a-z]/i, (letter) => `%${letter.charCodeAt(0).toString(16)}`);
}

const method = (name: string, isSafe = false): Record<string, Form> => ({
  [name]: { sends: () => ({ method: name }), ...(isSafe ? {} : { isRisky: true }) },
});

const swapped = (character: string) =>
  character === character.toLowerCase() ? character.toUpperCase() : character.toLowerCase();

const rejected = { key: 'none', answer: 'rejected', sent: 'once' } as const;
const follows = {
  ...rejected,
  parts: ['account'],
  buildsOn: 'read',
  sent: 'open',
  followsARead: true,
  forms: { '': bare },
} as const;

const inUrl: Form['sends'] = ({ derived }, { name, apiKey }) => ({
  path: `/webhooks?apiKey=${derived(name, 'percent', encodeURIComponent(apiKey))}`,
});

/** In the order of sending, as far as `rank` leaves it open. */
export const wrongKeys = {
  'missing-key': { ...rejected, parts: [], rank: 0, forms: { '': bare } },
  'empty-key': {
    ...rejected,
    parts: [],
    rank: 2,
    words: () => 'to an empty apiKey header',
    forms: { '': { sends: () => ({ headers: [['apiKey', '']] }) } },
  },
  'unknown-key': {
    ...rejected,
    parts: ['form'],
    rank: 2,
    words: () => madeUp.words ?? '',
    forms: {
      1: madeUp,
      2: issuedToNobody(() => randomBytes(16).toString('hex')),
      3: issuedToNobody(() => 'invalid'),
      // Careless clients send these, and careless servers compare them with an account that has no key.
      undefined: issuedToNobody(() => 'undefined'),
      null: issuedToNobody(() => 'null'),
    },
  },
  'altered-key': {
    ...rejected,
    parts: ['account', 'form'],
    words: (account, form) => `to the key of ${account} with ${form}`,
    forms: {
      ...altered('last-character-changed', 'its last character changed', withAnotherLast, {
        isNearMiss: true,
      }),
      ...altered('last-character-dropped', 'its last character dropped', (key) => key.replace(/.=*$/, ''), {
        shell: (key) => `$(printf %s "$${key}" | sed 's/.=*$//')`,
      }),
      ...altered('character-appended', 'a character appended', (key) => `${key}x`, {
        shell: (key) => `\${${key}}x`,
      }),
      ...altered('first-half', 'nothing but its first half', (key) => key.slice(0, Math.floor(key.length / 2)), {
        shell: (key) => `$(printf %s "$${key}" | head -c $((\${#${key}} / 2)))`,
      }),
      ...altered('case-swapped', 'its letter case swapped', (key) => [...key].map(swapped).join(''), {
        shell: (key) => `$(printf %s "$${key}" | tr A-Za-z a-zA-Z)`,
        rank: 1,
        isNearMiss: true,
      }),
    },
  },
  'other-carrier': {
    ...rejected,
    parts: ['account', 'form'],
    words: (account, form) => `to the key of ${account} sent as ${form}, without the apiKey header`,
    forms: {
      ...carried('authorization-bearer', 'Authorization: Bearer', CARRIERS.bearer, { rank: 1 }),
      ...carried('authorization-apikey', 'Authorization: ApiKey', ['Authorization', 'ApiKey ']),
      ...carried('x-api-key', 'X-API-Key', CARRIERS.xApiKey, { rank: 1 }),
      ...carried('api-key', 'Api-Key', CARRIERS.apiKey),
      ...carried('cookie', 'a cookie', CARRIERS.cookie),
    },
  },
  'key-in-url': {
    ...rejected,
    parts: ['account'],
    words: (account) => `to the key of ${account} in the URL, without the apiKey header`,
    forms: { '': { isRisky: true, sends: inUrl } },
  },
  'base-rejected': {
    ...rejected,
    parts: ['form'],
    words: (_, form) => `${form}, on the base path`,
    forms: {
      'missing-key': atTheBase({ ...bare, words: 'without a key' }),
      'unknown-key': atTheBase(madeUp),
    },
  },
  'every-path': {
    ...rejected,
    answer: 'not-served',
    parts: ['form'],
    words: (_, form) => `without a key, at ${form || 'a path that does not exist'}`,
    forms: {
      '': { sends: () => ({ path: noSuchPath() }) },
      'slash-behind': { words: '/webhooks/ with a slash behind', sends: () => ({ path: '/webhooks/' }) },
      'two-slashes': { words: '//webhooks with two slashes', sends: () => ({ path: '//webhooks' }) },
      'first-segment-encoded': {
        words: 'a path with a percent-encoded letter in its first segment',
        sends: ({ baseURL }) => ({ path: `${withFirstLetterEncoded(baseURL)}/webhooks` }),
      },
      'last-segment-encoded': {
        words: '/%77ebhooks with a percent-encoded letter',
        sends: () => ({ path: '/%77ebhooks' }),
      },
      'json-behind': { words: '/webhooks.json', sends: () => ({ path: '/webhooks.json' }) },
    },
  },
  /** OPTIONS is a preflight's and may be accepted. */
  'every-method': {
    ...rejected,
    answer: 'not-served',
    parts: ['form'],
    words: (_, form) => `to ${form} without a key`,
    forms: {
      ...method('HEAD', true),
      ...method('OPTIONS', true),
      ...method('POST'),
      ...method('PUT'),
      ...method('PATCH'),
      ...method('DELETE'),
    },
  },
  /** On the connection and with the cookies of an accepted read. */
  session: {
    ...follows,
    forms: {
      '': {
        sends({ cookies }, { name }) {
          const line = cookies?.(name) ?? null;
          return line === null ? {} : { headers: [['Cookie', line]] };
        },
      },
    },
    words: (account) => `without a key, on the connection and with the cookies of an accepted request of ${account}`,
  },
  /** A few at one moment, behind a guard only one, each over a new connection: threads are bound to no connection. */
  'between-reads': {
    ...follows,
    parts: ['account', 'trial'],
    buildsOn: 'header-case',
    sent: 'between',
    words: (account) => `without a key, on a new connection, some time after an accepted request of ${account}`,
  },
  /** Over the connection on which a read follows. */
  'wrong-key-before': {
    ...rejected,
    parts: ['account'],
    buildsOn: 'read',
    sent: 'between',
    words: (account) => `to a key that was never issued, on the connection of the next read of ${account}`,
    forms: { '': { sends: madeUp.sends } },
  },
  /** Over a connection of its own, at once after an accepted read. */
  'after-accepted': {
    ...follows,
    words: (account) => `without a key, on a connection of its own, at once after an accepted request of ${account}`,
  },
} as const satisfies Record<string, GroupRecord>;

const watch = { key: 'none', answer: 'observed', parts: ['trial'], sent: 'if-needed', forms: { '': bare } } as const;

/** The groups that show who answers. */
export const watches = {
  /** Many at one moment, right before `together`. Its account is `all`, and its form the name of the repeated probe. */
  keyless: { ...watch, parts: ['account', 'trial', 'form'], sent: 'open', forms: {} },
  /** In floods alone: the key in all places but the `apiKey` header, where a limiter before authentication may find it. */
  'every-carrier': {
    ...watch,
    parts: ['account'],
    words: (account) => `to the key of ${account} in all places but the apiKey header`,
    forms: {
      '': {
        isNearMiss: true,
        sends: (keys, holder) => ({
          ...(keys.isRiskAllowed && inUrl(keys, holder)),
          headers: Object.values(CARRIERS).map(
            ([header, before]) => [header, before + keys.valid(holder.name)] as const,
          ),
        }),
      },
    },
  },
  /** The first request without a key, sent again. */
  guard: { ...watch },
  /** Sent to a server that accepts nothing any more. */
  alive: { ...watch },
} as const satisfies Record<string, GroupRecord>;

/** The groups with a valid key in the `apiKey` header, and those without a request. */
import { randomInt } from 'node:crypto';
import { noSuchPath } from './made-up-keys';
import type { Asked, Form, GroupRecord } from './record';

/** The key in the `apiKey` header, or in one with another spelling. */
const withKey = (path = '/webhooks', header = 'apiKey'): Form => ({
  sends: ({ valid }, { name }) => ({ path, headers: [[header, valid(name)]] }),
});

const asked = (words: string, other: () => Asked): Form => ({
  words,
  sends: ({ valid }, { name }) => {
    const { headers = [], ...rest } = other();
    return { ...rest, headers: [['apiKey', valid(name)], ...headers] };
  },
});

/** As `asked`, but only with the key of an account whose stored password is declared. */
const ofAHolder = (other: () => Asked, words = ''): Form => {
  const form = asked(words, other);
  return { ...form, sends: (keys, holder) => (holder.hasKnownPassword ? form.sends(keys, holder) : null) };
};

const spelled = (path?: string): Record<string, Form> => ({
  APIKEY: withKey(path, 'APIKEY'),
  apikey: withKey(path, 'apikey'),
  ApiKey: withKey(path, 'ApiKey'),
});

/** The settings under another version than v2, or under none (API description, section 9). */
const version = (segment: string): Form => ({
  sends: ({ baseURL, valid }, { name }) =>
    /\/v2$/.test(baseURL)
      ? { path: `${baseURL.replace(/\/v2$/, segment)}/webhooks`, headers: [['apiKey', valid(name)]] }
      : null,
});

const read = { '': withKey() };
const accepted = { key: 'valid', answer: 'accepted' } as const;
/** Sent by any one account. */
const dealt = { ...accepted, parts: ['account', 'form'], buildsOn: 'read', sent: 'dealt' } as const;
/** Spellings that a limiter may overlook. Their answers are not described. */
const respelled = { answer: 'observed', isRespelled: true } as const;
const trial = { ...accepted, parts: ['account', 'trial'], forms: read } as const;
const limit = { ...trial, buildsOn: 'read', sent: 'limit', isAtTheLimit: true } as const;

export const validKeys = {
  /** One account right after another. */
  read: { ...accepted, parts: ['account'], sent: 'declared', forms: read },
  /** All accounts at the same moment, right after a flood of wrong keys. */
  together: { ...trial, buildsOn: 'read', sent: 'open' },
  'header-case': {
    ...dealt,
    mayOpen: true,
    words: (_, form) => `to the valid key in a header named ${form}`,
    forms: spelled(),
  },
  'base-accepted': {
    ...dealt,
    mayOpen: true,
    words: (account, form) => `to the valid key of ${account}${form && ` in a header named ${form}`} on the base path`,
    // Another spelling is sent if that saves a request: where it is accepted, it shows both.
    forms: { '': withKey('/'), ...spelled('/') },
  },
  /** Conformant servers reject these, so they do not show when the limiter accepts again. */
  version: {
    ...dealt,
    answer: 'observed',
    // A server may keep a former version for some customers.
    forms: { v0: { ...version('/v0'), isOfEachAccount: true }, v999: version('/v999'), unversioned: version('') },
  },
  /** The answer may leak what the account stores, so an account with a declared password asks. */
  'unknown-path': {
    ...dealt,
    answer: 'observed',
    words: (account) => `to the valid key of ${account} at a path that does not exist`,
    forms: { '': ofAHolder(() => ({ path: noSuchPath() })) },
  },
  /** As `unknown-path`. HEAD is sent alone, and the others last, with `respelled`. */
  'other-answers': {
    ...dealt,
    ...respelled,
    words: (account, form) => `to the valid key of ${account} ${form}`,
    forms: {
      HEAD: ofAHolder(() => ({ method: 'HEAD' }), 'with HEAD'),
      OPTIONS: ofAHolder(() => ({ method: 'OPTIONS' }), 'with OPTIONS'),
      'slash-behind': ofAHolder(() => ({ path: '/webhooks/' }), 'at /webhooks/ with a slash behind'),
    },
  },
  /** One after another without a pause, then further apart. */
  sequence: { ...limit, bursts: 'one-by-one' },
  /** At one moment, with every accepted spelling of the header. A sequence shows how many requests are needed. */
  concurrent: { ...limit, buildsOn: 'sequence', bursts: 'at-once', forms: { ...read, ...spelled() } },
  /** One request as soon as the last refusal of a `concurrent` allows it. */
  recovery: { ...limit, buildsOn: 'concurrent', sent: 'recovering' },
  /** A read, and another one as soon as its Reset has passed, if that is sooner than a window. */
  promise: { ...trial, buildsOn: 'read', sent: 'if-needed', isAtTheLimit: true },
  /** Reads, and right after them a request to the base path. */
  paths: { ...limit, buildsOn: 'base-accepted', forms: { ...read, base: withKey('/') } },
  /** Spellings that a careless limiter does not count, at one moment with plain reads, when the budget is used up. */
  respelled: {
    ...respelled,
    key: 'valid',
    parts: ['account', 'trial', 'form'],
    buildsOn: 'read',
    sent: 'dealt',
    words: (account, form) => `to the valid key of ${account} ${form}`,
    forms: {
      plain: { ...withKey(), words: 'as described' },
      HEAD: asked('with HEAD', () => ({ method: 'HEAD' })),
      query: asked('with a query', () => ({ path: `/webhooks?x=${randomInt(1e9)}` })),
      'slash-behind': asked('at /webhooks/ with a slash behind', () => ({ path: '/webhooks/' })),
      'two-slashes': asked('at //webhooks with two slashes', () => ({ path: '//webhooks' })),
      // Addresses of the machine itself are often exempt.
      'forwarded-for-itself': asked('with an X-Forwarded-For of 127.0.0.1', () => ({
        headers: [['X-Forwarded-For', '127.0.0.1']],
      })),
      // An address for documentation (RFC 5737), another one each time.
      'forwarded-for': asked('with a made-up X-Forwarded-For', () => ({
        headers: [['X-Forwarded-For', `203.0.113.${randomInt(1, 255)}`]],
      })),
    },
  },
  /** The triggers of notification kinds. They lead to deliveries, not to exchanges. */
  events: { answer: 'observed', parts: [], buildsOn: 'read', sent: 'if-needed', forms: {} },
} as const satisfies Record<string, GroupRecord>;

/** The groups that find the reason of a refusal, and those that are names without a request. */
export const diagnoses = {
  /** A read while another account's budget is used up and nothing else is under way. */
  neighbour: { ...trial, sent: 'if-needed' },
  /** Two reads a window apart while nothing else is under way. */
  apart: { ...trial, sent: 'if-needed' },
  /** A read now and then, while all valid keys are refused after wrong keys. */
  ban: { ...trial, sent: 'if-needed' },
  /** An account whose key is not accepted. */
  account: { answer: 'observed', parts: ['account'], sent: 'if-needed', forms: {} },
  /** The url of a kind, its form. Noted if the way there is closed or unknown. */
  'receiver-check': { answer: 'observed', parts: ['account', 'form'], sent: 'if-needed', forms: {} },
  /** Its form is the test's title, shortened by `slugOf`. */
  own: { answer: 'observed', parts: ['form'], sent: 'if-needed', forms: {} },
} as const satisfies Record<string, GroupRecord>;

/** The groups with a valid key in the `apiKey` header, and those without a request of the suite. */
import { randomInt } from 'node:crypto';
import { noSuchPath } from './made-up-keys';
import type { Asked, Form, GroupRecord } from './record';

/** The key in the `apiKey` header, or in one whose name is spelt otherwise. */
const withKey = (path = '/webhooks', header = 'apiKey'): Form => ({
  sends: ({ valid }, { name }) => ({ path, headers: [[header, valid(name)]] }),
});

/** What differs from a read with the key of an account. */
const asked = (words: string, other: () => Asked): Form => ({
  words,
  sends: ({ valid }, { name }) => {
    const { headers = [], ...rest } = other();
    return { ...rest, headers: [['apiKey', valid(name)], ...headers] };
  },
});

/** The same, with the key of an account whose stored password is declared. */
const ofAHolder = (other: () => Asked, words = ''): Form => {
  const form = asked(words, other);
  return { ...form, sends: (keys, holder) => (holder.hasKnownPassword ? form.sends(keys, holder) : null) };
};

const spelled = (path?: string): Record<string, Form> => ({
  APIKEY: withKey(path, 'APIKEY'),
  apikey: withKey(path, 'apikey'),
  ApiKey: withKey(path, 'ApiKey'),
});

/** The settings below another version than v2, or below none (API description, section 9). */
const version = (segment: string): Form => ({
  sends: ({ baseURL, valid }, { name }) =>
    /\/v2$/.test(baseURL)
      ? { path: `${baseURL.replace(/\/v2$/, segment)}/webhooks`, headers: [['apiKey', valid(name)]] }
      : null,
});

const read = { '': withKey() };
const accepted = { key: 'valid', answer: 'accepted' } as const;
/** What any one account may ask. */
const dealt = { ...accepted, parts: ['account', 'form'], buildsOn: 'read', sent: 'dealt' } as const;
const single = { isUnhurried: true } as const;
/** Ways to ask that a limiter may overlook. Nothing is described of the answer. */
const respelled = { answer: 'observed', isRespelled: true } as const;
const trial = { ...accepted, parts: ['account', 'trial'], forms: read } as const;
const limit = { ...trial, buildsOn: 'read', sent: 'limit', isAtTheLimit: true, takesTheRun: true } as const;

export const validKeys = {
  /** One account right after another. */
  read: { ...accepted, ...single, parts: ['account'], sent: 'declared', forms: read },
  /** All accounts at the same moment, right after a flood of wrong keys. */
  together: { ...trial, buildsOn: 'read', sent: 'open', isUnhurried: true, takesTheRun: true },
  'header-case': {
    ...dealt,
    ...single,
    mayOpen: true,
    words: (_, form) => `to the valid key in a header named ${form}`,
    forms: spelled(),
  },
  'base-accepted': {
    ...dealt,
    ...single,
    mayOpen: true,
    words: (account, form) => `to the valid key of ${account}${form && ` in a header named ${form}`} on the base path`,
    // Another spelling is sent where that saves a request: accepted, it shows both.
    forms: { '': withKey('/'), ...spelled('/') },
  },
  /** These are rejected, so they do not show when the limit accepts again. */
  version: {
    ...dealt,
    answer: 'observed',
    // A former version may be kept for old customers alone.
    forms: { v0: { ...version('/v0'), isOfEachAccount: true }, v999: version('/v999'), unversioned: version('') },
  },
  /** The answer may show what the account holds: asked with a key whose account has a password that can be looked for. */
  'unknown-path': {
    ...dealt,
    ...single,
    answer: 'observed',
    words: (account) => `to the valid key of ${account} at a path that does not exist`,
    forms: { '': ofAHolder(() => ({ path: noSuchPath() })) },
  },
  /** So may these. HEAD is asked alone, and OPTIONS last, with `respelled`. */
  'other-answers': {
    ...dealt,
    ...respelled,
    words: (account, form) => `to the valid key of ${account} ${form}`,
    forms: {
      HEAD: ofAHolder(() => ({ method: 'HEAD' }), 'with HEAD'),
      OPTIONS: ofAHolder(() => ({ method: 'OPTIONS' }), 'with OPTIONS'),
    },
  },
  /** One after another without a pause, then further apart. */
  sequence: { ...limit, bursts: 'one-by-one' },
  /** At one moment, under every spelling of the header that was accepted. A sequence shows how many are needed. */
  concurrent: { ...limit, buildsOn: 'sequence', bursts: 'at-once', forms: { ...read, ...spelled() } },
  /** One request as soon as the last refusal of a `concurrent` allows it. */
  recovery: { ...limit, buildsOn: 'concurrent', sent: 'recovering' },
  /** A read, and another one as soon as the first one's Reset has passed, if that is sooner than a window. */
  promise: { ...trial, buildsOn: 'read', sent: 'if-needed', isAtTheLimit: true },
  /** Reads, and right after them a request to the base path. */
  paths: { ...limit, buildsOn: 'base-accepted', forms: { ...read, base: withKey('/') } },
  /** What a careless limiter does not count, at one moment with plain reads, when the budget is used up. */
  respelled: {
    ...respelled,
    key: 'valid',
    parts: ['account', 'trial', 'form'],
    buildsOn: 'read',
    sent: 'dealt',
    takesTheRun: true,
    words: (account, form) => `to the valid key of ${account} ${form}`,
    forms: {
      plain: { ...withKey(), words: 'as described' },
      HEAD: asked('with HEAD', () => ({ method: 'HEAD' })),
      query: asked('with a query', () => ({ path: `/webhooks?x=${randomInt(1e9)}` })),
      'slash-behind': asked('at /webhooks/ with a slash behind', () => ({ path: '/webhooks/' })),
      'two-slashes': asked('at //webhooks with two slashes', () => ({ path: '//webhooks' })),
      // An address for documentation (RFC 5737), another one each time.
      'forwarded-for': asked('with a made-up X-Forwarded-For', () => ({
        headers: [['X-Forwarded-For', `203.0.113.${randomInt(1, 255)}`]],
      })),
    },
  },
  /** The triggers of notification kinds. They lead to deliveries, not to exchanges. */
  events: { answer: 'observed', parts: [], buildsOn: 'read', sent: 'if-needed', takesTheRun: true, forms: {} },
} as const satisfies Record<string, GroupRecord>;

/** What is sent along, to find the reason of a refusal; and what stands for other probes. */
export const diagnoses = {
  /** One account while another's budget is used up, with nothing else under way. */
  neighbour: { ...trial, sent: 'if-needed' },
  /** Two reads a window apart, with nothing else under way. */
  apart: { ...trial, sent: 'if-needed' },
  /** A read now and then, while the valid keys of all accounts are refused after wrong keys. */
  ban: { ...trial, sent: 'if-needed' },
  /** An account whose key is not accepted. */
  account: { answer: 'observed', parts: ['account'], sent: 'if-needed', forms: {} },
  /** To the url of a kind, its form. Noted where the way there is closed or not known. */
  'receiver-check': { answer: 'observed', parts: ['account', 'form'], sent: 'if-needed', forms: {} },
  /** Its form is the test's title, shortened by `slugOf`. */
  own: { answer: 'observed', parts: ['form'], sent: 'if-needed', forms: {} },
} as const satisfies Record<string, GroupRecord>;

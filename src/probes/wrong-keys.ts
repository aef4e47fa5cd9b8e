/** Requests without a valid key in the `apiKey` header, which must all be rejected (API description, section 5). */
import { randomBytes } from 'node:crypto';
import { type Need, type Probe, probe } from '../catalogue/probe';
import { markerOf } from '../evidence/markers';
import type { HeaderLines } from '../evidence/model';
import type { ProbeRequest, Recorder } from '../recorder/recorder';
import type { Connection } from '../recorder/transport/wire';

/** The part of a recorder that requests without a valid key are made from. */
export interface KeySource {
  target: { accounts: ReadonlyArray<{ name: string; apiKey: string }> };
  keep: Recorder['keep'];
}

/** Returns the planned requests without a valid key, in the best order to send them. They wait for nobody's budget. */
export function keylessRequests(recorder: KeySource, planned: ReadonlySet<Need>, riskyProbes: boolean): ProbeRequest[] {
  const { accounts } = recorder.target;
  const likeKey = accounts[0]?.apiKey ?? '';
  const methods = ['HEAD', 'OPTIONS', ...(riskyProbes ? ['POST', 'PUT', 'PATCH', 'DELETE'] : [])];
  const ofEach = (make: (name: string, key: string) => ProbeRequest[]) =>
    accounts.flatMap(({ name, apiKey }) => make(name, apiKey));
  const all = [
    keyless(probe('missing-key'), []),
    keyless(probe('empty-key'), [['apiKey', '']]),
    ...[madeUpLike(likeKey), randomBytes(16).toString('hex'), 'invalid'].map((key, i) =>
      keyless(probe('unknown-key', { form: `${i + 1}` }), [['apiKey', key]]),
    ),
    ...ofEach((name, key) => alteredKeys(recorder, name, key)),
    ...ofEach(otherCarriers),
    ...(riskyProbes ? ofEach((name, key) => [keyInUrl(recorder, name, key)]) : []),
    { ...keyless(probe('base-rejected', { form: 'missing-key' }), []), path: '/' },
    { ...keyless(probe('base-rejected', { form: 'unknown-key' }), [['apiKey', madeUpLike(likeKey)]]), path: '/' },
    { ...keyless(probe('every-path'), []), path: `/no-such-path-${randomBytes(4).toString('hex')}` },
    ...methods.map((method) => ({ ...keyless(probe('every-method', { form: method }), []), method })),
  ];
  const first = accounts[0]?.name;
  return all
    .filter((request) => planned.has(request.probe.group as Need))
    .sort((a, b) => rankOf(a, first) - rankOf(b, first));
}

/** The wrong keys that careless servers accept most often. */
const TELLING = ['case-swapped', 'x-api-key', 'authorization-bearer'];

/**
 * The order of sending. A guard may answer after some wrong keys, so the most telling come first: the missing key,
 * which shows the server's own rejection, then those of the first account.
 */
function rankOf({ probe: { group, account, form } }: ProbeRequest, first: string | undefined): number {
  if (group === 'missing-key') return 0;
  if (account === first && TELLING.includes(form)) return 1;
  if (group === 'unknown-key' || group === 'empty-key') return 2;
  return account === null || account === first ? 3 : 4;
}

/** A request without a valid key, and its connection where it needs a certain one. */
export interface Keyless {
  request: ProbeRequest;
  via?: Connection;
}

/** Returns a read without a valid key. */
export function keyless(sentFor: Probe, headers: HeaderLines): ProbeRequest {
  return { probe: sentFor, account: null, path: '/webhooks', headers };
}

/** Returns a random key of the same length and characters as a valid one, so that no check of form rejects it. */
export function madeUpLike(key: string): string {
  const alphabets = ['0123456789', 'abcdef', 'ghijklmnopqrstuvwxyz', 'ABCDEF', 'GHIJKLMNOPQRSTUVWXYZ'];
  const lower = /[g-z]/.test(key) ? 'abcdefghijklmnopqrstuvwxyz' : 'abcdef';
  const upper = /[G-Z]/.test(key) ? 'ABCDEFGHIJKLMNOPQRSTUVWXYZ' : 'ABCDEF';
  const random = randomBytes(key.length);
  const made = [...key]
    .map((character, i) => {
      const kind = alphabets.findIndex((alphabet) => alphabet.includes(character));
      const alphabet = kind < 0 ? character : kind === 0 ? '0123456789' : kind < 3 ? lower : upper;
      return alphabet.charAt((random[i] ?? 0) % alphabet.length);
    })
    .join('');
  // A key of signs alone cannot be varied in place, and a short one might be valid.
  return made === key || key.length < 8 ? `${made}${randomBytes(8).toString('hex')}` : made;
}

/** Requests with the valid key altered into certainly another one. Alterations that change nothing are left out. */
function alteredKeys(recorder: KeySource, name: string, key: string): ProbeRequest[] {
  const valid = new Set(recorder.target.accounts.map((account) => account.apiKey));
  const alterations: Array<[string, string]> = [
    ['last-character-changed', key.slice(0, -1) + anotherLast(key)],
    ['last-character-dropped', key.slice(0, -1)],
    ['character-appended', `${key}x`],
    ['first-half', key.slice(0, Math.floor(key.length / 2))],
    ['case-swapped', [...key].map((c) => (c === c.toLowerCase() ? c.toUpperCase() : c.toLowerCase())).join('')],
  ];
  // An altered key gives the key away, so it is kept as a secret.
  return alterations
    .filter(([, altered]) => altered !== '' && !valid.has(altered))
    .map(([form, altered]) => {
      const kept = recorder.keep(markerOf('apiKey', name, form), altered);
      return keyless(probe('altered-key', { account: name, form }), [['apiKey', kept]]);
    });
}

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/**
 * Another last character of the same kind for a key: a hexadecimal one for hexadecimal. In base64, a lenient decoder
 * may drop low bits of the last character, so its highest bit changes.
 */
function anotherLast(key: string): string {
  const last = key.at(-1) ?? '';
  if (/^[0-9a-f-]*[0-9a-f]$/i.test(key)) {
    const turned = ((Number.parseInt(last, 16) + 8) % 16).toString(16);
    return last === last.toUpperCase() ? turned.toUpperCase() : turned;
  }
  const value = BASE64.indexOf(last);
  if (value < 0) return last === 'x' ? 'y' : 'x';
  return BASE64.charAt(value ^ 32) || BASE64.charAt(value ^ 48);
}

function otherCarriers(name: string): ProbeRequest[] {
  const key = markerOf('apiKey', name);
  const carriers: Array<[string, readonly [string, string]]> = [
    ['authorization-bearer', ['Authorization', `Bearer ${key}`]],
    ['authorization-apikey', ['Authorization', `ApiKey ${key}`]],
    ['x-api-key', ['X-API-Key', key]],
    ['api-key', ['Api-Key', key]],
    ['cookie', ['Cookie', `apiKey=${key}`]],
  ];
  return carriers.map(([carrier, header]) =>
    keyless(probe('other-carrier', { account: name, form: carrier }), [header]),
  );
}

function keyInUrl(recorder: KeySource, name: string, key: string): ProbeRequest {
  const marker = recorder.keep(markerOf('apiKey', name, 'percent'), encodeURIComponent(key));
  return { ...keyless(probe('key-in-url', { account: name }), []), path: `/webhooks?apiKey=${marker}` };
}

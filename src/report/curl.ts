/** How to see again what a run saw: as a command line that sends a recorded request, or one that runs a clause. */

import type { Exchange, RecordedRequest } from '../evidence/exchange';
import { MARKER } from '../evidence/markers';
import type { Need } from '../evidence/probe';
import { ruleOf } from '../judge/rules';

/** Header lines that curl sends by itself, or that change no answer. */
const IMPLIED =
  /^(?:(?:connection|content-length|transfer-encoding|user-agent):|accept: (?:\*\/\*|application\/json)$)/i;

/** The names of environment variables, by the `kind:name` of the secrets that they hold. */
export type SecretVariables = Readonly<Record<string, string>>;

/**
 * The request as one curl line for a POSIX shell.
 * @param variables where the user keeps secrets; any other secret is a `$VARIABLE` that is named after its marker
 */
export function curlOf({ method, url, headers }: RecordedRequest, variables: SecretVariables = {}): string {
  const words = ['curl', method === 'HEAD' ? '--head' : '-i'];
  if (method !== 'GET' && method !== 'HEAD') words.push('-X', word(method));
  // Without these curl expands brackets and braces in a URL, and removes `.` and `..` from its path.
  if (/[[\]{}]/.test(url)) words.push('--globoff');
  if (/\/\.\.?(?:[/?]|$)/.test(url)) words.push('--path-as-is');
  const host = /^\w+:\/\/([^/?#]*)/.exec(url)?.[1];
  for (const [name, value] of headers) {
    if (IMPLIED.test(`${name}: ${value}`) || (/^host$/i.test(name) && value === host)) continue;
    if (/^accept-encoding$/i.test(name)) words.push('--compressed');
    // For curl, `name:` removes a header and `name;` sends it empty.
    else words.push('-H', word(value === '' ? `${name};` : `${name}: ${value}`, variables));
  }
  return [...words, word(url, variables)].join(' ');
}

/** What a shell makes of the variable of a key in another form. A form that is not here has a variable of its own. */
const DERIVED: ReadonlyMap<string, (variable: string) => string> = new Map([
  ['last-character-dropped', (key) => `\${${key}%?}`],
  ['character-appended', (key) => `\${${key}}x`],
  ['first-half', (key) => `$(printf %s "$${key}" | head -c $((\${#${key}} / 2)))`],
  ['case-swapped', (key) => `$(printf %s "$${key}" | tr A-Za-z a-zA-Z)`],
  ['base64', (key) => `$(printf %s "$${key}" | base64)`],
]);

const KINDS: Readonly<Record<string, string>> = {
  apiKey: 'the key of',
  password: 'the password of',
  header: 'the value of',
  receiverKey: "the receiver's key of",
  cookie: 'the cookie',
};

/** The variable of a marker: `[secret:apiKey:with-password]` has `API_KEY_WITH_PASSWORD`, unless the user has another. */
export function variableOf(marker: string, variables: SecretVariables = {}) {
  const [[, kind = '', name = '', form = 'percent'] = []] = [...marker.matchAll(MARKER)];
  const derive = DERIVED.get(form);
  const isOther = form !== 'percent' && derive === undefined;
  const own = variables[`${kind}:${name}`];
  const plain = own ?? shouted(`${kind}_${name}`);
  const called = isOther ? shouted(`${plain}_${form}`) : plain;
  return {
    name: called,
    /** Whether the user has set it for the suite. */
    isUsers: Boolean(own && !isOther),
    /** What it is to hold: "the key of alice". */
    holds: `${KINDS[kind] ?? kind} ${name}${isOther ? ` with its ${form.replaceAll('-', ' ')}` : ''}`,
    /** What a shell makes the secret of, where it is another form of what the variable holds. */
    derived: derive?.(called) ?? null,
  };
}

function shouted(name: string): string {
  return name
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .toUpperCase();
}

/** A text as one word of a command line. */
function word(text: string, variables: SecretVariables = {}): string {
  const markers = text.match(MARKER) ?? [];
  if (markers.length === 0) return /^[\w@%+=:,./-]+$/.test(text) ? text : single(text);
  // Between two plain parts stand the kind, the name and the form of a marker.
  const plain = text.split(MARKER).filter((_, i) => i % 4 === 0);
  const isPlain = !plain.some((part) => /[!"$`\\]/.test(part));
  const parts = plain.map((part, i) => {
    const reference = referenceTo(markers[i], isPlain ? plain[i + 1] : '', variables);
    return isPlain ? part + reference : (part && single(part)) + (reference && `"${reference}"`);
  });
  return isPlain ? `"${parts.join('')}"` : parts.join('');
}

/** The variable of a marker, in braces where the next character would be taken for a part of its name. */
function referenceTo(marker: string | undefined, next = '', variables: SecretVariables): string {
  if (marker === undefined) return '';
  const { name, derived } = variableOf(marker, variables);
  return derived ?? (/^\w/.test(next) ? `\${${name}}` : `$${name}`);
}

function single(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** What is sent in groups, in a certain order or at a certain pace, or comes without being asked for. */
const MANY: readonly Need[] = ['session', 'together', 'sequence', 'concurrent', 'recovery', 'paths', 'events'];

/**
 * The command that sends all that a clause needs, and nothing else.
 * @param telling the exchange that shows the breach best
 * @returns `null` where that exchange, sent again by itself, shows it
 */
export function commandFor(id: string, telling: Exchange | undefined): string | null {
  const { needs } = ruleOf(id);
  // A read shows what is wrong with the settings or the headers, but no read shows what a notification is like.
  const isShownByOne = telling?.probe.group === 'read' && !needs.includes('events');
  // With the space no longer id matches.
  return isShownByOne || !needs.some((need) => MANY.includes(need)) ? null : `npx playwright test -g '${id} '`;
}

/** How to see a breach of a clause again: the command where it needs one, else the request. */
export function againFor(id: string, telling: Exchange | undefined, variables?: SecretVariables): string | null {
  return commandFor(id, telling) ?? (telling ? curlOf(telling.request, variables) : null);
}

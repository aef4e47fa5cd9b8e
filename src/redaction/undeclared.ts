/**
 * Masks passwords that nobody declared, found by the name of their member, form field or parameter. In whole JSON the value
 * of a member counts as a password. Anywhere else it is masked as `part`: what stands behind "password=" may be an
 * ordinary word.
 */
import { jsonOf, stringIn, tokensOf } from '../common/json-text';
import { MARKER, markerOf } from './markers';
import { isOfTheProtocol } from './words';

/** Stands in a marker in place of an account's name, for a secret that the target file does not declare. */
export const UNDECLARED = '(undeclared)';
/** What careless code sends if it has no password. These are no secrets, and they show the defect. */
export const NO_PASSWORD = new Set(['', 'null', 'undefined', 'None', 'nil', 'false', '[object Object]', '********']);

const AS_PASSWORD = markerOf('password', UNDECLARED);
const IN_A_TEXT = markerOf('password', UNDECLARED, 'part');

const TYPE = '(?:bool(?:ean)?|str(?:ing)?|uri|url|text|null|undefined)[!?]?';
const NAME_OF_A_TYPE = new RegExp(`^${TYPE}(?: ?(?:[|,]|or) ?${TYPE}){0,3}$`, 'i');

/** Whether a text names a type, as a description of the settings has it in place of a value. */
export function isTypeName(text: string): boolean {
  return NAME_OF_A_TYPE.test(text);
}

/** A member with such a name holds a password, whatever the type of its value. */
const IS_PASSWORD = /^(?:(?:stored|plain)_?)?(?:password|passwd|pwd)$/i;
/** A member with such a name may hold a password, or only a hint or a rule. Its value is masked if it is a string. */
const SPEAKS_OF_ONE = /passw(?:or)?d|passphrase|passcode|\bpwd\b|^pw$/i;
/** A value that says whether there is a password, as in `"hasPassword": "true"`. In text, brackets may follow it. */
const SAYS_WHETHER = /^(?:true|false|yes|no|on|off|null|none)[\])}]*$/i;
/** A shorter password, or one of letters alone, may be any word, so it is not searched for elsewhere. */
export const LOOKED_FOR_FROM = 8;

/** More secrets of one answer are masked, but not searched for: see `learn`. */
const MOST_FOUND = 200;

/** The `user:password` of an address, and its host. Credentials end at the last `@` before the path. */
const CREDENTIALS_IN_URL = /^(https?:[/\\]{2})([^/\\?#\s:]*:[^/\\?#\s]+)@([^/\\?#\s@]*)/i;

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** What can be searched for elsewhere, and its marker. */
type Found = Array<{ marker: string; value: string }>;

/**
 * Returns a text with the values masked whose names speak of a password or a receiver's key. Linear in its length.
 * @param account whose receiver's keys they are
 * @returns `found` can be searched for elsewhere
 */
export function withoutUndeclared(text: string, account = UNDECLARED): { text: string; found: Found } {
  const found: Found = [];
  const isWhole = jsonOf(text) !== undefined;
  const masked = inMembers(text, account, isWhole ? found : null);
  return { text: isWhole ? masked : masked.replace(FIELDS, partUnlessNone), found };
}

/** Returns the value of a header line without the passwords that its name or its parameters point to. */
export function headerWithoutUndeclared(name: string, value: string): string {
  return SPEAKS_OF_ONE.test(name.replace(/^x-/i, '')) && mayBeSecret(value) && !SAYS_WHETHER.test(value)
    ? IN_A_TEXT
    : inMembers(value, UNDECLARED, null).replace(FIELDS_AND_PARAMETERS, partUnlessNone);
}

/** Returns the value of a masked header line with nothing but markers for credentials, declared or not. */
export function withoutCredentials(name: string, value: string): string {
  const [whole, scheme = '', credentials = ''] = /^\s*(?:([A-Za-z][\w-]*)\s+)?(\S.*)$/.exec(value) ?? [];
  const isScheme = scheme === '' && /^(?:basic|bearer|digest|apikey|token)$/i.test(credentials);
  if (!/^(?:proxy-)?authorization$/i.test(name) || whole === undefined || isScheme) return value;
  const marker = markerOf(/^basic$/i.test(scheme) ? 'password' : 'receiverKey', UNDECLARED);
  const known = credentials.match(MARKER)?.join('') ?? marker;
  return scheme ? `${scheme} ${known}` : known;
}

/** A member, and what all strings and numbers within it are. */
interface Holder {
  name: string;
  holds: 'password' | 'receiverKey' | null;
}

function holdsIn(name: string, holder: Holder): Holder['holds'] {
  if (holder.holds !== null) return holder.holds;
  if (IS_PASSWORD.test(name)) return 'password';
  return name === 'apikey' && holder.name === name ? 'receiverKey' : null;
}

/** @param found `null` for text that is no whole JSON */
function inMembers(text: string, account: string, found: Found | null): string {
  let name = '';
  let holder: Holder = { name: '', holds: null };
  const outer: Holder[] = [];
  /** Returns what replaces a string, or a number; `null` if it stays. */
  const replacing = (value: string, isNumber = false): string | null => {
    const holds = holdsIn(name, holder);
    if (isNumber ? !holds || !/^\d{4,}$/.test(value) : !mayBeSecret(value)) return null;
    const isPassword = holds === 'password' && !holder.holds && !isNumber;
    if ((holds === 'receiverKey' && !isOfTheProtocol(value)) || (isPassword && found)) {
      const marker = isPassword ? AS_PASSWORD : markerOf('receiverKey', account);
      const isLookedFor = !isPassword || (value.length >= LOOKED_FOR_FROM && /[^A-Za-z ]/.test(value));
      if (found && isLookedFor && found.length < MOST_FOUND) found.push({ marker, value });
      return marker;
    }
    // What stands within a member of such a name may be a sentence about it.
    if (holds === 'password' || (SPEAKS_OF_ONE.test(name) && !SAYS_WHETHER.test(value))) return IN_A_TEXT;
    const [, scheme, credentials, host] = CREDENTIALS_IN_URL.exec(value) ?? [];
    if (scheme !== undefined && credentials !== undefined) {
      const marker = markerOf('receiverKey', account);
      const plain = decoded(credentials);
      // Short ones are looked for together with their host: alone they may stand anywhere by chance.
      const known = plain.length >= LOOKED_FOR_FROM ? plain : `${credentials}@${host}`;
      if (found && found.length < MOST_FOUND) found.push({ marker, value: known });
      return `${scheme}${marker}${value.slice(scheme.length + credentials.length)}`;
    }
    return null;
  };
  const parts: string[] = [];
  let end = 0;
  for (const token of tokensOf(text)) {
    const { kind, from, to, isCut } = token;
    if (kind === 'sign') {
      const sign = text.charAt(from);
      if ('{['.includes(sign)) {
        outer.push(holder);
        holder = { name, holds: holdsIn(name, holder) };
      } else if (sign !== ',') holder = outer.pop() ?? holder;
      name = '';
    } else if (kind === 'name') name = stringIn(text, token);
    else {
      const isNumber = kind === 'number';
      const marker = replacing(isNumber ? text.slice(from, to) : stringIn(text, token), isNumber);
      if (marker === null) continue;
      parts.push(text.slice(end, from), isCut ? `"${marker}` : JSON.stringify(marker));
      end = to;
    }
  }
  return parts.join('') + text.slice(end);
}

/** Whether a value may be a secret: it is neither masked, nor the name of a type, nor stands for a missing password. */
function mayBeSecret(value: string): boolean {
  return !NO_PASSWORD.has(value) && !isTypeName(value) && !/^(.)\1*$/u.test(value) && value.match(MARKER) === null;
}

const NAME = String.raw`(?:[\w.[\]-]|%5B){0,64}?(?:password|passwd|passphrase|pwd)(?:\]|%5D)?`;
/** What stands before a password, and the password. Each looks at a bounded number of characters before it. */
const IN_FORMS = String.raw`(?<=(?:^|[?&])${NAME}=)[^\s&"]{4,}`;
const IN_PARAMETERS = String.raw`(?<=(?:^|[;,\s])${NAME}=")[^"]+|(?<=(?:^|[;,\s])${NAME}=)[^\s";,]{4,}`;
const FIELDS = new RegExp(IN_FORMS, 'gi');
const FIELDS_AND_PARAMETERS = new RegExp(`${IN_FORMS}|${IN_PARAMETERS}`, 'gi');

function partUnlessNone(value: string): string {
  return mayBeSecret(value) && !SAYS_WHETHER.test(value) ? IN_A_TEXT : value;
}

/**
 * Passwords that nobody declared, by the name of their member of JSON, form field or header. In whole JSON the value of a
 * member counts as a password. Anywhere else it is masked as `part`: what stands behind "password=" may be any word.
 */
import { jsonOf, stringIn, tokensOf } from '../common/json';
import { MARKER, markerOf } from './markers';

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

/** Whether a value may be a secret: it is neither masked, nor the name of a type, nor stands for a missing password. */
export function mayBeSecret(value: string): boolean {
  return !NO_PASSWORD.has(value) && !isTypeName(value) && !/^(.)\1*$/u.test(value) && value.match(MARKER) === null;
}

const NAME = String.raw`(?:[\w.[\]-]|%5B){0,64}?(?:password|passwd|passphrase|pwd)(?:\]|%5D)?`;
/** What stands before a password, and the password. Each looks at a bounded number of characters before it. */
const FIELDS = new RegExp(String.raw`(?<=(?:^|[?&])${NAME}=)[^\s&"]{4,}`, 'gi');

function partUnlessNone(value: string): string {
  return mayBeSecret(value) && !SAYS_WHETHER.test(value) ? IN_A_TEXT : value;
}

/** Returns a text without the passwords that its members or fields name. Linear in its length. */
export function withoutUndeclared(text: string): string {
  const isWhole = jsonOf(text) !== undefined;
  const parts: string[] = [];
  let [name, end] = ['', 0];
  for (const token of tokensOf(text)) {
    const { kind, from, to } = token;
    if (kind === 'name') name = stringIn(text, token);
    // A list may hold several.
    else if (kind === 'sign') name = '[,'.includes(text.charAt(from)) ? name : '';
    else if (SPEAKS_OF_ONE.test(name)) {
      const value = kind === 'string' ? stringIn(text, token) : text.slice(from, to);
      const isNumber = kind === 'number';
      const isPassword = IS_PASSWORD.test(name) && (!isNumber || /^\d{4,}$/.test(value));
      if (!mayBeSecret(value) || (!isPassword && (isNumber || SAYS_WHETHER.test(value)))) continue;
      parts.push(text.slice(end, from), JSON.stringify(isPassword && isWhole && !isNumber ? AS_PASSWORD : IN_A_TEXT));
      end = to;
    }
  }
  const masked = parts.join('') + text.slice(end);
  return isWhole ? masked : masked.replace(FIELDS, partUnlessNone);
}

/** Returns the value of a header line without what its name or a query in it calls a password, and without credentials. */
export function headerWithoutUndeclared(name: string, value: string): string {
  if (/^(?:proxy-)?authorization$/i.test(name)) return withoutCredentials(value);
  return SPEAKS_OF_ONE.test(name) ? partUnlessNone(value) : value.replace(FIELDS, partUnlessNone);
}

/** Returns the masked value of an `Authorization` line with nothing but markers for its credentials, declared or not. */
function withoutCredentials(value: string): string {
  const [whole, scheme = '', credentials = ''] = /^\s*(?:([A-Za-z][\w-]*)\s+)?(\S.*)$/.exec(value) ?? [];
  if (whole === undefined || (scheme === '' && /^(?:basic|bearer|digest|apikey|token)$/i.test(credentials)))
    return value;
  const marker = markerOf(/^basic$/i.test(scheme) ? 'password' : 'receiverKey', UNDECLARED);
  const known = credentials.match(MARKER)?.join('') ?? marker;
  return scheme ? `${scheme} ${known}` : known;
}

/**
 * Masks passwords that nobody declared, found by the name of their member. In JSON, also in JSON within a string, such
 * a value counts as a password. In other text it is masked as `part`: what stands behind "password:" in a sentence is
 * mostly an ordinary word.
 */
import { parsed, TOKEN } from '../../evidence/http/json';
import { MARKER, markerOf, withheldIn } from '../../evidence/markers';

/** Stands in a marker in place of an account's name, for a secret that the target file does not declare. */
export const UNDECLARED = '(undeclared)';
/** What careless code sends if it has no password. These are no secrets, and they show the defect. */
export const NO_PASSWORD = new Set(['', 'null', 'undefined', 'None', 'nil', 'false', '[object Object]', '********']);

const AS_PASSWORD = markerOf('password', UNDECLARED);
const IN_A_TEXT = markerOf('password', UNDECLARED, 'part');

/** A member with such a name holds a password, whatever the type of its value. */
const IS_PASSWORD = /^(?:(?:stored|plain)_?)?(?:password|passwd|pwd)$/i;
/** A member with such a name may hold a password, or only a hint or a rule. Its value is masked if it is a string. */
const SPEAKS_OF_ONE = /passw(?:or)?d|passphrase|passcode|\bpwd\b|^pw$/i;
/** A value that says whether there is a password, as in `"hasPassword": "true"`. In text, brackets may follow it. */
const SAYS_WHETHER = /^(?:true|false|yes|no|on|off|null|none)[\])}]*$/i;
const NESTED_AT_MOST = 6;
/** A shorter password, or one of letters alone, may be any word, so it is not searched for elsewhere. */
const LOOKED_FOR_FROM = 8;

/** A longer receiver's key is masked in its member, but not searched for elsewhere, which would take memory. */
export const LONGEST_RECEIVER_KEY = 4096;
/** A shorter value may be a wrong key of the suite that the server sends back. */
const SURELY_A_RECEIVER_KEY = 64;

/**
 * Returns a text with the values masked whose member names speak of a password. Linear in the length of the text.
 * @param receiverKey the marker for a receiver's key that was not masked before
 * @returns `passwords` are those that can be searched for elsewhere
 */
export function withoutUndeclared(text: string, receiverKey = markerOf('receiverKey', UNDECLARED)) {
  const passwords: string[] = [];
  return { text: isJson(text) ? inJson(text, { passwords, receiverKey }, 0) : inText(text), passwords };
}

function isJson(text: string): boolean {
  return /^[ \t\r\n]*[[{"]/.test(text) && parsed(text) !== undefined;
}

/** Goes through the tokens and leaves everything between them unchanged. */
function inJson(text: string, found: { passwords: string[]; receiverKey: string }, depth: number): string {
  let name = '';
  let level = 0;
  /** Within a list or an object that a password member holds: the level at which it ends; else infinity. */
  let within = Number.POSITIVE_INFINITY;
  const shown = (value: string, token: string): string => {
    const isPassword = within > level && IS_PASSWORD.test(name);
    const speaksOfOne = SPEAKS_OF_ONE.test(name) && !SAYS_WHETHER.test(value);
    if ((isPassword || within <= level || speaksOfOne) && mayBeSecret(value)) {
      if (isPassword && value.length >= LOOKED_FOR_FROM && /[^A-Za-z ]/.test(value)) found.passwords.push(value);
      return `"${isPassword ? AS_PASSWORD : IN_A_TEXT}"`;
    }
    if (name === 'apikey' && value.length > SURELY_A_RECEIVER_KEY && mayBeSecret(value))
      return `"${found.receiverKey}"`;
    const inner = depth < NESTED_AT_MOST && isJson(value) ? inJson(value, found, depth + 1) : value;
    return inner === value ? token : JSON.stringify(inner);
  };
  const toldOf = (token: string, inner: string | undefined, colon: string | undefined): string => {
    if (colon !== undefined) name = JSON.parse(`"${inner}"`);
    else if (inner !== undefined) return shown(JSON.parse(token), token);
    else if (token === '{' || token === '[') {
      level += 1;
      if (within > level && IS_PASSWORD.test(name)) within = level;
      name = '';
    } else if (token === '}' || token === ']') {
      if (within === level) within = Number.POSITIVE_INFINITY;
      level -= 1;
      name = '';
    } else if (token === ',') name = '';
    else if ((within <= level || IS_PASSWORD.test(name)) && /^\d{4,}$/.test(token)) return `"${IN_A_TEXT}"`;
    return token;
  };
  const parts: string[] = [];
  let end = 0;
  // Token by token: `replace` would hold all tokens at once, which takes many times the memory of the text.
  for (const { 0: token, 1: inner, 2: colon, index } of text.matchAll(TOKEN)) {
    const told = toldOf(token, inner, colon);
    if (told === token) continue;
    parts.push(text.slice(end, index), told);
    end = index + token.length;
  }
  return parts.length === 0 ? text : parts.join('') + text.slice(end);
}

/** Whether a value may be a secret: it is neither masked nor a placeholder for a missing password. */
function mayBeSecret(value: string): boolean {
  return (
    !NO_PASSWORD.has(value) && !/^(.)\1*$/u.test(value) && value.match(MARKER) === null && withheldIn(value) === null
  );
}

/** Named passwords in a form, in HTML or XML, in a log line, or in JSON that is not whole. */
const NAMED =
  /((?:password|passwd|passphrase|pwd)\\{0,8}["']?[ \t]{0,4}[:=][ \t]{0,4}\\{0,8}["']?)([^\s"'&<>;,\\]{4,200})/gi;
const BETWEEN_TAGS = /(<[\w:-]{0,40}(?:password|passwd|passphrase|pwd)>)([^<>]{4,200})(?=<\/)/gi;

function inText(text: string): string {
  const hidden = (whole: string, before: string, value: string) =>
    mayBeSecret(value) && !SAYS_WHETHER.test(value) ? `${before}${IN_A_TEXT}` : whole;
  const parts: string[] = [];
  let end = 0;
  // Markers are left out, because they contain "password:" themselves.
  for (const { 0: marker, index } of [...text.matchAll(MARKER), { 0: '', index: text.length }]) {
    parts.push(text.slice(end, index).replace(NAMED, hidden).replace(BETWEEN_TAGS, hidden), marker);
    end = index + marker.length;
  }
  return parts.join('');
}

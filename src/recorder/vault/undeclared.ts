/**
 * Passwords that nobody declared, known by the name of the member they stand in. In JSON, also in JSON within a string,
 * such a value is taken for a password. In any other text it is kept out of sight without being taken for one: what
 * stands behind "password:" in a sentence is most often a word.
 */
import { isTooDeep } from '../../evidence/json';
import { MARKER, markerOf } from '../../evidence/markers';
import { NO_PASSWORD, UNDECLARED } from '../credentials';

const AS_PASSWORD = markerOf('password', UNDECLARED);
const IN_A_TEXT = markerOf('password', UNDECLARED, 'part');

/** Whose value is a password, whatever its type. */
const IS_PASSWORD = /^(?:(?:stored|plain)_?)?(?:password|passwd|pwd)$/i;
/** Whose value speaks of one, which may be a hint or a rule: kept out of sight where it is a string. */
const SPEAKS_OF_ONE = /passw(?:or)?d|passphrase|passcode|\bpwd\b|^pw$/i;
const NESTED_AT_MOST = 6;
/** A password of fewer characters, or of letters alone, may be any word: it is not looked for elsewhere. */
const LOOKED_FOR_FROM = 8;

export interface Unmasked {
  text: string;
  /** Passwords that are long enough to be looked for elsewhere. */
  passwords: string[];
}

/** A text without the passwords in members that name one. Linear in its length. */
export function withoutUndeclared(text: string): Unmasked {
  const passwords: string[] = [];
  return { text: isJson(text) ? inJson(text, passwords, 0) : inText(text), passwords };
}

function isJson(text: string): boolean {
  if (!/^[ \t\r\n]*[[{"]/.test(text) || isTooDeep(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|-?\d[\d.eE+-]*/g;

/** Goes through the tokens; what is between them is left as it is. */
function inJson(text: string, passwords: string[], depth: number): string {
  const parts: string[] = [];
  let end = 0;
  /** The string before, in case it is a name. */
  let before = '';
  let name = '';
  let level = 0;
  /** Within a list or an object that such a member holds: the level at which it ends. */
  let within = -1;
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    const put = (replacement: string) => {
      parts.push(text.slice(end, index), replacement);
      end = index + token.length;
    };
    if (token === '{' || token === '[') {
      if (within < 0 && IS_PASSWORD.test(name)) within = level;
      level += 1;
      name = '';
    } else if (token === '}' || token === ']') {
      level -= 1;
      if (level <= within) within = -1;
    } else if (token === ':') name = before;
    else if (token === ',') name = '';
    else if (token.startsWith('"')) {
      before = JSON.parse(token) as string;
      const isName =
        name === '' && /^[ \t\r\n]{0,20}:/.test(text.slice(index + token.length, index + token.length + 21));
      if (isName) continue;
      const isPassword = within < 0 && IS_PASSWORD.test(name);
      const hides = isPassword || within >= 0 || SPEAKS_OF_ONE.test(name);
      if (hides && isOne(before)) {
        put(`"${isPassword ? AS_PASSWORD : IN_A_TEXT}"`);
        if (isPassword && before.length >= LOOKED_FOR_FROM && /[^A-Za-z ]/.test(before)) passwords.push(before);
      } else if (depth < NESTED_AT_MOST && isJson(before)) {
        const inner = inJson(before, passwords, depth + 1);
        if (inner !== before) put(JSON.stringify(inner));
      }
    } else if (token !== ',' && (within >= 0 || IS_PASSWORD.test(name)) && /^\d{4,}$/.test(token))
      put(`"${IN_A_TEXT}"`);
  }
  parts.push(text.slice(end));
  return parts.join('');
}

/** Not what stands where a password is missing or masked. */
function isOne(value: string): boolean {
  return (
    !NO_PASSWORD.has(value) &&
    !/^(.)\1*$/u.test(value) &&
    value.match(MARKER) === null &&
    !value.startsWith('[withheld: ')
  );
}

/** In a form, in HTML or XML, in a line of a log, or in JSON that is not whole. */
const NAMED =
  /((?:password|passwd|passphrase|pwd)\\{0,8}["']?[ \t]{0,4}[:=][ \t]{0,4}\\{0,8}["']?)([^\s"'&<>;,\\]{4,200})/gi;
const BETWEEN_TAGS = /(<[\w:-]{0,40}(?:password|passwd|passphrase|pwd)>)([^<>]{4,200})(?=<\/)/gi;

function inText(text: string): string {
  const hidden = (whole: string, before: string, value: string) => (isOne(value) ? `${before}${IN_A_TEXT}` : whole);
  const parts: string[] = [];
  let end = 0;
  // A marker says "password:" itself.
  for (const { 0: marker, index } of [...text.matchAll(MARKER), { 0: '', index: text.length }]) {
    parts.push(text.slice(end, index).replace(NAMED, hidden).replace(BETWEEN_TAGS, hidden), marker);
    end = index + marker.length;
  }
  return parts.join('');
}

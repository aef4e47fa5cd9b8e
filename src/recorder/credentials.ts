/** The credentials of a delivery: what they say is read here, and kept out of everything that is written. */
import { isUtf8 } from 'node:buffer';
import type { BasicCredentials, HeaderLines } from '../evidence/exchange';
import { MARKER, markerOf } from '../evidence/markers';
import type { Account } from '../target/target';

/** In place of an account's name: a credential that the target file does not declare. */
export const UNDECLARED = '(undeclared)';
/** What careless code sends where a password is missing: no secrets, and telling. */
export const NO_PASSWORD = new Set(['', 'null', 'undefined', 'None', 'nil', 'false', '[object Object]', '********']);
/** An undeclared password of fewer bytes is not looked for elsewhere: it may be any word. */
const LOOKED_FOR_FROM = 8;

/**
 * The ways to read the Basic credentials of a delivery (RFC 7617): once before each declared password it ends with, in
 * UTF-8 or Latin-1, and once at the first colon. None for anything but one `Authorization: Basic` with well-formed base64.
 * @returns also a password that nobody declared, where it is long enough to be looked for in the rest of the delivery
 */
export function basicCredentialsOf(
  headers: HeaderLines,
  accounts: readonly Account[],
): { credentials: BasicCredentials[]; undeclared: string | null } {
  const bytes = basicBytesOf(headers);
  const colon = bytes?.indexOf(':') ?? -1;
  if (!bytes || colon < 0) return { credentials: [], undeclared: null };
  const declared = accounts.flatMap(({ name, password }): BasicCredentials[] => {
    const ending = formsOf(password).find((form) => bytes.subarray(-form.length).equals(form));
    if (!ending) return [];
    return [{ username: textOf(bytes.subarray(0, -ending.length)), password: markerOf('password', name) }];
  });
  const rest = textOf(bytes.subarray(colon + 1));
  const isNone = NO_PASSWORD.has(rest);
  const password = isNone ? rest : markerOf('password', UNDECLARED);
  const isLookedFor = declared.length === 0 && !isNone && Buffer.byteLength(rest) >= LOOKED_FOR_FROM;
  return {
    credentials: [...declared, { username: textOf(bytes.subarray(0, colon)), password }],
    undeclared: isLookedFor ? rest : null,
  };
}

/** The value of a header line, without the credentials in it that are not declared. */
export function authorizationKept(name: string, value: string): string {
  if (!/^(?:proxy-)?authorization$/i.test(name) || value.trim() === '' || value.match(MARKER)) return value;
  const [, scheme, rest] = /^\s*([A-Za-z][\w-]*)(?:\s+(\S.*))?$/.exec(value) ?? [];
  if (scheme !== undefined && rest === undefined && /^(?:basic|bearer|digest|apikey|token)$/i.test(scheme))
    return value;
  const marker = markerOf(/^basic$/i.test(scheme ?? '') ? 'password' : 'receiverKey', UNDECLARED);
  return scheme !== undefined && rest !== undefined ? `${scheme} ${marker}` : marker;
}

function basicBytesOf(headers: HeaderLines): Buffer | null {
  const lines = headers.filter(([name]) => name.toLowerCase() === 'authorization');
  const encoded = lines.length === 1 ? /^basic +(\S+)$/i.exec(lines[0]?.[1].trim() ?? '')?.[1] : undefined;
  if (encoded === undefined) return null;
  const bytes = Buffer.from(encoded, 'base64');
  return bytes.toString('base64') === encoded ? bytes : null;
}

/** A colon and the password, as bytes: RFC 7617 leaves the character encoding open. */
function formsOf(password: string | undefined): Buffer[] {
  if (password === undefined) return [];
  const latin1 = /^[\0-\xff]*$/.test(password) ? [Buffer.from(`:${password}`, 'latin1')] : [];
  return [Buffer.from(`:${password}`, 'utf8'), ...latin1];
}

/** UTF-8, or Latin-1 where it is none. */
export function textOf(bytes: Buffer): string {
  return bytes.toString(isUtf8(bytes) ? 'utf8' : 'latin1');
}

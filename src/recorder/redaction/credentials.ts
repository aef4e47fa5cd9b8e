/** Reads the credentials of a delivery and keeps them out of everything that is written. */
import { isUtf8 } from 'node:buffer';
import type { Account } from '../../config/target';
import { linesOf } from '../../evidence/http/headers';
import { MARKER, markerOf } from '../../evidence/markers';
import type { BasicCredentials, HeaderLines } from '../../evidence/model';
import { LOOKED_FOR_FROM, NO_PASSWORD, UNDECLARED } from './undeclared';

type Told = BasicCredentials & { username: string };

/**
 * Returns each way to split the Basic credentials of a delivery (RFC 7617): before each declared password that they end
 * with, in UTF-8 or Latin-1, and at the first colon. Returns none unless there is exactly one `Authorization` line and
 * it is `Basic` with well-formed base64.
 * @returns `undeclared` is an undeclared password, if it is long enough to be searched for in the rest of the delivery
 */
export function basicCredentialsOf(
  headers: HeaderLines,
  accounts: readonly Account[],
): { credentials: Told[]; undeclared: string | null } {
  const bytes = basicBytesOf(headers);
  if (!bytes?.includes(':')) return { credentials: [], undeclared: null };
  const text = textOf(bytes);
  const credentials = accounts.flatMap(({ name, password }): Told[] => {
    const ending = `:${password}`;
    if (password === undefined || !text.endsWith(ending)) return [];
    return [{ username: text.slice(0, -ending.length), password: markerOf('password', name) }];
  });
  const [username = '', ...more] = text.split(':');
  const rest = more.join(':');
  const isNone = NO_PASSWORD.has(rest);
  const isLookedFor = credentials.length === 0 && !isNone && Buffer.byteLength(rest) >= LOOKED_FOR_FROM;
  credentials.push({ username, password: isNone ? rest : markerOf('password', UNDECLARED) });
  return { credentials, undeclared: isLookedFor ? rest : null };
}

/** Returns the value of a masked header line with nothing but markers for credentials, declared or not. */
export function authorizationKept(name: string, value: string): string {
  const [whole, scheme = '', told = ''] = /^\s*(?:([A-Za-z][\w-]*)\s+)?(\S.*)$/.exec(value) ?? [];
  const isScheme = scheme === '' && /^(?:basic|bearer|digest|apikey|token)$/i.test(told);
  if (!/^(?:proxy-)?authorization$/i.test(name) || whole === undefined || isScheme) return value;
  const marker = markerOf(/^basic$/i.test(scheme) ? 'password' : 'receiverKey', UNDECLARED);
  const known = told.match(MARKER)?.join('') ?? marker;
  return scheme ? `${scheme} ${known}` : known;
}

function basicBytesOf(headers: HeaderLines): Buffer | null {
  const [line = '', another] = linesOf(headers, 'Authorization');
  const [, encoded] = /^basic +(\S+)$/i.exec(line) ?? [];
  const bytes = Buffer.from(encoded ?? '', 'base64');
  return another === undefined && bytes.toString('base64') === encoded ? bytes : null;
}

/** Decodes bytes as UTF-8, or as Latin-1 if they are not UTF-8. */
export function textOf(bytes: Buffer): string {
  return bytes.toString(isUtf8(bytes) ? 'utf8' : 'latin1');
}

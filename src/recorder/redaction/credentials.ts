/** Reads the credentials of a delivery and keeps them out of everything that is written. */
import { isUtf8 } from 'node:buffer';
import type { Account } from '../../config/target';
import { linesOf } from '../../evidence/http/headers';
import { MARKER, markerOf } from '../../evidence/markers';
import type { BasicCredentials, HeaderLines } from '../../evidence/model';
import { NO_PASSWORD, UNDECLARED } from './undeclared';

/** An undeclared password with fewer bytes is not searched for elsewhere, since it may be any word. */
const LOOKED_FOR_FROM = 8;

/**
 * Returns each way to split the Basic credentials of a delivery (RFC 7617): before each declared password that they end
 * with, in UTF-8 or Latin-1, and at the first colon. Returns none unless there is exactly one `Authorization` line and
 * it is `Basic` with well-formed base64.
 * @returns `undeclared` is an undeclared password, if it is long enough to be searched for in the rest of the delivery
 */
export function basicCredentialsOf(
  headers: HeaderLines,
  accounts: readonly Account[],
): { credentials: BasicCredentials[]; undeclared: string | null } {
  const bytes = basicBytesOf(headers);
  if (!bytes?.includes(':')) return { credentials: [], undeclared: null };
  const text = textOf(bytes);
  const declared = accounts.flatMap(({ name, password }): BasicCredentials[] => {
    const ending = `:${password}`;
    const whole = [text, bytes.toString('latin1')].find((form) => form.endsWith(ending));
    if (password === undefined || whole === undefined) return [];
    return [{ username: whole.slice(0, -ending.length), password: markerOf('password', name) }];
  });
  const colon = text.indexOf(':');
  const rest = text.slice(colon + 1);
  const isNone = NO_PASSWORD.has(rest);
  const password = isNone ? rest : markerOf('password', UNDECLARED);
  const isLookedFor = declared.length === 0 && !isNone && Buffer.byteLength(rest) >= LOOKED_FOR_FROM;
  return {
    credentials: [...declared, { username: text.slice(0, colon), password }],
    undeclared: isLookedFor ? rest : null,
  };
}

/** Returns the value of a masked header line with nothing but markers for credentials, declared or not. */
export function authorizationKept(name: string, value: string): string {
  if (!/^(?:proxy-)?authorization$/i.test(name) || value.trim() === '') return value;
  const [, scheme = '', rest] = /^\s*([A-Za-z][\w-]*)(?:\s+(\S.*))?$/.exec(value) ?? [];
  const known = value.match(MARKER)?.join('');
  if (known) return rest === undefined ? known : `${scheme} ${known}`;
  if (rest === undefined && /^(?:basic|bearer|digest|apikey|token)$/i.test(scheme)) return value;
  const marker = markerOf(/^basic$/i.test(scheme) ? 'password' : 'receiverKey', UNDECLARED);
  return rest === undefined ? marker : `${scheme} ${marker}`;
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

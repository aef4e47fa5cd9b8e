/** Reads the Basic credentials of a delivery. */
import { utf8OrLatin1 } from '../common/text';
import type { Account } from '../config/target';
import { linesOf } from '../evidence/http/headers';
import type { BasicCredentials, HeaderLines } from '../evidence/model';
import { markerOf } from '../redaction/markers';
import { LOOKED_FOR_FROM, NO_PASSWORD, UNDECLARED } from '../redaction/undeclared';

type Credentials = BasicCredentials & { username: string };

/**
 * Returns each way to split the Basic credentials of a delivery (RFC 7617): before each declared password that they end
 * with, in UTF-8 or Latin-1, and at the first colon. Returns none unless there is exactly one `Authorization` line and
 * it is `Basic` with well-formed base64.
 * @returns `undeclared` is an undeclared password, if it is long enough to be searched for in the rest of the delivery
 */
export function basicCredentialsOf(
  headers: HeaderLines,
  accounts: readonly Account[],
): { credentials: Credentials[]; undeclared: string | null } {
  const text = basicTextIn(headers);
  if (!text.includes(':')) return { credentials: [], undeclared: null };
  const declared = accounts.flatMap(({ name, password }): Credentials[] => {
    const ending = `:${password}`;
    if (password === undefined || !text.endsWith(ending)) return [];
    return [{ username: text.slice(0, -ending.length), password: markerOf('password', name) }];
  });
  const [username = ''] = text.split(':', 1);
  const rest = text.slice(username.length + 1);
  const isNone = NO_PASSWORD.has(rest);
  const isLookedFor = declared.length === 0 && !isNone && Buffer.byteLength(rest) >= LOOKED_FOR_FROM;
  return {
    credentials: [...declared, { username, password: isNone ? rest : markerOf('password', UNDECLARED) }],
    undeclared: isLookedFor ? rest : null,
  };
}

/** Returns the Basic credentials of the one `Authorization` line, decoded; empty if there is no such line. */
function basicTextIn(headers: HeaderLines): string {
  const [line = '', another] = linesOf(headers, 'Authorization');
  const [, encoded] = /^basic +(\S+)$/i.exec(line) ?? [];
  const bytes = Buffer.from(encoded ?? '', 'base64');
  return another === undefined && bytes.toString('base64') === encoded ? utf8OrLatin1(bytes) : '';
}

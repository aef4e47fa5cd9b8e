/** Reads bytes as text. */
import { isUtf8 } from 'node:buffer';

/** Decodes bytes as UTF-8, or as Latin-1 if they are not UTF-8. */
export function utf8OrLatin1(bytes: Buffer): string {
  return bytes.toString(isUtf8(bytes) ? 'utf8' : 'latin1');
}

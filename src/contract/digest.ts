/** Digests, as results and attestations state them. */
import { createHash } from 'node:crypto';

/** The SHA-256 of bytes, or of a text's UTF-8, as hexadecimal digits. */
export function sha256Of(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

/** The same with the name of the algorithm before it. */
export function digestOf(content: string | Uint8Array): string {
  return `sha256:${sha256Of(content)}`;
}

/** Digests, as results and attestations state them. */
import { createHash, timingSafeEqual } from 'node:crypto';

/** The SHA-256 of bytes, or of a text's UTF-8, as hexadecimal digits. */
export function sha256Of(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

/** The same with the name of the algorithm before it. */
export function digestOf(content: string | Uint8Array): string {
  return `sha256:${sha256Of(content)}`;
}

/** Whether two secrets are equal, in a time that says nothing of how far they are. */
export function isSameSecret(presented: string, issued: string): boolean {
  return timingSafeEqual(Buffer.from(sha256Of(presented)), Buffer.from(sha256Of(issued)));
}

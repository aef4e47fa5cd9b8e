/**
 * Redacts what NODE_DEBUG makes Node and its HTTP client print: the addresses of requests, a key in one of them included.
 * Node has read the variable before anything of ours runs, so that it cannot be switched off.
 */

type Mask = (text: string) => string;

/** The masks of all targets of this process. */
const masks = new Set<Mask>();

/** Masks standard error from now on, if NODE_DEBUG is set. @param mask replaces the secrets of a target */
export function redactDebugOutput(mask: Mask, { NODE_DEBUG = '' } = process.env): void {
  if (NODE_DEBUG === '') return;
  if (masks.size === 0) {
    const write = process.stderr.write.bind(process.stderr) as (text: string, ...rest: unknown[]) => boolean;
    const masked = (chunk: string | Uint8Array) =>
      [...masks].reduce((text, each) => each(text), typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString());
    process.stderr.write = (chunk: string | Uint8Array, ...rest: unknown[]) => write(masked(chunk), ...rest);
  }
  masks.add(mask);
}

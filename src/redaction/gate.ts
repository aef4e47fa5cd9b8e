/** Masks what this process prints and what tests leave: Playwright's reporters show it, and NODE_DEBUG addresses. */
import { stripVTControlCharacters } from 'node:util';
import type { Vault } from './vault';

/** What knows the secrets of a target. A target whose run is over is forgotten. */
const known = new Set<WeakRef<Vault>>();
let isMasking = false;

/** From now on, the secrets of a target are masked in all that is printed. */
export function maskPrinted(masks: Vault): void {
  // Once: a target that is forgotten leaves the streams as they are.
  if (!isMasking)
    for (const stream of [process.stdout, process.stderr]) {
      const write = stream.write.bind(stream) as (text: string, ...rest: unknown[]) => boolean;
      stream.write = (chunk: string | Uint8Array, ...rest: unknown[]) =>
        write(unsaid(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString()), ...rest);
    }
  isMasking = true;
  known.add(new WeakRef(masks));
}

/** Returns a text about anything without the secrets of all targets of this process: a short one is an ordinary word. */
export function unsaid(text: string): string {
  const manner = { isMasked: true, isProtocol: true };
  return byAll(text, (masks, told) => maskedPlain(told, (plain) => masks.maskText(plain, manner)));
}

/** Returns bytes, which may be anything that a test made, without the secrets of all targets of this process. */
export function shown(bytes: Buffer): Buffer {
  return byAll(bytes, (masks, told) => masks.mask(told, { isMasked: true }));
}

function byAll<Told>(all: Told, mask: (masks: Vault, told: Told) => Told): Told {
  let told = all;
  for (const reference of known) {
    const masks = reference.deref();
    if (masks) told = mask(masks, told);
    else known.delete(reference);
  }
  return told;
}

/** Masks a text for a terminal. If it holds a secret, which colours may have cut in two, it loses its colours. */
export function maskedPlain(text: string, mask: (text: string) => string): string {
  const plain = stripVTControlCharacters(text);
  const masked = mask(plain);
  return masked === plain ? text : masked;
}

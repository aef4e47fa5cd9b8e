/** Masks what this process prints and what tests leave: Playwright's reporters show it, and NODE_DEBUG addresses. */
import { stripVTControlCharacters } from 'node:util';

interface Masks {
  /** Returns a text with a marker for each secret that is no ordinary word. */
  unsaid(text: string): string;
  /** Returns bytes with a marker for each secret. */
  shown(bytes: Buffer): Buffer;
}

/** What knows the secrets of a target. A target whose run is over is forgotten. */
const known = new Set<WeakRef<Masks>>();

/** From now on, the secrets of a target are masked in all that is printed. */
export function maskPrinted(masks: Masks): void {
  if (known.size === 0)
    for (const stream of [process.stdout, process.stderr]) {
      const write = stream.write.bind(stream) as (text: string, ...rest: unknown[]) => boolean;
      stream.write = (chunk: string | Uint8Array, ...rest: unknown[]) =>
        write(unsaid(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString()), ...rest);
    }
  known.add(new WeakRef(masks));
}

/** Returns a text without the secrets of all targets of this process. */
export function unsaid(text: string): string {
  return byAll(text, (masks, told) => maskedPlain(told, (plain) => masks.unsaid(plain)));
}

/** Returns bytes, which may be anything that a test made, without the secrets of all targets of this process. */
export function shown(bytes: Buffer): Buffer {
  return byAll(bytes, (masks, told) => masks.shown(told));
}

function byAll<Told>(all: Told, mask: (masks: Masks, told: Told) => Told): Told {
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

/** Masks what this process prints: Playwright's reporters show what tests print, and NODE_DEBUG addresses. */
import { stripVTControlCharacters } from 'node:util';

interface Masks {
  /** Returns a text with a marker for each secret that is no ordinary word. */
  unsaid(text: string): string;
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
  let told = text;
  for (const reference of known) {
    const masks = reference.deref();
    if (masks) told = maskedPlain(told, (plain) => masks.unsaid(plain));
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

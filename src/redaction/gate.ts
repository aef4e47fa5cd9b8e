/**
 * The gate: whatever this process writes, prints or hands to the reporters of others is searched here once more, with all
 * secrets that are known by then.
 */
import { stripVTControlCharacters } from 'node:util';
import { writeThrough } from '../common/files';
import { Vault } from './vault';

/** Its markers break no clause, so that evidence that was searched here is judged as before. */
const PART = ':part]';
const all = new Vault([]);
const known = new Set<string>();
let isGuarding = false;
let passed = new WeakSet<Buffer>();

/** From now on, nothing leaves this process that holds a secret of a vault. */
export function guard(vault: Vault): void {
  if (!isGuarding) {
    writeThrough(gated);
    for (const stream of [process.stdout, process.stderr]) {
      const write = stream.write.bind(stream) as (chunk: string | Buffer, ...rest: unknown[]) => boolean;
      stream.write = (chunk: string | Uint8Array, ...rest: unknown[]) =>
        write(typeof chunk === 'string' ? gatedText(chunk) : gated(Buffer.from(chunk)), ...rest);
    }
  }
  isGuarding = true;
  vault.reportTo((marker, secret) => {
    if (known.has(secret)) return;
    known.add(secret);
    passed = new WeakSet();
    all.add(marker.replace(/(?::part)?\]$/, PART), secret);
  });
}

/** How many secrets the gate looks for. */
export function secretsKnown(): number {
  return known.size;
}

/** Returns bytes as they may leave. What has passed is not searched again until there is another secret. */
export function gated(bytes: Buffer): Buffer {
  if (known.size === 0 || passed.has(bytes)) return bytes;
  // The text is ours: ordinary words and numbers in it are no secrets.
  const left = all.mask(bytes, true);
  passed.add(left);
  return left;
}

/** Returns a text as it may leave. If it holds a secret, which colours may have cut in two, it loses its colours. */
export function gatedText(text: string): string {
  const plain = Buffer.from(stripVTControlCharacters(text));
  const masked = gated(plain);
  return masked.equals(plain) ? text : masked.toString();
}

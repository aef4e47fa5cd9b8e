/** Masks secrets in what tests printed and failed with, and removes files that hold one, before other reporters write them. */
import { constants, existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { gunzipSync, inflateRawSync } from 'node:zlib';
import type { TestError, TestResult } from '@playwright/test/reporter';
import { bytesIn, MOST_BYTES } from '../../common/files';
import { gated, gatedText } from '../../redaction/gate';

const REMOVED = 'It held a secret of the target, so it was removed: what a test writes itself stands in it.';

/**
 * Masks what a test printed, attached and failed with, in place, and drops files that hold a secret.
 * @param outputs the directory into which Playwright writes for the test
 * @param show makes a text fit to be shown
 */
export function maskResult(result: TestResult, outputs: string, show?: (text: string) => string): void {
  // A secret may have come in two chunks.
  for (const chunks of [result.stdout, result.stderr])
    if (chunks.length > 0) chunks.splice(0, chunks.length, chunks.join(''));
  const paths = result.attachments.map(({ path }) => path);
  maskTexts(result, show);
  for (const [i, attached] of [...result.attachments].entries()) {
    const path = paths[i];
    if (!path) continue;
    attached.path = path;
    if (!holdsSecret(path, attached.name === 'trace')) continue;
    // What does not stand below the test's output is the user's own and stays.
    if (path.startsWith(outputs + sep)) rmSync(path);
    result.attachments.splice(result.attachments.indexOf(attached), 1);
    result.annotations.push({ type: attached.name, description: REMOVED });
  }
}

/** Masks a result, a step or an error in place, with all that it holds. */
export function maskTexts(holder: object, show = (text: string) => text): void {
  withoutPlaces(holder);
  changeTexts(holder, (text) => show(gatedText(text)));
}

/** Changes all texts in an object of others, names of members included, in place. Bytes become what may leave. */
export function changeTexts(holder: object, change = gatedText, seen = new Set<object>()): void {
  if (seen.has(holder)) return;
  seen.add(holder);
  const members = holder as Record<string, unknown>;
  for (const [name, value] of Object.entries(members)) {
    const masked =
      typeof value === 'string' ? change(value) : Buffer.isBuffer(value) ? gated(value) : (value as unknown);
    const shownName = gatedText(name);
    if (shownName !== name) delete members[name];
    if (shownName !== name || masked !== value) members[shownName] = masked;
    if (typeof value === 'object' && value !== null && !Buffer.isBuffer(value)) changeTexts(value, change, seen);
  }
}

/** Playwright's page quotes the lines around a place, which it takes from the stack if there is no other. */
function withoutPlaces(holder: object): void {
  const members = holder as TestError & Record<string, unknown>;
  if (members.location && holdsSecret(members.location.file)) {
    delete members.location;
    delete members.stack;
  }
  for (const inner of ['errors', 'error', 'cause', 'steps'].flatMap((name) => members[name] ?? []))
    withoutPlaces(inner as object);
}

/** Removes the files with a secret that tests have left in Playwright's directory for them. */
export function clearLeft(outputs: string): void {
  if (!existsSync(outputs)) return;
  for (const name of readdirSync(outputs, { recursive: true, encoding: 'utf8' }))
    if (holdsSecret(join(outputs, name))) rmSync(join(outputs, name));
}

/** Whether a file, or what is packed in it, holds a secret. Of a trace that cannot be searched, nobody knows. */
function holdsSecret(path: string, isTrace = false): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found?.isFile() || (found.mode & constants.S_IRUSR) === 0 || found.size > MOST_BYTES.leftByTests) return false;
  const bytes = bytesIn(path, MOST_BYTES.leftByTests);
  const isHeldIn = (content: Buffer) => !gated(content).equals(content);
  try {
    for (const entry of unpacked(bytes)) if (isHeldIn(entry)) return true;
  } catch {
    if (isTrace) return true;
  }
  return isHeldIn(bytes);
}

const GZIP = Buffer.from([0x1f, 0x8b]);
const ZIP = Buffer.from('PK\x03\x04', 'latin1');

/** Yields what a zip or gzip file holds, whatever its name; nothing for any other. @throws if it is broken or too large */
function* unpacked(bytes: Buffer): Generator<Buffer> {
  if (bytes.subarray(0, GZIP.length).equals(GZIP)) yield gunzipSync(bytes, { maxOutputLength: MOST_OF_AN_ENTRY });
  else if (bytes.subarray(0, ZIP.length).equals(ZIP)) yield* entriesOf(bytes);
}

const END = Buffer.from('PK\x05\x06', 'latin1');
const ENTRY = 0x02014b50;
const STORED = 0;
const MOST_OF_AN_ENTRY = 256 * 1024 * 1024;

/** Yields the content of each entry of a zip file as Playwright writes it (APPNOTE.TXT, sections 4.3.7, 4.3.12 and 4.3.16). @throws if it is none */
function* entriesOf(zip: Buffer): Generator<Buffer> {
  const end = zip.lastIndexOf(END);
  let at = zip.readUInt32LE(end + 16);
  for (let left = zip.readUInt16LE(end + 10); left > 0; left -= 1) {
    if (zip.readUInt32LE(at) !== ENTRY) throw new RangeError('This is no zip file.');
    const method = zip.readUInt16LE(at + 10);
    const size = zip.readUInt32LE(at + 20);
    const local = zip.readUInt32LE(at + 42);
    const from = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
    const content = zip.subarray(from, from + size);
    yield method === STORED ? content : inflateRawSync(content, { maxOutputLength: MOST_OF_AN_ENTRY });
    at += 46 + zip.readUInt16LE(at + 28) + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
  }
}

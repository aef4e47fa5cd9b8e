/** Masks secrets in what tests printed, attached, failed with and left, before other reporters write it. */
import { constants, existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { basename, join, sep } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import type { TestError, TestResult } from '@playwright/test/reporter';
import { bytesIn, MOST_BYTES } from '../../common/plain-file';
import { writeWhole } from '../../common/writable';
import { maskedPlain } from '../../redaction/gate';
import { RECORDED } from '../annotations';

/** Members of errors and steps that are texts, and those that hold more of them. */
const TEXTS = 'message stack value snippet title subtitle description name type contentType'.split(' ');
const INNER = ['errors', 'error', 'cause', 'steps', 'annotations', 'attachments'];

type Mask = (bytes: Buffer) => Buffer;

const TRACE_LEFT_OUT = {
  type: 'trace',
  description: 'The trace held a secret of the target, so it was removed: what a test writes itself stands in it.',
};

/**
 * Masks what a test printed, attached and failed with, in place, before other reporters write it.
 * @param outputs the directory into which Playwright writes for the test
 * @param mask returns bytes with a marker for each secret
 * @param show makes a text fit to be shown
 */
export function maskResult(result: TestResult, outputs: string, mask: Mask, show?: (text: string) => string): void {
  const shown = textMask(mask, show);
  // A secret may have come in two chunks.
  for (const chunks of [result.stdout, result.stderr])
    if (chunks.length > 0) chunks.splice(0, chunks.length, shown(chunks.join('')));
  maskTexts(result, mask, show);
  for (const attached of [...result.attachments]) {
    const isOfTest = attached.name !== RECORDED;
    if (attached.body && isOfTest) attached.body = mask(attached.body);
    if (!attached.path) continue;
    const isTrace = attached.name === 'trace';
    if ((isTrace || isZip(attached.path)) && holdsSecret(attached.path, mask, isTrace)) {
      if (isBelow(attached.path, outputs)) rmSync(attached.path);
      result.attachments.splice(result.attachments.indexOf(attached), 1);
      result.annotations.push(TRACE_LEFT_OUT);
    } else if (!isTrace) maskFile(attached, attached.path, outputs, mask);
  }
}

/** Masks a result or an error in place, with all that it holds. */
export function maskTexts(holder: object, mask: Mask, show?: (text: string) => string): void {
  const members = holder as Record<string, unknown>;
  const shown = textMask(mask, show);
  for (const name of TEXTS) if (typeof members[name] === 'string') members[name] = shown(members[name]);
  // Playwright's page quotes the lines around a place, which it takes from the stack if there is no other.
  const { location } = members as TestError;
  if (location && maskedIn(location.file, mask)) {
    delete members.location;
    delete members.stack;
  } else if (location) location.file = shown(location.file);
  for (const inner of INNER.flatMap((name) => members[name] ?? [])) maskTexts(inner as object, mask, show);
}

/** Returns members that every report writes as JSON, with a marker for each secret; as they are where none stands in them. */
export function maskMembers<T extends object>(members: T, shown: (text: string) => string): T {
  const seen = new Set<unknown>();
  // A report can write neither a circle nor a big integer.
  const json = JSON.stringify(members, (_name, value) => {
    if (typeof value === 'bigint') return String(value);
    if (typeof value !== 'object' || value === null) return value;
    if (seen.has(value)) return undefined;
    seen.add(value);
    return value;
  });
  const masked = shown(json);
  return masked === json ? members : JSON.parse(masked);
}

function textMask(mask: Mask, show = (text: string) => text): (text: string) => string {
  return (text) => show(maskedPlain(text, (plain) => mask(Buffer.from(plain)).toString()));
}

/** Masks a file that a test attached. What does not stand below the test's output is the user's own and stays. */
function maskFile(attached: TestResult['attachments'][number], path: string, outputs: string, mask: Mask): void {
  const masked = maskedIn(path, mask);
  if (masked === null) return;
  if (isBelow(path, outputs)) writeWhole(path, masked);
  else {
    attached.body = masked;
    delete attached.path;
  }
}

/** Masks the files that tests have left in Playwright's directory for them. Traces of Playwright were searched before. */
export function maskLeft(outputs: string, mask: Mask): void {
  if (!existsSync(outputs)) return;
  for (const name of readdirSync(outputs, { recursive: true, encoding: 'utf8' })) {
    const path = join(outputs, name);
    if (basename(name) === 'trace.zip') continue;
    // A test may have recorded a trace itself.
    const isLost = isZip(name) && holdsSecret(path, mask, false);
    const masked = isLost ? null : maskedIn(path, mask);
    if (isLost) rmSync(path);
    else if (masked !== null) writeWhole(path, masked);
  }
}

/** Returns what is left of a file that holds a secret; `null` of any other, and of what cannot be read or is too large. */
function maskedIn(path: string, mask: Mask): Buffer | null {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found?.isFile() || (found.mode & constants.S_IRUSR) === 0 || found.size > MOST_BYTES.leftByTests) return null;
  const bytes = bytesIn(path, MOST_BYTES.leftByTests);
  const masked = mask(bytes);
  return masked.equals(bytes) ? null : masked;
}

const isZip = (path: string) => path.endsWith('.zip');
const isBelow = (path: string, directory: string) => path.startsWith(directory + sep);

/** Whether an entry of a trace holds a secret. @param otherwise the answer where it cannot be searched */
function holdsSecret(trace: string, mask: Mask, otherwise: boolean): boolean {
  try {
    return [...entriesOf(bytesIn(trace, MOST_BYTES.leftByTests))].some((entry) => !mask(entry).equals(entry));
  } catch {
    return otherwise;
  }
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

import { randomBytes } from 'node:crypto';
import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  renameSync,
  rmSync,
  type Stats,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { UsageError } from './errors';

/** A directory for what is this user's own and does not last. Anybody may have made it: `isOurTemporary` looks. */
export const OWN_TEMPORARY = join(tmpdir(), `assessment-api-conformance-${process.geteuid?.() ?? 'own'}`);

/** Makes directories one by one: Node's recursive mkdir can loop forever below /proc. @throws the system's error */
export function makeDirectory(directory: string): void {
  if (existsSync(directory)) return;
  makeDirectory(dirname(directory));
  try {
    // It may hold evidence, which only its owner may read.
    mkdirSync(directory, { mode: 0o700 });
  } catch (error) {
    // Another process may have made it meanwhile.
    if (!existsSync(directory)) throw error;
  }
}

/** The group or all others may write. */
const OPEN = 0o022;

/** Whether a directory is this user's own, and closed to others. */
function isOurs(found: Stats): boolean {
  const user = process.geteuid?.();
  return user === undefined || (found.isDirectory() && found.uid === user && (found.mode & OPEN) === 0);
}

/** Makes a directory for what does not last. Returns whether it can be trusted: no link, and nobody else's. */
export function isOurTemporary(directory = OWN_TEMPORARY): boolean {
  return isWritable(directory) && isOurs(lstatSync(directory));
}

/** Makes a directory. Returns whether it can be written to. */
export function isWritable(directory: string): boolean {
  try {
    makeDirectory(directory);
    accessSync(directory, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    // A caller that writes there gets the system's own error.
    return false;
  }
}

/** For error codes that say too little. */
const REASONS: Readonly<Record<string, string>> = {
  EEXIST: 'it is there already',
  EISDIR: 'it is a directory',
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'it is read-only there',
  ENOENT: 'the system makes nothing there',
  ENOTDIR: 'a file stands where a directory is needed',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota of this user is used up',
  ENXIO: 'it is a pipe that nobody reads',
  EFBIG: 'it is larger than files may be here',
};

/** Does something that writes. @param what the message begins with @throws UsageError that says why it could not */
export function written(what: string, advice: string, write: () => void): void {
  try {
    write();
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    throw new UsageError(`${what} cannot be written (${REASONS[code] ?? code}): ${advice}.`);
  }
}

/** For what is made to be published. */
export const AS_USUAL = 0o666;

let gate = (bytes: Buffer): Buffer => bytes;

/** Sets what all content passes before it is written. */
export function writeThrough(search: typeof gate): void {
  gate = search;
}

/**
 * Writes a file whole or not at all. A link that stands there is replaced, and never followed.
 * @param content a large text may come in parts
 * @param mode by default only its owner may read it: it may hold evidence
 * @throws the system's error
 */
export function writeWhole(file: string, content: string | Buffer | Iterable<string | Buffer>, mode = 0o600): void {
  // A neighbour who guesses the name could put a link there. What is there already is never written to.
  const draft = `${file}.${randomBytes(9).toString('base64url')}.tmp`;
  writeFileSync(draft, '', { mode, flag: 'wx' });
  try {
    const isWhole = typeof content === 'string' || Buffer.isBuffer(content);
    for (const part of isWhole ? [content] : content)
      writeFileSync(draft, gate(typeof part === 'string' ? Buffer.from(part) : part), { flag: 'a' });
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

/** The register of certified servers: packages that verify, listed on a static page with a link to each report. */
import { existsSync, lstatSync, realpathSync, rmSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { cut } from '../common/cut';
import { namesIn } from '../common/plain-file';
import { suite } from '../common/suite';
import { UsageError } from '../common/usage-error';
import { visibleJson } from '../common/visible';
import { renderPage } from '../report/page/page';
import { keyidOf, type VendorKey } from './keys';
import { ATTESTATION, ATTESTED, readFiles, strangersIn, writeFiles, writtenThere } from './package';
import { type Register, type RegisteredServer, renderRegister, serverOf } from './register-page';
import { isOfThisSuite } from './result-checks';
import { verifyPackage } from './verify';

const PACKAGES = 'packages';
const REGISTER = 'register.json';
const PAGE = 'index.html';

/**
 * Writes `index.html`, `register.json` and a copy of each package that verifies.
 * @param paths packages, and directories of packages
 * @param keys public keys, one of which must have signed each package of its vendor; without any, signatures are not checked
 * @throws UsageError if there are no packages, or the register cannot be written, or would replace what it is made of
 */
export function register(paths: readonly string[], out: string, keys: readonly VendorKey[]): Register {
  const found = paths.flatMap(packagesAt);
  if (found.length === 0) throw new UsageError(`${paths.join(', ')}: there is no package here.`);
  const names = found.map((path) => basename(path));
  const twice = names.find((name, i) => names.indexOf(name) < i);
  if (twice !== undefined) throw new UsageError(`Two packages are called ${twice}: rename one of their directories.`);
  makeRoom(out, found);
  /** By the digest of its evidence: the package that holds a run. */
  const runs = new Map<string, string>();
  const made: Register = { suite, signaturesChecked: keys.length > 0, servers: [], refused: [] };
  for (const path of found) {
    const name = basename(path);
    const listed = listedFrom(path, out, keys, runs);
    // Messages name files by their whole paths, which are nobody's business where a register is published.
    const withoutPlace = (reason: string) => reason.replaceAll(dirname(path) + sep, '');
    if (Array.isArray(listed)) made.refused.push({ package: name, reasons: listed.map(withoutPlace) });
    else made.servers.push(listed);
  }
  made.servers.sort(byName);
  writeFiles(out, { [REGISTER]: `${visibleJson(made)}\n`, [PAGE]: renderRegister(made) });
  return made;
}

/** Returns the path of a package itself, or of every package in a directory, by its real name. */
function packagesAt(path: string): string[] {
  const names = namesIn(path);
  const real = realpathSync(path);
  if (names.includes(ATTESTATION)) return [real];
  return names.map((name) => join(real, name)).filter((each) => !kindOf(each)?.isFile());
}

/** What stands at a path; nothing where its name in the directory is no UTF-8, so that it cannot be asked for. */
function kindOf(path: string) {
  return lstatSync(path, { throwIfNoEntry: false });
}

/** Removes an earlier register's packages. @throws UsageError if that would remove what the new one is made of */
function makeRoom(out: string, packages: readonly string[]): void {
  const old = join(out, PACKAGES);
  const [register, before] = [realOf(out), realOf(old)];
  const lost = packages.find(
    (path) => isWithin(path, before) || isWithin(register, path) || dirname(path) === register,
  );
  if (lost !== undefined)
    throw new UsageError(
      `The register would be written over ${lost} or beside it, and is made of it: give --out another directory.`,
    );
  const taken = [old, join(out, PAGE)].find((path) => existsSync(path));
  if (taken !== undefined && !existsSync(join(out, REGISTER)))
    throw new UsageError(`${taken} is there, and is of no register: give --out a directory of its own.`);
  writtenThere(out, () => rmSync(old, { recursive: true, force: true }));
}

/** Returns the real path of what is there, or may be made there. */
function realOf(path: string): string {
  const whole = resolve(path);
  return existsSync(whole) ? realpathSync(whole) : join(realOf(dirname(whole)), basename(whole));
}

/** Whether a path is a directory or lies in it. Both are real paths. */
function isWithin(path: string, directory: string): boolean {
  return !/^\.\.(?:[\\/]|$)/.test(relative(directory, path));
}

/**
 * Copies a package and checks the copy, so that the package that was checked is the one that is listed.
 * @param runs the runs that are listed, to which this one is added
 * @returns the server that the package is about, or why the package does not verify
 */
function listedFrom(path: string, out: string, keys: readonly VendorKey[], runs: Map<string, string>) {
  const name = basename(path);
  const copy = join(out, PACKAGES, name);
  try {
    if (kindOf(path)?.isSymbolicLink()) throw new UsageError(`${name} is a link.`);
    const [stranger] = strangersIn(path);
    if (stranger !== undefined) throw new UsageError(`${stranger} does not belong in a package.`);
    writeFiles(copy, readFiles(path, ...ATTESTED, ATTESTATION));
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return [error.message];
  }
  const { isFine, checks, signers, conformance, again } = verifyPackage(copy, keys);
  const { vendor } = conformance?.target ?? {};
  const plain = (name = '') => name.normalize('NFC').trim().replace(/\s+/g, ' ');
  const signer = signers.find((key) => plain(key.vendor) === plain(vendor));
  const isForAnother = keys.length > 0 && signer === undefined;
  const twin = runs.get(conformance?.digests.evidence ?? '');
  if (!isFine || !conformance || !again || isForAnother || twin !== undefined) {
    rmSync(copy, { recursive: true });
    if (isFine) return [isForAnother ? notItsVendor(vendor, signers) : `package: ${twin} holds the same run`];
    return checks.filter(({ verdict }) => verdict === 'failed').map(({ name, says }) => `${name}: ${says}`);
  }
  runs.set(conformance.digests.evidence, name);
  // Another version's page cannot be checked and may hold anything, so the register writes its own.
  if (!isOfThisSuite(conformance)) writeFiles(copy, { 'index.html': renderPage(again) });
  const place = `${PACKAGES}/${encodeURIComponent(name)}`;
  return serverOf(conformance, place, signer ? { vendor: signer.vendor, keyid: keyidOf(signer.key) } : null);
}

function notItsVendor(vendor: string | undefined, signers: readonly VendorKey[]): string {
  const vouched = [...new Set(signers.map((key) => JSON.stringify(key.vendor)))].join(' and ');
  const says = vendor === undefined ? 'it declares no vendor' : `its vendor is ${JSON.stringify(cut(vendor, 200))}`;
  return `vendor: ${says}, and the key that signed it vouches for ${vouched} alone`;
}

const collator = new Intl.Collator('en', { numeric: true });

/** Sorts by vendor, product and version, the latest run of the same first. Servers without a vendor come last. */
function byName(a: RegisteredServer, b: RegisteredServer): number {
  return (
    Number(a.vendor === null) - Number(b.vendor === null) ||
    collator.compare(a.vendor ?? '', b.vendor ?? '') ||
    collator.compare(a.product, b.product) ||
    collator.compare(a.version ?? '', b.version ?? '') ||
    collator.compare(b.date, a.date) ||
    collator.compare(a.package, b.package)
  );
}

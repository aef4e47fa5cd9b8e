import { UsageError } from '../common/errors';
import { cut, listed } from '../common/text';
import type { Conformance } from '../contract/result';
import { renderPage } from '../report/page/page';
import { type Envelope, envelopeIn, signersOf, statementOf } from './attestation';
import type { VendorKey } from './keys';
import { ATTESTATION, ATTESTED, type Contents, digestsOf, readFiles, strangersIn } from './package';
import { type Check, check, type ReadResult, readResult, resultChecks } from './result-checks';

export interface Verification {
  package: string;
  isFine: boolean;
  /** Every check that could be made. */
  checks: Check[];
  /** The key of the package's own vendor that signed it. */
  signer: VendorKey | null;
  /** The package's result; `null` if it could not be read. */
  conformance: Conformance | null;
}

/**
 * Checks a package offline: who vouches for it, and whether its result follows from its evidence.
 * @param keys one of which must be the vendor's and have signed the package; without any, signatures are not checked
 * @throws UsageError if there is no such directory
 */
export function verifyPackage(directory: string, keys: readonly VendorKey[]): Verification {
  const strangers = strangersIn(directory).map((name) => `${JSON.stringify(name)} does not belong in a package`);
  const checks = [check('package', strangers)];
  let [conformance, signer]: [Conformance | null, VendorKey | null] = [null, null];
  // The check that fails if the next step of reading fails.
  let reading = 'package';
  try {
    const contents = readFiles(directory, ...ATTESTED, ATTESTATION);
    reading = 'attestation';
    const envelope = envelopeIn(contents[ATTESTATION], ATTESTATION);
    reading = 'schemas';
    const read = readResult(contents['conformance.json'], contents['evidence.har']);
    conformance = read.given;
    const signers = signersOf(envelope, keys);
    const vendor = plain(conformance.target.vendor);
    signer = signers.find((key) => plain(key.vendor) === vendor) ?? null;
    checks.push(
      check('schemas', []),
      keys.length === 0
        ? { name: 'signature', verdict: 'unchecked', problems: [] }
        : check('signature', signer ? [] : [whyNotSigned(signers, conformance)]),
    );
    const results = resultChecks(read);
    checks.push(...results);
    // Of another version, neither can be made again.
    if (results.some(({ name }) => name === 'result'))
      checks.push(
        check('attestation', attestationProblems(envelope, read, contents)),
        check('page', pageProblems(read, contents)),
      );
  } catch (error) {
    checks.push(check(reading, [messageOf(error)]));
  }
  return {
    package: directory,
    isFine: checks.every(({ verdict }) => verdict !== 'failed'),
    checks,
    signer,
    conformance,
  };
}

function messageOf(error: unknown): string {
  if (error instanceof UsageError) return error.message;
  // Brackets within brackets can be nested deeper than the stack allows.
  if (error instanceof RangeError) return 'a file is nested too deeply or too large to be read';
  throw error;
}

/** A vendor's name as it is compared. */
function plain(name = ''): string {
  return name.normalize('NFC').trim().replace(/\s+/g, ' ');
}

function whyNotSigned(signers: readonly VendorKey[], { target: { vendor } }: Conformance): string {
  if (signers.length === 0) return 'none of the keys given signed it, or what is signed was changed';
  const vouched = listed(new Set(signers.map((key) => JSON.stringify(key.vendor))));
  const declared = vendor === undefined ? 'it declares no vendor' : `its vendor is ${JSON.stringify(cut(vendor, 200))}`;
  return `${declared}, and the key that signed it vouches for ${vouched} alone`;
}

/** The attestation is the one that `certify` writes of these files, byte by byte. */
function attestationProblems({ payload }: Envelope, { given }: ReadResult, contents: Contents): string[] {
  const attested = Buffer.from(payload, 'base64').toString();
  const digests = digestsOf(contents);
  const changed = digests.filter(([, sha256]) => !attested.includes(sha256));
  if (changed.length > 0) return changed.map(([name]) => `${name} is not the file that is attested: it was changed`);
  const isSame = attested === JSON.stringify(statementOf(given, digests));
  return isSame ? [] : ['attestation.json does not say what conformance.json says'];
}

function pageProblems({ again }: ReadResult, contents: Contents): string[] {
  const isSame = Buffer.from(renderPage(again)).equals(contents['index.html']);
  return isSame ? [] : ['index.html is not the page that this suite makes of the result: it was changed'];
}

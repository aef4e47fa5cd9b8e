/** Keys that sign and verify: Ed25519 (RFC 8032) and ECDSA on P-256 with SHA-256 (FIPS 186-5), in PEM. */
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { UsageError } from '../common/errors';
import { MOST_BYTES, textIn } from '../common/plain-file';
import { sha256Of } from '../contract/digest';

const MAKE = 'make one with `openssl genpkey -algorithm ed25519 -out signing-key.pem`';

/** A public key of a vendor, with the name of its file. It vouches for this vendor's servers alone. */
export interface VendorKey {
  name: string;
  key: KeyObject;
  vendor: string;
}

/**
 * Returns the key to sign with.
 * @param file what `--key` names, if given; it beats `SIGNING_KEY`
 * @param variable what `SIGNING_KEY` holds, if set
 * @throws UsageError with one message that holds nothing of the key
 */
export function signingKey(file: string | undefined, variable: string | undefined): KeyObject {
  if (file === undefined && !variable)
    throw new UsageError(`No key to sign with: give --key FILE or set SIGNING_KEY; ${MAKE}.`);
  const where = file ?? 'SIGNING_KEY';
  const pem = file === undefined ? (variable ?? '').replaceAll('\\n', '\n') : textIn(file, MOST_BYTES.file);
  if (/-----BEGIN (?:PUBLIC KEY|CERTIFICATE)-----/.test(pem) && !pem.includes('PRIVATE KEY-----'))
    throw new UsageError(`${where} holds no private key, so nothing can be signed with it; ${MAKE}.`);
  if (/ENCRYPTED/.test(pem))
    throw new UsageError(
      `${where} is encrypted, and there is nobody to ask for its passphrase: decrypt it with \`openssl pkey -in KEY -out PLAIN\` where nobody else can read it.`,
    );
  return parsed(createPrivateKey, pem, where);
}

/**
 * Returns the public key in a word such as `acme.pem=Acme GmbH`.
 * @throws UsageError if it is no such word, or the file holds no public key that is supported
 */
export function vendorKey(word: string): VendorKey {
  const [, file = '', vendor = ''] = /^([^=]+)=(.*)$/s.exec(word) ?? [];
  if (vendor.trim() === '')
    throw new UsageError(
      '--key is FILE=VENDOR, such as "acme.pem=Acme GmbH": a key vouches for the servers of its vendor alone.',
    );
  const pem = textIn(file, MOST_BYTES.file);
  if (pem.includes('PRIVATE KEY-----'))
    throw new UsageError(
      `${file} holds a private key, which nobody but its owner should have: take the public one, \`openssl pkey -in KEY -pubout -out PUBLIC\`.`,
    );
  return { name: file, key: parsed(createPublicKey, pem, file), vendor: vendor.trim() };
}

/** The SHA-256 of a public key (SubjectPublicKeyInfo) in hexadecimal digits. */
export function keyidOf(key: KeyObject): string {
  return sha256Of(key.export({ type: 'spki', format: 'der' }));
}

function parsed(parse: (pem: string) => KeyObject, pem: string, where: string): KeyObject {
  let key: KeyObject;
  try {
    key = parse(pem);
  } catch {
    throw new UsageError(`${where} is no key in PEM; ${MAKE}.`);
  }
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key;
  if (type === 'ed25519' || (type === 'ec' && details?.namedCurve === 'prime256v1')) return key;
  const kind = details?.namedCurve ?? type ?? 'unknown';
  throw new UsageError(`${where} is a key of the kind ${kind}: Ed25519 and ECDSA on P-256 are supported; ${MAKE}.`);
}

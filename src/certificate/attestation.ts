/**
 * What a package attests, and who signed it: an in-toto Statement v1 with the predicate test-result/v0.1, in an
 * envelope of DSSE 1.0.0 (secure-systems-lab/dsse, protocol.md and envelope.md). Keys are Ed25519 (RFC 8032), in PEM.
 */
import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { UsageError } from '../common/errors';
import { MOST_BYTES, textIn, utf8Of } from '../common/files';
import { wholeJsonIn } from '../common/json';
import { sha256Of } from '../common/text';
import type { Conformance, Verdict } from '../contract/result';
import { isObject } from '../evidence/http/json';
import { having } from '../report/words';

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
    throw new UsageError(`${where} is no such key in PEM, or is encrypted: ${MAKE}.`);
  }
  const { asymmetricKeyType: type } = key;
  if (type === 'ed25519') return key;
  throw new UsageError(`${where} is a key of the kind ${type}: only Ed25519 is supported; ${MAKE}.`);
}

export const PAYLOAD_TYPE = 'application/vnd.in-toto+json';

export interface Envelope {
  payloadType: string;
  payload: string;
  signatures: Array<{ keyid?: string; sig: string }>;
}

/** Returns the signed envelope around a statement. @param key private */
export function signedEnvelope(statement: object, key: KeyObject): Envelope {
  const payload = Buffer.from(JSON.stringify(statement));
  const sig = sign(null, signedBytes(PAYLOAD_TYPE, payload), key).toString('base64');
  // It hints at the key that signed, and proves nothing.
  const keyid = keyidOf(createPublicKey(key));
  return { payloadType: PAYLOAD_TYPE, payload: payload.toString('base64'), signatures: [{ keyid, sig }] };
}

/** Returns those of the keys that made one of the envelope's signatures. */
export function signersOf({ payloadType, payload, signatures }: Envelope, keys: readonly VendorKey[]): VendorKey[] {
  const signed = signedBytes(payloadType, Buffer.from(payload, 'base64'));
  return keys.filter(({ key }) => signatures.some(({ sig }) => verify(null, signed, key, Buffer.from(sig, 'base64'))));
}

/** Returns what is signed: type and payload, each with its length, so that neither can pass for the other (PAE). */
export function signedBytes(payloadType: string, payload: Buffer): Buffer {
  const type = Buffer.from(payloadType);
  return Buffer.concat([Buffer.from(`DSSEv1 ${type.length} `), type, Buffer.from(` ${payload.length} `), payload]);
}

const MOST_SIGNATURES = 16;

/** Returns the envelope in a file. @param file its name in messages @throws UsageError if there is none */
export function envelopeIn(content: Buffer, file: string): Envelope {
  const document = wholeJsonIn(utf8Of(content, file), file);
  const { payloadType, payload, signatures } = isObject(document) ? document : {};
  const made = (Array.isArray(signatures) ? signatures : []).filter(isObject).map(({ sig }) => ({ sig: String(sig) }));
  const isSigned = made.length > 0 && made.length <= MOST_SIGNATURES;
  if (payloadType !== PAYLOAD_TYPE || typeof payload !== 'string' || !isSigned)
    throw new UsageError(`${file} is no signed DSSE envelope around an in-toto statement (${PAYLOAD_TYPE}).`);
  return { payloadType, payload, signatures: made };
}

export type Statement = ReturnType<typeof statementOf>;

/** Returns the statement about a result; clauses are its tests. @param digests the SHA-256 of each file, by its name */
export function statementOf(result: Conformance, digests: ReadonlyArray<readonly [string, string]>) {
  const { suite, target, clauses } = result;
  const { baseURL, accounts: _, ...known } = target;
  const ids = (...verdicts: Verdict[]) => having(clauses, ...verdicts).map(({ id }) => id);
  const [failedTests, warnedTests] = [ids('fail', 'waived'), ids('warn')];
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: digests.map(([name, sha256]) => ({ name, digest: { sha256 } })),
    predicateType: 'https://in-toto.io/attestation/test-result/v0.1',
    predicate: {
      result: failedTests[0] ? 'FAILED' : warnedTests[0] ? 'WARNED' : 'PASSED',
      // In-toto's ResourceDescriptors of what the result rests on.
      configuration: [
        { name: 'suite', uri: `pkg:npm/${suite.name}@${suite.version}` },
        { name: 'contract', digest: { sha256: result.digests.contract.replace('sha256:', '') } },
        { name: 'target', uri: baseURL, annotations: known },
      ],
      passedTests: ids('pass', 'inapplicable'),
      warnedTests,
      failedTests,
    },
  };
}

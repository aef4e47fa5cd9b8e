/** DSSE 1.0.0, the envelope around what is signed (secure-systems-lab/dsse, protocol.md and envelope.md). */
import { createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { dsse } from '@sigstore/core';
import { UsageError } from '../common/usage-error';
import { sha256Of } from '../contract/digest';
import type { NamedKey } from './keys';

export interface Envelope {
  payloadType: string;
  /** Base64. */
  payload: string;
  signatures: Array<{ keyid?: string; sig: string }>;
}

/** @param key private */
export function signedEnvelope(payloadType: string, payload: Buffer, key: KeyObject): Envelope {
  const signature = sign(digestFor(key), dsse.preAuthEncoding(payloadType, payload), key);
  // A hint at the key, and no proof.
  const keyid = sha256Of(createPublicKey(key).export({ type: 'spki', format: 'der' }));
  return {
    payloadType,
    payload: payload.toString('base64'),
    signatures: [{ keyid, sig: signature.toString('base64') }],
  };
}

/** The first of some keys with which any signature of an envelope was made; `null` where there is none. */
export function signerOf({ payloadType, payload, signatures }: Envelope, keys: readonly NamedKey[]): NamedKey | null {
  const signed = dsse.preAuthEncoding(payloadType, Buffer.from(payload, 'base64'));
  return (
    keys.find(({ key }) => signatures.some(({ sig }) => isSignature(signed, Buffer.from(sig, 'base64'), key))) ?? null
  );
}

function isSignature(signed: Buffer, signature: Buffer, key: KeyObject): boolean {
  // ECDSA signatures are written as DER, or as both numbers one after another.
  const encodings = key.asymmetricKeyType === 'ed25519' ? (['der'] as const) : (['der', 'ieee-p1363'] as const);
  return encodings.some((dsaEncoding) => verify(digestFor(key), signed, { key, dsaEncoding }, signature));
}

function digestFor(key: KeyObject): 'sha256' | null {
  return key.asymmetricKeyType === 'ed25519' ? null : 'sha256';
}

const MOST_SIGNATURES = 16;
const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;

/**
 * An envelope that was read.
 * @param file how to call it in messages
 * @throws UsageError where it is none
 */
export function envelopeIn(document: unknown, file: string): Envelope {
  const { payloadType, payload, signatures } = (document ?? {}) as Partial<Record<string, unknown>>;
  const isText = (value: unknown): value is string => typeof value === 'string';
  const isBase64 = (value: unknown): value is string => isText(value) && BASE64.test(value);
  const isSigned =
    Array.isArray(signatures) &&
    signatures.length <= MOST_SIGNATURES &&
    signatures.every(
      (signature) => isBase64(signature?.sig) && (signature.keyid === undefined || isText(signature.keyid)),
    );
  if (!isText(payloadType) || !isBase64(payload) || !isSigned)
    throw new UsageError(`${file} is no DSSE envelope with \`payloadType\`, \`payload\` and \`signatures\`.`);
  return { payloadType, payload, signatures: signatures as Envelope['signatures'] };
}

/** DSSE 1.0.0, the envelope around what is signed (secure-systems-lab/dsse, protocol.md and envelope.md). */
import { createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { errorsAgainst } from '../common/json-schema';
import { UsageError } from '../common/usage-error';
import { keyidOf, type NamedKey } from './keys';

export interface Envelope {
  payloadType: string;
  /** Base64. */
  payload: string;
  signatures: Array<{ keyid?: string; sig: string }>;
}

/** Returns the signed envelope around a payload. @param key private */
export function signedEnvelope(payloadType: string, payload: Buffer, key: KeyObject): Envelope {
  const sig = sign(digestFor(key), signedBytes(payloadType, payload), key).toString('base64');
  // It hints at the key that signed, and proves nothing.
  const keyid = keyidOf(createPublicKey(key));
  return { payloadType, payload: payload.toString('base64'), signatures: [{ keyid, sig }] };
}

/** Returns those of the keys that made one of the envelope's signatures. */
export function signersOf<Key extends NamedKey>(
  { payloadType, payload, signatures }: Envelope,
  keys: readonly Key[],
): Key[] {
  const signed = signedBytes(payloadType, Buffer.from(payload, 'base64'));
  // ECDSA signatures are written as DER or as two plain numbers. Ed25519 ignores the encoding.
  const isOf = (key: KeyObject, signature: Buffer) =>
    (['der', 'ieee-p1363'] as const).some((dsaEncoding) =>
      verify(digestFor(key), signed, { key, dsaEncoding }, signature),
    );
  return keys.filter(({ key }) => signatures.some(({ sig }) => isOf(key, Buffer.from(sig, 'base64'))));
}

/** Returns what is signed: type and payload, each with its length, so that neither can pass for the other (PAE). */
export function signedBytes(payloadType: string, payload: Buffer): Buffer {
  const type = Buffer.from(payloadType);
  return Buffer.concat([Buffer.from(`DSSEv1 ${type.length} `), type, Buffer.from(` ${payload.length} `), payload]);
}

function digestFor(key: KeyObject): 'sha256' | null {
  return key.asymmetricKeyType === 'ed25519' ? null : 'sha256';
}

const TEXT = { type: 'string' };
const BASE64 = { type: 'string', pattern: '^[A-Za-z0-9+/_-]*={0,2}$' };
const errorsIn = errorsAgainst({
  type: 'object',
  required: ['payloadType', 'payload', 'signatures'],
  properties: {
    payloadType: TEXT,
    payload: BASE64,
    signatures: {
      type: 'array',
      maxItems: 16,
      items: { type: 'object', required: ['sig'], properties: { sig: BASE64, keyid: TEXT } },
    },
  },
});

/** Returns a document as an envelope. @throws UsageError if it is none @param file its name in messages */
export function envelopeIn(document: unknown, file: string): Envelope {
  if (errorsIn(document).length > 0)
    throw new UsageError(`${file} is no DSSE envelope with \`payloadType\`, \`payload\` and \`signatures\`.`);
  return document as Envelope;
}

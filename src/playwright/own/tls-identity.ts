/** What the run's proxy shows to own tests that speak https. They only ever reach their own run, and verify nothing. */
import { generateKeyPairSync, sign } from 'node:crypto';

/** Parts of an X.509 certificate in DER, version 1 (RFC 5280 section 4.1): its number, how it is signed, nobody's name. */
const SERIAL = '020101';
const ED25519 = '300506032b6570';
const NAME = '3000';
const FROM_1970_TO_2049 = `301e170d${hexOf('700101000000Z')}170d${hexOf('491231235959Z')}`;

/** Returns a new key, and a certificate for it that is signed with it (RFC 8410), both as PEM. */
export function newIdentity(): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const subject = publicKey.export({ type: 'spki', format: 'der' }).toString('hex');
  // All parts have a fixed length.
  const signed = `305a${SERIAL}${ED25519}${NAME}${FROM_1970_TO_2049}${NAME}${subject}`;
  const signature = sign(null, Buffer.from(signed, 'hex'), privateKey).toString('hex');
  const whole = Buffer.from(`3081a6${signed}${ED25519}034100${signature}`, 'hex').toString('base64');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${whole}\n-----END CERTIFICATE-----\n`,
  };
}

function hexOf(text: string): string {
  return Buffer.from(text).toString('hex');
}

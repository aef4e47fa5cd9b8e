/** A self-signed certificate of its own for every test run, so that no private key lies about in the project. */
import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

const OID = {
  commonName: '550403',
  subjectAltName: '551d11',
  basicConstraints: '551d13',
  sha256Rsa: '2a864886f70d01010b',
};

export interface Certificate {
  /** PEM. */
  key: string;
  cert: string;
}

/** For 127.0.0.1, valid from a day ago for ten years, and an authority for itself (RFC 5280). */
export function selfSigned(): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const algorithm = sequence(oid(OID.sha256Rsa), der(0x05));
  const name = sequence(der(0x31, sequence(oid(OID.commonName), der(0x0c, Buffer.from('127.0.0.1')))));
  const alternatives = sequence(der(0x87, Buffer.from([127, 0, 0, 1])));
  const extensions = sequence(
    sequence(
      oid(OID.basicConstraints),
      der(0x01, Buffer.from([0xff])),
      der(0x04, sequence(der(0x01, Buffer.from([0xff])))),
    ),
    sequence(oid(OID.subjectAltName), der(0x04, alternatives)),
  );
  const dayMs = 86_400_000;
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, serialOf(publicKey)),
    algorithm,
    name,
    sequence(time(Date.now() - dayMs), time(Date.now() + 3650 * dayMs)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, extensions),
  );
  const signature = sign('sha256', body, privateKey);
  const certificate = sequence(body, algorithm, der(0x03, Buffer.concat([Buffer.from([0]), signature])));
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${certificate.toString('base64').replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
  };
}

function serialOf(publicKey: KeyObject): Buffer {
  const digest = createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest();
  // The first octet makes it a positive number without a leading zero.
  return Buffer.concat([Buffer.from([0x01]), digest.subarray(0, 8)]);
}

/** One value of DER: tag, length, content. */
function der(tag: number, content: Buffer = Buffer.alloc(0)): Buffer {
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function sequence(...parts: Buffer[]): Buffer {
  return der(0x30, Buffer.concat(parts));
}

function oid(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, 'hex'));
}

function time(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replace(/[-:T]|\.\d+/g, '');
  return der(0x18, Buffer.from(digits));
}

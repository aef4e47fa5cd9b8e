/** Certificates for servers of tests. */
import { generate } from 'selfsigned';

/** A certificate for 127.0.0.1 that is its own authority, new for every run: no private key lies in the project. */
export async function selfSigned(): Promise<{ key: string; cert: string }> {
  const { private: key, cert } = await generate([{ name: 'commonName', value: '127.0.0.1' }], {
    algorithm: 'sha256',
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] },
    ],
  });
  return { key, cert };
}

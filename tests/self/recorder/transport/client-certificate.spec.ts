/** Certificates: that of a client is shown and its key is a secret; every error about one has a sentence. */
import { createSecureServer } from 'node:http2';
import type { TlsOptions } from 'node:tls';
import { expect, test } from '@playwright/test';
import { stringify } from 'yaml';
import { listenOn } from '../../../../src/common/suite';
import { Masking } from '../../../../src/recorder/masking';
import { unreachable } from '../../../../src/recorder/transport/fault';
import { selfSigned } from '../../support/certificate';
import { behindTls, connectionTo } from '../../support/listening';
import { runHere } from '../../support/run-here';
import { directoryWith, fileWith, stackLines } from '../../support/whole-runs';

test.describe.configure({ mode: 'parallel' });
const ONE = /^(?:auth\.accepted|transport\.complete)$/;

/** The reference server behind TLS that asks for a certificate, and target files for it beside that certificate. */
async function behindMutualTls(more: TlsOptions = {}) {
  const [server, client] = [await selfSigned(), await selfSigned()];
  const options = { ...server, requestCert: true, rejectUnauthorized: true, ca: client.cert, ...more };
  const { baseURL, accounts, close } = await behindTls(options);
  const files = { 'client.pem': client.cert, 'client-key.pem': client.key, 'other-key.pem': server.key };
  const directory = directoryWith(files);
  const declared = { baseURL, accounts: accounts.slice(0, 1).map(({ name, apiKey }) => ({ name, apiKey })) };
  return {
    key: client.key,
    run(clientCertificate?: object, isTrusted = true) {
      const text = stringify({ ...declared, ...(clientCertificate && { clientCertificate }) });
      const TARGET = fileWith(`${Math.random()}.yaml`, text, directory);
      return runHere({ TARGET, ...(isTrusted && { INSECURE_TLS: '1' }) }, ONE);
    },
    close,
  };
}

const CLIENT = { cert: 'client.pem', key: 'client-key.pem' };

test('the declared certificate is shown, and its key stands in nothing that the run leaves', async () => {
  const server = await behindMutualTls();
  const run = await server.run(CLIENT);
  await server.close();
  expect(run.status, run.output).toBe(0);
  const [, line = ''] = server.key.split('\n');
  for (const file of ['conformance.json', 'evidence.har', 'index.html', 'summary.md'])
    expect(run.text(file)).not.toContain(line);
  expect(JSON.parse(run.text('evidence.har')).log._target.clientCertificate).toEqual(CLIENT);
});

for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const)
  test(`a server that gets none is understood to ask for one: ${maxVersion}`, async () => {
    const server = await behindMutualTls({ maxVersion });
    const [run, untrusted] = await Promise.all([server.run(), server.run(undefined, false)]);
    await server.close();
    // With TLS 1.2 the server ends the handshake before its own certificate is looked at.
    if (maxVersion === 'TLSv1.3') expect(untrusted.output).toContain('DEPTH_ZERO_SELF_SIGNED_CERT');
    expect(run.status).toBe(2);
    expect(run.output.replace(/\s+/g, ' ')).toContain(
      'if it asks for a client certificate (mutual TLS), declare `clientCertificate: { cert, key }` in a target file',
    );
    expect(stackLines(run.output)).toEqual([]);
  });

test('a certificate that the server does not know is refused in words, and files that are none are one sentence', async () => {
  const other = await selfSigned();
  const server = await behindMutualTls({ ca: other.cert });
  const runs = [
    [CLIENT, /the server closed the connection without an answer/],
    [{ ...CLIENT, key: 'other-key.pem' }, /clientCertificate: cert must be a certificate and key its private key/],
    [{ ...CLIENT, key: 'client.pem' }, /clientCertificate: cert must be a certificate and key its private key/],
    [{ ...CLIENT, cert: 'none.pem' }, /TARGET: clientCertificate\.cert: .*none\.pem cannot be read: no such file/],
    [{ cert: 'client.pem' }, /clientCertificate\.key: missing/],
  ] as const;
  for (const [declared, what] of runs) {
    const run = await server.run(declared);
    expect(run.status).toBe(2);
    expect(run.output.replace(/\s+/g, ' ')).toMatch(what);
    expect(stackLines(run.output)).toEqual([]);
  }
  await server.close();
});

test('a private key is masked with its line breaks, without them, and in JSON', async () => {
  const { key } = await selfSigned();
  const masking = new Masking([], [], { cert: '', key, passphrase: 'pass-phrase-4711' });
  const digits = key.replace(/-----.*-----|\s/g, '');
  for (const text of [key, digits, JSON.stringify({ key }), key.replaceAll('\n', '\r\n')]) {
    const masked = masking.maskText(`a ${text} pass-phrase-4711`);
    expect(masked).toContain('[secret:clientCertificate:key]');
    expect(masked).toContain('[secret:clientCertificate:passphrase]');
    expect(masked).not.toContain(digits.slice(64, 96));
  }
});

/** "X509 certificate error codes" in Node's manual of its module `tls`, without those of revocation lists. */
const OF_CERTIFICATES = [
  ...['UNABLE_TO_GET_ISSUER_CERT', 'UNABLE_TO_DECRYPT_CERT_SIGNATURE', 'UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY'],
  ...['CERT_SIGNATURE_FAILURE', 'CERT_NOT_YET_VALID', 'CERT_HAS_EXPIRED', 'ERROR_IN_CERT_NOT_BEFORE_FIELD'],
  ...['ERROR_IN_CERT_NOT_AFTER_FIELD', 'OUT_OF_MEM', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN'],
  ...['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'CERT_CHAIN_TOO_LONG'],
  ...['CERT_REVOKED', 'INVALID_CA', 'PATH_LENGTH_EXCEEDED', 'INVALID_PURPOSE', 'CERT_UNTRUSTED', 'CERT_REJECTED'],
  ...['HOSTNAME_MISMATCH', 'ERR_TLS_CERT_ALTNAME_INVALID'],
];

const why = (code: string) => unreachable(Object.assign(new Error('secret'), { code }), false).message;

test('every error of a certificate has a sentence about it, and an authority that is not known one about what to set', () => {
  for (const code of OF_CERTIFICATES) {
    expect(why(code), code).toContain('certificate');
    expect(why(code), code).not.toMatch(/server is up|secret/);
  }
  for (const code of ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'CERT_UNTRUSTED'])
    expect(why(code)).toMatch(/trust its authority with NODE_EXTRA_CA_CERTS/);
  for (const code of ['ECONNREFUSED', 'ESOMETHING'])
    expect(why(code)).toContain('check the address and that the server is up');
});

test('a server that speaks HTTP/2 alone is called so', async () => {
  const server = createSecureServer(await selfSigned()).on('unknownProtocol', (socket) => socket.destroy());
  const baseURL = `https://127.0.0.1:${await listenOn(server)}/v2`;
  const connection = connectionTo(baseURL);
  const { fault } = await connection.read();
  await connection.close();
  server.close();
  expect(fault?.kind).toBe('unreachable');
  expect(fault?.message).toContain('HTTP/2 alone');
});

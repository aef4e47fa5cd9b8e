/** Why no connection could be opened: every error of a certificate that Node's manual lists has a sentence. */
import { createSecureServer } from 'node:http2';
import { expect, test } from '@playwright/test';
import { listenOn } from '../../../../src/common/listening';
import { targetOf } from '../../../../src/config/target';
import { unreachable } from '../../../../src/recorder/transport/fault';
import { networkTo } from '../../../../src/recorder/transport/network-connection';
import { selfSigned } from '../../support/certificate';

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
  const target = targetOf({ baseURL, accounts: [{ name: 'a', apiKey: 'http2-key-4711-Aa' }] }, 'http2');
  const connection = networkTo(target, { insecureTls: true, environment: {} }).connection(1);
  const { fault } = await connection.exchange({ method: 'GET', url: new URL(`${baseURL}/webhooks`), headers: [] });
  await connection.close();
  server.close();
  expect(fault?.kind).toBe('unreachable');
  expect(fault?.message).toContain('HTTP/2 alone');
});

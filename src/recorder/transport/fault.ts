/** Describes what goes wrong below HTTP, in messages that show nothing of the target's configuration. */
import type { Fault } from '../../evidence/model';

/** The most bytes that the header section of an answer may have. */
export const MAX_HEADER_BYTES = 65_536;

export const CLOSED_IN_ANSWER: Fault = {
  kind: 'truncated',
  message: 'closed the connection in the middle of its answer',
};

export const SWITCHED: Fault = { kind: 'upgrade', message: 'switched protocols (101) though nothing asked for it' };

export const MORE_THAN_AN_ANSWER: Fault = {
  kind: 'malformed',
  message:
    'sent more bytes than its answer has (a Content-Length that counts characters is too small; HEAD, 204 and 304 have no body)',
};

const CHECK = 'check the address and that the server is up';

/** Why no connection could be opened, by the code of the error. */
const WHY: Readonly<Record<string, string>> = {
  ECONNREFUSED: `the connection was refused: nothing listens there; ${CHECK}`,
  ENOTFOUND: `the host name is not known: ${CHECK}`,
  EAI_AGAIN: `the host name could not be looked up: ${CHECK}`,
  ETIMEDOUT: `no connection in time: ${CHECK}`,
  ECONNRESET: `the connection was closed while it was being opened: ${CHECK}`,
  EPROTO: `the server does not speak TLS there: ${CHECK}`,
  ERR_SSL_WRONG_VERSION_NUMBER: `the server does not speak TLS there (perhaps it is http instead of https): ${CHECK}`,
  ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL:
    'the server does not offer HTTP/1.1 there, but HTTP/2 alone perhaps: let it offer http/1.1 as well (ALPN), which this suite speaks',
};

/** The codes of certificates in Node's manual of its module `tls`; without those of revocation lists, of which none is read. */
const OF_CERTIFICATE = /CERT|^INVALID_|^PATH_LENGTH|^UNABLE_TO_|^OUT_OF_MEM$|^HOSTNAME_MISMATCH$/;
/** Of these, the codes of certificates whose authority is not known. */
const OF_AUTHORITY = /SELF_SIGNED|^UNABLE_TO_(?:GET|VERIFY)|UNTRUSTED/;

/** A proxy that answers itself, in place of opening a tunnel. */
export class ProxyRefusal extends Error {
  constructor(readonly status: number) {
    super();
  }
}

/** What a server sends that does not accept a client certificate, or the lack of one (RFC 8446, section 6.2). */
const CERTIFICATE_ALERT = /SSL alert number (?:4\d|116)\b/;
const CERTIFICATE_REFUSED =
  'the server ended the TLS handshake: if it asks for a client certificate (mutual TLS), declare `clientCertificate: { cert, key }` in a target file, one that it accepts';

/** Says why no connection could be opened. Names no address, since the user may not want to print it. */
export function unreachable(error: Error, viaProxy: boolean): Fault {
  if (error instanceof ProxyRefusal) return refusedByProxy(error.status);
  if (CERTIFICATE_ALERT.test(error.message)) return { kind: 'unreachable', message: CERTIFICATE_REFUSED };
  const code = codeOf(error);
  const how = OF_AUTHORITY.test(code) ? 'trust its authority with NODE_EXTRA_CA_CERTS, or set' : 'correct it, or set';
  const other = OF_CERTIFICATE.test(code)
    ? `its certificate is not accepted (${code}): ${how} INSECURE_TLS=1`
    : `the connection could not be opened (${code}): ${CHECK}`;
  const which = viaProxy ? ' (or it is the proxy that cannot be reached: HTTP_PROXY or HTTPS_PROXY is set)' : '';
  return { kind: 'unreachable', message: `${WHY[code] ?? other}${which}` };
}

export function refusedByProxy(status: number): Fault {
  return { kind: 'unreachable', message: `the proxy answered ${status} itself (HTTP_PROXY or HTTPS_PROXY is set)` };
}

/** Says how the exchange broke after the request was sent. */
export function broken(error: Error, hasHead: boolean): Fault {
  const code = codeOf(error);
  if (code === 'HPE_HEADER_OVERFLOW')
    return { kind: 'too-large', message: `sent more than ${MAX_HEADER_BYTES} bytes of headers` };
  const lengths = 'did not say clearly how long its answer is (Content-Length twice, or beside Transfer-Encoding)';
  if (code === 'HPE_UNEXPECTED_CONTENT_LENGTH' || code === 'HPE_INVALID_TRANSFER_ENCODING')
    return { kind: 'truncated', message: lengths };
  // With TLS 1.3 a server looks at the certificate when the connection is open already.
  if (CERTIFICATE_ALERT.test(error.message)) return { kind: 'unreachable', message: CERTIFICATE_REFUSED };
  if (isOfParser(error)) return { kind: 'malformed', message: 'sent something that is not HTTP/1.1' };
  if (!hasHead) return { kind: 'reset', message: 'closed the connection without an answer' };
  if (code !== 'ECONNRESET') return CLOSED_IN_ANSWER;
  return { kind: 'reset', message: 'reset the connection in the middle of its answer' };
}

/** Whether what came is no HTTP where it stands. */
export function isOfParser(error: Error): boolean {
  return codeOf(error).startsWith('HPE_');
}

/** Returns the code of an error; of many attempts to connect, that of the first. */
function codeOf(error: Error): string {
  if (error instanceof AggregateError && error.errors[0] instanceof Error) return codeOf(error.errors[0]);
  return (error as NodeJS.ErrnoException).code ?? error.name;
}

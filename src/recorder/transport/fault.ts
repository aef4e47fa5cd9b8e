/** Describes what goes wrong below HTTP, in messages that show nothing of the target's configuration. */
import type { Fault } from '../../evidence/model';

/** The most bytes that the header section of an answer may have. */
export const MAX_HEADER_BYTES = 65_536;

export const RESET_IN_ANSWER: Fault = { kind: 'reset', message: 'reset the connection in the middle of its answer' };

export const TOO_MANY_HEADERS: Fault = {
  kind: 'too-large',
  message: `sent more than ${MAX_HEADER_BYTES} bytes of headers`,
};

export const SWITCHED: Fault = { kind: 'upgrade', message: 'switched protocols (101) though nothing asked for it' };

export const MORE_THAN_AN_ANSWER: Fault = {
  kind: 'malformed',
  message:
    'sent more bytes than its answer has (a Content-Length that counts characters instead of bytes is too small)',
};

/** Says why no connection could be opened. Names no address, since the user may not want to print it. */
export function unreachable(error: Error, viaProxy: boolean): Fault {
  const refusal = /^Proxy response \((\d+)\)/.exec(error.message);
  if (refusal) return refusedByProxy(Number(refusal[1]));
  const code = codeOf(error);
  const words: Record<string, string> = {
    ECONNREFUSED: 'the connection was refused: nothing listens there',
    ENOTFOUND: 'the host name is not known',
    EAI_AGAIN: 'the host name could not be looked up',
    ETIMEDOUT: 'no connection in time',
    UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
    ECONNRESET: 'the connection was closed while it was being opened',
    UND_ERR_SOCKET: 'the connection was closed while it was being opened',
    DEPTH_ZERO_SELF_SIGNED_CERT:
      'its certificate is self-signed: trust it with NODE_EXTRA_CA_CERTS, or set INSECURE_TLS=1',
    SELF_SIGNED_CERT_IN_CHAIN:
      'its certificate chain is self-signed: trust it with NODE_EXTRA_CA_CERTS, or set INSECURE_TLS=1',
    UNABLE_TO_VERIFY_LEAF_SIGNATURE:
      'its certificate does not verify: trust its issuer with NODE_EXTRA_CA_CERTS, or set INSECURE_TLS=1',
    CERT_HAS_EXPIRED: 'its certificate has expired (INSECURE_TLS=1 accepts it)',
    ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host name (INSECURE_TLS=1 accepts it)',
    EPROTO: 'the server does not speak TLS there',
    ERR_SSL_WRONG_VERSION_NUMBER: 'the server does not speak TLS there (perhaps it is http instead of https)',
  };
  const which = viaProxy ? ' (or it is the proxy that cannot be reached: HTTP_PROXY or HTTPS_PROXY is set)' : '';
  return { kind: 'unreachable', message: `${words[code] ?? `the connection could not be opened (${code})`}${which}` };
}

export function refusedByProxy(status: number): Fault {
  return { kind: 'unreachable', message: `the proxy answered ${status} itself (HTTP_PROXY or HTTPS_PROXY is set)` };
}

/** Says how the exchange broke after the request was sent. */
export function broken(error: Error, headArrived: boolean): Fault {
  const code = codeOf(error);
  if (error.name === 'HTTPParserError') return { kind: 'malformed', message: 'sent something that is not HTTP/1.1' };
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return TOO_MANY_HEADERS;
  if (code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH' || (headArrived && code !== 'ECONNRESET')) {
    return { kind: 'truncated', message: 'closed the connection in the middle of its answer' };
  }
  if (headArrived) return RESET_IN_ANSWER;
  if (/upgrade/i.test(error.message)) return SWITCHED;
  return { kind: 'reset', message: 'closed the connection without an answer' };
}

/** Returns the code of an error, or of the error that caused it. */
export function codeOf(error: Error): string {
  const own = (error as NodeJS.ErrnoException).code;
  if ((own === 'UND_ERR_SOCKET' || own === 'TUNNEL') && error.cause instanceof Error) return codeOf(error.cause);
  if (error instanceof AggregateError && error.errors[0] instanceof Error) return codeOf(error.errors[0]);
  return own ?? error.name;
}

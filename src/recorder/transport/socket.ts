/** Opens sockets, directly or through a proxy. */
import { once } from 'node:events';
import { request } from 'node:http';
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectSecurely, TLSSocket } from 'node:tls';
import type { HeaderLines } from '../../evidence/model';
import { CertificateRefusal, MAX_HEADER_BYTES, ProxyRefusal } from './fault';
import { type Route, withoutBrackets } from './route';

/**
 * Opens a socket to the server of an address.
 * @param signal destroys it, whether or not it is open yet
 * @throws the error of the system or of TLS, ProxyRefusal or CertificateRefusal
 */
export async function openSocket(to: URL, route: Route, signal: AbortSignal): Promise<Socket> {
  const { proxy } = route;
  const first = proxy?.url ?? to;
  const port = Number(first.port) || (first.protocol === 'https:' ? 443 : 80);
  const plain = connect({ host: withoutBrackets(first.hostname), port, noDelay: true, signal });
  await hasHappened(plain, 'connect');
  const socket =
    first.protocol === 'https:'
      ? await secured(plain, first, { ...route, ...(proxy && { identity: undefined }) })
      : plain;
  // As every client does: a tunnel for https, the absolute form for http (RFC 9112 section 3.2.2).
  const isTunnelled = proxy !== null && to.protocol === 'https:';
  return isTunnelled ? secured(await tunnelled(to, socket, proxy.lines), to, route) : socket;
}

async function secured(socket: Socket, to: URL, { insecureTls, trusted, identity }: Route): Promise<Socket> {
  const host = withoutBrackets(to.hostname);
  const secure = connectSecurely({
    socket,
    host,
    // An address is no name of a server (RFC 6066 section 3).
    ...(isIP(host) === 0 && { servername: host }),
    ALPNProtocols: ['http/1.1'],
    rejectUnauthorized: !insecureTls,
    ...(trusted.length > 0 && { ca: trusted }),
    ...identity,
  });
  try {
    await hasHappened(secure, 'secureConnect');
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    const isTheirs = code === 'ECONNRESET' || code.includes('_ALERT_');
    throw isTheirs && asksForCertificate(secure) ? new CertificateRefusal(identity !== undefined) : error;
  }
  return secure;
}

/** Whether the server has asked for a client certificate: such a request alone names signatures that a client may use. */
export function asksForCertificate(socket: Socket): boolean {
  return socket instanceof TLSSocket && socket.getSharedSigalgs().length > 0;
}

/** Makes a proxy lead a socket to a server (RFC 9110 section 9.3.6). */
async function tunnelled(to: URL, toProxy: Socket, lines: HeaderLines): Promise<Socket> {
  const authority = `${to.hostname}:${to.port || 443}`;
  const asked = request({
    method: 'CONNECT',
    path: authority,
    headers: ['Host', authority, ...lines.flat()],
    maxHeaderSize: MAX_HEADER_BYTES,
    createConnection: () => toProxy,
  }).end();
  const [{ statusCode }, tunnel] = await once(asked, 'connect');
  if (statusCode !== 200) throw new ProxyRefusal(statusCode);
  return tunnel;
}

/** Waits for an event of a socket. @throws its error; a later one shows in its exchange */
async function hasHappened(socket: Socket, event: 'connect' | 'secureConnect'): Promise<void> {
  socket.on('error', () => undefined);
  await once(socket, event);
}

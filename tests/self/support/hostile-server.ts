/** Servers that mean harm: each answers with the next of many attacks, on a socket of its own making. */
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';

/** What a request told the server. */
export interface Asked {
  method: string;
  path: string;
  /** The value of `apiKey`; empty where it was not sent. */
  key: string;
  /** The secrets that the server knows and is not to tell: of the caller where it knows him, else of anybody. */
  secrets: string[];
  /** The whole head, as it came. */
  head: string;
  /** A body with settings, and a member of the attack's choice. */
  settings: (more?: object) => string;
}

/** Writes an answer; the server closes the connection afterwards. */
export type Attack = (asked: Asked, socket: Socket) => Promise<void> | void;

export interface HostileAccount {
  name: string;
  apiKey: string;
  password: string;
}

/** An answer in HTTP/1.1 as an honest server frames it. */
export function framed(
  status: number,
  body: string | Buffer,
  lines: ReadonlyArray<readonly [string, string]> = [],
  reason = 'OK',
): Buffer {
  const bytes = Buffer.from(body);
  const head = [
    `HTTP/1.1 ${status} ${reason}`,
    ...lines.map(([name, value]) => `${name}: ${value}`),
    'Content-Type: application/json',
    `Date: ${new Date().toUTCString()}`,
    'X-RateLimit-Limit: 1',
    'X-RateLimit-Remaining: 0',
    `X-RateLimit-Reset: ${Math.ceil(Date.now() / 1000) + 1}`,
    `Content-Length: ${bytes.length}`,
    'Connection: close',
  ];
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'), bytes]);
}

/** A text as a header line can hold it: every character one byte, and none of them a control. */
export const oneLine = (text: string) =>
  Buffer.from(text)
    .toString('latin1')
    .replace(/\p{Cc}/gu, '.');

const raw = (text: string) => Buffer.from(text, 'latin1');

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms).unref());

/** Every way of not ending, or of ending what was not begun. */
export const framingAttacks: Record<string, Attack> = {
  'a length that is too long': (asked, socket) => {
    socket.write(
      raw(`HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n{"key":"${oneLine(asked.secrets.join().slice(0, -3))}`),
    );
  },
  'chunk extensions without an end': async (_, socket) => {
    socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;a="');
    for (let i = 0; i < 2000 && !socket.destroyed; i += 1) if (!socket.write('x'.repeat(65_536))) await pause(1);
  },
  'interim answers without an end': async (_, socket) => {
    for (let i = 0; i < 500 && !socket.destroyed; i += 1) {
      socket.write(`HTTP/1.1 103 Early Hints\r\nLink: <${'x'.repeat(60_000)}>\r\n\r\n`);
      await pause(0);
    }
  },
  'a head without an end': async (_, socket) => {
    socket.write('HTTP/1.1 200 OK\r\n');
    for (let i = 0; i < 5000 && !socket.destroyed; i += 1) {
      socket.write(`X-${i}: ${'y'.repeat(1000)}\r\n`);
      if (i % 100 === 0) await pause(0);
    }
  },
  'a byte now and then': async (asked, socket) => {
    for (const byte of framed(200, asked.settings())) {
      if (socket.destroyed) return;
      socket.write(Buffer.from([byte]));
      await pause(50);
    }
  },
  'NUL in head and body': (asked, socket) => {
    socket.write(raw(`HTTP/1.1 200 \0${oneLine(asked.secrets.join())}\r\nX-A: \0\r\n\r\n\0`));
  },
  'no HTTP at all': (asked, socket) => {
    socket.write(`SSH-2.0-${oneLine(asked.secrets.join())}\r\n`);
  },
  'a bomb of gzip': (_, socket) => {
    socket.write(framed(200, gzipSync(Buffer.alloc(200_000_000)), [['Content-Encoding', 'gzip']]));
  },
  'five thousand codings': (_, socket) => {
    socket.write(framed(200, gzipSync('{}'), [['Content-Encoding', Array(5000).fill('gzip').join()]]));
  },
};

export interface HostileServer {
  baseURL: string;
  /** How often each attack was made. */
  counts: Record<string, number>;
  close(): Promise<void>;
}

/**
 * Starts a server whose answers are attacks, one after another.
 * @param every an honest answer stands between so many of them: 1 makes each answer an attack
 */
export async function startHostile(
  accounts: readonly HostileAccount[],
  attacks: Record<string, Attack>,
  every = 1,
): Promise<HostileServer> {
  const counts: Record<string, number> = {};
  const names = Object.keys(attacks);
  const sockets = new Set<Socket>();
  let answers = 0;
  const answer = async (head: string, socket: Socket) => {
    const [, method = '', path = ''] = /^(\S+) (\S+)/.exec(head) ?? [];
    const key = Buffer.from(/^apikey: ?(.*)$/im.exec(head)?.[1] ?? '', 'latin1').toString();
    const account = accounts.find(({ apiKey }) => apiKey === key);
    const asked: Asked = {
      method,
      path,
      key,
      head,
      secrets: (account ? [account] : accounts).flatMap(({ apiKey, password }) => [apiKey, password]),
      settings: (more = {}) => settingsWith(account?.name ?? 'nobody', more),
    };
    answers += 1;
    if (answers % every !== 0) socket.end(framed(account ? 200 : 401, account ? asked.settings() : '{}'));
    else {
      const name = names[Math.floor(answers / every) % names.length] ?? '';
      counts[name] = (counts[name] ?? 0) + 1;
      await attacks[name]?.(asked, socket);
      socket.end();
    }
  };
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket));
    let head = '';
    socket.on('data', (bytes) => {
      head += bytes.toString('latin1');
      if (!head.includes('\r\n\r\n')) return;
      const whole = head;
      head = '';
      void answer(whole, socket);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseURL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v2`,
    counts,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function settingsWith(name: string, more: object): string {
  const kind = { status: true, url: `https://hooks.example/${name}` };
  const basic = { username: `${name}-user`, password: null, hasPassword: true };
  const auth = { status: true, type: 'basic', basic, apikey: { header: null, apikey: null } };
  return JSON.stringify({ webhook: { start: kind, submission: kind, updates: kind, auth }, ...more });
}

/** A Redis server of this run's own, where `redis-server` is installed. */
import { spawn } from 'node:child_process';
import { type AddressInfo, createServer } from 'node:net';
import type { RedisAddress } from './api';

export interface RedisServer {
  version: string;
  /** A database that was handed out to nobody before. */
  database(): RedisAddress;
  stop(): Promise<void>;
}

/** Databases of the server: more than one run ever takes. */
const DATABASES = 1000;

/**
 * Starts it on a free loopback port, without files.
 * @returns `null` where it is not installed
 */
export async function startRedis(): Promise<RedisServer | null> {
  const port = await freePort();
  const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const child = spawn('redis-server', [...options, '--databases', String(DATABASES)], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  let output = '';
  const isReady = new Promise<boolean>((resolve) => {
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk;
      if (output.includes('Ready to accept connections')) resolve(true);
    });
    void ended.then(() => resolve(false));
  });
  if (!(await isReady)) return null;
  let next = 0;
  return {
    version: /Redis version=([\d.]+)/.exec(output)?.[1] ?? 'unknown',
    database: () => ({ host: '127.0.0.1', port, db: next++ }),
    async stop() {
      child.kill();
      await ended;
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

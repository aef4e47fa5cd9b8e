/** The API on express and on fastify, each with its usual rate limiter. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import fastifyRateLimit from '@fastify/rate-limit';
import express from 'express';
import { rateLimit } from 'express-rate-limit';
import fastify from 'fastify';
import { targetOf } from '../../../src/config/declaration';
import type { Target } from '../../../src/config/target';
import { type Account, settingsDocument } from '../../../src/reference/account';
import { embeddedAccounts } from '../../../src/reference/embedded-accounts';

export interface RealServer {
  target: Target;
  close: () => Promise<void>;
}

const ACCOUNTS = embeddedAccounts();
const RATE = { requests: 1, seconds: 1 };
const UNAUTHORIZED = { error: 'unauthorized' };

function ownerOf(key: unknown): Account | undefined {
  return ACCOUNTS.find((account) => account.apiKey === key);
}

/** express 5 with the headers that express-rate-limit calls legacy, counting by account once the key is known. */
export async function onExpress(): Promise<RealServer> {
  const api = express.Router();
  api.use((request, response, next) => {
    const account = ownerOf(request.header('apiKey'));
    if (!account) {
      response.status(401).set('WWW-Authenticate', 'ApiKey').json(UNAUTHORIZED);
      return;
    }
    response.locals.account = account;
    next();
  });
  api.use(
    rateLimit({
      limit: RATE.requests,
      windowMs: RATE.seconds * 1000,
      legacyHeaders: true,
      standardHeaders: false,
      keyGenerator: (_, response) => (response.locals.account as Account).name,
    }),
  );
  api.get('/webhooks', (_, response) => {
    response.json(settingsDocument(response.locals.account as Account));
  });
  api.get('/', (_, response) => {
    response.json({ version: 2 });
  });
  const server = createServer(express().use('/api/v2', api));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return served('express with express-rate-limit', server, async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
}

/** fastify 5 with @fastify/rate-limit as it comes, counting by account once the key is known. */
export async function onFastify(): Promise<RealServer> {
  const server = fastify({ forceCloseConnections: true });
  const accountOf = (request: { headers: Record<string, unknown> }) => ownerOf(request.headers.apikey);
  await server.register(
    async (api) => {
      api.addHook('onRequest', async (request, reply) => {
        if (!accountOf(request)) await reply.code(401).header('WWW-Authenticate', 'ApiKey').send(UNAUTHORIZED);
      });
      await api.register(fastifyRateLimit, {
        max: RATE.requests,
        timeWindow: RATE.seconds * 1000,
        keyGenerator: (request) => accountOf(request)?.name ?? '',
      });
      api.get('/webhooks', async (request) => settingsDocument(accountOf(request) as Account));
      api.get('/', async () => ({ version: 2 }));
    },
    { prefix: '/api/v2' },
  );
  await server.listen({ port: 0, host: '127.0.0.1' });
  return served('fastify with @fastify/rate-limit', server.server, () => server.close());
}

function served(name: string, server: Server, close: () => Promise<void>): RealServer {
  return {
    target: targetOf(
      {
        baseURL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v2`,
        accounts: ACCOUNTS.map(({ name, apiKey, password, settings }) => ({
          name,
          apiKey,
          hasPassword: password !== null,
          ...(password === null ? {} : { password }),
          settings: { ...settings },
        })),
        rate: RATE,
      },
      name,
    ),
    close,
  };
}

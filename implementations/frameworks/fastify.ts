import rateLimit, { type RateLimitPluginOptions } from '@fastify/rate-limit';
import fastify, { type onSendHookHandler } from 'fastify';
import { type Account, accountOf, BASE, listening, rejection, type Served, settingsOf, welcome } from '../api';

declare module 'fastify' {
  interface FastifyRequest {
    account: Account | null;
  }
}

/** The plugin adds its hook to each route, so that it stands behind the hook that authenticates. */
export async function onFastify(
  { onSend, ...options }: RateLimitPluginOptions & { onSend?: onSendHookHandler },
  close?: () => unknown,
): Promise<Served> {
  const app = fastify({ forceCloseConnections: true });
  app.decorateRequest('account', null);
  await app.register(rateLimit, options);
  app.addHook('onRequest', async (request, reply) => {
    request.account = accountOf(request.headers.apikey);
    if (!request.account) await reply.code(rejection.status).headers(rejection.headers).send(rejection.body);
  });
  if (onSend) app.addHook('onSend', onSend);
  app.get(`${BASE}/webhooks`, async ({ account }) => account && settingsOf(account));
  app.get(`${BASE}/`, async () => welcome);
  await app.listen({ port: 0, host: '127.0.0.1' });
  return listening(app.server, close);
}

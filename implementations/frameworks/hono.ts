import type { Server } from 'node:http';
import { serve } from '@hono/node-server';
import { Hono, type MiddlewareHandler } from 'hono';
import type { RateLimitInfo } from 'hono-rate-limiter';
import { type Account, accountOf, BASE, listening, rejection, type Served, settingsOf, welcome } from '../api';

export interface Environment {
  Variables: { account: Account; rateLimit: RateLimitInfo };
}
type Middleware = MiddlewareHandler<Environment>;

/** @param limiters where middleware stands: in front of everything, or behind authentication */
export async function onHono(
  limiters: { before?: Middleware; after?: readonly Middleware[] },
  close?: () => unknown,
): Promise<Served> {
  const app = new Hono<Environment>();
  if (limiters.before) app.use(limiters.before);
  app.use(async (context, next) => {
    const account = accountOf(context.req.header('apiKey'));
    if (!account) return context.json(rejection.body, rejection.status, rejection.headers);
    context.set('account', account);
    return await next();
  });
  for (const middleware of limiters.after ?? []) app.use(middleware);
  app.get(`${BASE}/webhooks`, (context) => context.json(settingsOf(context.get('account'))));
  app.get(`${BASE}/`, (context) => context.json(welcome));
  const server = await new Promise<Server>((resolve) => {
    const started = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, () => resolve(started as Server));
  });
  return listening(server, close);
}

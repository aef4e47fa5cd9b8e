import { createServer } from 'node:http';
import Koa, { type Middleware } from 'koa';
import { accountOf, BASE, listening, rejection, type Served, settingsOf, welcome } from '../api';

/** @param limiters where middleware stands: in front of everything, or behind authentication */
export function onKoa(
  limiters: { before?: Middleware; after?: readonly Middleware[] },
  close?: () => unknown,
): Promise<Served> {
  const app = new Koa();
  if (limiters.before) app.use(limiters.before);
  app.use(async (context, next) => {
    context.state.account = accountOf(context.get('apiKey'));
    if (context.state.account) return await next();
    context.status = rejection.status;
    context.set(rejection.headers);
    context.body = rejection.body;
  });
  for (const middleware of limiters.after ?? []) app.use(middleware);
  app.use((context) => {
    if (context.path === `${BASE}/webhooks`) context.body = settingsOf(context.state.account);
    if (context.path === `${BASE}/`) context.body = welcome;
  });
  return listening(createServer(app.callback()), close);
}

import { createServer } from 'node:http';
import express, { type RequestHandler } from 'express';
import { type Account, accountOf, BASE, listening, rejection, type Served, settingsOf, welcome } from '../api';

/** @param limiters where middleware stands: in front of everything, or behind authentication */
export function onExpress(
  limiters: { before?: RequestHandler; after?: RequestHandler },
  close?: () => unknown,
): Promise<Served> {
  const app = express();
  if (limiters.before) app.use(limiters.before);
  app.use((request, response, next) => {
    const account = accountOf(request.header('apiKey'));
    if (!account) {
      response.status(rejection.status).set(rejection.headers).json(rejection.body);
      return;
    }
    response.locals.account = account;
    next();
  });
  if (limiters.after) app.use(limiters.after);
  app.get(`${BASE}/webhooks`, (_, response) => void response.json(settingsOf(response.locals.account as Account)));
  app.get(`${BASE}/`, (_, response) => void response.json(welcome));
  return listening(createServer(app), close);
}

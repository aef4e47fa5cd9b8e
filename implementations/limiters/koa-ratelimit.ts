import Redis from 'ioredis';
import type { Context, Middleware } from 'koa';
import ratelimit from 'koa-ratelimit';
import { type Implementation, LIMIT, WINDOW_MS } from '../api';
import { onKoa } from '../frameworks/koa';

/** README, "Example"; the lists that are empty there are left out. */
const shown = {
  duration: WINDOW_MS,
  errorMessage: 'Sometimes You Just Have to Slow Down.',
  id: (context: Context) => context.ip,
  headers: { remaining: 'Rate-Limit-Remaining', reset: 'Rate-Limit-Reset', total: 'Rate-Limit-Total' },
  max: LIMIT,
  disableHeader: false,
};

/** README, "Options": `headers` has the right names by default, `id` is the address by default. */
const set = {
  duration: WINDOW_MS,
  max: LIMIT,
  id: (context: Context) => context.state.account.name,
};

/**
 * Makes whole seconds of Reset, which is fractional in memory and rounded down with Redis, and of Retry-After, which is
 * cut to 0 in the last second: no option does.
 */
const wholeSeconds: Middleware = async (context, next) => {
  await next();
  const reset = Number(context.response.get('X-RateLimit-Reset'));
  const resetSeconds = Number.isInteger(reset) ? reset + 1 : Math.ceil(reset);
  context.set('X-RateLimit-Reset', String(resetSeconds));
  if (context.response.get('Retry-After') === '') return;
  context.set('Retry-After', String(Math.max(1, Math.ceil(resetSeconds - Date.now() / 1000))));
};

export const implementation: Implementation = {
  packages: ['koa-ratelimit', 'koa', 'ioredis'],
  documentation: 'https://github.com/koajs/ratelimit#example',
  shown: 'It stands in front of everything, counts by address and sends `Rate-Limit-*` headers.',
  setting:
    "No `headers`, `id` returning the account's name, behind authentication. No option rounds Reset and Retry-After up: a middleware in front of it does.",
  variants: [
    {
      as: 'shown',
      store: 'memory',
      start: () => onKoa({ before: ratelimit({ driver: 'memory', db: new Map(), ...shown }) }),
    },
    {
      as: 'shown',
      store: 'Redis',
      start: (address) => {
        const db = new Redis(address);
        return onKoa({ before: ratelimit({ driver: 'redis', db, ...shown }) }, () => db.quit());
      },
    },
    {
      as: 'set',
      store: 'memory',
      start: () => onKoa({ after: [wholeSeconds, ratelimit({ driver: 'memory', db: new Map(), ...set })] }),
    },
    {
      as: 'set',
      store: 'Redis',
      start: (address) => {
        const db = new Redis(address);
        return onKoa({ after: [wholeSeconds, ratelimit({ driver: 'redis', db, ...set })] }, () => db.quit());
      },
    },
  ],
};

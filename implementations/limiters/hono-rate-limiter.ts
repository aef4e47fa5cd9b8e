import type { MiddlewareHandler } from 'hono';
import { RedisStore, rateLimiter } from 'hono-rate-limiter';
import Redis from 'ioredis';
import { type Implementation, LIMIT, rateHeaders, WINDOW_MS } from '../api';
import { type Environment, onHono } from '../frameworks/hono';

/** Documentation, "Quick Start". */
const shown = () =>
  rateLimiter<Environment>({
    windowMs: WINDOW_MS,
    limit: LIMIT,
    keyGenerator: (context) => context.req.header('x-forwarded-for') ?? '',
  });

/** Sends the headers of this API, from what the limiter leaves in the context: it knows only those of drafts. */
const headers: MiddlewareHandler<Environment> = async (context, next) => {
  await next();
  const { remaining, resetTime, used, limit } = context.get('rateLimit');
  const lines = rateHeaders(remaining, resetTime?.getTime() ?? Date.now() + WINDOW_MS, used > limit);
  for (const [name, value] of Object.entries(lines)) context.header(name, value);
};

const set = {
  windowMs: WINDOW_MS,
  limit: LIMIT,
  standardHeaders: false,
  keyGenerator: (context: { get(name: 'account'): { name: string } }) => context.get('account').name,
} as const;

export const implementation: Implementation = {
  packages: ['hono-rate-limiter', 'hono', '@hono/node-server', 'ioredis'],
  documentation: 'https://honohub.dev/docs/rate-limiter',
  shown:
    'It stands in front of everything, counts by `X-Forwarded-For`, which is one budget for all where no proxy sets it, and sends `RateLimit-*` headers of a draft.',
  setting:
    "`keyGenerator` returning the account's name, `standardHeaders: false`, behind authentication. No option sends `X-RateLimit-*`: a middleware in front of it makes them of the context's `rateLimit`.",
  variants: [
    { as: 'shown', store: 'memory', start: () => onHono({ before: shown() }) },
    { as: 'set', store: 'memory', start: () => onHono({ after: [headers, rateLimiter<Environment>(set)] }) },
    {
      as: 'set',
      store: 'Redis',
      start: (address) => {
        const redis = new Redis(address);
        // The store takes the methods of Upstash's client; these are ioredis's under those names.
        const client = {
          scriptLoad: (script: string) => redis.script('LOAD', script) as Promise<string>,
          evalsha: <TData>(sha: string, keys: string[], args: unknown[]) =>
            redis.evalsha(sha, keys.length, ...keys, ...args.map(String)) as Promise<TData>,
          decr: (key: string) => redis.decr(key),
          del: (key: string) => redis.del(key),
        };
        const limiter = rateLimiter<Environment>({ ...set, store: new RedisStore({ client }) });
        return onHono({ after: [headers, limiter] }, () => redis.quit());
      },
    },
  ],
};

import type { RequestHandler } from 'express';
import Redis from 'ioredis';
import { RateLimiterMemory, RateLimiterRedis, type RateLimiterRes } from 'rate-limiter-flexible';
import { type Account, type Implementation, LIMIT, rateHeaders, WINDOW_MS } from '../api';
import { onExpress } from '../frameworks/express';

const options = { points: LIMIT, duration: WINDOW_MS / 1000 };
type Limiter = RateLimiterMemory | RateLimiterRedis;

/** README, "Basic Example", with the headers that it shows. */
const shown =
  (limiter: Limiter): RequestHandler =>
  (request, response, next) => {
    const headers = (result: RateLimiterRes) => ({
      'Retry-After': String(result.msBeforeNext / 1000),
      'X-RateLimit-Limit': String(options.points),
      'X-RateLimit-Remaining': String(result.remainingPoints),
      'X-RateLimit-Reset': String(Math.ceil((Date.now() + result.msBeforeNext) / 1000)),
    });
    limiter
      .consume(request.ip ?? '')
      .then((result) => {
        response.set(headers(result));
        next();
      })
      .catch((result) => {
        response.set(headers(result)).status(429).send('Too Many Requests');
      });
  };

const set =
  (limiter: Limiter): RequestHandler =>
  (_, response, next) => {
    const resetAtMs = (result: RateLimiterRes) => Date.now() + result.msBeforeNext;
    limiter
      .consume((response.locals.account as Account).name)
      .then((result) => {
        response.set(rateHeaders(result.remainingPoints, resetAtMs(result)));
        next();
      })
      .catch((result) => {
        if (result instanceof Error) return next(result);
        response
          .set(rateHeaders(0, resetAtMs(result), true))
          .status(429)
          .send('Too Many Requests');
      });
  };

export const implementation: Implementation = {
  packages: ['rate-limiter-flexible', 'express', 'ioredis'],
  documentation: 'https://github.com/animir/node-rate-limiter-flexible#basic-example',
  shown:
    'It stands in front of everything, counts by address, with 1 point for each request, and sends a Retry-After with a fraction on every response.',
  setting:
    "`consume` with the account's name, behind authentication; Retry-After rounded up to whole seconds, on refusals only.",
  variants: [
    { as: 'shown', store: 'memory', start: () => onExpress({ before: shown(new RateLimiterMemory(options)) }) },
    { as: 'set', store: 'memory', start: () => onExpress({ after: set(new RateLimiterMemory(options)) }) },
    {
      as: 'set',
      store: 'Redis',
      start: (address) => {
        const storeClient = new Redis(address);
        const limiter = new RateLimiterRedis({ storeClient, ...options });
        return onExpress({ after: set(limiter) }, () => storeClient.quit());
      },
    },
  ],
};

import type { RateLimitPluginOptions } from '@fastify/rate-limit';
import type { FastifyRequest, onSendHookHandler } from 'fastify';
import Redis from 'ioredis';
import { type Implementation, LIMIT, WINDOW_MS } from '../api';
import { onFastify } from '../frameworks/fastify';

/** README, "Usage". */
const shown: RateLimitPluginOptions = { max: LIMIT, timeWindow: WINDOW_MS };

const set: RateLimitPluginOptions = {
  max: LIMIT,
  timeWindow: WINDOW_MS,
  // README, "Options": by default it counts by address.
  keyGenerator: (request: FastifyRequest) => request.account?.name ?? '',
};

/** README: `x-ratelimit-reset` says how many seconds must pass. This API wants the moment at which they have. */
const resetAsMoment: onSendHookHandler = async (_, reply) => {
  const left = reply.getHeader('x-ratelimit-reset');
  if (left !== undefined) reply.header('x-ratelimit-reset', Math.ceil(Date.now() / 1000) + Number(left));
};

export const implementation: Implementation = {
  packages: ['@fastify/rate-limit', 'fastify', 'ioredis'],
  documentation: 'https://github.com/fastify/fastify-rate-limit#usage',
  shown: 'It counts by address, and its Reset is a number of seconds.',
  setting:
    "`keyGenerator` returning the account's name, with authentication in an `onRequest` hook. No option makes Reset a moment: an `onSend` hook adds the current time to it.",
  variants: [
    { as: 'shown', store: 'memory', start: () => onFastify(shown) },
    { as: 'set', store: 'memory', start: () => onFastify({ ...set, onSend: resetAsMoment }) },
    {
      as: 'set',
      store: 'Redis',
      start: (address) => {
        // example/example.js: a limiter is not to wait long for its store.
        const redis = new Redis({ ...address, connectTimeout: 500, maxRetriesPerRequest: 1 });
        return onFastify({ ...set, redis, onSend: resetAsMoment }, () => redis.quit());
      },
    },
  ],
};

import type { Response } from 'express';
import { rateLimit } from 'express-rate-limit';
import Redis from 'ioredis';
import { type RedisReply, RedisStore } from 'rate-limit-redis';
import { type Account, type Implementation, LIMIT, WINDOW_MS } from '../api';
import { onExpress } from '../frameworks/express';

/** README, "Usage". */
const shown = () =>
  rateLimit({
    windowMs: WINDOW_MS,
    limit: LIMIT,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    ipv6Subnet: 56,
  });

const set = {
  windowMs: WINDOW_MS,
  limit: LIMIT,
  // The headers of this API are the ones that the library calls legacy (reference/configuration, legacyHeaders).
  legacyHeaders: true,
  standardHeaders: false,
  // By default it counts by address (reference/configuration, keyGenerator).
  keyGenerator: (_: unknown, response: Response) => (response.locals.account as Account).name,
} as const;

export const implementation: Implementation = {
  packages: ['express-rate-limit', 'express', 'rate-limit-redis'],
  documentation: 'https://express-rate-limit.mintlify.app/overview',
  shown: 'It stands in front of everything, counts by address and sends `RateLimit` headers of a draft.',
  setting:
    "`legacyHeaders: true`, `standardHeaders: false`, `keyGenerator` returning the account's name, behind authentication.",
  variants: [
    { as: 'shown', store: 'memory', start: () => onExpress({ before: shown() }) },
    { as: 'set', store: 'memory', start: () => onExpress({ after: rateLimit(set) }) },
    {
      as: 'set',
      store: 'Redis',
      start: (address) => {
        const client = new Redis(address);
        // rate-limit-redis, README, "Examples", with an ioredis client.
        const sendCommand = (command: string, ...args: string[]) =>
          client.call(command, ...args) as Promise<RedisReply>;
        return onExpress({ after: rateLimit({ ...set, store: new RedisStore({ sendCommand }) }) }, () => client.quit());
      },
    },
  ],
};

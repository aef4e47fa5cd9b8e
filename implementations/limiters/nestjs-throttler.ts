import { ThrottlerStorageRedisService } from '@nest-lab/throttler-storage-redis';
import type { ExecutionContext } from '@nestjs/common';
import { ThrottlerGuard, type ThrottlerLimitDetail } from '@nestjs/throttler';
import type { Response } from 'express';
import Redis from 'ioredis';
import { type Implementation, LIMIT, WINDOW_MS } from '../api';
import { type ApiRequest, Authentication, onNest } from '../frameworks/nest';

/** README, "ThrottlerModule". */
const throttlers = [{ ttl: WINDOW_MS, limit: LIMIT }];

/** README, "Proxies" shows how a guard is extended. */
class GuardOfThisApi extends ThrottlerGuard {
  /** By default it counts by address. */
  protected override async getTracker(request: Record<string, unknown>): Promise<string> {
    return (request as unknown as ApiRequest).account.name;
  }

  /** By default each handler has a budget of its own. */
  protected override generateKey(_: ExecutionContext, tracker: string): string {
    return tracker;
  }

  /** By default Reset says how many seconds are left. */
  protected override setResponseHeader(response: Response, name: string, value: number): void {
    const isReset = name.endsWith('-Reset');
    super.setResponseHeader(response, name, isReset ? Math.ceil(Date.now() / 1000) + value : value);
  }

  /** By default a refusal has no header but Retry-After. */
  protected override async throwThrottlingException(
    context: ExecutionContext,
    detail: ThrottlerLimitDetail,
  ): Promise<void> {
    const { res } = this.getRequestResponse(context);
    this.setResponseHeader(res as Response, 'X-RateLimit-Limit', detail.limit);
    this.setResponseHeader(res as Response, 'X-RateLimit-Remaining', 0);
    this.setResponseHeader(res as Response, 'X-RateLimit-Reset', detail.timeToBlockExpire);
    await super.throwThrottlingException(context, detail);
  }
}

export const implementation: Implementation = {
  packages: ['@nestjs/throttler', '@nestjs/core', '@nest-lab/throttler-storage-redis'],
  documentation: 'https://docs.nestjs.com/security/rate-limiting',
  shown:
    'Its guard is the first one. It counts by address and handler, its Reset is a number of seconds, and a refusal begins a wait of a whole window.',
  setting:
    'A guard that extends `ThrottlerGuard` and stands behind the one that authenticates: `getTracker` and `generateKey` return the account, `setResponseHeader` makes Reset a moment.',
  variants: [
    { as: 'shown', store: 'memory', start: () => onNest(throttlers, [ThrottlerGuard, Authentication]) },
    { as: 'set', store: 'memory', start: () => onNest(throttlers, [Authentication, GuardOfThisApi]) },
    {
      as: 'set',
      store: 'Redis',
      start: (address) => {
        const redis = new Redis(address);
        const storage = new ThrottlerStorageRedisService(redis);
        return onNest({ throttlers, storage }, [Authentication, GuardOfThisApi], () => redis.quit());
      },
    },
  ],
};

import hapiRateLimitor from 'hapi-rate-limitor';
import { type Implementation, LIMIT, WINDOW_MS } from '../api';
import { type HapiServer, onHapi } from '../frameworks/hapi';

/** README, "Plugin Options": by default it counts by the id of the credentials, else by address. */
const plugin = (redis: object) => ({
  plugin: hapiRateLimitor,
  options: { redis, namespace: 'hapi-rate-limitor', max: LIMIT, duration: WINDOW_MS },
});

/**
 * README, "Response Headers": its names have a hyphen more than this API's. Its Reset is rounded down, and refusals say
 * nothing of when to retry.
 */
function prepare(app: HapiServer): void {
  app.ext('onPreResponse', (request, h) => {
    const { response } = request;
    const { rateLimit } = request as { rateLimit?: { remaining: number; reset: number } };
    if (!rateLimit) return h.continue;
    const isRefused = rateLimit.remaining < 0;
    const resetSeconds = rateLimit.reset + 1;
    Object.assign('isBoom' in response ? response.output.headers : response.headers, {
      'X-RateLimit-Limit': String(LIMIT),
      'X-RateLimit-Remaining': String(Math.max(0, rateLimit.remaining)),
      'X-RateLimit-Reset': String(resetSeconds),
      ...(isRefused && { 'Retry-After': String(Math.max(1, Math.ceil(resetSeconds - Date.now() / 1000))) }),
    });
    return h.continue;
  });
}

export const implementation: Implementation = {
  packages: ['hapi-rate-limitor', '@hapi/hapi'],
  documentation: 'https://github.com/futurestudio/hapi-rate-limitor#usage',
  shown: 'It counts by user and sends `X-Rate-Limit-*` headers, without Retry-After.',
  setting:
    'The credentials need an `id`. Headers are made by hand in `onPreResponse`, with Reset rounded up: its own have other names.',
  variants: [
    { as: 'shown', store: 'Redis', start: (address) => onHapi(plugin(address)) },
    { as: 'set', store: 'Redis', start: (address) => onHapi(plugin(address), { prepare }) },
  ],
};

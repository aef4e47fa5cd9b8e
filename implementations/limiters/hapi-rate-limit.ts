import { Engine } from '@hapi/catbox-redis';
import hapiRateLimit from 'hapi-rate-limit';
import { type Implementation, LIMIT, rateHeaders, WINDOW_MS } from '../api';
import { type HapiServer, onHapi } from '../frameworks/hapi';

/** README, "Use", with its two numbers: by default it counts by the id of the credentials, and by path. */
const shown = { plugin: hapiRateLimit, options: { userLimit: LIMIT, userCache: { expiresIn: WINDOW_MS } } };

/** README, "Options": no limit for each path, and the headers of this API instead of its own. */
const set = (cache?: string) => ({
  plugin: hapiRateLimit,
  options: {
    userLimit: LIMIT,
    userCache: { expiresIn: WINDOW_MS, ...(cache && { cache }) },
    pathLimit: false,
    headers: false,
  },
});

interface Counted {
  userRemaining?: number;
  userReset?: number;
}

/** The headers of this API, from what the plugin leaves in the request: it names and counts its own otherwise. */
function prepare(app: HapiServer): void {
  app.ext('onPreResponse', (request, h) => {
    const { userRemaining, userReset } = (request.plugins as { 'hapi-rate-limit'?: Counted })['hapi-rate-limit'] ?? {};
    if (userRemaining === undefined || userReset === undefined) return h.continue;
    const { response } = request;
    const headers = rateHeaders(Math.max(0, userRemaining), userReset, userRemaining < 0);
    Object.assign('isBoom' in response ? response.output.headers : response.headers, headers);
    return h.continue;
  });
}

export const implementation: Implementation = {
  packages: ['hapi-rate-limit', '@hapi/hapi', '@hapi/catbox-redis'],
  documentation: 'https://github.com/wraithgar/hapi-rate-limit#use',
  shown:
    'It counts by user, allows 50 requests a minute on a path for all users together (`pathLimit`), sends `X-RateLimit-User*` and `X-RateLimit-Path*` headers, and no Retry-After.',
  setting:
    '`pathLimit: false`, `headers: false`, and headers made by hand in `onPreResponse`. Only with a cache in memory: it reads a counter and writes it later, so that with a cache elsewhere all requests of one moment pass. No setting mends that.',
  variants: [
    { as: 'shown', store: 'memory', start: () => onHapi(shown) },
    { as: 'set', store: 'memory', start: () => onHapi(set(), { prepare }) },
    {
      as: 'set',
      store: 'Redis',
      start: (address) =>
        onHapi(set('redis'), {
          prepare,
          cache: [{ name: 'redis', provider: { constructor: Engine, options: { ...address, partition: 'limits' } } }],
        }),
    },
  ],
};

import { RateLimiter } from 'limiter';
import { type Implementation, LIMIT, rateHeaders, WINDOW_MS } from '../api';
import { type AccountGate, type Gate, onNode } from '../frameworks/node';

/** README, "Reject instead of waiting". */
function shown(): Gate {
  const limiter = new RateLimiter({ tokensPerInterval: LIMIT, interval: 'second' });
  return (_, response, pass) => {
    if (limiter.tryRemoveTokens(1)) return pass();
    const seconds = Math.max(1, Math.ceil(limiter.getWaitTime(1) / 1000));
    response.writeHead(429, { 'Retry-After': String(seconds) });
    response.end('Too many requests\n');
  };
}

/** A limiter of its own for each account: an instance is one budget (README, "Additional Notes"). */
function set(): AccountGate {
  const limiters = new Map<string, RateLimiter>();
  return ({ name }, response, pass) => {
    const limiter = limiters.get(name) ?? new RateLimiter({ tokensPerInterval: LIMIT, interval: WINDOW_MS });
    limiters.set(name, limiter);
    const accepted = limiter.tryRemoveTokens(1);
    const headers = rateHeaders(0, Date.now() + limiter.getWaitTime(1), !accepted);
    if (!accepted) {
      response.writeHead(429, headers).end('Too many requests\n');
      return;
    }
    for (const [header, value] of Object.entries(headers)) response.setHeader(header, value);
    pass();
  };
}

export const implementation: Implementation = {
  packages: ['limiter'],
  documentation: 'https://github.com/jhurliman/node-rate-limiter#reject-instead-of-waiting',
  shown: 'One budget for all requests, in front of everything; no headers but Retry-After.',
  setting:
    'A `RateLimiter` for each account, behind authentication, and the headers written by hand from `getWaitTime`.',
  variants: [
    { as: 'shown', store: 'memory', start: () => onNode({ before: shown() }) },
    { as: 'set', store: 'memory', start: () => onNode({ after: set() }) },
  ],
};

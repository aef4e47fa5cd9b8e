import Bottleneck from 'bottleneck';
import Redis from 'ioredis';
import { type Implementation, rateHeaders, WINDOW_MS } from '../api';
import { type AccountGate, type Gate, onNode } from '../frameworks/node';

/** README, "Quick Start": jobs wait until it is their turn. */
function shown(): Gate {
  const limiter = new Bottleneck({ minTime: WINDOW_MS });
  return (_request, _response, pass) => void limiter.schedule(async () => pass());
}

/** README, "Group": a limiter for each key. */
function set(group: Bottleneck.Group): AccountGate {
  return ({ name }, response, pass) =>
    void group.key(name).schedule(async () => {
      for (const [header, value] of Object.entries(rateHeaders(0, Date.now() + WINDOW_MS))) {
        response.setHeader(header, value);
      }
      pass();
    });
}

export const implementation: Implementation = {
  packages: ['bottleneck', 'ioredis'],
  documentation: 'https://github.com/SGrondin/bottleneck#quick-start',
  shown: 'One queue for all requests, in front of everything; no headers.',
  setting:
    'A `Bottleneck.Group` with `minTime: 1000`, keyed by account, behind authentication, and the headers written by hand. It delays and never refuses.',
  variants: [
    { as: 'shown', store: 'memory', start: () => onNode({ before: shown() }) },
    {
      as: 'set',
      store: 'memory',
      start: () => onNode({ after: set(new Bottleneck.Group({ minTime: WINDOW_MS })) }),
    },
    {
      as: 'set',
      store: 'Redis',
      start: (address) => {
        // README, "Clustering". The group ends its connections.
        const group = new Bottleneck.Group({
          minTime: WINDOW_MS,
          datastore: 'ioredis',
          Redis,
          clientOptions: address,
        } as Bottleneck.ConstructorOptions);
        return onNode({ after: set(group) }, () => group.disconnect());
      },
    },
  ],
};

import type { RequestHandler } from 'express';
import { slowDown } from 'express-slow-down';
import { type Account, type Implementation, LIMIT, rateHeaders, WINDOW_MS } from '../api';
import { onExpress } from '../frameworks/express';

/** README, "Examples": 100 ms of delay for each request so far, after the first ones. */
const shown = () =>
  slowDown({
    windowMs: WINDOW_MS,
    delayAfter: LIMIT,
    delayMs: (hits) => hits * 100,
  });

/** Lets one request of each account go in each window, in the order in which they come. */
function inTurn(): RequestHandler {
  /** By account: when its next request may go, in milliseconds since the epoch. */
  const free = new Map<string, number>();
  return slowDown({
    windowMs: WINDOW_MS,
    delayAfter: 0,
    keyGenerator: (_, response) => (response.locals.account as Account).name,
    delayMs: (_used, _request, response) => {
      const { name } = response.locals.account as Account;
      const goesAtMs = Math.max(Date.now(), free.get(name) ?? 0);
      free.set(name, goesAtMs + WINDOW_MS);
      response.set(rateHeaders(0, goesAtMs + WINDOW_MS));
      return goesAtMs - Date.now();
    },
  });
}

export const implementation: Implementation = {
  packages: ['express-slow-down', 'express'],
  documentation: 'https://github.com/express-rate-limit/express-slow-down#examples',
  shown:
    'It stands in front of everything, counts by address, delays by 100 ms for each request so far, and sends no headers.',
  setting:
    "`keyGenerator` returning the account's name, `delayAfter: 0`, behind authentication, and a `delayMs` that keeps a timetable for each account and sends the headers: the library forgets its delays with each window, and its own headers say `Limit: 0`.",
  variants: [
    { as: 'shown', store: 'memory', start: () => onExpress({ before: shown() }) },
    { as: 'set', store: 'memory', start: () => onExpress({ after: inTurn() }) },
  ],
};

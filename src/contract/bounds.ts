/** The bounds within which a rate limit's promises are honest (API description, section 8). */

/** A rate limit: the requests that each user may send in a window, and the length of the window in seconds. */
export interface Rate {
  requests: number;
  seconds: number;
}

/** A header in whole seconds may lie this far from the exact moment. */
export const ROUNDING_SECONDS = 1;

/** A little more than a window: stores expire their entries some 20 to 80 ms late. */
export const LITTLE_MS = 100;

/** A moment more than a day away is wrong, however clocks are set. */
export const DAY_SECONDS = 86_400;

/** How many seconds ahead an honest header may point: two windows of a sliding counter, and rounding at either end. */
export function longestHonestSeconds({ seconds }: Rate): number {
  return 2 * seconds + 2 * ROUNDING_SECONDS;
}

/** How many milliseconds a limiter remembers requests at most: a sliding counter also weighs the window before. */
export function longestMemoryMs({ seconds }: Rate): number {
  return 2 * seconds * 1000 + LITTLE_MS;
}

/** Whether a rate is the published one. Only a run at that rate can be certified. */
export function isPublished({ requests, seconds }: Rate): boolean {
  return requests === 1 && seconds === 1;
}

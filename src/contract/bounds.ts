/** The bounds within which a rate limit's promises are honest (API description, section 8). */

/** A rate limit: so many requests in so many seconds, for each user. */
export interface Rate {
  requests: number;
  seconds: number;
}

/** A moment may be rounded down to a whole second. */
export const ROUNDING_SECONDS = 1;

/** "A window and a little" (API description, section 8): stores expire what they hold some 20 to 80 ms late. */
export const LITTLE_MS = 100;

/** A time that lies further away than a day is no time of this run, whatever the clocks say. */
export const DAY_SECONDS = 86_400;

/**
 * The longest time to which an honest header can point: sliding counters reach two windows ahead, and rounding adds
 * a second at both ends.
 */
export function longestHonestSeconds({ seconds }: Pick<Rate, 'seconds'>): number {
  return 2 * seconds + 2 * ROUNDING_SECONDS;
}

/** Whether a rate is the published one: at no other can a run be certified. */
export function isPublished({ requests, seconds }: Rate): boolean {
  return requests === 1 && seconds === 1;
}

/** The kinds of limiters that conform: each is what it gives back between two moments, and nothing else. */
import type { Rate } from '../contract/bounds';

export type Family =
  | 'fixed windows'
  | 'windows that begin with a request'
  | 'windows that slide by segments'
  | 'a sliding log'
  | 'a sliding counter'
  | 'a bucket'
  | 'a bucket refilled at ticks';

/** A limiter whose budget comes back by the clock alone, in steps or all the time. */
export interface Kind {
  family: Exclude<Family, 'windows that begin with a request'>;
  /** The time from one step to the next, in milliseconds; 0 where budget comes back all the time. */
  stepMs: number;
  /** How much of `requests` comes back in so many steps; without steps, in so many windows. */
  given: (steps: number, requests: number) => number;
  /** Whether a part of a request comes back, so that what remains is rounded. */
  isSmooth: boolean;
}

/** How much a limiter gives back between two moments. */
export type Gain = (fromMs: number, toMs: number) => number;

/** Into how many parts windows may be divided. Fewer than four that slide let through what a shorter window does. */
const PARTS = [4, 5, 6, 8, 10, 12, 60];

/** Returns the kinds of limiters of a rate. At one request a window, a sliding counter rounds down to fixed windows. */
export function kindsOf({ requests: limit, seconds }: Rate): Kind[] {
  const windowMs = seconds * 1000;
  const inWindows = { stepMs: windowMs, given: (steps: number, requests: number) => requests * steps };
  const ticks = limit === 1 ? [] : [...new Set([2, 20, limit, ...PARTS])];
  return [
    { family: 'fixed windows', ...inWindows, isSmooth: false },
    { family: 'a bucket', stepMs: 0, given: (windows) => limit * windows, isSmooth: true },
    ...ticks.map(
      (parts): Kind => ({
        family: 'a bucket refilled at ticks',
        stepMs: windowMs / parts,
        // Of what was not used, nothing comes back.
        given: (steps, requests) => steps * Math.min(limit / parts, requests),
        isSmooth: true,
      }),
    ),
    {
      family: 'a sliding log',
      stepMs: 0,
      given: (windows, requests) => requests * Math.floor(windows),
      isSmooth: false,
    },
    ...PARTS.map(
      (parts): Kind => ({
        family: 'windows that slide by segments',
        stepMs: windowMs / parts,
        // Whole windows come back: a part of one with each segment would be a bucket.
        given: (steps, requests) => requests * Math.floor(steps / parts),
        isSmooth: false,
      }),
    ),
    ...(limit === 1 ? [] : [{ family: 'a sliding counter', ...inWindows, isSmooth: true } as const]),
  ];
}

/** @param phaseMs a moment at which a step falls */
export function gainOf({ stepMs, given }: Kind, phaseMs: number, requests: number, windowMs: number): Gain {
  if (stepMs === 0) return (fromMs, toMs) => given((toMs - fromMs) / windowMs, requests);
  const stepAt = (ms: number) => Math.floor((ms - phaseMs) / stepMs);
  return (fromMs, toMs) => given(stepAt(toMs) - stepAt(fromMs), requests);
}

/** The least and the most that a limiter gives back in so long a time, whatever its phase. */
export function gainWithin({ stepMs, given }: Kind, ms: number, requests: number, windowMs: number) {
  if (stepMs === 0) return { least: given(ms / windowMs, requests), most: given(ms / windowMs, requests) };
  return { least: given(Math.floor(ms / stepMs), requests), most: given(Math.ceil(ms / stepMs), requests) };
}

/**
 * The server's clock, seen through `Date`: whole seconds, perhaps a second old. Only bounds that certainly
 * hold are given, so that a rounded or cached `Date` never accuses anybody.
 */
import { DAY_SECONDS, longestHonestSeconds, ROUNDING_SECONDS } from '../contract/bounds';
import type { Evidence, Exchange } from './exchange';
import { ageOf, dateOf, rateHeaderOf, retryAfterOf } from './headers';
import { once } from './once';

/** Of the evidence, what tells a server's clock. */
type Told = Pick<Evidence, 'startedAtEpochMs' | 'exchanges'> & { target: Pick<Evidence['target'], 'rate'> };

/** Two ends between which something lies. */
export interface Range {
  least: number;
  most: number;
}

/** The server's time when it answered, in seconds since the epoch: `Date`, else our own clock, set to the server's. */
export function answeredAt(exchange: Exchange, evidence: Told): Range {
  const date = dateOf(exchange);
  if (date !== null) return { least: date, most: date };
  const ours = epochSecondsAt(exchange.receivedAtMs, evidence);
  const { least, most } = clockAhead(evidence);
  return { least: ours + least, most: ours + most };
}

/** How far a moment that a response names lies ahead of the response, in seconds; negative: in the past. */
export function secondsAhead(epochSeconds: number, exchange: Exchange, evidence: Told): Range {
  const { least, most } = answeredAt(exchange, evidence);
  return { least: epochSeconds - most, most: epochSeconds - least };
}

const SAME: Range = { least: 0, most: 0 };

/**
 * How far the server's clock is ahead of ours in seconds (negative: behind), for responses without `Date`, by what the
 * others say. Where no response has a `Date`, what Reset (or else Retry-After) names lies from a second before each
 * response to two windows and 2 s after it, on the clock of an honest server.
 * @returns no difference where nothing tells one, or none agrees with all that tells
 */
export const clockAhead = once((evidence: Told): Range => {
  const ranges =
    [rangeByDate, rangeByMoment(resetNamed), rangeByMoment(retryNamed)]
      .map((rangeOf) => evidence.exchanges.flatMap((exchange) => rangeOf(exchange, evidence) ?? []))
      .find((found) => found.length > 0) ?? [];
  const least = Math.max(...ranges.map((range) => range.least));
  const most = Math.min(...ranges.map((range) => range.most));
  return ranges.length > 0 && least <= most ? { least, most } : SAME;
});

/** By a `Date`, which is cut to a second and may have been made a second before; a stored response adds its age. */
function rangeByDate(exchange: Exchange, evidence: Told): Range | null {
  const date = dateOf(exchange);
  const now = date === null ? null : date + (ageOf(exchange) ?? 0);
  return now === null ? null : differenceOf(now, now + 2, exchange, evidence);
}

const resetNamed = (exchange: Exchange) => rateHeaderOf(exchange, 'Reset');

function retryNamed(exchange: Exchange): number | null {
  const asked = retryAfterOf(exchange);
  return asked?.form === 'date' ? asked.epochSeconds : null;
}

/** By a moment that a response names as the end of a window, where that is a time at all. */
function rangeByMoment(named: (exchange: Exchange) => number | null) {
  return (exchange: Exchange, evidence: Told): Range | null => {
    const moment = named(exchange);
    if (moment === null) return null;
    if (Math.abs(moment - epochSecondsAt(exchange.receivedAtMs, evidence)) > DAY_SECONDS) return null;
    const earliest = moment - longestHonestSeconds(evidence.target.rate);
    return differenceOf(earliest, moment + ROUNDING_SECONDS, exchange, evidence);
  };
}

/** So that what is judged by a bound itself lies within it, whatever floating point makes of it. */
const INSIDE_SECONDS = 0.001;

/** The server showed a time between two (in seconds since the epoch) at some moment between sending and receipt. */
function differenceOf(earliest: number, latest: number, { sentAtMs, receivedAtMs }: Exchange, evidence: Told): Range {
  return {
    least: earliest - epochSecondsAt(receivedAtMs, evidence) + INSIDE_SECONDS,
    most: latest - epochSecondsAt(sentAtMs, evidence) - INSIDE_SECONDS,
  };
}

function epochSecondsAt(atMs: number, { startedAtEpochMs }: Told): number {
  return (startedAtEpochMs + atMs) / 1000;
}

/**
 * Whether a response is a stored one, whose rate headers speak of an earlier moment (RFC 9111 section 5.1). A cache that
 * passes everything on says `Age: 0` all the time.
 */
export function isStored(exchange: Exchange, evidence: Pick<Evidence, 'exchanges'>): boolean {
  const age = ageOf(exchange);
  return age !== null && (age > 0 || servesStored(evidence));
}

const servesStored = once(({ exchanges }: Pick<Evidence, 'exchanges'>) =>
  exchanges.some((exchange) => (ageOf(exchange) ?? 0) > 0),
);

/** By so much may what several `Date`s say differ, and still come from one clock. */
const ONE_CLOCK_SECONDS = 0.02;

/** What the responses that were made when they were asked for say of the server's clock, in the order of their arrival. */
const datedOf = once((evidence: Told) =>
  evidence.exchanges
    .filter((exchange) => dateOf(exchange) !== null && !isStored(exchange, evidence))
    .map((exchange) => {
      const date = dateOf(exchange) as number;
      const least = date - epochSecondsAt(exchange.receivedAtMs, evidence);
      return { exchange, ahead: { least, most: date + 1 - epochSecondsAt(exchange.sentAtMs, evidence) } };
    })
    .sort((a, b) => a.exchange.receivedAtMs - b.exchange.receivedAtMs),
);

const ANY: Range = { least: Number.NEGATIVE_INFINITY, most: Number.POSITIVE_INFINITY };

function bothOf(a: Range, b: Range): Range {
  return { least: Math.max(a.least, b.least), most: Math.min(a.most, b.most) };
}

function isOneClock({ least, most }: Range): boolean {
  return least <= most + ONE_CLOCK_SECONDS;
}

/** How far the server's clock is ahead of ours at least, in seconds; `null` where several clocks answer, or none. */
const leastAhead = once((evidence: Told): number | null => {
  const ahead = datedOf(evidence)
    .map((dated) => dated.ahead)
    .reduce(bothOf, ANY);
  return Number.isFinite(ahead.least) && isOneClock(ahead) ? ahead.least : null;
});

/**
 * When the server's clock was set back, in milliseconds of the run: windows before and after it have nothing in common.
 * @returns `null` where no single moment divides the run into one clock before it and a slower one after it
 */
export const setBackIn = once((evidence: Told): { fromMs: number; toMs: number } | null => {
  const dated = datedOf(evidence);
  const after: Range[] = [];
  for (let i = dated.length - 1; i > 0; i -= 1) after[i] = bothOf(dated[i]?.ahead ?? ANY, after[i + 1] ?? ANY);
  let before = ANY;
  for (const [i, { exchange, ahead }] of dated.entries()) {
    before = bothOf(before, ahead);
    const [next, rest] = [dated[i + 1], after[i + 1]];
    if (!isOneClock(before) || next === undefined || rest === undefined) return null;
    if (isOneClock(rest) && rest.most + ONE_CLOCK_SECONDS < before.least)
      return { fromMs: exchange.sentAtMs, toMs: next.exchange.receivedAtMs };
  }
  return null;
});

/**
 * When a Reset has certainly passed on the clock of the server that named it, one more second allowed for rounding
 * down. Where replicas have clocks of their own, it is a span after its own response's `Date`.
 * @returns milliseconds of the run; `null` where the response tells no time, or Reset is none
 */
export function passesAtMs(reset: number, exchange: Exchange, evidence: Told): number | null {
  const date = dateOf(exchange);
  if (date === null || Math.abs(reset - date) > DAY_SECONDS || reset < date - ROUNDING_SECONDS) return null;
  const bySpan = exchange.receivedAtMs + (reset - date + ROUNDING_SECONDS) * 1000;
  const ahead = leastAhead(evidence);
  if (ahead === null) return bySpan;
  const byClock = (reset + ROUNDING_SECONDS - ahead) * 1000 - evidence.startedAtEpochMs;
  return Math.max(exchange.receivedAtMs, Math.min(bySpan, byClock));
}

/**
 * How long a refusal asks to wait, in seconds from its arrival; `null` where it does not say so in form.
 * A date has whole seconds and may have been cut down to one, so it gets one more.
 */
export function waitAskedSeconds(exchange: Exchange, evidence: Told): Range | null {
  const asked = retryAfterOf(exchange);
  if (asked === null) return null;
  if (asked.form === 'seconds') return { least: asked.seconds, most: asked.seconds };
  const { least, most } = secondsAhead(asked.epochSeconds, exchange, evidence);
  return { least: Math.max(0, least + 1), most: Math.max(0, most + 1) };
}

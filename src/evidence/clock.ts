/**
 * The server's clock, seen through `Date`: whole seconds, perhaps a second old. Only bounds that certainly
 * hold are given, so that a rounded or cached `Date` never accuses anybody.
 */
import { DAY_SECONDS, longestHonestSeconds, ROUNDING_SECONDS } from '../contract/bounds';
import type { Evidence, Exchange } from './exchange';
import { dateOf, rateHeaderOf, retryAfterOf } from './headers';

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
const aheadByEvidence = new WeakMap<readonly Exchange[], Range & { count: number }>();

/**
 * How far the server's clock is ahead of ours in seconds (negative: behind), for responses without `Date`, by what the
 * others say. Where no response has a `Date`, what Reset (or else Retry-After) names lies from a second before each
 * response to two windows and 2 s after it, on the clock of an honest server.
 * @returns no difference where nothing tells one, or none agrees with all that tells
 */
export function clockAhead(evidence: Told): Range {
  const known = aheadByEvidence.get(evidence.exchanges);
  if (known && known.count === evidence.exchanges.length) return known;
  const ranges =
    [rangeByDate, rangeByReset, rangeByRetryAfter]
      .map((rangeOf) => evidence.exchanges.flatMap((one) => rangeOf(one, evidence) ?? []))
      .find((found) => found.length > 0) ?? [];
  const least = Math.max(...ranges.map((range) => range.least));
  const most = Math.min(...ranges.map((range) => range.most));
  const ahead = ranges.length > 0 && least <= most ? { least, most } : SAME;
  aheadByEvidence.set(evidence.exchanges, { ...ahead, count: evidence.exchanges.length });
  return ahead;
}

/** By a `Date`, which is cut to a second and may have been made a second before. */
function rangeByDate(exchange: Exchange, evidence: Told): Range | null {
  const date = dateOf(exchange);
  return date === null ? null : differenceOf(date, date + 2, exchange, evidence);
}

function rangeByReset(exchange: Exchange, evidence: Told): Range | null {
  return rangeByMoment(rateHeaderOf(exchange, 'Reset'), exchange, evidence);
}

function rangeByRetryAfter(exchange: Exchange, evidence: Told): Range | null {
  const asked = retryAfterOf(exchange);
  return rangeByMoment(asked?.form === 'date' ? asked.epochSeconds : null, exchange, evidence);
}

function rangeByMoment(epochSeconds: number | null, exchange: Exchange, evidence: Told): Range | null {
  if (epochSeconds === null) return null;
  if (Math.abs(epochSeconds - epochSecondsAt(exchange.receivedAtMs, evidence)) > DAY_SECONDS) return null;
  const earliest = epochSeconds - longestHonestSeconds(evidence.target.rate);
  return differenceOf(earliest, epochSeconds + ROUNDING_SECONDS, exchange, evidence);
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
 * The least that the server's clock can show at a moment of the run, in seconds since the epoch, from all `Date`s
 * that arrived before; `null` where none did.
 */
export function serverClockAtLeast(atMs: number, exchanges: readonly Exchange[]): number | null {
  let least: number | null = null;
  for (const exchange of exchanges) {
    const date = exchange.receivedAtMs <= atMs ? dateOf(exchange) : null;
    if (date === null) continue;
    const then = date + (atMs - exchange.receivedAtMs) / 1000;
    if (least === null || then > least) least = then;
  }
  return least;
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

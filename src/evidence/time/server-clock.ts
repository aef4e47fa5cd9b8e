/** The server's clock, by its `Date`. The bounds allow for a `Date` that is rounded or cached for a second. */
import { groupedBy } from '../../common/text';
import { DAY_SECONDS, longestHonestSeconds, ROUNDING_SECONDS } from '../../contract/bounds';
import { parsedHeaders } from '../http/headers';
import { type Evidence, type Exchange, once, type Stretch } from '../model';
import { isAccepted, isRefused, isWhole } from '../responder/classify';

export interface Range {
  least: number;
  most: number;
}

/** Returns the server's time when it answered, in epoch seconds: its `Date`, else our clock, set to the server's. */
export function answeredAt(exchange: Exchange, evidence: Evidence): Range {
  const receivedAt = epochSecondsAt(exchange.receivedAtMs, evidence);
  const date = parsedHeaders(exchange).dateSeconds;
  if (date === null) {
    const { least, most } = clockAhead(evidence);
    return { least: receivedAt + least, most: receivedAt + most };
  }
  // A process that a busy machine held up sends the `Date` that it cached before.
  const ahead = setBackIn(evidence) === null ? shownByDates(evidence).least : Number.NEGATIVE_INFINITY;
  const isStale = date + OLDEST_DATE_SECONDS < epochSecondsAt(exchange.sentAtMs, evidence) + ahead;
  return { least: date, most: isStale ? receivedAt + ahead + OLDEST_DATE_SECONDS : date };
}

/** Returns how many seconds a moment lies after the response that names it; negative: before it. */
export function secondsAhead(epochSeconds: number, exchange: Exchange, evidence: Evidence): Range {
  const { least, most } = answeredAt(exchange, evidence);
  return { least: epochSeconds - most, most: epochSeconds - least };
}

/** Time zones are whole numbers of quarter hours away, and no more than this. */
const QUARTER_SECONDS = 900;
const FARTHEST_ZONE_SECONDS = 14 * 3600;

/** Says that a wrong Reset looks like a time zone, where an honest one lies a whole number of quarter hours away. */
export function zoneIn(ahead: Range, { target }: Evidence): string {
  const zone = Math.round((ahead.least - target.rate.seconds / 2) / QUARTER_SECONDS) * QUARTER_SECONDS;
  const isHonest =
    ahead.most - zone >= -ROUNDING_SECONDS && ahead.least - zone <= longestHonestSeconds(target.rate) && zone !== 0;
  if (!isHonest || Math.abs(zone) > FARTHEST_ZONE_SECONDS) return '';
  return `, which looks like a time zone of ${zone > 0 ? '+' : '-'}${Math.abs(zone) / 3600} h`;
}

/** A clock that no `Date` shows may differ from ours by this much: servers and test machines get the time from the network. */
const UNKNOWN: Range = { least: -30, most: 30 };

/**
 * How many seconds the server's clock is ahead of ours (negative: behind), for responses without `Date`. The `Date`s of
 * other responses show it. Where there are none, Resets do: an honest one lies from 1 s before its response to two windows
 * and 2 s after it. A wrong Reset looks the same, so Resets excuse a small difference alone.
 * @returns 0 where nothing shows a difference, or the responses contradict each other
 */
export const clockAhead = once((evidence: Evidence): Range => {
  const dates = shownByDates(evidence);
  const resets = evidence.exchanges.flatMap((exchange) => rangeByReset(exchange, evidence) ?? []);
  // A `Date` may also have been cached for a second.
  const ahead = dates === ANY ? resets.reduce(bothOf, UNKNOWN) : { ...dates, most: dates.most + 1 };
  const isShown = dates !== ANY || resets.length > 0;
  return isShown && ahead.least <= ahead.most ? ahead : { least: 0, most: 0 };
});

/** Returns the moment that a Reset names, in epoch seconds; `null` if it lies more than a day from its response: it names none. */
function resetMoment(exchange: Exchange, evidence: Evidence): number | null {
  const { reset, dateSeconds } = parsedHeaders(exchange);
  const answered = dateSeconds ?? epochSecondsAt(exchange.receivedAtMs, evidence);
  return reset === null || Math.abs(reset - answered) > DAY_SECONDS ? null : reset;
}

function rangeByReset(exchange: Exchange, evidence: Evidence): Range | null {
  const reset = resetMoment(exchange, evidence);
  if (reset === null) return null;
  const least = reset - longestHonestSeconds(evidence.target.rate) + INSIDE_SECONDS;
  return aheadOf({ least, most: reset + ROUNDING_SECONDS - INSIDE_SECONDS }, exchange, evidence);
}

/** Ranges are narrowed by this, so that no floating-point error accuses a Reset that lies exactly on a bound. */
const INSIDE_SECONDS = 0.001;

/** How far the server's clock is ahead of ours if it showed `shown` between the sending of a request and its answer. */
function aheadOf(shown: Range, { sentAtMs, receivedAtMs }: Exchange, evidence: Evidence): Range {
  return {
    least: shown.least - epochSecondsAt(receivedAtMs, evidence),
    most: shown.most - epochSecondsAt(sentAtMs, evidence),
  };
}

function epochSecondsAt(atMs: number, { startedAtEpochMs }: Evidence): number {
  return (startedAtEpochMs + atMs) / 1000;
}

/**
 * Whether a response is a stored one, whose rate headers speak of an earlier moment (RFC 9111 section 5.1). `Age: 0`
 * counts only where another response has a greater age: a cache that passes everything on may always say so.
 */
export function isStored(exchange: Exchange, evidence: Evidence): boolean {
  const age = parsedHeaders(exchange).ageSeconds;
  return age === null ? storedSilently(evidence).answers.has(exchange) : age > 0 || servesStored(evidence);
}

const servesStored = once(({ exchanges }: Evidence) =>
  exchanges.some((exchange) => (parsedHeaders(exchange).ageSeconds ?? 0) > 0),
);

/** This often the same answer comes after its Reset has passed before a cache is the reason. */
const AGAIN_AND_AGAIN = 3;

/**
 * The answers of a cache that sends no `Age`: the same answer with the same Reset, again and again after that had passed.
 * Where refusals name this Reset as well, the server itself does.
 * @returns `passed`: how many came after it had
 */
export const storedSilently = once((evidence: Evidence): { answers: ReadonlySet<Exchange>; passed: number } => {
  const keyed = evidence.exchanges.filter((each) => each.account !== null && resetMoment(each, evidence) !== null);
  const resetOf = (exchange: Exchange) => `${exchange.account} ${parsedHeaders(exchange).reset}`;
  const named = new Set(keyed.filter((exchange) => !isAccepted(exchange)).map(resetOf));
  const answerOf = (exchange: Exchange) => {
    const { method, url } = exchange.request;
    return [resetOf(exchange), parsedHeaders(exchange).remaining, method, url, exchange.response?.body].join(' ');
  };
  const accepted = keyed.filter((exchange) => isAccepted(exchange) && !named.has(resetOf(exchange)));
  const alike = [...groupedBy(accepted, answerOf).values()];
  const passed = alike.flatMap(([first, ...later]) =>
    later.filter(({ sentAtMs }) => first && sentAtMs > certainlyPassedAtMs(first, evidence)),
  );
  const answers = passed.length < AGAIN_AND_AGAIN ? [] : alike.flatMap(([, ...later]) => later);
  return { answers: new Set(answers), passed: passed.length };
});

/** When the Reset of an answer has passed, by its own `Date`, or as any honest one has. */
function certainlyPassedAtMs(exchange: Exchange, { target }: Evidence): number {
  const { reset, dateSeconds } = parsedHeaders(exchange);
  const isDated = dateSeconds !== null && reset !== null;
  const ahead = isDated ? Math.max(0, reset - dateSeconds) : longestHonestSeconds(target.rate);
  return exchange.receivedAtMs + (ahead + ROUNDING_SECONDS) * 1000;
}

/** Several `Date`s still come from one clock if they disagree by no more than this. */
const ONE_CLOCK_SECONDS = 0.02;

/** What the `Date` of each response that is not stored shows of the server's clock, in the order of arrival. */
const datedOf = once((evidence: Evidence) =>
  evidence.exchanges
    .flatMap((exchange) => {
      const date = parsedHeaders(exchange).dateSeconds;
      if (date === null || isStored(exchange, evidence)) return [];
      return { exchange, ahead: aheadOf({ least: date, most: date + 1 }, exchange, evidence) };
    })
    .sort((a, b) => a.exchange.receivedAtMs - b.exchange.receivedAtMs),
);

/** A `Date` is not older than this when it is sent: it is cut to a second, and may be cached for one. */
const OLDEST_DATE_SECONDS = 2;

const ANY: Range = { least: Number.NEGATIVE_INFINITY, most: Number.POSITIVE_INFINITY };

function bothOf(a: Range, b: Range): Range {
  return { least: Math.max(a.least, b.least), most: Math.min(a.most, b.most) };
}

function isOneClock({ least, most }: Range): boolean {
  return least <= most + ONE_CLOCK_SECONDS;
}

/** What all `Date`s together show: `ANY` where there is none. Where several clocks answer, `most` is less than `least`. */
const shownByDates = once(
  (evidence: Evidence): Range => datedOf(evidence).reduce((sofar, { ahead }) => bothOf(sofar, ahead), ANY),
);

/**
 * When the server's clock was set back: windows before and after have nothing in common.
 * `null` unless one moment divides the run into a clock before it and a slower one after it.
 */
export const setBackIn = once((evidence: Evidence): Stretch | null => {
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
 * Returns when a Reset has certainly passed on the clock of the server that named it, with one more second for rounding
 * down. Where several clocks answer, it counts from the `Date` of the same response.
 * @returns milliseconds of the run; `null` where there is no `Date`, or Reset is before it or more than a day after it
 */
export function passesAtMs(reset: number, exchange: Exchange, evidence: Evidence): number | null {
  const date = parsedHeaders(exchange).dateSeconds;
  if (date === null || Math.abs(reset - date) > DAY_SECONDS || reset < date - ROUNDING_SECONDS) return null;
  const bySpan = exchange.receivedAtMs + (reset - date + ROUNDING_SECONDS) * 1000;
  const ahead = shownByDates(evidence);
  if (ahead === ANY || !isOneClock(ahead)) return bySpan;
  const byClock = (reset + ROUNDING_SECONDS - ahead.least) * 1000 - evidence.startedAtEpochMs;
  return Math.max(exchange.receivedAtMs, Math.min(bySpan, byClock));
}

/**
 * Returns the wait that a refusal asks for, in seconds from its arrival, or `null`. A date gets one more second, on the
 * server's clock where that is known.
 */
export function waitAskedSeconds(exchange: Exchange, evidence: Evidence): Range | null {
  const asked = parsedHeaders(exchange).retryAfter;
  if (asked === null) return null;
  if (asked.form === 'seconds') return { least: asked.seconds, most: asked.seconds };
  const { least, most } = secondsAhead(asked.epochSeconds, exchange, evidence);
  const passedAtMs = passesAtMs(asked.epochSeconds, exchange, evidence);
  const bySpan = Math.max(0, most + ROUNDING_SECONDS);
  const seconds = passedAtMs === null ? bySpan : Math.min(bySpan, (passedAtMs - exchange.receivedAtMs) / 1000);
  return { least: Math.min(seconds, Math.max(0, least + ROUNDING_SECONDS)), most: seconds };
}

/** Returns how many milliseconds a refusal asks to wait; 0 for other answers, and for waits longer than is honest. */
export function waitAskedMs(exchange: Exchange, evidence: Evidence): number {
  const asked = waitAskedSeconds(exchange, evidence);
  if (asked === null || !isWhole(exchange) || !isRefused(exchange, evidence)) return 0;
  return asked.most <= longestHonestSeconds(evidence.target.rate) ? asked.most * 1000 : 0;
}

/** Whether a refusal certainly asks to wait longer than a window, but no longer than is honest. */
export function asksBeyondWindow(exchange: Exchange, evidence: Evidence): boolean {
  const leastSeconds = waitAskedSeconds(exchange, evidence)?.least ?? 0;
  // `waitAskedSeconds` adds a second to a date, and the response's own `Date` may be cut to a second and a second old.
  const rounding = parsedHeaders(exchange).retryAfter?.form === 'date' ? 3 * ROUNDING_SECONDS : 0;
  return waitAskedMs(exchange, evidence) > 0 && leastSeconds > evidence.target.rate.seconds + rounding;
}

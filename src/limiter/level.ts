/**
 * One model of a limiter: a level that rises by one with each charged request and falls by what the limiter gives back. A
 * kind of limiter is what it gives back between two moments, and nothing else. At an accepted request the level was at
 * most the limit, at a refused one above it. A server decides at some moment between sending and answer.
 */
import { LITTLE_MS, type Rate } from '../contract/bounds';

type Family =
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
  /** The time from one step to the next, in milliseconds; 0 if budget comes back all the time. */
  stepMs: number;
  /** Returns how much of `requests` comes back in so many steps; without steps, in so many windows. */
  given: (steps: number, requests: number) => number;
  /** Whether parts of a request come back, so that Remaining is rounded. */
  isSmooth: boolean;
}

/** How much a limiter gives back between two moments. */
type Gain = (fromMs: number, toMs: number) => number;

/** How many parts a window may have. Fewer than four that slide accept as much as a shorter window. */
const PARTS = [4, 5, 6, 8, 10, 12, 60];

/** Returns the kinds of limiters of a rate. At one request a window, a sliding counter rounds down to fixed windows. */
function kindsOf({ requests: limit, seconds }: Rate): Kind[] {
  const windowMs = seconds * 1000;
  const inWindows = { stepMs: windowMs, given: (steps: number, requests: number) => requests * steps };
  const wholeWindows = (windows: number, requests: number) => requests * Math.floor(windows);
  const ticks = limit === 1 ? [] : [...new Set([2, 20, limit, ...PARTS])];
  return [
    // Those without steps have one phase, so they are asked first.
    { family: 'a bucket', stepMs: 0, given: (windows) => limit * windows, isSmooth: true },
    { family: 'a sliding log', stepMs: 0, given: wholeWindows, isSmooth: false },
    { family: 'fixed windows', ...inWindows, isSmooth: false },
    ...ticks.map(
      (parts): Kind => ({
        family: 'a bucket refilled at ticks',
        stepMs: windowMs / parts,
        // Unused budget does not come back.
        given: (steps, requests) => steps * Math.min(limit / parts, requests),
        isSmooth: true,
      }),
    ),
    ...PARTS.map(
      (parts): Kind => ({
        family: 'windows that slide by segments',
        stepMs: windowMs / parts,
        // Only whole windows come back: a part with each segment would be a bucket.
        given: (steps, requests) => requests * Math.floor(steps / parts),
        isSmooth: false,
      }),
    ),
    ...(limit === 1 ? [] : [{ family: 'a sliding counter', ...inWindows, isSmooth: true } as const]),
  ];
}

/** Returns what a limiter gives back. @param phaseMs a moment at which a step falls */
export function gainOf({ stepMs, given }: Kind, phaseMs: number, requests: number, windowMs: number): Gain {
  if (stepMs === 0) return (fromMs, toMs) => given((toMs - fromMs) / windowMs, requests);
  const stepAt = (ms: number) => Math.floor((ms - phaseMs) / stepMs);
  return (fromMs, toMs) => given(stepAt(toMs) - stepAt(fromMs), requests);
}

/** Returns the least and the most that a limiter gives back in a time, whatever its phase. */
function gainWithin({ stepMs, given }: Kind, ms: number, requests: number, windowMs: number) {
  if (stepMs === 0) return { least: given(ms / windowMs, requests), most: given(ms / windowMs, requests) };
  return { least: given(Math.floor(ms / stepMs), requests), most: given(Math.ceil(ms / stepMs), requests) };
}

/** The server decided about a request at some moment from `fromMs` to `toMs`. */
export interface Decision {
  fromMs: number;
  toMs: number;
  /** What the answer reports as left; `null` or absent if it reports nothing that counts. */
  left?: number | null;
}

/** A limiter's decisions about the requests of one user, or some of them. */
export interface User<D extends Decision = Decision> {
  accepted: readonly D[];
  refused?: readonly D[];
  /** Everything that may have used up budget, whatever its status. */
  charged?: readonly D[];
}

/** Clocks drift apart by this much within a run, and timers of a busy server are late. */
export const SLACK_MS = 15;
/** Decisions further apart than this many windows are not compared at a phase. */
const NEAR_WINDOWS = 4;
/** At most so many of a user's last refusals are looked at, which bounds the work. */
const TELLING_REFUSALS = 150;
const TINY = 1e-9;

/** More requests than the limit, accepted within a stretch of time. */
export interface FullStretch<D extends Decision = Decision> extends Decision {
  decisions: readonly D[];
  count: number;
}

/** Returns the stretches, each from one request to another, in which more than `limit` were accepted. */
export function fullStretches<D extends Decision>(
  accepted: readonly D[],
  limit: number,
  spanMs: number,
): FullStretch<D>[] {
  const byEnd = [...accepted].sort((a, b) => a.toMs - b.toMs);
  const found: FullStretch<D>[] = [];
  for (const [k, first] of byEnd.entries()) {
    const within: D[] = [];
    let start = k;
    // Only requests of the same burst ended before it and began after it.
    while (start > 0 && (byEnd[start - 1] as D).toMs >= first.fromMs) start -= 1;
    for (let i = start; i < byEnd.length; i += 1) {
      const last = byEnd[i] as D;
      if (last.toMs - first.fromMs > spanMs) break;
      if (last.fromMs < first.fromMs) continue;
      within.push(last);
      const count = within.length;
      if (count > limit) found.push({ fromMs: first.fromMs, toMs: last.toMs, decisions: within, count });
    }
  }
  return found;
}

/** Returns a function that says whether more were accepted than the limit and what a limiter gave back meanwhile. */
export function overflowOf(accepted: readonly Decision[], limit: number, spanMs: number): (gain: Gain) => boolean {
  const stretches = fullStretches(accepted, limit, spanMs);
  return (gain) => stretches.some((stretch) => isOver(stretch, limit, gain));
}

export const isOver = ({ fromMs, toMs, count }: FullStretch, limit: number, gain: Gain): boolean =>
  count > limit + gain(fromMs - SLACK_MS, toMs + SLACK_MS) + TINY;

/** A request, and when the requests that may count against it were charged, the latest first. */
interface Held {
  atMs: number;
  decision: Decision;
  chargedMs: readonly number[];
}

function heldBefore(decision: Decision, charged: readonly Decision[], memoryMs: number): Held {
  const chargedMs = charged
    .filter((each) => each !== decision && each.fromMs < decision.toMs + SLACK_MS)
    .filter((each) => each.toMs > decision.fromMs - memoryMs)
    .map(({ toMs }) => toMs + SLACK_MS)
    .sort((a, b) => b - a);
  // Stores forget late.
  return { decision, chargedMs, atMs: decision.fromMs - SLACK_MS - LITTLE_MS };
}

/** Returns the highest possible level at a request, itself included. */
function levelAtMost({ chargedMs, atMs }: Held, gain: Gain): number {
  return chargedMs.reduce((level, sinceMs, i) => Math.max(level, i + 2 - Math.max(0, gain(sinceMs, atMs))), 1);
}

/**
 * Returns the most that any limiter of a rate may hold against a request, itself included. A sliding counter weighs the
 * window before by its share, but not at one request a window: there it would refuse requests a window apart.
 * @param lateMs how late the store may forget
 */
export function mostHeld(
  decision: Decision,
  charged: readonly Decision[],
  { requests, seconds }: Rate,
  lateMs = LITTLE_MS,
): number {
  const windowMs = seconds * 1000;
  let held = 1;
  for (const each of charged) {
    if (each === decision || each.fromMs >= decision.toMs) continue;
    const windowsAgo = (decision.fromMs - lateMs - each.toMs) / windowMs;
    if (requests === 1) held += windowsAgo < 1 ? 1 : 0;
    else held += Math.min(1, Math.max(0, 2 - windowsAgo));
  }
  return held;
}

/** A limiter of a kind at one phase. */
export interface Candidate {
  kind: Kind;
  phaseMs: number;
  /** Decisions further apart than this are not compared. */
  spanMs: number;
  levelAtMost: (decision: Decision) => number;
}

export interface Options {
  /** How many refusals may have another cause. */
  unexplained?: number;
  families?: readonly Family[];
  /** Returns a further condition on the limiter, which is tested at every phase that a decision distinguishes. */
  also?: (user: User) => (candidate: Candidate) => boolean;
}

/** Whether some limiter of a rate can have taken all these decisions. */
export function isExplained(user: User, rate: Rate, options: Options = {}): boolean {
  const { unexplained = 0, families } = options;
  const also = options.also?.(user);
  const { accepted, charged = [] } = user;
  const refused = (user.refused ?? []).slice(-TELLING_REFUSALS);
  const isAsked = (family: Family) => families?.includes(family) ?? true;
  if (
    !also &&
    isAsked('windows that begin with a request') &&
    // Requests with other answers may begin windows as well.
    [accepted, charged].some((beginning) => areOfBegun(accepted, beginning, rate))
  ) {
    if (refused.filter((each) => !isOfBegun(each, charged, rate)).length <= unexplained) return true;
  }
  const windowMs = rate.seconds * 1000;
  const stretchesIn = lookup((spanMs: number) => fullStretches(accepted, rate.requests, spanMs));
  const heldIn = lookup((spanMs: number) => lookup((each: Decision) => heldBefore(each, charged, spanMs)));
  return kindsOf(rate).some((kind) => {
    if (!isAsked(kind.family)) return false;
    const spanMs = kind.stepMs === 0 ? Number.POSITIVE_INFINITY : NEAR_WINDOWS * windowMs;
    const within = (ms: number) => gainWithin(kind, ms, rate.requests, windowMs);
    const suspicious = stretchesIn(spanMs).filter(
      ({ count, fromMs, toMs }) => count > rate.requests + within(toMs - fromMs + 2 * SLACK_MS).least + TINY,
    );
    const isCounter = kind.family === 'a sliding counter';
    const held = isCounter ? [] : refused.map(heldIn(spanMs));
    const never = isCounter
      ? refused.filter((each) => mostHeld(each, charged, rate) <= rate.requests + TINY).length
      : 0;
    const isFree = (at: Held, gain: Gain) => levelAtMost(at, gain) <= rate.requests + TINY;
    // Most refusals are explained at every phase or at none.
    const open = held.filter((at) => isFree(at, (fromMs, toMs) => within(toMs - fromMs).most));
    const lost = open.filter((at) => isFree(at, (fromMs, toMs) => within(toMs - fromMs).least)).length;
    if (Math.max(never, lost) > unexplained) return false;
    // The ends of stretches are those of what was accepted.
    const ends = suspicious.length < accepted.length ? suspicious : accepted;
    const edges = also
      ? [...accepted, ...refused].flatMap(edgesOf)
      : [...ends.flatMap(edgesOf), ...open.flatMap(({ chargedMs, atMs }) => [...chargedMs, atMs])];
    return phasesOf(edges, kind.stepMs).some((phaseMs) => {
      const gain = gainOf(kind, phaseMs, rate.requests, windowMs);
      const over = suspicious.findIndex((stretch) => isOver(stretch, rate.requests, gain));
      if (over >= 0) {
        // At most phases it is the same one, so it is asked first.
        suspicious.unshift(...suspicious.splice(over, 1));
        return false;
      }
      if (never + open.filter((at) => isFree(at, gain)).length > unexplained) return false;
      const levelOf = (decision: Decision) =>
        isCounter ? mostHeld(decision, charged, rate) : levelAtMost(heldIn(spanMs)(decision), gain);
      return !also || also({ kind, phaseMs, spanMs, levelAtMost: levelOf });
    });
  });
}

/** Whether a bucket can have accepted all these: then no end of a window is needed. */
export function fitsBucket(accepted: readonly Decision[], rate: Rate): boolean {
  return isExplained({ accepted }, rate, { families: ['a bucket'] });
}

/** Returns the moments between which a decision was taken, and the one at which a late store forgets. */
function edgesOf({ fromMs, toMs }: Decision): number[] {
  return [fromMs - SLACK_MS, toMs + SLACK_MS, fromMs - SLACK_MS - LITTLE_MS];
}

/** Returns phases that stand for all others: what a limiter explains changes only at an edge. */
function phasesOf(edges: readonly number[], stepMs: number): number[] {
  if (stepMs === 0) return [0];
  const justBefore = edges.map((ms) => ms - 0.01);
  const phases = [0, ...justBefore].map((ms) => ((ms % stepMs) + stepMs) % stepMs);
  return [...new Set(phases)];
}

/** Whether windows that begin with one of some requests can have accepted all these. */
function areOfBegun(
  accepted: readonly Decision[],
  beginning: readonly Decision[],
  { requests, seconds }: Rate,
): boolean {
  const counted = new Set(accepted);
  let endsMs = Number.NEGATIVE_INFINITY;
  let used = 0;
  for (const each of [...new Set([...accepted, ...beginning])].sort((a, b) => a.toMs - b.toMs)) {
    const count = counted.has(each) ? 1 : 0;
    if (each.fromMs - SLACK_MS < endsMs && used + count <= requests) used += count;
    else if (each.toMs + SLACK_MS < endsMs) return false;
    else {
      endsMs = Math.max(each.fromMs - SLACK_MS, endsMs) + seconds * 1000;
      used = count;
    }
  }
  return true;
}

/** Whether enough was charged in the window before a refusal to use up a budget. */
function isOfBegun(refusal: Decision, charged: readonly Decision[], { requests, seconds }: Rate): boolean {
  const sinceMs = refusal.fromMs - seconds * 1000 - LITTLE_MS - SLACK_MS;
  const isNear = (each: Decision) => each !== refusal && each.fromMs < refusal.toMs + SLACK_MS && each.toMs > sinceMs;
  return charged.filter(isNear).length >= requests;
}

/** At so many phases fixed windows are tried. */
const PHASES = 100;

/** Returns the phases, of `PHASES`, at which fixed windows explain what was accepted. */
function phasesLeft(accepted: readonly Decision[], rate: Rate): number[] {
  const windowMs = rate.seconds * 1000;
  const windows = kindsOf(rate).find(({ family }) => family === 'fixed windows') as Kind;
  const overflows = overflowOf(accepted, rate.requests, NEAR_WINDOWS * windowMs);
  const phases = Array.from({ length: PHASES }, (_, i) => i);
  return phases.filter((i) => !overflows(gainOf(windows, (i * windowMs) / PHASES, rate.requests, windowMs)));
}

/** Returns the share of phases (0 to 1) at which fixed windows explain what was accepted; 1 if a bucket does. */
export function shareOfPhases(accepted: readonly Decision[], rate: Rate): number {
  return fitsBucket(accepted, rate) ? 1 : phasesLeft(accepted, rate).length / PHASES;
}

/** Returns the phase in milliseconds right after those at which fixed windows explain what was accepted; 0 if there is none. */
export function phaseAfter(accepted: readonly Decision[], rate: Rate): number {
  const left = phasesLeft(accepted, rate);
  const last = left.find((i) => !left.includes((i + 1) % PHASES));
  return last === undefined ? 0 : ((last + 1) * rate.seconds * 1000) / PHASES + SLACK_MS;
}

/** Returns the least depth of a bucket of a rate that can have accepted all these. */
export function depthOf(accepted: readonly Decision[], { requests, seconds }: Rate): number {
  const depths = fullStretches(accepted, 0, Number.POSITIVE_INFINITY).map(
    ({ count, fromMs, toMs }) => count - ((toMs - fromMs) * requests) / (seconds * 1000),
  );
  return depths.reduce((most, depth) => Math.max(most, depth), 0);
}

/** Returns a function that computes each value once. */
export function lookup<K, V>(compute: (key: K) => V): (key: K) => V {
  const known = new Map<K, V>();
  return (key) => {
    const value = known.get(key) ?? compute(key);
    known.set(key, value);
    return value;
  };
}

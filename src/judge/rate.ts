/**
 * The rate clauses (API description, section 8). A conformant limiter may count in fixed windows, in a sliding log, in
 * a bucket, or queue; headers round to whole seconds; the network adds to every time. None of that ever fails.
 */
import type { Evidence, Exchange } from '../exchange';
import { groupOf } from '../probes/groups';
import { answeredAt, secondsAhead, serverClockAtLeast, waitAskedSeconds } from './clock';
import { BROKEN, type Breach, each, type Finding, judged, notTested, of, whyNot } from './finding';
import { dateOf, httpDate, rateHeaderOf, retryAfterOf, valuesOf, wholeNumber } from './headers';
import { isAccepted, isRefused, isWhole, refusalStatuses, servesSettings, statusOf } from './outcome';
import { leastGranted, letThrough, looksOf, miscounted, shareGranted } from './rate-looks';
import { decisionOf, fullestStretch, isExplained, isExplainedByBoundaries } from './window';

const HEADERS = ['Limit', 'Remaining', 'Reset'] as const;
const DAY_SECONDS = 86_400;
/** Rounding of Reset down to a whole second. */
const ROUNDING_SECONDS = 1;

const NO_REFUSAL =
  'No request was refused, so no refusal could be inspected: a server that queues, or a limit above the burst (`limits.burst`), shows none.';

function windowSeconds(evidence: Evidence): number {
  return evidence.target.rate.seconds;
}

/** Nothing honest reaches further ahead: sliding counters reach two windows, rounding adds to both ends. */
function longestSeconds(evidence: Evidence): number {
  return 2 * windowSeconds(evidence) + 2;
}

function accountsOf(evidence: Evidence): string[] {
  return evidence.target.accounts.map((account) => account.name);
}

/** Whole responses to a valid key on the two described paths: those that are to carry rate headers. */
function keyedResponses(evidence: Evidence): Exchange[] {
  const base = evidence.target.baseURL;
  return evidence.exchanges.filter(
    (one) =>
      one.account !== null &&
      isWhole(one) &&
      [`${base}/webhooks`, `${base}/`].includes(one.request.url) &&
      (isAccepted(one) || isRefused(one, evidence)),
  );
}

export function refusalsOf(evidence: Evidence): Exchange[] {
  return evidence.exchanges.filter((one) => isRefused(one, evidence));
}

export function headersArePresent(evidence: Evidence): Finding {
  const responses = keyedResponses(evidence);
  if (responses.length === 0) return notTested(whyNot(evidence, 'read', BROKEN));
  const absent = HEADERS.filter((name) => responses.every((one) => valuesOf(one, `X-RateLimit-${name}`).length === 0));
  return judged(
    responses,
    absent.map((name) => ({
      exchanges: responses.slice(0, 1),
      came: `no X-RateLimit-${name} on any of ${responses.length} responses to a valid key`,
    })),
  );
}

export function headersAreEverywhere(evidence: Evidence): Finding {
  const responses = keyedResponses(evidence);
  // A header that is nowhere is for rate.headers-present.
  const used = HEADERS.filter((name) => responses.some((one) => valuesOf(one, `X-RateLimit-${name}`).length > 0));
  return each(responses, whyNot(evidence, 'read', BROKEN), (one) => {
    const absent = used.filter((name) => valuesOf(one, `X-RateLimit-${name}`).length === 0);
    return absent.length > 0 ? `${statusOf(one)} without X-RateLimit-${absent.join(', X-RateLimit-')}` : null;
  });
}

/** Judges a header wherever it stands; `check` says what is wrong with its one value. */
function wherever(name: string, check: (value: string, exchange: Exchange, evidence: Evidence) => string | null) {
  return (evidence: Evidence): Finding => {
    const bearing = evidence.exchanges.filter((one) => isWhole(one) && valuesOf(one, name).length > 0);
    return each(bearing, `No response carried ${name}, so its form could not be judged.`, (one) => {
      const values = valuesOf(one, name);
      if (values.length > 1) return `${name} ${values.length} times: ${values.join(' and ')}`;
      const wrong = check(values[0] ?? '', one, evidence);
      return wrong === null ? null : `${name}: ${values[0]} (${wrong})`;
    });
  };
}

export const limitIsPositive = wherever('X-RateLimit-Limit', (value) => {
  const limit = wholeNumber(value);
  return limit === null ? notDecimal(value) : limit > 0 ? null : 'not above 0';
});

export const remainingIsWithinLimit = wherever('X-RateLimit-Remaining', (value, exchange) => {
  const remaining = wholeNumber(value);
  if (remaining === null) return notDecimal(value);
  const limit = rateHeaderOf(exchange, 'Limit');
  return limit !== null && remaining > limit ? `above X-RateLimit-Limit: ${limit}` : null;
});

function notDecimal(value: string): string {
  if (/^-\d+$/.test(value)) return 'negative';
  return /^-?\d+\.\d+$/.test(value) ? 'a fraction' : 'not a decimal integer';
}

export const resetIsEpochSeconds = wherever('X-RateLimit-Reset', (value, exchange, evidence) => {
  const reset = wholeNumber(value);
  if (reset === null)
    return httpDate(value) || Number.isNaN(Number(value))
      ? 'not a number of seconds since the epoch'
      : notDecimal(value);
  const { epochSeconds: now } = answeredAt(exchange, evidence);
  if (reset < now / 10) return 'a number of seconds to wait, not a time since the epoch';
  if (reset > now * 100) return 'milliseconds, not seconds since the epoch';
  const ahead = secondsAhead(reset, exchange, evidence);
  if (ahead === null) return Math.abs(reset - now) > DAY_SECONDS ? 'more than a day from now' : null;
  if (ahead > DAY_SECONDS) return 'more than a day ahead';
  // A queue may hold a response back after its headers were made.
  const heldSeconds = (exchange.receivedAtMs - exchange.sentAtMs) / 1000;
  return ahead < -ROUNDING_SECONDS - heldSeconds
    ? `${Math.round(-ahead)} s before the response${dateOf(exchange) === null ? '' : ', by its Date'}`
    : null;
});

export const retryAfterIsWellFormed = wherever('Retry-After', (value) => {
  if (wholeNumber(value) !== null || httpDate(value)) return null;
  return /^[-+]?\d+(?:\.\d+)?$/.test(value) ? notDecimal(value) : 'neither whole seconds nor an HTTP-date in GMT';
});

export function retryAfterIsPresent(evidence: Evidence): Finding {
  const refusals = refusalsOf(evidence).filter(isWhole);
  if (refusals.length === 0) return notTested(NO_REFUSAL);
  const carried = refusals.some((one) => valuesOf(one, 'Retry-After').length > 0);
  const first = refusals.slice(0, 1);
  return judged(
    refusals,
    carried ? [] : [{ exchanges: first, came: `no Retry-After on any of ${refusals.length} refusals` }],
  );
}

/** Judges that no more were let through in a group's looks than the rate allows. */
function isKept(group: 'sequence' | 'concurrent') {
  return (evidence: Evidence): Finding => {
    const looks = accountsOf(evidence).map((account) => looksOf(evidence, group, account));
    const all = looks.flat(2);
    if (letThrough(all, evidence).length === 0)
      return notTested(whyNot(evidence, group, all.length > 0 ? BROKEN : 'no burst was sent'));
    const { requests } = evidence.target.rate;
    if (all.length > 0 && looks.flat().every((look) => look.length <= requests)) {
      return notTested(`A burst has fewer requests than the rate allows: set \`limits.burst\` above ${requests}.`);
    }
    const breaches = looks.flatMap((ofAccount) => overRate(ofAccount, evidence, evidence.target.rate.requests));
    return judged(all, breaches);
  };
}

export const rateIsEnforced = isKept('sequence');
export const rateIsEnforcedAtOneMoment = isKept('concurrent');

/** The breach, if no limiter of this limit explains what the looks let through. */
function overRate(looks: Exchange[][], evidence: Evidence, requests: number): Breach[] {
  const seconds = windowSeconds(evidence);
  const through = letThrough(looks.flat(), evidence);
  if (through.length === 0 || isExplained(through.map(decisionOf), { requests, seconds })) return [];
  const fullest =
    looks
      .map((look) =>
        fullestStretch(
          letThrough(look, evidence).map((one) => ({ ...decisionOf(one), one })),
          seconds * 1000,
        ),
      )
      .sort((a, b) => b.length - a.length)[0] ?? [];
  const shown = fullest.length > requests ? fullest.map(({ one }) => one) : through;
  const spanMs = Math.max(...shown.map((one) => one.receivedAtMs)) - Math.min(...shown.map((one) => one.sentAtMs));
  const often = looks.length > 1 ? `, seen in ${looks.length} separate bursts` : '';
  return [
    {
      exchanges: shown,
      came: `${shown.length} requests of ${shown[0]?.account} accepted within ${Math.round(spanMs)} ms${often}`,
    },
  ];
}

/** Requests of an account that were sent a window and a little after its last, and what went on besides. */
function spacedOf(evidence: Evidence, account: string): Array<{ exchange: Exchange; quiet: boolean }> {
  const windowMs = windowSeconds(evidence) * 1000;
  return evidence.exchanges.flatMap((exchange) => {
    if (exchange.account !== account || !isWhole(exchange)) return [];
    // Requests under way at the same time may have been decided before this one.
    const earlier = evidence.exchanges.filter((one) => one !== exchange && one.sentAtMs < exchange.receivedAtMs);
    const own = earlier.filter((one) => one.account === account);
    // What ran out of time may be decided at any later moment.
    const last = [...own].sort((a, b) => a.receivedAtMs - b.receivedAtMs).at(-1);
    const isSpaced =
      last !== undefined &&
      isFreeAgain(last, exchange, evidence) &&
      own.every((one) => one.receivedAtMs + windowMs <= exchange.sentAtMs && one.fault?.kind !== 'timeout');
    return isSpaced ? [{ exchange, quiet: isQuiet(exchange, evidence) }] : [];
  });
}

/** Whether a request found its account as free as its last one left it: let through, or refused for a time that is over. */
function isFreeAgain(last: Exchange, exchange: Exchange, evidence: Evidence): boolean {
  if (letThrough([last], evidence).length > 0) return true;
  const asked = waitAskedSeconds(last, evidence) ?? 0;
  return isWhole(last) && exchange.sentAtMs >= last.receivedAtMs + asked * 1000;
}

/** Whether nobody else's request was under way in the window before one: else its refusal may be about that. */
function isQuiet(exchange: Exchange, evidence: Evidence): boolean {
  const windowMs = windowSeconds(evidence) * 1000;
  return evidence.exchanges.every(
    (one) =>
      one === exchange ||
      (one.account === exchange.account && one.account !== null) ||
      one.sentAtMs >= exchange.receivedAtMs ||
      one.receivedAtMs + windowMs <= exchange.sentAtMs,
  );
}

export function rateIsNotStricter(evidence: Evidence): Finding {
  const spaced = accountsOf(evidence).flatMap((account) => spacedOf(evidence, account));
  const known = spaced.map(({ exchange }) => exchange).filter((one) => isAccepted(one) || isRefused(one, evidence));
  if (known.length === 0)
    return notTested(whyNot(evidence, 'together', 'no two requests of one account were a window apart'));
  const breaches = accountsOf(evidence).flatMap((account) => {
    const refused = refusedAlone(evidence, account);
    // One may be chance.
    if (refused.length < 2) return [];
    const came = `${refused.length} requests of ${account} refused, each more than ${windowSeconds(evidence)} s after the one before`;
    return [{ exchanges: refused, came }];
  });
  return judged(known, breaches);
}

/**
 * Requests refused though they kept their distance, with nobody else busy: a refusal while others are may be about
 * them (rate.per-user, rate.keyless-free).
 */
function refusedAlone(evidence: Evidence, account: string): Exchange[] {
  return spacedOf(evidence, account).flatMap(({ exchange, quiet }) =>
    quiet && isRefused(exchange, evidence) ? [exchange] : [],
  );
}

export function limitIsHonest(evidence: Evidence): Finding {
  const bearing = evidence.exchanges.filter((one) => rateHeaderOf(one, 'Limit') !== null);
  if (bearing.length === 0)
    return notTested('No response carried a well-formed X-RateLimit-Limit (rate.headers-present, rate.limit-format).');
  const breaches: Breach[] = [];
  for (const account of accountsOf(evidence)) {
    const own = bearing.filter((one) => one.account === account);
    const other = own.find((one) => rateHeaderOf(one, 'Limit') !== rateHeaderOf(own[0] as Exchange, 'Limit'));
    if (other && own[0]) {
      breaches.push({
        exchanges: [own[0], other],
        came: `X-RateLimit-Limit: ${rateHeaderOf(own[0], 'Limit')} and then ${rateHeaderOf(other, 'Limit')} for ${account}`,
      });
      continue;
    }
    const named = own[0] ? rateHeaderOf(own[0], 'Limit') : null;
    const looks = looksOf(evidence, 'sequence', account);
    const over = named === null ? [] : overRate(looks, evidence, named);
    breaches.push(...over.map((breach) => ({ ...breach, came: `X-RateLimit-Limit: ${named}, but ${breach.came}` })));
    breaches.push(...grantedTooFew(looks, evidence, account));
  }
  return judged(bearing, breaches);
}

function grantedTooFew(looks: Exchange[][], evidence: Evidence, account: string): Breach[] {
  const shares = looks.flatMap((look) => shareGranted(look, evidence) ?? []);
  // A first request that is refused at once is late recovery, not a smaller limit.
  const short = shares.filter(({ granted, named }) => granted > 0 && granted < named);
  const first = short[0];
  if (!first || short.length < 2) return [];
  return [
    {
      exchanges: short.map(({ refusal }) => refusal),
      came: `X-RateLimit-Limit: ${first.named}, but request ${first.granted + 1} of ${account} was refused, in ${short.length} fresh windows`,
    },
  ];
}

export function remainingIsHonest(evidence: Evidence): Finding {
  const bearing = evidence.exchanges.filter((one) => one.account !== null && rateHeaderOf(one, 'Remaining') !== null);
  if (bearing.length === 0) return notTested('No response to a valid key carried a well-formed X-RateLimit-Remaining.');
  const breaches: Breach[] = bearing
    .filter((one) => isRefused(one, evidence) && rateHeaderOf(one, 'Remaining') !== 0)
    .map((one) => ({
      exchanges: [one],
      came: `a refusal with X-RateLimit-Remaining: ${rateHeaderOf(one, 'Remaining')}`,
    }));
  for (const account of accountsOf(evidence)) {
    const looks = looksOf(evidence, 'sequence', account);
    const wrong = looks.flatMap((look) => miscounted(look, evidence, leastGranted(looks, evidence)));
    const certain = wrong.filter(({ span }) => span === null);
    const spans = wrong.flatMap(({ span }) => span ?? []);
    const unexplained =
      spans.length > 0 && !isExplainedByBoundaries(spans, windowSeconds(evidence) * 1000) ? wrong : certain;
    breaches.push(
      ...unexplained.map(({ exchange, said, due }) => ({
        exchanges: [exchange],
        came: `X-RateLimit-Remaining: ${said} where ${due} were left`,
      })),
    );
    breaches.push(...looks.flatMap((look) => brokenPromises(look, evidence)));
  }
  return judged(bearing, breaches);
}

/** A request refused right after a response that said there were some left. */
function brokenPromises(look: Exchange[], evidence: Evidence): Breach[] {
  return look.flatMap((exchange, i) => {
    const next = look[i + 1];
    const left = rateHeaderOf(exchange, 'Remaining');
    if (!next || !left || isRefused(exchange, evidence) || !isWhole(next) || !isRefused(next, evidence)) return [];
    return [{ exchanges: [exchange, next], came: `X-RateLimit-Remaining: ${left}, and the next request was refused` }];
  });
}

export function resetIsHonest(evidence: Evidence): Finding {
  const bearing = evidence.exchanges.filter((one) => one.account !== null && rateHeaderOf(one, 'Reset') !== null);
  if (bearing.length === 0) return notTested('No response to a valid key carried a well-formed X-RateLimit-Reset.');
  const breaches: Breach[] = [];
  for (const exchange of bearing) {
    const ahead = secondsAhead(rateHeaderOf(exchange, 'Reset') ?? 0, exchange, evidence);
    if (ahead !== null && ahead > longestSeconds(evidence) && ahead <= DAY_SECONDS) {
      breaches.push({
        exchanges: [exchange],
        came: `X-RateLimit-Reset lies ${Math.round(ahead)} s ahead, where a window has ${windowSeconds(evidence)} s`,
      });
    }
  }
  const late = accountsOf(evidence).map((account) => refusedAfterReset(evidence, account));
  breaches.push(...late.filter((ofAccount) => ofAccount.length > 1).flat());
  return judged(bearing, breaches);
}

/** Refusals that came after the server's clock had passed the Reset of a response, with nothing accepted since. */
function refusedAfterReset(evidence: Evidence, account: string): Breach[] {
  const own = evidence.exchanges.filter((one) => one.account === account);
  const breaches: Breach[] = [];
  for (const exchange of own.filter((one) => isWhole(one) && isRefused(one, evidence))) {
    const clock = serverClockAtLeast(exchange.sentAtMs, own);
    // What was, or may have been, accepted last began a window of its own, which may reach beyond earlier Resets.
    const renewed = own.filter(
      (one) =>
        one !== exchange &&
        one.sentAtMs < exchange.receivedAtMs &&
        (!isWhole(one) || letThrough([one], evidence).length > 0),
    );
    const last = renewed.sort((a, b) => a.receivedAtMs - b.receivedAtMs).at(-1);
    if (
      clock === null ||
      !isQuiet(exchange, evidence) ||
      (last && (last.receivedAtMs > exchange.sentAtMs || !isWhole(last)))
    )
      continue;
    const promise = own.find((one) => {
      const isSince =
        one.receivedAtMs <= exchange.sentAtMs && (!last || one === last || one.sentAtMs >= last.receivedAtMs);
      const reset = isSince && isWhole(one) ? rateHeaderOf(one, 'Reset') : null;
      const ahead = reset === null ? null : secondsAhead(reset, one, evidence);
      return reset !== null && ahead !== null && ahead >= -ROUNDING_SECONDS && clock >= reset + ROUNDING_SECONDS;
    });
    if (promise)
      breaches.push({
        exchanges: [promise, exchange],
        came: `refused although X-RateLimit-Reset: ${rateHeaderOf(promise, 'Reset')} had passed`,
      });
  }
  return breaches;
}

/** A recovery and the refusal whose Retry-After it waited for. */
function recoveriesOf(
  evidence: Evidence,
  account: string,
): Array<{ refusal: Exchange; recovery: Exchange; asked: number | null }> {
  return looksOf(evidence, 'recovery', account).flatMap((look) => {
    const recovery = look[0];
    const refusal = evidence.exchanges
      .filter(
        (one) =>
          recovery && one.account === account && one.receivedAtMs <= recovery.sentAtMs && isRefused(one, evidence),
      )
      .sort((a, b) => a.receivedAtMs - b.receivedAtMs)
      .at(-1);
    return recovery && refusal ? [{ refusal, recovery, asked: waitAskedSeconds(refusal, evidence) }] : [];
  });
}

export function retryAfterIsHonest(evidence: Evidence): Finding {
  const refusals = refusalsOf(evidence).filter(isWhole);
  if (refusals.length === 0) return notTested(NO_REFUSAL);
  const asking = refusals.filter((one) => retryAfterOf(one) !== null);
  if (asking.length === 0)
    return notTested(
      'No refusal carried a well-formed Retry-After (rate.retry-after-present, rate.retry-after-format).',
    );
  const breaches: Breach[] = asking.flatMap((one) => {
    const asked = waitAskedSeconds(one, evidence);
    const allowed = longestSeconds(evidence) + (retryAfterOf(one)?.form === 'date' ? ROUNDING_SECONDS : 0);
    return asked !== null && asked > allowed
      ? [
          {
            exchanges: [one],
            came: `Retry-After: ${valuesOf(one, 'Retry-After')[0]} asks for ${Math.round(asked)} s, where a window has ${windowSeconds(evidence)} s`,
          },
        ]
      : [];
  });
  for (const account of accountsOf(evidence)) {
    const early = recoveriesOf(evidence, account).filter(
      ({ refusal, recovery, asked }) =>
        asked !== null &&
        isQuiet(recovery, evidence) &&
        recovery.sentAtMs >= refusal.receivedAtMs + asked * 1000 &&
        isWhole(recovery) &&
        isRefused(recovery, evidence),
    );
    if (early.length < 2) continue;
    breaches.push({
      exchanges: early.flatMap(({ refusal, recovery }) => [refusal, recovery]),
      came: `refused again ${Math.round((early[0] as (typeof early)[0]).recovery.sentAtMs - (early[0] as (typeof early)[0]).refusal.receivedAtMs)} ms after Retry-After: ${valuesOf((early[0] as (typeof early)[0]).refusal, 'Retry-After')[0]}, with nothing sent meanwhile, ${early.length} times`,
    });
  }
  return judged(asking, breaches);
}

export function retryAfterAgreesWithReset(evidence: Evidence): Finding {
  const refusals = refusalsOf(evidence).filter(isWhole);
  if (refusals.length === 0) return notTested(NO_REFUSAL);
  const both = refusals.filter(
    (one) => retryAfterOf(one) !== null && rateHeaderOf(one, 'Reset') !== null && resetIsTime(one, evidence),
  );
  return each(both, 'No refusal carried both Retry-After and X-RateLimit-Reset in form.', (one) => {
    const asked = retryAfterOf(one);
    const reset = rateHeaderOf(one, 'Reset') ?? 0;
    const now = answeredAt(one, evidence).epochSeconds;
    const moment = asked?.form === 'date' ? asked.epochSeconds : now + (asked?.seconds ?? 0);
    if (asked?.form === 'seconds' && secondsAhead(reset, one, evidence) === null) return null;
    const apart = Math.abs(moment - reset);
    return apart > longestSeconds(evidence)
      ? `Retry-After: ${valuesOf(one, 'Retry-After')[0]} and X-RateLimit-Reset: ${reset} lie ${Math.round(apart)} s apart`
      : null;
  });
}

/** Whether Reset is a time at all; another unit is for rate.reset-format. */
function resetIsTime(exchange: Exchange, evidence: Evidence): boolean {
  const reset = rateHeaderOf(exchange, 'Reset') ?? 0;
  return Math.abs(reset - answeredAt(exchange, evidence).epochSeconds) <= DAY_SECONDS;
}

export function budgetsAreEachUsersOwn(evidence: Evidence): Finding {
  if (accountsOf(evidence).length < 2)
    return notTested('Declare a second account in the target file: while one is refused, another is asked.');
  const meetings = accountsOf(evidence).flatMap((account) => meetingsOf(evidence, account));
  if (meetings.length === 0) {
    return notTested(
      refusalsOf(evidence).length === 0 ? NO_REFUSAL : 'No account was asked while another was refused.',
    );
  }
  // Who is refused without a neighbour too is not refused because of one.
  const refused = meetings.filter(
    ({ asked }) => isRefused(asked, evidence) && refusedAlone(evidence, asked.account ?? '').length === 0,
  );
  const breaches =
    refused.length < 2
      ? []
      : refused.slice(0, 1).map(({ asked, other }) => ({
          exchanges: [asked, other],
          came: `${asked.account} refused while ${other.account} was, though its own budget was whole, ${refused.length} times`,
        }));
  return judged(
    meetings.flatMap(({ asked, other }) => [asked, other]),
    breaches,
  );
}

/** Requests with a whole budget of their own, shortly after another account was refused, or while it had to queue. */
function meetingsOf(evidence: Evidence, account: string): Array<{ asked: Exchange; other: Exchange }> {
  const windowMs = windowSeconds(evidence) * 1000;
  const keyed = evidence.exchanges.filter((one) => one.account !== null);
  return keyed.flatMap((asked) => {
    if (asked.account !== account || !isWhole(asked) || !(isAccepted(asked) || isRefused(asked, evidence))) return [];
    const near = keyed.filter(
      (one) => one !== asked && one.sentAtMs < asked.receivedAtMs && one.receivedAtMs > asked.sentAtMs - windowMs,
    );
    if (near.some((one) => one.account === account)) return [];
    const own = keyed.filter((one) => one.account === account && one.receivedAtMs <= asked.sentAtMs);
    const last = own.sort((a, b) => a.receivedAtMs - b.receivedAtMs).at(-1);
    const isUndisturbed = own.every((one) => one.fault === null) && !keylessNear(asked, evidence);
    // A first read may find what an earlier run left, and a refusal may keep one out for longer than a window:
    // then its neighbour says nothing.
    const mayBlame = isUndisturbed && last !== undefined && isFreeAgain(last, asked, evidence);
    if (isRefused(asked, evidence) && !mayBlame) return [];
    const other = near.find(
      (one) =>
        (one.receivedAtMs <= asked.sentAtMs && (isRefused(one, evidence) || isRefused(asked, evidence))) ||
        isHeldBack(one, asked, windowMs),
    );
    return other ? [{ asked, other }] : [];
  });
}

function keylessNear(asked: Exchange, evidence: Evidence): boolean {
  const windowMs = windowSeconds(evidence) * 1000;
  return evidence.exchanges.some(
    (one) => one.account === null && one.sentAtMs < asked.receivedAtMs && one.receivedAtMs > asked.sentAtMs - windowMs,
  );
}

/** Whether a request had to queue all the while that another account's was answered at once. */
function isHeldBack(one: Exchange, asked: Exchange, windowMs: number): boolean {
  const isMeanwhile = one.sentAtMs < asked.sentAtMs && one.receivedAtMs > asked.receivedAtMs;
  return isAccepted(one) && isMeanwhile && isLate(one, windowMs) && !isLate(asked, windowMs);
}

/** Answered so late that it had to wait for budget. */
function isLate(exchange: Exchange, windowMs: number): boolean {
  return exchange.receivedAtMs - exchange.sentAtMs > windowMs / 2;
}

export function pathsShareOneBudget(evidence: Evidence): Finding {
  const windowMs = windowSeconds(evidence) * 1000;
  const pairs = accountsOf(evidence).map((account) => pathPairs(evidence, account));
  const seen = pairs.flat(2);
  if (seen.length === 0)
    return notTested(whyNot(evidence, 'paths', 'No request to / could follow one to /webhooks that was accepted.'));
  const tells = (second: Exchange) => isAccepted(second) || isRefused(second, evidence) || isLate(second, windowMs);
  if (!pairs.flat().some(([, second]) => tells(second))) {
    const [first] = pairs.flat();
    return notTested(
      `GET on the base path is answered with ${first ? statusOf(first[1]) : 'nothing'}, refused or not, so it cannot be seen to use up a budget.`,
    );
  }
  const breaches = pairs.flatMap((ofAccount): Breach[] => {
    const spans = ofAccount
      .filter((pair) => drewTwice(pair, evidence))
      .map(([first, second]) => ({ fromMs: first.sentAtMs, toMs: second.receivedAtMs }));
    if (spans.length < 2 || isExplainedByBoundaries(spans, windowMs)) return [];
    const both = ofAccount.flat();
    const spanMs = Math.round((spans[0]?.toMs ?? 0) - (spans[0]?.fromMs ?? 0));
    return [
      {
        exchanges: both,
        came: `/webhooks and / of ${both[0]?.account} drew on budgets of their own, within ${spanMs} ms, ${spans.length} times`,
      },
    ];
  });
  return judged(seen, breaches);
}

/**
 * Whether two requests right after each other, one to each path, seem to draw on two budgets: both accepted where
 * the rate allows one, or the second leaves as many as the first where it allows more.
 */
export function drewTwice([first, second]: [Exchange, Exchange], evidence: Evidence): boolean {
  const { requests, seconds } = evidence.target.rate;
  const isClose = second.receivedAtMs - first.sentAtMs < (seconds * 1000) / requests;
  // Where refusals look like success, this may be one.
  if (!isClose || !isAccepted(second) || refusalStatuses(evidence).has(statusOf(second))) return false;
  if (requests === 1) return true;
  const [left, then] = [rateHeaderOf(first, 'Remaining'), rateHeaderOf(second, 'Remaining')];
  return left !== null && then !== null && left > 0 && then >= left;
}

/** A request to /webhooks that was let through, and the one to / right after it. */
export function pathPairs(evidence: Evidence, account: string): Array<[Exchange, Exchange]> {
  return evidence.exchanges.flatMap((second): Array<[Exchange, Exchange]> => {
    if (
      second.account !== account ||
      groupOf(second.probe) !== 'paths' ||
      !second.request.url.endsWith('/') ||
      !isWhole(second)
    )
      return [];
    const first = evidence.exchanges
      .filter((one) => one.account === account && one.receivedAtMs <= second.sentAtMs)
      .at(-1);
    return first && letThrough([first], evidence).length > 0 ? [[first, second]] : [];
  });
}

export function keylessRequestsAreFree(evidence: Evidence): Finding {
  const accounts = accountsOf(evidence);
  const reads = of(evidence, 'together').filter(isWhole);
  if (reads.length === 0) return notTested(whyNot(evidence, 'together', BROKEN));
  const again = reads.filter((one) => !one.probe.endsWith('/1'));
  const refused = again.filter((one) => isRefused(one, evidence) && isFirstOfItsLook(one, evidence));
  const before = of(evidence, 'keyless');
  const breaches = accounts.flatMap((account) => {
    const own = refused.filter((one) => one.account === account);
    return own.length < 2
      ? []
      : [
          {
            exchanges: own,
            came: `the first request of ${account} in its window refused right after requests without a valid key, ${own.length} times`,
          },
        ];
  });
  return judged([...before, ...reads], breaches);
}

function isFirstOfItsLook(exchange: Exchange, evidence: Evidence): boolean {
  return evidence.exchanges.find((one) => one.probe === exchange.probe) === exchange;
}

export function refusalIsWholeAndEmpty(evidence: Evidence): Finding {
  const refusals = refusalsOf(evidence);
  if (refusals.length === 0) return notTested(NO_REFUSAL);
  const breaches = refusals.flatMap((one) => {
    const wrong = wrongRefusal(one);
    return wrong === null ? [] : [{ exchanges: [one], came: wrong }];
  });
  return judged(refusals, breaches);
}

function wrongRefusal(exchange: Exchange): string | null {
  if (exchange.fault) return `a request of a burst was not answered: the server ${exchange.fault.message}`;
  const status = statusOf(exchange);
  if (isAccepted(exchange)) return `${status} without the settings, which looks like success`;
  if (status !== 503 && (status < 400 || status > 499)) return `${status}`;
  const asIfAccepted = { ...exchange, response: exchange.response && { ...exchange.response, status: 200 } };
  return servesSettings(asIfAccepted) ? `${status} with the settings in its body` : null;
}

export function refusalIs429(evidence: Evidence): Finding {
  const refusals = refusalsOf(evidence);
  const proper = refusals.filter((one) => wrongRefusal(one) === null);
  const none = refusals.length === 0 ? NO_REFUSAL : 'No refusal was a proper one: mend rate.refusal first.';
  return each(proper, none, (one) => (statusOf(one) === 429 ? null : `${statusOf(one)}`));
}

/** The rate clauses about the counts in the headers: that Limit and Remaining are true (API description, section 8). */

import { nameOf } from '../../catalogue/probe';
import { groupedBy } from '../../common/grouped';
import { plural } from '../../common/plural';
import { longestMemoryMs } from '../../contract/bounds';
import { saidBy } from '../../evidence/http/headers';
import { once } from '../../evidence/memoize';
import type { Evidence, Exchange } from '../../evidence/model';
import { isRefused, isWhole } from '../../evidence/responder/classify';
import { isHeldBack, isQueue } from '../../evidence/responder/queueing';
import { isAtTheBase } from '../../evidence/select';
import { besides } from '../../evidence/time/in-flight';
import { drawsOnTwo, isLimitKept, isOverRate } from '../../limiter/kept';
import { countsTruly } from '../../limiter/remaining';
import { isStricter, oddSingles } from '../../limiter/stricter';
import {
  type Answered,
  accountsOf,
  areApart,
  areApartInTime,
  areExplained,
  isDescribed,
  isUndisturbed,
  oddRefusals,
  timelineOf,
  userOf,
} from '../../limiter/timeline';
import { answerFlaw, type Breach, flawIn, judged, notTested, type Rules } from '../finding';
import { freshWith, ofIdleAccounts, reportedLimit, shown } from './facts';
import { overRate } from './limit';

export const countRules: Rules = {
  'rate.limit-honest': {
    needs: ['sequence', 'concurrent'],
    ofAKeptLimit: true,
    judge(evidence) {
      const bearing = freshWith('limit', evidence);
      // Another client explains neither of these.
      const plain = [...changes(bearing), ...overstated(evidence)];
      if (plain.length > 0) return judged(bearing, plain);
      return ofIdleAccounts((_, accounts) => {
        const breaches = [...accounts.flatMap((name) => exceeded(evidence, name)), ...notGranted(evidence, accounts)];
        if (bearing.length === 0 && breaches.length === 0)
          return notTested(
            'No fresh response carried a well-formed X-RateLimit-Limit (rate.headers-present, rate.limit-format).',
          );
        return judged(bearing, breaches);
      })(evidence);
    },
  },

  'rate.remaining-honest': {
    needs: ['sequence'],
    ofAKeptLimit: true,
    judge(evidence) {
      const bearing = freshWith('remaining', evidence);
      if (bearing.length === 0)
        return notTested('No fresh response to a valid key carried a well-formed X-RateLimit-Remaining.');
      const onRefusals = bearing
        .filter((exchange) => isRefused(exchange, evidence) && saidBy(exchange).remaining !== 0)
        .map((exchange) => remainingBreach(`${saidBy(exchange).remaining} on a refusal`, '0', [exchange]));
      return ofIdleAccounts((_, accounts) =>
        judged(bearing, [...onRefusals, ...accounts.flatMap((name) => miscounted(evidence, name))]),
      )(evidence);
    },
  },
};

/** A Limit that changes, or that is not the same for all accounts. */
function changes(bearing: readonly Exchange[]): Breach[] {
  const [first] = bearing;
  const other = bearing.find((exchange) => saidBy(exchange).limit !== saidBy(first ?? exchange).limit);
  if (!first || !other) return [];
  const [named, then] = [first, other].map((exchange) => saidBy(exchange).limit);
  const got =
    first.account === other.account
      ? `${named} and then ${then} for ${first.account}`
      : `${named} for ${first.account}, and ${then} for ${other.account}`;
  return [{ ...flawIn('header', 'X-RateLimit-Limit', got, 'one limit'), exchanges: [first, other] }];
}

/** A Limit of which no limiter would have refused what was refused, whatever its shape and whoever else was there. */
function overstated(evidence: Evidence): Breach[] {
  const below = accountsOf(evidence).map((name) => [name, refusedBelowLimit(evidence, name)] as const);
  // What came at one moment may be an accident. A limiter is the same program for all accounts.
  if (
    !areApartInTime(
      below.flatMap(([, some]) => some),
      evidence,
    )
  )
    return [];
  return below
    .filter(([, refused]) => refused.length > 0)
    .map(([account, refused]) => {
      const got = `${reportedLimit(account, evidence)} for ${account}, but ${plural(refused.length, 'request')} ${refused.length === 1 ? 'was' : 'were'} refused or held back after fewer`;
      return {
        ...flawIn('header', 'X-RateLimit-Limit', got, 'as many as are accepted'),
        exchanges: shown(refused),
      };
    });
}

/**
 * Returns the refusals, and the answers that a queue held back, before which fewer requests were sent than the Limit. Of a
 * Limit that is not above the declared one, a client of the same key may have used a part.
 */
export function refusedBelowLimit(evidence: Evidence, account: string): Answered[] {
  return belowBy(evidence).get(account) ?? [];
}

const belowBy = once(
  (evidence: Evidence) => new Map(accountsOf(evidence).map((name) => [name, belowAnew(evidence, name)])),
);

function belowAnew(evidence: Evidence, account: string): Answered[] {
  const limit = reportedLimit(account, evidence);
  if (limit === null || limit <= evidence.target.rate.requests) return [];
  // Where more is let through than declared, windows may be longer than declared, too.
  const memoryMs = isLimitKept(evidence) ? longestMemoryMs(evidence.target.rate) : Number.POSITIVE_INFINITY;
  return timelineOf(evidence, account).filter(({ exchange, outcome }) => {
    if (!isWhole(exchange) || exchange.resent) return false;
    if (outcome !== 'refused' && !isHeldBack(exchange, evidence)) return false;
    const isOfOthers = !isUndisturbed(exchange, evidence, memoryMs);
    return (
      besides(exchange, evidence, memoryMs).filter((other) => isOfOthers || other.account === account).length < limit
    );
  });
}

/** A Limit above which requests were accepted. */
function exceeded(evidence: Evidence, account: string): Breach[] {
  const limit = reportedLimit(account, evidence);
  if (limit === null) return [];
  const groups = isOverRate(evidence, 'concurrent', account)
    ? (['sequence'] as const)
    : (['sequence', 'concurrent'] as const);
  return groups
    .flatMap((group) => overRate(evidence, group, account, limit))
    .map(({ got, exchanges }) => ({
      ...flawIn('header', 'X-RateLimit-Limit', `${limit} for ${account}, but ${got}`, 'as many as are accepted'),
      exchanges,
    }));
}

/** A Limit of which less is granted: a smaller limiter, the same for all accounts, explains what was accepted. */
function notGranted(evidence: Evidence, accounts: readonly string[]): Breach[] {
  if (isStricter(evidence) || isQueue(evidence)) return [];
  const odd = accounts.map((name) => refusedWithin(evidence, name));
  const ofEmpty = odd.map((some) => some.filter((each) => isOfEmptyBurst(each, evidence)));
  const short = odd.flat().filter((each) => !isOfEmptyBurst(each, evidence));
  if (areApartInTime(short, evidence) && isLessGranted(evidence, accounts))
    return [...groupedBy(short, ({ exchange }) => exchange.account ?? '')].map(([account, refused]) =>
      shortBreach(account, refused, evidence),
    );
  // Of one key alone, another client explains a whole burst that is refused.
  const isOfSeveral = ofEmpty.filter(({ length }) => length > 0).length > 1;
  if (!isOfSeveral || !areApartInTime(ofEmpty.flat(), evidence)) return [];
  const bursts = [...groupedBy(ofEmpty.flat(), ({ exchange }) => nameOf(exchange.probe)).values()];
  const got = `none of ${bursts[0]?.length} requests at one moment was accepted, in ${bursts.length} fresh windows`;
  return [{ ...answerFlaw(got, 'as many as the limit says'), exchanges: shown(ofEmpty.flat()) }];
}

/** The refusals that no limiter of the reported limit decides, other than of requests that kept their distance. */
function refusedWithin(evidence: Evidence, account: string): Answered[] {
  const limit = reportedLimit(account, evidence) ?? evidence.target.rate.requests;
  const spaced = new Set(oddSingles(evidence, account));
  return oddRefusals(evidence, account, limit).filter(
    (each) => !spaced.has(each) && (!each.isAlone || limit > 1) && isUndisturbed(each.exchange, evidence),
  );
}

/** Whether nothing of a burst was let in, unlike what its account asked next. */
function isOfEmptyBurst({ exchange, fromMs, toMs }: Answered, evidence: Evidence): boolean {
  const own = timelineOf(evidence, exchange.account ?? '');
  const burst = own.filter((other) => other.fromMs < toMs && other.toMs > fromMs);
  const endMs = Math.max(...burst.map((other) => other.toMs));
  const next = own.find((other) => other.fromMs >= endMs);
  return burst.length > 1 && burst.every(({ outcome }) => outcome === 'refused') && next?.outcome === 'accepted';
}

function isLessGranted(evidence: Evidence, accounts: readonly string[]): boolean {
  const { rate } = evidence.target;
  const most = Math.max(...accounts.map((name) => reportedLimit(name, evidence) ?? rate.requests));
  const users = accountsOf(evidence).map((name) => ({ ...userOf(timelineOf(evidence, name)), refused: [] }));
  return Array.from({ length: Math.max(0, most - 1) }, (_, i) => most - 1 - i).some((requests) =>
    users.every((user) => areExplained(user, evidence, { ...rate, requests })),
  );
}

function shortBreach(account: string, refused: readonly Answered[], evidence: Evidence): Breach {
  const own = timelineOf(evidence, account);
  const limit = reportedLimit(account, evidence) ?? evidence.target.rate.requests;
  const trials = [...groupedBy(refused, ({ exchange }) => nameOf(exchange.probe)).values()];
  const granted = trials.map(([first]) => {
    const before = own.filter((each) => first && each.fromMs < first.toMs && each.outcome === 'accepted');
    return before.filter(
      (each) =>
        each.exchange.probe.trial === first?.exchange.probe.trial &&
        each.exchange.probe.group === first.exchange.probe.group,
    ).length;
  });
  const most = Math.max(...granted);
  const got = `${limit} for ${account}, but request ${most + 1} was refused, in ${trials.length} fresh windows`;
  const firsts = trials.flatMap(([first]) => first ?? []);
  return { ...flawIn('header', 'X-RateLimit-Limit', got, String(most)), exchanges: shown(firsts) };
}

/** What an account's answers say that no limiter counts. */
function miscounted(evidence: Evidence, account: string): Breach[] {
  if (isQueue(evidence)) return [];
  const { rate } = evidence.target;
  const limit = reportedLimit(account, evidence) ?? rate.requests;
  const own = timelineOf(evidence, account).filter(({ exchange }) => isDescribed(exchange, evidence));
  // Where more is let through than the rate allows, only what no limiter at all says is wrong.
  if (!isLimitKept(evidence)) {
    const whole = Math.max(limit, rate.requests);
    const wrong = own.filter(({ outcome, left }) => outcome === 'accepted' && (left ?? 0) >= whole);
    return wrong.map(({ exchange, left }) =>
      remainingBreach(`${left} where ${whole - 1} were left`, String(whole - 1), [exchange]),
    );
  }
  const isTrue = trueOf(evidence, account, limit);
  if (isTrue(own)) return [];
  const byPath = [true, false].map((atBase) => own.filter(({ exchange }) => isAtTheBase(exchange) === atBase));
  if (drawsOnTwo(evidence, account) && byPath.every(isTrue)) return [];
  return [untrueAmong(own, isTrue, limit)];
}

/** Returns whether some limiter counts down as these answers say. */
function trueOf(evidence: Evidence, account: string, limit: number): (own: readonly Answered[]) => boolean {
  const { rate } = evidence.target;
  // rate.limit-honest judges a limit named wrongly or granted short, so any of these may be counted down from.
  const totals = [...new Set([limit, ...Array.from({ length: rate.requests }, (_, i) => i + 1)])];
  // Accounts that may share a budget use up each other's.
  const others = accountsOf(evidence)
    .filter((name) => name !== account && !areApart(account, name, evidence))
    .flatMap((name) => userOf(timelineOf(evidence, name)).charged);
  return (own) => {
    const { accepted, charged } = userOf(own);
    return totals.some((total) => {
      const counted = { ...rate, requests: Math.min(total, rate.requests) };
      const user = { accepted, refused: [], charged: [...charged, ...others] };
      return areExplained(user, evidence, counted, { also: countsTruly(total, rate) });
    });
  };
}

/** The breach in the first answers that no limiter gives together. */
function untrueAmong(own: readonly Answered[], isTrue: (some: readonly Answered[]) => boolean, limit: number): Breach {
  let [true_, untrue] = [0, own.length];
  while (untrue - true_ > 1) {
    const middle = (true_ + untrue) >> 1;
    if (isTrue(own.slice(0, middle))) true_ = middle;
    else untrue = middle;
  }
  const last = own[untrue - 1] as Answered;
  const accepted = own.slice(0, untrue).filter(({ outcome }) => outcome === 'accepted');
  const beside = accepted.filter((each) => each.fromMs < last.toMs && each.toMs > last.fromMs);
  if (beside.length > 1) {
    const alike = beside.filter(({ left }) => left === last.left);
    const most = Math.max(...beside.map(({ left }) => left ?? 0));
    return alike.length > 1
      ? remainingBreach(
          `${last.left} on ${alike.length} of ${beside.length} answers to requests at one moment`,
          'a number of its own on each',
          shown(alike),
        )
      : remainingBreach(`at most ${most} on the answers to requests at one moment`, String(limit - 1), shown(beside));
  }
  const trial = accepted.filter(({ exchange }) => nameOf(exchange.probe) === nameOf(last.exchange.probe));
  const due = Math.max(0, limit - Math.max(1, trial.length));
  return remainingBreach(`${last.left} where ${due} were left`, String(due), [last.exchange]);
}

function remainingBreach(got: string, expected: string, exchanges: Exchange[]): Breach {
  return { ...flawIn('header', 'X-RateLimit-Remaining', got, expected), exchanges };
}

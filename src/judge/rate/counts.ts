/** The rate clauses about the truth of Limit and Remaining (API description, section 8). */
import { nameOf } from '../../catalogue/catalogue';
import { groupedBy, listed, plural } from '../../common/text';
import type { Rate } from '../../contract/bounds';
import { parsedHeaders } from '../../evidence/http/headers';
import { type Evidence, type Exchange, isAtTheBase } from '../../evidence/model';
import { isQueue } from '../../evidence/responder/queueing';
import { ACCIDENTS, drawsOnTwo, isLimitKept, isOverRate, refusedBelowLimit, trialsOf } from '../../limiter/enforced';
import { SLACK_MS } from '../../limiter/level';
import {
  areSkipsOfServer,
  countedOf,
  countsAsReported,
  mayShowOthers,
  refusesWithSomeLeft,
  reportedLimit,
  skipsOf,
} from '../../limiter/reported';
import { isBlock, isStricter, oddSingles } from '../../limiter/stricter';
import {
  type Answered,
  accountsOf,
  areApartInTime,
  areExplained,
  isOfEmptyBurst,
  isUndisturbed,
  oddRefusals,
  timelineOf,
  userOf,
  windowMsOf,
} from '../../limiter/timeline';
import { areBurstsSplit } from '../../limiter/worlds';
import { answerFlaw, type Breach, flawIn, judged, notTested, type Rules } from '../finding';
import { freshWith, notTestedForOthers, ofIdleAccounts, shown } from './facts';
import { overRate } from './limit';

export const countRules: Rules = {
  'rate.limit-honest': {
    needs: ['sequence', 'concurrent'],
    dependsOn: ['rate.headers-present', 'rate.limit-format'],
    ofAKeptLimit: true,
    judge(evidence) {
      const bearing = freshWith('limit', evidence);
      // Another client explains neither of these.
      const plain = [...changes(bearing), ...overstated(evidence)];
      if (plain.length > 0) return judged(bearing, plain);
      return ofIdleAccounts((_, accounts) => {
        const exceeding = accounts.flatMap((name) => exceeded(evidence, name));
        const short = notGranted(evidence, accounts);
        if (bearing.length === 0 && exceeding.length === 0 && (short === 'unsettled' || short.length === 0))
          return notTested('No fresh response carried a well-formed X-RateLimit-Limit.');
        if (short !== 'unsettled') return judged(bearing, [...exceeding, ...short]);
        return exceeding.length > 0 ? judged(bearing, exceeding) : notTestedForOthers(evidence);
      })(evidence);
    },
  },

  'rate.remaining-honest': {
    needs: ['sequence'],
    dependsOn: ['rate.headers-present', 'rate.remaining-format'],
    ofAKeptLimit: true,
    judge(evidence) {
      const bearing = freshWith('remaining', evidence);
      if (bearing.length === 0)
        return notTested('No fresh response to a valid key carried a well-formed X-RateLimit-Remaining.');
      const onRefusals = accountsOf(evidence)
        .flatMap((name) => wrongOnRefusals(evidence, name))
        .map(({ exchange, left }) => remainingBreach(`${left} on a refusal`, '0', [exchange]));
      const counts = accountsOf(evidence).map((name) => ({ name, ...miscounted(evidence, name) }));
      // Another client only lowers budgets. It explains no Remaining above what was left, and none below what was granted.
      const wrong = [...onRefusals, ...counts.flatMap(({ breaches, isLess }) => (isLess ? [] : breaches))];
      return ofIdleAccounts((_, accounts) => {
        const less = counts.filter(({ name, isLess }) => isLess && accounts.includes(name));
        // Another client of one key may have used up what its answers do not report.
        const isOpen = less.length === 1 || (less.length === 0 && notGranted(evidence, accounts) === 'unsettled');
        if (isOpen && wrong.length === 0) return notTestedForOthers(evidence);
        return judged(bearing, [...wrong, ...less.flatMap(({ breaches }) => breaches)]);
      })(evidence);
    },
  },
};

/** The breach of a Limit that changes or differs between accounts. */
function changes(bearing: readonly Exchange[]): Breach[] {
  const [first] = bearing;
  const other = bearing.find((exchange) => parsedHeaders(exchange).limit !== parsedHeaders(first ?? exchange).limit);
  if (!first || !other) return [];
  const [named, then] = [first, other].map((exchange) => parsedHeaders(exchange).limit);
  const got =
    first.account === other.account
      ? `${named} and then ${then} for ${first.account}`
      : `${named} for ${first.account}, and ${then} for ${other.account}`;
  return [{ ...flawIn('header', 'X-RateLimit-Limit', got, 'one limit'), exchanges: [first, other] }];
}

/** The breach of a Limit that is too high: no limiter of it would have refused these requests, whoever else used the key. */
function overstated(evidence: Evidence): Breach[] {
  const below = accountsOf(evidence).map((name) => [name, refusedBelowLimit(evidence, name)] as const);
  // A limiter is the same program for all accounts.
  if (below.flatMap(([, some]) => some).length <= ACCIDENTS) return [];
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

/** The breach of a Limit that is too low: more requests were accepted. */
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

/**
 * The breach of a Limit of which less is granted. Another client of one key explains that as well, unless a lower limit,
 * the same for all accounts, explains everything, or whole bursts of several keys were refused.
 */
function notGranted(evidence: Evidence, accounts: readonly string[]): Breach[] | 'unsettled' {
  if (isStricter(evidence) || isQueue(evidence) || !isLimitKept(evidence)) return [];
  const spaced = new Set(accounts.flatMap((name) => oddSingles(evidence, name)));
  const odd = accounts.flatMap((name) => refusedWithin(evidence, name)).filter((each) => !spaced.has(each));
  const ofEmpty = odd.filter((each) => isEmptyAtOnce(each, evidence));
  const short = odd.filter((each) => !ofEmpty.includes(each) && !isBegunByOthers(each, evidence));
  const limits = accounts.map((name) => reportedLimit(name, evidence) ?? evidence.target.rate.requests);
  const isGranted = (count: number) => {
    const atCount = short.filter((each) => grantedBefore(each, evidence).length === count);
    // Another client takes now more and now less, also of what a lower limit would grant.
    const fewer = accounts.flatMap((name) => refusedWithin(evidence, name, count));
    return areApartInTime(atCount, evidence) && fewer.length <= ACCIDENTS;
  };
  const granted = limitsInstead(evidence, Math.max(...limits)).find(isGranted);
  if (granted !== undefined)
    return [...groupedBy(short, ({ account }) => account)]
      .filter(([, own]) => own.length > 1)
      .map(([account, own]) => shortBreach(account, granted, own, evidence));
  const ofKeys = new Set(ofEmpty.map(({ account }) => account));
  // A block refuses no burst for being one, nor does a limiter that accepts a part of other bursts.
  const isForBeingOne = !isBlock(evidence) && !areBurstsSplit(evidence);
  if (ofKeys.size > 1 && isForBeingOne && areApartInTime(ofEmpty, evidence)) {
    const bursts = [...groupedBy(ofEmpty, ({ exchange }) => nameOf(exchange.probe)).values()];
    const got = `none of ${bursts[0]?.length} requests at one moment was accepted, in ${bursts.length} fresh windows`;
    return [{ ...answerFlaw(got, 'as many as the limit says'), exchanges: shown(ofEmpty) }];
  }
  return areApartInTime(odd, evidence) ? 'unsettled' : [];
}

/** Returns what was accepted of a trial before a refusal. */
function grantedBefore({ account, exchange, toMs }: Answered, evidence: Evidence): Answered[] {
  return timelineOf(evidence, account).filter(
    (each) =>
      each.outcome === 'accepted' && each.fromMs < toMs && nameOf(each.exchange.probe) === nameOf(exchange.probe),
  );
}

/**
 * Whether the only account began a trial with less than a whole budget, as reported, and was granted all of it. A client that
 * polls its key once a window takes the same each time, so a Limit that is too high wants a second account to be seen.
 */
function isBegunByOthers(refusal: Answered, evidence: Evidence): boolean {
  const [name = '', ...others] = accountsOf(evidence);
  const granted = grantedBefore(refusal, evidence);
  const left = Math.max(...granted.map((each) => each.left ?? 0));
  const whole = (reportedLimit(name, evidence) ?? 0) - 1;
  return others.length === 0 && left < whole && left + 1 <= granted.length;
}

/** The refusals that no limiter of a limit decides, by default of the reported one. */
function refusedWithin(evidence: Evidence, account: string, limit = reportedLimit(account, evidence)): Answered[] {
  const requests = limit ?? evidence.target.rate.requests;
  return oddRefusals(evidence, account, requests).filter(({ exchange }) => isUndisturbed(exchange, evidence));
}

/** Whether nothing of a burst was accepted, but the account's next request was. */
function isEmptyAtOnce(each: Answered, evidence: Evidence): boolean {
  const own = timelineOf(evidence, each.account);
  const burst = own.filter(({ fromMs, toMs }) => fromMs < each.toMs && toMs > each.fromMs);
  const endMs = Math.max(...burst.map(({ toMs }) => toMs));
  return isOfEmptyBurst(each, evidence) && own.find(({ fromMs }) => fromMs >= endMs)?.outcome === 'accepted';
}

/** The limits below the reported one that explain all that was accepted, the largest first; none if all was granted once. */
function limitsInstead(evidence: Evidence, limit: number): number[] {
  const { rate } = evidence.target;
  const accounts = accountsOf(evidence);
  const isOut = ({ outcome }: Answered) => outcome === 'refused';
  const untilRefused = (trial: readonly Answered[]) => trial.slice(0, Math.max(0, trial.findIndex(isOut)));
  const trials = accounts.flatMap((name) => {
    const bursts = trialsOf(evidence, 'concurrent', name);
    // During a slow sequence a window may end, so bursts show more.
    return bursts.length > 0 ? bursts : trialsOf(evidence, 'sequence', name).map(untilRefused);
  });
  if (trials.some((trial) => userOf(trial).accepted.length >= limit)) return [];
  const users = accounts.map((name) => ({ accepted: userOf(timelineOf(evidence, name)).accepted }));
  const explains = (instead: Rate) => users.every((user) => areExplained(user, evidence, instead));
  const less = Array.from({ length: Math.max(0, limit - 1) }, (_, i) => limit - 1 - i);
  // A limiter that grants fewer at one moment may still grant as many in a window, spread evenly.
  return less.filter((requests) => explains({ requests, seconds: (rate.seconds * requests) / limit }));
}

function shortBreach(account: string, granted: number, refused: readonly Answered[], evidence: Evidence): Breach {
  const limit = reportedLimit(account, evidence) ?? evidence.target.rate.requests;
  const windows = new Set(refused.map(({ exchange }) => nameOf(exchange.probe))).size;
  const got = `${limit} for ${account}, but request ${granted + 1} was refused, in ${plural(windows, 'fresh window')}`;
  return { ...flawIn('header', 'X-RateLimit-Limit', got, String(granted)), exchanges: shown(refused) };
}

/**
 * Returns the refusals of an account that do not report 0, unless a window of one limiter ended before each left: at a phase
 * that explains what was accepted, or a window after an accepted request.
 */
function wrongOnRefusals(evidence: Evidence, account: string): Answered[] {
  const own = timelineOf(evidence, account);
  const told = own.filter(refusesWithSomeLeft);
  const { accepted } = userOf(own);
  const windowMs = windowMsOf(evidence);
  const isAtAnEnd = ({ fromMs, toMs }: Answered) =>
    accepted.some((each) => each.fromMs + windowMs - SLACK_MS <= toMs && each.toMs + windowMs + SLACK_MS >= fromMs);
  const untold = accepted.map((each) => ({ ...each, left: null }));
  const isTrue = countsAsReported(evidence, account);
  return told.every(isAtAnEnd) || isTrue([...untold, ...told], { mayBeLess: true }) ? [] : told;
}

/** The breaches by answers that no limiter gives, and whether all of them report too little. */
function miscounted(evidence: Evidence, account: string): { breaches: Breach[]; isLess: boolean } {
  const none = { breaches: [], isLess: false };
  const { rate } = evidence.target;
  const limit = reportedLimit(account, evidence) ?? rate.requests;
  const own = countedOf(evidence, account);
  const isTrue = countsAsReported(evidence, account);
  const whole = Math.max(limit, rate.requests);
  // A window may have ended before an answer left, but not before each.
  const full = own.filter(({ outcome, left }) => outcome === 'accepted' && (left ?? 0) >= whole);
  const isOdd = isLimitKept(evidence) && !isTrue(full, { mayBeLess: true });
  const plain = full
    .filter(({ left }) => isOdd || (left ?? 0) > whole)
    .map(({ exchange, left }) =>
      remainingBreach(`${left} where ${whole - 1} were left`, String(whole - 1), [exchange]),
    );
  // In a queue, or where more is accepted than the rate allows, nothing else is known about what is left.
  if (plain.length > 0 || isQueue(evidence) || !isLimitKept(evidence)) return { breaches: plain, isLess: false };
  if (isTrue(own)) return none;
  const byPath = [true, false].map((atBase) => own.filter(({ exchange }) => isAtTheBase(exchange) === atBase));
  // A limiter is the same program for all accounts.
  const areTwo = accountsOf(evidence).some((name) => drawsOnTwo(evidence, name));
  if (areTwo && byPath.every((some) => isTrue(some))) return none;
  return {
    breaches: [untrueAmong(own, isTrue, limit, evidence)],
    // A client that leaves no budget to single requests may skip numbers each time.
    isLess:
      mayShowOthers(evidence, account) &&
      !(areSkipsOfServer(evidence, account) && oddSingles(evidence, account).length === 0),
  };
}

/** The breach by the first answers that no limiter gives together. A burst has no order, so its answers are shown together. */
function untrueAmong(
  own: readonly Answered[],
  isTrue: (some: readonly Answered[]) => boolean,
  limit: number,
  evidence: Evidence,
): Breach {
  let [fitting, untrue] = [0, own.length];
  while (untrue - fitting > 1) {
    const middle = (fitting + untrue) >> 1;
    if (isTrue(own.slice(0, middle))) fitting = middle;
    else untrue = middle;
  }
  const last = own[untrue - 1] as Answered;
  const accepted = own.slice(0, untrue).filter(({ outcome }) => outcome === 'accepted');
  const beside = accepted.filter((each) => each.toMs > last.fromMs);
  if (beside.length > 1) {
    const got = `${listed(beside.map(({ left }) => String(left)))} on the answers to requests at one moment`;
    return remainingBreach(got, `a number of its own on each, from ${limit - 1} down`, shown(beside));
  }
  const skip = skipsOf(evidence, last.account).find(({ to }) => to === last);
  if (skip) {
    const told = shown([skip.from, last]);
    return remainingBreach(
      `${last.left} right after ${skip.from.left}`,
      String((skip.from.left ?? 0) - skip.sent),
      told,
    );
  }
  const trial = accepted.filter(({ exchange }) => nameOf(exchange.probe) === nameOf(last.exchange.probe));
  const left = Math.max(0, limit - Math.max(1, trial.length));
  if (left === last.left) {
    const got = `${left} after ${plural(trial.length, 'accepted request')}, where X-RateLimit-Limit is ${limit}`;
    return remainingBreach(got, 'the number that is left', shown(trial));
  }
  return remainingBreach(`${last.left} where ${left} were left`, String(left), [last.exchange]);
}

function remainingBreach(got: string, expected: string, exchanges: Exchange[]): Breach {
  return { ...flawIn('header', 'X-RateLimit-Remaining', got, expected), exchanges };
}

/** The rate clauses about budgets: of users, of paths, and of requests without a key (API description, section 8). */
import { parsedHeaders } from '../../evidence/http/headers';
import { type Evidence, type Exchange, exchangesOf, isAtTheBase, whyNotSent } from '../../evidence/model';
import { isAccepted, isRefused, isWhole, statusOf } from '../../evidence/responder/classify';
import { bansOf, isVeiled } from '../../evidence/responder/guards';
import { isTurnedAway } from '../../evidence/responder/queueing';
import { spanOf } from '../../evidence/time/in-flight';
import {
  drawsOnTwo,
  fullest,
  isLimitKept,
  limitedAccounts,
  overtakenQueues,
  refusedForTheOtherPath,
  whenServed,
} from '../../limiter/enforced';
import { isStricter } from '../../limiter/stricter';
import {
  type Answered,
  accountsOf,
  areApart,
  areApartInTime,
  areExplained,
  isDescribed,
  timelineOf,
  userOf,
  windowMsOf,
} from '../../limiter/timeline';
import { type Encounter, encountersOf, isForBeingABurst, lateAlone, refusedAlone, WAITS } from '../../limiter/worlds';
import {
  isCharged,
  isUnsure,
  mayLackRoom,
  mayRepeat,
  readsAfterFloods,
  readsAfterWrongKeys,
  repeatedReads,
  trialsAfterWrongKeys,
} from '../../limiter/wrong-keys';
import { BROKEN, type Breach, type Finding, flawIn, judged, notTested, type Rules } from '../finding';
import { noRefusal, ofIdleAccounts, refusalsOf, shown } from './facts';

export const budgetRules: Rules = {
  'rate.per-user': {
    needs: ['sequence'],
    ofAKeptLimit: true,
    judge: ofIdleAccounts(areBudgetsOwn),
  },

  'rate.across-paths': { needs: ['paths'], ofAKeptLimit: true, judge: isOneBudget },

  'rate.keyless-free': {
    needs: ['together'],
    judge: ofIdleAccounts((evidence, accounts, everything) => {
      const reads = exchangesOf(evidence, 'together').filter(isWhole);
      const before = exchangesOf(evidence, 'keyless');
      if (reads.length === 0) return notTested(whyNotSent(evidence, 'together', BROKEN));
      if (before.length === 0) return notTested(whyNotSent(evidence, 'keyless', NO_WRONG_KEY));
      if (before.every((exchange) => isVeiled(exchange, evidence)))
        return notTested(
          'A guard answered all requests without a valid key, so whether the server charges them was not seen.',
        );
      // A wrong key that was accepted used up a budget. The auth clauses judge that.
      const letIn = new Set(before.filter(isAccepted).map((exchange) => exchange.probe.trial));
      if (reads.some((read) => isRefused(read, evidence)) && isStricter(evidence))
        return notTested(
          'Reads were refused after requests without a valid key, and rate.not-stricter is broken, which explains it: fix that first.',
        );
      const refused = chargedAccounts(evidence, accounts, letIn);
      const trials = trialsAfterWrongKeys(refused.length, new Set(reads.map(({ account }) => account)).size);
      const doubtful = refused.find(
        ({ account, own }) => own.length < trials || refusedAlone(evidence, account).length > 0,
      );
      if (doubtful && letIn.size === 0)
        return notTested(
          `The first request of ${doubtful.account} in its window was refused right after requests without a valid key, but another client of its key may be why: keep the key idle and run again.`,
        );
      if (refused.length > 0 && refused.every(({ own }) => own.every((read) => mayLackRoom(read, evidence))))
        return notTested(
          'Reads were refused right after requests without a valid key, but a limiter before authentication had room for hardly more: ask the operator to exempt this address from it while the suite runs.',
        );
      const breaches = (doubtful ? [] : refused).map(({ account, own }) => ({
        ...flawIn(
          'account',
          account,
          `its first request in its window ${howCharged(own, evidence)} right after requests without a valid key, ${own.length} times`,
          OWN_BUDGET,
        ),
        exchanges: own,
      }));
      const isUnseen = (account: string) => readsAfterFloods(evidence, account).length === 0;
      const unsure = accounts.filter((account) => isUnseen(account) || isUnsure(evidence, account));
      if (breaches.length === 0 && unsure.length > 0 && bansOf(everything).length > 0) return notTested(BANNED);
      // A limiter is the same program for all accounts.
      if (breaches.length === 0 && accounts.every(isUnseen)) return notTested(UNSEEN);
      // Where a limit is stricter or accounts share one, reads are not repeated.
      const wasRepeated = (account: string) => readsAfterWrongKeys(evidence, account).slice(0, -1).some(isAccepted);
      const often = unsure.find((account) => mayRepeat(evidence) && wasRepeated(account));
      if (breaches.length === 0 && often !== undefined)
        return notTested(
          `Each time ${often} was accepted after requests without a valid key, its window may have ended in between, as answers take long: run again, nearer to the server.`,
        );
      return judged([...before, ...reads], breaches);
    }),
  },
};

const NO_WRONG_KEY =
  'No wrong key was rejected right before these reads, so it was not seen whether wrong keys use up a budget: fix auth.unknown-key, or, if that passes, ask the operator to exempt this address from a defence against wrong keys.';

const UNSEEN =
  'A read right after requests without a valid key was not accepted, and too little was seen to show why: fix rate.per-user or rate.not-stricter if it fails, else run again.';

const BANNED =
  'This address was banned for its wrong keys, so it was not seen whether these use up a budget: ask the operator to exempt it from that defence while the suite runs.';

function areBudgetsOwn(evidence: Evidence, accounts: string[]): Finding {
  if (accounts.length < 2)
    return notTested({
      declare: 'Declare a second account in the target file: while one is refused, another is asked.',
    });
  const encounters = accounts.flatMap((name) => encountersOf(evidence, name));
  if (encounters.length === 0)
    return notTested(
      refusalsOf(evidence).length === 0
        ? noRefusal(evidence)
        : 'No account was asked while another was refused: fix auth.accepted if a key is not accepted, else run again.',
    );
  const all = encounters.flatMap(({ asked, others }) => [asked.exchange, ...others]);
  // An account that is also refused or late alone is not turned away because of another one.
  const alone = new Set(
    accounts.filter((name) => [...refusedAlone(evidence, name), ...lateAlone(evidence, name)].length > 0),
  );
  const turnedAway = encounters.filter(
    ({ asked }) =>
      isTurnedAway(asked.exchange, evidence) && !alone.has(asked.account) && !isForBeingABurst(asked, evidence),
  );
  if (turnedAway.length > 0 && limitedAccounts(evidence).length === 0)
    return notTested(
      'Accounts were refused while others were over their limit, but every account got more than the rate allows: fix rate.enforced first.',
    );
  const shared = refusedForOthers(evidence, accounts, turnedAway);
  if (shared === 'unsettled' && turnedAway.length === encounters.length) return notTested(SELDOM_BESIDE);
  if (shared === 'unsettled' || shared.length === 0) return judged(all, []);
  if (isStricter(evidence))
    return notTested(
      'Accounts were refused while others were over their limit. rate.not-stricter is broken, which explains it: fix that first.',
    );
  // A limiter is the same program for all accounts.
  if (accounts.some((name) => refusedAlone(evidence, name).length > 1))
    return notTested(
      'Accounts were refused while others were over their limit, and also while no other was. A smaller limit explains both.',
    );
  const [first] = shared;
  const other = first?.others[0];
  if (!first || !other) return judged(all, []);
  const how =
    first.asked.outcome === 'refused'
      ? `refused while ${other.account} was over its limit`
      : `held back right after ${other.account} was asked`;
  const got = `${how}, although its own budget was unused, ${shared.length} times`;
  const flaw = flawIn('account', first.asked.account, got, OWN_BUDGET);
  return judged(all, [{ ...flaw, exchanges: [other, first.asked.exchange] }]);
}

const SELDOM_BESIDE =
  'Whenever an account was asked beside others, it had to wait or was refused, but too seldom to show whether they are the reason: run again.';

/**
 * Returns requests turned away at two moments, if one budget of several accounts explains them and all that was accepted;
 * `unsettled` if it explains fewer of them.
 */
function refusedForOthers(
  evidence: Evidence,
  accounts: readonly string[],
  turnedAway: readonly Encounter[],
): Encounter[] | 'unsettled' {
  let isOpen = false;
  const pairs = accounts
    .flatMap((one, i) => accounts.slice(i + 1).map((other) => [one, other]))
    .filter(([one, other]) => !areApart(one ?? null, other ?? null, evidence));
  // Two pairs that may share a budget need not share one with each other. Where paths have their own, each is looked at alone.
  const groups = [[...new Set(pairs.flat())], ...pairs];
  const paths = accounts.some((name) => drawsOnTwo(evidence, name)) ? [isAtTheBase, isNotAtTheBase] : [() => true];
  for (const [group, isOf] of groups.flatMap((group) => paths.map((isOf) => [group, isOf] as const))) {
    const ofGroup = turnedAway
      .filter(({ asked }) => group.includes(asked.account) && isOf(asked.exchange))
      .map((each) => ({ ...each, others: each.others.filter(({ account }) => group.includes(account ?? '')) }))
      .filter(({ others }) => others.some(isOf));
    const asked = ofGroup.map((each) => each.asked);
    const refused = asked.filter(({ outcome }) => outcome === 'refused');
    const own = group
      .flatMap((name) => timelineOf(evidence, name))
      .filter(({ exchange }) => isOf(exchange))
      .map((each) => whenServed(each, evidence));
    const user = { ...userOf(own), refused };
    // A busy machine also delays answers, but not this often.
    const isNoDelay = refused.length > 0 || asked.length >= WAITS;
    if (asked.length === 0 || !areExplained(user, evidence)) continue;
    if (isNoDelay && areApartInTime(asked, evidence)) return ofGroup;
    isOpen = true;
  }
  return isOpen ? 'unsettled' : [];
}

const isNotAtTheBase = (exchange: Exchange) => !isAtTheBase(exchange);

function isOneBudget(evidence: Evidence): Finding {
  const accounts = accountsOf(evidence);
  const asked = accounts.flatMap((name) =>
    timelineOf(evidence, name).filter(({ exchange }) => PATH_GROUPS.includes(exchange.probe.group)),
  );
  const atBase = asked.filter(({ exchange }) => isAtTheBase(exchange) && isWhole(exchange));
  const [first] = atBase;
  if (!first)
    return notTested(
      whyNotSent(evidence, 'paths', 'No request to / could follow those to /webhooks that were accepted.'),
    );
  if (!atBase.some(({ outcome }) => outcome !== 'other'))
    return notTested(
      `GET on the base path is answered with ${statusOf(first.exchange)}, refused or not, so it cannot be seen to use up a budget.`,
    );
  const breaches = accounts
    .filter((name) => drawsOnTwo(evidence, name))
    .map((name): Breach => {
      const { accepted } = userOf(timelineOf(evidence, name).filter(({ exchange }) => isDescribed(exchange, evidence)));
      const [most = fullest(accepted, evidence.target.rate, windowMsOf(evidence))] = overtakenQueues(evidence, name);
      const exchanges = shown(most);
      const { fromMs, toMs } = spanOf(exchanges);
      const got = `/webhooks and / each had a budget of their own: ${exchanges.length} requests accepted within ${Math.round(toMs - fromMs)} ms`;
      return { ...flawIn('account', name, got, 'one budget for all paths'), exchanges };
    });
  if (breaches.length === 0 && isLimitKept(evidence) && !isSeenInEitherOrder(evidence, atBase))
    return notTested(
      accounts.some((name) => refusedForTheOtherPath(evidence, name).length > 0)
        ? 'Only one path was refused right after the other had used up the budget, and the other way round is not known: run again, nearer to the server if its answers take long.'
        : 'Each time there may have been budget again before the other path was asked: run again, nearer to the server if its answers take long.',
    );
  return judged(shown(asked), breaches);
}

const PATH_GROUPS: readonly string[] = ['paths', 'base-accepted'];

/**
 * Whether each path was refused after requests to the other one. Where several requests fit into a window, or both paths
 * were asked at one moment, one order is enough. A base path that serves nobody is only asked last.
 */
function isSeenInEitherOrder(evidence: Evidence, atBase: readonly Answered[]): boolean {
  const refused = accountsOf(evidence).flatMap((name) => refusedForTheOtherPath(evidence, name));
  const isServed = atBase.some(({ outcome }) => outcome === 'accepted');
  const areAtOneMoment = refused.some(({ isAlone }) => !isAlone);
  const isOneEnough = evidence.target.rate.requests > 1 || !isServed || areAtOneMoment;
  return isOneEnough ? refused.length > 0 : new Set(refused.map(({ exchange }) => isAtTheBase(exchange))).size > 1;
}

/**
 * Returns the accounts whose reads after wrong keys were turned away: each time, or, of several accounts, each time but for
 * one that the end of a window may have let in.
 * @param letIn the trials in which a request without a valid key was accepted
 */
function chargedAccounts(evidence: Evidence, accounts: readonly string[], letIn: ReadonlySet<number>) {
  const isTurned = (read: Exchange) => isCharged(read, evidence);
  const isAlways = ({ account }: { account: string }) => readsAfterWrongKeys(evidence, account).every(isTurned);
  const charged = accounts
    .map((account) => ({
      account,
      own: repeatedReads(evidence, account).filter((read) => !letIn.has(read.probe.trial) && isTurned(read)),
    }))
    .filter((each) => each.own.length > 0 && (isAlways(each) || isUnsure(evidence, each.account)));
  return charged.length > 1 ? charged : charged.filter(isAlways);
}

function howCharged(reads: readonly Exchange[], evidence: Evidence): string {
  if (reads.some((read) => isRefused(read, evidence))) return 'refused';
  const reported = reads.filter((read) => !isTurnedAway(read, evidence)).map((read) => parsedHeaders(read).remaining);
  // A queue that refuses nothing need not report what is left to a request that had to wait.
  const left = reported.find((remaining) => remaining !== null);
  return left === undefined ? 'held back' : `answered with X-RateLimit-Remaining: ${left}`;
}

const OWN_BUDGET = 'a budget that nobody else uses up';

/** The rate clauses about whose budget a request draws on: users, paths, requests without a key (API description, section 8). */

import { saidBy } from '../../evidence/http/headers';
import type { Evidence, Exchange } from '../../evidence/model';
import { isVeiled } from '../../evidence/responder/auth-guard';
import { isAccepted, isRefused, isWhole, statusOf } from '../../evidence/responder/classify';
import { isTurnedAway } from '../../evidence/responder/queueing';
import { exchangesOf, isAtTheBase, whyNotSent } from '../../evidence/select';
import { areBoundaries, areOneInEitherOrder, type PathTrial, pathTrials } from '../../rate-limit/both-paths';
import { haveOwnBudgets, mayAllShare } from '../../rate-limit/own-budgets';
import {
  areNeighboursTried,
  type Encounter,
  encountersOf,
  roundsLetIn,
  trialsAfterWrongKeys,
  turnedAwayAlone,
} from '../../rate-limit/shared-budgets';
import { isLimitKept, limitedAccounts } from '../../rate-limit/trials';
import {
  isCharged,
  isUnsure,
  mayLackRoom,
  mayRepeat,
  readsAfterWrongKeys,
  repeatedReads,
} from '../../rate-limit/wrong-key-trials';
import { BROKEN, type Breach, flawIn, judged, notTested, type Rules } from '../finding';
import { accountsOf, noRefusal, refusalsOf, unlessOthersUseTheKey, windowSeconds } from './facts';
import { isStricter } from './limit';

export const budgetRules: Rules = {
  'rate.per-user': {
    needs: ['sequence'],
    ofAKeptLimit: true,
    judge: unlessOthersUseTheKey((evidence, accounts) => {
      if (accounts.length < 2)
        return notTested({
          declare: 'Declare a second account in the target file: while one is refused, another is asked.',
        });
      const areApart = accounts.some((account) => onTwoBudgets(evidence, account).length > 0);
      // Where each path has a budget, nobody is refused on the one because of what another asked for on the other.
      const mayDisturb = ({ asked, other }: Encounter) => !areApart || isAtTheBase(asked) === isAtTheBase(other);
      const encounters = accounts.flatMap((account) => encountersOf(evidence, account)).filter(mayDisturb);
      if (encounters.length === 0) {
        return notTested(
          refusalsOf(evidence).length === 0
            ? noRefusal(evidence)
            : 'No account was asked while another was refused: two accounts need keys that are accepted.',
        );
      }
      const refusals = new Set(refusalsOf(evidence));
      const isOut = (asked: Exchange) =>
        isRefused(asked, evidence) ? refusals.has(asked) : isTurnedAway(asked, evidence);
      // An account that is refused without a neighbour too is not refused because of one.
      const refused = encounters.filter(
        ({ asked }) => isOut(asked) && turnedAwayAlone(evidence, asked.account ?? '').length === 0,
      );
      const all = encounters.flatMap(({ asked, other }) => [asked, other]);
      if (!isConfirmed(refused, encounters, evidence)) return judged(all, []);
      if (limitedAccounts(evidence).length === 0)
        return notTested(
          'Accounts were refused while others were, but every account was let through more than the rate: fix rate.enforced first.',
        );
      // Requests without a key cannot explain these refusals: none was sent in the window before.
      if (isStricter(evidence))
        return notTested(
          'Accounts were refused while others were, and rate.not-stricter is broken, which explains it: fix that first.',
        );
      // A limiter is the same program for all accounts.
      if (accounts.some((account) => turnedAwayAlone(evidence, account).length > 1))
        return notTested(
          'Accounts were refused while others were, and below the limit while nobody else was: a smaller limit explains both.',
        );
      return judged(
        all,
        refused.slice(0, 1).map(({ asked, other }) => {
          const how = isRefused(asked, evidence)
            ? `refused while ${other.account} was`
            : `held back right after ${other.account} was asked`;
          const got = `${how}, though its own budget was whole, ${refused.length} times`;
          return { ...flawIn('account', asked.account ?? '', got, OWN_BUDGET), exchanges: [asked, other] };
        }),
      );
    }),
  },

  'rate.across-paths': {
    needs: ['paths'],
    ofAKeptLimit: true,
    judge(evidence) {
      const trials = accountsOf(evidence).flatMap((account) => pathTrials(evidence, account));
      const [first] = trials;
      if (!first)
        return notTested(
          whyNotSent(evidence, 'paths', 'No request to / could follow those to /webhooks that were accepted.'),
        );
      if (!trials.some(({ last }) => isAccepted(last) || isRefused(last, evidence))) {
        return notTested(
          `GET on the base path is answered with ${statusOf(first.last)}, refused or not, so it cannot be seen to use up a budget.`,
        );
      }
      const breaches = accountsOf(evidence).flatMap((account): Breach[] => {
        const over = onTwoBudgets(evidence, account);
        if (over.length === 0) return [];
        const [spanMs] = over.map(({ fromMs, toMs }) => Math.round(toMs - fromMs));
        const got = `/webhooks and / drew on budgets of their own, within ${spanMs} ms, ${over.length} times`;
        const flaw = flawIn('account', account, got, 'one budget for all paths');
        return [{ ...flaw, exchanges: over.flatMap(({ exchanges }) => exchanges) }];
      });
      if (breaches.length === 0 && isLimitKept(evidence) && !areOneInEitherOrder(trials, evidence))
        return notTested(
          trials.some(({ shows }) => shows === 'one budget')
            ? 'Only one path was refused right after the other had used up the budget, and the other way round is not known: run again, nearer to the server if its answers take long.'
            : 'Each time there may have been budget again before the other path was asked: run again, nearer to the server if its answers take long.',
        );
      return judged(
        trials.flatMap(({ exchanges }) => exchanges),
        breaches,
      );
    },
  },

  'rate.keyless-free': {
    needs: ['together'],
    judge: unlessOthersUseTheKey((evidence, accounts) => {
      const reads = exchangesOf(evidence, 'together').filter(isWhole);
      const before = exchangesOf(evidence, 'keyless');
      if (reads.length === 0) return notTested(whyNotSent(evidence, 'together', BROKEN));
      if (before.length > 0 && before.every((exchange) => isVeiled(exchange, evidence)))
        return notTested(
          'A guard answered all requests without a valid key, so whether the server charges them was not seen.',
        );
      // A request that was let in used up a budget; the auth clauses judge that.
      const letIn = new Set(before.filter(isAccepted).map((exchange) => exchange.probe.trial));
      if (reads.some((read) => isRefused(read, evidence)) && isStricter(evidence))
        return notTested(
          'Reads were refused after requests without a valid key, and rate.not-stricter is broken, which explains it: fix that first.',
        );
      const asked = new Set(reads.map(({ account }) => account)).size;
      const { refused, trials } = chargedAccounts(evidence, accounts, letIn, asked);
      const doubtful = refused.find(
        ({ account, own }) => own.length < trials || turnedAwayAlone(evidence, account).length > 0,
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
      // In evidence of earlier versions no read was repeated after one that was accepted.
      const wasRepeated = (account: string) => readsAfterWrongKeys(evidence, account).slice(0, -1).some(isAccepted);
      const unsure = accounts.find(
        (account) => mayRepeat(evidence) && isUnsure(evidence, account) && wasRepeated(account),
      );
      if (breaches.length === 0 && unsure !== undefined)
        return notTested(
          `Each time ${unsure} was accepted after requests without a valid key, its window may have ended in between, as answers take long: run again, nearer to the server.`,
        );
      return judged([...before, ...reads], breaches);
    }),
  },
};

/** The trials in which an account drew on a budget for each path, unless the end of a window or a bucket's tick explains them. */
function onTwoBudgets(evidence: Evidence, account: string): PathTrial[] {
  // A server that exceeds its rate on one path also does so on two: that shows no second budget.
  if (!isLimitKept(evidence)) return [];
  const over = pathTrials(evidence, account).filter(({ shows }) => shows === 'two budgets');
  return areBoundaries(over, evidence) ? [] : over;
}

interface ChargedAccounts {
  /** Accounts whose reads after wrong keys were turned away, each with those of them that were repeated. */
  refused: ReadonlyArray<{ account: string; own: Exchange[] }>;
  /** How many repeated reads of each must have been. */
  trials: number;
}

/**
 * Returns the accounts that wrong keys seem to be charged to.
 * @param letIn the trials in which a request without a valid key was let in
 * @param asked how many accounts were asked at first
 */
function chargedAccounts(
  evidence: Evidence,
  accounts: readonly string[],
  letIn: ReadonlySet<number>,
  asked: number,
): ChargedAccounts {
  const again = accounts
    .map((account) => ({
      account,
      own: repeatedReads(evidence, account).filter(({ probe }) => !letIn.has(probe.trial)),
    }))
    .filter(({ own }) => own.length > 0);
  const isTurned = (read: Exchange) => isCharged(read, evidence);
  const isAlways = (account: string) =>
    readsAfterWrongKeys(evidence, account).every((read) => isTurned(read) || !isAccepted(read)) &&
    repeatedReads(evidence, account).every(isTurned);
  const turned = again
    .map(({ account, own }) => ({ account, own: own.filter(isTurned) }))
    .filter(({ account, own }) => own.length > 0 && (isAlways(account) || isUnsure(evidence, account)));
  // Another client may use the key of one account, but hardly those of all that were refused at first.
  const areAll =
    turned.length === again.length && (turned.length > 1 || turned.every(({ account }) => isAlways(account)));
  const always = turned.filter(({ account }) => areAll || isAlways(account));
  const trials = trialsAfterWrongKeys(areAll ? always.length : 1, asked);
  const sure = areAll ? always : always.filter(({ own }) => own.length >= trials);
  // One budget for several accounts refuses all but one of those that are asked at one moment.
  const hasOwn = (account: string) =>
    again.every((other) => other.account === account || haveOwnBudgets(other.account, account, evidence));
  return { refused: sure.length > 0 ? sure : always.filter(({ account }) => hasOwn(account)), trials };
}

function howCharged(reads: readonly Exchange[], evidence: Evidence): string {
  if (reads.some((read) => isRefused(read, evidence))) return 'refused';
  const told = reads.filter((read) => !isTurnedAway(read, evidence)).map((read) => saidBy(read).remaining);
  // Of a queue that refuses nothing, what had to wait need not say how much is left.
  const left = told.find((remaining) => remaining !== null);
  return left === undefined ? 'held back' : `told X-RateLimit-Remaining: ${left}`;
}

const OWN_BUDGET = 'a budget that nobody else uses up';

/**
 * Whether accounts were refused beside others in most trials taken to check that, or, without such trials, at two moments.
 * One budget for both is given back at a boundary now and then; budgets of their own explain no refusal.
 */
function isConfirmed(refused: readonly Encounter[], encounters: readonly Encounter[], evidence: Evidence): boolean {
  const isTrial = ({ asked }: Encounter) => asked.probe.group === 'neighbour';
  const accepted = encounters.filter((encounter) => isTrial(encounter) && !isTurnedAway(encounter.asked, evidence));
  // One budget for two accounts is one whichever of them is asked first.
  const pairOf = ({ asked, other }: Encounter) => [asked.account, other.account].sort().join('\n');
  const ofPair = (some: readonly Encounter[], of: Encounter) =>
    some.filter((encounter) => pairOf(encounter) === pairOf(of));
  const letIn = (of: Encounter) =>
    new Set([...ofPair(accepted, of).map(({ asked }) => asked.probe.trial), ...roundsLetIn(evidence, of)]).size;
  const tried = refused.filter(isTrial);
  // One budget is given back between a few of the trials. Another client of one key does not turn both accounts away.
  const isEitherWay = (of: Encounter) => new Set(ofPair(tried, of).map(({ asked }) => asked.account)).size > 1;
  const mayShare = (of: Encounter) =>
    !haveOwnBudgets(of.asked.account, of.other.account, evidence) && (mayAllShare(evidence) || isEitherWay(of));
  const telling = tried.filter(
    (encounter) => letIn(encounter) < (mayShare(encounter) ? ofPair(tried, encounter).length : 1),
  );
  const isLookedAt = areNeighboursTried(evidence);
  // A busy machine holds answers back as well, so one must have been refused.
  const shown = isLookedAt ? telling : refused;
  if (!shown.some(({ asked }) => isRefused(asked, evidence))) return false;
  const moments = shown.map(({ asked }) => asked.sentAtMs);
  return Math.max(...moments) - Math.min(...moments) >= windowSeconds(evidence) * 1000;
}

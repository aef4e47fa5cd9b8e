/** The rate clauses about whose budget a request draws on: users, paths, requests without a key (API description, section 8). */

import type { Evidence, Exchange } from '../exchange';
import { groupOf } from '../probes/groups';
import { BROKEN, type Breach, type Finding, judged, notTested, of, whyNot } from './finding';
import { rateHeaderOf } from './headers';
import { isAccepted, isRefused, isWhole, refusalStatuses, statusOf } from './outcome';
import { accountsOf, isFreeAgain, NO_REFUSAL, refusalsOf, refusedAlone, windowSeconds } from './rate-facts';
import { letThrough } from './rate-looks';
import { isExplainedByBoundaries } from './window';

/** Judges rate.per-user. */
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

/** Judges rate.across-paths. */
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
function drewTwice([first, second]: [Exchange, Exchange], evidence: Evidence): boolean {
  const { requests, seconds } = evidence.target.rate;
  const isClose = second.receivedAtMs - first.sentAtMs < (seconds * 1000) / requests;
  // Where refusals look like success, this may be one.
  if (!isClose || !isAccepted(second) || refusalStatuses(evidence).has(statusOf(second))) return false;
  if (requests === 1) return true;
  const [left, then] = [rateHeaderOf(first, 'Remaining'), rateHeaderOf(second, 'Remaining')];
  return left !== null && then !== null && left > 0 && then >= left;
}

/** A request to /webhooks that was let through, and the one to / right after it. */
function pathPairs(evidence: Evidence, account: string): Array<[Exchange, Exchange]> {
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

/** Judges rate.keyless-free. */
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

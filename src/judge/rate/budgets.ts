/** The rate clauses about whose budget a request draws on: users, paths, requests without a key (API description, section 8). */

import type { Evidence, Exchange } from '../../evidence/exchange';
import { exchangesOf, whyNotSent } from '../../evidence/groups';
import { letThrough, looksOf } from '../../evidence/looks';
import { isAccepted, isRefused, isWhole, refusalStatuses, statusOf } from '../../evidence/outcome';
import { isSameProbe } from '../../evidence/probe';
import { type Decision, isExplainedByBoundaries } from '../../evidence/windows';
import { BROKEN, type Breach, judged, notTested, type Rules } from '../finding';
import { accountsOf, isFreeAgain, noRefusal, refusalsOf, refusedAlone, windowSeconds } from './facts';
import { overRate } from './limit';

export const budgetRules: Rules = {
  'rate.per-user': {
    needs: ['sequence'],
    judge(evidence) {
      if (accountsOf(evidence).length < 2)
        return notTested('Declare a second account in the target file: while one is refused, another is asked.');
      const meetings = accountsOf(evidence).flatMap((account) => meetingsOf(evidence, account));
      if (meetings.length === 0) {
        return notTested(
          refusalsOf(evidence).length === 0 ? noRefusal(evidence) : 'No account was asked while another was refused.',
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
    },
  },

  'rate.across-paths': {
    needs: ['paths'],
    judge(evidence) {
      const windowMs = windowSeconds(evidence) * 1000;
      const looks = accountsOf(evidence).map((account) => pathLooks(evidence, account));
      const seen = looks.flat().flatMap(({ reads, last }) => [...reads, last]);
      if (seen.length === 0)
        return notTested(
          whyNotSent(evidence, 'paths', 'No request to / could follow those to /webhooks that were accepted.'),
        );
      const lasts = looks.flat().map(({ last }) => last);
      if (!lasts.some((last) => isAccepted(last) || isRefused(last, evidence) || isLate(last, windowMs))) {
        return notTested(
          `GET on the base path is answered with ${statusOf(lasts[0] as Exchange)}, refused or not, so it cannot be seen to use up a budget.`,
        );
      }
      if (!looks.flat().some((look) => isClose(look, evidence) || !isAccepted(look.last)))
        return notTested('The answers took so long that there was budget again before the other path was asked.');
      const breaches = looks.flatMap((ofAccount, i): Breach[] => {
        const over = ofAccount.filter((look) => isOver(look, evidence));
        const spans = over.map(spanOf);
        const sequences = looksOf(evidence, 'sequence', accountsOf(evidence)[i] ?? '');
        // Who lets too many through on one path does so on two.
        const isGenerous = overRate(sequences, evidence, evidence.target.rate.requests).length > 0;
        if (spans.length < 2 || isGenerous || isExplainedByBoundaries(spans, windowMs)) return [];
        const both = over.flatMap(({ reads, last }) => [...reads, last]);
        const spanMs = Math.round((spans[0]?.toMs ?? 0) - (spans[0]?.fromMs ?? 0));
        return [
          {
            exchanges: both,
            came: `/webhooks and / of ${both[0]?.account} drew on budgets of their own, within ${spanMs} ms, ${spans.length} times`,
          },
        ];
      });
      return judged(seen, breaches);
    },
  },

  'rate.keyless-free': {
    needs: ['together'],
    judge(evidence) {
      const accounts = accountsOf(evidence);
      const reads = exchangesOf(evidence, 'together').filter(isWhole);
      const before = exchangesOf(evidence, 'keyless');
      if (reads.length === 0) return notTested(whyNotSent(evidence, 'together', BROKEN));
      // Where such a request was let in, that is for the auth clauses, and it used up a budget.
      const letIn = new Set(before.filter(isAccepted).map((one) => one.probe.look));
      const again = reads.filter((one) => one.probe.look > 1 && !letIn.has(one.probe.look));
      const refused = again.filter((one) => isRefused(one, evidence) && isFirstOfItsLook(one, evidence));
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
    },
  },
};

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

/** As many requests to /webhooks as the rate allows, all let through, and the one to / right after them. */
interface PathLook {
  reads: Exchange[];
  last: Exchange;
}

function pathLooks(evidence: Evidence, account: string): PathLook[] {
  const { requests } = evidence.target.rate;
  const own = evidence.exchanges.filter((one) => one.account === account);
  return own.flatMap((last): PathLook[] => {
    if (last.probe.group !== 'paths' || !last.request.url.endsWith('/') || !isWhole(last)) return [];
    const reads = own.filter((one) => one.receivedAtMs <= last.sentAtMs).slice(-requests);
    return letThrough(reads, evidence).length === requests ? [{ reads, last }] : [];
  });
}

function spanOf({ reads, last }: PathLook): Decision {
  return { fromMs: Math.min(...reads.map((one) => one.sentAtMs)), toMs: last.receivedAtMs };
}

/** Whether all of a look came before a bucket can have gained a request. */
function isClose(look: PathLook, evidence: Evidence): boolean {
  const { requests, seconds } = evidence.target.rate;
  const { fromMs, toMs } = spanOf(look);
  return toMs - fromMs < (seconds * 1000) / requests;
}

/** Whether both paths together let more through than the rate allows. */
function isOver(look: PathLook, evidence: Evidence): boolean {
  // Where refusals look like success, the last may be one.
  return isClose(look, evidence) && isAccepted(look.last) && !refusalStatuses(evidence).has(statusOf(look.last));
}

function isFirstOfItsLook(exchange: Exchange, evidence: Evidence): boolean {
  return evidence.exchanges.find((one) => isSameProbe(one.probe, exchange.probe)) === exchange;
}

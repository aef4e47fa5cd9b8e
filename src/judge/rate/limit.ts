/** The rate clauses about the limit itself: that it is kept, not stricter than told, and refused properly (API description, section 8). */

import { plural } from '../../common/plural';
import type { Flaw } from '../../contract/result';
import type { Evidence, Exchange } from '../../evidence/model';
import { ONE_MOMENT_MS } from '../../evidence/responder/bans';
import { disclosesSettings, isAccepted, isWhole, letThrough, statusOf } from '../../evidence/responder/classify';
import { heldBackOf } from '../../evidence/responder/queueing';
import { whyNotSent } from '../../evidence/select';
import { isOver } from '../../rate-limit/another-trial';
import { hasFailedOverLimit } from '../../rate-limit/both-paths';
import { refusedTooOften } from '../../rate-limit/causes';
import { decisionOf, fullestStretch } from '../../rate-limit/decisions';
import { acceptedWithRoom, refusedWithRoom } from '../../rate-limit/room';
import { isOverRate, mayBeARestart, trialsOf } from '../../rate-limit/trials';
import {
  answerFlaw,
  BROKEN,
  type Breach,
  breachesIn,
  each,
  type Finding,
  flawIn,
  judged,
  notTested,
  type Rules,
} from '../finding';
import { accountsOf, refusalsOf, unlessByChance, unlessOthersUseTheKey, windowSeconds, withoutRefusals } from './facts';

export const limitRules: Rules = {
  'rate.enforced': { needs: ['sequence'], judge: isKept('sequence') },

  'rate.enforced-concurrent': { needs: ['concurrent'], judge: isKept('concurrent') },

  'rate.not-stricter': { needs: ['together', 'header-case'], judge: unlessOthersUseTheKey(spacedAreAccepted) },

  'rate.refusal': {
    needs: ['sequence', 'concurrent'],
    judge(evidence) {
      const refusals = refusalsOf(evidence);
      if (refusals.length === 0) return withoutRefusals(evidence);
      const all = [...refusals, ...failuresAtTheBase(evidence)];
      return judged(all, breachesIn(all, wrongRefusal));
    },
  },

  'rate.refusal-429': {
    needs: ['sequence', 'concurrent'],
    judge(evidence) {
      const refusals = refusalsOf(evidence);
      if (refusals.length === 0) return withoutRefusals(evidence);
      const proper = refusals.filter((exchange) => wrongRefusal(exchange) === null);
      return each(proper, 'No refusal was a proper one: fix rate.refusal first.', (exchange) =>
        statusOf(exchange) === 429 ? null : flawIn('request', OVER_RATE, String(statusOf(exchange)), '429'),
      );
    },
  },
};

function spacedAreAccepted(evidence: Evidence, accounts: string[]): Finding {
  const known = accounts
    .flatMap((account) => [
      ...acceptedWithRoom(evidence, account),
      ...refusedWithRoom(evidence, account, { besideOthers: true }),
    ])
    .sort((a, b) => a.index - b.index);
  if (known.length === 0)
    return notTested(whyNotSent(evidence, 'together', 'no two requests of one account were a window apart'));
  const breaches = [...refusedTooOften(evidence)].map(([account, refused]) => {
    const [what, each] = refused.length === 1 ? ['a request', ''] : [`${refused.length} requests`, 'each '];
    const got = `${what} refused, ${each}more than ${windowSeconds(evidence)} s after the one before`;
    return { ...limitFlaw(account, got, 'acceptance of requests that are a window apart'), exchanges: refused };
  });
  return unlessByChance(
    judged(known, breaches),
    breaches.flatMap(({ exchanges }) => exchanges),
    evidence,
  );
}

/** Whether the limit is stricter than declared: what that explains is blamed on no other clause. */
export function isStricter(evidence: Evidence): boolean {
  return unlessOthersUseTheKey(spacedAreAccepted)(evidence).breaches.length > 0;
}

/** Judges that no more were let through in a group's trials than the rate allows. */
function isKept(group: 'sequence' | 'concurrent') {
  return (evidence: Evidence): Finding => {
    const { requests } = evidence.target.rate;
    const byAccount = accountsOf(evidence).map((account) => ({ account, trials: trialsOf(evidence, group, account) }));
    const trials = byAccount.flatMap((own) => own.trials);
    const all = trials.flat();
    if (all.length === 0) return notTested(whyNotSent(evidence, group, 'No burst was sent.'));
    if (!all.some(isWhole)) return notTested(BROKEN);
    if (letThrough(all, evidence).length === 0)
      return notTested('Every request of the bursts was refused, so what is let through was not seen.');
    if (trials.every((trial) => trial.length <= requests)) {
      // A client that waits for each answer of a slow server cannot exceed its rate.
      if (group === 'sequence' && trials.some((trial) => lastsMs(trial) >= windowSeconds(evidence) * 1000))
        return judged(all, []);
      return notTested(
        heldBackOf(evidence).length > 0
          ? `This server holds back what is over the rate, and could not answer more than ${plural(requests, 'request')} in time: raise \`limits.timeoutSeconds\`.`
          : `A burst has fewer requests than the rate allows: set \`limits.burst\` above ${requests}.`,
      );
    }
    const breaches = byAccount.flatMap((own) => overRate(own.trials, evidence, requests, own.account));
    const isOpen = byAccount.some(
      (own) =>
        mayBeARestart(own.trials, evidence, own.account) &&
        own.trials.every((trial) => isOver(trial, requests, evidence)),
    );
    // A run of today takes one more trial.
    if (breaches.length === 0 && isOpen)
      return notTested(
        'More than the rate was let through each time, as where a window ended in one burst and the server was restarted in another: run again.',
      );
    return judged(all, breaches);
  };
}

function lastsMs(trial: readonly Exchange[]): number {
  return (
    Math.max(...trial.map((exchange) => exchange.receivedAtMs)) -
    Math.min(...trial.map((exchange) => exchange.sentAtMs))
  );
}

/** The breach, if no limiter of this limit explains what the trials let through. */
export function overRate(trials: Exchange[][], evidence: Evidence, requests: number, account: string): Breach[] {
  if (!isOverRate(trials, evidence, account, requests)) return [];
  const decided = (trial: Exchange[]) =>
    letThrough(trial, evidence).map((exchange) => ({ ...decisionOf(exchange), exchange }));
  const [fullest = []] = trials
    .map((trial) => fullestStretch(decided(trial), windowSeconds(evidence) * 1000))
    .sort((a, b) => b.length - a.length);
  const shown = (fullest.length > requests ? fullest : decided(trials.flat())).map(({ exchange }) => exchange);
  // Of a burst it matters how close to one moment it was sent: a race shows only there.
  const sentAtMs = shown.map((exchange) => exchange.sentAtMs);
  const spreadMs = Math.max(...sentAtMs) - Math.min(...sentAtMs);
  const isBurst = shown.every((exchange) => exchange.probe.group === 'concurrent');
  const spread = isBurst ? `, sent within ${spreadMs.toFixed(1)} ms` : '';
  const often = trials.length > 1 ? `, seen in ${trials.length} separate bursts` : '';
  const got = `${shown.length} requests accepted within ${Math.round(lastsMs(shown))} ms${spread}${often}`;
  const expected = `no more than ${requests} in ${windowSeconds(evidence)} s`;
  return [{ ...limitFlaw(account, got, expected), exchanges: shown }];
}

/** What is wrong with how the limit of an account is kept. */
function limitFlaw(account: string, got: string, expected: string): Flaw {
  return { subject: { kind: 'limit', name: account }, expected, got };
}

const OVER_RATE = 'to a request over the rate';

function wrongRefusal(exchange: Exchange): Flaw | null {
  const expected = '4xx or 503, without the settings';
  if (exchange.fault)
    return answerFlaw(`a request of a burst was not answered: the server ${exchange.fault.message}`, expected);
  const status = statusOf(exchange);
  if (isAccepted(exchange))
    return flawIn('request', OVER_RATE, `${status} without the settings, which looks like success,`, expected);
  if (status !== 503 && (status < 400 || status > 499)) return flawIn('request', OVER_RATE, String(status), expected);
  return disclosesSettings(exchange) ? flawIn('request', OVER_RATE, `${status} with the settings`, expected) : null;
}

/** Failures of the base path right after a budget was used up, at two moments, where it accepts valid keys otherwise. */
function failuresAtTheBase(evidence: Evidence): Exchange[] {
  const atBase = evidence.exchanges.filter(
    (exchange) => exchange.account !== null && exchange.request.url === `${evidence.target.baseURL}/`,
  );
  const failed = atBase.filter((exchange) => hasFailedOverLimit(exchange, evidence));
  const sentAtMs = failed.map((exchange) => exchange.sentAtMs);
  const isRepeated = Math.max(...sentAtMs) - Math.min(...sentAtMs) >= ONE_MOMENT_MS;
  return isRepeated && atBase.some(isAccepted) ? failed : [];
}

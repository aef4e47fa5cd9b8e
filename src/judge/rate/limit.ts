/** The rate clauses about the limit itself: enforced, not stricter, proper refusals (API description, section 8). */
import { wordsOf } from '../../catalogue/catalogue';
import { groupedBy, plural } from '../../common/text';
import type { Flaw } from '../../contract/result';
import { type Evidence, type Exchange, exchangesOf, whyNotSent } from '../../evidence/model';
import { disclosesSettings, isAccepted, isWhole, letThrough, statusOf } from '../../evidence/responder/classify';
import { heldBackOf } from '../../evidence/responder/queueing';
import { ONE_MOMENT_MS, spanOf } from '../../evidence/time/in-flight';
import { areAtABoundary, MOST_TRIALS, openingOf } from '../../limiter/another-trial';
import {
  fullest,
  howOver,
  isLimitKept,
  isOverRate,
  isRoundTheLimit,
  mayBeRoundTheLimit,
  servedRespelled,
  trialsOf,
} from '../../limiter/enforced';
import { areWindowsSeen, isStricter, lateSingles, oddSingles, storedSingles, TELLING } from '../../limiter/stricter';
import { accountsOf, hasFailedOverLimit, isAfterSilence, userOf, windowMsOf, withRoom } from '../../limiter/timeline';
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
import { notTestedForOthers, ofIdleAccounts, refusalsOf, shown, withoutRefusals } from './facts';

export const limitRules: Rules = {
  'rate.enforced': { needs: ['sequence'], judge: isKept('sequence') },

  'rate.enforced-concurrent': { needs: ['concurrent'], judge: isKept('concurrent') },

  'rate.no-bypass': { needs: ['respelled'], ofAKeptLimit: true, judge: eachWayIsCounted },

  'rate.not-stricter': { needs: ['together', 'header-case'], judge: ofIdleAccounts(spacedAreAccepted) },

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
    dependsOn: ['rate.refusal'],
    judge(evidence) {
      const refusals = refusalsOf(evidence);
      if (refusals.length === 0) return withoutRefusals(evidence);
      const proper = refusals.filter((exchange) => wrongRefusal(exchange) === null);
      return each(proper, 'No refusal was a proper one.', (exchange) =>
        statusOf(exchange) === 429 ? null : flawIn('request', OVER_RATE, String(statusOf(exchange)), '429'),
      );
    },
  },
};

function spacedAreAccepted(evidence: Evidence, accounts: string[]): Finding {
  const known = accounts.flatMap((name) => withRoom(evidence, name)).filter(({ outcome }) => outcome !== 'other');
  if (known.length === 0)
    return notTested(whyNotSent(evidence, 'together', 'no two requests of one account were a window apart'));
  const odd = accounts
    .map((name) => [name, lateSingles(evidence, name)] as const)
    .filter(([, refused]) => refused.length > 0);
  const refused = odd.flatMap(([, some]) => some);
  // What is accepted after a silence shows nothing about requests that are a window apart.
  const letIn = known.filter(
    (each) => each.outcome === 'accepted' && each.fromMs > (refused[0]?.fromMs ?? 0) && !isAfterSilence(each, evidence),
  );
  // One refusal is an accident if nothing else is odd.
  const isAccident = accounts.flatMap((name) => oddSingles(evidence, name)).length === 1 && letIn.length >= TELLING;
  if (refused.length === 0 || isAccident) {
    // Where several requests fit into a window, single ones show nothing about its length.
    const isSeen = evidence.target.rate.requests > 1 || areWindowsSeen(evidence);
    return isSeen ? judged(shown(known), []) : notTested(NEVER_CLOSE);
  }
  if (refused.length === 1) return notTested(REFUSED_ONCE);
  if (!isStricter(evidence)) return notTestedForOthers(evidence);
  return judged(
    shown(known),
    odd.map(([account, some]) => {
      const [what, each] = some.length === 1 ? ['a request', ''] : [`${some.length} requests`, 'each '];
      const how = storedSingles(evidence, account).length > 0 ? ' by answers that a cache had stored' : '';
      const got = `${what} refused${how}, ${each}more than ${evidence.target.rate.seconds} s after the one before`;
      const expected = 'acceptance of requests that are a window apart';
      return { ...flawIn('limit', account, got, expected), exchanges: shown(some) };
    }),
  );
}

const NEVER_CLOSE =
  'What was accepted came so far apart that a limit of half the rate would have accepted it as well: run again, nearer to the server.';

const REFUSED_ONCE =
  'A request was refused although it kept its distance, and too few came after it to show why: run again.';

/** Judges that a group's trials accepted no more than the rate allows. */
function isKept(group: 'sequence' | 'concurrent') {
  return (evidence: Evidence): Finding => {
    const { rate } = evidence.target;
    const accounts = accountsOf(evidence);
    const trials = accounts.flatMap((name) => trialsOf(evidence, group, name));
    const all = shown(trials.flat());
    if (all.length === 0) return notTested(whyNotSent(evidence, group, 'No burst was sent.'));
    if (!all.some(isWhole)) return notTested(BROKEN);
    if (letThrough(all, evidence).length === 0)
      return notTested('Every request of the bursts was refused, so what is let through was not seen.');
    if (trials.every((trial) => trial.length <= rate.requests)) {
      // A client that waits for each answer of a slow server cannot exceed its rate.
      if (group === 'sequence' && trials.some((trial) => lastsMs(shown(trial)) >= rate.seconds * 1000))
        return judged(all, []);
      return notTested(
        heldBackOf(evidence).length > 0
          ? `This server holds back what is over the rate, and could not answer more than ${plural(rate.requests, 'request')} in time: raise \`limits.timeoutSeconds\`.`
          : `A burst has fewer requests than the rate allows: set \`limits.burst\` above ${rate.requests}.`,
      );
    }
    const breaches = accounts.flatMap((name) => overRate(evidence, group, name, rate.requests));
    // Only a trial that needs no boundary shows that the others met one, or a restart.
    const isOpen = (name: string) => {
      const own = trialsOf(evidence, group, name);
      const isSettled = howOver(evidence, group, name) === 'no' && own.length < MOST_TRIALS;
      return !isSettled && own.every((trial) => areAtABoundary(userOf(openingOf(trial, evidence)).accepted, rate));
    };
    if (breaches.length === 0 && accounts.some(isOpen))
      return notTested(
        'Each time, a window must have ended, or the server must have been restarted, for what was accepted to keep to the rate: run again.',
      );
    return judged(all, breaches);
  };
}

function lastsMs(trial: readonly Exchange[]): number {
  const { fromMs, toMs } = spanOf(trial);
  return toMs - fromMs;
}

function sentWithinMs(exchanges: readonly Exchange[]): number {
  const sentAtMs = exchanges.map((exchange) => exchange.sentAtMs);
  return Math.max(...sentAtMs) - Math.min(...sentAtMs);
}

/** Returns the breach if no limiter of this limit explains what the trials accepted. */
export function overRate(
  evidence: Evidence,
  group: 'sequence' | 'concurrent',
  account: string,
  requests: number,
): Breach[] {
  if (!isOverRate(evidence, group, account, requests)) return [];
  const trials = trialsOf(evidence, group, account);
  const { accepted } = userOf(trials.flat());
  const most = fullest(accepted, { ...evidence.target.rate, requests }, windowMsOf(evidence));
  const exchanges = shown(most);
  // A race shows only if a burst was sent nearly at one moment, so the time is reported.
  const spread = group === 'concurrent' ? `, sent within ${sentWithinMs(exchanges).toFixed(1)} ms` : '';
  const often = trials.length > 1 ? `, seen in ${trials.length} separate bursts` : '';
  const got = `${exchanges.length} requests accepted within ${Math.round(lastsMs(exchanges))} ms${spread}${often}`;
  return [
    { ...flawIn('limit', account, got, `no more than ${requests} in ${evidence.target.rate.seconds} s`), exchanges },
  ];
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

/** Failures of a base path that otherwise answers valid keys, at two moments, each right after a budget was used up. */
function failuresAtTheBase(evidence: Evidence): Exchange[] {
  const atBase = evidence.exchanges.filter(
    (exchange) => exchange.account !== null && exchange.request.url === `${evidence.target.baseURL}/`,
  );
  const failed = atBase.filter((exchange) => hasFailedOverLimit(exchange, evidence));
  const isAnswered = atBase.some((exchange) => isWhole(exchange) && statusOf(exchange) < 500);
  return sentWithinMs(failed) >= ONE_MOMENT_MS && isAnswered ? failed : [];
}

function eachWayIsCounted(evidence: Evidence): Finding {
  const sent = exchangesOf(evidence, 'respelled');
  if (sent.length === 0) return notTested(whyNotSent(evidence, 'concurrent', 'No burst was sent.'));
  if (!sent.some(isWhole)) return notTested(BROKEN);
  const asked = [...new Set(sent.flatMap(({ account }) => account ?? []))];
  if (asked.some((name) => isRoundTheLimit(evidence, name, [])) || !isLimitKept(evidence)) {
    const isOver = (group: 'sequence' | 'concurrent') =>
      accountsOf(evidence).some((name) => isOverRate(evidence, group, name));
    const broken = isOver('concurrent') && !isOver('sequence') ? 'rate.enforced-concurrent' : 'rate.enforced';
    return notTested(`More requests than the rate allows were accepted as described: fix ${broken} first.`);
  }
  const breaches = accountsOf(evidence).flatMap((name) => waysRound(evidence, name));
  if (breaches.length === 0 && asked.some((name) => mayBeRoundTheLimit(evidence, name)))
    return notTested('Each time more was let in than the rate allows, a window may have ended meanwhile: run again.');
  return judged(sent, breaches);
}

/** A breach for each spelling that alone shows it, or one for all spellings that only show it together. */
function waysRound(evidence: Evidence, account: string): Breach[] {
  const served = servedRespelled(evidence, account);
  if (!isRoundTheLimit(evidence, account)) return [];
  const ways = [...groupedBy(served, ({ exchange }) => wordsOf(exchange.probe))];
  const alone = ways.filter(([, some]) => isRoundTheLimit(evidence, account, some));
  return (alone.length > 0 ? alone : ways).map(([words, some]) => ({
    ...flawIn('request', words, `accepted ${plural(some.length, 'time')} beside all that the rate allows`, 'a refusal'),
    exchanges: shown(some),
  }));
}

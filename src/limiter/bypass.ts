/** What was let in of the requests that a careless limiter does not count, and whether any limiter explains it (API description, section 8). */
import { groupedBy } from '../common/grouped';
import type { Evidence, Exchange } from '../evidence/model';
import { disclosesSettings, habitsOf, hasShape, letThrough, shapeOf } from '../evidence/responder/classify';
import { isQueue } from '../evidence/responder/queueing';
import { isAtTheBase, isRespelled } from '../evidence/select';
import { fitsBucket } from './level';
import { type Answered, areExplained, oncePer, timelineOf, userOf, windowMsOf } from './timeline';

/** Returns what was served of these requests, with the settings or as HEAD: a page that answers any address says nothing of the API. */
export const servedRespelled = oncePer((evidence, account: string): readonly Answered[] => {
  const plain = timelineOf(evidence, account).find(
    ({ exchange, outcome }) => outcome === 'accepted' && !isAtTheBase(exchange),
  )?.exchange;
  // Where refusals look like success, HEAD does not show which it was.
  const isHeadTelling = ![...habitsOf(evidence).statuses].some((status) => status < 300);
  const isServed = (exchange: Exchange) => {
    const isRead = disclosesSettings(exchange) || (plain !== undefined && hasShape(exchange, shapeOf(plain)));
    const isSeen = exchange.request.method === 'HEAD' ? isHeadTelling : isRead;
    return letThrough([exchange], evidence).length > 0 && isSeen;
  };
  return timelineOf(evidence, account).filter(
    ({ exchange }) => isRespelled(exchange) && exchange.request.method !== 'OPTIONS' && isServed(exchange),
  );
});

/**
 * Whether no limiter of the declared rate let in these requests beside everything plain.
 * @param some of those that were served; by default all
 */
export function isRoundTheLimit(
  evidence: Evidence,
  account: string,
  some: readonly Answered[] = servedRespelled(evidence, account),
): boolean {
  // The base path may have a budget of its own (rate.across-paths).
  const { accepted } = userOf(timelineOf(evidence, account).filter(({ exchange }) => !isAtTheBase(exchange)));
  return !areExplained({ accepted: [...accepted, ...some] }, evidence);
}

/** Whether in each trial only the end of a window would explain what was let in, so that it is looked at again at another phase. */
export function mayBeRoundTheLimit(evidence: Evidence, account: string): boolean {
  const own = timelineOf(evidence, account);
  const sent = own.filter(({ exchange }) => exchange.probe.group === 'respelled');
  const trials = [...groupedBy(sent, ({ exchange }) => exchange.probe.trial).values()];
  return trials.length > 0 && trials.every((trial) => !isPlain(trial, own, evidence));
}

/** Whether a bucket explains what was let in of a trial beside what was in the window before, in the order of a queue. */
function isPlain(trial: readonly Answered[], own: readonly Answered[], evidence: Evidence): boolean {
  const served = servedRespelled(evidence, trial[0]?.exchange.account ?? '').filter((each) => trial.includes(each));
  const sinceMs = Math.min(...trial.map(({ fromMs }) => fromMs)) - windowMsOf(evidence);
  const before = own.filter(
    ({ outcome, toMs, exchange }) => outcome === 'accepted' && toMs > sinceMs && !isAtTheBase(exchange),
  );
  const accepted = [...before, ...served].filter(({ fromMs }) => fromMs <= Math.max(...trial.map(({ toMs }) => toMs)));
  // In a queue, what is counted waits for what was sent before it.
  const isOvertaking = ({ fromMs, toMs }: Answered) => trial.some((each) => each.fromMs < fromMs && each.toMs > toMs);
  if (isQueue(evidence) && served.some(isOvertaking)) return false;
  return served.length === 0 || fitsBucket(accepted, evidence.target.rate);
}

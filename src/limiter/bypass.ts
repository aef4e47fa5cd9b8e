/** What was let in of the requests that a careless limiter does not count, and whether any limiter explains it (API description, section 8). */
import { once } from '../evidence/memoize';
import type { Evidence, Exchange } from '../evidence/model';
import { disclosesSettings, hasShape, isAccepted, letThrough, shapeOf } from '../evidence/responder/classify';
import { isAtTheBase, isRespelled } from '../evidence/select';
import { isExplained, lookup } from './level';
import { type Answered, areExplained, timelineOf, userOf } from './timeline';

/** Returns what was served of these requests, with the settings or as HEAD: a page that answers any address says nothing of the API. */
export function servedRespelled(evidence: Evidence, account: string): readonly Answered[] {
  return servedBy(evidence)(account);
}

const servedBy = once((evidence: Evidence) =>
  lookup((account: string) => {
    const plain = timelineOf(evidence, account).find(
      ({ exchange, outcome }) => outcome === 'accepted' && !isAtTheBase(exchange),
    )?.exchange;
    const isServed = (exchange: Exchange) => {
      if (!isRespelled(exchange) || exchange.request.method === 'OPTIONS') return false;
      const isRead = disclosesSettings(exchange) || (plain !== undefined && hasShape(exchange, shapeOf(plain)));
      return letThrough([exchange], evidence).length > 0 && (isRead || exchange.request.method === 'HEAD');
    };
    return timelineOf(evidence, account).filter(({ exchange }) => isAccepted(exchange) && isServed(exchange));
  }),
);

/**
 * Whether no limiter of the declared rate let in these requests beside everything plain.
 * @param some of those that were served; by default all
 */
export function isRoundTheLimit(
  evidence: Evidence,
  account: string,
  some: readonly Answered[] = servedRespelled(evidence, account),
): boolean {
  const { accepted } = userOf(timelineOf(evidence, account));
  return !areExplained({ accepted: [...accepted, ...some], refused: [], charged: [] }, evidence);
}

/** Whether only the end of a window would explain what was let in, so that it is looked at again at another phase. */
export function mayBeRoundTheLimit(evidence: Evidence, account: string): boolean {
  const served = servedRespelled(evidence, account);
  const { accepted } = userOf(timelineOf(evidence, account));
  const sinceMs = Math.min(...served.map(({ fromMs }) => fromMs)) - 2 * evidence.target.rate.seconds * 1000;
  const recent = [...accepted, ...served].filter(({ toMs }) => toMs > sinceMs);
  const isPlain = isExplained({ accepted: recent, refused: [], charged: [] }, evidence.target.rate, {
    families: ['a bucket'],
  });
  return served.length > 0 && !isPlain;
}

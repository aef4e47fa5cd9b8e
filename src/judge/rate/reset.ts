/** The rate clause about X-RateLimit-Reset: that what it promises comes true (API description, section 8). */
import { DAY_SECONDS, LITTLE_MS, longestHonestSeconds } from '../../contract/bounds';
import { isStored, passesAtMs, secondsAhead } from '../../evidence/clock';
import type { Evidence } from '../../evidence/exchange';
import { ofTheApi } from '../../evidence/groups';
import { rateHeaderOf } from '../../evidence/headers';
import { isRefused, isWhole } from '../../evidence/outcome';
import { isQuiet } from '../../evidence/quiet';
import { turnsOf } from '../../evidence/turns';
import { type Breach, breachesIn, judged, notTested, type Rules } from '../finding';
import { areApart, windowSeconds } from './facts';
import { unlessUsedElsewhere } from './used-elsewhere';

export const resetRules: Rules = {
  'rate.reset-honest': {
    needs: ['recovery', 'promise'],
    judge: unlessUsedElsewhere((evidence, accounts) => {
      const bearing = ofTheApi(evidence).filter(
        (exchange) =>
          exchange.account !== null && rateHeaderOf(exchange, 'Reset') !== null && !isStored(exchange, evidence),
      );
      if (bearing.length === 0)
        return notTested('No fresh response to a valid key carried a well-formed X-RateLimit-Reset.');
      const far = breachesIn(bearing, (exchange) => {
        const { least: ahead } = secondsAhead(rateHeaderOf(exchange, 'Reset') as number, exchange, evidence);
        if (ahead <= longestHonestSeconds(evidence.target.rate) || ahead > DAY_SECONDS) return null;
        return `X-RateLimit-Reset lies ${Math.round(ahead)} s ahead, where a window has ${windowSeconds(evidence)} s`;
      });
      const late = accounts.flatMap((account) => refusedAfterReset(evidence, account));
      // One may be chance, and so may all of one moment.
      return judged(bearing, [...far, ...(areApart(late, evidence) ? late : [])]);
    }),
  },
};

/**
 * Requests refused after the Reset of the answer before had passed. Some limiters count refused requests, so a promise
 * binds only as long as nothing was sent after it.
 */
function refusedAfterReset(evidence: Evidence, account: string): Breach[] {
  return turnsOf(evidence, account).flatMap(({ before, next }): Breach[] => {
    const promises = before.filter(
      (exchange) => isWhole(exchange) && !exchange.resent && !isStored(exchange, evidence),
    );
    const isKept = promises.every((exchange) => {
      const reset = rateHeaderOf(exchange, 'Reset');
      const passedAtMs = reset === null ? null : passesAtMs(reset, exchange, evidence);
      return passedAtMs !== null && passedAtMs + LITTLE_MS <= next.sentAtMs;
    });
    if (promises.length < before.length || !isKept) return [];
    if (!isWhole(next) || next.resent || !isRefused(next, evidence) || !isQuiet(next, evidence)) return [];
    return promises.slice(-1).map((last) => ({
      exchanges: [last, next],
      came: `refused although X-RateLimit-Reset: ${rateHeaderOf(last, 'Reset')} had passed, with nothing sent meanwhile`,
    }));
  });
}

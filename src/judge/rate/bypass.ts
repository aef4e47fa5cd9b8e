/** The rate clause about requests that a careless limiter does not count (API description, section 8). */
import { wordsOf } from '../../catalogue/probe';
import { groupedBy } from '../../common/grouped';
import { plural } from '../../common/text';
import type { Evidence } from '../../evidence/model';
import { isWhole } from '../../evidence/responder/classify';
import { exchangesOf, whyNotSent } from '../../evidence/select';
import { isRoundTheLimit, mayBeRoundTheLimit, servedRespelled } from '../../limiter/bypass';
import { isLimitKept } from '../../limiter/kept';
import { accountsOf } from '../../limiter/timeline';
import { BROKEN, type Breach, type Finding, flawIn, judged, notTested, type Rules } from '../finding';
import { shown } from './facts';

export const bypassRules: Rules = {
  'rate.no-bypass': { needs: ['respelled'], ofAKeptLimit: true, judge: eachWayIsCounted },
};

function eachWayIsCounted(evidence: Evidence): Finding {
  const sent = exchangesOf(evidence, 'respelled');
  if (sent.length === 0) return notTested(whyNotSent(evidence, 'concurrent', 'No burst was sent.'));
  if (!sent.some(isWhole)) return notTested(BROKEN);
  const asked = [...new Set(sent.flatMap(({ account }) => account ?? []))];
  if (asked.some((name) => isRoundTheLimit(evidence, name, [])) || !isLimitKept(evidence))
    return notTested('More requests than the rate allows were accepted as described: fix rate.enforced first.');
  const breaches = accountsOf(evidence).flatMap((name) => waysRound(evidence, name));
  if (breaches.length === 0 && asked.some((name) => mayBeRoundTheLimit(evidence, name)))
    return notTested('Each time more was let in than the rate allows, a window may have ended meanwhile: run again.');
  return judged(sent, breaches);
}

/** A breach for each way that alone shows it, or one for all ways that only do so together. */
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

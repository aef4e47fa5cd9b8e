/** Rate clauses that another client of the same key can seem to break: they are judged on the accounts whose key is idle. */
import type { Evidence } from '../../evidence/exchange';
import { usedElsewhere } from '../../evidence/used-elsewhere';
import { type Finding, notTested } from '../finding';
import { accountsOf } from './facts';

/** Judges the accounts that nobody else used; `not-tested` where there is another account and nothing else is broken. */
export function unlessUsedElsewhere(
  judge: (evidence: Evidence, accounts: string[]) => Finding,
): (evidence: Evidence) => Finding {
  return (evidence) => {
    const used = usedElsewhere(evidence);
    if (used.size === 0) return judge(evidence, accountsOf(evidence));
    const idle = accountsOf(evidence).filter((account) => !used.has(account));
    const without = {
      ...evidence,
      exchanges: evidence.exchanges.filter((exchange) => !used.has(exchange.account ?? '')),
    };
    const finding = judge(without, idle);
    if (finding.breaches.length > 0) return finding;
    const times = [...used].map(
      ([account, shown]) => `the key of ${account} (seen ${shown.length === 1 ? 'once' : `${shown.length} times`})`,
    );
    return {
      ...notTested(`Somebody else used ${times.join(' and ')} while this ran: keep the keys idle and run again.`),
      evidence: [...used.values()].flat().map((exchange) => exchange.index),
    };
  };
}

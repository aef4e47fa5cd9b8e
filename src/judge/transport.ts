/** The transport clauses: whole HTTP messages (RFC 9112 section 8), and https for the key's sake. */

import { isLoopback } from '../evidence/http/url';
import type { Fault } from '../evidence/model';
import { outageInWords, outageOf, whileServing } from '../evidence/responder/outages';
import { breachesIn, judged, notTested, type Rules } from './finding';

export const transportRules: Rules = {
  'transport.complete': {
    needs: ['read', 'missing-key'],
    ofTheWholeRun: true,
    judge(evidence) {
      if (evidence.exchanges.length === 0) return notTested('Nothing was sent.');
      const outage = outageOf(evidence);
      const stopped = outage ? [{ exchanges: [outage], came: outageInWords(outage, evidence) }] : [];
      const broken = breachesIn(whileServing(evidence).exchanges, ({ fault }) => fault && inWords(fault));
      return judged(evidence.exchanges, [...stopped, ...broken]);
    },
  },

  'transport.https': {
    needs: [],
    judge(evidence) {
      const { protocol, hostname } = new URL(evidence.target.baseURL);
      const isPlain = protocol !== 'https:' && !isLoopback(hostname);
      const came = `${protocol}//, so that every key can be read on the way`;
      return judged([], isPlain ? [{ exchanges: [], came }] : []);
    },
  },
};

function inWords({ kind, message }: Fault): string {
  return kind === 'unreachable' ? `the server could not be reached any more: ${message}` : `the server ${message}`;
}

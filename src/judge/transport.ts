import { outageInWords, outageOf, whileServing } from '../evidence/service';
import { judged, notTested, type Rules } from './finding';

export const transportRules: Rules = {
  'transport.complete': {
    needs: ['read', 'missing-key'],
    ofTheWholeRun: true,
    judge(evidence) {
      if (evidence.exchanges.length === 0) return notTested('Nothing was sent.');
      const outage = outageOf(evidence);
      const stopped = outage ? [{ exchanges: [outage], came: outageInWords(outage, evidence) }] : [];
      const broken = whileServing(evidence).exchanges.flatMap((one) =>
        one.fault === null
          ? []
          : [
              {
                exchanges: [one],
                came: `the server ${one.fault.kind === 'unreachable' ? `could not be reached any more: ${one.fault.message}` : one.fault.message}`,
              },
            ],
      );
      return judged(evidence.exchanges, [...stopped, ...broken]);
    },
  },

  'transport.https': {
    needs: [],
    judge(evidence) {
      const { protocol, hostname } = new URL(evidence.target.baseURL);
      const isLocal =
        hostname === 'localhost' || hostname.endsWith('.localhost') || hostname === '[::1]' || /^127\./.test(hostname);
      const plain = protocol !== 'https:' && !isLocal;
      return {
        breaches: plain ? [{ exchanges: [], came: `${protocol}//, so that every key can be read on the way` }] : [],
        evidence: [],
        notTested: null,
      };
    },
  },
};

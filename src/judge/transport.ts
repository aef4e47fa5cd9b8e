/** The transport clauses: whole HTTP messages (RFC 9112 section 8), and https for the key's sake. */
import { plural } from '../common/text';
import type { Flaw } from '../contract/result';
import { isLoopback } from '../contract/settings';
import type { Exchange, Fault } from '../evidence/model';
import { accidentsOf, outageInWords, outageOf, unsteadinessInWords } from '../evidence/responder/failures';
import { lostInQueues } from '../evidence/responder/queueing';
import { isOfTheServer } from '../evidence/responder/serving';
import { breachesIn, flawIn, judged, notTested, notTestedWhen, type Rules } from './finding';

export const transportRules: Rules = {
  'transport.complete': {
    needs: ['read', 'missing-key'],
    judge(served, everything = served) {
      if (everything.exchanges.length === 0) return notTested('Nothing was sent.');
      const outage = outageOf(everything);
      const [first] = outage;
      const stopped = first ? [{ ...serverFlaw(outageInWords(outage)), exchanges: [first] }] : [];
      const accidents = accidentsOf(everything);
      const byChance = accidents.flat();
      const unsteady =
        accidents.length > 1
          ? [{ ...serverFlaw(unsteadinessInWords(everything)), exchanges: byChance.slice(0, 1) }]
          : [];
      // One broken answer by accident is a note; what breaks more often is no accident.
      const alsoBroken = byChance.filter(({ fault }) => fault !== null);
      const answered = [...served.exchanges.filter(isOfTheServer), ...(alsoBroken.length > 1 ? alsoBroken : [])];
      const brokenAmong = (exchanges: Exchange[]) =>
        breachesIn(exchanges, ({ fault }) => fault && serverFlaw(inWords(fault)));
      const isDescribed = (exchange: Exchange) => isOfTheDescription(exchange, everything.target.baseURL);
      const broken = brokenAmong(answered.filter(isDescribed));
      // Some servers send a body behind HEAD: that is a warning, as of all that the description does not show.
      const warnings = brokenAmong(answered.filter((exchange) => !isDescribed(exchange)));
      const lost = [...lostInQueues(everything)];
      return notTestedWhen(
        { ...judged(everything.exchanges, [...stopped, ...unsteady, ...broken]), warnings },
        lost[0]
          ? `${plural(lost.length, 'request')} of ${lost[0].account} waited in a queue for too long, as where somebody else uses its key: keep it idle and run again.`
          : null,
        lost,
      );
    },
  },

  'transport.https': {
    needs: [],
    judge(evidence) {
      const { baseURL } = evidence.target;
      const { protocol, hostname } = new URL(baseURL);
      const isPlain = protocol !== 'https:' && !isLoopback(hostname);
      const got = 'plain http, so that every key can be read on the way';
      return judged([], isPlain ? [{ ...flawIn('address', baseURL, got, 'https://'), exchanges: [] }] : []);
    },
  },
};

/** Whether a request is one that the API description shows: GET on the settings or on the base path. */
function isOfTheDescription({ request: { method, url } }: Exchange, baseURL: string): boolean {
  return method === 'GET' && [`${baseURL}/webhooks`, `${baseURL}/`].includes(url.replace(/\?.*$/s, ''));
}

function serverFlaw(got: string): Flaw {
  return flawIn('server', 'the server', got, 'a whole answer to every request');
}

function inWords({ kind, message }: Fault): string {
  return kind === 'unreachable' ? `the server could not be reached any more: ${message}` : `the server ${message}`;
}

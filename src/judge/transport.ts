/** The transport clauses: whole HTTP messages (RFC 9112 section 8) and https; and the words for outages and accidents. */
import { listed, plural } from '../common/text';
import type { Flaw } from '../contract/result';
import { isLoopback } from '../contract/settings';
import type { Evidence, Exchange, Fault } from '../evidence/model';
import { statusOf } from '../evidence/responder/classify';
import { accidentsOf, isOfTheServer, isShutOut, outageOf, whyNotServing } from '../evidence/responder/failures';
import { lostInQueues } from '../evidence/responder/queueing';
import { spanOf } from '../evidence/time/in-flight';
import { breachesIn, flawIn, judged, notTested, notTestedWhen, type Rules } from './finding';

export const transportRules: Rules = {
  'transport.complete': {
    needs: ['read', 'missing-key'],
    judge(served, everything = served) {
      if (everything.exchanges.length === 0) return notTested('Nothing was sent.');
      const outage = outageOf(everything);
      const stopped = breachesIn(outage.slice(0, 1), () => serverFlaw(outageInWords(outage)));
      const accidents = accidentsOf(everything);
      const byChance = accidents.flat();
      const shown = accidents.length > 1 ? byChance.slice(0, 1) : [];
      const unsteady = breachesIn(shown, () => serverFlaw(unsteadinessInWords(everything)));
      // A single broken answer is an accident and a note. Several are none.
      const alsoBroken = byChance.filter(({ fault }) => fault !== null);
      const answered = [...served.exchanges.filter(isOfTheServer), ...(alsoBroken.length > 1 ? alsoBroken : [])];
      const brokenAmong = (exchanges: Exchange[]) =>
        breachesIn(exchanges, ({ fault }) => fault && serverFlaw(inWords(fault)));
      const isDescribed = (exchange: Exchange) => isOfTheDescription(exchange, everything.target.baseURL);
      const broken = brokenAmong(answered.filter(isDescribed));
      // Some servers send a body behind HEAD. What the description does not show is only a warning.
      const warnings = brokenAmong(answered.filter((exchange) => !isDescribed(exchange)));
      const finding = { ...judged(everything.exchanges, [...stopped, ...unsteady, ...broken]), warnings };
      const lost = [...lostInQueues(everything)];
      const why = `${plural(lost.length, 'request')} of ${lost[0]?.account} waited in a queue for too long, as where somebody else uses its key: keep it idle and run again.`;
      return notTestedWhen(finding, lost.length > 0 ? why : null, lost);
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

/** Whether the API description shows a request: GET on the settings or on the base path. */
function isOfTheDescription({ request: { method, url } }: Exchange, baseURL: string): boolean {
  return method === 'GET' && [`${baseURL}/webhooks`, `${baseURL}/`].includes(url.replace(/\?.*$/s, ''));
}

function serverFlaw(got: string): Flaw {
  return flawIn('server', 'the server', got, 'a whole answer to every request');
}

function inWords({ kind, message }: Fault): string {
  return kind === 'unreachable' ? `the server could not be reached any more: ${message}` : `the server ${message}`;
}

/** Returns what an outage showed, in words. @param outage its exchanges */
export function outageInWords(outage: readonly Exchange[]): string {
  const seconds = (spanOf(outage).fromMs / 1000).toFixed(1);
  const answers = new Set(outage.map(({ fault, response }) => (fault ? 'no whole answer' : String(response?.status))));
  const whose = outage.every(({ account }) => account !== null)
    ? 'to all valid keys, while requests without one were still rejected'
    : 'to valid keys and without a key alike';
  return `from ${seconds} s into the run to its end every request got ${listed(answers, 'or')}, ${outage.length} in all, ${whose}: the server had stopped serving`;
}

/** Returns a note about what failed by chance, which no clause is judged by; `null` if nothing did. */
export function accidentsInWords(evidence: Evidence): string | null {
  const [failed = [], ...more] = accidentsOf(evidence);
  const [first] = failed;
  if (!first) return null;
  if (more.length > 0)
    return `Unsteady: ${unsteadinessInWords(evidence)}. The clauses are judged without these answers.`;
  const { index, request } = first;
  if (isShutOut(evidence))
    return `From entry ${index} on, ${plural(failed.length, 'answer')} (${answersOf(failed)}) judge no clause: ${whyNotServing(evidence)}.`;
  const others = failed.length > 1 ? ` and ${failed.length - 1} more` : '';
  const judged = failed.filter(({ fault }) => fault !== null).length > 1 ? 'transport.complete alone' : 'no clause';
  return `At one moment alone, so ${judged} was judged by it: ${answersOf(failed)} to ${request.method} ${request.url} (entry ${index})${others}. The same request was answered normally at other times.`;
}

function unsteadinessInWords(evidence: Evidence): string {
  const accidents = accidentsOf(evidence);
  const failed = accidents.flat();
  const keyed = failed.filter(({ account }) => account !== null).length;
  return `${failed.length} of ${evidence.exchanges.length} answers failed (${answersOf(failed)}), at ${accidents.length} moments: ${keyed} to valid keys, ${failed.length - keyed} to requests without one; the same requests were answered normally at other times`;
}

function answersOf(failed: readonly Exchange[]): string {
  return listed([...new Set(failed.map((exchange) => exchange.fault?.kind ?? String(statusOf(exchange))))]);
}

/** The rate clauses about presence and form of headers (API description, section 8; RFC 9110 section 10.2.3). */
import { listed } from '../../common/text';
import { DAY_SECONDS, ROUNDING_SECONDS } from '../../contract/bounds';
import { httpDate, parsedHeaders, valuesOf, wholeNumber } from '../../evidence/http/headers';
import { type Evidence, type Exchange, whyNotSent } from '../../evidence/model';
import { isWhole, statusOf } from '../../evidence/responder/classify';
import { answeredAt, secondsAhead, zoneIn } from '../../evidence/time/server-clock';
import { BROKEN, each, type Finding, flawIn, judged, notTested, type Rule, type Rules } from '../finding';
import { carries, headed, keyedResponses, noRefusal, ofRefusals, refusalsOf, withoutRefusals } from './facts';

export const headerRules: Rules = {
  'rate.headers-present': {
    needs: ['sequence'],
    judge(evidence) {
      const responses = keyedResponses(evidence);
      if (responses.length === 0) return notTested(whyNotSent(evidence, 'read', BROKEN));
      const absent = HEADERS.filter((name) => !responses.some(carries(name)));
      // A header may only be on refusals.
      if (absent.length > 0 && refusalsOf(evidence).length === 0)
        return notTested(`No response carried ${absent.join(', ')}. ${noRefusal(evidence)}`);
      const all = responses.length === 1 ? 'the only response' : `all ${responses.length} responses`;
      return judged(
        responses,
        absent.map((name) => ({
          ...flawIn('header', name, `absent from ${all} to a valid key`, 'on these responses'),
          exchanges: responses.slice(0, 1),
        })),
      );
    },
  },

  'rate.headers-everywhere': {
    needs: ['sequence'],
    dependsOn: ['rate.headers-present'],
    judge(evidence) {
      const responses = keyedResponses(evidence);
      // rate.headers-present judges a header that no response has.
      const used = HEADERS.filter((name) => responses.some(carries(name)));
      if (responses.length > 0 && used.length === 0) return notTested('No response carried any X-RateLimit header.');
      return each(responses, whyNotSent(evidence, 'read', BROKEN), (exchange) => {
        const absent = used.filter((name) => !carries(name)(exchange));
        return absent.map((name) => flawIn('header', name, `absent from a ${statusOf(exchange)}`, 'on every response'));
      });
    },
  },

  'rate.limit-format': wherever('X-RateLimit-Limit', 'a decimal integer above 0', (value) => {
    const limit = wholeNumber(value);
    return limit === null ? notDecimal(value) : limit > 0 ? null : 'not above 0';
  }),

  'rate.remaining-format': wherever('X-RateLimit-Remaining', 'a decimal integer up to the limit', (value, exchange) => {
    const remaining = wholeNumber(value);
    if (remaining === null) return notDecimal(value);
    const limit = parsedHeaders(exchange).limit;
    return limit !== null && remaining > limit ? `above X-RateLimit-Limit: ${limit}` : null;
  }),

  'rate.reset-format': wherever(
    'X-RateLimit-Reset',
    'whole seconds since the epoch, soon to come',
    (value, exchange, evidence) => {
      const reset = wholeNumber(value);
      if (reset !== null) return wrongMoment(reset, exchange, evidence);
      return Number.isNaN(Number(value)) ? 'not a number of seconds since the epoch' : notDecimal(value);
    },
  ),

  'rate.retry-after-present': {
    needs: ['sequence', 'concurrent'],
    judge: (evidence) =>
      ofRefusals(evidence, (refusals) => {
        if (refusals.some(carries('Retry-After'))) return judged(refusals, []);
        // A server that holds requests back may refuse one by accident.
        if (refusals.length === 1)
          return notTested('A single request was refused, without Retry-After: that may be an accident.');
        const flaw = flawIn('header', 'Retry-After', `absent from all ${refusals.length} refusals`, 'on a refusal');
        return judged(refusals, [{ ...flaw, exchanges: refusals.slice(0, 1) }]);
      }),
  },

  'rate.retry-after-format': {
    needs: ['sequence', 'concurrent'],
    dependsOn: ['rate.retry-after-present'],
    judge(evidence) {
      const finding = retryAfterForm.judge(evidence);
      const isBare = finding.notTested !== null && refusalsOf(evidence).length === 0;
      return isBare ? withoutRefusals(evidence) : finding;
    },
  },
};

/** Returns what is wrong with a Reset in whole numbers; `null` if it is a moment soon to come. */
export function wrongMoment(reset: number, exchange: Exchange, evidence: Evidence): string | null {
  const { most: now } = answeredAt(exchange, evidence);
  if (reset < now / 10) return 'a number of seconds to wait, not a time since the epoch';
  if (reset > now * 100) return `${unitOf(reset / now)}, not seconds since the epoch`;
  const ahead = secondsAhead(reset, exchange, evidence);
  if (ahead.least > DAY_SECONDS) return 'more than a day ahead';
  // A queue may hold a response back after its headers were made.
  const heldSeconds = (exchange.receivedAtMs - exchange.sentAtMs) / 1000;
  return ahead.most < -ROUNDING_SECONDS - heldSeconds
    ? `${Math.round(-ahead.most)} s before the response${parsedHeaders(exchange).dateSeconds === null ? '' : ', by its Date'}${zoneIn(ahead, evidence)}`
    : null;
}

/** Returns the unit in which a time is counted. @param times how many times larger it is than in seconds */
function unitOf(times: number): string {
  if (times < 3e4) return 'milliseconds';
  return times < 3e7 ? 'microseconds' : 'nanoseconds';
}

const retryAfterForm = wherever('Retry-After', 'whole seconds or an HTTP-date', (value) => {
  if (wholeNumber(value) !== null || httpDate(value)) return null;
  return /^[-+]?\d+(?:\.\d+)?$/.test(value) ? notDecimal(value) : 'neither whole seconds nor an HTTP-date in GMT';
});

const HEADERS = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];

/** Judges a header on every response that has it. @param check returns what is wrong with its value */
function wherever(
  name: string,
  expected: string,
  check: (value: string, exchange: Exchange, evidence: Evidence) => string | null,
): Rule {
  const judge = (evidence: Evidence): Finding => {
    const bearing = headed(evidence).filter(isWhole).filter(carries(name));
    return each(bearing, `No response carried ${name}.`, (exchange) => {
      const values = valuesOf(exchange, name);
      if (values.length > 1)
        return flawIn('header', name, `${values.length} times: ${listed(values)}`, `${expected}, once`);
      const wrong = check(values[0] ?? '', exchange, evidence);
      return wrong === null ? null : flawIn('header', name, `${values[0]} (${wrong})`, expected);
    });
  };
  const present = name === 'Retry-After' ? 'rate.retry-after-present' : 'rate.headers-present';
  return { needs: ['sequence'], dependsOn: [present], judge };
}

function notDecimal(value: string): string {
  if (/^-\d+$/.test(value)) return 'negative';
  return /^-?\d+\.\d+$/.test(value) ? 'a fraction' : 'not a decimal integer';
}

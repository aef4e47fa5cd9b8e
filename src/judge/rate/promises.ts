/** The rate clauses about promises: Reset and Retry-After come true and agree (API description, section 8). */
import { DAY_SECONDS, longestHonestSeconds, ROUNDING_SECONDS } from '../../contract/bounds';
import type { Flaw } from '../../contract/result';
import { parsedHeaders, valuesOf } from '../../evidence/http/headers';
import type { Evidence, Exchange } from '../../evidence/model';
import { secondsAhead, waitAskedSeconds, zoneIn } from '../../evidence/time/server-clock';
import { isBrokenAgain, type Promised, type PromiseKind, promisesTo, unsettledOf } from '../../limiter/reported';
import { isBlock, isStricter, oddSingles } from '../../limiter/stricter';
import { isSpaced, timelineOf, windowMsOf } from '../../limiter/timeline';
import { breachesIn, each, type Finding, flawIn, inapplicable, judged, notTested, type Rules } from '../finding';
import { carries, freshWith, notTestedForOthers, ofIdleAccounts, ofRefusals } from './facts';
import { wrongMoment } from './headers';

export const promiseRules: Rules = {
  'rate.reset-honest': {
    needs: ['recovery', 'promise'],
    dependsOn: ['rate.headers-present', 'rate.reset-format'],
    ofAKeptLimit: true,
    judge(evidence) {
      const bearing = freshWith('reset', evidence).filter(
        (exchange) => wrongMoment(parsedHeaders(exchange).reset as number, exchange, evidence) === null,
      );
      if (bearing.length === 0)
        return notTested('No fresh response to a valid key carried a well-formed X-RateLimit-Reset.');
      // Another client does not explain a moment further ahead than any limiter of the rate names.
      const far = breachesIn(bearing, (exchange) => farAhead(exchange, evidence));
      if (far.length > 0) return judged(bearing, far);
      return unlessOthersExplain(bearing, 'reset', lateReset)(evidence);
    },
  },

  'rate.retry-after-honest': {
    needs: ['recovery'],
    dependsOn: ['rate.retry-after-present', 'rate.retry-after-format'],
    ofAKeptLimit: true,
    judge: (evidence) =>
      ofRefusals(evidence, (refusals) => {
        const asking = refusals.filter((exchange) => parsedHeaders(exchange).retryAfter !== null);
        if (asking.length === 0) return notTested('No refusal carried a well-formed Retry-After.');
        const late = breachesIn(asking, (exchange) => tooLong(exchange, evidence));
        if (late.length > 0) return judged(asking, late);
        return unlessOthersExplain(asking, 'wait', lateWait)(evidence);
      }),
  },

  'rate.retry-after-agrees': {
    needs: ['sequence'],
    ofAKeptLimit: true,
    judge: (evidence) =>
      ofRefusals(evidence, (refusals) => {
        if (!refusals.filter(carries('Retry-After')).some(carries('X-RateLimit-Reset')))
          return inapplicable(
            refusals,
            `None of ${refusals.length} refusals carried both Retry-After and X-RateLimit-Reset, so there is nothing to agree.`,
          );
        const both = refusals.filter(
          (exchange) => parsedHeaders(exchange).retryAfter !== null && resetIsTime(exchange, evidence),
        );
        return each(
          both,
          'No refusal carried a well-formed Retry-After together with a well-formed X-RateLimit-Reset.',
          (exchange) => apartness(exchange, evidence),
        );
      }),
  },
};

/**
 * Judges promises. Refusals of one moment may be one accident, which later kept promises of the same kind show. Another
 * client may explain the refusal of a request that kept its distance from all requests of its account.
 */
function unlessOthersExplain(bearing: readonly Exchange[], kind: PromiseKind, flawOf: (broken: Promised) => Flaw) {
  return (evidence: Evidence): Finding => {
    const ofAccounts = (accounts: readonly string[]): Finding => {
      const broken = accounts.flatMap((account) => promisesTo(evidence, account, kind).broken);
      if (!isBrokenAgain(evidence, broken)) {
        const isOpen = accounts.some((account) => unsettledOf(evidence, account, kind) !== null);
        return isOpen ? notTested(BROKEN_ONCE) : judged(bearing, []);
      }
      const isOdd = ({ account, fromMs }: Promised) => {
        const own = timelineOf(evidence, account);
        const odd = oddSingles(evidence, account).find((each) => each.fromMs === fromMs);
        return odd !== undefined && isSpaced(odd, own, windowMsOf(evidence));
      };
      if (broken.some(isOdd) && !isStricter(evidence) && !isBlock(evidence)) return notTestedForOthers(evidence);
      return judged(
        bearing,
        broken.map((each) => ({ ...flawOf(each), exchanges: [each.exchange, each.promise] })),
      );
    };
    return ofIdleAccounts((_, accounts) => ofAccounts(accounts))(evidence);
  };
}

const BROKEN_ONCE =
  'A request was refused after what was promised, at one moment, and too few promises alike came after it to show why: run again.';

function lateReset({ promise }: Promised): Flaw {
  const got = `${parsedHeaders(promise).reset}, and the next request refused after it, with nothing sent meanwhile`;
  return flawIn('header', 'X-RateLimit-Reset', got, 'acceptance once it has passed');
}

/** The flaw of a Reset further ahead than any honest one. */
function farAhead(exchange: Exchange, evidence: Evidence): Flaw | null {
  const reset = parsedHeaders(exchange).reset as number;
  const { least: ahead } = secondsAhead(reset, exchange, evidence);
  if (ahead <= longestHonestSeconds(evidence.target.rate)) return null;
  const zone = zoneIn(secondsAhead(reset, exchange, evidence), evidence);
  const got = `${reset}, ${Math.round(ahead)} s ahead${byWhichClock(exchange)}${zone}`;
  return flawIn('header', 'X-RateLimit-Reset', got, endOfWindow(evidence));
}

/** Returns words for the clock if it is not the server's own. */
function byWhichClock(exchange: Exchange): string {
  return parsedHeaders(exchange).dateSeconds === null ? " of this machine's clock, as there is no Date" : '';
}

function endOfWindow(evidence: Evidence): string {
  return `the end of a window of ${evidence.target.rate.seconds} s`;
}

/** The flaw of a wait that no honest limiter of this rate asks for. */
function tooLong(refusal: Exchange, evidence: Evidence): Flaw | null {
  const asked = waitAskedSeconds(refusal, evidence);
  const rounding = parsedHeaders(refusal).retryAfter?.form === 'date' ? ROUNDING_SECONDS : 0;
  if (!asked || asked.least <= longestHonestSeconds(evidence.target.rate) + rounding) return null;
  const got = `${valuesOf(refusal, 'Retry-After')[0]}, which asks for ${Math.round(asked.least)} s`;
  return flawIn('header', 'Retry-After', got, endOfWindow(evidence));
}

function lateWait({ exchange, promise }: Promised): Flaw {
  const waitedMs = Math.round(exchange.sentAtMs - promise.receivedAtMs);
  const value = valuesOf(promise, 'Retry-After')[0];
  const got = `${value}, and refused again ${waitedMs} ms later, with nothing sent meanwhile`;
  return flawIn('header', 'Retry-After', got, 'acceptance after that wait');
}

/** The flaw of a Retry-After and a Reset that contradict each other. */
function apartness(refusal: Exchange, evidence: Evidence): Flaw | null {
  const asked = parsedHeaders(refusal).retryAfter;
  const reset = parsedHeaders(refusal).reset as number;
  const ahead = secondsAhead(reset, refusal, evidence);
  const apart =
    asked?.form === 'seconds'
      ? Math.max(ahead.least - asked.seconds, asked.seconds - ahead.most)
      : Math.abs((asked?.epochSeconds ?? reset) - reset);
  if (apart <= longestHonestSeconds(evidence.target.rate)) return null;
  const [value, seconds] = [valuesOf(refusal, 'Retry-After')[0], Math.round(apart)];
  // A Reset that is wrong by itself is one cause, whatever it is compared with.
  if (ahead.least > longestHonestSeconds(evidence.target.rate) || ahead.most < -ROUNDING_SECONDS) {
    const got = `${reset}, and Retry-After: ${value}, ${seconds} s apart${zoneIn(ahead, evidence)}`;
    return flawIn('header', 'X-RateLimit-Reset', got, 'the moment of Retry-After');
  }
  const got = `${value}, and X-RateLimit-Reset: ${reset}, ${seconds} s apart`;
  return flawIn('header', 'Retry-After', got, 'the moment of X-RateLimit-Reset');
}

/** Whether Reset is a time at all. rate.reset-format judges another unit. */
function resetIsTime(exchange: Exchange, evidence: Evidence): boolean {
  const reset = parsedHeaders(exchange).reset;
  return reset !== null && Math.abs(secondsAhead(reset, exchange, evidence).least) <= DAY_SECONDS;
}

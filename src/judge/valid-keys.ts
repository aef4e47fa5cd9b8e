/** The auth clauses about requests with a valid key (API description, section 5; RFC 9110 section 5.1). */
import type { Flaw } from '../contract/result';
import { parsedHeaders, reportsALimit, valuesOf } from '../evidence/http/headers';
import { type Evidence, type Exchange, exchangesOf, isAtTheBase, ofTheApi, whyNotSent } from '../evidence/model';
import { askedFor, isAccepted, isRefused, isRejectedAsWrong, isWhole, statusOf } from '../evidence/responder/classify';
import { foreignReads, readsOf, usualSettings } from '../evidence/settings-reads';
import { besides, ownOf } from '../evidence/time/in-flight';
import { refusedByAddress } from '../limiter/stricter';
import { withoutMarkers } from '../redaction/markers';
import { breachesIn, each, type Finding, flawIn, notTested, notTestedWhen, type Rules, requestFlaw } from './finding';
import { echoedKey } from './leaks';

/** Only settings that can be read show whose they are. */
const READABLE = ['auth.accepted', 'settings.json', 'settings.envelope'];

export const validKeyRules: Rules = {
  'auth.accepted': { needs: ['read', 'wrong-key-before'], ofEveryRequest: true, judge: validKeysAreAccepted },

  'auth.base-path-accepted': {
    needs: ['base-accepted', 'missing-key', 'base-rejected'],
    judge: basePathIsOpenToValidKeys,
  },

  'auth.header-name-case': { needs: ['header-case'], judge: headerNamesHaveNoCase },

  'auth.own-settings': { needs: ['read'], dependsOn: READABLE, judge: (evidence) => eachGetsItsOwn(evidence, true) },
  'auth.isolation': { needs: ['together'], dependsOn: READABLE, judge: (evidence) => eachGetsItsOwn(evidence, false) },

  'auth.key-not-echoed': {
    needs: ['read', 'missing-key', 'unknown-key'],
    judge: (evidence) => each(evidence.exchanges, 'nothing was sent', (exchange) => echoedKey(exchange, evidence)),
  },

  'auth.not-publicly-cacheable': {
    needs: ['read'],
    judge(evidence) {
      const accepted = ofTheApi(evidence).filter((exchange) => exchange.account !== null && isAccepted(exchange));
      return each(accepted, 'no request with a valid key was accepted', publicCaching);
    },
  },
};

/** How a finding names an account whose key was never accepted. */
export function neverAccepted(account: string | null): string {
  return `to the valid key of ${account} (are the key and the address right?)`;
}

/** Judges reads. A refusal is for the rate clauses, unless the account was never accepted. */
function validKeysAreAccepted(evidence: Evidence): Finding {
  const wasAccepted = (account: string | null) =>
    evidence.exchanges.some((exchange) => exchange.account === account && isAccepted(exchange));
  const planned = exchangesOf(evidence, 'read', 'together').filter(
    (read) => !isRefused(read, evidence) || !wasAccepted(read.account),
  );
  const reads = [...new Set([...planned, ...readsRejectedAsWrong(evidence)])];
  // Where other keys are accepted, refusals that speak of the rate do not show whether this key is valid.
  const isAlwaysRefused = (account: string | null) =>
    evidence.exchanges.some(isAccepted) &&
    ownOf(evidence, account ?? '').every((exchange) => isRefused(exchange, evidence)) &&
    ownOf(evidence, account ?? '').some(
      (exchange) => reportsALimit(exchange) || parsedHeaders(exchange).retryAfter !== null,
    );
  const out = evidence.target.accounts.find(({ name }) => ownOf(evidence, name).length > 0 && isAlwaysRefused(name));
  const finding = each(
    reads.filter((read) => !isAlwaysRefused(read.account)),
    whyNotSent(evidence, 'read', 'no account was read'),
    (read) => {
      if (isAccepted(read)) return null;
      const { account } = read;
      const name = wasAccepted(account) ? `to the valid key of ${account}` : neverAccepted(account);
      return flawIn('request', name, String(statusOf(read)), 'a 2xx');
    },
  );
  const why = `Each request of ${out?.name} was refused because of the rate: if somebody else uses its key, keep it idle and run again.`;
  return notTestedWhen(finding, out ? why : null, []);
}

function readsRejectedAsWrong(evidence: Evidence): Exchange[] {
  const usual = new Set(exchangesOf(evidence, 'read').map(({ request }) => askedFor(request)));
  const asked = evidence.exchanges.filter(({ request }) => usual.has(askedFor(request)));
  return asked.filter((exchange) => isRejectedAsWrong(exchange, evidence));
}

const NO_CASE = 'a 2xx, as header names have no case';

/** Returns the name of the header with the key where it is spelled in another letter case. */
function respelledName({ request }: Exchange): string | undefined {
  return request.headers.map(([name]) => name).find((name) => name !== 'apiKey' && name.toLowerCase() === 'apikey');
}

/** Judges each spelling of the header's name. A refusal does not count, nor a failure that the usual name got as well. */
function headerNamesHaveNoCase(evidence: Evidence): Finding {
  const failures = new Set(readsRejectedAsWrong(evidence).map(statusOf));
  const planned = exchangesOf(evidence, 'header-case', 'base-accepted').filter(({ probe }) => probe.form !== '');
  // Bursts use the spellings that were accepted on the base path.
  const rejected = ofTheApi(evidence).filter((each) => respelledName(each) && isRejectedAsWrong(each, evidence));
  const spelled = [...new Set([...planned, ...rejected])];
  const usual = exchangesOf(evidence, 'base-accepted').filter(({ probe }) => probe.form === '');
  // The base path may turn every valid key away (auth.base-path-accepted).
  const isOpen = ({ account }: Exchange) => usual.some((other) => other.account === account && isAccepted(other));
  const isOfTheName = (exchange: Exchange) =>
    !isRefused(exchange, evidence) && !failures.has(statusOf(exchange)) && (!isAtTheBase(exchange) || isOpen(exchange));
  const counted = spelled.filter((exchange) => isAccepted(exchange) || isOfTheName(exchange));
  const finding = each(
    counted,
    whyNotSent(evidence, 'header-case', 'every such request was refused because of the rate limit'),
    (exchange) => {
      if (isAccepted(exchange)) return null;
      if (planned.includes(exchange)) return requestFlaw(exchange, NO_CASE);
      const words = `to the valid key of ${exchange.account} in a header named ${respelledName(exchange)}`;
      return flawIn('request', words, String(statusOf(exchange)), NO_CASE);
    },
  );
  const seen = new Set(counted.map(({ probe }) => probe.form));
  const unseen = planned.find(({ probe }) => !seen.has(probe.form));
  return notTestedWhen(finding, unseen ? `a header named ${unseen.probe.form} was only refused` : null);
}

/** A status that turns a caller away breaks the clause. Any other status but 2xx is a warning, as none is described. */
function basePathIsOpenToValidKeys(evidence: Evidence): Finding {
  // Another spelling of the header counts where it is accepted; where it is not, the usual one is sent as well.
  // A 429 is always about the rate.
  const refused = refusedByAddress(evidence);
  const isClosed =
    refused.length > 0 && refused.every(({ exchange }) => isAtTheBase(exchange) && statusOf(exchange) !== 429);
  const probes = exchangesOf(evidence, 'base-accepted').filter(
    (exchange) => (isClosed || !isRefused(exchange, evidence)) && (exchange.probe.form === '' || isAccepted(exchange)),
  );
  const statusesWithoutKey = exchangesOf(evidence, 'missing-key', 'base-rejected')
    .filter(({ probe }) => probe.form !== 'unknown-key')
    .map(statusOf);
  const isTurnedAway = (exchange: Exchange) => {
    const status = statusOf(exchange);
    return status === 401 || status === 403 || status >= 500 || statusesWithoutKey.includes(status);
  };
  const none = whyNotSent(evidence, 'base-accepted', 'no request to the base path was let through');
  const flawOf = (exchange: Exchange) => (isAccepted(exchange) ? null : requestFlaw(exchange, 'a 2xx'));
  const finding = each(probes, none, (exchange) => (isTurnedAway(exchange) ? flawOf(exchange) : null));
  const others = probes.filter((exchange) => isWhole(exchange) && !isTurnedAway(exchange));
  return { ...finding, warnings: breachesIn(others, flawOf) };
}

/** Judges the reads during which no other account asked (`alone`), or those during which one did. */
function eachGetsItsOwn(evidence: Evidence, alone: boolean): Finding {
  if (evidence.target.accounts.length < 2) return notTested({ declare: ONLY_ONE });
  const isAlone = (read: Exchange) =>
    besides(read, evidence).every(({ account }) => account === null || account === read.account);
  const reads = readsOf(evidence).filter((read) => isAlone(read) === alone);
  const foreign = foreignReads(evidence);
  const none = whyNotSent(evidence, 'read', 'no read of two accounts was accepted');
  const finding = each(reads, none, ({ index, account }) => {
    const owner = foreign.get(index);
    if (owner === undefined) return null;
    return flawIn('request', `to the key of ${account}`, `the settings of ${owner}`, `the settings of ${account}`);
  });
  const settings = evidence.target.accounts.flatMap(({ name }) => usualSettings(evidence, name) ?? []);
  if (reads.length === 0 || new Set(settings).size > 1) return finding;
  return notTestedWhen(finding, whyNotSent(evidence, 'read', settings.length < 2 ? UNREAD : { declare: ALIKE }), []);
}

const ONLY_ONE = 'Declare a second account in the target file: what one account gets is compared with another’s.';
const UNREAD = 'Fewer than two accounts got settings that could be read, so a mix-up would not show.';
const ALIKE =
  'All accounts gave the same settings, so a mix-up would not show: declare accounts whose settings differ.';

/** What lets a shared cache serve a response to callers with another key; `null` if nothing does. */
function publicCaching(exchange: Exchange): Flaw | null {
  const control = valuesOf(exchange, 'Cache-Control').join(',').toLowerCase();
  const isForAll = /(?:^|[\s,])(?:public|s-maxage)\b/.test(control);
  if (!isForAll || /(?:^|[\s,])(?:no-store|private)\b/.test(control)) return null;
  const varies = valuesOf(exchange, 'Vary').some((value) => /(?:^|,)\s*(?:apikey|\*)\s*(?:,|$)/i.test(value));
  const got = `${withoutMarkers(control)}, without Vary: apiKey`;
  return varies ? null : flawIn('header', 'Cache-Control', got, 'private or no-store, or Vary: apiKey');
}

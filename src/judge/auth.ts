/** The auth clauses (API description, section 5; RFC 9110 sections 5.1 and 11). */
import { type Group, groupsWhere, type Need, standsFor, wordsOf } from '../catalogue/catalogue';
import { plural } from '../common/text';
import type { Flaw } from '../contract/result';
import { speaksOfTheRate, valuesOf } from '../evidence/http/headers';
import {
  type Evidence,
  type Exchange,
  exchangesOf,
  isAtTheBase,
  isOfTheApi,
  ofTheApi,
  whyNotSent,
} from '../evidence/model';
import {
  askedFor,
  disclosesSettings,
  isAccepted,
  isRefused,
  isRejectedAsWrong,
  isRejection,
  isWhole,
  statusOf,
} from '../evidence/responder/classify';
import { answersAmong, bansOf } from '../evidence/responder/guards';
import { bodyAt, foreignReads, readsOf, usualSettings } from '../evidence/settings-reads';
import { ownOf, underWay } from '../evidence/time/in-flight';
import { TELLING } from '../limiter/stricter';
import { accountsOf, withRoom } from '../limiter/timeline';
import { withoutMarkers } from '../redaction/markers';
import {
  type Breach,
  breachesIn,
  each,
  type Finding,
  flawIn,
  judged,
  notTested,
  notTestedWhen,
  type Rule,
  type Rules,
} from './finding';
import { echoedKey, settingsInRejections, settingsServedBy } from './leaks';

/** The plainest requests without a valid key. */
const PLAIN: readonly Need[] = ['missing-key', 'empty-key', 'unknown-key'];
const RISKY = 'A valid key in a URL may end up in logs: set RISKY_PROBES=1 to send it.';

/** Whose settings were served is seen where they can be read. */
const READABLE = ['auth.accepted', 'settings.json', 'settings.envelope'];

export const authRules: Rules = {
  'auth.accepted': { needs: ['read', 'wrong-key-before'], ofEveryRequest: true, judge: validKeysAreAccepted },

  'auth.missing-key': rejects('missing-key'),
  'auth.empty-key': rejects('empty-key'),
  'auth.unknown-key': rejects('unknown-key'),
  'auth.altered-key': rejects('altered-key'),
  'auth.other-carrier': {
    needs: ['other-carrier', 'base-rejected'],
    ofEveryRequest: true,
    judge: otherCarriersAreRejected,
  },

  'auth.key-in-url': {
    ...rejects('key-in-url'),
    judge: (evidence) =>
      evidence.target.riskyProbes ? rejects('key-in-url').judge(evidence) : notTested({ declare: RISKY }),
  },

  'auth.no-session': rejects('session', 'after-accepted', 'between-reads'),
  'auth.base-path-rejected': rejects('base-rejected'),
  'auth.base-path-accepted': {
    needs: ['base-accepted', 'missing-key', 'base-rejected'],
    judge: basePathIsOpenToValidKeys,
  },

  'auth.every-path': ofCounted(['every-path'], servedWithoutKey),
  'auth.every-method': { needs: ['every-method'], ofEveryRequest: true, judge: noMethodIsAccepted },
  'auth.header-name-case': { needs: ['header-case'], judge: headerNamesHaveNoCase },

  'auth.rejection-status': { needs: PLAIN, judge: rejectionsAreClientErrors },
  'auth.rejection-401-403': {
    needs: PLAIN,
    judge: (evidence) =>
      each(
        answersTo(evidence, MUST_BE_REJECTED).counted.filter(isRejection),
        'no request without a valid key was rejected',
        flawOfRejection,
      ),
  },

  'auth.rejection-discloses-nothing': { needs: ['read', ...PLAIN], judge: settingsInRejections },

  'auth.own-settings': { needs: ['read'], dependsOn: READABLE, judge: eachGetsItsOwn(true) },
  'auth.isolation': { needs: ['together'], dependsOn: READABLE, judge: eachGetsItsOwn(false) },

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

/** The groups without a valid key that the description says are rejected: GET /webhooks and GET on the base path. */
const MUST_BE_REJECTED = groupsWhere(({ answer }) => answer === 'rejected');
/** Those on undescribed methods and paths. */
const NEVER_SERVED = groupsWhere(({ answer }) => answer === 'not-served');

/** A base path that rejects no request without a key lets no carrier in: auth.base-path-rejected judges that. */
function otherCarriersAreRejected(evidence: Evidence): Finding {
  const bare = exchangesOf(evidence, 'base-rejected').filter(({ probe }) => probe.form === 'missing-key');
  const isOpen = bare.some(isWhole) && !bare.some(isRejection);
  const exchanges = evidence.exchanges.filter(
    (exchange) => !isOpen || exchange.probe.group !== 'other-carrier' || !isAtTheBase(exchange),
  );
  return rejects('other-carrier').judge({ ...evidence, exchanges });
}

/** What the finding is about where no request with the key of an account was accepted. */
export function neverAccepted(account: string | null): string {
  return `to the valid key of ${account} (are the key and the address right?)`;
}

/** Leaves refusals to the rate clauses, unless the account was never accepted. */
function validKeysAreAccepted(evidence: Evidence): Finding {
  const wasAccepted = (account: string | null) =>
    evidence.exchanges.some((exchange) => exchange.account === account && isAccepted(exchange));
  const planned = exchangesOf(evidence, 'read', 'together').filter(
    (read) => !isRefused(read, evidence) || !wasAccepted(read.account),
  );
  const reads = [...new Set([...planned, ...readsRejectedAsWrong(evidence)])];
  // A limiter that lets others in says nothing of a key that it refuses each time. Not each refusal is about the rate.
  const isOut = (account: string | null) =>
    evidence.exchanges.some(isAccepted) &&
    ownOf(evidence, account ?? '').every((exchange) => isRefused(exchange, evidence)) &&
    ownOf(evidence, account ?? '').some(speaksOfTheRate);
  const out = evidence.target.accounts.find(({ name }) => ownOf(evidence, name).length > 0 && isOut(name));
  const finding = each(
    reads.filter((read) => !isOut(read.account)),
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

/** Reads, whatever they were sent for, whose valid key in the usual header was taken for a wrong one. */
function readsRejectedAsWrong(evidence: Evidence): Exchange[] {
  const usual = new Set(exchangesOf(evidence, 'read').map(({ request }) => askedFor(request)));
  return evidence.exchanges.filter(
    (exchange) => usual.has(askedFor(exchange.request)) && isRejectedAsWrong(exchange, evidence),
  );
}

/** Judges each spelling by what is about the key, and no more by a failure that the usual name got as well. */
function headerNamesHaveNoCase(evidence: Evidence): Finding {
  const failures = new Set(readsRejectedAsWrong(evidence).map(statusOf));
  const spelled = exchangesOf(evidence, 'header-case', 'base-accepted').filter(({ probe }) => probe.form !== '');
  const telling = spelled.filter((exchange) =>
    isAtTheBase(exchange) ? isAccepted(exchange) : !isRefused(exchange, evidence) && !failures.has(statusOf(exchange)),
  );
  const finding = each(
    telling,
    whyNotSent(evidence, 'header-case', 'every such request was refused because of the rate limit'),
    (exchange) => (isAccepted(exchange) ? null : asked(exchange, 'a 2xx, as header names have no case')),
  );
  const seen = new Set(telling.map(({ probe }) => probe.form));
  const unseen = spelled.find(({ probe }) => !seen.has(probe.form));
  const why = unseen && `a header named ${unseen.probe.form} was only refused`;
  return finding.notTested === null ? notTestedWhen(finding, why ?? null) : finding;
}

/**
 * Whether the rate does not explain why the base path refuses, though refusals are made alike: of requests that had room
 * none there was let in, and no other was refused. A 429 speaks of the rate.
 */
function isBaseAloneRefused(evidence: Evidence): boolean {
  const met = accountsOf(evidence).flatMap((name) => withRoom(evidence, name));
  const refused = met.filter(({ outcome }) => outcome === 'refused').map(({ exchange }) => exchange);
  const reads = met.filter(({ exchange }) => isAccepted(exchange) && !exchange.resent);
  return (
    Math.min(refused.length, reads.length) >= TELLING &&
    refused.every((exchange) => isAtTheBase(exchange) && statusOf(exchange) !== 429) &&
    !evidence.exchanges.some((exchange) => isAtTheBase(exchange) && isAccepted(exchange))
  );
}

/** A status that turns a caller away breaks the clause. Any other status but 2xx is a warning, as none is described. */
function basePathIsOpenToValidKeys(evidence: Evidence): Finding {
  // The key in a header named otherwise shows as much where it is accepted, and is asked again where it is not.
  const isClosed = isBaseAloneRefused(evidence);
  const probes = exchangesOf(evidence, 'base-accepted').filter(
    (exchange) => (isClosed || !isRefused(exchange, evidence)) && (exchange.probe.form === '' || isAccepted(exchange)),
  );
  const statusesWithoutKey = exchangesOf(evidence, 'missing-key', 'base-rejected')
    .filter(({ probe }) => probe.form !== 'unknown-key')
    .map(statusOf);
  const finding = each(
    probes,
    whyNotSent(evidence, 'base-accepted', 'no request to the base path was let through'),
    (exchange) => (isAccepted(exchange) ? null : asked(exchange, 'a 2xx')),
  );
  const turnsAway = ({ exchanges }: Breach) => {
    const status = Math.max(...exchanges.map(statusOf));
    return status === 401 || status === 403 || status >= 500 || statusesWithoutKey.includes(status);
  };
  const breaches = finding.breaches.filter(turnsAway);
  return { ...finding, breaches, warnings: finding.breaches.filter((breach) => !breaches.includes(breach)) };
}

function noMethodIsAccepted(evidence: Evidence): Finding {
  const finding = ofCounted(['every-method'], servedWithoutKey).judge(evidence);
  if (evidence.target.riskyProbes || finding.notTested !== null) return finding;
  return notTestedWhen(finding, {
    declare:
      'HEAD did not succeed without a key; POST, PUT, PATCH and DELETE were not sent: set RISKY_PROBES=1 to send them.',
  });
}

/**
 * What is described is rejected by any 4xx. Elsewhere below the base URL only a 5xx but 501 is a breach (RFC 9110 section
 * 15.6.2); besides it another server may answer.
 */
function rejectionsAreClientErrors(evidence: Evidence): Finding {
  const described = answersTo(evidence, MUST_BE_REJECTED).counted.filter((exchange) => !letsIn(exchange));
  const others = answersTo(evidence, NEVER_SERVED).counted.filter(
    (exchange) => statusOf(exchange) >= 500 && statusOf(exchange) !== 501 && isOfTheApi(exchange, evidence),
  );
  return each([...described, ...others], 'no request without a valid key was rejected', notRejected);
}

function flawOfRejection(rejection: Exchange): Flaw | null {
  const status = statusOf(rejection);
  if (status === 403 || status === 429) return null;
  if (status !== 401) return asked(rejection, '401 or 403');
  return valuesOf(rejection, 'WWW-Authenticate').length > 0
    ? null
    : flawIn('header', 'WWW-Authenticate', 'absent from a 401', 'a challenge with every 401');
}

/** What lets a shared cache store a response and serve it to callers with another key, or `null`. */
function publicCaching(exchange: Exchange): Flaw | null {
  const control = valuesOf(exchange, 'Cache-Control').join(',').toLowerCase();
  const isForAll = /(?:^|[\s,])(?:public|s-maxage)\b/.test(control);
  if (!isForAll || /(?:^|[\s,])(?:no-store|private)\b/.test(control)) return null;
  const varies = valuesOf(exchange, 'Vary').some((value) => /(?:^|,)\s*(?:apikey|\*)\s*(?:,|$)/i.test(value));
  const got = `${withoutMarkers(control)}, without Vary: apiKey`;
  return varies ? null : flawIn('header', 'Cache-Control', got, 'private or no-store, or Vary: apiKey');
}

function answersTo(evidence: Evidence, groups: readonly Group[]): ReturnType<typeof answersAmong> {
  const asked = evidence.exchanges.filter(
    (exchange) => exchange.account === null && groups.includes(standsFor(exchange.probe).group),
  );
  return answersAmong(asked, evidence);
}

/** A rule that every request of some groups is rejected with a 4xx. */
function rejects(...groups: [Need, ...Need[]]): Rule {
  return ofCounted(groups, notRejected);
}

/** A rule about the answers that count to requests without a valid key. @param check as in `each` */
function ofCounted(groups: [Need, ...Need[]], check: (exchange: Exchange, evidence: Evidence) => Flaw | null): Rule {
  return {
    needs: groups,
    ofEveryRequest: true,
    judge(evidence) {
      const none = bansOf(evidence).length > 0 ? BANNED : 'no such request was sent';
      const { counted, hidden } = answersTo(evidence, groups);
      const finding = each(counted, whyNotSent(evidence, groups[0], none), (exchange) => check(exchange, evidence));
      return notTestedWhen(finding, whyHidden(hidden, evidence), hidden);
    },
  };
}

function notRejected(exchange: Exchange): Flaw | null {
  return isRejection(exchange) ? null : asked(exchange, 'a 4xx', answerOf(exchange));
}

const BANNED =
  'while this was asked, the address was banned for its wrong keys: ask the operator to exempt it from that defence while the suite runs';

/** Why the server's own answers to some requests were not seen; `null` where there are no such requests. */
function whyHidden(hidden: readonly Exchange[], evidence: Evidence): string | null {
  const [first] = hidden;
  if (!first) return null;
  const wrongKeys = evidence.exchanges.filter(
    (exchange) => exchange.account === null && exchange.index <= first.index,
  ).length;
  return `${hidden.length} of these requests got nothing but ${statusOf(first)} from a guard or a limiter before authentication, after ${plural(wrongKeys, 'wrong key')}, so what the server says to them was not seen: ask the operator to exempt this address from it while the suite runs.`;
}

/** What is wrong with the answer to a probe. @param got what came, if it is more than the status */
function asked(exchange: Exchange, expected: string, got = String(statusOf(exchange))): Flaw {
  return flawIn('request', wordsOf(exchange.probe), got, expected);
}

function answerOf(exchange: Exchange): string {
  return `${statusOf(exchange)}${disclosesSettings(exchange) ? ' with the settings' : ''}`;
}

/** Any status but 2xx conforms. OPTIONS is a preflight's and may be accepted, but never with the settings. */
function servedWithoutKey(exchange: Exchange, evidence: Evidence): Flaw | null {
  const isPreflight = exchange.request.method === 'OPTIONS' && settingsServedBy(exchange, evidence) === null;
  const isServed = isAccepted(exchange) && !isPreflight;
  return isServed ? asked(exchange, 'any status but 2xx', answerOf(exchange)) : null;
}

/** Whether a server let a caller in, even with empty settings. That breaks another clause, and is not a rejection. */
function letsIn(exchange: Exchange): boolean {
  const isLetIn = isAtTheBase(exchange) || bodyAt(exchange, 'webhook') !== undefined;
  return isAccepted(exchange) && isLetIn;
}

/** Judges reads during which no other account asked (`alone`), or those during which another one did. */
function eachGetsItsOwn(alone: boolean): Rule['judge'] {
  return (evidence) => {
    if (evidence.target.accounts.length < 2) return notTested({ declare: ONLY_ONE });
    const reads = readsOf(evidence).filter((read) => overlapsAnother(read, evidence) !== alone);
    if (reads.length === 0) return notTested(whyNotSent(evidence, 'read', 'no read of two accounts was accepted'));
    const foreign = foreignReads(evidence);
    const breaches = breachesIn(reads, ({ index, account }) => {
      const owner = foreign.get(index);
      if (owner === undefined) return null;
      return flawIn('request', `to the key of ${account}`, `the settings of ${owner}`, `the settings of ${account}`);
    });
    const settings = evidence.target.accounts.flatMap(({ name }) => usualSettings(evidence, name) ?? []);
    const unseen = settings.length < 2 ? UNREAD : { declare: ALIKE };
    if (breaches.length === 0 && new Set(settings).size < 2) return notTested(whyNotSent(evidence, 'read', unseen));
    return judged(reads, breaches);
  };
}

function overlapsAnother(exchange: Exchange, evidence: Evidence): boolean {
  return underWay(evidence, exchange.sentAtMs, exchange.receivedAtMs).some(
    (other) => other.account !== null && other.account !== exchange.account,
  );
}

const ONLY_ONE = 'Declare a second account in the target file: what one account gets is compared with another’s.';
const UNREAD = 'Fewer than two accounts got settings that could be read, so a mix-up would not show.';
const ALIKE =
  'All accounts gave the same settings, so a mix-up would not show: declare accounts whose settings differ.';

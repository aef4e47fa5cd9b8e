/** The auth clauses about requests without a valid key (API description, section 5; RFC 9110 section 11). */
import { catalogue, groupsWhere, type Need, standsFor } from '../catalogue/catalogue';
import { listed } from '../common/text';
import type { Flaw } from '../contract/result';
import { valuesOf } from '../evidence/http/headers';
import { type Evidence, type Exchange, exchangesOf, isAtTheBase, isOfTheApi, whyNotSent } from '../evidence/model';
import { isAccepted, isRejection, isWhole, statusOf } from '../evidence/responder/classify';
import { answersWithoutKey, bansOf } from '../evidence/responder/guards';
import { bodyAt } from '../evidence/settings-reads';
import { each, type Finding, flawIn, notTestedWhen, type Rule, type Rules, requestFlaw } from './finding';
import { settingsInRejections, settingsServedBy } from './leaks';

const PLAIN: readonly Need[] = ['missing-key', 'empty-key', 'unknown-key'];

export const authRules: Rules = {
  'auth.missing-key': rejects('missing-key'),
  'auth.empty-key': rejects('empty-key'),
  'auth.unknown-key': rejects('unknown-key'),
  'auth.altered-key': rejects('altered-key'),
  'auth.other-carrier': {
    needs: ['other-carrier', 'base-rejected'],
    ofEveryRequest: true,
    judge: otherCarriersAreRejected,
  },

  'auth.key-in-url': risky(
    rejects('key-in-url'),
    'A valid key in a URL may end up in logs: set RISKY_PROBES=1 to send it.',
  ),
  'auth.no-session': rejects('session', 'after-accepted', 'between-reads'),
  'auth.base-path-rejected': rejects('base-rejected'),
  'auth.every-path': rejects('every-path'),
  'auth.every-method': risky(
    rejects('every-method'),
    'POST, PUT, PATCH and DELETE were not sent without a key: set RISKY_PROBES=1 to send them.',
  ),
  'auth.rejection-status': { needs: PLAIN, judge: rejectionsAreClientErrors },
  'auth.rejection-401-403': {
    needs: PLAIN,
    judge: (evidence) =>
      each(plainestFirst(evidence).filter(isRejection), 'no request without a valid key was rejected', flawOfRejection),
  },

  'auth.rejection-discloses-nothing': { needs: ['read', ...PLAIN], judge: settingsInRejections },
};

/** The groups without a valid key on GET /webhooks and GET on the base path. */
const MUST_BE_REJECTED = groupsWhere(({ answer }) => answer === 'rejected');

/** Returns the answers that count to requests that must be rejected, first to those that only lack a key. */
function plainestFirst(evidence: Evidence): Exchange[] {
  return MUST_BE_REJECTED.flatMap((group) => answersWithoutKey(evidence, [group]).counted);
}

/** The groups without a valid key on undescribed methods and paths. */
const NEVER_SERVED = groupsWhere(({ answer }) => answer === 'not-served');

/** On a base path that is open to everyone no other carrier is judged: auth.base-path-rejected says that it is open. */
function otherCarriersAreRejected(evidence: Evidence): Finding {
  const bare = exchangesOf(evidence, 'base-rejected').filter(({ probe }) => probe.form === 'missing-key');
  const isOpen = bare.some(isWhole) && !bare.some(isRejection);
  const exchanges = evidence.exchanges.filter(
    (exchange) => !isOpen || exchange.probe.group !== 'other-carrier' || !isAtTheBase(exchange),
  );
  return rejects('other-carrier').judge({ ...evidence, exchanges });
}

/**
 * Described requests are rejected by any 4xx. On other methods and paths below the base URL only a 5xx is a breach, and 501
 * is none (RFC 9110 section 15.6.2).
 */
function rejectionsAreClientErrors(evidence: Evidence): Finding {
  const described = plainestFirst(evidence).filter((exchange) => !letsIn(exchange));
  const others = answersWithoutKey(evidence, NEVER_SERVED).counted.filter(
    (exchange) => statusOf(exchange) >= 500 && statusOf(exchange) !== 501 && isOfTheApi(exchange, evidence),
  );
  return each([...described, ...others], 'no request without a valid key was rejected', notRejected);
}

function flawOfRejection(rejection: Exchange): Flaw | null {
  const status = statusOf(rejection);
  if (status === 403 || status === 429) return null;
  if (status !== 401) return requestFlaw(rejection, '401 or 403');
  return valuesOf(rejection, 'WWW-Authenticate').length > 0
    ? null
    : flawIn('header', 'WWW-Authenticate', 'absent from a 401', 'a challenge with every 401');
}

/** A rule that passes only if RISKY_PROBES allowed all of its requests. */
function risky(rule: Rule, declare: string): Rule {
  const judge: Rule['judge'] = (evidence) =>
    notTestedWhen(rule.judge(evidence), evidence.target.riskyProbes ? null : { declare });
  return { ...rule, judge };
}

/** A rule about the counted answers to requests without a valid key: those that the catalogue says conform. */
function rejects(...groups: [Need, ...Need[]]): Rule {
  return {
    needs: groups,
    ofEveryRequest: true,
    judge(evidence) {
      const none = bansOf(evidence).length > 0 ? BANNED : 'no such request was sent';
      const { counted, hidden } = answersWithoutKey(evidence, groups);
      const finding = each(counted, whyNotSent(evidence, groups[0], none), (exchange) =>
        catalogue[standsFor(exchange.probe).group].answer === 'rejected'
          ? notRejected(exchange)
          : servedWithoutKey(exchange, evidence),
      );
      return notTestedWhen(finding, whyHidden(hidden), hidden);
    },
  };
}

function notRejected(exchange: Exchange): Flaw | null {
  return isRejection(exchange) ? null : requestFlaw(exchange, 'a 4xx');
}

const BANNED =
  'while this was asked, the address was banned for its wrong keys: ask the operator to exempt it from that defence while the suite runs';

function whyHidden(hidden: readonly Exchange[]): string | null {
  if (hidden.length === 0) return null;
  const statuses = listed(new Set(hidden.map((exchange) => String(statusOf(exchange)))), 'or');
  return `Some of these requests got nothing but ${statuses} from a guard or a limiter before authentication, so what the server says to them was not seen: ask the operator to exempt this address from it while the suite runs.`;
}

/** Any status but 2xx conforms. OPTIONS may be accepted, since a preflight sends it, but never with the settings. */
function servedWithoutKey(exchange: Exchange, evidence: Evidence): Flaw | null {
  const isPreflight = exchange.request.method === 'OPTIONS' && settingsServedBy(exchange, evidence) === null;
  const isServed = isAccepted(exchange) && !isPreflight;
  return isServed ? requestFlaw(exchange, 'any status but 2xx') : null;
}

/** Whether a server let a caller in, even with empty settings. Another clause judges that. */
function letsIn(exchange: Exchange): boolean {
  const isLetIn = isAtTheBase(exchange) || bodyAt(exchange, 'webhook') !== undefined;
  return isAccepted(exchange) && isLetIn;
}

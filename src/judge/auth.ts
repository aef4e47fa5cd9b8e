/** The auth clauses (API description, section 5; RFC 9110 sections 5.1 and 11). */

import { layersOf } from '../evidence/escapes';
import type { Evidence, Exchange } from '../evidence/exchange';
import { exchangesOf, whyNotSent } from '../evidence/groups';
import { linesOf, valuesOf } from '../evidence/headers';
import { memberAt, parsed, settingsIn } from '../evidence/json';
import { markersIn, withoutMarkers } from '../evidence/markers';
import { disclosesSettings, isAccepted, isRefused, isWhole, statusOf } from '../evidence/outcome';
import { type Group, type Probe, probe } from '../evidence/probe';
import { foreignReads, readsOf, usualSettings } from '../evidence/reads';
import { bansOf } from '../evidence/service';
import { countedAnswers, hiddenAnswers } from '../evidence/veil';
import { each, type Finding, judged, notTested, type Rules } from './finding';

export const authRules: Rules = {
  'auth.accepted': {
    needs: ['read'],
    judge(evidence) {
      const reads = exchangesOf(evidence, 'read', 'together');
      // A refusal because of the rate is for the rate clauses, unless nothing else ever came.
      const judgedReads = reads.filter((one) => !isRefused(one, evidence) || !hasAccepted(evidence, one.account));
      return each(judgedReads, whyNotSent(evidence, 'read', 'no account was read'), (one) =>
        isAccepted(one)
          ? null
          : `${statusOf(one)} to the valid key of ${one.account}${hasAccepted(evidence, one.account) ? '' : ' (are the key and the address right?)'}`,
      );
    },
  },

  'auth.missing-key': {
    needs: ['missing-key'],
    judge: isRejected('missing-key'),
  },

  'auth.empty-key': {
    needs: ['empty-key'],
    judge: isRejected('empty-key'),
  },

  'auth.unknown-key': {
    needs: ['unknown-key'],
    judge: isRejected('unknown-key'),
  },

  'auth.altered-key': {
    needs: ['altered-key'],
    judge: isRejected('altered-key'),
  },

  'auth.other-carrier': {
    needs: ['other-carrier'],
    judge: isRejected('other-carrier'),
  },

  'auth.key-in-url': {
    needs: ['key-in-url'],
    judge(evidence) {
      if (!evidence.target.riskyProbes) {
        return notTested('A valid key in a URL may end up in logs: set RISKY_PROBES=1 to send it.');
      }
      return isRejected('key-in-url')(evidence);
    },
  },

  'auth.no-session': {
    needs: ['session', 'after-accepted'],
    judge: isRejected('session', 'after-accepted'),
  },

  'auth.base-path-rejected': {
    needs: ['base-rejected'],
    judge: isRejected('base-rejected'),
  },

  'auth.base-path-accepted': {
    needs: ['base-accepted', 'missing-key', 'base-rejected'],
    judge(evidence) {
      const probes = exchangesOf(evidence, 'base-accepted').filter((one) => !isRefused(one, evidence));
      const missing = exchangesOf(evidence, 'base-rejected', 'missing-key').filter(isWhole).map(statusOf);
      const isTurnedAway = (one: Exchange) =>
        !isAccepted(one) &&
        (statusOf(one) === 401 || statusOf(one) === 403 || statusOf(one) >= 500 || missing.includes(statusOf(one)));
      const finding = each(
        probes,
        whyNotSent(evidence, 'base-accepted', 'no request to the base path was let through'),
        (one) => (isTurnedAway(one) ? `${statusOf(one)} to the valid key of ${one.account} on the base path` : null),
      );
      const odd = probes.filter((one) => isWhole(one) && !isAccepted(one) && !isTurnedAway(one));
      return {
        ...finding,
        warnings: odd.map((one) => ({
          exchanges: [one],
          came: `${statusOf(one)} to the valid key of ${one.account} on the base path, where a 2xx was expected`,
        })),
      };
    },
  },

  'auth.every-path': {
    needs: ['every-path'],
    judge: isNeverAccepted('every-path'),
  },

  'auth.every-method': {
    needs: ['every-method'],
    judge(evidence) {
      const finding = isNeverAccepted('every-method')(evidence);
      if (evidence.target.riskyProbes || finding.breaches.length > 0 || finding.notTested) return finding;
      return {
        ...notTested(
          'HEAD was rejected, as it should be; POST, PUT, PATCH and DELETE were not sent: set RISKY_PROBES=1 to send them.',
        ),
        evidence: finding.evidence,
      };
    },
  },

  'auth.header-name-case': {
    needs: ['header-case'],
    judge(evidence) {
      const probes = exchangesOf(evidence, 'header-case').filter((one) => !isRefused(one, evidence));
      return each(
        probes,
        whyNotSent(evidence, 'header-case', 'every such request was refused because of the rate limit'),
        (one) => (isAccepted(one) ? null : `${statusOf(one)} to the valid key in a header named ${one.probe.form}`),
      );
    },
  },

  'auth.rejection-status': {
    needs: ['missing-key', 'empty-key', 'unknown-key'],
    judge(evidence) {
      // Methods and paths that there are not may lead elsewhere, or be not implemented (RFC 9110 section 15.6.2).
      const others = countedAnswers(askedWithoutKey(evidence, ['every-path', 'every-method']), evidence).filter(
        (one) => statusOf(one) >= 500 && statusOf(one) !== 501,
      );
      return each(
        [
          ...countedAnswers(askedWithoutKey(evidence, MUST_BE_REJECTED), evidence).filter((one) => !letsIn(one)),
          ...others,
        ],
        'no request without a valid key was rejected',
        (one) => (isRejection(one) ? null : `${statusOf(one)} ${howItWasAsked(one)}`),
      );
    },
  },

  'auth.rejection-401-403': {
    needs: ['missing-key', 'empty-key', 'unknown-key'],
    judge(evidence) {
      const rejections = countedAnswers(askedWithoutKey(evidence, MUST_BE_REJECTED), evidence).filter(
        (one) => isWhole(one) && isRejection(one),
      );
      return each(rejections, 'no request without a valid key was rejected', (one) => {
        const status = statusOf(one);
        if (status === 403 || status === 429) return null;
        if (status === 401) return valuesOf(one, 'WWW-Authenticate').length > 0 ? null : '401 without WWW-Authenticate';
        return `${status} ${howItWasAsked(one)}`;
      });
    },
  },

  'auth.rejection-discloses-nothing': {
    needs: ['read', 'missing-key', 'empty-key', 'unknown-key'],
    judge(evidence) {
      const rejections = evidence.exchanges.filter((one) => one.account === null && isWhole(one) && !isAccepted(one));
      const secrets = disclosable(evidence);
      return each(rejections, 'no request without a valid key was rejected', (one) => {
        const body = one.response?.body ?? '';
        if (disclosesSettings(one)) return `${statusOf(one)} with webhook settings in its body`;
        if (markersIn(body).some((marker) => marker.kind === 'password'))
          return `${statusOf(one)} with a stored password in its body`;
        if (markersIn(body).some((marker) => marker.kind === 'receiverKey'))
          return `${statusOf(one)} with a receiver's key in its body`;
        const said = latin1(body);
        const layers = [said, ...layersOf(said)];
        const found = secrets.find(({ text }) => layers.some((layer) => standsIn(layer, text)));
        return found ? `${statusOf(one)} with ${found.what} in its body` : null;
      });
    },
  },

  'auth.own-settings': {
    needs: ['read'],
    judge: eachGetsItsOwn(true),
  },

  'auth.isolation': {
    needs: ['together'],
    judge: eachGetsItsOwn(false),
  },

  'auth.key-not-echoed': {
    needs: ['read', 'missing-key', 'unknown-key'],
    judge(evidence) {
      return each(evidence.exchanges, 'nothing was sent', (one) => {
        const { headers = [], aside = [], body = '', statusText = '' } = one.response ?? {};
        const text = [statusText, ...headers.flat(), ...aside.flat(), body].join('\n');
        const key = markersIn(text).find(
          (marker) => marker.kind === 'apiKey' && (marker.form === undefined || marker.form === 'base64'),
        );
        return key ? `the valid key of ${key.name} in the response` : null;
      });
    },
  },

  'auth.not-publicly-cacheable': {
    needs: ['read'],
    judge(evidence) {
      const accepted = evidence.exchanges.filter((one) => one.account !== null && isAccepted(one));
      return each(accepted, 'no request with a valid key was accepted', (one) => {
        const control = valuesOf(one, 'Cache-Control').join(',').toLowerCase();
        const forAll = /(?:^|[\s,])(?:public|s-maxage)\b/.exec(control);
        if (!forAll || /(?:^|[\s,])(?:no-store|private)\b/.test(control)) return null;
        const vary = valuesOf(one, 'Vary')
          .join(',')
          .toLowerCase()
          .split(',')
          .map((name) => name.trim());
        return vary.includes('apikey') || vary.includes('*')
          ? null
          : `Cache-Control: ${withoutMarkers(control)} without Vary: apiKey`;
      });
    },
  },
};

/** GET /webhooks and GET / without a valid key: what the description says is rejected. */
const MUST_BE_REJECTED: Group[] = [
  'missing-key',
  'empty-key',
  'unknown-key',
  'altered-key',
  'other-carrier',
  'key-in-url',
  'session',
  'after-accepted',
  'base-rejected',
];

function hasAccepted(evidence: Evidence, account: string | null): boolean {
  return evidence.exchanges.some((one) => one.account === account && isAccepted(one));
}

/** The group that a request without a valid key belongs to by what it held, and whose key that was, and altered how. */
function askedAs({ probe: sentAs, request }: Exchange): Probe {
  if (sentAs.group !== 'keyless') return sentAs;
  const key = linesOf(request.headers, 'apiKey')[0];
  if (key === undefined) return probe('missing-key');
  const [altered] = markersIn(key);
  return altered ? probe('altered-key', { account: altered.name, form: altered.form ?? '' }) : probe('unknown-key');
}

/** Requests of some groups, those included that were sent to see whether they use up a budget. */
function askedWithoutKey(evidence: Evidence, groups: readonly Group[]): Exchange[] {
  return evidence.exchanges.filter((one) => one.account === null && groups.includes(askedAs(one).group));
}

/** Judges that every request of the groups is rejected with a 4xx. */
function isRejected(...groups: Group[]): (evidence: Evidence) => Finding {
  return (evidence) => {
    const asked = askedWithoutKey(evidence, groups);
    const finding = each(
      countedAnswers(asked, evidence),
      whyNotSent(evidence, groups[0] ?? 'missing-key', notAsked(evidence)),
      (one) => (isRejection(one) ? null : `${statusOf(one)} ${howItWasAsked(one)}`),
    );
    return unlessHidden(finding, asked, evidence);
  };
}

/** Why a request has no answer that counts. */
function notAsked(evidence: Evidence): string {
  return bansOf(evidence).length > 0
    ? 'while this was asked, the address was banned for its wrong keys: ask the operator to exempt it from that defence while the suite runs'
    : 'no such request was sent';
}

/** The finding, unless it passes though a guard or a limiter hid what the server itself says to some of the requests. */
function unlessHidden(finding: Finding, asked: readonly Exchange[], evidence: Evidence): Finding {
  const hidden = hiddenAnswers(asked, evidence);
  const [first] = hidden;
  if (!first || finding.breaches.length > 0) return finding;
  const wrongKeys = evidence.exchanges.filter((one) => one.account === null && one.index <= first.index).length;
  return {
    ...notTested(
      `${hidden.length} of these requests got nothing but ${statusOf(first)} from a guard or a limiter before authentication, after ${wrongKeys} wrong keys, so what the server says to them was not seen: ask the operator to exempt this address from it while the suite runs.`,
    ),
    evidence: hidden.map((one) => one.index),
  };
}

function isRejection(exchange: Exchange): boolean {
  return Math.floor(statusOf(exchange) / 100) === 4;
}

function howItWasAsked(exchange: Exchange): string {
  const { group, account, form } = askedAs(exchange);
  switch (group) {
    case 'altered-key':
      return `to the key of ${account} with ${ALTERATIONS[form] ?? form}`;
    case 'other-carrier':
      return `to the key of ${account} sent as ${CARRIERS[form] ?? form}, without the apiKey header`;
    case 'key-in-url':
      return `to the key of ${account} in the URL, without the apiKey header`;
    case 'session':
      return `without a key, on the connection and with the cookies of an accepted request of ${account}`;
    case 'after-accepted':
      return `without a key, on a connection of its own, at once after an accepted request of ${account}`;
    case 'empty-key':
      return 'to an empty apiKey header';
    case 'unknown-key':
      return 'to a key that was never issued';
    case 'base-rejected':
      return form === 'unknown-key'
        ? 'to a key that was never issued, on the base path'
        : 'without a key, on the base path';
    case 'every-method':
      return `to ${exchange.request.method} without a key`;
    case 'every-path':
      return 'without a key, at a path that does not exist';
    default:
      return 'without a key';
  }
}

const ALTERATIONS: Record<string, string> = {
  'last-character-changed': 'its last character changed',
  'last-character-dropped': 'its last character dropped',
  'character-appended': 'a character appended',
  'first-half': 'nothing but its first half',
  'case-swapped': 'its letter case swapped',
};

const CARRIERS: Record<string, string> = {
  'authorization-bearer': 'Authorization: Bearer',
  'authorization-apikey': 'Authorization: ApiKey',
  'x-api-key': 'X-API-Key',
  'api-key': 'Api-Key',
  cookie: 'a cookie',
};

/**
 * Judges that no request of the group is accepted; any other status will do. OPTIONS is a preflight's and may be
 * accepted, but the settings are not for it.
 */
function isNeverAccepted(group: Group): (evidence: Evidence) => Finding {
  return (evidence) => {
    const asked = exchangesOf(evidence, group);
    const finding = each(countedAnswers(asked, evidence), whyNotSent(evidence, group, notAsked(evidence)), (one) => {
      const { method } = one.request;
      if (method === 'OPTIONS')
        return disclosesSettings(one) ? `${statusOf(one)} with the webhook settings to OPTIONS without a key` : null;
      return isAccepted(one) ? `${statusOf(one)} to ${method} without a key` : null;
    });
    return unlessHidden(finding, asked, evidence);
  };
}

/** Where a settings document was served, however empty, nothing was rejected: that is another clause's breach. */
function letsIn(exchange: Exchange): boolean {
  if (!isAccepted(exchange)) return false;
  return (
    exchange.probe.group === 'base-rejected' || memberAt(parsed(exchange.response?.body ?? ''), 'webhook') !== undefined
  );
}

/** The receivers' addresses and user names of all accounts, declared and observed, as texts whose characters are bytes. */
function disclosable(evidence: Evidence): Array<{ what: string; text: string }> {
  const documents: unknown[] = [
    ...evidence.target.accounts.map((account) => account.settings),
    ...evidence.exchanges
      .filter((one) => one.account !== null && isAccepted(one))
      .map((one) => settingsIn(one.response?.body ?? '')),
  ];
  const found = new Map<string, string>();
  for (const document of documents) {
    for (const kind of ['start', 'submission', 'updates']) {
      const url = memberAt(document, kind, 'url');
      if (typeof url === 'string' && url.length > 10) found.set(url, `the receiver's address for "${kind}"`);
    }
    const username = memberAt(document, 'auth', 'basic', 'username');
    if (typeof username !== 'string' || username.length < 4) continue;
    // An ordinary word is only taken for it as a whole value.
    const isTelling = username.length > 5 && /[^A-Za-z]/.test(username);
    found.set(isTelling ? username : `"${username}"`, "the receiver's user name");
  }
  return [...found].map(([text, what]) => ({ text: latin1(text), what }));
}

/** Text whose characters are its bytes. */
function latin1(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

/** Whether a text stands in another as a whole: not as a part of a longer word or address, nor as a member's name. */
function standsIn(body: string, text: string): boolean {
  const isQuoted = text.endsWith('"');
  for (let at = body.indexOf(text); at >= 0; at = body.indexOf(text, at + 1)) {
    const rest = body.slice(at + text.length);
    const goesOn = text.includes('://') ? /^(?:[A-Za-z0-9/?#&=_~%-]|[.][A-Za-z0-9])/ : /^[\w-]/;
    const isWord = !/\w$/.test(body.slice(0, at)) && !goesOn.test(rest);
    if (isQuoted ? !/^\s*:/.test(rest) : isWord) return true;
  }
  return false;
}

/** Judges reads that went one after another (`alone`), or while other accounts asked too. */
function eachGetsItsOwn(alone: boolean): (evidence: Evidence) => Finding {
  return (evidence) => {
    const names = evidence.target.accounts.map((account) => account.name);
    if (names.length < 2)
      return notTested(
        'Declare a second account in the target file: what one account gets is compared with another’s.',
      );
    const reads = readsOf(evidence).filter((one) => overlapsAnother(one, evidence) !== alone);
    if (reads.length === 0) return notTested(whyNotSent(evidence, 'read', 'no read of two accounts was accepted'));
    const foreign = foreignReads(evidence);
    const breaches = reads
      .filter((one) => foreign.has(one.index))
      .map((one) => ({
        exchanges: [one],
        came: `the settings of ${foreign.get(one.index)} to the key of ${one.account}`,
      }));
    if (breaches.length === 0 && !settingsDiffer(evidence, names)) {
      return notTested(
        'All accounts gave the same settings, so a mix-up would not show: declare accounts whose settings differ.',
      );
    }
    return judged(reads, breaches);
  };
}

function overlapsAnother(exchange: Exchange, evidence: Evidence): boolean {
  return evidence.exchanges.some(
    (one) =>
      one.account !== null &&
      one.account !== exchange.account &&
      one.sentAtMs < exchange.receivedAtMs &&
      one.receivedAtMs > exchange.sentAtMs,
  );
}

function settingsDiffer(evidence: Evidence, names: string[]): boolean {
  const usual = names.map((name) => usualSettings(evidence, name)).filter((one) => one !== null);
  return new Set(usual).size > 1;
}

/** The event clauses (API description, section 6), on what was triggered and what arrived. */

import { KINDS } from '../contract/settings';
import type { Delivery, Evidence, Trigger } from '../evidence/exchange';
import { linesOf } from '../evidence/headers';
import { type JsonObject, memberAt, settingsIn } from '../evidence/json';
import { markerOf, markersIn, searchable } from '../evidence/markers';
import {
  arrivedAt,
  configuredIn,
  type Expected,
  isInTime,
  isSame,
  misdirectedIn,
  type Watched,
  watchedIn,
} from '../evidence/notifications';
import { bodyAt } from '../evidence/reads';
import { type Breach, type Finding, judged, notTested, type Rule, type Rules } from './finding';
import { isPasswordDeclared, passwordInWords } from './leaks';

export const eventRules: Rules = {
  'event.enabled-sent': judging(everyKindThatIsOnIsSent),
  'event.disabled-silent': judging(kindsThatAreOffAreSilent),
  'event.own-url': judging(eachComesToItsOwnUrl),
  'event.basic-auth': { needs: ['events'], judge: basicCredentialsAreRight },

  'event.apikey-auth': eachOf(
    (auth) => isOn(auth) && !isBasic(auth) && keyIn(auth) !== null,
    'No listed account has a kind on, receiver authentication on and another type than "basic" with header and key: list one in `notifications.accounts`.',
    (delivery, { configured }) => {
      const { header, key } = keyIn(configured.auth) as { header: string; key: string };
      const values = linesOf(delivery.headers, header);
      if (values.length === 1 && isSame(values[0] ?? '', key)) return null;
      return values.length === 0 ? `no ${header}` : `${header}: ${values.join(', ')}, which is not the configured key,`;
    },
  ),

  'event.auth-off': eachOf(
    (auth) => auth.status === false,
    'No listed account has a kind on and receiver authentication off: list one in `notifications.accounts`.',
    credentialsIn,
  ),

  'event.no-credentials-in-payload': { ...judging(noPayloadHoldsCredentials), ofBodies: 'all' },
};

/** A rule about what was triggered and what arrived. Where a trigger failed, breaches count, and a clause without one is not tested. */
function judging(judge: (watched: Watched, evidence: Evidence) => Finding): Rule {
  return {
    needs: ['events'],
    judge(evidence) {
      const failure = evidence.triggers.find((trigger) => trigger.failure !== null)?.failure ?? null;
      const watched = watchedIn(evidence);
      const finding = typeof watched === 'string' ? notTested(watched) : judge(watched, evidence);
      return failure !== null && finding.breaches.length === 0 ? notTested(failure) : finding;
    },
  };
}

const NONE_ON =
  'No kind of the accounts of `notifications.accounts` is switched on: switch one on, or list another account.';
const NONE_OFF =
  'No kind of the accounts of `notifications.accounts` is switched off: switch one off, or list another account.';
const NOTHING_CAME = 'Nothing arrived at the url of a kind that is on (event.enabled-sent, event.own-url).';

const SILENT_ANYWAY =
  'Nothing arrived at the receiver at all, so it shows nothing that kinds which are off are silent: switch a kind on, ' +
  'and see that it arrives (event.enabled-sent).';

/** All that is known where nothing arrived: the way to the receiver is asked about first. */
function nothingAtAll({ expected }: Watched, waitMs: number): Finding {
  const reads = [...new Set(expected.map(({ configured }) => configured.read))];
  const kinds = expected.map(({ trigger }) => named(trigger)).join(', ');
  const came =
    `nothing at all arrived at the receiver within ${waitMs / 1000} s of triggering ${kinds}: is the tunnel open, and do ` +
    'the urls of the settings lead into it? If so, the service sends nothing';
  return judged(reads, [{ exchanges: reads.slice(0, 1), came }]);
}

/** Notifications that did not arrive in time. A notification that went elsewhere was sent: event.own-url judges it. */
function everyKindThatIsOnIsSent(watched: Watched, evidence: Evidence): Finding {
  const waitMs = waitMsOf(evidence);
  if (watched.expected.length === 0) return notTested(NONE_ON);
  if (evidence.deliveries.length === 0) return nothingAtAll(watched, waitMs);
  const misdirected = misdirectedIn(watched, waitMs);
  const breaches = watched.expected.flatMap((expected): Breach[] => {
    const [first] = expected.own;
    if (misdirected.has(expected) || (first && isInTime(first, expected.trigger, waitMs))) return [];
    const late = first ? `, only after ${((first.receivedAtMs - expected.trigger.endedAtMs) / 1000).toFixed(1)} s` : '';
    return [
      {
        exchanges: [expected.configured.read],
        deliveries: first ? [first] : [],
        came: `nothing at ${shown(expected.address)} within ${waitMs / 1000} s of triggering ${named(expected.trigger)}, which is on${late}`,
      },
    ];
  });
  return judged(
    watched.expected.flatMap(({ configured, own }) => [configured.read, ...own]),
    breaches,
  );
}

/** Deliveries while only kinds that are off had been triggered. */
function kindsThatAreOffAreSilent({ silent, unasked, reads, all }: Watched): Finding {
  if (silent.length === 0) return notTested(NONE_OFF);
  // Where nothing at all arrives, silence may be that of a tunnel.
  if (all.length === 0) return notTested(SILENT_ANYWAY);
  const triggers = silent.map(({ trigger }) => trigger);
  const concerned = reads.filter((read) => triggers.some(({ account }) => account === read.account));
  const breaches = unasked.map((delivery): Breach => {
    const trigger = silent.find(({ address }) => arrivedAt(delivery, address))?.trigger;
    return {
      exchanges: concerned.filter((read) => !trigger || read.account === trigger.account).slice(0, 1),
      deliveries: [delivery],
      came: trigger
        ? `${line(delivery)} after triggering ${named(trigger)}, which is off`
        : `${line(delivery)} while nothing had been triggered but ${triggers.map(named).join(', ')}, which ${triggers.length === 1 ? 'is' : 'are'} off`,
    };
  });
  return judged(concerned, breaches);
}

/** Deliveries at another address than their own kind's, and deliveries that nothing explains. */
function eachComesToItsOwnUrl(watched: Watched, evidence: Evidence): Finding {
  const { expected, strays } = watched;
  if (expected.length === 0) return notTested(NONE_ON);
  const misdirected = misdirectedIn(watched, waitMsOf(evidence));
  const elsewhere = [...misdirected].map(
    ([{ configured, address, trigger }, delivery]): Breach => ({
      exchanges: [configured.read],
      deliveries: [delivery],
      came: `${line(delivery)} instead of ${shown(address)} after triggering ${named(trigger)}`,
    }),
  );
  const told = new Set(misdirected.values());
  const copies = strays
    .filter((delivery) => !told.has(delivery))
    .map((delivery): Breach => {
      const cause = expected.findLast(({ trigger }) => trigger.startedAtMs <= delivery.receivedAtMs);
      return {
        exchanges: cause ? [cause.configured.read] : [],
        deliveries: [delivery],
        came: `${line(delivery)}, where nothing was expected after triggering ${cause ? named(cause.trigger) : 'nothing'}`,
      };
    });
  const deliveries = [...expected.flatMap(({ own }) => own), ...strays];
  if (deliveries.length === 0) return notTested(NOTHING_CAME);
  return judged([...expected.map(({ configured }) => configured.read), ...deliveries], [...elsewhere, ...copies]);
}

/** Deliveries that hold a credential, unless the account's settings hold the same text as an address or a username. */
function noPayloadHoldsCredentials(watched: Watched, evidence: Evidence): Finding {
  if (watched.all.length === 0)
    return notTested('Nothing arrived, so there is no payload to look into (event.enabled-sent).');
  const described = watched.reads.flatMap((read) => {
    const webhook = settingsIn(read.response?.body ?? '');
    const urls = KINDS.map((kind) => memberAt(webhook, kind, 'url'));
    return markersIn(JSON.stringify([...urls, memberAt(webhook, 'auth', 'basic', 'username')])).map(secretOf);
  });
  const breaches = watched.all.flatMap((delivery): Breach[] => {
    const isConfigured = watched.addresses.some((address) => arrivedAt(delivery, address));
    const parts = [
      // A credential in a configured address was put there by the account.
      ['URL', isConfigured ? '' : delivery.path],
      ['payload', searchable(delivery)],
    ] as const;
    for (const [where, text] of parts) {
      const marker = markersIn(text).find(
        (found) => isCredential(found.kind) && !found.name.startsWith('(') && !described.includes(secretOf(found)),
      );
      if (!marker) continue;
      const came = `${line(delivery)} with ${credentialInWords(marker, evidence)} in its ${where}`;
      return [{ exchanges: [], deliveries: [delivery], came }];
    }
    return [];
  });
  return judged(watched.all, breaches);
}

/** Credentials in the header lines of a delivery whose account has receiver authentication off, or `null`. */
function credentialsIn(delivery: Delivery, { configured, trigger }: Expected): string | null {
  const [authorization] = linesOf(delivery.headers, 'Authorization');
  const url = bodyAt(configured.read, 'webhook', trigger.kind, 'url');
  // An HTTP client sends the credentials within a URL as Basic credentials.
  const isOfTheUrl = /^\w+:\/\/[^/?#]*@/.test(String(url)) && /^basic\b/i.test(authorization ?? '');
  if (authorization !== undefined && !isOfTheUrl) return `Authorization: ${authorization}, with authentication off,`;
  const { header } = keyIn(configured.auth) ?? {};
  if (header === undefined || linesOf(delivery.headers, header).length === 0) return null;
  return `${header}, the header of the API-key scheme, with authentication off,`;
}

/**
 * Judges the deliveries that an account's trigger caused beyond doubt: the first one at the url of its kind, and those
 * that came before anything else was triggered.
 * @param applies whether the clause is about accounts with such `auth` settings
 * @param none what to declare where no account has such settings
 * @param check what is wrong with a delivery, or `null`
 */
function eachOf(
  applies: (auth: JsonObject) => boolean,
  none: string,
  check: (delivery: Delivery, expected: Expected, evidence: Evidence) => string | null,
): Rule {
  return judging((watched, evidence) => {
    const concerned = watched.expected.filter(({ configured }) => applies(configured.auth));
    if (concerned.length === 0) return notTested(none);
    const pairs = concerned.flatMap((expected) =>
      expected.own
        .filter((delivery, i) => i === 0 || delivery.receivedAtMs < expected.nextMs)
        .map((delivery) => ({ expected, delivery })),
    );
    if (pairs.length === 0) return notTested(NOTHING_CAME);
    const breaches = pairs.flatMap(({ expected, delivery }): Breach[] => {
      const { configured, address, trigger } = expected;
      const wrong = check(delivery, expected, evidence);
      if (wrong === null) return [];
      const came = `${wrong} at ${shown(address)}, the url of ${named(trigger)}`;
      return [{ exchanges: [configured.read], deliveries: [delivery], came }];
    });
    return judged(
      pairs.flatMap(({ expected, delivery }) => [expected.configured.read, delivery]),
      breaches,
    );
  });
}

const isOn = (auth: JsonObject) => auth.status === true;
const isBasic = (auth: JsonObject) => typeof auth.type === 'string' && auth.type.toLowerCase() === 'basic';
const usesBasic = (auth: JsonObject) => isOn(auth) && isBasic(auth) && memberAt(auth, 'basic', 'hasPassword') === true;

/** Passes only where at least one password was compared. Without a declared password only its surroundings are judged. */
function basicCredentialsAreRight(evidence: Evidence): Finding {
  const finding = eachBasic.judge(evidence);
  if (finding.notTested !== null || finding.breaches.length > 0) return finding;
  const triggered = new Set(evidence.triggers.filter(({ enabled }) => enabled).map(({ account }) => account));
  const accounts = [...triggered].filter((account) => usesBasic(configuredIn(evidence, account)?.auth ?? {}));
  const undeclared = accounts.filter((account) => !isPasswordDeclared(account, evidence));
  if (undeclared.length < accounts.length) return finding;
  return {
    ...notTested(
      `Basic credentials with the configured username came for ${undeclared.join(', ')}; whether the password is the stored one was not compared: declare \`password\`.`,
    ),
    evidence: finding.evidence,
  };
}

const eachBasic = eachOf(
  usesBasic,
  'No listed account has a kind on, receiver authentication on, the type "basic" and a password stored: list one in `notifications.accounts`, and declare its `password`.',
  (delivery, { configured, trigger }, evidence) => {
    const lines = linesOf(delivery.headers, 'Authorization');
    if (lines.length !== 1) return lines.length === 0 ? 'no Authorization' : `${lines.length} times Authorization`;
    if (delivery.basic.length === 0) {
      return /^basic\b/i.test(lines[0] ?? '')
        ? 'Authorization: Basic without the base64 of username:password'
        : `Authorization: ${lines[0]}`;
    }
    const username = String(memberAt(configured.auth, 'basic', 'username') ?? '');
    const isDeclared = isPasswordDeclared(trigger.account, evidence);
    const ofThisUser = delivery.basic.filter((basic) => basic.username !== null && isSame(basic.username, username));
    // Basic credentials are split at the first colon (RFC 7617), so a username with a colon is not found without
    // the password.
    if (ofThisUser.length === 0 && (isDeclared || !username.includes(':')))
      return 'Basic credentials with another username than the one configured';
    const word = delivery.basic.map(({ password }) => password).find((password) => !password.startsWith('['));
    if (!isDeclared) {
      const isAllWords = delivery.basic.every(({ password }) => !password.startsWith('['));
      return isAllWords ? passwordFlaw(word) : null;
    }
    const password = markerOf('password', trigger.account);
    return ofThisUser.some((basic) => basic.password === password) ? null : passwordFlaw(word);
  },
);

/** @param word a password that is nobody's, such as `null`; `undefined` where a secret came instead */
function passwordFlaw(word: string | undefined): string {
  if (word === undefined) return 'Basic credentials with another password than the declared one';
  return word === ''
    ? 'Basic credentials without a password'
    : `Basic credentials with the word "${word}" for a password`;
}

/** Header and key of the API-key scheme, where they are set in a form that can be compared. */
function keyIn(auth: JsonObject): { header: string; key: string } | null {
  const header = memberAt(auth, 'apikey', 'header');
  const key = memberAt(auth, 'apikey', 'apikey');
  const isText = (typeof key === 'string' && key.trim() !== '') || typeof key === 'number';
  return typeof header === 'string' && header !== '' && isText ? { header, key: String(key).trim() } : null;
}

/** Kinds of secrets that are credentials, in words; see `passwordInWords` for passwords. */
const CREDENTIALS: Readonly<Record<string, string>> = {
  apiKey: 'the API key',
  receiverKey: "the receiver's key",
};

interface Secret {
  kind: string;
  name: string;
}

function isCredential(kind: string): boolean {
  return kind === 'password' || Object.hasOwn(CREDENTIALS, kind);
}

function credentialInWords({ kind, name }: Secret, evidence: Evidence): string {
  return kind === 'password' ? passwordInWords(name, evidence) : `${CREDENTIALS[kind]} of ${name}`;
}

function secretOf({ kind, name }: Secret): string {
  return `${kind}:${name}`;
}

/** How often each notification arrived, leaving out those that never did. An observation. */
export function timesEachCame(evidence: Evidence): number[] {
  const watched = watchedIn(evidence);
  if (typeof watched === 'string') return [];
  return watched.expected.map(({ own }) => own.length).filter((times) => times > 0);
}

function waitMsOf(evidence: Evidence): number {
  return Number(evidence.target.notifications?.waitSeconds) * 1000;
}

function named({ kind, account }: Trigger): string {
  return `"${kind}" of ${account}`;
}

function line(delivery: Delivery): string {
  return `${delivery.method} ${shortened(delivery.path)}`;
}

function shown(address: string): string {
  const [path = '', ...parameters] = address.split('\n');
  return shortened(parameters.length > 0 ? `${path}?${parameters.join('&')}` : path);
}

function shortened(text: string): string {
  return text.length > 120 ? `${text.slice(0, 117)}…` : text;
}

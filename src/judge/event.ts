/** The event clauses (API description, section 6), on what was triggered and what arrived. */

import { KINDS } from '../contract/settings';
import type { Delivery, Evidence, Trigger } from '../evidence/exchange';
import { linesOf } from '../evidence/headers';
import { type JsonObject, memberAt, settingsIn } from '../evidence/json';
import { markerOf, markersIn } from '../evidence/markers';
import {
  arrivedAt,
  configuredIn,
  type Entry,
  type Expected,
  isSame,
  misdirectedIn,
  type Watched,
  watchedIn,
} from '../evidence/notifications';
import { type Breach, type Finding, notTested, type Rules } from './finding';

export const eventRules: Rules = {
  'event.enabled-sent': {
    needs: ['events'],
    judge: judging((watched, evidence) => {
      if (watched.expected.length === 0) return NONE_ON;
      const waitMs = waitMsOf(evidence);
      if (evidence.deliveries.length === 0) return nothingAtAll(watched, waitMs);
      const misdirected = misdirectedIn(watched, waitMs);
      const breaches = watched.expected.flatMap((one): Breach[] => {
        const [first] = one.own;
        const { endedAtMs } = one.trigger;
        // What went elsewhere was sent: that is for event.own-url.
        if (misdirected.has(one) || (first && first.receivedAtMs <= endedAtMs + waitMs)) return [];
        const late = first ? `, only after ${((first.receivedAtMs - endedAtMs) / 1000).toFixed(1)} s` : '';
        return [
          {
            exchanges: [one.configured.read],
            deliveries: first ? [first] : [],
            came: `nothing at ${shown(one.address)} within ${waitMs / 1000} s of triggering ${named(one.trigger)}, which is on${late}`,
          },
        ];
      });
      return { breaches, judged: watched.expected.flatMap((one): Entry[] => [one.configured.read, ...one.own]) };
    }),
  },

  'event.disabled-silent': {
    needs: ['events'],
    judge: judging((watched) => {
      if (watched.silent.length === 0) return NONE_OFF;
      // Where nothing at all arrives, silence may be that of a tunnel.
      if (watched.all.length === 0) return SILENT_ANYWAY;
      const off = watched.silent.map((one) => one.trigger);
      const reads = watched.reads.filter((read) => off.some((one) => one.account === read.account));
      const breaches = watched.unasked.map((delivery): Breach => {
        const at = watched.silent.find((one) => arrivedAt(delivery, one.address))?.trigger;
        return {
          exchanges: reads.filter((read) => !at || read.account === at.account).slice(0, 1),
          deliveries: [delivery],
          came: at
            ? `${line(delivery)} after triggering ${named(at)}, which is off`
            : `${line(delivery)} while nothing had been triggered but ${off.map(named).join(', ')}, which ${off.length === 1 ? 'is' : 'are'} off`,
        };
      });
      return { breaches, judged: reads };
    }),
  },

  'event.own-url': {
    needs: ['events'],
    judge: judging((watched, evidence) => {
      if (watched.expected.length === 0) return NONE_ON;
      const misdirected = misdirectedIn(watched, waitMsOf(evidence));
      const elsewhere = [...misdirected].map(([one, delivery]): Breach => {
        return {
          exchanges: [one.configured.read],
          deliveries: [delivery],
          came: `${line(delivery)} instead of ${shown(one.address)} after triggering ${named(one.trigger)}`,
        };
      });
      const told = new Set(misdirected.values());
      const copies = watched.strays
        .filter((delivery) => !told.has(delivery))
        .map((delivery): Breach => {
          const cause = watched.expected.findLast((one) => one.trigger.startedAtMs <= delivery.receivedAtMs);
          return {
            exchanges: cause ? [cause.configured.read] : [],
            deliveries: [delivery],
            came: `${line(delivery)}, where nothing was expected after triggering ${cause ? named(cause.trigger) : 'nothing'}`,
          };
        });
      const breaches = [...elsewhere, ...copies];
      const judged = [...watched.expected.flatMap((one) => one.own), ...watched.strays];
      const reads = watched.expected.map((one) => one.configured.read);
      return judged.length === 0 ? NOTHING_CAME : { breaches, judged: [...reads, ...judged] };
    }),
  },

  /** With a password that was not declared, only what surrounds it can be judged. */
  'event.basic-auth': {
    needs: ['events'],
    judge(evidence) {
      const finding = basicIsRight(evidence);
      if (finding.notTested !== null || finding.breaches.length > 0) return finding;
      const accounts = [...new Set(evidence.triggers.filter((one) => one.enabled).map((one) => one.account))].filter(
        (account) => {
          const auth = configuredIn(evidence, account)?.auth ?? {};
          return isOn(auth) && isBasic(auth) && hasPassword(auth);
        },
      );
      const undeclared = accounts.filter((account) => !isPasswordDeclared(evidence, account));
      if (undeclared.length < accounts.length) return finding;
      return {
        ...notTested(
          `Basic credentials with the configured username came for ${undeclared.join(', ')}; whether the password is the stored one was not compared: declare \`password\`.`,
        ),
        evidence: finding.evidence,
      };
    },
  },

  'event.apikey-auth': {
    needs: ['events'],
    judge: eachOf(
      (auth) => isOn(auth) && !isBasic(auth) && keyIn(auth) !== null,
      'No listed account has a kind on, receiver authentication on and another type than "basic" with header and key: list one in `notifications.accounts`.',
      (delivery, { configured }) => {
        const { header, key } = keyIn(configured.auth) as { header: string; key: string };
        const values = linesOf(delivery.headers, header);
        if (values.length === 1 && isSame(values[0] ?? '', key)) return null;
        return values.length === 0
          ? `no ${header}`
          : `${header}: ${values.join(', ')}, which is not the configured key,`;
      },
    ),
  },

  'event.auth-off': {
    needs: ['events'],
    judge: eachOf(
      (auth) => auth.status === false,
      'No listed account has a kind on and receiver authentication off: list one in `notifications.accounts`.',
      (delivery, { configured, trigger }) => {
        const { header } = keyIn(configured.auth) ?? {};
        const [authorization] = linesOf(delivery.headers, 'Authorization');
        const url = memberAt(settingsIn(configured.read.response?.body ?? ''), trigger.kind, 'url');
        // Credentials within the url itself are sent by whatever follows it.
        const isOfTheUrl = /^\w+:\/\/[^/?#]*@/.test(String(url)) && /^basic\b/i.test(authorization ?? '');
        if (authorization !== undefined && !isOfTheUrl)
          return `Authorization: ${authorization}, with authentication off,`;
        if (header === undefined || linesOf(delivery.headers, header).length === 0) return null;
        return `${header}, the header of the API-key scheme, with authentication off,`;
      },
    ),
  },

  'event.no-credentials-in-payload': {
    needs: ['events'],
    judge: judging((watched) => {
      if (watched.all.length === 0) return 'Nothing arrived, so there is no payload to look into (event.enabled-sent).';
      const rightly = watched.reads.flatMap((read) => {
        const webhook = settingsIn(read.response?.body ?? '');
        const described = KINDS.map((kind) => memberAt(webhook, kind, 'url'));
        return markersIn(JSON.stringify([...described, memberAt(webhook, 'auth', 'basic', 'username')])).map(nameOf);
      });
      const breaches = watched.all.flatMap((delivery): Breach[] => {
        const body =
          delivery.bodyEncoding === 'base64' ? Buffer.from(delivery.body, 'base64').toString('latin1') : delivery.body;
        // What an account's url holds was configured there.
        const isConfigured = watched.addresses.some((address) => arrivedAt(delivery, address));
        for (const [where, text] of [
          ['URL', isConfigured ? '' : delivery.path],
          ['payload', body],
        ] as const) {
          const found = markersIn(text).find(
            (one) =>
              Object.hasOwn(CREDENTIALS, one.kind) && !one.name.startsWith('(') && !rightly.includes(nameOf(one)),
          );
          if (!found) continue;
          const came = `${line(delivery)} with ${CREDENTIALS[found.kind]} of ${found.name} in its ${where}`;
          return [{ exchanges: [], deliveries: [delivery], came }];
        }
        return [];
      });
      return { breaches, judged: watched.all };
    }),
  },
};

/**
 * A finding of what was watched. A trigger that did not work leaves nothing proven that was not broken.
 * @param judge breaches and the entries of the evidence that were judged, or why nothing could be
 */
function judging(judge: (watched: Watched, evidence: Evidence) => { breaches: Breach[]; judged: Entry[] } | string) {
  return (evidence: Evidence): Finding => {
    const watched = watchedIn(evidence);
    if (typeof watched === 'string') return notTested(failureIn(evidence) ?? watched);
    const result = judge(watched, evidence);
    const failure = failureIn(evidence);
    if (typeof result === 'string') return notTested(failure ?? result);
    const judged = [...new Set(result.judged.map((one) => one.index))];
    if (failure !== null && result.breaches.length === 0) return notTested(failure);
    return { breaches: result.breaches, evidence: judged, notTested: null };
  };
}

function failureIn(evidence: Evidence): string | null {
  return evidence.triggers.find((one) => one.failure !== null)?.failure ?? null;
}

/** All that is known where nothing arrived: the way to the receiver is asked about first. */
function nothingAtAll({ expected }: Watched, waitMs: number): { breaches: Breach[]; judged: Entry[] } {
  const reads = [...new Set(expected.map((one) => one.configured.read))];
  const kinds = expected.map((one) => named(one.trigger)).join(', ');
  const came =
    `nothing at all arrived at the receiver within ${waitMs / 1000} s of triggering ${kinds}: is the tunnel open, and do ` +
    'the urls of the settings lead into it? If so, the service sends nothing';
  return { breaches: [{ exchanges: reads.slice(0, 1), deliveries: [], came }], judged: reads };
}

const SILENT_ANYWAY =
  'Nothing arrived at the receiver at all, so it shows nothing that kinds which are off are silent: switch a kind on, ' +
  'and see that it arrives (event.enabled-sent).';
const NONE_ON =
  'No kind of the accounts of `notifications.accounts` is switched on: switch one on, or list another account.';
const NONE_OFF =
  'No kind of the accounts of `notifications.accounts` is switched off: switch one off, or list another account.';
const NOTHING_CAME = 'Nothing arrived at the url of a kind that is on (event.enabled-sent, event.own-url).';

/**
 * Judges the deliveries that certainly are what an account's trigger led to: the first one at its url, and those before
 * anything else was triggered.
 * @param applies whether the clause is about accounts with such settings
 * @param none what to declare where no account is like that
 */
function eachOf(
  applies: (auth: JsonObject) => boolean,
  none: string,
  check: (delivery: Delivery, one: Expected, evidence: Evidence) => string | null,
) {
  return judging((watched, evidence) => {
    const about = watched.expected.filter((one) => applies(one.configured.auth));
    if (about.length === 0) return none;
    const deliveries = about.flatMap((one) => certainly(one).map((delivery) => ({ one, delivery })));
    if (deliveries.length === 0) return NOTHING_CAME;
    const breaches = deliveries.flatMap(({ one, delivery }): Breach[] => {
      const came = check(delivery, one, evidence);
      if (came === null) return [];
      return [
        {
          exchanges: [one.configured.read],
          deliveries: [delivery],
          came: `${came} at ${shown(one.address)}, the url of ${named(one.trigger)}`,
        },
      ];
    });
    return { breaches, judged: deliveries.flatMap(({ one, delivery }) => [one.configured.read, delivery]) };
  });
}

function certainly({ own, nextMs }: Expected): Delivery[] {
  return own.filter((delivery, i) => i === 0 || delivery.receivedAtMs < nextMs);
}

const isOn = (auth: JsonObject) => auth.status === true;
const isBasic = (auth: JsonObject) => typeof auth.type === 'string' && auth.type.toLowerCase() === 'basic';
const hasPassword = (auth: JsonObject) => memberAt(auth, 'basic', 'hasPassword') === true;

const basicIsRight = eachOf(
  (auth) => isOn(auth) && isBasic(auth) && hasPassword(auth),
  'No listed account has a kind on, receiver authentication on, the type "basic" and a password stored: list one in `notifications.accounts`, and declare its `password`.',
  (delivery, { configured, trigger }, evidence) => {
    const lines = linesOf(delivery.headers, 'Authorization');
    if (lines.length !== 1) return lines.length === 0 ? 'no Authorization' : `${lines.length} times Authorization`;
    if (delivery.basic.length === 0) {
      return /^basic\b/i.test(lines[0] ?? '')
        ? 'Authorization: Basic without the base64 of username:password'
        : `Authorization: ${lines[0]}`;
    }
    const username = memberAt(configured.auth, 'basic', 'username') ?? '';
    // A colon in it leaves open where it ends (RFC 7617), unless the password is known.
    const isDeclared = isPasswordDeclared(evidence, trigger.account);
    const named = delivery.basic.filter((one) => one.username !== null && isSame(one.username, String(username)));
    if (named.length === 0 && (isDeclared || !String(username).includes(':'))) {
      return 'Basic credentials with another username than the one configured';
    }
    const passwords = delivery.basic.map((one) => one.password);
    if (!isDeclared)
      return passwords.every((one) => !one.startsWith('[')) ? `Basic ${withPassword(passwords[0])}` : null;
    if (named.some((one) => one.password === markerOf('password', trigger.account))) return null;
    return `Basic ${withPassword(passwords.find((one) => !one.startsWith('[')))}`;
  },
);

function withPassword(word: string | undefined): string {
  if (word === undefined) return 'credentials with another password than the stored one';
  return word === '' ? 'credentials without a password' : `credentials with the word "${word}" for a password`;
}

function isPasswordDeclared(evidence: Evidence, account: string): boolean {
  return evidence.target.accounts.find((one) => one.name === account)?.passwordDeclared ?? false;
}

/** Header and key of the API-key scheme, where they are set in a form that can be compared. */
function keyIn(auth: JsonObject): { header: string; key: string } | null {
  const header = memberAt(auth, 'apikey', 'header');
  const key = memberAt(auth, 'apikey', 'apikey');
  const isText = (typeof key === 'string' && key.trim() !== '') || typeof key === 'number';
  return typeof header === 'string' && header !== '' && isText ? { header, key: String(key).trim() } : null;
}

const CREDENTIALS: Record<string, string> = {
  apiKey: 'the API key',
  password: 'the stored password',
  receiverKey: "the receiver's key",
};

function nameOf({ kind, name }: { kind: string; name: string }): string {
  return `${kind}:${name}`;
}

/** How often each notification came, as far as that can be told; for the observations. */
export function timesEachCame(evidence: Evidence): number[] {
  const watched = watchedIn(evidence);
  if (typeof watched === 'string') return [];
  return watched.expected.map((one) => one.own.length).filter((times) => times > 0);
}

function waitMsOf(evidence: Evidence): number {
  return (evidence.target.notifications?.waitSeconds ?? 0) * 1000;
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

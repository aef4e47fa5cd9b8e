/** The event clauses: whether, when and where notifications arrive, and with which credentials (API description, section 6). */
import { isSameProbe, probe } from '../catalogue/catalogue';
import { cut } from '../common/text';
import type { Flaw } from '../contract/result';
import { KINDS } from '../contract/settings';
import { linesOf } from '../evidence/http/headers';
import { type JsonObject, memberAt } from '../evidence/http/json';
import { type BasicCredentials, type Delivery, type Evidence, searchable } from '../evidence/model';
import { bodyAt } from '../evidence/settings-reads';
import type { Breach, Finding, Rule, Rules } from '../judge/finding';
import { flawIn, judged, notTested, notTestedWhen } from '../judge/finding';
import { isPasswordDeclared, passwordInWords } from '../judge/leaks';
import { markerOf, markersIn, WORD } from '../redaction/markers';
import { arrivedAt, causeOf, type Expected, isRepeat, type Watched, watchedIn } from './deliveries';

export const eventRules: Rules = {
  'event.enabled-sent': judging(everyKindThatIsOnIsSent),
  'event.disabled-silent': judging(kindsThatAreOffAreSilent),
  'event.own-url': judging(eachComesToItsOwnUrl),

  'event.basic-auth': eachOf(
    (auth) => isOn(auth) && isBasic(auth) && memberAt(auth, 'basic.hasPassword') === true,
    'No account in `notifications.accounts` has a kind on, receiver authentication on, the type "basic" and a stored password: list one that has, and declare its `password`.',
    (...delivered) => {
      const got = wrongBasic(...delivered);
      if (got === null) return null;
      return flawIn('header', 'Authorization', got, 'Basic credentials with the configured username');
    },
    (accounts, evidence) => {
      const declare = `Basic credentials with the configured username came for ${accounts.join(', ')}; whether the password is the stored one was not compared: declare \`password\`.`;
      return accounts.some((account) => isPasswordDeclared(account, evidence)) ? null : { declare };
    },
  ),

  'event.apikey-auth': eachOf(
    (auth) => isOn(auth) && !isBasic(auth) && keyIn(auth) !== null,
    'No account in `notifications.accounts` has a kind on, receiver authentication on, and the API-key scheme with header and key: list one that has.',
    (delivery, { auth }) => {
      const { header, key } = keyIn(auth) as { header: string; key: string };
      const values = linesOf(delivery.headers, header);
      if (values.length === 1 && values[0] === key) return null;
      const got = values.length === 0 ? 'absent' : `${values.join(', ')}, which is not the configured key,`;
      return flawIn('header', header, got, 'the configured key');
    },
  ),

  'event.auth-off': eachOf(
    (auth) => auth.status === false,
    'No account in `notifications.accounts` has a kind on and receiver authentication off: list one that has.',
    credentialsIn,
  ),

  'event.no-credentials-in-payload': judging(noPayloadHoldsCredentials),
};

const LONGEST_ADDRESS = 118;

/** A rule about what was triggered and what arrived. Where a trigger failed, only breaches count. */
function judging(judge: (watched: Watched, evidence: Evidence) => Finding): Rule {
  return {
    needs: ['events'],
    judge(evidence) {
      const watched = watchedIn(evidence);
      const finding = 'whyNot' in watched ? notTested(watched.whyNot) : judge(watched, evidence);
      const failed = evidence.triggers.find(({ failure }) => failure !== null);
      return notTestedWhen(finding, failed?.failure ?? null, []);
    },
  };
}

const NONE_ON = 'No kind of the accounts in `notifications.accounts` is on: switch one on, or list another account.';
const NOTHING_CAME = 'Nothing arrived at the url of a kind that is on.';

/** Notifications that did not arrive in time. A notification that went elsewhere was sent: event.own-url judges it. */
function everyKindThatIsOnIsSent({ expected, misdirected, strays, waitMs }: Watched, evidence: Evidence): Finding {
  if (expected.length === 0) return notTested({ declare: NONE_ON });
  const missing = expected.filter(
    (each) =>
      !misdirected.has(each) &&
      !strays.some((delivery) => arrivedAt(delivery, each.address)) &&
      !each.own.some(({ receivedAtMs }) => receivedAtMs <= each.dueMs),
  );
  // What nobody knows to lead to the receiver accuses the tunnel as much as the server.
  const unknown = missing.map((each) => whyWayIsUnknown(each, expected, evidence));
  const accused = missing.filter((_, i) => unknown[i] === null);
  const [why = null] = unknown.filter((reason) => reason !== null);
  const inTime = `within ${waitMs / 1000} s of the trigger`;
  const breaches = accused.map((each) => {
    const { own, endedAtMs, address } = each;
    const [first] = own;
    const late = first ? `, only after ${((first.receivedAtMs - endedAtMs) / 1000).toFixed(1)} s` : '';
    const got = `nothing at ${shown(address)} ${inTime}, though it is on${late}`;
    const flaw = flawIn('notification', named(each), got, `a request to ${shown(address)} ${inTime}`);
    return breachOf(each, own.slice(0, 1), flaw);
  });
  return notTestedWhen(judgedOn(expected, breaches), why);
}

/** Why it is not known whether a kind's url leads to the receiver; `null` once something has arrived there from its host. */
function whyWayIsUnknown(missing: Expected, expected: readonly Expected[], { notSent }: Evidence) {
  const { account, kind, host } = missing;
  const check = probe('receiver-check', { account, form: kind });
  const noted = notSent.find(({ probe: sent }) => isSameProbe(sent, check));
  const isShown = expected.some((other) => other.own.length > 0 && other.host === host);
  return noted && !isShown ? `Nothing arrived for ${named(missing)}. ${noted.reason}` : null;
}

function kindsThatAreOffAreSilent({ off, unasked, reads, all }: Watched, evidence: Evidence): Finding {
  if (off.length === 0)
    return notTested(
      evidence.notSent.find(({ probe }) => probe.group === 'receiver-check')?.reason ??
        'Every kind of the accounts in `notifications.accounts` is on: switch one off, or list another account.',
    );
  // Where nothing at all arrives, silence may be that of a tunnel.
  if (all.length === 0)
    return notTested(
      'Nothing arrived at the receiver at all, so the silence of kinds that are off proves nothing: switch a kind on, ' +
        'and see that it arrives (event.enabled-sent).',
    );
  const concerned = reads.filter((read) => off.some((each) => each.read === read));
  const breaches = unasked.map((delivery): Breach => {
    const at = off.find(({ address }) => arrivedAt(delivery, address));
    const [what, when] = at
      ? [named(at), 'though it is off']
      : [off.map(named).join(', '), 'while nothing had been triggered but what is off'];
    return {
      ...flawIn('notification', what, `${line(delivery)} ${when}`, 'nothing'),
      exchanges: concerned.filter((read) => !at || read === at.read).slice(0, 1),
      deliveries: [delivery],
    };
  });
  return judged(concerned, breaches);
}

function eachComesToItsOwnUrl({ expected, strays, misdirected }: Watched): Finding {
  if (expected.length === 0) return notTested({ declare: NONE_ON });
  if (strays.length === 0 && expected.every(({ own }) => own.length === 0)) return notTested(NOTHING_CAME);
  const elsewhere = [...misdirected].map(([missing, delivery]) => {
    const own = shown(missing.address);
    const got = `${line(delivery)} instead of ${own}`;
    return breachOf(missing, [delivery], flawIn('notification', named(missing), got, `a request to ${own}`));
  });
  const reported = new Set(misdirected.values());
  const copies = strays
    .filter((delivery) => !reported.has(delivery))
    .map((delivery) => {
      // A stray came after a kind that is on had been triggered.
      const cause = causeOf(delivery, expected) as Expected;
      const got = `where nothing was expected, after triggering ${named(cause)}`;
      return breachOf(cause, [delivery], flawIn('notification', line(delivery), got, 'nothing at this address'));
    });
  return judgedOn(expected, [...elsewhere, ...copies], strays);
}

function judgedOn(expected: readonly Expected[], breaches: Breach[], strays: readonly Delivery[] = []): Finding {
  return judged([...expected.flatMap(({ read, own }) => [read, ...own]), ...strays], breaches);
}

function breachOf({ read }: Expected, deliveries: Delivery[], flaw: Flaw): Breach {
  return { ...flaw, exchanges: [read], deliveries };
}

function named({ kind, account }: Pick<Expected, 'kind' | 'account'>): string {
  return `"${kind}" of ${account}`;
}

function line(delivery: Delivery): string {
  return `${delivery.method} ${cut(delivery.path, LONGEST_ADDRESS)}`;
}

function shown(address: string): string {
  const [path = '', ...parameters] = address.split('\n');
  return cut(parameters.length > 0 ? `${path}?${parameters.join('&')}` : path, LONGEST_ADDRESS);
}

/** Deliveries that hold a credential, unless the account's settings hold the same text as an address or a username. */
function noPayloadHoldsCredentials({ all, reads, addresses }: Watched, evidence: Evidence): Finding {
  if (all.length === 0) return notTested('Nothing arrived, so there is no payload to look into (event.enabled-sent).');
  const described = reads.flatMap((read) => {
    const paths = [...KINDS.map((kind) => `webhook.${kind}.url`), 'webhook.auth.basic.username'];
    return markersIn(JSON.stringify(paths.map((path) => bodyAt(read, path))));
  });
  const credentialIn = (text: string) =>
    markersIn(text)
      // A payload may say any word.
      .filter(({ form }) => form !== WORD)
      .filter(({ kind, name }) => !described.some((other) => other.kind === kind && other.name === name))
      .map(({ kind, name }) => credentialInWords(kind, name, evidence))
      .find((credential) => credential !== null);
  const breaches = all.flatMap((delivery): Breach[] => {
    // A credential in a configured address was put there by the account.
    const isConfigured = arrivedAt(delivery, ...addresses);
    const inUrl = isConfigured ? undefined : credentialIn(delivery.path);
    const credential = inUrl ?? credentialIn(searchable(delivery));
    if (credential === undefined) return [];
    const got = `${credential} in its ${inUrl === undefined ? 'payload' : 'URL'}`;
    return [{ ...flawIn('notification', line(delivery), got, 'no credential'), exchanges: [], deliveries: [delivery] }];
  });
  return judged(all, breaches);
}

function credentialInWords(kind: string, name: string, evidence: Evidence): string | null {
  if (name.startsWith('(')) return null;
  if (kind === 'password') return passwordInWords(name, evidence);
  if (kind === 'apiKey') return `the API key of ${name}`;
  return kind === 'receiverKey' ? `the receiver's key of ${name.replace(/#\d+$/, '')}` : null;
}

function credentialsIn(delivery: Delivery, { url, auth }: Expected): Flaw | null {
  const [authorization] = linesOf(delivery.headers, 'Authorization');
  // An HTTP client sends the credentials within a URL as Basic credentials. Short ones are masked together with the host.
  const isOfTheUrl = /^\w+:\/\/(?:[^/?#]*@|\[secret:receiverKey:)/.test(url) && /^basic\b/i.test(authorization ?? '');
  if (authorization !== undefined && !isOfTheUrl)
    return flawIn('header', 'Authorization', `${authorization}, with authentication off,`, 'no credentials');
  const { header } = keyIn(auth) ?? {};
  if (header === undefined || linesOf(delivery.headers, header).length === 0) return null;
  return flawIn('header', header, 'the header of the API-key scheme, with authentication off,', 'no credentials');
}

/**
 * Judges the deliveries that an account's trigger caused beyond doubt: the first one at the url of its kind, those
 * that came before anything else was triggered, and those that say the same again.
 * @param applies whether the clause is about accounts with such `auth` settings
 * @param none what to declare where no account has such settings
 * @param check what is wrong with a delivery, or `null`
 * @param unseen what the deliveries to these accounts leave open, or `null`
 */
function eachOf(
  applies: (auth: JsonObject) => boolean,
  none: string,
  check: (delivery: Delivery, expected: Expected, evidence: Evidence) => Flaw | null,
  unseen: (accounts: string[], evidence: Evidence) => { declare: string } | null = () => null,
): Rule {
  return judging(({ expected }, evidence) => {
    const concerned = expected.filter(({ auth }) => applies(auth));
    if (concerned.length === 0) return notTested({ declare: none });
    const isOfAnother = (delivery: Delivery, each: Expected) =>
      expected.some((other) => other !== each && other.own.some(({ body }) => body === delivery.body));
    const isCertain = (delivery: Delivery, each: Expected, i: number) =>
      i === 0 ||
      causeOf(delivery, expected) === each ||
      (delivery.body !== '' && isRepeat(delivery, each) && !isOfAnother(delivery, each));
    const arrived = concerned
      .filter(({ own }) => own.length > 0)
      .map((each) => ({ ...each, own: each.own.filter((delivery, i) => isCertain(delivery, each, i)) }));
    if (arrived.length === 0) return notTested(NOTHING_CAME);
    const breaches = arrived.flatMap((each) =>
      each.own.flatMap((delivery) => {
        const flaw = check(delivery, each, evidence);
        if (flaw === null) return [];
        const got = `${flaw.got} at ${shown(each.address)}, the url of ${named(each)}`;
        return [breachOf(each, [delivery], { ...flaw, got })];
      }),
    );
    const accounts = new Set(arrived.map(({ account }) => account));
    return notTestedWhen(judgedOn(arrived, breaches), unseen([...accounts], evidence));
  });
}

const isOn = (auth: JsonObject) => auth.status === true;
const isBasic = (auth: JsonObject) => typeof auth.type === 'string' && auth.type.toLowerCase() === 'basic';

/** What is wrong with the Basic credentials of a delivery. Without a declared password only its surroundings are judged. */
function wrongBasic({ headers, basic }: Delivery, { account, auth }: Expected, evidence: Evidence): string | null {
  const lines = linesOf(headers, 'Authorization');
  if (lines.length !== 1) return lines.length === 0 ? 'absent' : `${lines.length} times`;
  if (basic.length === 0) {
    return /^basic\b/i.test(lines[0] ?? '') ? 'Basic without the base64 of username:password' : (lines[0] ?? '');
  }
  const username = String(memberAt(auth, 'basic.username') ?? '');
  const isDeclared = isPasswordDeclared(account, evidence);
  const ofThisUser = basic.filter((split) => split.username === username);
  // Basic credentials are split at the first colon (RFC 7617), so a username with a colon is not found without
  // the password.
  if (ofThisUser.length === 0 && (isDeclared || !username.includes(':')))
    return 'Basic credentials with another username than the one configured';
  const stored = markerOf('password', account);
  const isRight = ({ password }: BasicCredentials) => (isDeclared ? password === stored : isSecret(password));
  if ((isDeclared ? ofThisUser : basic).some(isRight)) return null;
  // A password that is nobody's, such as the word `null`.
  const word = basic.map(({ password }) => password).find((password) => !isSecret(password));
  if (word === undefined) return 'Basic credentials with another password than the declared one';
  return `Basic credentials ${word === '' ? 'without a password' : `with the word "${word}" for a password`}`;
}

const isSecret = (password: string) => password.startsWith('[');

/** Header and key of the API-key scheme, where they are set in a form that can be compared. */
function keyIn(auth: JsonObject): { header: string; key: string } | null {
  const header = memberAt(auth, 'apikey.header');
  const key = memberAt(auth, 'apikey.apikey');
  const isText = (typeof key === 'string' && key.trim() !== '') || typeof key === 'number';
  return typeof header === 'string' && header !== '' && isText ? { header, key: String(key).trim() } : null;
}

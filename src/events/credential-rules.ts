/** The event clauses on the credentials of notifications (API description, section 6, rule 2). */
import type { Flaw } from '../contract/result';
import { KINDS } from '../contract/settings';
import { linesOf } from '../evidence/http/headers';
import { type JsonObject, memberAt } from '../evidence/http/json';
import { type Delivery, type Evidence, searchable } from '../evidence/model';
import { bodyAt } from '../evidence/settings-reads';
import {
  type Breach,
  type Finding,
  flawIn,
  judged,
  notTested,
  notTestedWhen,
  type Reason,
  type Rule,
  type Rules,
} from '../judge/finding';
import { isPasswordDeclared, passwordInWords } from '../judge/leaks';
import { markerOf, markersIn, WORD } from '../redaction/markers';
import { breachOf, judgedOn, judging, line, NOTHING_CAME, named, shown } from './arrival-rules';
import { arrivedAt, type Expected, isRepeat, type Watched } from './deliveries';

export const credentialRules: Rules = {
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
    (delivery, { configured }) => {
      const { header, key } = keyIn(configured.auth) as { header: string; key: string };
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
    const isConfigured = addresses.some((address) => arrivedAt(delivery, address));
    const inUrl = isConfigured ? undefined : credentialIn(delivery.path);
    const credential = inUrl ?? credentialIn(searchable(delivery));
    if (credential === undefined) return [];
    const got = `${credential} in its ${inUrl === undefined ? 'payload' : 'URL'}`;
    return [{ ...flawIn('notification', line(delivery), got, 'no credential'), exchanges: [], deliveries: [delivery] }];
  });
  return judged(all, breaches);
}

/** A secret of an account that is a credential, in words; `null` for any other secret. */
function credentialInWords(kind: string, name: string, evidence: Evidence): string | null {
  if (name.startsWith('(')) return null;
  if (kind === 'password') return passwordInWords(name, evidence);
  if (kind === 'apiKey') return `the API key of ${name}`;
  return kind === 'receiverKey' ? `the receiver's key of ${name}` : null;
}

/** Credentials in the header lines of a delivery whose account has receiver authentication off, or `null`. */
function credentialsIn(delivery: Delivery, { configured, trigger }: Expected): Flaw | null {
  const [authorization] = linesOf(delivery.headers, 'Authorization');
  const url = String(bodyAt(configured.read, `webhook.${trigger.kind}.url`));
  // An HTTP client sends the credentials within a URL as Basic credentials. Short ones are masked together with the host.
  const isOfTheUrl = /^\w+:\/\/(?:[^/?#]*@|\[secret:receiverKey:)/.test(url) && /^basic\b/i.test(authorization ?? '');
  if (authorization !== undefined && !isOfTheUrl)
    return flawIn('header', 'Authorization', `${authorization}, with authentication off,`, 'no credentials');
  const { header } = keyIn(configured.auth) ?? {};
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
  unseen: (accounts: string[], evidence: Evidence) => Reason | null = () => null,
): Rule {
  return judging(({ expected }, evidence) => {
    const concerned = expected.filter(({ configured }) => applies(configured.auth));
    if (concerned.length === 0) return notTested({ declare: none });
    const isOfAnother = (delivery: Delivery, each: Expected) =>
      expected.some((other) => other !== each && other.own.some(({ body }) => body === delivery.body));
    const isCertain = (delivery: Delivery, each: Expected, i: number) =>
      i === 0 ||
      delivery.receivedAtMs < each.nextMs ||
      (delivery.body !== '' && isRepeat(delivery, each) && !isOfAnother(delivery, each));
    const arrived = concerned
      .filter(({ own }) => own.length > 0)
      .map((each) => ({ ...each, own: each.own.filter((delivery, i) => isCertain(delivery, each, i)) }));
    if (arrived.length === 0) return notTested(NOTHING_CAME);
    const breaches = arrived.flatMap((each) =>
      each.own.flatMap((delivery) => {
        const flaw = check(delivery, each, evidence);
        if (flaw === null) return [];
        const got = `${flaw.got} at ${shown(each.address)}, the url of ${named(each.trigger)}`;
        return [breachOf(each, [delivery], { ...flaw, got })];
      }),
    );
    const accounts = new Set(arrived.map(({ trigger }) => trigger.account));
    return notTestedWhen(judgedOn(arrived, breaches), unseen([...accounts], evidence));
  });
}

const isOn = (auth: JsonObject) => auth.status === true;
const isBasic = (auth: JsonObject) => typeof auth.type === 'string' && auth.type.toLowerCase() === 'basic';

/** What is wrong with the Basic credentials of a delivery. Without a declared password only its surroundings are judged. */
function wrongBasic(
  { headers, basic }: Delivery,
  { configured, trigger: { account } }: Expected,
  evidence: Evidence,
): string | null {
  const lines = linesOf(headers, 'Authorization');
  if (lines.length !== 1) return lines.length === 0 ? 'absent' : `${lines.length} times`;
  if (basic.length === 0) {
    return /^basic\b/i.test(lines[0] ?? '') ? 'Basic without the base64 of username:password' : (lines[0] ?? '');
  }
  const username = String(memberAt(configured.auth, 'basic.username') ?? '');
  const isDeclared = isPasswordDeclared(account, evidence);
  const ofThisUser = basic.filter((split) => split.username === username);
  // Basic credentials are split at the first colon (RFC 7617), so a username with a colon is not found without
  // the password.
  if (ofThisUser.length === 0 && (isDeclared || !username.includes(':')))
    return 'Basic credentials with another username than the one configured';
  const passwords = basic.map(({ password }) => password);
  const isRight = isDeclared
    ? ofThisUser.some(({ password }) => password === markerOf('password', account))
    : passwords.some(isSecret);
  // A password that is nobody's, such as the word `null`.
  const word = passwords.find((password) => !isSecret(password));
  if (isRight) return null;
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

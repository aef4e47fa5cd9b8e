/**
 * Judges what responses give away: stored passwords (API description, section 2.1), callers' keys, and settings in the
 * bodies of rejections (section 5).
 */
import type { Flaw } from '../contract/result';
import { KINDS } from '../contract/settings';
import { holdsSettings, isDescription, memberAt, outlined, parsed, stringsIn } from '../evidence/http/json';
import { type Evidence, type Exchange, once, type RecordedResponse, searchable, secretsIn } from '../evidence/model';
import { disclosesSettings, isAccepted, isWhole, statusOf } from '../evidence/responder/classify';
import { bodyAt, declaredOf, readsOf, settingsOf } from '../evidence/settings-reads';
import { readingsOf } from '../redaction/encodings';
import { isTheSecret, MARKER, markersIn, type Secret, WORD } from '../redaction/markers';
import {
  answerFlaw,
  breachesIn,
  each,
  type Finding,
  flawAnywhere,
  flawIn,
  judged,
  notTested,
  notTestedWhen,
} from './finding';

/** What the names of passwords and secrets hold. */
const SECRET_NAMES = 'passw(?:or)?d|passphrase|passcode|secret';
/** Names that speak of a password or secret, of members that the description does not have. */
const SECRET_NAME = new RegExp(String.raw`${SECRET_NAMES}|\bpwd\b|^pw$`, 'i');
/** What settings.password-null judges. */
const OWN_CLAUSE = 'webhook.auth.basic.password';

/** Described members that may equal a password by chance. */
const MAY_EQUAL = ['auth.basic.username', 'auth.type'];
/** The same, where the scheme is another than "basic": otherwise they are null (settings.apikey-unused). */
const MAY_EQUAL_IN_USE = ['auth.apikey.header', 'auth.apikey.apikey'];

function mayEqual(webhook: unknown): readonly string[] {
  return memberAt(webhook, 'auth.type') === 'basic' ? MAY_EQUAL : [...MAY_EQUAL, ...MAY_EQUAL_IN_USE];
}
const WHOLE_PASSWORD = /^\[secret:password:[^\]]+\]$/;
/** A username that equals a password, in a body that is not JSON. */
const USERNAME_IN_TEXT = /username["'\s]*[:=]\s*["']?\[secret:password:[^\]]+\]/gi;

/** Judges every response, broken ones too. Where no password is declared, only telling names of members are judged. */
export function passwordsInResponses(evidence: Evidence): Finding {
  const answered = evidence.exchanges.filter(({ response }) => response);
  if (answered.length === 0) return notTested('Nothing was answered.');
  const breaches = breachesIn(answered, (exchange) => leakIn(exchange, evidence));
  const isDeclared = evidence.target.accounts.some(({ passwordDeclared }) => passwordDeclared);
  return notTestedWhen(
    judged(answered, breaches),
    isDeclared
      ? null
      : {
          declare:
            'Declare the stored `password` of an account in the target file: it is looked for in every response.',
        },
  );
}

/** Names the password of an account in a message: it is a declaration's word that this is what is stored. */
export function passwordInWords(account: string, evidence: Evidence): string {
  return `the ${isPasswordDeclared(account, evidence) ? 'declared' : 'stored'} password of ${account}`;
}

export function isPasswordDeclared(account: string, evidence: Evidence): boolean {
  return declaredOf(evidence, account)?.passwordDeclared ?? false;
}

/** The settings of all accounts, declared and served, which only their owners may read. */
function documentsOf(evidence: Evidence): unknown[] {
  return [...evidence.target.accounts.map(({ settings }) => settings), ...readsOf(evidence).map(settingsOf)];
}

/** The accounts of which one of some values is the secret, all of it. */
function ownersIn(values: readonly unknown[], whole: RegExp): string[] {
  const held = values.filter((value) => typeof value === 'string' && whole.test(value));
  return held.flatMap((value) => markersIn(value as string).map(({ name }) => name));
}

/** The accounts whose password equals a member of some settings, such as a username: elsewhere that word says nothing. */
const passwordsThatSettingsHold = once((evidence: Evidence): ReadonlySet<string> => {
  const documents = documentsOf(evidence);
  const values = documents.flatMap((document) => mayEqual(document).map((path) => memberAt(document, path)));
  // An address is made of words.
  const addresses = documents.flatMap((document) => KINDS.map((kind) => memberAt(document, `${kind}.url`)));
  const words = passwordsIn(JSON.stringify(addresses)).filter(({ form }) => form === WORD);
  return new Set([...ownersIn(values, WHOLE_PASSWORD), ...words.map(({ name }) => name)]);
});

/**
 * A quick look before a large body is parsed: without a marker, a telling name or an escape, nothing leaks. A name is read
 * backwards from the quote at its end to the quote before it, so that the whole look is linear.
 */
const MAY_LEAK =
  /\[secret:|\\|"(?=[ \t\r\n]{0,200}:[ \t\r\n]{0,200}")(?<=(?:passw|passphrase|passcode|pw|secret)[^"]{0,200}")/i;

function leakIn(exchange: Exchange, evidence: Evidence): Flaw | null {
  const { response } = exchange as Exchange & { response: RecordedResponse };
  const { body } = response;
  const passwordIn = (text: string) => {
    const owner = passwordOwnerIn(text, evidence);
    return owner === null ? null : passwordInWords(owner, evidence);
  };
  const asText = outlined(body) === undefined ? searchable(response).replace(USERNAME_IN_TEXT, '') : '';
  const document = asText === '' && MAY_LEAK.test(body) ? parsed(body) : undefined;
  const flaw = flawAnywhere(response, asText, passwordIn, NO_PASSWORD);
  if (flaw !== null || document === undefined) return flaw;
  let [inStrings, telling] = [0, ''];
  for (const { path, text } of stringsIn(document)) {
    const isWhole = path.startsWith('webhook.') && WHOLE_PASSWORD.test(text);
    const owner = isWhole ? (passwordsIn(text)[0]?.name ?? null) : passwordOwnerIn(text, evidence);
    // What no account declares may be a word that stands for a password: settings.password-null judges that.
    const isItsOwn = path === OWN_CLAUSE && owner !== null && !declaredOf(evidence, owner);
    if (owner !== null && !isItsOwn && !mayHold(path, text, owner, exchange, evidence))
      return flawIn('member', belowWebhook(path), passwordInWords(owner, evidence), NO_PASSWORD);
    inStrings += passwordsIn(text).length;
    if (SECRET_NAME.test(path.slice(path.lastIndexOf('.') + 1)) && isAValue(path, text)) telling ||= path;
  }
  // JSON.parse drops the first of two members with one name, so the passwords in the text are counted as well.
  if (passwordsIn(body).length > inStrings)
    return answerFlaw(
      'a stored password in a member name, or in a member that a later one of the same name hides',
      NO_PASSWORD,
    );
  if (telling === '') return null;
  return flawIn('member', belowWebhook(telling), 'a string, where the name speaks of a secret', NO_PASSWORD);
}

/** Whether a text at a path whose name speaks of a secret is a value, and no clause of its own judges it. */
function isAValue(path: string, text: string): boolean {
  return path !== OWN_CLAUSE && !/(?:^|\.)hasPassword$/.test(path) && !isDescription(text, path.split('.'));
}

const NO_PASSWORD = 'no stored password anywhere';

function belowWebhook(path: string): string {
  return path.replace(/^webhook\./, '');
}

function passwordsIn(text: string) {
  return markersIn(text).filter(({ kind }) => kind === 'password');
}

/** The account whose password a text holds, or `null`. */
function passwordOwnerIn(text: string, evidence: Evidence): string | null {
  const held = passwordsIn(text);
  return held.length === 0 ? null : leakedOwner(held, passwordsThatSettingsHold(evidence), evidence);
}

/** The owner of the first secret that leaks. A word that settings or others hold counts only where it is encoded. */
function leakedOwner(secrets: readonly Secret[], harmless: ReadonlySet<string>, evidence: Evidence): string | null {
  const leaks = ({ form, name }: Secret) => (form !== undefined && form !== WORD) || !harmless.has(name);
  return secrets.find((secret) => leaks(secret) && !isCommonWord(secret, evidence))?.name ?? null;
}

/** Whether a member may hold a text that is also a password. Declared settings decide, else what may equal one. */
function mayHold(path: string, text: string, owner: string, exchange: Exchange, { target }: Evidence): boolean {
  const below = belowWebhook(path);
  return target.accounts
    .filter(({ name }) => exchange.account === null || name === exchange.account || name === owner)
    .map(({ settings }) => memberAt(settings, below))
    .some((declared) =>
      declared === undefined
        ? mayEqual(bodyAt(exchange, 'webhook')).includes(below) && WHOLE_PASSWORD.test(text)
        : declared === text,
    );
}

/** What a user may have called as his key. A receiver's key that equals it may be the caller's, by mistake. */
const MAY_EQUAL_A_KEY = ['auth.basic.username', 'auth.type', 'auth.apikey.header'];
const WHOLE_KEY = /^\[secret:apiKey:[^\]]+\]$/;

/** The accounts whose key equals a member that was chosen by hand: to send that word leaks nothing. */
const keysThatSettingsHold = once((evidence: Evidence): ReadonlySet<string> => {
  const chosen = documentsOf(evidence).flatMap((document) => MAY_EQUAL_A_KEY.map((path) => memberAt(document, path)));
  const declared = evidence.target.accounts.map(({ settings }) => memberAt(settings, 'auth.apikey.apikey'));
  return new Set(ownersIn([...chosen, ...declared], WHOLE_KEY));
});

/** The first place of a response that holds a valid key, encoded or not. */
export function echoedKey({ response }: Exchange, evidence: Evidence): Flaw | null {
  const keyIn = (text: string) => {
    const keys = markersIn(text).filter(({ kind, form }) => kind === 'apiKey' && isTheSecret(form));
    const owner = leakedOwner(keys, keysThatSettingsHold(evidence), evidence);
    return owner === null ? null : `the valid key of ${owner}`;
  };
  return response && flawAnywhere(response, searchable(response), keyIn, 'no valid key in any response');
}

/** An address that is as short as this may stand in a body by chance. */
const SHORTEST_ADDRESS = 11;

/** Judges every answer to a request without a valid key that was not accepted. */
export function settingsInRejections(evidence: Evidence): Finding {
  const rejections = evidence.exchanges.filter(
    (exchange) => exchange.account === null && isWhole(exchange) && !isAccepted(exchange),
  );
  return each(rejections, 'no request without a valid key was rejected', (rejection) => {
    const disclosed = disclosedBy(rejection, evidence);
    if (disclosed === null) return null;
    return answerFlaw(`${statusOf(rejection)} with ${disclosed} in its body`, 'none of the settings');
  });
}

/** What a body discloses to somebody who may not read the settings, in words; `null` if nothing. */
function disclosedBy(answer: Exchange, evidence: Evidence): string | null {
  const body = answer.response ? searchable(answer.response) : '';
  const owner = disclosesSettings(answer) ? null : passwordOwnerIn(body, evidence);
  if (owner !== null) return passwordInWords(owner, evidence);
  const keys = markersIn(body).filter(({ kind }) => kind === 'receiverKey');
  if (keys.some((key) => !isCommonWord(key, evidence))) return "a receiver's key";
  return settingsServedBy(answer, evidence) ?? (namesAUser(body, evidence) ? "the receiver's user name" : null);
}

/** The end of the path of a member that names a user. */
const OF_A_USER = /(?:^|\.)(?:user|username|login)$/i;

/** Whether a member of JSON that names a user holds the user name of a receiver, declared or served. */
function namesAUser(body: string, evidence: Evidence): boolean {
  const names = new Set(documentsOf(evidence).map((document) => memberAt(document, 'auth.basic.username')));
  const strings = [...stringsIn(parsed(body) ?? null)];
  return strings.some(({ path, text }) => text !== '' && OF_A_USER.test(path) && names.has(text));
}

/** Which settings a body serves, in JSON of any shape or in another form, in words; `null` if none. */
export function settingsServedBy({ response }: Exchange, evidence: Evidence): string | null {
  if (response === null) return null;
  if (holdsSettings(response.body)) return 'webhook settings';
  const addresses = addressesOf(evidence);
  const readings = addresses.size > 0 ? readingsOf(Buffer.from(searchable(response))) : [];
  for (const { bytes } of readings) {
    const body = bytes.toString('latin1');
    for (const [address, what] of addresses) if (holds(body, address)) return what;
  }
  return null;
}

/** The receivers' addresses of all accounts, declared and served, which only their owners may read, with what each is. */
const addressesOf = once((evidence: Evidence): ReadonlyMap<string, string> => {
  const addresses = new Map<string, string>();
  for (const document of documentsOf(evidence))
    for (const kind of KINDS) {
      const url = memberAt(document, `${kind}.url`);
      if (typeof url === 'string' && url.length >= SHORTEST_ADDRESS)
        addresses.set(Buffer.from(url).toString('latin1'), `the receiver's address for "${kind}"`);
    }
  return addresses;
});

/** Whether an address stands in a body by itself, and not within a longer one. */
function holds(body: string, address: string): boolean {
  for (let at = body.indexOf(address); at >= 0; at = body.indexOf(address, at + 1)) {
    const rest = body.slice(at + address.length);
    if (!/\w/.test(body.charAt(at - 1)) && !/^(?:\/|[?#&=_~%:.-]*[A-Za-z0-9])/.test(rest)) return true;
  }
  return false;
}

/** The words that were sent to others than their owners, and not because the request held them. */
const sentToOthers = once((evidence: Evidence): ReadonlySet<string> => {
  const sent = evidence.exchanges.flatMap((exchange) =>
    secretsIn(exchange).filter((secret) => secret.form === WORD && !isOfTheCaller(secret, exchange)),
  );
  return new Set(sent.map(idOf));
});

/** What stands before a value that is named as a password or key: the name of a member, a field or a parameter. */
const BEHIND_ITS_NAME = new RegExp(
  String.raw`(?:${SECRET_NAMES}|pwd|api[-_]?key)["'\\]{0,4}\s{0,8}[:=]\s{0,8}["'\\]{0,4}$`,
  'i',
);
/** A name and what may stand between it and its value are no longer than this. */
const LONGEST_NAME = 60;

/** The words that a body gave as the value of a name that speaks of a secret. Settings show a receiver's key to its owner. */
const namedAsSecret = once((evidence: Evidence): ReadonlySet<string> => {
  const named = evidence.exchanges.flatMap((exchange) => {
    const body = exchange.response ? searchable(exchange.response) : '';
    return [...body.matchAll(MARKER)]
      .filter(({ index }) => BEHIND_ITS_NAME.test(body.slice(Math.max(0, index - LONGEST_NAME), index)))
      .flatMap(([marker]) => markersIn(marker))
      .filter((secret) => secret.kind !== 'receiverKey' || !isOfTheCaller(secret, exchange));
  });
  return new Set(named.map(idOf));
});

/**
 * Whether a secret is an ordinary word that the server sends to everyone. A leak shows an account what is its own, or calls
 * it a password.
 */
export function isCommonWord(secret: Secret, evidence: Evidence): boolean {
  return secret.form === WORD && sentToOthers(evidence).has(idOf(secret)) && !namedAsSecret(evidence).has(idOf(secret));
}

function isOfTheCaller({ kind, name }: Secret, { account, request }: Exchange): boolean {
  const sent = () => markersIn(`${request.url}\n${request.headers.flat().join('\n')}`);
  return name === account || sent().some((secret) => secret.kind === kind && secret.name === name);
}

function idOf({ kind, name }: Secret): string {
  return `${kind}:${name}`;
}

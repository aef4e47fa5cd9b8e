/** Judges what responses leak: stored passwords (API description, section 2.1), keys, and settings in rejections (5). */
import type { Flaw } from '../contract/result';
import { KINDS } from '../contract/settings';
import { holdsSettings, isDescription, memberAt, parsed, settingsIn, stringsIn } from '../evidence/http/json';
import { type Evidence, type Exchange, once, type RecordedResponse, searchable, secretsIn } from '../evidence/model';
import { disclosesSettings, isAccepted, isWhole, statusOf } from '../evidence/responder/classify';
import { declaredOf, readsOf } from '../evidence/settings-reads';
import { readingsOf } from '../redaction/encodings';
import { isTheSecret, markersIn, type Secret, WORD, withoutMarkers } from '../redaction/markers';
import { answerFlaw, breachesIn, each, type Finding, flawIn, judged, notTested, notTestedWhen } from './finding';

const SECRET_NAME = /passw(?:or)?d|passphrase|passcode|secret|\bpwd\b|^pw$/i;
/** settings.password-null judges this member. */
const OWN_CLAUSE = 'webhook.auth.basic.password';

/** Described members that may equal a password by chance. */
const MAY_EQUAL = ['auth.basic.username', 'auth.type', 'auth.apikey.header', 'auth.apikey.apikey'];
const WHOLE_PASSWORD = /^\[secret:password:[^\]]+\]$/;

/** Judges every response, broken ones too. If no password is declared, only members with telling names are judged. */
export function passwordsInResponses(evidence: Evidence): Finding {
  const answered = evidence.exchanges.filter(({ response }) => response);
  if (answered.length === 0) return notTested('Nothing was answered.');
  const breaches = breachesIn(answered, (exchange) => leakIn(exchange, evidence));
  const isDeclared = evidence.target.accounts.some(({ passwordDeclared }) => passwordDeclared);
  return notTestedWhen(judged(answered, breaches), isDeclared ? null : { declare: NONE_DECLARED });
}

const NONE_DECLARED =
  'Declare the stored `password` of an account in the target file: it is looked for in every response.';

/** Names the password of an account in a message. */
export function passwordInWords(account: string, evidence: Evidence): string {
  return `the ${isPasswordDeclared(account, evidence) ? 'declared' : 'stored'} password of ${account}`;
}

export function isPasswordDeclared(account: string, evidence: Evidence): boolean {
  return declaredOf(evidence, account)?.passwordDeclared ?? false;
}

const URLS = KINDS.map((kind) => `${kind}.url`);

/** The texts at some paths in the settings of all accounts, declared and served. Only their owners may read them. */
function textsAt(evidence: Evidence, ...paths: string[]): string[] {
  const declared = evidence.target.accounts.map(({ settings }) => settings);
  const documents: unknown[] = [...declared, ...readsOf(evidence).map(({ response }) => settingsIn(response))];
  const values = documents.flatMap((document) => paths.map((path) => memberAt(document, path)));
  return values.filter((value) => typeof value === 'string');
}

/** The accounts whose secret is the whole of one of some values. */
function ownersIn(values: readonly unknown[], whole: RegExp): string[] {
  const held = values.filter((value) => typeof value === 'string' && whole.test(value));
  return held.flatMap((value) => markersIn(value as string).map(({ name }) => name));
}

/** The accounts whose password equals a member of some settings, such as a username. Such a word proves no leak. */
const passwordsThatSettingsHold = once((evidence: Evidence): ReadonlySet<string> => {
  // An address is made of words.
  const words = passwordsIn(textsAt(evidence, ...URLS).join('\n')).filter(({ form }) => form === WORD);
  return new Set([...ownersIn(textsAt(evidence, ...MAY_EQUAL), WHOLE_PASSWORD), ...words.map(({ name }) => name)]);
});

function leakIn(exchange: Exchange, evidence: Evidence): Flaw | null {
  const { response } = exchange as Exchange & { response: RecordedResponse };
  const { body } = response;
  const passwordIn = (text: string) => {
    const owner = passwordOwnerIn(text, evidence);
    return owner === null ? null : passwordInWords(owner, evidence);
  };
  const document = parsed(response);
  const flaw = flawAnywhere(response, document === undefined ? searchable(response) : '', passwordIn, NO_PASSWORD);
  if (flaw !== null || document === undefined) return flaw;
  let [inStrings, secretPath] = [0, ''];
  for (const { path, text } of stringsIn(document)) {
    const isWhole = path.startsWith('webhook.') && WHOLE_PASSWORD.test(text);
    const owner = isWhole ? (passwordsIn(text)[0]?.name ?? null) : passwordOwnerIn(text, evidence);
    // An undeclared value of `password` may be a mask, which settings.password-null judges.
    const isItsOwn = path === OWN_CLAUSE && owner !== null && !declaredOf(evidence, owner);
    if (owner !== null && !isItsOwn && !mayHold(path, text, owner, exchange, evidence))
      return flawIn('member', belowWebhook(path), passwordInWords(owner, evidence), NO_PASSWORD);
    inStrings += passwordsIn(text).length;
    if (isNamedSecret(path, text)) secretPath ||= path;
  }
  // JSON.parse drops the first of two members with one name, so passwords in the text are counted as well.
  if (passwordsIn(body).length > inStrings) return answerFlaw(HIDDEN, NO_PASSWORD);
  if (secretPath === '') return null;
  return flawIn('member', belowWebhook(secretPath), 'a string, where the name speaks of a secret', NO_PASSWORD);
}

/**
 * Returns the first place of a response, header lines first, that holds what no response may; `null` if none does.
 * @param heldIn returns what a text holds, in words, or `null`
 * @param body the part of the body that is searched
 */
function flawAnywhere(
  { headers, aside = [], statusText }: RecordedResponse,
  body: string,
  heldIn: (text: string) => string | null,
  expected: string,
): Flaw | null {
  for (const [name, value] of [...headers, ...aside]) {
    const held = heldIn(`${name}\n${value}`);
    if (held !== null) return flawIn('header', withoutMarkers(name), held, expected);
  }
  for (const [where, text] of Object.entries({ 'status line': statusText, body })) {
    const held = heldIn(text);
    if (held !== null) return answerFlaw(`${held} in the ${where}`, expected);
  }
  return null;
}

/** Whether a member with a telling name has a value that no other clause judges. */
function isNamedSecret(path: string, text: string): boolean {
  const names = path.split('.');
  const name = names.at(-1) ?? '';
  return path !== OWN_CLAUSE && name !== 'hasPassword' && SECRET_NAME.test(name) && !isDescription(text, names);
}

const NO_PASSWORD = 'no stored password anywhere';
const HIDDEN = 'a stored password in a member name, or in a member that a later one of the same name hides';

function belowWebhook(path: string): string {
  return path.replace(/^webhook\./, '');
}

function passwordsIn(text: string) {
  return markersIn(text).filter(({ kind }) => kind === 'password');
}

function passwordOwnerIn(text: string, evidence: Evidence): string | null {
  const held = passwordsIn(text);
  return held.length === 0 ? null : leakedOwner(held, passwordsThatSettingsHold(evidence), evidence);
}

/** The owner of the first secret that leaks. A harmless word leaks only if it is encoded. */
function leakedOwner(secrets: readonly Secret[], harmless: ReadonlySet<string>, evidence: Evidence): string | null {
  const leaks = ({ form, name }: Secret) => (form !== undefined && form !== WORD) || !harmless.has(name);
  return secrets.find((secret) => leaks(secret) && !isCommonWord(secret, evidence))?.name ?? null;
}

/** Whether a member may hold a text that is also a password: declared settings decide, else `MAY_EQUAL`. */
function mayHold(path: string, text: string, owner: string, exchange: Exchange, { target }: Evidence): boolean {
  const below = belowWebhook(path);
  const isByChance = MAY_EQUAL.includes(below) && WHOLE_PASSWORD.test(text);
  return target.accounts
    .filter(({ name }) => exchange.account === null || name === exchange.account || name === owner)
    .map(({ settings }) => memberAt(settings, below))
    .some((declared) => declared === text || (declared === undefined && isByChance));
}

/** Members that a user may have given the same text as the key. */
const MAY_EQUAL_A_KEY = ['auth.basic.username', 'auth.type', 'auth.apikey.header'];
const WHOLE_KEY = /^\[secret:apiKey:[^\]]+\]$/;

/** The accounts whose key equals a member of some settings, or a declared receiver's key: to send it leaks nothing. */
const keysThatSettingsHold = once((evidence: Evidence): ReadonlySet<string> => {
  const chosen = textsAt(evidence, ...MAY_EQUAL_A_KEY);
  const declared = evidence.target.accounts.map(({ settings }) => memberAt(settings, 'auth.apikey.apikey'));
  return new Set(ownersIn([...chosen, ...declared], WHOLE_KEY));
});

/** Returns the first place of a response that holds a valid key, encoded or not; `null` if none does. */
export function echoedKey({ response }: Exchange, evidence: Evidence): Flaw | null {
  const keyIn = (text: string) => {
    const keys = markersIn(text).filter(({ kind, form }) => kind === 'apiKey' && isTheSecret(form));
    const owner = leakedOwner(keys, keysThatSettingsHold(evidence), evidence);
    return owner === null ? null : `the valid key of ${owner}`;
  };
  return response && flawAnywhere(response, searchable(response), keyIn, 'no valid key in any response');
}

/** A shorter address may stand in a body by chance. */
const SHORTEST_ADDRESS = 11;

/** Judges every answer to a request without a valid key that was not accepted. */
export function settingsInRejections(evidence: Evidence): Finding {
  const keyless = evidence.exchanges.filter(({ account }) => account === null);
  const rejections = keyless.filter((exchange) => isWhole(exchange) && !isAccepted(exchange));
  return each(rejections, 'no request without a valid key was rejected', (rejection) => {
    const disclosed = disclosedBy(rejection, evidence);
    if (disclosed === null) return null;
    return answerFlaw(`${statusOf(rejection)} with ${disclosed} in its body`, 'none of the settings');
  });
}

/** What a body discloses to a caller who may not read the settings, in words; `null` if nothing. */
function disclosedBy(answer: Exchange, evidence: Evidence): string | null {
  const body = answer.response ? searchable(answer.response) : '';
  const owner = disclosesSettings(answer) ? null : passwordOwnerIn(body, evidence);
  if (owner !== null) return passwordInWords(owner, evidence);
  const keys = markersIn(body).filter(({ kind }) => kind === 'receiverKey');
  if (keys.some((key) => !isCommonWord(key, evidence))) return "a receiver's key";
  return settingsServedBy(answer, evidence) ?? (namesAUser(body, evidence) ? "the receiver's user name" : null);
}

const OF_A_USER = /(?:^|\.)(?:user|username|login)$/i;

function namesAUser(body: string, evidence: Evidence): boolean {
  const names = new Set(textsAt(evidence, 'auth.basic.username'));
  const strings = [...stringsIn(parsed({ body }) ?? null)];
  return strings.some(({ path, text }) => text !== '' && OF_A_USER.test(path) && names.has(text));
}

/** Returns which settings a body serves, in JSON or in any other form, in words; `null` if none. */
export function settingsServedBy({ response }: Exchange, evidence: Evidence): string | null {
  if (response === null) return null;
  if (holdsSettings(response)) return 'webhook settings';
  const addresses = addressesOf(evidence);
  const readings = addresses.length > 0 ? readingsOf(Buffer.from(searchable(response))) : [];
  for (const { bytes } of readings) {
    const body = bytes.toString('latin1');
    if (addresses.some((address) => holds(body, address))) return "a receiver's address";
  }
  return null;
}

/** The receivers' addresses of all accounts, declared and served, with each byte as a character. */
const addressesOf = once((evidence: Evidence): readonly string[] => {
  const long = textsAt(evidence, ...URLS).filter((url) => url.length >= SHORTEST_ADDRESS);
  return [...new Set(long)].map((url) => Buffer.from(url).toString('latin1'));
});

function holds(body: string, address: string): boolean {
  for (let at = body.indexOf(address); at >= 0; at = body.indexOf(address, at + 1)) {
    const rest = body.slice(at + address.length);
    if (!/\w/.test(body.charAt(at - 1)) && !/^(?:\/|[?#&=_~%:.-]*[A-Za-z0-9])/.test(rest)) return true;
  }
  return false;
}

/** The words that the server sent to others than their owners, although the request did not hold them. */
const sentToOthers = once((evidence: Evidence): ReadonlySet<string> => {
  const sent = evidence.exchanges.flatMap((exchange) =>
    secretsIn(exchange).filter((secret) => secret.form === WORD && !isOfTheCaller(secret, exchange)),
  );
  return new Set(sent.map(idOf));
});

/** Whether a secret is an ordinary word that the server sends to everyone. */
export function isCommonWord(secret: Secret, evidence: Evidence): boolean {
  return secret.form === WORD && sentToOthers(evidence).has(idOf(secret));
}

function isOfTheCaller({ kind, name }: Secret, { account, request }: Exchange): boolean {
  const sent = () => markersIn(`${request.url}\n${request.headers.flat().join('\n')}`);
  return name === account || sent().some((secret) => secret.kind === kind && secret.name === name);
}

function idOf({ kind, name }: Secret): string {
  return `${kind}:${name}`;
}

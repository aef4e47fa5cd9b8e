/** Judges what the bodies of rejections disclose (API description, section 5): auth.rejection-discloses-nothing. */
import { KINDS } from '../contract/settings';
import { holdsSettings, memberAt, parsed, stringsIn } from '../evidence/http/json';
import { type Evidence, type Exchange, once } from '../evidence/model';
import { disclosesSettings, isAccepted, isWhole, statusOf } from '../evidence/responder/classify';
import { isCommonWord, searchable } from '../evidence/secrets';
import { readsOf, settingsOf } from '../evidence/settings-reads';
import { readingsOf } from '../redaction/encodings';
import { markersIn } from '../redaction/markers';
import { answerFlaw, each, type Finding } from './finding';
import { passwordInWords, passwordOwnerIn } from './leaks';

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

/** The settings of all accounts, declared and served, which only their owners may read. */
function documentsOf(evidence: Evidence): unknown[] {
  return [...evidence.target.accounts.map(({ settings }) => settings), ...readsOf(evidence).map(settingsOf)];
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

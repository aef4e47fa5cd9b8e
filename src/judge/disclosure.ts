/** Judges what the bodies of rejections disclose (API description, section 5): auth.rejection-discloses-nothing. */
import { groupedBy } from '../common/grouped';
import { KINDS } from '../contract/settings';
import { memberAt } from '../evidence/http/json';
import { once } from '../evidence/memoize';
import type { Evidence, Exchange } from '../evidence/model';
import { disclosesSettings, isAccepted, isWhole, statusOf } from '../evidence/responder/classify';
import { isCommonWord, searchable } from '../evidence/secrets';
import { readsOf, settingsOf } from '../evidence/settings-reads';
import { readingsOf } from '../redaction/encodings';
import { markersIn } from '../redaction/markers';
import { answerFlaw, each, type Finding } from './finding';
import { passwordInWords, passwordOwnerIn } from './leaks';

/** An address or a user name that is as short as this may stand in a body by chance. */
const SHORTEST_ADDRESS = 11;
const SHORTEST_USERNAME = 4;
/** A longer user name that is not a word of letters alone is found also within a sentence. */
const SHORTEST_TELLING_USERNAME = 6;

/** Judges every answer to a request without a valid key that was not accepted. */
export function settingsInRejections(evidence: Evidence): Finding {
  const rejections = evidence.exchanges.filter(
    (exchange) => exchange.account === null && isWhole(exchange) && !isAccepted(exchange),
  );
  const fixed = fixedNames(rejections, evidence);
  return each(rejections, 'no request without a valid key was rejected', (rejection) => {
    const disclosed = disclosedBy(rejection, evidence, fixed.get(statusOf(rejection)));
    if (disclosed === null) return null;
    return answerFlaw(`${statusOf(rejection)} with ${disclosed} in its body`, 'none of the settings');
  });
}

/**
 * What a body discloses to somebody who may not read the settings, in words; `null` if nothing.
 * @param fixed user names that it may hold by chance, unless it names them as a user's
 */
function disclosedBy(answer: Exchange, evidence: Evidence, fixed: ReadonlySet<string> = new Set()): string | null {
  const body = answer.response ? searchable(answer.response) : '';
  const owner = disclosesSettings(answer) ? null : passwordOwnerIn(body, evidence);
  if (owner !== null) return passwordInWords(owner, evidence);
  const keys = markersIn(body).filter(({ kind }) => kind === 'receiverKey');
  if (keys.some((key) => !isCommonWord(key, evidence))) return "a receiver's key";
  const settings = settingsServedBy(answer, evidence);
  if (settings !== null) return settings;
  const { names } = privateTextsOf(evidence);
  const isHeld = textsIn(answer, names, (name, before) => !fixed.has(name) || OF_A_USER.test(before)).size > 0;
  return isHeld ? "the receiver's user name" : null;
}

/** The end of a text that introduces a user name. */
const OF_A_USER = /(?:user|login|account|principal)(?:[ _-]?(?:name|id))?\W{0,12}$/i;

/**
 * By status, the user names that stand in all rejections with it, whatever was asked: then they are most likely words of
 * the server's own, such as `"service": "assessment"`.
 */
function fixedNames(rejections: readonly Exchange[], evidence: Evidence): ReadonlyMap<number, ReadonlySet<string>> {
  const { names } = privateTextsOf(evidence);
  const speaking = rejections.filter(({ response }) => response?.body);
  return new Map(
    [...groupedBy(speaking, statusOf)].map(([status, alike]) => {
      const held = alike.map((rejection) => textsIn(rejection, names));
      return [status, new Set([...names].filter((name) => held.every((texts) => texts.has(name))))];
    }),
  );
}

/** Which settings a body serves, in JSON of any shape or in another form, in words; `null` if none. */
export function settingsServedBy(answer: Exchange, evidence: Evidence): string | null {
  if (disclosesSettings(answer)) return 'webhook settings';
  const { addresses } = privateTextsOf(evidence);
  const held = textsIn(answer, addresses.keys());
  return [...addresses].find(([address]) => held.has(address))?.[1] ?? null;
}

/** Which of some texts stand in a body. @param counts whether one does, by what stands before it */
function textsIn(
  { response }: Exchange,
  sought: Iterable<string>,
  counts: (text: string, before: string) => boolean = () => true,
): ReadonlySet<string> {
  const texts = [...sought];
  const held = new Set<string>();
  for (const { bytes } of response && texts.length > 0 ? readingsOf(Buffer.from(searchable(response))) : []) {
    const body = bytes.toString('latin1');
    for (const text of texts) if (holds(body, text, counts)) held.add(text);
  }
  return held;
}

/** The receivers' addresses and user names of all accounts, declared and served, which only their owners may read. */
const privateTextsOf = once((evidence: Evidence) => {
  const documents: unknown[] = [
    ...evidence.target.accounts.map(({ settings }) => settings),
    ...readsOf(evidence).map(settingsOf),
  ];
  const [addresses, names] = [new Map<string, string>(), new Set<string>()];
  for (const document of documents) {
    for (const kind of KINDS) {
      const url = memberAt(document, `${kind}.url`);
      if (typeof url === 'string' && url.length >= SHORTEST_ADDRESS)
        addresses.set(bytesOf(url), `the receiver's address for "${kind}"`);
    }
    const username = memberAt(document, 'auth.basic.username');
    if (typeof username !== 'string' || username.length < SHORTEST_USERNAME) continue;
    const isTelling = username.length >= SHORTEST_TELLING_USERNAME && /[^A-Za-z]/.test(username);
    // An ordinary word may stand in any sentence: it counts only in quotes, as a whole JSON string.
    names.add(bytesOf(isTelling ? username : `"${username}"`));
  }
  return { addresses, names };
});

/** The UTF-8 bytes of a text, each as one character. */
function bytesOf(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

const BEFORE = 40;

/** Whether a text stands in a body by itself: not within a longer word or address, and not as a member's name. */
function holds(body: string, text: string, counts: (text: string, before: string) => boolean): boolean {
  const goesOn = text.includes('://') ? /^(?:\/|[?#&=_~%:.-]*[A-Za-z0-9])/ : /^[\w-]/;
  for (let at = body.indexOf(text); at >= 0; at = body.indexOf(text, at + 1)) {
    const rest = body.slice(at + text.length);
    const isWord = !/\w/.test(body.charAt(at - 1)) && !goesOn.test(rest);
    const isItself = text.startsWith('"') ? !/^\s*:/.test(rest) : isWord;
    if (isItself && counts(text, body.slice(Math.max(0, at - BEFORE), at))) return true;
  }
  return false;
}

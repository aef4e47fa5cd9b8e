/** Judges what the bodies of rejections disclose (API description, section 5): auth.rejection-discloses-nothing. */

import { KINDS } from '../contract/settings';
import { readingsOf } from '../evidence/http/escapes';
import { memberAt, settingsIn } from '../evidence/http/json';
import { markersIn, searchable } from '../evidence/markers';
import { once } from '../evidence/memoize';
import type { Evidence, Exchange } from '../evidence/model';
import { disclosesSettings, isAccepted, isWhole, statusOf } from '../evidence/responder/classify';
import { readsOf } from '../evidence/settings-reads';
import { answerFlaw, each, type Finding } from './finding';
import { passwordInWords } from './leaks';

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
  return each(rejections, 'no request without a valid key was rejected', (rejection) => {
    const disclosed = disclosedBy(rejection, evidence);
    if (disclosed === null) return null;
    return answerFlaw(`${statusOf(rejection)} with ${disclosed} in its body`, 'none of the settings');
  });
}

/** What a body tells somebody who may not read the settings, in words; `null` if nothing. */
function disclosedBy(answer: Exchange, evidence: Evidence): string | null {
  const markers = markersIn(answer.response ? searchable(answer.response) : '');
  const password = markers.find(({ kind }) => kind === 'password');
  if (password && !disclosesSettings(answer)) return passwordInWords(password.name, evidence);
  if (markers.some(({ kind }) => kind === 'receiverKey')) return "a receiver's key";
  return settingsServedBy(answer, evidence) ?? textIn(answer, privateTextsOf(evidence).names);
}

/** Which settings a body serves, in JSON of any shape or in another form, in words; `null` if none. */
export function settingsServedBy(answer: Exchange, evidence: Evidence): string | null {
  return disclosesSettings(answer) ? 'webhook settings' : textIn(answer, privateTextsOf(evidence).addresses);
}

type PrivateTexts = ReadonlyMap<string, string>;

function textIn({ response }: Exchange, sought: PrivateTexts): string | null {
  const told = new Set<string>();
  for (const { bytes } of response && sought.size > 0 ? readingsOf(Buffer.from(searchable(response))) : []) {
    const text = bytes.toString('latin1');
    for (const each of sought.keys()) if (holds(text, each)) told.add(each);
  }
  return [...sought].find(([text]) => told.has(text))?.[1] ?? null;
}

/** The receivers' addresses and user names of all accounts, declared and served, which only their owners may read. */
const privateTextsOf = once((evidence: Evidence) => {
  const documents: unknown[] = [
    ...evidence.target.accounts.map(({ settings }) => settings),
    ...readsOf(evidence).map(({ response }) => settingsIn(response?.body ?? '')),
  ];
  const [addresses, names] = [new Map<string, string>(), new Map<string, string>()];
  for (const document of documents) {
    for (const kind of KINDS) {
      const url = memberAt(document, kind, 'url');
      if (typeof url === 'string' && url.length >= SHORTEST_ADDRESS)
        addresses.set(bytesOf(url), `the receiver's address for "${kind}"`);
    }
    const username = memberAt(document, 'auth', 'basic', 'username');
    if (typeof username !== 'string' || username.length < SHORTEST_USERNAME) continue;
    const isTelling = username.length >= SHORTEST_TELLING_USERNAME && /[^A-Za-z]/.test(username);
    // An ordinary word may stand in any sentence: it counts only in quotes, as a whole JSON string.
    names.set(bytesOf(isTelling ? username : `"${username}"`), "the receiver's user name");
  }
  return { addresses, names };
});

/** The UTF-8 bytes of a text, each as one character. */
function bytesOf(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

/** Whether a text stands in a body by itself: not within a longer word or address, and not as a member's name. */
function holds(body: string, text: string): boolean {
  const goesOn = text.includes('://') ? /^(?:\/|[?#&=_~%:.-]*[A-Za-z0-9])/ : /^[\w-]/;
  for (let at = body.indexOf(text); at >= 0; at = body.indexOf(text, at + 1)) {
    const rest = body.slice(at + text.length);
    const isWord = !/\w/.test(body.charAt(at - 1)) && !goesOn.test(rest);
    if (text.startsWith('"') ? !/^\s*:/.test(rest) : isWord) return true;
  }
  return false;
}

/** Judges what the bodies of rejections disclose (API description, section 5): auth.rejection-discloses-nothing. */

import { KINDS } from '../contract/settings';
import { layersOf } from '../evidence/escapes';
import type { Evidence, Exchange } from '../evidence/exchange';
import { memberAt, settingsIn } from '../evidence/json';
import { markersIn, searchable } from '../evidence/markers';
import { disclosesSettings, isAccepted, isWhole, statusOf } from '../evidence/outcome';
import { each, type Finding } from './finding';
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
  const privateTexts = privateTextsOf(evidence);
  return each(rejections, 'no request without a valid key was rejected', (rejection) => {
    const disclosed = disclosedBy(rejection, privateTexts, evidence);
    return disclosed === null ? null : `${statusOf(rejection)} with ${disclosed} in its body`;
  });
}

/** A text of an account's settings that only its owner may read. */
interface PrivateText {
  /** What it is, in words. */
  what: string;
  /** Its UTF-8 bytes, each as one character. */
  bytes: string;
  /** Whether it counts only in quotes, as a whole JSON string: an ordinary word may stand in any sentence. */
  onlyQuoted: boolean;
}

function disclosedBy(rejection: Exchange, privateTexts: readonly PrivateText[], evidence: Evidence): string | null {
  if (disclosesSettings(rejection)) return 'webhook settings';
  const body = rejection.response ? searchable(rejection.response) : '';
  const markers = markersIn(body);
  const password = markers.find(({ kind }) => kind === 'password');
  if (password) return passwordInWords(password.name, evidence);
  if (markers.some(({ kind }) => kind === 'receiverKey')) return "a receiver's key";
  const bytes = bytesOf(body);
  const layers = [bytes, ...layersOf(bytes)];
  return privateTexts.find((text) => layers.some((layer) => holds(layer, text)))?.what ?? null;
}

/** The receivers' addresses and user names of all accounts, declared and served. */
function privateTextsOf(evidence: Evidence): PrivateText[] {
  const served = evidence.exchanges.filter((exchange) => exchange.account !== null && isAccepted(exchange));
  const documents: unknown[] = [
    ...evidence.target.accounts.map(({ settings }) => settings),
    ...served.map(({ response }) => settingsIn(response?.body ?? '')),
  ];
  const found = new Map<string, PrivateText>();
  for (const document of documents) {
    for (const kind of KINDS) {
      const url = memberAt(document, kind, 'url');
      if (typeof url === 'string' && url.length >= SHORTEST_ADDRESS)
        found.set(url, { what: `the receiver's address for "${kind}"`, bytes: bytesOf(url), onlyQuoted: false });
    }
    const username = memberAt(document, 'auth', 'basic', 'username');
    if (typeof username !== 'string' || username.length < SHORTEST_USERNAME) continue;
    const isTelling = username.length >= SHORTEST_TELLING_USERNAME && /[^A-Za-z]/.test(username);
    const text = isTelling ? username : `"${username}"`;
    found.set(text, { what: "the receiver's user name", bytes: bytesOf(text), onlyQuoted: !isTelling });
  }
  return [...found.values()];
}

/** The UTF-8 bytes of a text, each as one character. */
function bytesOf(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

/** Whether a text stands in a body by itself: not within a longer word or address, and not as a member's name. */
function holds(body: string, { bytes, onlyQuoted }: PrivateText): boolean {
  const goesOn = bytes.includes('://') ? /^(?:[A-Za-z0-9/?#&=_~%-]|[.][A-Za-z0-9])/ : /^[\w-]/;
  for (let at = body.indexOf(bytes); at >= 0; at = body.indexOf(bytes, at + 1)) {
    const rest = body.slice(at + bytes.length);
    const isMemberName = /^\s*:/.test(rest);
    const isWord = !/\w/.test(body.charAt(at - 1)) && !goesOn.test(rest);
    if (onlyQuoted ? !isMemberName : isWord) return true;
  }
  return false;
}

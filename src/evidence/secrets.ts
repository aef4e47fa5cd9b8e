/** Which secrets an answer holds, and which of them may be ordinary words, such as `assessment`: a server that sends one need not leak a secret. */
import { MARKER, markersIn, type Secret, WORD } from '../redaction/markers';
import { type Evidence, type Exchange, once, type RecordedBody, type RecordedResponse } from './model';

/** Returns the secrets that any part of a response holds: status line, headers, trailers and body. */
export function secretsIn({ response }: { response: RecordedResponse | null }): Secret[] {
  if (response === null) return [];
  const { statusText, headers, aside = [] } = response;
  return markersIn([statusText, ...headers.flat(), ...aside.flat(), searchable(response)].join('\n'));
}

/** Returns a body in which markers can be found; of one that is no text, each byte as a character. */
export function searchable({ body, bodyEncoding }: RecordedBody): string {
  return bodyEncoding === 'base64' ? Buffer.from(body, 'base64').toString('latin1') : body;
}

/** The words that were sent to others than their owners, and not because the request held them. */
const sentToOthers = once((evidence: Evidence): ReadonlySet<string> => {
  const sent = evidence.exchanges.flatMap((exchange) =>
    secretsIn(exchange).filter((secret) => secret.form === WORD && !isOfTheCaller(secret, exchange)),
  );
  return new Set(sent.map(idOf));
});

/** What the names of passwords and secrets hold. */
export const SECRET_NAMES = 'passw(?:or)?d|passphrase|passcode|secret';
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

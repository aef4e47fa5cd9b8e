/** Which secrets an answer holds, and which of them may be ordinary words, such as `assessment`: a server that says one need not tell a secret. */
import { MARKER, markersIn, type Secret, WORD } from '../redaction/markers';
import { once } from './memoize';
import type { Evidence, Exchange, RecordedBody, RecordedResponse } from './model';

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

/** The words that were said to others than their owners, and not because the request held them. */
const saidToOthers = once((evidence: Evidence): ReadonlySet<string> => {
  const said = evidence.exchanges.flatMap((exchange) =>
    secretsIn(exchange).filter((secret) => secret.form === WORD && !isOfTheCaller(secret, exchange)),
  );
  return new Set(said.map(idOf));
});

/** What the names of passwords and secrets hold. */
export const TELLS_OF_A_SECRET = 'passw(?:or)?d|passphrase|passcode|secret';
/** What stands before a value that is told as a password or key: the name of a member, a field or a parameter. */
const BEHIND_ITS_NAME = new RegExp(
  String.raw`(?:${TELLS_OF_A_SECRET}|pwd|api[-_]?key)["'\\]{0,4}\s{0,8}[:=]\s{0,8}["'\\]{0,4}$`,
  'i',
);
/** A name and what may stand between it and its value are no longer than this. */
const LONGEST_NAME = 60;

/** The words that a body gave as the value of a name that tells of a secret. */
const toldByName = once((evidence: Evidence): ReadonlySet<string> => {
  const bodies = evidence.exchanges.flatMap(({ response }) => (response ? searchable(response) : []));
  const told = bodies.flatMap((body) =>
    [...body.matchAll(MARKER)]
      .filter(({ index }) => BEHIND_ITS_NAME.test(body.slice(Math.max(0, index - LONGEST_NAME), index)))
      .flatMap(([marker]) => markersIn(marker)),
  );
  return new Set(told.map(idOf));
});

/**
 * Whether a secret is an ordinary word that the server says to everyone. A leak tells an account what is its own, or calls
 * it a password.
 */
export function isSaidToAll(secret: Secret, evidence: Evidence): boolean {
  return secret.form === WORD && saidToOthers(evidence).has(idOf(secret)) && !toldByName(evidence).has(idOf(secret));
}

function isOfTheCaller({ kind, name }: Secret, { account, request }: Exchange): boolean {
  const sent = () => markersIn(`${request.url}\n${request.headers.flat().join('\n')}`);
  return name === account || sent().some((secret) => secret.kind === kind && secret.name === name);
}

function idOf({ kind, name }: Secret): string {
  return `${kind}:${name}`;
}

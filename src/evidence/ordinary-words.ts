/** Secrets that may be ordinary words, such as `assessment`: a server that says one of them need not tell a secret. */
import { markersIn, secretsIn, WORD } from './markers';
import { once } from './memoize';
import type { Evidence, Exchange } from './model';

type Secret = ReturnType<typeof markersIn>[number];

/** The words that were said to others than their owners, and not because the request held them. */
const saidToOthers = once((evidence: Evidence): ReadonlySet<string> => {
  const said = evidence.exchanges.flatMap((exchange) =>
    secretsIn(exchange).filter((secret) => secret.form === WORD && !isOfTheCaller(secret, exchange)),
  );
  return new Set(said.map(idOf));
});

/** Whether a secret is an ordinary word that the server says to everyone. A leak tells an account what is its own. */
export function isSaidToAll(secret: Secret, evidence: Evidence): boolean {
  return secret.form === WORD && saidToOthers(evidence).has(idOf(secret));
}

function isOfTheCaller({ kind, name }: Secret, { account, request }: Exchange): boolean {
  const sent = () => markersIn(`${request.url}\n${request.headers.flat().join('\n')}`);
  return name === account || sent().some((secret) => secret.kind === kind && secret.name === name);
}

function idOf({ kind, name }: Secret): string {
  return `${kind}:${name}`;
}

/** What a server shows to one read for each key, before anything is declared. */
import { isDeepStrictEqual } from 'node:util';
import { probe } from '../../src/catalogue/probe';
import { cut } from '../../src/common/cut';
import { visible } from '../../src/common/visible';
import { targetOf } from '../../src/config/declaration';
import type { Variables } from '../../src/config/environment';
import { valuesOf } from '../../src/evidence/http/headers';
import { memberAt, settingsIn } from '../../src/evidence/http/json';
import type { Evidence, Exchange } from '../../src/evidence/model';
import { isAccepted } from '../../src/evidence/responder/classify';
import { noKeyAccepted } from '../../src/judge/reachability';
import { read } from '../../src/probes/requests';
import { Recorder } from '../../src/recorder/recorder';

/** A key that the user has, and where it stands. */
export interface NamedKey {
  /** How the account is to be called. */
  name: string;
  /** The environment variable that holds the key. */
  variable: string;
  apiKey: string;
}

/** What one account was answered. */
export type Seen = ReturnType<typeof seenOf>;
export type Survey = Awaited<ReturnType<typeof survey>>;

const TOO_MANY_REQUESTS = 429;
const HEADERS = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'Retry-After'];

/**
 * Reads the settings once with each key, one after another.
 * @throws UsageError where the environment names a proxy or a certificate file that cannot be used
 */
export async function survey(baseURL: string, keys: readonly NamedKey[], environment: Variables) {
  const accounts = keys.map(({ name, apiKey }) => ({ name, apiKey }));
  const surroundings = { insecureTls: environment.INSECURE_TLS === '1', riskyProbes: false, environment };
  const recorder = new Recorder(targetOf({ baseURL, accounts }, 'init'), surroundings);
  for (const { name } of keys) await recorder.send(read(name, probe('read', { account: name })));
  const evidence = recorder.evidence();
  return {
    accounts: keys.map((key, i) => seenOf(key, evidence, keys.slice(0, i))),
    /** Rate-limit headers that came. */
    headers: HEADERS.filter((name) => evidence.exchanges.some((exchange) => valuesOf(exchange, name).length > 0)),
    /** Why nothing is known, and what to check; `null` where a key was accepted. */
    problem: recorder.error ?? noKeyAccepted(evidence),
  };
}

function seenOf({ name, variable }: NamedKey, evidence: Evidence, before: readonly NamedKey[]) {
  const ofAccount = (account: string) => evidence.exchanges.find((exchange) => exchange.account === account);
  const exchange = ofAccount(name);
  const settings = settingsOf(exchange);
  const hasPassword = memberAt(settings, 'auth.basic.hasPassword');
  const scheme = memberAt(settings, 'auth.type');
  const same = before.filter(
    (other) => settings !== null && isDeepStrictEqual(settingsOf(ofAccount(other.name)), settings),
  );
  const status = exchange?.response?.status ?? 0;
  return {
    name,
    variable,
    isAccepted: exchange !== undefined && isAccepted(exchange),
    /** Whether its key is wrong: the answer is a 4xx that no rate limit explains. */
    isRejected: status >= 400 && status <= 499 && status !== TOO_MANY_REQUESTS,
    /** The status, or what went wrong. */
    answer: exchange?.response ? `${exchange.response.status}` : (exchange?.fault?.message ?? 'not sent'),
    /** As the server reports it; `null` where it does not. */
    hasPassword: typeof hasPassword === 'boolean' ? hasPassword : null,
    scheme: typeof scheme === 'string' ? onOneLine(scheme) : null,
    /** Accounts before it that have the very same settings. */
    sameAs: same.map((other) => other.name),
  };
}

const LONGEST_WORD = 80;

/** Returns a stranger's text as a part of a line: in the target file, what begins a line would be obeyed. */
function onOneLine(text: string): string {
  return cut(visible(text).replace(/\s+/g, ' '), LONGEST_WORD);
}

function settingsOf(exchange: Exchange | undefined) {
  return settingsIn(exchange?.response?.body ?? '');
}

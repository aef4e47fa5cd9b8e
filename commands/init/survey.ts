/** What a server shows to one read for each key, before anything is declared. */
import { isDeepStrictEqual } from 'node:util';
import { stringify } from 'yaml';
import { probe } from '../../src/catalogue/catalogue';
import type { Variables } from '../../src/config/target';
import { targetOf } from '../../src/config/target';
import { KINDS } from '../../src/contract/settings';
import { memberAt, settingsIn } from '../../src/evidence/http/json';
import type { Evidence } from '../../src/evidence/model';
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
export type Survey = ReturnType<typeof surveyIn>;

export const NOT_SENT = 'not sent';
const NOT_FOUND = 404;
const TOO_MANY_REQUESTS = 429;

/** Returns why no server answers at an address, asked once without a key; `null` if one does. */
export async function whySilent(baseURL: string, environment: Variables): Promise<string | null> {
  const recorder = recorderFor(baseURL, [], environment);
  await recorder.send({ probe: probe('missing-key'), account: null, path: '/webhooks', headers: [] });
  const [fault] = recorder.evidence().exchanges.flatMap((exchange) => exchange.fault ?? []);
  return fault ? `Nothing answers at ${baseURL}: ${fault.message}.` : null;
}

/**
 * Reads the settings once with each key, one after another.
 * @throws UsageError if the environment names a proxy or a certificate file that cannot be used
 */
export async function survey(baseURL: string, keys: readonly NamedKey[], environment: Variables): Promise<Survey> {
  const recorder = recorderFor(baseURL, keys, environment);
  for (const { name } of keys) await recorder.send(read(name, probe('read', { account: name })));
  return surveyIn(recorder.evidence(), keys, recorder.error);
}

/** Returns what is known of accounts whose server does not run yet. */
export function unseen(baseURL: string, keys: readonly NamedKey[]): Survey {
  return surveyIn(recorderFor(baseURL, keys, {}).evidence(), keys, null);
}

function recorderFor(baseURL: string, keys: readonly NamedKey[], environment: Variables): Recorder {
  const accounts = keys.map(({ name, apiKey }) => ({ name, apiKey }));
  const surroundings = { insecureTls: environment.INSECURE_TLS === '1', riskyProbes: false, environment };
  return new Recorder(targetOf({ baseURL, accounts }, 'init'), surroundings);
}

function surveyIn(evidence: Evidence, keys: readonly NamedKey[], error: string | null) {
  return {
    accounts: keys.map((key, i) => seenOf(key, evidence, keys.slice(0, i))),
    /** Why nothing is known, and what to check; `null` if a key was accepted. */
    problem: error ?? noKeyAccepted(evidence),
  };
}

function seenOf({ name, variable }: NamedKey, evidence: Evidence, before: readonly NamedKey[]) {
  const ofAccount = (account: string) => evidence.exchanges.find((exchange) => exchange.account === account);
  const exchange = ofAccount(name);
  const settings = settingsIn(exchange?.response);
  const hasPassword = memberAt(settings, 'auth.basic.hasPassword');
  const same = before.filter(
    (other) => settings !== null && isDeepStrictEqual(settingsIn(ofAccount(other.name)?.response), settings),
  );
  const status = exchange?.response?.status ?? 0;
  const isUp = evidence.exchanges.some(isAccepted);
  return {
    name,
    variable,
    isAccepted: exchange !== undefined && isAccepted(exchange),
    /** Whether its key is wrong: the answer is a 4xx that neither a rate limit nor an API that is not up yet explains. */
    isRejected: status >= 400 && status <= 499 && status !== TOO_MANY_REQUESTS && (status !== NOT_FOUND || isUp),
    /** The status, or what went wrong. */
    answer: exchange?.response ? `${exchange.response.status}` : (exchange?.fault?.message ?? NOT_SENT),
    /** As the server says it; `null` if it does not. */
    hasPassword: typeof hasPassword === 'boolean' ? hasPassword : null,
    /** The settings that the server shows, on one line of YAML; `null` if it shows none. */
    settings: shown(settings),
    /** Accounts before it that have the very same settings. */
    sameAs: same.map((other) => other.name),
  };
}

/** A stranger's text that may stand in a line: in the target file, what begins a line would be obeyed. */
const PLAIN = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]{0,80}$/u;

/** Returns the described members that a server shows, but for passwords and keys, as one line of YAML; `null` if none. */
function shown(settings: unknown): string | null {
  const pick = (path: string) => {
    const value = memberAt(settings, path);
    // A text that would name a variable of the target file is left out as well.
    const isPlain = typeof value === 'string' && PLAIN.test(value) && !value.includes('${');
    return typeof value === 'boolean' || isPlain ? value : undefined;
  };
  const kind = (name: string) => known({ status: pick(`${name}.status`), url: pick(`${name}.url`) });
  const basic = known({ username: pick('auth.basic.username') });
  const auth = known({ status: pick('auth.status'), type: pick('auth.type'), basic });
  const picked = known({ ...Object.fromEntries(KINDS.map((name) => [name, kind(name)])), auth });
  return picked ? stringify(picked, { collectionStyle: 'flow', lineWidth: 0 }).trim() : null;
}

/** Returns an object without the members that have no value; nothing if none has one. */
function known(members: Record<string, unknown>): Record<string, unknown> | undefined {
  const entries = Object.entries(members).filter(([, value]) => value !== undefined);
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}

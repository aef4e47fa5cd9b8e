/** What the user asked for, from the environment, `.env` and the target file together. */
import { resolve } from 'node:path';
import { DEFAULT_LIMITS, type Target } from '../target';
import { UsageError } from '../usage-error';
import { isOn, type Variables, variablesIn } from './environment';
import { loadTarget } from './target-file';

export interface Configuration {
  /** `null`: the embedded reference server. */
  target: Target | null;
  riskyProbes: boolean;
  strict: boolean;
  requireComplete: boolean;
  insecureTls: boolean;
  replay: string | null;
  baseline: string | null;
  variables: Variables;
  /** Things the user may not have meant, one sentence each. */
  notices: string[];
}

/**
 * Loads and checks the configuration.
 * @throws UsageError with one message that says what to mend.
 */
export function loadConfiguration(variables: Variables = variablesIn(process.cwd())): Configuration {
  const target = targetOf(variables);
  return {
    target,
    riskyProbes: variables.RISKY_PROBES === undefined ? target === null : isOn(variables, 'RISKY_PROBES'),
    strict: isOn(variables, 'STRICT'),
    requireComplete: isOn(variables, 'REQUIRE_COMPLETE'),
    insecureTls: isOn(variables, 'INSECURE_TLS'),
    replay: variables.REPLAY ? resolve(variables.REPLAY) : null,
    baseline: variables.BASELINE ? resolve(variables.BASELINE) : null,
    variables,
    notices:
      target === null && variables.API_KEY && !variables.REPLAY
        ? ['API_KEY is set but neither BASE_URL nor TARGET is: this run is against the embedded reference server.']
        : [],
  };
}

function targetOf(variables: Variables): Target | null {
  if (variables.TARGET) return loadTarget(resolve(variables.TARGET), checkedBase(variables));
  // A replay sends nothing, so it needs no key.
  if (!variables.BASE_URL || (variables.REPLAY && !variables.API_KEY)) return null;
  if (!variables.API_KEY) {
    throw new UsageError(
      'BASE_URL is set, but no key: set API_KEY to a key of the server under test, or TARGET to a target file that declares accounts.',
    );
  }
  const { BASE_URL: baseURL } = checkedBase(variables);
  return {
    name: new URL(baseURL ?? '').host,
    baseURL: (baseURL ?? '').replace(/\/+$/, ''),
    embedded: false,
    accounts: [{ name: 'default', apiKey: checkedKey(variables.API_KEY) }],
    rate: { requests: 1, seconds: 1 },
    headers: [],
    limits: { ...DEFAULT_LIMITS, burst: null },
    notifications: null,
    waivers: [],
  };
}

function checkedBase(variables: Variables): Variables {
  const text = variables.BASE_URL?.trim();
  if (!text) return variables;
  // The message must not repeat the value: it may hold a password.
  const isWeb = /^https?:/i.test(text);
  if (!URL.canParse(text) || (isWeb && !/^https?:\/\/[^\s\\/][^\s\\]*$/i.test(text)))
    throw new UsageError(
      'BASE_URL is not an absolute URL; right would be, for example, https://staging.example.com/api/v2.',
    );
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new UsageError('BASE_URL must begin with https:// or http://.');
  if (url.username || url.password)
    throw new UsageError(
      'BASE_URL holds a user name or password: a gateway’s credentials go into `headers` of a target file.',
    );
  if (/[?#]/.test(text))
    throw new UsageError(
      'BASE_URL has a query or a fragment: give the address up to its version segment, such as https://staging.example.com/api/v2.',
    );
  return { ...variables, BASE_URL: text };
}

function checkedKey(key: string): string {
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw new UsageError(
      'API_KEY holds white space or characters that cannot stand in a header: check how it was set, quotes and line ends included.',
    );
  }
  return key;
}

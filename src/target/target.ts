/** The server under test as the user declared it, secrets included: only the recorder holds one of these. */
import type { AccountFacts, Kind, TargetFacts } from '../evidence/exchange';
import type { Receiver } from './receiver';

/** An account and its secrets. */
export interface Account extends Omit<AccountFacts, 'passwordDeclared'> {
  apiKey: string;
  password?: string;
}

/** How the event profile is tested. */
export interface Notifications {
  /** Host and port of the suite's own receiver. */
  listen: string;
  accounts: string[];
  /** Makes the service send a notification: a shell command, or a function for the embedded server. */
  trigger: string | ((kind: Kind, account: string) => Promise<void>);
  waitSeconds: number;
  /** Variables that the trigger names as `${VAR}`: its shell reads them, so that no value is ever a command. */
  environment?: Readonly<Record<string, string>>;
  /** Where the shell command runs; by default where the suite was started. */
  directory?: string;
  /** A receiver that listens already: the embedded server's, to which the urls of its accounts lead. */
  receiver?: Receiver;
}

/** What may be told of a target as it is. */
type Told = 'name' | 'vendor' | 'product' | 'version' | 'baseURL' | 'embedded' | 'rate' | 'waivers' | 'variables';

/** Everything declared, defaults included. Its `baseURL` has no slash at the end. */
export interface Target extends Pick<TargetFacts, Told> {
  accounts: Account[];
  /** Sent with every request; the values are secrets. */
  headers: ReadonlyArray<readonly [name: string, value: string]>;
  /** `burst` is `null` where it was not declared: then it follows from the rate. */
  limits: { timeoutSeconds: number; bodyBytes: number; burst: number | null };
  notifications: Notifications | null;
}

/** Requests in a burst, unless the rate asks for more. */
const SMALLEST_UNDECLARED_BURST = 10;
/** A burst is larger than this only where the target file declares it. */
const LARGEST_UNDECLARED_BURST = 1000;

/** Requests in a burst: more than twice the limit, so that no boundary between windows explains their acceptance. */
export function burstSize(target: Target): number {
  const enough = Math.max(SMALLEST_UNDECLARED_BURST, 2 * target.rate.requests + 5);
  return target.limits.burst ?? Math.min(enough, LARGEST_UNDECLARED_BURST);
}

/** What judges and reports may know of a target: everything but its secrets. @param mask replaces secrets by markers */
export function factsOf(
  target: Target,
  { riskyProbes, insecureTls }: { riskyProbes: boolean; insecureTls: boolean },
  mask: (text: string) => string,
): TargetFacts {
  const { name, vendor, product, version, baseURL, embedded, rate, waivers, variables, notifications } = target;
  const accounts = target.accounts.map(({ name, password, hasPassword, settings }) => {
    const masked = settings && JSON.parse(mask(JSON.stringify(settings)));
    return { name, passwordDeclared: password !== undefined, hasPassword, settings: masked };
  });
  const facts = {
    name,
    vendor,
    product,
    version,
    baseURL,
    embedded,
    accounts,
    rate,
    riskyProbes,
    insecureTls: insecureTls ? true : undefined,
    limits: { ...target.limits, burst: burstSize(target) },
    waivers,
    variables,
    notifications: notifications && { accounts: notifications.accounts, waitSeconds: notifications.waitSeconds },
  };
  // What is not declared is left out.
  return JSON.parse(JSON.stringify(facts));
}

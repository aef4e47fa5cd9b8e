/** The server under test as the user declared it, secrets included: only the recorder holds one of these. */
import type { AccountFacts, Kind, Rate, TargetFacts, Waiver } from '../evidence/exchange';
import type { Receiver } from '../recorder/receiver';

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
  /** Makes the service send: a shell command, or for the embedded server a call. */
  trigger: string | ((kind: Kind, account: string) => Promise<void>);
  waitSeconds: number;
  /** Listens already: the embedded server's, whose accounts' urls lead there. */
  receiver?: Receiver;
}

/** Everything declared, defaults included. */
export interface Target {
  name: string;
  vendor?: string;
  product?: string;
  version?: string;
  /** Without a slash at its end. */
  baseURL: string;
  embedded: boolean;
  accounts: Account[];
  rate: Rate;
  /** Sent with every request; the values are secrets. */
  headers: ReadonlyArray<readonly [name: string, value: string]>;
  /** `burst` is `null` where it was not declared: then it follows from the rate. */
  limits: { timeoutSeconds: number; bodyBytes: number; burst: number | null };
  notifications: Notifications | null;
  waivers: Waiver[];
}

/** As many requests as a burst has where the rate asks for no more. */
const SMALLEST_UNDECLARED_BURST = 10;
/** More requests at one moment than this a server gets only from whoever declares so. */
const LARGEST_UNDECLARED_BURST = 1000;

/** How many requests a burst has: enough to pass twice the limit, so that no boundary between windows explains it. */
export function burstSize(target: Target): number {
  const enough = Math.max(SMALLEST_UNDECLARED_BURST, 2 * target.rate.requests + 5);
  return target.limits.burst ?? Math.min(enough, LARGEST_UNDECLARED_BURST);
}

/** What judging and reporting may know of a target: everything but its secrets. */
export function factsOf(
  target: Target,
  { riskyProbes, insecureTls }: { riskyProbes: boolean; insecureTls: boolean },
  mask: (text: string) => string,
): TargetFacts {
  const { vendor, product, version } = target;
  return {
    name: target.name,
    ...(vendor !== undefined && { vendor }),
    ...(product !== undefined && { product }),
    ...(version !== undefined && { version }),
    baseURL: target.baseURL,
    embedded: target.embedded,
    accounts: target.accounts.map((account) => ({
      name: account.name,
      passwordDeclared: account.password !== undefined,
      ...(account.hasPassword === undefined ? {} : { hasPassword: account.hasPassword }),
      ...(account.settings === undefined ? {} : { settings: JSON.parse(mask(JSON.stringify(account.settings))) }),
    })),
    rate: target.rate,
    riskyProbes,
    ...(insecureTls && { insecureTls }),
    limits: { ...target.limits, burst: burstSize(target) },
    waivers: target.waivers,
    notifications: target.notifications && {
      accounts: target.notifications.accounts,
      waitSeconds: target.notifications.waitSeconds,
    },
  };
}

/** The server under test as the user declared it, secrets included. Only the recorder holds it. */
import type { Declaration } from '#schemas/target.d.ts';
import type { HeaderLines, Kind, TargetFacts } from '../evidence/model';
import type { Variables } from './environment';

export type Account = Declaration['accounts'][number];

/** The trigger of a target file in which a person makes the service send. */
export const MANUAL = 'manual';

/** How the event profile is tested. */
export interface Notifications extends Omit<NonNullable<Declaration['notifications']>, 'trigger'> {
  /** Makes the service send a notification: a shell command, a person (`MANUAL`), or for the embedded server a function. */
  trigger: string | ((kind: Kind, account: string) => Promise<void>);
  waitSeconds: number;
  /** Variables that the trigger names as `${VAR}`. The shell expands them, so that no value can become a command. */
  environment?: Readonly<Record<string, string>>;
  /** Where the shell command runs; the working directory by default. */
  directory?: string;
  /** A receiver that already listens: the embedded server's, which the urls of its accounts point to. */
  receiver?: Receiver;
}

/** What is reported of a target in another form than it is declared in, or never. */
type Otherwise = 'accounts' | 'limits' | 'notifications' | 'riskyProbes' | 'insecureTls' | 'clientCertificate';

/** What the suite shows to a server that asks for a client certificate: PEM, and what its key is encrypted with. */
export type ClientCertificate = NonNullable<Declaration['clientCertificate']>;

/** Everything declared, with defaults. Its `baseURL` has no slash at the end. */
export interface Target extends Omit<TargetFacts, Otherwise> {
  accounts: Account[];
  /** Sent with every request; the values are secrets. */
  headers: ReadonlyArray<readonly [name: string, value: string]>;
  /** As declared, with paths. */
  clientCertificate?: ClientCertificate;
  /** The content of these files. */
  identity?: ClientCertificate;
  /** An undeclared `burst` is `null` and follows from the rate. */
  limits: { timeoutSeconds: number; bodyBytes: number; burst: number | null; runSeconds: number };
  notifications: Notifications | null;
}

const SMALLEST_UNDECLARED_BURST = 10;
const LARGEST_UNDECLARED_BURST = 1000;

/** Returns the size of a burst: by default more than twice the limit, so that no boundary explains its acceptance. */
export function burstSize(target: Target): number {
  const enough = Math.max(SMALLEST_UNDECLARED_BURST, 2 * target.rate.requests + 5);
  return target.limits.burst ?? Math.min(enough, LARGEST_UNDECLARED_BURST);
}

/** Returns what judges and reports may know of a target, without secrets. @param mask replaces secrets by markers */
export function factsOf(
  target: Target,
  { riskyProbes, insecureTls, environment }: { riskyProbes: boolean; insecureTls: boolean; environment?: Variables },
  mask: (text: string) => string,
): TargetFacts {
  const { name, vendor, product, version, baseURL, embedded, rate, waivers, variables, file, notifications } = target;
  const { timeoutSeconds, bodyBytes } = target.limits;
  const { cert, key } = target.clientCertificate ?? {};
  const accounts = target.accounts.map(({ name, password, hasPassword, settings }) => {
    const masked = settings && JSON.parse(mask(JSON.stringify(settings)));
    return { name, passwordDeclared: password !== undefined, hasPassword, settings: masked };
  });
  const facts = {
    ...{ name, vendor, product, version, baseURL, embedded, accounts, rate, riskyProbes },
    insecureTls: insecureTls || undefined,
    extraAuthorities: environment?.NODE_EXTRA_CA_CERTS ? true : undefined,
    clientCertificate: cert && { cert, key },
    limits: { timeoutSeconds, bodyBytes, burst: burstSize(target) },
    ...{ waivers, variables, file },
    notifications: notifications && { accounts: notifications.accounts, waitSeconds: notifications.waitSeconds },
  };
  // JSON drops the members that are undefined because they were not declared.
  return JSON.parse(JSON.stringify(facts));
}

/** A notification as it arrived, secrets included. */
export interface RawDelivery {
  method: string;
  /** Path and query; each character is one byte. */
  path: string;
  /** Each character of a value is one byte. */
  headers: HeaderLines;
  /** After content decoding. */
  body: Buffer;
  truncated: boolean;
}

export interface Receiver {
  /** Such as `http://127.0.0.1:9099`. */
  origin: string;
  /** Whether a request, of which the head has arrived, is the suite's own. It is answered, and neither counted nor handed on. */
  isOwn: (head: Pick<RawDelivery, 'method' | 'path' | 'headers'>) => boolean;
  /** Called for each delivery when it is complete or was cut at a limit. */
  onDelivery: (delivery: RawDelivery) => void;
  /** Whether a delivery is expected at this path and query. Little is recorded of deliveries to other paths. */
  isExpected: (path: string) => boolean;
  /** How many deliveries may be missing: those beyond the most that are recorded, and connections ended to make room. */
  readonly overrun: number;
  /** Hands on the deliveries that are still arriving, ends every connection and stops listening. */
  close(): Promise<void>;
}

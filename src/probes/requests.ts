/** The request of most probes, a read with an account's valid key, and sending it at a distance from the last one. */
import { catalogue, type Probe, type ProbeRequest, requestOf } from '../catalogue/catalogue';
import type { Holder, Keys } from '../catalogue/record';
import { LITTLE_MS, longestHonestSeconds } from '../contract/bounds';
import type { Exchange, HeaderLines } from '../evidence/model';
import { isAccepted, isBroken, isRefused, isWhole, statusOf } from '../evidence/responder/classify';
import { ONE_MOMENT_MS } from '../evidence/time/in-flight';
import { waitAskedSeconds } from '../evidence/time/server-clock';
import { areApart } from '../limiter/timeline';
import { isPlainlyStricter } from '../limiter/worlds';
import type { Recorder } from '../recorder/recorder';
import type { Connection } from '../recorder/transport/wire';
import { markerOf } from '../redaction/markers';

/** Returns how many windows to delay a trial (0 to 2), since trials at equal distances could all meet a polling client. */
export function shiftOf(trial: number): number {
  const GOLDEN_RATIO = 0.618;
  return 2 * (((trial - 1) * GOLDEN_RATIO) % 1);
}

/** The part of a recorder from which requests are made. */
interface KeySource {
  target: Pick<Keys, 'baseURL'> & { accounts: ReadonlyArray<Holder & { password?: string | undefined }> };
  registerSecret(marker: string, value: string): string;
  isRiskAllowed?: boolean;
}

/** Returns the keys from which the catalogue makes requests. */
export function keysOf(source: KeySource): Keys {
  return {
    accounts: source.target.accounts.map((account) => ({
      ...account,
      hasKnownPassword: account.hasKnownPassword ?? account.password !== undefined,
    })),
    baseURL: source.target.baseURL,
    isRiskAllowed: source.isRiskAllowed === true,
    valid: (account) => markerOf('apiKey', account),
    derived: (account, form, value) => source.registerSecret(markerOf('apiKey', account, form), value),
  };
}

/** Returns a GET /webhooks with the valid key of an account (API description, section 4.1). */
export function read(account: string, probe: Probe): ProbeRequest {
  return { probe, account, path: '/webhooks', headers: [['apiKey', markerOf('apiKey', account)]] };
}

/** Returns the requests of all forms of a probe whose spelling of the header was accepted before. */
export function acceptedForms(sentFor: Probe, recorder: Recorder): ProbeRequest[] {
  const accepted = recorder.exchanges.filter(
    (exchange) => exchange.account === sentFor.account && isAccepted(exchange),
  );
  const isKnown = ([name]: HeaderLines[number]) =>
    accepted.some(({ request }) => request.headers.some(([sent]) => sent === name));
  return Object.keys(catalogue[sentFor.group].forms)
    .flatMap((form) => requestOf(sentFor, keysOf(recorder), form) ?? [])
    .filter(({ headers = [] }) => headers.every(isKnown));
}

/** How often a request that was refused although it kept its distance is sent again. */
const MOST_RETRIES = 2;
/** How often one is repeated at once: a server that refuses at random accepts it, a used up budget does not. */
const MOST_AT_ONCE = 4;

/** Sends requests at a distance from an account's last one, and remembers which were refused nevertheless. */
export class Spacing {
  /** The first account that was refused although its request kept its distance. */
  firstRefused: string | null = null;
  /** Whether accounts are known to use up each other's budget. */
  hasNeighbours = false;
  /** Whether another account was busy when a request was refused despite its distance. */
  mayBeANeighbour = false;
  private atOnce = 0;

  constructor(private readonly recorder: Recorder) {}

  /** Sends a request when the account's pace allows it, and again after longer waits if it is refused. */
  async send(request: ProbeRequest, retried = 0, via: { via?: Connection } = {}): Promise<Exchange | null> {
    const account = request.account ?? '';
    const { pace, target } = this.recorder;
    // After a first refusal, requests come a little later, so that refusals count, until their reason is known.
    const isKnown = this.hasNeighbours || this.isPlainlyStricter;
    const littleMs = isKnown || this.firstRefused === null ? 0 : LITTLE_MS;
    const exchange = await pace.turn(account, async () => {
      const first = await this.recorder.send(request, { atMs: pace.spacedAtMs(account) + littleMs, ...via });
      if (!first || retried > 0 || !this.isOverLimit(first) || isKnown || this.atOnce >= MOST_AT_ONCE) return first;
      this.atOnce += 1;
      return (await this.recorder.send(request, { atMs: this.recorder.now(), ...via })) ?? first;
    });
    if (!exchange || isAccepted(exchange)) return exchange;
    const isCut = isBroken(exchange, this.recorder.evidence());
    if (!isWhole(exchange) && !isCut) return exchange;
    const isOverLimit = this.isOverLimit(exchange);
    if (isOverLimit) this.noteRefused(exchange);
    // A failure may be a refusal with a status that no refusal has had yet.
    const mayBeRefused =
      !isCut &&
      (isOverLimit ||
        (request.path === '/webhooks' && exchange.request.method === 'GET' && statusOf(exchange) < 500) ||
        (request.path === '/' && statusOf(exchange) === 403) ||
        statusOf(exchange) === 503);
    const isDescribed = /^\/(?:webhooks)?$/.test(request.path);
    const mayBeAccident = retried === 0 && (isCut || (statusOf(exchange) >= 500 && isDescribed));
    if (!(mayBeRefused || mayBeAccident) || retried >= MOST_RETRIES) return exchange;
    // The last retry waits longer than any limiter of this rate remembers.
    const isLast = retried >= MOST_RETRIES - 1;
    const waitMs = isLast ? longestHonestSeconds(target.rate) * 1000 : this.waitMs(exchange);
    pace.hold(account, waitMs ?? (mayBeRefused ? pace.windowMs : ONE_MOMENT_MS));
    return this.send(request, retried + 1, via);
  }

  /** Notes a request that was refused although it kept its distance, and whether another account may be the reason. */
  noteRefused(refusal: Exchange): void {
    const { exchanges, pace } = this.recorder;
    const evidence = this.recorder.evidence();
    this.mayBeANeighbour ||= exchanges.some(
      ({ account, sentAtMs, receivedAtMs }) =>
        sentAtMs <= refusal.receivedAtMs &&
        account !== null &&
        account !== refusal.account &&
        receivedAtMs > refusal.sentAtMs - pace.windowMs &&
        !areApart(account, refusal.account, evidence),
    );
    this.firstRefused ??= refusal.account;
  }

  /** Whether the limit is known to be stricter than declared. */
  get isPlainlyStricter(): boolean {
    return isPlainlyStricter(this.recorder.evidence());
  }

  /** Returns when an account's budget is whole again, so that a refusal counts: a little after a window and any wait. */
  freeAtMs(account: string): number {
    return this.recorder.pace.freshAtMs(account) + LITTLE_MS;
  }

  /** Returns how long a refusal asks to wait at most, in milliseconds; `null` if it does not ask. */
  waitMs(refusal: Exchange): number | null {
    const wait = waitAskedSeconds(refusal, this.recorder.evidence());
    return wait && wait.most * 1000;
  }

  /** Whether a whole answer to a valid key is a refusal because of the rate. */
  isOverLimit(exchange: Exchange): boolean {
    return isWhole(exchange) && isRefused(exchange, this.recorder.evidence());
  }
}

/** The requests of the user's own tests: sent after the suite's own, within each account's rate, and recorded like them. */
import type { Evidence, Exchange, HeaderLines } from '../evidence/exchange';
import { markersIn } from '../evidence/markers';
import { isAccepted } from '../evidence/outcome';
import { probe, slugOf } from '../evidence/probe';
import { Spacing } from '../probes/spacing';
import type { Recorder } from '../recorder/recorder';

/** A request of an own test. */
export interface OwnRequest {
  /** Title of the test. */
  title: string;
  /** Whose key to send; `null` for none. */
  account: string | null;
  method: string;
  /** Path and query below the base URL, with a slash at its beginning. */
  path: string;
  headers: HeaderLines;
  body: Buffer | null;
}

export interface Own {
  /** Names of the accounts. */
  readonly accounts: readonly string[];
  /** Resolves once own requests may be sent. */
  ready(): Promise<void>;
  /** Whether requests of this test can have no answer: what is replayed holds none. */
  isMissing(title: string): boolean;
  /** Sends one request; `null` where it is not sent any more, or was not recorded in what is replayed. */
  send(request: OwnRequest): Promise<Exchange | null>;
}

/** Own requests that are sent. */
export class SentOwn implements Own {
  constructor(
    private readonly recorder: Recorder,
    private readonly suiteIsDone: Promise<void>,
  ) {}

  get accounts(): string[] {
    return this.recorder.target.accounts.map(({ name }) => name);
  }

  ready(): Promise<void> {
    return this.suiteIsDone;
  }

  isMissing(): boolean {
    return false;
  }

  async send({ title, account, ...request }: OwnRequest): Promise<Exchange | null> {
    await this.suiteIsDone;
    const { recorder } = this;
    const sent = { ...request, probe: probe('own', { form: slugOf(title) }), account };
    if (account === null) return recorder.send(sent);
    return recorder.pace.turn(account, () => recorder.send(sent, { atMs: this.dueAtMs(account) }));
  }

  /** After the suite's own requests, which may have used up a budget, not before it is whole again. */
  private dueAtMs(account: string): number {
    const { exchanges, pace } = this.recorder;
    const last = exchanges.findLast((exchange) => exchange.account === account);
    return last?.probe.group === 'own' && isAccepted(last)
      ? pace.spacedAtMs(account)
      : new Spacing(this.recorder).freeAtMs(account);
  }
}

/** Own requests that were recorded before: each is answered once, in their order. */
export class RepeatedOwn implements Own {
  private readonly left: Exchange[];

  constructor(private readonly evidence: Evidence) {
    this.left = evidence.exchanges.filter((exchange) => exchange.probe.group === 'own');
  }

  get accounts(): string[] {
    return this.evidence.target.accounts.map(({ name }) => name);
  }

  async ready(): Promise<void> {}

  isMissing(title: string): boolean {
    return !this.left.some((exchange) => exchange.probe.form === slugOf(title));
  }

  async send({ title, account, method, path }: OwnRequest): Promise<Exchange | null> {
    const url = this.evidence.target.baseURL + path;
    const at = this.left.findIndex(
      (exchange) =>
        exchange.probe.form === slugOf(title) &&
        exchange.account === account &&
        exchange.request.method === method &&
        exchange.request.url === url,
    );
    return at < 0 ? null : (this.left.splice(at, 1)[0] ?? null);
  }
}

/** Where an answer holds an API key or a stored password, which no answer may: one sentence for each; else none. */
export function leaksIn({ index, request, response }: Exchange): string[] {
  const texts = [...(response?.headers ?? []), ...(response?.aside ?? [])].flat();
  const found = markersIn([...texts, response?.body ?? ''].join('\n')).filter(
    ({ kind }) => kind === 'apiKey' || kind === 'password',
  );
  const names = new Set(
    found.map(({ kind, name }) => `${kind === 'apiKey' ? 'the key' : 'the stored password'} of ${name}`),
  );
  return [...names].map(
    (secret) => `leak: the answer to ${request.method} ${request.url} (entry ${index}) holds ${secret}`,
  );
}

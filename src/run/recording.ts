/**
 * Runs that send. A run sends one target what some clauses need, and records everything that comes of it. Without a
 * declared target, that is the embedded reference server.
 */
import type { ProbeRequest } from '../catalogue/catalogue';
import { failureOf } from '../common/errors';
import { compact, plural } from '../common/text';
import type { Configuration } from '../config/configuration';
import { type Receiver, type Target, targetOf } from '../config/target';
import { startReceiver } from '../events/receiver';
import type { Exchange } from '../evidence/model';
import { isAccepted } from '../evidence/responder/classify';
import { Spacing } from '../probes/requests';
import { Schedule } from '../probes/schedule';
import { asides, needsOf } from '../profiles/rules';
import { Recorder } from '../recorder/recorder';
import { guard } from '../redaction/gate';
import { declarationOf } from '../reference/account';
import { type Reference, startReference } from '../reference/server';
import type { Recorded } from '../report/words';
import type { Turns } from './locks';
import { nothingRecorded, type Prepared, Run } from './run';

/**
 * Prepares runs against a target.
 * @param turns given if the target is one of many
 * @throws UsageError if the target cannot be reached at all, such as through a proxy that is no URL
 */
export function recordingsOf(target: Target, configuration: Configuration, turns?: Turns): Prepared['begin'] {
  const { insecureTls, riskyProbes, variables } = configuration;
  const surroundings = { insecureTls, riskyProbes, environment: variables };
  // A wrong environment is reported, and what proxies must not repeat is known, before any test.
  guard(new Recorder(target, surroundings).masking);
  let last: Recording | null = null;
  return (ids) => {
    last?.stop();
    // A run closes the receiver that it was given, so later runs open their own at the same address.
    const notifications = target.notifications && { ...target.notifications, ...(last && { receiver: undefined }) };
    const recorder = new Recorder({ ...target, notifications }, surroundings);
    guard(recorder.masking);
    last = new Recording(ids, recorder, turns, last);
    return last;
  };
}

class Recording extends Run {
  override readonly sends = true;
  private what = '';
  private beganAtMs: number | null = null;
  private endedAtMs: number | null = null;
  /** Why it was ended early; `null` where it was not. */
  private shortage: string | null = null;

  /** Begins to send. @param earlier the previous run of the same target: its requests still count for the rate limit */
  constructor(
    ids: Iterable<string>,
    private readonly recorder: Recorder,
    turns: Turns | undefined,
    earlier: Recording | null,
  ) {
    super(ids, nothingRecorded(recorder.target.name));
    const conduct = () => this.conduct(earlier);
    this.conducted = turns ? turns.take(recorder.target, conduct) : conduct();
  }

  private async conduct(earlier: Recording | null): Promise<void> {
    const { recorder } = this;
    if (earlier) {
      await earlier.conducted;
      await recorder.pace.until(recorder.now() + earlier.msUntilFree());
    }
    this.beganAtMs = recorder.now();
    const report = (what: string) => {
      this.what = what;
    };
    await new Schedule(recorder, needsOf(this.ids), asides, report).conduct().catch((problem: unknown) => {
      // What was recorded stays. The first error is the one that is reported.
      recorder.error ??= failureOf(problem);
    });
    this.shortage = recorder.cutShort;
    this.endedAtMs = recorder.now();
  }

  /** Returns how long it takes until every account has its whole budget again; negative if each has it already. */
  private msUntilFree(): number {
    const { recorder } = this;
    const spacing = new Spacing(recorder);
    return Math.max(...recorder.target.accounts.map(({ name }) => spacing.freeAtMs(name))) - recorder.now();
  }

  override sofar(): Recorded {
    const { recorder } = this;
    const evidence = recorder.evidence();
    const beganAtMs = this.beganAtMs ?? recorder.now();
    return {
      evidence,
      error: recorder.error,
      waitedMs: recorder.pace.waitedMs,
      durationMs: (this.endedAtMs ?? recorder.now()) - beganAtMs,
      notes: compact(
        evidence.target.insecureTls && 'INSECURE_TLS was set: the certificate of the server was not verified.',
        this.shortage && `${this.shortage.charAt(0).toUpperCase()}${this.shortage.slice(1)}.`,
      ),
    };
  }

  protected override get isRecorded(): boolean {
    return this.endedAtMs !== null && !this.recorder.isStopped;
  }

  override doing(): string {
    const { exchanges, pace } = this.recorder;
    const waits = pace.isWaiting ? ': waiting until the server may let more in' : '';
    return `${plural(exchanges.length, 'request')}; ${this.what}${waits}`;
  }

  override stop(): void {
    if (this.endedAtMs === null) this.recorder.isStopped = true;
  }

  /** Sends a request of an own test after the suite's own requests, within the account's rate, and records it. */
  override async send(request: ProbeRequest, isWanted: () => boolean): Promise<Exchange | null> {
    await this.conducted;
    const { recorder } = this;
    const { account } = request;
    const send = async () => (isWanted() ? recorder.send(request) : null);
    try {
      if (account === null) return await send();
      return await recorder.pace.turn(account, async () => {
        await recorder.pace.until(this.freeAtMs(account));
        return send();
      });
    } finally {
      // The run lasts until its own tests have been answered, or have waited in vain.
      this.endedAtMs = recorder.now();
    }
  }

  /** Returns when an account's next request may go: spaced after an accepted own one, else with a whole budget. */
  private freeAtMs(account: string): number {
    const { exchanges, pace } = this.recorder;
    const last = exchanges.findLast((exchange) => exchange.account === account);
    return last && last.probe.group === 'own' && isAccepted(last)
      ? pace.spacedAtMs(account)
      : new Spacing(this.recorder).freeAtMs(account);
  }
}

/** How long to wait for the embedded server's notifications: far longer than one takes on a busy machine. */
const WAIT_SECONDS = 2;

/** Starts the server on a free loopback port, and a receiver for its notifications on another. */
export async function embeddedTarget(): Promise<{ target: Target; close: () => Promise<void> }> {
  const receiver = await startReceiver('127.0.0.1:0');
  const reference = await startReference({ receiverBase: receiver.origin });
  const close = async () => {
    await reference.close();
    await receiver.close();
  };
  return { target: targetOfReference(reference, receiver), close };
}

/** Returns a target that declares all of a reference server's accounts. @param receiver where their urls lead to */
export function targetOfReference(
  reference: Pick<Reference, 'baseURL' | 'accounts' | 'trigger'>,
  receiver: Receiver | null = null,
): Target {
  const declared = { baseURL: reference.baseURL, accounts: reference.accounts.map(declarationOf) };
  return {
    ...targetOf(declared, 'embedded reference server'),
    embedded: true,
    notifications: receiver && {
      listen: new URL(receiver.origin).host,
      accounts: reference.accounts.map((account) => account.name),
      trigger: (kind, account) => reference.trigger(kind, account),
      waitSeconds: WAIT_SECONDS,
      receiver,
    },
  };
}

/**
 * Makes the service send each notification kind of each account once, and waits for what arrives at the receiver. Kinds
 * that are off go first, while no delivery is expected. Then kinds that are on are triggered a step apart, with
 * one wait for all: so a copy at the url of a kind not triggered yet shows.
 */
import { probe } from '../catalogue/catalogue';
import { failureOf, UsageError } from '../common/errors';
import { MANUAL, type Notifications, type Receiver } from '../config/target';
import { KINDS } from '../contract/settings';
import type { Trigger } from '../evidence/model';
import type { Recorder } from '../recorder/recorder';
import { CountedWait } from '../recorder/transport/wire';
import { type Configured, configuredIn } from './deliveries';
import { startReceiver, type Way, waysTo } from './receiver';
import { askPerson, assertTerminal, outputInWords, runCommand, type Wanted } from './trigger';

/** The wait has at least this many steps. One step passes between two triggers. */
const LEAST_STEPS = 4;

/**
 * Begins to listen, before anything is sent.
 * @returns `null` where the target declares no notifications, or the receiver cannot listen (then the run has an error)
 */
export async function openEvents(recorder: Recorder): Promise<Events | null> {
  const { notifications } = recorder.target;
  if (notifications === null) return null;
  try {
    if (notifications.trigger === MANUAL) assertTerminal();
    return new Events(recorder, notifications, notifications.receiver ?? (await startReceiver(notifications.listen)));
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    recorder.error = error.message;
    return null;
  }
}

class Events {
  /** What ends the processes that commands have left running, and the waits for deliveries. */
  private readonly ends: Array<() => void> = [];
  /** Once a trigger has failed, nothing more can be learned. */
  private failed = false;

  constructor(
    private readonly recorder: Recorder,
    private readonly notifications: Notifications,
    private readonly receiver: Receiver,
  ) {
    receiver.onDelivery = (delivery) => {
      recorder.receive(delivery);
    };
  }

  /** Triggers and waits. The settings of the accounts were read before. */
  async conduct(): Promise<void> {
    const evidence = this.recorder.evidence();
    // Malformed settings are left to the settings clauses.
    const configured = this.notifications.accounts.flatMap((account) => configuredIn(evidence, account));
    const planned = await this.checked(configured);
    await this.round(planned.filter((wanted) => !wanted.enabled));
    for (const round of roundsOf(planned.filter((wanted) => wanted.enabled))) {
      // A copy may follow at once, and shows whose it is while nothing else was triggered.
      const stepMs = this.waitMs / Math.max(LEAST_STEPS, round.length + 1);
      await this.round(round, stepMs);
    }
  }

  /** Ends what the triggers left running, and stops listening. */
  async close(): Promise<void> {
    for (const end of this.ends) end();
    await this.receiver.close();
    const { overrun } = this.receiver;
    const why = `The receiver was overrun: ${overrun} deliveries came beyond what it takes, so what arrived is not all there was. Keep others from the tunnel, and run again.`;
    if (overrun > 0) this.recorder.skip(probe('events'), why);
  }

  /**
   * Returns the kinds to trigger. None is if the way to one that is on is closed: what does not arrive would be blamed on
   * the server. One that is off would seem silent, so it is left out alone.
   */
  private async checked(planned: readonly Configured[]): Promise<Configured[]> {
    const { recorder, notifications, receiver } = this;
    const urls = planned.map(({ url }) => url);
    const ways = await waysTo(urls, recorder, notifications, receiver);
    const wayTo = ({ url }: Configured) => ways.get(url) as Way;
    const closed = planned.find((wanted) => wanted.enabled && wayTo(wanted).state === 'closed');
    if (closed) {
      const { why } = wayTo(closed);
      recorder.skip(probe('events'), `${why}. So nothing was triggered: open the way there, and run again.`);
      return [];
    }
    for (const wanted of planned) {
      const { state, why } = wayTo(wanted);
      const named = `"${wanted.kind}" of ${wanted.account}`;
      const note = (reason: string) =>
        recorder.skip(probe('receiver-check', { account: wanted.account, form: wanted.kind }), reason);
      if (wanted.enabled && state === 'unknown')
        note(`Whether the url of ${named} leads to the receiver is not known: ${why}.`);
      if (!wanted.enabled && state === 'closed') note(`${why}. So ${named}, which is off, was not triggered.`);
    }
    return planned.filter((wanted) => wayTo(wanted).state !== 'closed');
  }

  private get waitMs(): number {
    return this.notifications.waitSeconds * 1000;
  }

  /** Triggers one kind after another, a step apart; then waits as long as what was triggered last may take. */
  private async round(planned: readonly Configured[], stepMs = 0): Promise<void> {
    const { clock } = this.recorder;
    const watched: Array<{ trigger: Trigger; wait: CountedWait }> = [];
    for (const wanted of planned) {
      if (this.failed || this.recorder.isStopped) break;
      const trigger = await this.trigger(wanted);
      const wait = new CountedWait(clock, this.waitMs);
      this.ends.push(() => wait.callOff());
      watched.push({ trigger, wait });
      await new Promise<void>((resolve) => clock.after(stepMs, resolve));
    }
    if (this.failed) return;
    await Promise.all(watched.map(({ wait }) => wait.ended));
    for (const { trigger, wait } of watched) {
      trigger.watchedUntilMs = this.recorder.now();
      trigger.heldUpMs = wait.heldUpMs;
    }
  }

  private async trigger({ kind, account, enabled }: Configured): Promise<Trigger> {
    const { recorder } = this;
    const startedAtMs = recorder.now();
    const wrong = await this.send({ kind, account, enabled });
    const endedAtMs = recorder.now();
    const failure = wrong === null ? null : `\`notifications.trigger\` for "${kind}" of ${account} ${wrong}`;
    const trigger = { kind, account, enabled, startedAtMs, endedAtMs, watchedUntilMs: endedAtMs, failure };
    recorder.triggers.push(trigger);
    this.failed ||= failure !== null;
    return trigger;
  }

  /** Makes the service send one notification. @returns what went wrong, as words after "the trigger …"; else `null` */
  private async send({ kind, account, enabled }: Wanted): Promise<string | null> {
    const { target, clock, masking } = this.recorder;
    const { trigger, environment, directory } = this.notifications;
    const isStopped = () => this.failed || this.recorder.isStopped;
    if (trigger === MANUAL) return askPerson({ kind, account, enabled, target: target.name }, clock, isStopped);
    if (typeof trigger !== 'string')
      return trigger(kind, account).then(
        () => null,
        (error: unknown) => `failed: ${failureOf(error)}`,
      );
    const variables = { ...environment, KIND: kind, ACCOUNT: account };
    const { ended, end } = runCommand(trigger, variables, target.limits.timeoutSeconds, directory);
    this.ends.push(end);
    const wrong = await ended;
    return wrong && `${wrong.what}${outputInWords(wrong.output, (text) => masking.maskText(text))}`;
  }
}

/**
 * Returns the order in which kinds that are on are triggered. Every other account has its kinds in reverse, and every
 * other pass has the accounts in reverse, so that each of two goes first once. Kinds that share an address get
 * different rounds.
 */
export function roundsOf<T extends Pick<Configured, 'account' | 'kind' | 'address'>>(planned: readonly T[]): T[][] {
  const accounts = [...new Set(planned.map((wanted) => wanted.account))];
  const inOrder = KINDS.flatMap((_, pass) => {
    const turn = pass % 2 === 0 ? accounts : [...accounts].reverse();
    return turn.flatMap((account) => {
      const kinds = accounts.indexOf(account) % 2 === 0 ? KINDS : [...KINDS].reverse();
      return planned.filter((wanted) => wanted.account === account && wanted.kind === kinds[pass]);
    });
  });
  const rounds: T[][] = [];
  for (const wanted of inOrder) {
    const free = rounds.find((round) => !round.some((other) => other.address === wanted.address));
    if (free) free.push(wanted);
    else rounds.push([wanted]);
  }
  return rounds;
}

/**
 * The requests with a valid key that any window can be used for: what is still to be sent of them. Whatever else a window
 * has to show, such a request is sent in it, so that looking costs none of its own.
 */
import { isSameProbe, type Probe, type ProbeRequest } from '../catalogue/probe';
import { isAccepted, isWhole, statusOf } from '../evidence/responder/classify';
import { isElsewhere } from '../evidence/select';
import type { Recorder } from '../recorder/recorder';
import type { Dealt } from './allocation';
import type { Spacing } from './paced-send';

const ASKED_OF_ANOTHER =
  'single requests were refused although they kept their distance, and another account was asked the same';

export class DueRequests {
  private readonly taken = new Set<ProbeRequest>();

  constructor(
    private readonly recorder: Recorder,
    private readonly spacing: Spacing,
    private readonly dealt: Dealt,
  ) {}

  get openers(): Dealt['openers'] {
    return this.dealt.openers;
  }

  /** What the account sends in place of the read that tests what a refusal promises, if it does that. */
  recoveryOf(account: string): ProbeRequest | null {
    const { recovery } = this.dealt;
    return recovery?.account === account ? recovery : null;
  }

  /** The account to ask last, of some, what a limiter may overlook. */
  respellerOf(accounts: readonly string[]): string | undefined {
    const { respeller } = this.dealt;
    return accounts.find((account) => account === respeller) ?? accounts[0];
  }

  /** Takes the next request that an account is to send alone. What shows there is not asked again. */
  take(account: string): ProbeRequest | null {
    for (const request of this.singlesOf(account)) {
      this.taken.add(request);
      if (!this.isAskedOfAnother(request)) return request;
      this.recorder.skip(request.probe, ASKED_OF_ANOTHER);
    }
    return null;
  }

  /** The requests of an account that have to be accepted, and were not yet. Those of a sequence's begin are the last. */
  toAccept(account: string): ProbeRequest[] {
    const opener = this.openers.get(account);
    const singles = this.singlesOf(account).filter(({ probe }) => !isElsewhere(probe));
    return [...singles, ...(opener && !isElsewhere(opener.probe) && !this.isShown(opener) ? [opener] : [])];
  }

  /** One request of each account that has any, to send at one moment: first those that have to be accepted. */
  row(accounts: readonly string[]): ProbeRequest[] {
    return accounts.flatMap((account) => {
      const singles = this.singlesOf(account).filter((request) => !this.isAskedOfAnother(request));
      return singles.find(({ probe }) => !isElsewhere(probe)) ?? singles[0] ?? [];
    });
  }

  isAcceptedOnce({ probe }: ProbeRequest): boolean {
    return this.answersTo(probe).some(isAccepted);
  }

  /** Whether a request was answered, and neither refused nor failed: it need not be sent again. */
  isDecided({ probe }: ProbeRequest): boolean {
    return this.answersTo(probe).some(
      (exchange) => isWhole(exchange) && statusOf(exchange) < 500 && !this.spacing.isOverLimit(exchange),
    );
  }

  /** Whether a request was answered with a 5xx: sent again, it shows whether that was an accident. */
  hasFailed({ probe }: ProbeRequest): boolean {
    return this.answersTo(probe).some((exchange) => isWhole(exchange) && statusOf(exchange) >= 500);
  }

  private singlesOf(account: string): ProbeRequest[] {
    return this.dealt.singles.filter(
      (single) => single.account === account && !this.taken.has(single) && !this.isShown(single),
    );
  }

  /** Whether a request need not be sent again: what has to be accepted was, and anything else was decided. */
  isShown(request: ProbeRequest): boolean {
    return isElsewhere(request.probe) ? this.isDecided(request) : this.isAcceptedOnce(request);
  }

  /** A server that refuses single requests is asked the same with one account only. */
  private isAskedOfAnother({ account, probe: { group, form } }: ProbeRequest): boolean {
    if (this.spacing.firstRefused === null) return false;
    const others = this.dealt.singles.filter(
      (other) => other.account !== account && other.probe.group === group && other.probe.form === form,
    );
    return others.some((other) => this.taken.has(other) || this.answersTo(other.probe).length > 0);
  }

  private answersTo(probe: Probe) {
    return this.recorder.exchanges.filter((exchange) => isSameProbe(exchange.probe, probe));
  }
}

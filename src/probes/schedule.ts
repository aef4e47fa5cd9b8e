/** Sends what the selected clauses need, each request once, in the order that waits least. */
import { groupsWhere, type Need, planOf } from '../catalogue/catalogue';
import { type ProbeRequest, plannedWrongKeys, probe, withoutKey } from '../catalogue/probe';
import { isAccepted, isWhole, statusOf } from '../evidence/responder/classify';
import { bansOf, shapesOf } from '../evidence/responder/guards';
import { whyNotServing } from '../evidence/responder/serving';
import { isElsewhere } from '../evidence/select';
import { ONE_MOMENT_MS } from '../evidence/time/in-flight';
import { trialsOf } from '../limiter/kept';
import type { Recorder } from '../recorder/recorder';
import { dealtAmong, type Share, shareOf, shownApart } from './allocation';
import { type FirstReads, readFirst } from './baseline';
import { amongNeighbours, type Inquiry, inquire, isOpen } from './diagnose/experiments';
import { isAskedLong } from './diagnose/refused-reads';
import { DueRequests } from './due';
import { Spacing } from './paced-send';
import { keysOf } from './requests';
import { SimultaneousReads } from './simultaneous-reads';
import { type TrialsAtTheLimit, trialsAtTheLimit } from './trials/at-the-limit';
import { type WrongKey, WrongKeyRetries } from './wrong-key-retries';

/** This many wrong keys, the likeliest to be let in, go right after the first read: a guard may answer the others. */
const TELLING_FIRST = 4;

/** As many at one moment as a small server has threads, twice: where they are dealt out in turn, one of them meets it. */
const BETWEEN_READS = { requests: 4, rounds: 2 };

const RECOVERED_BEFORE =
  'the limit is stricter than declared, and single requests that it refused were sent again, which shows as much';

const SHOWN_BY_ANOTHER =
  'all accounts draw on one budget (rate.per-user), so the limit was looked at with one account only';

/** What a profile does beside the requests of the core, because it uses nobody's budget. */
export interface Aside {
  /** The group that takes it. */
  need: Need;
  /** Called before anything is sent; `null` where it has nothing to do. If it cannot be done, the recorder has an error. */
  open(recorder: Recorder): Promise<{
    /** Called once the settings of the accounts were read. */
    conduct(): Promise<void>;
    close(): Promise<void>;
  } | null>;
}

export class Schedule {
  private readonly plan: ReadonlySet<Need>;
  private readonly spacing: Spacing;
  private readonly wrongKeys: WrongKeyRetries;
  private due: DueRequests;
  /** How often requests without a key went between later reads. */
  private betweenReads = 0;

  constructor(
    private readonly recorder: Recorder,
    needs: Iterable<Need>,
    private readonly riskyProbes: boolean,
    private readonly asides: readonly Aside[] = [],
    /** Called with what the run is busy with, for people who wait. */
    private readonly progress: (what: string) => void = () => undefined,
  ) {
    this.plan = planOf(needs);
    this.spacing = new Spacing(recorder);
    this.wrongKeys = new WrongKeyRetries(recorder, this.spacing);
    this.due = new DueRequests(recorder, this.spacing, {
      openers: new Map(),
      singles: [],
      recovery: null,
      respeller: undefined,
    });
  }

  /** Sends everything that is planned. Never throws for what a server does. */
  async conduct(): Promise<void> {
    const { plan: planned, recorder, spacing } = this;
    const wanted = this.asides.filter(({ need }) => planned.has(need));
    const beside = (await Promise.all(wanted.map((aside) => aside.open(recorder)))).flatMap((each) => each ?? []);
    if (recorder.error) return;
    const wrong = plannedWrongKeys(keysOf(recorder), planned, this.riskyProbes).map((request) => ({ request }));
    const telling = wrong.splice(0, planned.has('read') ? TELLING_FIRST : 0);
    const first: FirstReads = planned.has('read')
      ? await readFirst(recorder, spacing, planned, this.progress, () => this.wrongKeys.sendOneByOne(telling))
      : { open: [], sessions: [], wasBanned: false };
    this.wrongKeys.remember(first.sessions);
    if (first.wasBanned) this.wrongKeys.slowDown();
    try {
      await Promise.all([
        ...beside.map((each) => each.conduct()),
        recorder.error || first.isDead ? null : this.afterReads(first.open, wrong),
      ]);
    } finally {
      await Promise.all(beside.map((each) => each.close()));
    }
  }

  /** @param wrong the requests without a valid key that are still to be sent */
  private async afterReads(open: readonly string[], wrong: readonly WrongKey[]): Promise<void> {
    const { recorder, wrongKeys, spacing } = this;
    const planned = this.plan;
    this.progress('sending requests without a valid key');
    await wrongKeys.send(wrong);
    await wrongKeys.askAgain(open);
    await wrongKeys.endSessions();
    if (open.length === 0) return this.askWhetherAlive();
    this.due = new DueRequests(recorder, spacing, dealtAmong(keysOf(recorder), recorder.target.rate, planned, open));
    const { due } = this;
    const together = new SimultaneousReads(recorder, spacing, wrongKeys, open, due);
    const searched = new Set<string>();
    const inquiry: Inquiry = {
      recorder,
      planned,
      open,
      spacing,
      wrongKeys,
      together,
      due,
      searched,
      stage: 'together',
    };
    this.progress('sending as all accounts at once');
    if (planned.has('together') && !(await together.first())) {
      await this.askWhetherAlive();
      const why = whyNotServing(recorder.evidence()) ?? '';
      for (const account of open) recorder.skip(probe('account', { account }), why);
      return;
    }
    await inquire(inquiry);
    if (planned.has('together') && !together.wasCharged) await together.askRefusedAgain(spacing.hasNeighbours);
    await this.lanes(inquiry);
    inquiry.stage = 'at the limit';
    await inquire(inquiry);
    // Behind a guard, after all reads: it may ban the address, valid keys too.
    const [first = ''] = open;
    if (this.isGuarded) await this.askBetweenReads(first, 1, spacing.freeAtMs(first));
    // By now the run has shown how this server refuses.
    await wrongKeys.askAgain(open);
    await this.askWhetherAlive();
  }

  /** If the last answer was not accepted, asks without a key: the server may have stopped serving at all. */
  private async askWhetherAlive(): Promise<void> {
    const { recorder } = this;
    // Another version or path may rightly get a 4xx, and so may a wrong key.
    const last = recorder.exchanges.findLast(({ probe }) => !isElsewhere(probe));
    if (!last || isAccepted(last) || !recorder.exchanges.some(isAccepted)) return;
    if (isWhole(last) && statusOf(last) < 500 && last.account === null) return;
    const asked = await recorder.send(withoutKey(probe('alive', { trial: 1 })));
    if (!asked || !isWhole(asked) || statusOf(asked) < 500) return;
    // A gateway may have failed for a moment.
    await recorder.pace.until(recorder.now() + ONE_MOMENT_MS);
    await recorder.send(withoutKey(probe('alive', { trial: 2 })));
  }

  /**
   * Runs accounts side by side, each with its single requests and then its share of the trials at the limit. An account
   * begins its trials while the one before is certainly refused, which shows whether they share a budget.
   */
  private async lanes(inquiry: Inquiry): Promise<void> {
    const { recorder, spacing } = this;
    const { open } = inquiry;
    const trials = trialsAtTheLimit(recorder);
    let neighbour: Promise<unknown> | null = null;
    const singles = open.map(async (account) => {
      for (let request = this.due.take(account); request; request = this.due.take(account)) {
        this.progress(`sending single requests as ${account}`);
        if (!this.isGuarded)
          await this.askBetweenReads(account, BETWEEN_READS.requests, recorder.pace.spacedAtMs(account));
        await this.sendSingle(request);
        // Side by side, accounts that share a budget would be refused again and again.
        if (isOpen(amongNeighbours, inquiry)) neighbour ??= amongNeighbours.conduct(inquiry);
        await neighbour;
      }
    });
    // The reason why single requests are refused is found before the limit is looked at.
    const explained = Promise.all(singles).then(() => {
      inquiry.stage = 'alone';
      return inquire(inquiry);
    });
    let before: Promise<void> = Promise.resolve();
    const lanes = open.map(async (account, i) => {
      await singles[i];
      if (spacing.firstRefused !== null) await explained;
      const turn = before;
      let tell = (): void => undefined;
      before = new Promise((resolve) => {
        tell = resolve;
      });
      // One limiter for all accounts is seen on one of them, which is asked on both paths.
      const isOnBoth = (name: string) => this.due.openers.get(name)?.path === '/';
      const shown = spacing.hasNeighbours ? [open.find(isOnBoth) ?? (open[0] as string)] : open;
      const isRespelling = account === this.due.respellerOf(shown);
      const share = { ...shareOf(account, shown), opener: this.due.openers.get(account) ?? null, isRespelling };
      if (shown.includes(account)) await this.limiterOf(trials, account, share, turn, tell).finally(tell);
      else await this.openedApart(account, share.opener).finally(tell);
    });
    await Promise.all([explained, ...lanes]);
  }

  /** Whether something counts wrong keys, and answers in the server's place. */
  private get isGuarded(): boolean {
    return shapesOf(this.recorder.evidence()).guards.size > 0;
  }

  /**
   * Asks without a key when an account's budget is whole: what a worker remembers of its last user is bound to nothing
   * else, and would be refused sooner.
   * @param count how many to send at one moment
   */
  private async askBetweenReads(account: string, count: number, atMs: number): Promise<void> {
    const { recorder, spacing } = this;
    const isDone = this.betweenReads >= BETWEEN_READS.rounds || spacing.firstRefused !== null;
    if (!this.plan.has('between-reads') || isDone || bansOf(recorder.evidence()).length > 0) return;
    this.betweenReads += 1;
    const request = withoutKey(probe('between-reads', { account, trial: this.betweenReads }));
    this.wrongKeys.remember([{ request }]);
    await recorder.burst(Array(count).fill(request), { atMs });
  }

  /** Sends a request; one that shows two things at once as two, if it is not accepted, or single requests are refused. */
  private async sendSingle(request: ProbeRequest): Promise<void> {
    const { spacing } = this;
    const isOfTwo = request.path === '/' && request.probe.form !== '';
    const exchange = isOfTwo && spacing.firstRefused !== null ? null : await spacing.send(request);
    if (!isOfTwo || this.due.isAcceptedOnce(request) || (exchange && spacing.isOverLimit(exchange))) return;
    for (const apart of shownApart(request, keysOf(this.recorder))) await spacing.send(apart);
  }

  /** Whether a request can stand for the first read of a sequence. The base path can unless it has only ever turned keys away. */
  private mayOpen({ path, probe: { group } }: ProbeRequest): boolean {
    const asked = this.recorder.exchanges.filter(({ probe }) => probe.group === group);
    return path !== '/' || asked.length === 0 || asked.some(isAccepted);
  }

  /** Sends the opener of an account whose limit is not looked at, and notes the rest as not sent. */
  private async openedApart(account: string, opener: ProbeRequest | null): Promise<void> {
    const isWhole = opener !== null && this.mayOpen(opener);
    if (isWhole && !this.due.isShown(opener)) await this.spacing.send(opener);
    const isShown = isWhole && this.due.isShown(opener);
    for (const request of opener && !isShown ? shownApart(opener, keysOf(this.recorder)) : [])
      if (!this.due.isShown(request)) await this.spacing.send(request);
    await this.askedAsRecovery(account);
    const groups = groupsWhere(({ sent }) => sent === 'limit' || sent === 'recovering');
    for (const group of groups.filter((each) => this.plan.has(each as Need)))
      this.recorder.skip(probe(group, { account }), SHOWN_BY_ANOTHER);
  }

  /** Sends alone what was to be shown by a recovery, and was not. */
  private async askedAsRecovery(account: string): Promise<void> {
    const recovery = this.due.recoveryOf(account);
    if (recovery && !this.due.isShown(recovery)) await this.spacing.send(recovery);
  }

  private async limiterOf(
    trials: TrialsAtTheLimit,
    account: string,
    share: Share & { opener: ProbeRequest | null; isRespelling: boolean },
    turn: Promise<void>,
    onUsedUp: () => void,
  ): Promise<void> {
    const planned = this.plan;
    if (groupsWhere(({ isAtTheLimit }) => isAtTheLimit === true).some((group) => planned.has(group as Need)))
      this.progress(`trying the rate limit of ${account}`);
    if (planned.has('sequence')) {
      // Accounts that take turns wait for the one before anyway.
      if (!this.recorder.pace.shared) await turn;
      // A window that is longer than declared is not shorter, so later requests are not needed.
      const apart = share.opener ? shownApart(share.opener, keysOf(this.recorder)) : [];
      const opener = [share.opener, ...apart].find((request) => request !== null && this.mayOpen(request)) ?? null;
      await trials.sequence.ask(account, opener, share.later && !this.spacing.isPlainlyStricter, onUsedUp);
      const failed = share.opener && this.due.hasFailed(share.opener) ? [share.opener] : [];
      for (const request of share.opener && this.due.isShown(share.opener) ? [] : [...failed, ...apart])
        if (failed.includes(request) || !this.due.isDecided(request)) await this.spacing.send(request);
      const [[first] = []] = trialsOf(this.recorder.evidence(), 'sequence', account);
      if (first && this.spacing.isOverLimit(first.exchange)) this.spacing.noteRefused(first.exchange);
    }
    if (planned.has('concurrent')) {
      const withRecovery = share.recovery && planned.has('recovery');
      // A stricter limit refused requests, and accepted them when it had promised to: that has shown recoveries.
      const wasShown = this.spacing.isPlainlyStricter && isAskedLong(this.recorder, account);
      if (withRecovery && wasShown) this.recorder.skip(probe('recovery', { account }), RECOVERED_BEFORE);
      await trials.concurrent.ask(account, {
        withRecovery: withRecovery && !wasShown,
        recovery: this.due.recoveryOf(account),
        withPaths: planned.has('paths'),
        withSequence: planned.has('sequence'),
      });
    }
    await this.askedAsRecovery(account);
    if (planned.has('promise') && share.later) await trials.promise.ask(account);
    if (planned.has('paths')) await trials.paths.ask(account);
    if (planned.has('promise')) await trials.promise.askAfterRefusals(account);
    if (share.isRespelling && planned.has('respelled')) await trials.respelled.ask(account, planned);
  }
}

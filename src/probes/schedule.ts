/** Sends what the selected clauses need, each request once, in the order that waits least. */
import {
  formsOf,
  groupsWhere,
  type Need,
  type ProbeRequest,
  plannedWrongKeys,
  planOf,
  probe,
  withoutKey,
} from '../catalogue/catalogue';
import { isElsewhere } from '../evidence/model';
import { isAccepted, isWhole, statusOf } from '../evidence/responder/classify';
import { whyNotServing } from '../evidence/responder/failures';
import { bansOf, shapesOf } from '../evidence/responder/guards';
import { ONE_MOMENT_MS } from '../evidence/time/in-flight';
import { trialsOf } from '../limiter/enforced';
import type { Recorder } from '../recorder/recorder';
import { type Inquiry, inquire } from './experiments';
import { type FirstReads, readFirst, sessionOf, withOtherCookies } from './first-reads';
import { SHORT_WINDOW_MS } from './moments';
import { askBothPaths, askRespelled, askUndecided } from './paths';
import { PendingRequests, shareOf, shownApart } from './pending';
import { askBrokenPromisesAgain, askEarlyPromises, askPromisesOfRefusals } from './promises';
import { keysOf, Spacing } from './requests';
import { SimultaneousReads } from './simultaneous-reads';
import { askAfterBursts, askAtOneMoment, askInSequence } from './trials';
import { readHardlyApart, readSteadily } from './why-refused';
import { type WrongKey, WrongKeyRetries } from './wrong-key-retries';

/** How many wrong keys, the likeliest to be accepted, go right after the first read: a guard may answer the others. */
const TELLING_FIRST = 4;

/** As many requests at one moment as a small server has threads, twice, so that one meets each thread. */
const BETWEEN_READS = { requests: 4, rounds: 2 };

const SHOWN_BY_ANOTHER =
  'all accounts draw on one budget (rate.per-user), so the limit was looked at with one account only';

const ALL_REFUSED = 'all accounts are refused for good: fix rate.not-stricter first';

/** What a profile does beside the requests of the core, without using a budget. */
export interface Aside {
  /** The group that needs it. */
  need: Need;
  /** Called before anything is sent; `null` if it has nothing to do. If it cannot be done, the recorder has an error. */
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
  /** How often requests without a key were sent between later reads. */
  private betweenReads = 0;
  /** The paths whose refusals' promises were tried. */
  private readonly tried = new Set<string>();
  /** The account that sends the first burst. */
  private quiet: string | null = null;

  constructor(
    private readonly recorder: Recorder,
    needs: Iterable<Need>,
    private readonly asides: readonly Aside[] = [],
    /** Called with a description of the present work, for people who wait. */
    private readonly progress: (what: string) => void = () => undefined,
  ) {
    this.plan = planOf(needs);
    this.spacing = new Spacing(recorder);
    this.wrongKeys = new WrongKeyRetries(recorder, this.spacing);
  }

  /** Sends all that is planned. No answer of a server makes it throw. */
  async conduct(): Promise<void> {
    const { plan: planned, recorder, spacing } = this;
    const wanted = this.asides.filter(({ need }) => planned.has(need));
    const beside = (await Promise.all(wanted.map((aside) => aside.open(recorder)))).flatMap((each) => each ?? []);
    if (recorder.error) return;
    const wrong = plannedWrongKeys(keysOf(recorder), planned).map((request) => ({ request }));
    const telling = wrong.splice(0, planned.has('read') ? TELLING_FIRST : 0);
    const first: FirstReads = planned.has('read')
      ? await readFirst(recorder, spacing, planned, this.progress, () => this.wrongKeys.sendAll(telling, 1))
      : { open: [], sessions: [] };
    this.wrongKeys.remember([...telling, ...first.sessions]);
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
    const pending = new PendingRequests(recorder, spacing, planned, open);
    const together = new SimultaneousReads(recorder, spacing, wrongKeys, open, pending);
    const inquiry: Inquiry = {
      recorder,
      planned,
      open,
      spacing,
      wrongKeys,
      together,
      pending,
      searched: new Set(),
      stage: 'together',
    };
    this.progress('sending as all accounts at once');
    if (planned.has('together') && !(await together.first())) {
      await this.askWhetherAlive();
      const why = whyNotServing(recorder.evidence()) ?? ALL_REFUSED;
      for (const account of open) recorder.skip(probe('account', { account }), why);
      return;
    }
    await inquire(inquiry);
    await this.lanes(inquiry, pending);
    inquiry.stage = 'at the limit';
    await inquire(inquiry);
    // Behind a guard, they go after all reads: it may ban the address, valid keys included.
    const [first = ''] = open;
    if (this.isDefended) await this.askBetweenReads(first, 1, spacing.freeAtMs(first));
    // If cookies of a read opened no session, others may.
    for (const answer of planned.has('session') ? withOtherCookies(recorder) : []) {
      const request = sessionOf(answer, recorder);
      // A session may draw on any account's budget.
      await recorder.pace.until(Math.max(...open.map((account) => spacing.freeAtMs(account))));
      wrongKeys.remember([{ request }]);
      await wrongKeys.sendAll([{ request }]);
    }
    // By now the run has shown how this server refuses, and a ban may be over.
    await wrongKeys.askAgain(open, 1);
    await this.askWhetherAlive();
  }

  /** If the last request was not accepted, sends one without a key: the server may have stopped serving. */
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
  private async lanes(inquiry: Inquiry, pending: PendingRequests): Promise<void> {
    const { recorder, spacing } = this;
    const { open } = inquiry;
    let busy = open.length;
    const singles = open.map(async (account) => {
      for (let request = pending.take(account); request; request = pending.take(account)) {
        this.progress(`sending single requests as ${account}`);
        if (!this.isDefended)
          await this.askBetweenReads(account, BETWEEN_READS.requests, recorder.pace.spacedAtMs(account));
        // What is left of a whole budget shows how much a request to the base path costs.
        if (request.path === '/' && recorder.pace.windowMs <= 2 * SHORT_WINDOW_MS)
          await recorder.pace.until(recorder.pace.wholeAtMs(account));
        await spacing.send(request);
      }
    });
    // The reason for refused single requests is found before the trials at the limit.
    const explained = Promise.all(singles).then(() => {
      inquiry.stage = 'alone';
      return inquire(inquiry);
    });
    let before: Promise<void> = Promise.resolve();
    const lanes = open.map(async (account, i) => {
      await singles[i];
      if (spacing.firstRefused !== null) await explained;
      const turn = before;
      let onUsedUp = (): void => undefined;
      before = new Promise((resolve) => {
        onUsedUp = resolve;
      });
      // All accounts have the same limiter, so one of them is enough, which is asked on both paths.
      const isOnBoth = (name: string) => pending.openerOf(name)?.path === '/';
      const shown = spacing.hasNeighbours ? [open.find(isOnBoth) ?? (open[0] as string)] : open;
      if (shown.includes(account)) await this.limiterOf(account, shown, pending, turn, onUsedUp).finally(onUsedUp);
      else await this.openedApart(account, pending).finally(onUsedUp);
      busy -= 1;
      // While other accounts are busy, this costs no time.
      await this.seeWindows(account, () => busy === 0);
    });
    await Promise.all([explained, ...lanes]);
  }

  /** Whether a guard counts wrong keys and answers in the server's place, or has banned this address. */
  private get isDefended(): boolean {
    const evidence = this.recorder.evidence();
    return shapesOf(evidence).guards.size > 0 || bansOf(evidence).length > 0;
  }

  /**
   * Asks without a key when an account's budget is whole: a server that serves such a request for its last user would refuse
   * it sooner.
   * @param count how many to send at one moment
   */
  private async askBetweenReads(account: string, count: number, atMs: number): Promise<void> {
    const { recorder, spacing } = this;
    const isDone = this.betweenReads >= BETWEEN_READS.rounds || spacing.firstRefused !== null;
    if (!this.plan.has('between-reads') || isDone) return;
    this.betweenReads += 1;
    const request = withoutKey(probe('between-reads', { account, trial: this.betweenReads }));
    this.wrongKeys.remember([{ request }]);
    await recorder.burst(Array(count).fill(request), { atMs });
  }

  /** Whether a request can open a sequence. One to the base path can unless that has rejected every key so far. */
  private mayOpen({ path, probe: { group } }: ProbeRequest): boolean {
    const asked = this.recorder.exchanges.filter(({ probe }) => probe.group === group);
    return path !== '/' || asked.some(isAccepted) || asked.every((exchange) => this.spacing.isOverLimit(exchange));
  }

  /** Sends a request that is still to be shown, and if it is not accepted, what it shows at once one by one. */
  private async show(request: ProbeRequest | null, pending: PendingRequests): Promise<void> {
    if (request === null || pending.isShown(request)) return;
    if (this.mayOpen(request) && !pending.isDecided(request)) await this.spacing.send(request);
    for (const apart of pending.isShown(request) ? [] : shownApart(request, keysOf(this.recorder)))
      if (!pending.isDecided(apart)) await this.spacing.send(apart);
  }

  /** Sends the opener of an account that takes no part in trials, and notes the rest as not sent. */
  private async openedApart(account: string, pending: PendingRequests): Promise<void> {
    await this.show(pending.openerOf(account), pending);
    await this.show(pending.recoveryOf(account), pending);
    const groups = groupsWhere(({ sent }) => sent === 'limit' || sent === 'recovering');
    for (const group of groups.filter((each) => this.plan.has(each as Need)))
      this.recorder.skip(probe(group, { account }), SHOWN_BY_ANOTHER);
  }

  /** Makes the trials at the limit of an account. @param shown all accounts that take part */
  private async limiterOf(
    account: string,
    shown: readonly string[],
    pending: PendingRequests,
    turn: Promise<void>,
    onUsedUp: () => void,
  ): Promise<void> {
    const { plan: planned, recorder, spacing } = this;
    const share = shareOf(account, shown);
    if (groupsWhere(({ isAtTheLimit }) => isAtTheLimit === true).some((group) => planned.has(group as Need)))
      this.progress(`trying the rate limit of ${account}`);
    if (planned.has('sequence')) {
      // Accounts that share a budget take turns anyway.
      if (!recorder.pace.shared) await turn;
      const first = pending.openerOf(account);
      const apart = first ? [first, ...shownApart(first, keysOf(recorder))] : [];
      const opener = apart.find((request) => this.mayOpen(request)) ?? null;
      // A window that is longer than declared is not shorter, so no later requests are needed.
      const withLater = share.later && !spacing.isPlainlyStricter;
      await askInSequence(recorder, account, { opener, withLater, onUsedUp });
      await this.show(first, pending);
      const [[begun] = []] = trialsOf(recorder.evidence(), 'sequence', account);
      if (begun && spacing.isOverLimit(begun.exchange)) spacing.noteRefused(begun.exchange);
    }
    if (planned.has('concurrent')) {
      const withRecovery = share.recovery && planned.has('recovery');
      const recovery = pending.recoveryOf(account);
      this.quiet ??= account;
      const isQuiet = this.quiet === account;
      await askAtOneMoment(recorder, account, { withRecovery, recovery, withPaths: planned.has('paths'), isQuiet });
      if (isQuiet && planned.has('sequence')) await askAfterBursts(recorder, account);
    }
    await this.show(pending.recoveryOf(account), pending);
    if (planned.has('promise') && share.later) await askEarlyPromises(recorder, account);
    if (planned.has('paths')) await askBothPaths(recorder, account);
    if (planned.has('promise')) {
      await askPromisesOfRefusals(recorder, account, this.tried);
      await askBrokenPromisesAgain(recorder, account);
    }
    if (planned.has('respelled') && account === this.respellerOf(shown)) {
      await askRespelled(recorder, account, planned);
      // Soon after accepted requests, fewer reads are needed.
      await this.seeWindows(account);
      // Budget may be short anyway.
      if (planned.has('other-answers') && spacing.firstRefused === null) await askUndecided(recorder, account, pending);
    }
  }

  /** Looks how long windows are, if nothing was refused so far that could be the reason for more refusals. */
  private async seeWindows(account: string, isOver?: () => boolean): Promise<void> {
    const { plan: planned, recorder, spacing } = this;
    if (spacing.firstRefused !== null || !planned.has('together')) return;
    if (recorder.target.rate.requests === 1) await readHardlyApart(recorder, [account], isOver);
    else if (isOver && recorder.pace.windowMs <= SHORT_WINDOW_MS) await readSteadily(recorder, account, isOver);
  }

  /** Returns the account that sends the other spellings: one whose password can be found in answers. */
  private respellerOf(accounts: readonly string[]): string | undefined {
    const keys = keysOf(this.recorder);
    return accounts.find((name) => formsOf('other-answers', keys, name).length > 0) ?? accounts[0];
  }
}

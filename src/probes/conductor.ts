/**
 * Sends what the selected clauses need, in the order that waits least: accounts side by side, requests without a
 * key while the budgets come back, and each request once.
 */

import { waitAskedSeconds } from '../evidence/clock';
import type { Exchange, HeaderLines } from '../evidence/exchange';
import { markerOf } from '../evidence/markers';
import { isAccepted, isRefused, isWhole, looksRefused, statusOf } from '../evidence/outcome';
import { MARGIN_MS } from '../recorder/pace';
import type { Probe, Recorder } from '../recorder/recorder';
import type { Connection } from '../recorder/wire/connection';
import { openEvents } from './events';
import { keyless, keylessProbes, madeUpLike } from './keyless';
import { LimiterProbes } from './limiter';
import { type Group, groupOf, withNeeds } from './plan';

/** A request that was refused though it kept its distance is sent again so many times. */
const MOST_RETRIES = 2;
/** Alterations after which a key may still be taken for its account's by whoever counts before looking closely. */
const ALTERED_LITTLE = ['case-swapped', 'last-character-changed'];
/** Requests without a key at one time. */
const KEYLESS_AT_ONCE = 8;

export class Conductor {
  private readonly planned: Set<Group>;
  private readonly limiter: LimiterProbes;
  /** Accounts whose key was accepted: only for these is the rest worth asking. */
  private open: string[] = [];
  /** What was asked without a valid key, and over which connection where it has to be the same again. */
  private keyless: Array<{ probe: Probe; via?: Connection }> = [];
  /** Of these, what was asked while every budget was whole, by name. */
  private readonly askedAgain = new Set<string>();
  /** An account that was refused though it kept its distance. */
  private refusedThoughSpaced: string | null = null;

  constructor(
    private readonly recorder: Recorder,
    groups: Iterable<Group>,
    private readonly riskyProbes: boolean,
    /** Told what the run is busy with, for people who wait. */
    private readonly progress: (what: string) => void = () => undefined,
  ) {
    this.planned = withNeeds(groups);
    this.limiter = new LimiterProbes(recorder);
  }

  /** Sends everything that is planned. Never throws for what a server does. */
  async conduct(): Promise<void> {
    const events = this.planned.has('events') ? await openEvents(this.recorder) : null;
    if (this.recorder.error) return;
    if (this.planned.has('read')) await this.readAll();
    try {
      // Notifications take nothing of anybody's budget: they are waited for beside everything else.
      await Promise.all([events?.conduct(), this.recorder.error ? null : this.afterReads()]);
    } finally {
      await events?.close();
    }
  }

  private async afterReads(): Promise<void> {
    this.progress('requests without a valid key');
    await this.sendKeyless();
    await this.askAgain();
    // Over a connection that has ended nothing can be asked again.
    for (const { via } of this.keyless) await via?.close();
    this.keyless = this.keyless.filter(({ via }) => via === undefined);
    if (this.open.length === 0) return;
    if (this.planned.has('together')) await this.together();
    await this.eachInItsLane();
    if (this.planned.has('together')) await this.againAfterKeyless();
    if (this.recorder.pace.shared && this.planned.has('sequence')) await this.neighbours();
    if (this.refusedThoughSpaced !== null) await this.apart(this.refusedThoughSpaced);
    // By now it is known how this server refuses.
    await this.askAgain();
  }

  /**
   * Where a request was refused though it kept its distance: two reads just so far apart, with nothing else going on.
   */
  private async apart(account: string): Promise<void> {
    const { pace } = this.recorder;
    pace.share();
    const refused = () =>
      this.recorder.exchanges.filter((one) => groupOf(one.probe) === 'apart' && this.isThrottled(one)).length;
    // A window twice as long as declared ends in between every other time.
    for (let look = 1; look <= 3 || (look <= 6 && refused() === 1); look += 1) {
      if (refused() > 1) return;
      await pace.turn(account, async () => {
        await pace.until(this.freeAtMs(account) + pace.windowMs);
        const first = await this.recorder.send(this.read(`apart/${account}/${look}`, account));
        if (!first || !isAccepted(first)) return;
        await this.recorder.send(this.read(`apart/${account}/${look}`, account), {
          atMs: first.receivedAtMs + pace.windowMs + MARGIN_MS,
        });
      });
    }
  }

  private get names(): string[] {
    return this.recorder.target.accounts.map((account) => account.name);
  }

  /** One account right after another, so that a cache that ignores the key shows. */
  private async readAll(): Promise<void> {
    const refused: string[] = [];
    for (const account of this.names) {
      this.progress(`reading the settings of ${account}`);
      const exchange = await this.readWithSession(account, (probe, via) => this.recorder.send(probe, via));
      if (this.recorder.error) return;
      if (exchange && isAccepted(exchange)) this.open.push(account);
      else if (exchange && isWhole(exchange)) refused.push(account);
    }
    // An earlier run may have used up what the first read found gone: that one refusal says nothing.
    if (refused.length > 1 && refused.length < this.names.length) this.recorder.pace.share();
    for (const account of refused) {
      const first = this.recorder.exchanges.findLast((one) => one.account === account);
      if (first) this.recorder.pace.hold(account, this.waitMs(first) ?? 0);
      const exchange = await this.readWithSession(account, (probe, via) => this.spaced(probe, 1, via));
      if (exchange && isAccepted(exchange)) this.open.push(account);
    }
    this.open.sort((a, b) => this.names.indexOf(a) - this.names.indexOf(b));
    for (const account of this.names.filter((name) => !this.open.includes(name))) {
      this.recorder.skip(
        `account/${account}`,
        `GET /webhooks with the key of ${account} was never accepted (auth.accepted)`,
      );
    }
  }

  /**
   * A read, and where it was accepted the same connection with the cookies that the server set, without the key
   * (API description, section 5).
   */
  private async readWithSession(
    account: string,
    send: (probe: Probe, options: { via: Connection }) => Promise<Exchange | null>,
  ): Promise<Exchange | null> {
    const via = this.recorder.connection();
    // A connection that cannot be opened shows as the fault of the exchange over it.
    await via.open();
    const exchange = await send(this.read(`read/${account}`, account), { via });
    if (!exchange || !isAccepted(exchange) || !this.planned.has('session')) {
      await via.close();
      return exchange;
    }
    const cookies = this.recorder.cookiesOf(exchange);
    const probe = keyless(`session/${account}`, cookies === null ? [] : [['Cookie', cookies]]);
    this.keyless.push({ probe, via });
    await this.recorder.send(probe, { via });
    return exchange;
  }

  private async sendKeyless(): Promise<void> {
    const probes = keylessProbes(this.recorder, this.planned, this.riskyProbes).map((probe) => ({ probe }));
    this.keyless.push(...probes);
    await this.sendAll(probes);
  }

  private async sendAll(probes: ReadonlyArray<{ probe: Probe; via?: Connection }>): Promise<void> {
    const waiting = [...probes];
    const lane = async (): Promise<void> => {
      for (let next = waiting.shift(); next; next = waiting.shift())
        await this.recorder.send(next.probe, next.via ? { via: next.via } : {});
    };
    await Promise.all(Array.from({ length: this.recorder.hasAnswered ? KEYLESS_AT_ONCE : 1 }, lane));
  }

  /**
   * Who takes a key that is none for an account's may refuse it because that account's budget is used up, which looks
   * like a rejection. So what may be a refusal is asked again while every budget is whole, as often as that lets
   * another one in: one that is let in uses up the budget of the rest.
   */
  private async askAgain(): Promise<void> {
    const { pace } = this.recorder;
    for (let waiting = this.doubtful(); waiting.length > 0 && !this.recorder.givenUp; waiting = this.doubtful()) {
      await pace.until(Math.max(0, ...this.open.map((account) => this.freeAtMs(account))));
      const sofar = this.recorder.exchanges.length;
      await this.sendAll(waiting);
      const letIn = this.recorder.exchanges.slice(sofar).some((one) => one.account === null && isAccepted(one));
      if (!letIn) for (const { probe } of waiting) this.askedAgain.add(probe.name);
    }
  }

  /** What was asked without a valid key, may have been refused, and whose clause is not broken already. */
  private doubtful(): Array<{ probe: Probe; via?: Connection }> {
    const exchanges = this.recorder.exchanges.filter((one) => one.account === null);
    const letIn = new Set(exchanges.filter(isAccepted).map((one) => groupOf(one.probe)));
    const usual = exchanges.filter((one) => groupOf(one.probe) === 'missing-key').map(statusOf);
    return this.keyless.filter(({ probe, via }) => {
      const last = exchanges.findLast((one) => one.probe === probe.name);
      if (!last || this.askedAgain.has(probe.name) || letIn.has(groupOf(probe.name))) return false;
      // With nothing in place of a key, an answer should be that to a missing one.
      const isOdd = via !== undefined && isWhole(last) && usual.length > 0 && !usual.includes(statusOf(last));
      return isOdd || looksRefused(last, this.recorder.evidence());
    });
  }

  /** As many keyless requests as would use up a budget, and at once a read of every account at one moment. */
  private async together(): Promise<void> {
    this.progress('all accounts at the same moment');
    const { pace } = this.recorder;
    await pace.until(Math.max(...this.open.map((account) => pace.freshAtMs(account))));
    await this.keylessBurst(1);
    const sent = this.open.map(async (account) => {
      const exchange = await this.recorder.send(this.read(`together/${account}/1`, account));
      if (exchange && this.isThrottled(exchange)) {
        this.sharedFrom(exchange);
        this.refusedThoughSpaced ??= account;
      }
    });
    await Promise.all(sent);
    for (const account of this.open) {
      if (this.isRefusedTogether(account, 1)) await this.spaced(this.read(`together/${account}/1`, account), 1);
    }
  }

  /** As many requests as would use up a budget: without a key, with made-up ones, and with each account's own altered. */
  private async keylessBurst(look: number): Promise<void> {
    const count = Math.min(100, this.recorder.target.rate.requests + 1);
    const name = `keyless/all/${look}`;
    const made = Array.from({ length: count }, (_, i): HeaderLines => {
      const key = madeUpLike(this.recorder.target.accounts[0]?.apiKey ?? '');
      return i % 2 === 0 ? [['apiKey', key]] : [];
    });
    // Where altered keys let in, they use up budgets as valid ones do: that is for auth.altered-key.
    const letIn = this.recorder.exchanges.some((one) => groupOf(one.probe) === 'altered-key' && isAccepted(one));
    const probes = keylessProbes(this.recorder, new Set(['altered-key']), false);
    const altered = (letIn ? [] : this.open).flatMap((account) => {
      const own = probes.filter((probe) => ALTERED_LITTLE.includes(probe.name.replace(`altered-key/${account}/`, '')));
      return Array.from({ length: own.length > 0 ? count : 0 }, (_, i) => own[i % own.length]?.headers ?? []);
    });
    await this.sendAll([...made, ...altered].map((headers) => ({ probe: keyless(name, headers) })));
  }

  /** Where a read right after keyless requests was refused: the same again, with nothing else going on. */
  private async againAfterKeyless(): Promise<void> {
    const { pace } = this.recorder;
    for (const account of this.open.filter((name) => this.isRefusedTogether(name, 1)).slice(0, 1)) {
      pace.share();
      for (let look = 2; look <= 3; look += 1) {
        await pace.turn(account, async () => {
          await pace.until(this.freeAtMs(account) + pace.windowMs);
          await this.keylessBurst(look);
          await this.recorder.send(this.read(`together/${account}/${look}`, account));
        });
      }
    }
  }

  private isRefusedTogether(account: string, look: number): boolean {
    const first = this.recorder.exchanges.find((one) => one.probe === `together/${account}/${look}`);
    return first !== undefined && isWhole(first) && !isAccepted(first);
  }

  /** What each account is asked alone; what any account can answer is dealt out among them. */
  private async eachInItsLane(): Promise<void> {
    const dealt = this.dealtOut();
    const limiterGroups: Group[] = ['sequence', 'concurrent', 'recovery', 'paths'];
    const judgesLimiter = limiterGroups.some((group) => this.planned.has(group));
    await Promise.all(this.open.map((account) => this.singles(account, dealt.get(account) ?? [])));
    if (!judgesLimiter) return;
    // Each account begins while the one before is certainly refused: that shows whether they share a budget.
    let before: Promise<void> = Promise.resolve();
    const lanes = this.open.map((account) => {
      const mine = before;
      let tell = (): void => undefined;
      before = new Promise((resolve) => {
        tell = resolve;
      });
      return this.limiterOf(account, mine, tell).finally(tell);
    });
    await Promise.all(lanes);
  }

  private dealtOut(): Map<string, Probe[]> {
    const dealt = new Map<string, Probe[]>();
    const items: Array<(account: string) => Probe> = [];
    if (this.planned.has('header-case')) {
      for (const name of ['APIKEY', 'apikey', 'ApiKey']) {
        items.push((account) => ({
          name: `header-case/${account}/${name}`,
          account,
          path: '/webhooks',
          headers: [[name, markerOf('apiKey', account)]],
        }));
      }
    }
    if (this.planned.has('version')) {
      for (const [name, url] of otherVersions(this.recorder.target.baseURL)) {
        items.push((account) => ({ ...this.read(`version/${account}/${name}`, account), path: url }));
      }
    }
    for (const [i, item] of items.entries()) {
      const account = this.open[i % this.open.length] ?? '';
      dealt.set(account, [...(dealt.get(account) ?? []), item(account)]);
    }
    return dealt;
  }

  private async singles(account: string, dealt: Probe[]): Promise<void> {
    for (const probe of dealt) {
      this.progress(probe.name);
      await this.spaced(probe, 0);
    }
    if (this.planned.has('base-accepted')) {
      await this.spaced({ ...this.read(`base-accepted/${account}`, account), path: '/' }, 0);
    }
  }

  private async limiterOf(account: string, turn: Promise<void>, onUsedUp: () => void): Promise<void> {
    const has = (group: Group) => this.planned.has(group);
    this.progress(`the rate limit of ${account}`);
    if (has('sequence')) {
      // In shared turns the one before has to finish first.
      if (!this.recorder.pace.shared) await turn;
      await this.limiter.sequence(account, onUsedUp);
    }
    if (has('concurrent')) await this.limiter.concurrent(account, has('recovery'), has('paths'));
    if (has('paths')) await this.limiter.paths(account);
  }

  /**
   * Where budgets seem shared: one account is used up, and another asked, with nothing else going on; first the one that
   * was refused beside others.
   */
  private async neighbours(): Promise<void> {
    const asked = this.open.find((account) => this.isRefusedTogether(account, 1)) ?? this.open[1];
    if (asked === undefined) return;
    for (const other of this.open.filter((account) => account !== asked)) {
      for (let look = 1; look <= 2; look += 1) {
        if (!(await this.isRefusedBeside(asked, other, look))) break;
        if (look === 2) return;
      }
    }
  }

  private async isRefusedBeside(asked: string, other: string, look: number): Promise<boolean> {
    const { pace } = this.recorder;
    return pace.turn(asked, async () => {
      await pace.until(Math.max(this.freeAtMs(asked), this.freeAtMs(other)));
      for (let i = 0; i <= this.recorder.target.rate.requests; i += 1) {
        await this.recorder.send(this.read(`neighbour/${other}/${look}`, other));
      }
      const exchange = await this.recorder.send(this.read(`neighbour/${asked}/${look}`, asked));
      return exchange !== null && this.isThrottled(exchange);
    });
  }

  /** When an account's budget is whole again, and any wait over that its last refusal asked for. */
  private freeAtMs(account: string): number {
    const { exchanges, pace } = this.recorder;
    const last = exchanges.findLast((one) => one.account === account);
    const asked = last && isRefused(last, this.recorder.evidence()) ? this.waitMs(last) : null;
    const mostMs = 2 * pace.windowMs + 5000;
    return Math.max(pace.freshAtMs(account), (last?.receivedAtMs ?? 0) + Math.min(asked ?? 0, mostMs) + MARGIN_MS);
  }

  /** How long a refusal asks to wait at most, in milliseconds; `null` where it does not say so. */
  private waitMs(refusal: Exchange): number | null {
    const wait = waitAskedSeconds(refusal, this.recorder.evidence());
    return wait && wait.most * 1000;
  }

  /** Sends a request that keeps its distance; where it is refused all the same, again after a longer wait. */
  private async spaced(probe: Probe, retried: number, via: { via?: Connection } = {}): Promise<Exchange | null> {
    const account = probe.account ?? '';
    const { pace } = this.recorder;
    const exchange = await pace.turn(account, () =>
      this.recorder.send(probe, { atMs: pace.spacedAtMs(account), ...via }),
    );
    if (!exchange || isAccepted(exchange) || !isWhole(exchange)) return exchange;
    const throttled = this.isThrottled(exchange);
    if (throttled) this.sharedFrom(exchange);
    if (throttled) this.refusedThoughSpaced ??= account;
    // What fails may have been refused with a status that nothing has shown yet to be a refusal's.
    const mayBe =
      throttled ||
      (probe.path === '/webhooks' && statusOf(exchange) < 500) ||
      (probe.path === '/' && statusOf(exchange) === 403);
    if (!mayBe || retried >= MOST_RETRIES) return exchange;
    pace.refusedThoughSpaced(account, this.waitMs(exchange));
    return this.spaced(probe, retried + 1, via);
  }

  private isThrottled(exchange: Exchange): boolean {
    return isWhole(exchange) && isRefused(exchange, this.recorder.evidence());
  }

  /** From now on accounts take turns, if another one was used shortly before this refusal. */
  private sharedFrom(refused: Exchange): void {
    const { pace } = this.recorder;
    const others = this.recorder.exchanges.some(
      (one) =>
        one.index < refused.index &&
        one.account !== null &&
        one.account !== refused.account &&
        one.receivedAtMs > refused.sentAtMs - pace.windowMs,
    );
    if (others) pace.share();
  }

  private read(name: string, account: string): Probe {
    return { name, account, path: '/webhooks', headers: [['apiKey', markerOf('apiKey', account)]] };
  }
}

/** The read of the settings below other versions than v2 (API description, section 9), as absolute URLs. */
function otherVersions(baseURL: string): Array<[string, string]> {
  if (!/\/v2$/.test(baseURL)) return [];
  const without = baseURL.replace(/\/v2$/, '');
  return [
    ['v0', `${without}/v0/webhooks`],
    ['v999', `${without}/v999/webhooks`],
    ['unversioned', `${without}/webhooks`],
  ];
}

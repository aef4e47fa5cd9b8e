/**
 * Whole runs without a network and without waiting: the suite's own probes and judges, over a simulated network and a
 * simulated clock, against a simulated limiter. What is sent, and when, is decided by the code that does so in earnest.
 */

import type { Evidence, Exchange, HeaderLines, NotSent, Rate } from '../../src/evidence/exchange';
import type { Need } from '../../src/evidence/probe';
import { waitAskedMs } from '../../src/evidence/turns';
import { Conductor } from '../../src/probes/conductor';
import { Pace } from '../../src/recorder/pace';
import type { ProbeRequest, Recorder } from '../../src/recorder/recorder';
import { settingsDocument } from '../../src/reference/account';
import { embeddedAccounts } from '../../src/reference/embedded-accounts';
import type { Limiter, Ruling } from '../../src/reference/limiter';
import { factsOf, type Target } from '../../src/target/target';

/** A server in all that the API description leaves open. */
export interface SimulatedServer {
  limiter: Limiter;
  /** How far its clock is ahead of ours. */
  clockAheadMs: number;
  /** When within each second `Date` is made anew; `null`: there is no `Date`. */
  dateMadeAtMs: number | null;
  reset: 'floor' | 'ceil' | 'round';
  retryAfter: 'seconds' | 'date rounded up' | 'date cut';
  carriage: 'all' | 'accepted' | 'refused';
  refusalStatus: number;
}

/** Nothing is answered before it was asked. */
const SHORTEST_MS = 0.05;

/** How long a request and its answer are under way, at most; each takes a random share of it. */
export interface SimulatedNetwork {
  upMs: number;
  downMs: number;
  seed: number;
}

export interface Simulation {
  rate: Rate;
  server: SimulatedServer;
  network: SimulatedNetwork;
  accounts: number;
  startedAtEpochMs: number;
}

/** Sends what the groups need, and gives what came of it. */
export async function simulated(simulation: Simulation, groups: Iterable<Need>): Promise<Evidence> {
  const time = new VirtualTime();
  const recorder = new SimulatedRecorder(simulation, time);
  await time.run(new Conductor(recorder as unknown as Recorder, groups, false).conduct());
  return recorder.evidence();
}

/** Time that stands still while anything is computed, and then leaps to what is due next. */
class VirtualTime {
  nowMs = 0;
  private readonly due: Array<{ atMs: number; happen: () => void }> = [];

  until(atMs: number): Promise<void> {
    return new Promise((happen) => {
      const before = this.due.findLastIndex((one) => one.atMs <= atMs);
      this.due.splice(before + 1, 0, { atMs, happen });
    });
  }

  async run(work: Promise<void>): Promise<void> {
    let isDone = false;
    const done = work.finally(() => {
      isDone = true;
    });
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve));
      if (isDone) return done;
      const next = this.due.shift();
      if (!next) throw new Error('The simulated run waits for something that never happens.');
      this.nowMs = Math.max(this.nowMs, next.atMs);
      next.happen();
    }
  }
}

class SimulatedPace extends Pace {
  constructor(
    rate: Rate,
    private readonly time: VirtualTime,
  ) {
    super(rate, () => time.nowMs);
  }

  override until(atMs: number): Promise<void> {
    return this.time.until(atMs);
  }
}

const ACCOUNTS = embeddedAccounts();
const DOCUMENTS = new Map(ACCOUNTS.map((account) => [account.name, JSON.stringify(settingsDocument(account))]));

/** What the probes use of a recorder. */
class SimulatedRecorder implements Pick<Recorder, 'exchanges' | 'notSent' | 'error' | 'givenUp' | 'pace' | 'target'> {
  readonly exchanges: Exchange[] = [];
  readonly notSent: NotSent[] = [];
  readonly error = null;
  readonly givenUp = false;
  readonly pace: Pace;
  readonly target: Target;
  private readonly facts: Evidence['target'];
  private readonly random: () => number;

  constructor(
    private readonly simulation: Simulation,
    private readonly time: VirtualTime,
  ) {
    this.pace = new SimulatedPace(simulation.rate, time);
    this.random = randomFrom(simulation.network.seed);
    this.target = {
      name: 'simulated',
      baseURL: 'https://simulated.example/api/v2',
      embedded: false,
      accounts: ACCOUNTS.slice(0, simulation.accounts).map(({ name, apiKey }) => ({ name, apiKey })),
      rate: simulation.rate,
      headers: [],
      limits: { timeoutSeconds: 3600, bodyBytes: 10_000, burst: null },
      notifications: null,
      waivers: [],
    };
    this.facts = factsOf(this.target, false, (text) => text);
  }

  now(): number {
    return this.time.nowMs;
  }

  evidence(): Evidence {
    return {
      target: this.facts,
      startedAtEpochMs: this.simulation.startedAtEpochMs,
      exchanges: this.exchanges,
      notSent: this.notSent,
      deliveries: [],
      triggers: [],
    };
  }

  keep(marker: string): string {
    return marker;
  }

  connection() {
    return { open: async () => undefined, close: async () => undefined };
  }

  skip(probe: NotSent['probe'], reason: string): null {
    this.notSent.push({ probe, reason });
    return null;
  }

  async send(probe: ProbeRequest, { atMs = 0 }: { atMs?: number } = {}): Promise<Exchange> {
    const { network, server } = this.simulation;
    if (atMs > this.now()) await this.time.until(atMs);
    const sentAtMs = this.now();
    await this.time.until(sentAtMs + SHORTEST_MS + this.random() * network.upMs);
    const ruling = probe.account === null ? null : await server.limiter.take(probe.account, this.serverNow());
    if (ruling?.holdMs) await this.time.until(this.now() + ruling.holdMs);
    const answer = this.answerTo(probe, ruling);
    await this.time.until(this.now() + SHORTEST_MS + this.random() * network.downMs);
    const exchange: Exchange = {
      index: this.exchanges.length,
      probe: probe.probe,
      account: probe.account,
      request: {
        method: probe.method ?? 'GET',
        url: probe.path.startsWith('https:') ? probe.path : this.target.baseURL + probe.path,
        headers: probe.headers ?? [],
      },
      response: { statusText: '', bodyEncoding: 'utf8', ...answer },
      fault: null,
      sentAtMs,
      receivedAtMs: this.now(),
      connection: this.exchanges.length,
    };
    this.exchanges.push(exchange);
    if (probe.account !== null)
      this.pace.used(probe.account, exchange.receivedAtMs, waitAskedMs(exchange, this.evidence()));
    return exchange;
  }

  private serverNow(): number {
    return this.simulation.startedAtEpochMs + this.now() + this.simulation.server.clockAheadMs;
  }

  private answerTo(probe: ProbeRequest, ruling: Ruling | null): { status: number; headers: HeaderLines; body: string } {
    if (!ruling) return { status: 401, headers: this.dateLines(), body: '' };
    const headers = [...this.dateLines(), ...this.rateLines(ruling)];
    if (!ruling.accepted) return { status: this.simulation.server.refusalStatus, headers, body: '' };
    const isBase = probe.path === '/';
    return { status: 200, headers, body: isBase ? '{}' : (DOCUMENTS.get(probe.account ?? '') ?? '') };
  }

  private dateLines(): HeaderLines {
    const madeAtMs = this.simulation.server.dateMadeAtMs;
    if (madeAtMs === null) return [];
    const made = Math.floor((this.serverNow() - madeAtMs) / 1000) * 1000 + madeAtMs;
    return [['Date', new Date(made).toUTCString()]];
  }

  private rateLines(ruling: Ruling): HeaderLines {
    const { carriage, reset, retryAfter } = this.simulation.server;
    const lines: Array<[string, string]> = [];
    if (carriage === 'all' || (carriage === 'accepted') === ruling.accepted) {
      lines.push(['X-RateLimit-Limit', String(ruling.limit)]);
      lines.push(['X-RateLimit-Remaining', String(ruling.remaining)]);
      lines.push(['X-RateLimit-Reset', String(Math[reset](ruling.resetAtMs / 1000))]);
    }
    if (!ruling.accepted) {
      const retrySeconds = ruling.retryAtMs / 1000;
      const forms = {
        seconds: () => String(Math.ceil(retrySeconds - this.serverNow() / 1000)),
        'date rounded up': () => new Date(Math.ceil(retrySeconds) * 1000).toUTCString(),
        'date cut': () => new Date(ruling.retryAtMs).toUTCString(),
      };
      lines.push(['Retry-After', forms[retryAfter]()]);
    }
    return lines;
  }
}

/** Numbers from 0 to 1, the same ones for the same seed (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/**
 * Whole runs without a network and without waiting: the suite's own probes, recorder and pace, over a simulated
 * network and clock, against a simulated limiter.
 */

import { randomFrom } from '../../../fixtures/random';
import type { SimulatedNetwork } from '../../../scripts/matrix/in-memory';
import { VirtualTime } from '../../../scripts/matrix/virtual-time';
import type { Need } from '../../../src/catalogue/catalogue';
import type { Target } from '../../../src/config/target';
import { linesOf } from '../../../src/evidence/http/headers';
import type { Evidence, HeaderLines, Rate } from '../../../src/evidence/model';
import { Schedule } from '../../../src/probes/schedule';
import { Recorder } from '../../../src/recorder/recorder';
import type { Connection, Wire, WireOutcome, WireRequest } from '../../../src/recorder/transport/wire';
import { settingsDocument } from '../../../src/reference/account';
import { embeddedAccounts } from '../../../src/reference/embedded-accounts';
import type { Limiter, Ruling } from '../../../src/reference/limiter';

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

export interface Simulation {
  rate: Rate;
  server: SimulatedServer;
  network: SimulatedNetwork;
  accounts: number;
  startedAtEpochMs: number;
}

/** Sends what the groups need, and gives what came of it. */
export async function simulated(simulation: Simulation, groups: Iterable<Need>): Promise<Evidence> {
  const accounts = ACCOUNTS.slice(0, simulation.accounts);
  const target: Target = {
    name: 'simulated',
    baseURL: 'https://simulated.example/api/v2',
    embedded: false,
    accounts: accounts.map(({ name, apiKey }) => ({ name, apiKey })),
    rate: simulation.rate,
    headers: [],
    limits: { timeoutSeconds: 3600, bodyBytes: 10_000, burst: null },
    notifications: null,
    waivers: [],
  };
  const wire = new SimulatedWire(simulation, new Map(accounts.map(({ name, apiKey }) => [apiKey, name])));
  const recorder = new Recorder(target, { insecureTls: false, riskyProbes: false, environment: {} }, wire);
  await wire.run(new Schedule(recorder, groups, false).conduct());
  return recorder.evidence();
}

const ACCOUNTS = embeddedAccounts();
const DOCUMENTS = new Map(ACCOUNTS.map((account) => [account.name, JSON.stringify(settingsDocument(account))]));

/** A network with nothing at its other end but the simulated server. */
class SimulatedWire extends VirtualTime implements Wire {
  readonly startedAtEpochMs: number;
  private readonly random: () => number;

  /** @param owners the names of accounts by their keys */
  constructor(
    private readonly simulation: Simulation,
    private readonly owners: ReadonlyMap<string, string>,
  ) {
    super();
    this.startedAtEpochMs = simulation.startedAtEpochMs;
    this.random = randomFrom(simulation.network.seed);
  }

  connection(number: number): Connection {
    return {
      number,
      open: async () => undefined,
      exchange: (request) => this.exchange(request),
      close: async () => undefined,
    };
  }

  private async exchange({ url, headers }: WireRequest): Promise<WireOutcome> {
    const { network, server } = this.simulation;
    const sentAtMs = this.now();
    await this.pause(SHORTEST_MS + this.random() * network.upMs);
    const keys = linesOf(headers, 'apiKey').map((key) => this.owners.get(key));
    const account = keys.length === 1 ? (keys[0] ?? null) : null;
    const ruling = account === null ? null : await server.limiter.take(account, this.serverNow());
    if (ruling?.holdMs) await this.pause(ruling.holdMs);
    const { body, ...head } = this.answerTo(account, url, ruling);
    await this.pause(SHORTEST_MS + this.random() * network.downMs);
    return {
      sentAtMs,
      receivedAtMs: this.now(),
      head: { ...head, statusText: '' },
      aside: [],
      interim: 0,
      body: Buffer.from(body),
      fault: null,
      resent: false,
    };
  }

  private serverNow(): number {
    return this.simulation.startedAtEpochMs + this.now() + this.simulation.server.clockAheadMs;
  }

  private answerTo(
    account: string | null,
    { pathname }: URL,
    ruling: Ruling | null,
  ): { status: number; headers: HeaderLines; body: string } {
    if (account === null || !ruling) return { status: 401, headers: this.dateLines(), body: '' };
    const headers = [...this.dateLines(), ...this.rateLines(ruling)];
    if (!ruling.accepted) return { status: this.simulation.server.refusalStatus, headers, body: '' };
    const isBase = pathname.endsWith('/v2/');
    return { status: 200, headers, body: isBase ? '{}' : (DOCUMENTS.get(account) ?? '') };
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

/** A run that sends nothing. It judges what was recorded before, or reports why nothing was recorded. */

import { hasRole, slugOf } from '../catalogue/probe';
import { targetOf } from '../config/declaration';
import { factsOf } from '../config/target';
import type { Exchange } from '../evidence/model';
import type { Recorded } from '../report/model';
import { type OwnRequest, Run } from './run';

export class Finished extends Run {
  /** Exchanges of own tests that are still to be handed out. Each answers one request, in their order. */
  private readonly left: Exchange[];

  constructor(
    ids: Iterable<string>,
    private readonly all: Recorded,
  ) {
    super(ids);
    this.left = all.evidence.exchanges.filter((exchange) => hasRole(exchange.probe, 'own-test'));
  }

  sofar(): Recorded {
    return this.all;
  }

  protected get isRecorded(): boolean {
    return this.all.error === null;
  }

  doing(): string {
    return 'judging what was recorded';
  }

  stop(): void {}

  isMissing(title: string): boolean {
    return !this.left.some((exchange) => exchange.probe.form === slugOf(title));
  }

  async send({ title, account, method, url }: OwnRequest): Promise<Exchange | null> {
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

/** Returns what can be reported of a target if only its name is known. */
export function nothingRecorded(name: string, error: string | null = null): Recorded {
  const target = factsOf(
    targetOf({ baseURL: '', accounts: [] }, name),
    { riskyProbes: false, insecureTls: false },
    (text) => text,
  );
  const startedAtEpochMs = Date.now();
  const evidence = { target, startedAtEpochMs, exchanges: [], notSent: [], deliveries: [], triggers: [] };
  return { evidence, error, waitedMs: 0, durationMs: 0, startedAtEpochMs, notes: [] };
}

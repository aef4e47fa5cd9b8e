/** Evidence made by hand, as far as a test needs it. */
import type { Evidence, Exchange, HeaderLines, TargetFacts } from '../../src/evidence/exchange';
import { probe } from '../../src/evidence/probe';

export const BASE = 'https://api.example/v2';

type Sketch = Partial<Omit<Exchange, 'response'>> & { status?: number; headers?: HeaderLines; body?: string };

/** An accepted read of alice's, in all that the sketch does not say. */
export function exchangeOf({ status = 200, headers = [], body = '{}', ...sketch }: Sketch = {}): Exchange {
  return {
    index: 0,
    probe: probe('read', { account: 'alice' }),
    account: 'alice',
    request: { method: 'GET', url: `${BASE}/webhooks`, headers: [] },
    response: { status, statusText: '', headers, body, bodyEncoding: 'utf8' },
    fault: null,
    sentAtMs: 0,
    receivedAtMs: 1,
    connection: 1,
    ...sketch,
  };
}

/** Exchanges in order, each a second after the one before unless it says otherwise. */
export function evidenceOf(sketches: readonly Sketch[], target: Partial<TargetFacts> = {}): Evidence {
  return {
    target: {
      name: 'by hand',
      baseURL: BASE,
      embedded: false,
      accounts: [{ name: 'alice', passwordDeclared: false }],
      rate: { requests: 1, seconds: 1 },
      riskyProbes: false,
      limits: { timeoutSeconds: 10, bodyBytes: 1_048_576, burst: 10 },
      waivers: [],
      notifications: null,
      ...target,
    },
    startedAtEpochMs: Date.UTC(2026, 5, 15),
    exchanges: sketches.map((sketch, index) =>
      exchangeOf({ index, sentAtMs: 1000 * index, receivedAtMs: 1000 * index + 1, connection: index, ...sketch }),
    ),
    notSent: [],
    deliveries: [],
    triggers: [],
  };
}

/** Evidence made by hand, as far as a test needs it. */
import { type Group, probe } from '../../../src/catalogue/catalogue';
import type { RawDelivery } from '../../../src/config/target';
import type { Subject } from '../../../src/contract/result';
import { fromHar, type Har, harOf, type RunFigures } from '../../../src/evidence/har';
import type { Evidence, Exchange, RecordedResponse, TargetFacts } from '../../../src/evidence/model';
import type { Breach } from '../../../src/judge/finding';
import { type Judgement, judgementOf } from '../../../src/judge/verdict';
import { judgementsOf, ruleOf } from '../../../src/profiles/rules';
import type { WireOutcome } from '../../../src/recorder/transport/wire';

export const BASE = 'https://api.example/v2';

export type Sketch = Partial<Omit<Exchange, 'response'>> & Partial<RecordedResponse>;

/** An accepted read of alice's, in all that the sketch does not say. */
export function exchangeOf({
  status = 200,
  statusText = '',
  headers = [],
  aside,
  body = '{}',
  bodyEncoding = 'utf8',
  ...sketch
}: Sketch = {}): Exchange {
  return {
    index: 0,
    probe: probe('read', { account: 'alice' }),
    account: 'alice',
    request: { method: 'GET', url: `${BASE}/webhooks`, headers: [] },
    response: { status, statusText, headers, ...(aside && { aside }), body, bodyEncoding },
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

/** A read of an account at a moment. Any part of it may be told otherwise, its group of probes by its name alone. */
export function at(
  sentAtMs: number,
  account: string,
  { group = 'read', ...more }: Sketch & { group?: Group } = {},
): Sketch {
  return { sentAtMs, receivedAtMs: sentAtMs + 1, account, probe: probe(group, { account }), ...more };
}

/** A request without a valid key. */
export function keyless(group: Group, status: number, more: Sketch & { form?: string } = {}): Sketch {
  const { form = '', ...rest } = more;
  return { account: null, probe: probe(group, { form }), status, ...rest };
}

/** An accepted answer whose body is a document with these settings. */
export function serving(webhook: unknown, more: Sketch = {}): Sketch {
  return { body: JSON.stringify({ webhook }), ...more };
}

/** Accounts of which nothing is declared. */
export const accountsNamed = (...names: string[]) => names.map((name) => ({ name, passwordDeclared: false }));

/** A breach of which only its subject and what came matter. */
export function breach(kind: Subject['kind'], name: string, got: string, ...exchanges: Exchange[]): Breach {
  return { subject: { kind, name }, expected: 'something else', got, exchanges };
}

/** The judgement of a clause with these breaches. @param entries what its finding was judged by */
export function judgedWith(
  id: string,
  breaches: Breach[],
  evidence: Evidence = evidenceOf([]),
  entries: number[] = [],
): Judgement {
  return judgementOf(id, { breaches, evidence: entries, notTested: null }, evidence, '2026-01-01');
}

/** The members of a breach that say what came: the name of its subject, and what it got. */
function cameIn({ subject: { name }, got }: Breach): string {
  return `${name}: ${got}`;
}

/** What the rule of a clause found: what broke it, breach by breach, or else in one sentence why it was not judged. */
export function found(clause: string, evidence: Evidence): string[] | string {
  const { breaches, warnings = [], notTested, inapplicable } = ruleOf(clause).judge(evidence);
  const came = [...breaches.map(cameIn), ...warnings.map((warning) => `warning: ${cameIn(warning)}`)];
  return came.length > 0 ? came : (notTested ?? inapplicable ?? []);
}

/** @param response what came; its status is 200 with a valid key and 401 without */
export function twoAnswers(response: Omit<RecordedResponse, 'status'>): Evidence {
  return evidenceOf([response, keyless('missing-key', 401, response)], {
    accounts: [{ name: 'alice', passwordDeclared: true, settings: { start: { status: true } } }],
    limits: { timeoutSeconds: 10, bodyBytes: 2_000_000, burst: 10 },
  });
}

export function harTextOf(evidence: Evidence, figures: RunFigures): string {
  return Buffer.concat(harOf(evidence, figures).parts).toString();
}

/** The judgements of evidence that was written and read again. */
export function judgedAgain(evidence: Evidence, ids: readonly string[]): Judgement[] {
  const text = harTextOf(evidence, { durationMs: 1, waitedMs: 0, error: null });
  return [...judgementsOf(ids, fromHar(text, 'evidence.har').evidence, '2026-01-01').values()];
}

export function toHar(evidence: Evidence, figures: RunFigures): Har {
  return JSON.parse(harTextOf(evidence, figures));
}

/** A whole answer, in all that is not said otherwise. */
export function outcomeOf(body: string | Buffer, more: Partial<WireOutcome> = {}): WireOutcome {
  const head = { status: 200, statusText: 'OK', headers: [] };
  const times = { sentAtMs: 0, receivedAtMs: 1 };
  return { ...times, head, aside: [], body: Buffer.from(body), fault: null, resent: false, ...more };
}

/** An empty delivery, in all that is not said otherwise. */
export function deliveryOf(more: Partial<RawDelivery>): RawDelivery {
  return { method: 'POST', path: '/hook', headers: [], body: Buffer.from(''), truncated: false, ...more };
}

/** The suite without Playwright: the same probes and judges, many runs side by side in one process. */
import { inMemory, type SimulatedNetwork } from '../../fixtures/in-memory';
import type { Target } from '../../src/config/target';
import { startReceiver } from '../../src/events/receiver';
import type { Judgement } from '../../src/judge/verdict';
import { Schedule } from '../../src/probes/schedule';
import { asides, judgementsOf, needsOf, rules } from '../../src/profiles/rules';
import { Recorder } from '../../src/recorder/recorder';
import type { Bend } from '../../src/reference/behaviour';
import { type ReferenceOptions, startReference } from '../../src/reference/server';
import { targetOfReference } from '../../src/run/recording';
import { startForwardProxy } from './forward-proxy';

/** Those of a target file that declares none. */
const LIMITS: Target['limits'] = { timeoutSeconds: 10, bodyBytes: 1_048_576, runSeconds: 600 };

/** All rules of the contract, each with the id of its clause. */
export const allRules = Object.entries(rules).map(([id, rule]) => ({ id, ...rule }));

export interface InProcessRun {
  judgements: Judgement[];
  recorder: Recorder;
  durationMs: number;
}

/**
 * Runs every clause, or those whose id `only` accepts, against a target.
 * @param environment variables that say how to reach the server, such as HTTP_PROXY
 */
export async function runOn(
  target: Target,
  only: (id: string) => boolean = () => true,
  riskyProbes = true,
  environment: Record<string, string> = {},
): Promise<InProcessRun> {
  const ids = Object.keys(rules).filter(only);
  const recorder = new Recorder(target, { insecureTls: false, riskyProbes, environment });
  await new Schedule(recorder, needsOf(ids), asides).conduct();
  return ended(recorder, ids);
}

function ended(recorder: Recorder, ids: readonly string[]): InProcessRun {
  const durationMs = recorder.now();
  const judgements = judgementsOf(ids, recorder.evidence(), '2026-01-01');
  return { judgements: [...judgements.values()], recorder, durationMs };
}

/**
 * Runs the suite against a bent reference server without sockets and without waiting.
 * @param ids the clauses that are asked for; by default every one
 */
export async function runInMemory(
  bends: readonly Bend[],
  options: Omit<ReferenceOptions, 'bends'> & { target?: Partial<Target> } = {},
  network?: SimulatedNetwork,
  ids: readonly string[] = Object.keys(rules),
): Promise<InProcessRun> {
  const { target: declared, ...server } = options;
  const reference = inMemory({ ...server, bends }, declared?.limits ?? LIMITS, network);
  const target = { ...targetOfReference(reference, reference.receiver), ...declared };
  const surroundings = { insecureTls: false, riskyProbes: true, environment: {} };
  const recorder = new Recorder(target, surroundings, reference.wire);
  await reference.wire.run(new Schedule(recorder, needsOf(ids), asides).conduct());
  return ended(recorder, ids);
}

/**
 * Starts a bent reference server, runs the suite against it, and stops it.
 * @param options.address a base URL to declare instead of the server's own, reached through a forward proxy
 */
export async function runOnBent(
  bends: readonly Bend[],
  options: Omit<ReferenceOptions, 'bends'> & { target?: Partial<Target>; address?: string | undefined } = {},
  only: (id: string) => boolean = () => true,
): Promise<InProcessRun> {
  const { target, address, ...server } = options;
  // The urls of accounts that a test brings need not lead to a receiver.
  const receiver = server.accounts ? null : await startReceiver('127.0.0.1:0');
  const reference = await startReference({ ...(receiver && { receiverBase: receiver.origin }), ...server, bends });
  const proxy = address === undefined ? null : await startForwardProxy(reference.origin);
  const environment: Record<string, string> = proxy ? { HTTP_PROXY: proxy.url } : {};
  const reached = address === undefined ? {} : { baseURL: address, embedded: false };
  try {
    return await runOn({ ...targetOfReference(reference, receiver), ...target, ...reached }, only, true, environment);
  } finally {
    await proxy?.close();
    await reference.close();
    await receiver?.close();
  }
}

/** Ids of the clauses with one of some verdicts. */
export function idsOf({ judgements }: Pick<InProcessRun, 'judgements'>, ...verdicts: string[]): string[] {
  return judgements.filter(({ verdict }) => verdicts.includes(verdict)).map(({ id }) => id);
}

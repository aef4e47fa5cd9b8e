import type { Recorded } from '../report/model';
import { targetOf } from '../target/declaration';
import { factsOf } from '../target/target';

/** What there is to report of a target of which only the name is known. */
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

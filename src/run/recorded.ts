import type { Evidence } from '../evidence/exchange';
import { targetOf } from '../target/declaration';
import { factsOf } from '../target/target';

/** What was recorded of a run, and what is to be said of it as a whole. Holds no secrets. */
export interface Recorded {
  evidence: Evidence;
  /** Why nothing could be judged. */
  error: string | null;
  waitedMs: number;
  /** `null` where the whole of the process is the run. */
  durationMs: number | null;
  startedAtEpochMs: number | null;
  /** Remarks on the run as a whole. */
  notes: string[];
}

/** What there is of a target of which nothing but its name is known. */
export function nothingRecorded(name: string, error: string | null = null): Recorded {
  const target = factsOf(targetOf({ baseURL: '', accounts: [] }, name), false, (text) => text);
  const startedAtEpochMs = Date.now();
  const evidence = { target, startedAtEpochMs, exchanges: [], notSent: [], deliveries: [], triggers: [] };
  return { evidence, error, waitedMs: 0, durationMs: 0, startedAtEpochMs, notes: [] };
}

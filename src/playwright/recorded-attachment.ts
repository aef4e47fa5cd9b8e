/** What was recorded of a run, on its way to where the blob reports of many machines are merged. */

import { fromHar } from '../evidence/har/read';
import { toHar } from '../evidence/har/write';
import { isObject } from '../evidence/json';
import type { Recorded } from '../report/model';
import { nothingRecorded } from '../run/finished';

/** As many characters of a stranger's file are told. */
const LONGEST_TOLD = 4_000;

/** The attachment's text. */
export function packed({ evidence, error, waitedMs, durationMs, notes }: Recorded): string {
  const { name, accounts } = evidence.target;
  // Of a target that could not be used, there is no evidence.
  if (accounts.length === 0) return JSON.stringify({ notes, unused: { name, error } });
  return JSON.stringify({ notes, har: toHar(evidence, { error, waitedMs, durationMs: durationMs ?? 0 }) });
}

/**
 * What such a text holds. It comes out of a file, so it is held against the schema of evidence.
 * @throws UsageError, or SyntaxError, where it is no such text
 */
export function unpacked(text: string): Recorded {
  const { notes, har, unused } = JSON.parse(text) as Record<string, unknown>;
  if (har === undefined && isObject(unused)) {
    const [name = '', error] = [unused.name, unused.error].map((told) => String(told).slice(0, LONGEST_TOLD));
    return nothingRecorded(name, error);
  }
  const recorded = fromHar(JSON.stringify(har ?? null), 'a merged report');
  return {
    ...recorded,
    startedAtEpochMs: recorded.evidence.startedAtEpochMs,
    notes: [notes].flat().filter((note) => typeof note === 'string'),
  };
}

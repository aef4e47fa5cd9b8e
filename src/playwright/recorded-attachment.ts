/** Carries what was recorded of a run to where the blob reports of many machines are merged. */
import { wholeJsonIn } from '../common/json-text';
import { fromHar } from '../evidence/har/read';
import { toHar } from '../evidence/har/write';
import { isObject } from '../evidence/http/json';
import type { Recorded } from '../report/model';
import { nothingRecorded } from '../run/finished';

const LONGEST_TEXT = 4_000;
/** What a message calls such a text. */
const MERGED = 'a merged report';

export function packed({ evidence, notes, ...figures }: Recorded): string {
  const { name, accounts } = evidence.target;
  // A target that could not be used has no evidence.
  if (accounts.length === 0) return JSON.stringify({ notes, unused: { name, error: figures.error } });
  return JSON.stringify({ notes, har: toHar(evidence, figures) });
}

/** Returns what such a text, which comes from a file, holds. @throws UsageError if it is none */
export function unpacked(text: string): Recorded {
  const { notes, har, unused } = Object(wholeJsonIn(text, MERGED)) as Record<string, unknown>;
  if (har === undefined && isObject(unused)) {
    const [name = '', error] = [unused.name, unused.error].map((text) => String(text).slice(0, LONGEST_TEXT));
    return nothingRecorded(name, error);
  }
  const recorded = fromHar(Buffer.from(JSON.stringify(har ?? null)), MERGED);
  const texts = [notes].flat().filter((note) => typeof note === 'string');
  return { ...recorded, notes: texts };
}

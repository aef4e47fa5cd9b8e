import { check } from '../certificate/check';
import { wholenessOf } from '../certificate/whole-evidence';
import { MOST_BYTES, textIn } from '../common/plain-file';
import { suite } from '../common/suite';
import { fromHar } from '../evidence/har/read';
import type { Waiver } from '../evidence/model';
import type { Recorded } from '../report/model';

/** Reads `evidence.har`. @param declared waivers; `null` keeps those in it @throws UsageError if it cannot be used */
export function replayed(file: string, declared: Waiver[] | null): Recorded {
  const text = textIn(file, MOST_BYTES.evidence, { named: 'REPLAY: ' });
  const har = fromHar(text, file);
  const { evidence, recordedBy } = har;
  const problems = wholenessOf(har, text).flatMap((whole) => whole.problems);
  const { says } = check('evidence', '', problems);
  const isWhole = problems.length === 0;
  const other = recordedBy.version === suite.version ? '' : `; this is version ${suite.version}`;
  return {
    ...har,
    evidence: { ...evidence, target: { ...evidence.target, waivers: declared ?? evidence.target.waivers } },
    startedAtEpochMs: evidence.startedAtEpochMs,
    notes: [
      `Replayed from ${file}, recorded by version ${recordedBy.version}${other}: nothing was sent.`,
      ...(isWhole ? [] : [`The evidence does not add up, so this result cannot be certified: ${says}.`]),
    ],
    isWhole,
  };
}

/** What an earlier run recorded, read back from its evidence file. */
import { fromHar } from '../evidence/har/read';
import type { Recorded } from '../report/model';
import { suite } from '../suite';
import { readText } from '../target/readable';
import type { Target } from '../target/target';

/**
 * Reads an `evidence.har`.
 * @param declared the waivers of this target, if one is declared, stand in for those of then
 * @throws UsageError where the file cannot be used
 */
export function replayed(file: string, declared: Target | null): Recorded {
  const { evidence, recordedBy, ...figures } = fromHar(readText('REPLAY', file), file);
  const other = recordedBy.version === suite.version ? '' : `; this is version ${suite.version}`;
  return {
    ...figures,
    evidence: {
      ...evidence,
      target: { ...evidence.target, waivers: declared?.waivers ?? evidence.target.waivers },
    },
    startedAtEpochMs: evidence.startedAtEpochMs,
    notes: [`Replayed from ${file}, recorded by version ${recordedBy.version}${other}: nothing was sent.`],
  };
}

/** A run that sends nothing. It judges what was recorded before, or reports why nothing was recorded. */
import { bytesIn, MOST_BYTES, utf8Of } from '../common/files';
import { suite } from '../common/suite';
import { targetOf } from '../config/declaration';
import { factsOf } from '../config/target';
import { fromHar } from '../evidence/har/read';
import type { Waiver } from '../evidence/model';
import type { Recorded } from '../report/model';
import { Run } from './run';

export class Finished extends Run {
  override readonly sends = false;

  constructor(
    ids: Iterable<string>,
    private readonly all: Recorded,
  ) {
    super(ids);
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

  async send(): Promise<null> {
    return null;
  }
}

/** Reads `evidence.har`. @param declared waivers; `null` keeps those in it @throws UsageError if it cannot be used */
export function replayed(file: string, declared: Waiver[] | null): Recorded {
  const har = fromHar(utf8Of(bytesIn(file, MOST_BYTES.file, { named: 'REPLAY: ' }), `REPLAY: ${file}`), file);
  const { evidence, recordedBy, brokenSeal } = har;
  const other = recordedBy.version === suite.version ? '' : `; this is version ${suite.version}`;
  return {
    ...har,
    evidence: { ...evidence, target: { ...evidence.target, waivers: declared ?? evidence.target.waivers } },
    notes: [
      `Replayed from ${file}, recorded by version ${recordedBy.version}${other}: nothing was sent.`,
      ...(brokenSeal ? ['The evidence was edited after its run, so this result cannot be certified.'] : []),
    ],
  };
}

/** Returns what can be reported of a target if only its name is known. */
export function nothingRecorded(name: string, error: string | null = null): Recorded {
  const declared = targetOf({ baseURL: '', accounts: [] }, name);
  const target = factsOf(declared, { riskyProbes: false, insecureTls: false }, (text) => text);
  const evidence = { target, startedAtEpochMs: Date.now(), exchanges: [], notSent: [], deliveries: [], triggers: [] };
  return { evidence, error, waitedMs: 0, durationMs: 0, notes: [] };
}

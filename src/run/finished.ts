/** A run that sends nothing: all that is to be judged was recorded before, or could not be. */
import type { Recorded } from '../report/model';
import { RepeatedOwn } from './own';
import { type Prepared, Run } from './run';

/** What such a run is made of: each begin judges the same again. */
export function finished(
  recorded: Recorded,
  asked: Pick<Prepared, 'notices' | 'requireComplete' | 'strict' | 'baseline' | 'history'>,
): Prepared {
  return { ...asked, begin: (ids) => new Finished([...ids], recorded), close: async () => undefined };
}

class Finished extends Run {
  readonly own: RepeatedOwn;

  constructor(
    ids: readonly string[],
    private readonly all: Recorded,
  ) {
    super(ids);
    this.own = new RepeatedOwn(all.evidence);
  }

  async recorded(): Promise<Recorded> {
    return this.all;
  }

  sofar(): Recorded {
    return this.all;
  }

  protected get isRecorded(): boolean {
    return this.all.error === null;
  }

  requests(): number {
    return 0;
  }

  doing(): string {
    return 'judging what was recorded';
  }

  stop(): void {}
}

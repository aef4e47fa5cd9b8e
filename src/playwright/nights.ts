/** The history that `HISTORY` names, of one target or of each of many. */
import { join } from 'node:path';
import type { Conformance } from '../contract/result';
import { keep, type Past, readPast } from '../history/store';
import type { Variables } from '../target/environment';
import { pathOf } from '../target/readable';
import { UsageError } from '../usage-error';

export class Nights {
  private readonly directory: string | null;

  /** What is replayed was kept when it was recorded. */
  constructor({ HISTORY, REPLAY }: Variables) {
    this.directory = HISTORY && !REPLAY ? pathOf(HISTORY) : null;
  }

  /** @param name the target's, where there are many. @throws UsageError where it cannot be read */
  past(name = ''): Past | null {
    return this.directory === null ? null : readPast(join(this.directory, name));
  }

  /** @throws UsageError where it cannot be written */
  keep(result: Conformance, name = ''): void {
    if (this.directory === null) return;
    try {
      keep(join(this.directory, name), result);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      throw new UsageError(`HISTORY: ${this.directory} cannot be written (${code}).`);
    }
  }
}

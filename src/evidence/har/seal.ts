import { sha256Of } from '../../contract/digest';

/**
 * The seal of a run: a SHA-256 that is chained over `evidence.har` as it is written. It begins with what the log says
 * besides its entries (target, what was skipped, times), each entry continues it, and their number ends it. Whoever
 * edits, removes, adds or reorders something after the run breaks it. It stops nobody who writes a new seal as well.
 */
export class Seal {
  private chained: string;
  private entries = 0;

  /** @param log as it is written or was read; its entries and the seal that stands in it are left out */
  constructor(log: object) {
    this.chained = sha256Of(JSON.stringify({ ...log, entries: undefined, _seal: undefined }));
  }

  /** Continues the seal with an entry, which is returned. */
  add<Entry extends object>(entry: Entry): Entry {
    // Blanks between the members play no part.
    this.chained = sha256Of(`${this.chained}${JSON.stringify(entry)}`);
    this.entries += 1;
    return entry;
  }

  /** The seal over all entries so far. */
  value(): string {
    return `sha256:${sha256Of(`${this.chained}${this.entries}`)}`;
  }
}

/** Returns the seal of a whole log. */
export function sealOf(log: { entries: readonly object[] }): string {
  const seal = new Seal(log);
  for (const entry of log.entries) seal.add(entry);
  return seal.value();
}

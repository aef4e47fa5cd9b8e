/** One thing that is looked at, and what came of it. */
export interface Check {
  name: string;
  /** `unchecked`: it could not be looked at, which is no fault of the package. */
  verdict: 'ok' | 'failed' | 'unchecked';
  /** One sentence. */
  says: string;
  /** What is wrong, one sentence each. */
  problems: string[];
}

/** A check that fails where anything is wrong. @param says what is so where nothing is */
export function check(name: string, says: string, problems: string[]): Check {
  const [first, ...more] = problems;
  if (first === undefined) return { name, verdict: 'ok', says, problems };
  return { name, verdict: 'failed', says: more.length > 0 ? `${first} (and ${more.length} more)` : first, problems };
}

/** A check that cannot be made. @param says why, or what it takes */
export function unchecked(name: string, says: string): Check {
  return { name, verdict: 'unchecked', says, problems: [] };
}

/** One check of a package, and what it found. */
export interface Check {
  name: string;
  /** `unchecked`: the check could not be made, which is no fault of the package. */
  verdict: 'ok' | 'failed' | 'unchecked';
  says: string;
  /** What is wrong, one sentence each. */
  problems: string[];
}

/** Returns a check that fails if there is any problem. @param says what is so if there is none */
export function check(name: string, says: string, problems: string[]): Check {
  const [first, ...more] = problems;
  if (first === undefined) return { name, verdict: 'ok', says, problems };
  return { name, verdict: 'failed', says: more.length > 0 ? `${first} (and ${more.length} more)` : first, problems };
}

/** Returns a check that could not be made. @param says why, or what it takes */
export function unchecked(name: string, says: string): Check {
  return { name, verdict: 'unchecked', says, problems: [] };
}

/** A directory of target files: each is a target of one run, called as its file. */
import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { UsageError } from '../usage-error';
import type { Variables } from './environment';

export interface FleetMember {
  name: string;
  file: string;
}

/** Set where workers are to spare what judging does not need. */
export const SPARING = 'CONFORMANCE_SPARING';

/** What else stands in the directory of results. */
const TAKEN = ['playwright', 'playwright-report', 'blob-report', 'index.html', 'summary.md', 'junit.xml', 'fleet.json'];

/**
 * The target files of the directory that `TARGETS` names, sorted; `null` where it is not set.
 * @throws UsageError where there are none, or where two results would lie in one place
 */
export function fleetIn(variables: Variables): FleetMember[] | null {
  if (!variables.TARGETS) return null;
  const directory = resolve(variables.TARGETS);
  const fleet = filesOf(directory)
    .filter((file) => /^[^.].*\.ya?ml$/i.test(file))
    .map((file) => ({ name: file.replace(/\.ya?ml$/i, ''), file: resolve(directory, file) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  if (fleet.length === 0)
    throw new UsageError(
      `TARGETS names ${directory}, but no target file is in it: put one file for each target there, such as acme.yaml.`,
    );
  for (const [i, { name }] of fleet.entries()) {
    if (fleet[i + 1]?.name === name)
      throw new UsageError(`TARGETS: ${directory} holds both ${name}.yaml and ${name}.yml: rename one of them.`);
    if (TAKEN.includes(name))
      throw new UsageError(
        `TARGETS: a target cannot be called ${name}, because something else stands there in RESULTS_DIR: rename its file.`,
      );
  }
  return fleet;
}

function filesOf(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    const why =
      code === 'ENOENT'
        ? 'there is no such directory'
        : code === 'ENOTDIR'
          ? 'it is no directory (a single target file goes into TARGET)'
          : `it cannot be read (${code})`;
    throw new UsageError(`TARGETS names ${directory}, but ${why}.`);
  }
}

/** Lists a directory of target files. Each file is one target of the run and gives the target its name. */
import { resolve } from 'node:path';
import { UsageError } from '../common/errors';
import { namesIn } from '../common/files';
import { pathOf, type Variables } from './environment';

export type FleetMember = { name: string; file: string };

/** The directories of Playwright's own reports, below that of the results. */
export const REPORTS = ['playwright-report', 'blob-report', 'perfetto-report'];
/** Names that RESULTS_DIR uses for something else. */
const TAKEN = [...REPORTS, 'playwright', 'part', 'index.html', 'summary.md', 'junit.xml', 'fleet.json'];

/** Whether a target may have this name: it must work as a single file name in the directory of results. */
export function isTargetName(name: string): boolean {
  return /^(?!\.)[^/\\\p{Cc}\p{Cf}\u2028\u2029]{1,200}$/u.test(name) && !TAKEN.includes(name);
}

/**
 * Returns the target files in the directory that `TARGETS` names, sorted by name; `null` if `TARGETS` is not set.
 * @throws UsageError if the directory cannot be read or holds no target file, or if two results would have one path
 */
export function fleetIn(variables: Variables): FleetMember[] | null {
  if (!variables.TARGETS) return null;
  const directory = pathOf(variables.TARGETS);
  const fleet = namesIn(directory, 'TARGETS: ')
    .filter((file) => /^[^.].*\.ya?ml$/i.test(file))
    .map((file) => ({ name: file.replace(/\.ya?ml$/i, ''), file: resolve(directory, file) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  if (fleet.length === 0)
    throw new UsageError(
      `TARGETS: ${directory} holds no target file: put one for each target there, such as acme.yaml.`,
    );
  for (const [i, { name }] of fleet.entries()) {
    if (fleet[i + 1]?.name === name)
      throw new UsageError(`TARGETS: ${directory} holds both ${name}.yaml and ${name}.yml: rename one of them.`);
    // Playwright prints it as it is.
    if (!isTargetName(name) && !TAKEN.includes(name))
      throw new UsageError(
        `TARGETS: ${directory} holds a target file with more than 200 characters, or a control character, a backslash or a mark of writing direction in its name: rename it.`,
      );
    if (TAKEN.includes(name))
      throw new UsageError(
        `TARGETS: a target cannot be called ${name}, because RESULTS_DIR uses this name for something else: rename its file.`,
      );
  }
  return fleet;
}

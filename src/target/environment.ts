/** The variables that a user sets, in the environment or in `.env`. The environment wins; empty counts as unset. */
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parse } from 'dotenv';
import { UsageError } from '../common/usage-error';
import { pathOf, readText } from './readable';

/** Set by the run itself: where its workers find it, and the token with which they ask, as JSON. */
export const SERVICE_VARIABLE = 'CONFORMANCE_RUN';

/** Values by name; a name that is missing is unset. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** Where the configuration of this project stands. */
const BESIDE_THE_CONFIGURATION = join(__dirname, '..', '..');
/** Variables that name files: in `.env`, from where that file stands. */
const PATHS = ['TARGET', 'TARGETS', 'RESULTS_DIR', 'REPLAY', 'BASELINE', 'HISTORY', 'WAIVERS'];

/**
 * Reads the environment over a `.env` file in the directory given; where there is none, over the one beside the
 * configuration.
 * @throws UsageError where the file cannot be read
 */
export function variablesIn(directory: string, environment: NodeJS.ProcessEnv = process.env): Variables {
  const file = [directory, BESIDE_THE_CONFIGURATION].map((place) => join(place, '.env')).find(existsSync);
  const written = file === undefined ? {} : parse(readText('.env', file));
  for (const name of PATHS)
    if (file && written[name] && !written[name].startsWith('~')) written[name] = resolve(dirname(file), written[name]);
  const set = [written, environment].flatMap(Object.entries<string | undefined>).filter(([, value]) => value);
  // Without what every object has: a variable may be called `constructor`.
  return Object.assign(Object.create(null), Object.fromEntries(set));
}

/**
 * The directory of results. It does not depend on the rest of the configuration, which may be unusable.
 * @throws UsageError where `.env` cannot be read
 */
export function resultsDirectory(variables: Variables = variablesIn(process.cwd())): string {
  return pathOf(variables.RESULTS_DIR ?? 'results');
}

/**
 * A switch: `1` is on; unset, `0` and the like are off.
 * @throws UsageError for any other value
 */
export function isOn(variables: Variables, name: string): boolean {
  const value = variables[name]?.trim().toLowerCase();
  if (value === undefined || ['0', 'false', 'no', 'off'].includes(value)) return false;
  if (['1', 'true', 'yes', 'on'].includes(value)) return true;
  throw new UsageError(`${name} must be 1 or be left unset.`);
}

/** The variables that a user sets, in the environment or in `.env`. The environment wins; empty counts as unset. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'dotenv';
import { UsageError } from '../usage-error';
import { pathOf, readText } from './readable';

/** Set by the run itself: where its workers find it, and the token with which they ask, as JSON. */
export const SERVICE_VARIABLE = 'CONFORMANCE_RUN';

/** Values by name; a name that is missing is unset. */
export type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Reads the environment over a `.env` file in the directory given, if there is one.
 * @throws UsageError where the file cannot be read
 */
export function variablesIn(directory: string, environment: NodeJS.ProcessEnv = process.env): Variables {
  const file = join(directory, '.env');
  const fromFile = existsSync(file) ? parse(readText('.env', file)) : {};
  const set = Object.entries(environment).filter(([, value]) => value !== undefined && value !== '');
  const written = Object.entries(fromFile).filter(([, value]) => value !== '');
  return { ...Object.fromEntries(written), ...Object.fromEntries(set) };
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

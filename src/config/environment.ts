/** Reads the variables that a user sets in the environment or in `.env`, and lists the directory of target files. The environment wins. Empty means unset. */
import { existsSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parse } from 'dotenv';
import { UsageError } from '../common/errors';
import { MOST_BYTES, namesIn, textIn } from '../common/files';

/** The run sets this for its workers: its address and the token that they must send, as JSON. */
export const SERVICE_VARIABLE = 'CONFORMANCE_RUN';

/** Values by name. A missing name is unset. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** The root of this project, which holds its Playwright configuration. */
const BESIDE_THE_CONFIGURATION = join(__dirname, '..', '..');
/** Variables that hold paths. In `.env` they are relative to the directory of that file. */
const PATHS = ['TARGET', 'TARGETS', 'RESULTS_DIR', 'REPLAY', 'BASELINE', 'HISTORY', 'WAIVERS'];

/** Variables that name a file which a run reads. */
const READ = ['TARGET', 'REPLAY', 'BASELINE', 'WAIVERS'];

/** Returns the paths of the files that a run was given. A run that could not be done leaves them as they are. */
export function filesGiven(variables: Variables): string[] {
  return READ.flatMap((name) => (variables[name] ? [realPath(pathOf(variables[name]))] : []));
}

/** Returns a path without links, if something is there. */
export function realPath(path: string): string {
  return existsSync(path) ? realpathSync(path) : path;
}

/** Returns the variables of the environment and of `.env`, here or in the root. @throws UsageError if unreadable */
export function variablesIn(directory: string, environment: NodeJS.ProcessEnv = process.env): Variables {
  const file = [directory, BESIDE_THE_CONFIGURATION].map((place) => join(place, '.env')).find(isThere);
  const written = file === undefined ? {} : parse(linesIn(file, environment));
  for (const name of PATHS)
    if (file && written[name] && !written[name].startsWith('~')) written[name] = resolve(dirname(file), written[name]);
  const set = [written, environment].flatMap(Object.entries<string | undefined>).filter(([, value]) => value);
  // No prototype: the name `constructor` must not find a value that nobody set.
  return Object.assign(Object.create(null), Object.fromEntries(set));
}

/** Whether a file is there. Some tools make a directory of the name `.env`. */
function isThere(file: string): boolean {
  return existsSync(file) && !statSync(file).isDirectory();
}

/** What the parser takes for the white space before a name, again at each of its characters. */
const MOST_BLANKS = /\s{1000}/;

/** A line of `.env` with a value that has no quotes and goes on behind a `#`: the parser takes the rest for a comment. */
const CUT = /^[ \t]*(?:export[ \t]+)?([A-Za-z_]\w*)[ \t]*=[ \t]*[^\s'"`#][^\n#]*#/gm;
/** Another program's variables may stand in the same file. */
const SECRET = /KEY|PASS|SECRET|TOKEN/i;

function linesIn(file: string, environment: NodeJS.ProcessEnv): string {
  const text = textIn(file, MOST_BYTES.declaration, { named: '.env: ' });
  if (MOST_BLANKS.test(text))
    throw new UsageError(`.env: ${file} has a thousand blanks or empty lines in a row: remove them.`);
  for (const [line, name = ''] of text.matchAll(CUT))
    if (SECRET.test(name) && !environment[name] && !/\s#$/.test(line))
      throw new UsageError(`.env: the value of ${name} ends at its first #: put it in single quotes.`);
  return text;
}

/** Resolves a path against the working directory. A leading `~`, as `.env` may hold it, is the home directory. */
export function pathOf(value: string): string {
  return resolve(value.replace(/^~(?=\/|$)/, homedir()));
}

/** Returns the directory of results, whatever else is configured. @throws UsageError if `.env` cannot be read */
export function resultsDirectory(variables: Variables = variablesIn(process.cwd())): string {
  return pathOf(variables.RESULTS_DIR ?? 'results');
}

/** Whether a switch is on: 1, true, yes, on, not 0, false, no, off or unset. @throws UsageError for other values */
export function isOn(variables: Variables, name: string): boolean {
  const value = variables[name]?.trim().toLowerCase();
  if (value === undefined || ['0', 'false', 'no', 'off'].includes(value)) return false;
  if (['1', 'true', 'yes', 'on'].includes(value)) return true;
  throw new UsageError(`${name} must be 1 or be left unset.`);
}

export type FleetMember = { name: string; file: string };

/** Names that RESULTS_DIR uses for something else. */
const TAKEN = [
  ...['playwright-report', 'blob-report', 'perfetto-report', 'playwright', 'part'],
  ...['index.html', 'summary.md', 'junit.xml', 'fleet.json'],
];

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
    if (!isTargetName(name))
      throw new UsageError(
        `TARGETS: ${directory} holds a target file whose name no directory of results can have: rename it. Up to 200 characters may stand there, but no backslash, control character or mark of writing direction, and none of these names: ${TAKEN.join(', ')}.`,
      );
  }
  return fleet;
}

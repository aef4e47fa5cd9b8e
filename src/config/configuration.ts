/** Reads the configuration from the environment, `.env` and target files. The environment wins. Empty means unset. */
import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { parse } from 'dotenv';
import { UsageError } from '../common/errors';
import { MOST_BYTES, namesIn, textIn } from '../common/files';
import { listed } from '../common/text';
import type { Waiver } from '../evidence/model';
import { problemsIn, type Target, targetOf, type Variables } from './target';
import { loadTarget, loadWaivers } from './target-file';

/** Returns the variables of the environment and of the `.env` in a directory. @throws UsageError if that is unreadable */
export function variablesIn(directory: string, environment: NodeJS.ProcessEnv = process.env): Variables {
  const file = join(directory, '.env');
  // Some tools make a directory of this name.
  const isThere = statSync(file, { throwIfNoEntry: false })?.isDirectory() === false;
  const written = isThere ? parse(linesIn(file, environment)) : {};
  const set = [written, environment].flatMap(Object.entries<string | undefined>).filter(([, value]) => value);
  // No prototype: the name `constructor` must not find a value that nobody set.
  return Object.assign(Object.create(null), Object.fromEntries(set));
}

/** Matches a line of `.env` with a `#` in a value without quotes: the parser takes the rest for a comment. */
const CUT = /^[ \t]*(?:export[ \t]+)?([A-Za-z_]\w*)[ \t]*=[ \t]*[^\s'"`#][^\n#]*#/gm;
/** Matches names of secrets: other programs' variables in the file are not checked. */
const SECRET = /KEY|PASS|SECRET|TOKEN/i;

function linesIn(file: string, environment: NodeJS.ProcessEnv): string {
  const text = textIn(file, MOST_BYTES.declaration, '.env: ');
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

/** Whether a switch is on (1, true, yes, on) or off (0, false, no, off, unset). @throws UsageError for other values */
export function isOn(variables: Variables, name: string): boolean {
  const value = variables[name]?.trim().toLowerCase();
  if (value === undefined || ['0', 'false', 'no', 'off'].includes(value)) return false;
  if (['1', 'true', 'yes', 'on'].includes(value)) return true;
  throw new UsageError(`${name} must be 1 or be left unset.`);
}

export type FleetMember = { name: string; file: string };

/** Names that RESULTS_DIR uses otherwise. */
const TAKEN = [
  ...['playwright-report', 'blob-report', 'perfetto-report', 'playwright', 'part'],
  ...['index.html', 'summary.md', 'junit.xml', 'fleet.json'],
];

/** Whether a target may have a name: it must be a file name in the directory of results. */
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
    // Playwright prints the name as it is.
    if (!isTargetName(name))
      throw new UsageError(
        `TARGETS: ${directory} holds a target file whose name no directory of results can have: rename it. Up to 200 characters may stand there, but no backslash, control character or mark of writing direction, and none of these names: ${TAKEN.join(', ')}.`,
      );
  }
  return fleet;
}

export type Configuration = ReturnType<typeof loadConfiguration>;

/** Loads and checks the configuration. @throws UsageError whose message says what to fix */
export function loadConfiguration(variables: Variables) {
  const target = targetIn(variables);
  return {
    /** `null` stands for the embedded reference server. */
    target,
    /** Whether to send requests that a broken server might act on or log. */
    riskyProbes: variables.RISKY_PROBES === undefined ? target === null : isOn(variables, 'RISKY_PROBES'),
    strict: isOn(variables, 'STRICT'),
    requireComplete: isOn(variables, 'REQUIRE_COMPLETE'),
    insecureTls: isOn(variables, 'INSECURE_TLS'),
    replay: variables.REPLAY ? pathOf(variables.REPLAY) : null,
    baseline: variables.BASELINE ? pathOf(variables.BASELINE) : null,
    history: variables.HISTORY ? pathOf(variables.HISTORY) : null,
    /** Known failures of a run without a target file. */
    waivers: waiversIn(variables),
    variables,
    /** Sentences about settings that the user may not have meant. */
    notices: target === null && !variables.REPLAY ? noticesOf(variables) : [],
  };
}

/** Returns a notice if variables for another server are set. @throws UsageError in CI, where nobody reads notices */
function noticesOf(variables: Variables): string[] {
  const meant = ['API_KEY', 'RISKY_PROBES'].filter((name) => variables[name]);
  if (meant.length === 0) return [];
  const what = `${listed(meant)} ${meant.length === 1 ? 'is' : 'are'} set but neither BASE_URL nor TARGET is`;
  if (variables.CI)
    throw new UsageError(`${what}: set one of them, or nothing at all for the embedded reference server.`);
  return [`!!! ${what}: this run is against the embedded reference server, and says nothing about yours. !!!`];
}

function waiversIn({ WAIVERS: file, TARGET: target }: Variables): Waiver[] | null {
  if (!file) return null;
  if (target)
    throw new UsageError('WAIVERS is for runs without a target file: write them into the target file as `waivers`.');
  return loadWaivers(pathOf(file));
}

function targetIn(variables: Variables): Target | null {
  const { TARGET: file, BASE_URL: base, API_KEY: apiKey, REPLAY: replay } = variables;
  if (file) return loadTarget(pathOf(file), variables);
  // A replay sends nothing, and its evidence names the target.
  if (!base || replay) return null;
  if (!apiKey) {
    throw new UsageError(
      'BASE_URL is set, but no key: set API_KEY to a key of the server under test, or TARGET to a target file that declares accounts.',
    );
  }
  const declared = { baseURL: base.trim(), accounts: [{ name: 'default', apiKey }] };
  const [problem] = problemsIn(declared);
  if (problem) throw new UsageError(`${problem.path[0] === 'baseURL' ? 'BASE_URL' : 'API_KEY'}: ${problem.text}`);
  return { ...targetOf(declared, new URL(declared.baseURL).host), variables: { 'apiKey:default': 'API_KEY' } };
}

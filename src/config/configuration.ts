/** Reads the configuration of a run from the environment, `.env` and the target file. */
import { existsSync, statSync } from 'node:fs';
import { UsageError } from '../common/errors';
import { isWritable } from '../common/files';
import { listed } from '../common/text';
import type { Waiver } from '../evidence/model';
import { isOn, pathOf, type Variables } from './environment';
import { problemsIn, type Target, targetOf } from './target';
import { loadTarget, loadWaivers } from './target-file';

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
    /** The evidence to judge again instead of sending anything. */
    replay: variables.REPLAY ? pathOf(variables.REPLAY) : null,
    /** The earlier result to compare with. */
    baseline: variables.BASELINE ? pathOf(variables.BASELINE) : null,
    /** The directory in which every whole run is kept. */
    history: historyIn(variables),
    /** Known failures of a run without a target file. */
    waivers: waiversIn(variables),
    variables,
    /** Settings that the user may not have meant, one sentence each. */
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

/** Returns the directory, and makes it: after a whole run it would be late to learn that it cannot be written. */
function historyIn({ HISTORY: value }: Variables): string | null {
  if (!value) return null;
  const path = pathOf(value);
  if (existsSync(path) && !statSync(path).isDirectory())
    throw new UsageError(`HISTORY: ${path} is a file: name a directory, which is made where there is none.`);
  if (!isWritable(path))
    throw new UsageError(`HISTORY: ${path} cannot be written: name a directory that can be, or leave HISTORY unset.`);
  return path;
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

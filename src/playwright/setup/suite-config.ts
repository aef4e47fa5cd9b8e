/**
 * The Playwright configuration of the suite alone, which others extend: every path is absolute. The suite as one project
 * of another. What the words of the command line select, and where its results go.
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { FullProject, PlaywrightTestConfig, ReporterDescription } from '@playwright/test';
import { UsageError } from '../../common/errors';
import { isWritable } from '../../common/files';
import { type FleetMember, fleetIn, pathOf, resultsDirectory, variablesIn } from '../../config/configuration';
import type { Variables } from '../../config/target';
import { clauseTexts } from '../../contract/clauses';

/** Where the tests of the clauses are, beside `src` and built beside the built `src`. */
export const TESTS = join(__dirname, '..', '..', '..', 'tests');
/** In a clone, the tests of the suite itself are there as well. */
export const OF_THE_SUITE = join(TESTS, 'self', '**');
export const GLOBAL_SETUP = require.resolve('./global-setup');
export const REPORTER = require.resolve('../reporter/reporter');
export const SPEC_FILES = '*.spec.[jt]s';

/** Ends a run that cannot begin with one message and exit status 2: Playwright would print a stack and exit with 1. */
export function suiteConfig(): PlaywrightTestConfig {
  try {
    return configFor(variablesIn(process.cwd()));
  } catch (error) {
    if (!(error instanceof UsageError) || process.argv[2] !== 'test') throw error;
    console.error(error.message);
    return process.exit(2);
  }
}

function configFor(variables: Variables): PlaywrightTestConfig {
  const results = resultsDirectory(variables);

  // Our reporter begins the run and writes the verdicts, whatever reporters a command line or another configuration chooses.
  process.env.PW_TEST_REPORTER ??= REPORTER;

  // To list tests takes Playwright's own reporter, and leaves nothing.
  const lists = process.argv.includes('--list');
  // Where Playwright cannot write, it would fail in ways of its own: the global setup reports it in one message.
  const isUsable = lists || isWritable(results);
  const fleet = targets(variables);
  if (fleet) refuseUnknown(fleet);
  // All clauses in one file take one worker less time than one for each area.
  const namesFiles = process.argv.slice(3).some((word, i) => namesFile(word, process.argv[i + 2]));
  const matched = namesFiles ? SPEC_FILES : ['all.[jt]s', 'own/**/*.spec.ts'];

  // The example among the user's own tests knows only the embedded server.
  const isAnother = ['BASE_URL', 'TARGET', 'TARGETS', 'REPLAY'].some((name) => variables[name]);
  const example = isAnother ? [join(TESTS, 'own', 'settings.spec.ts')] : [];

  return {
    testDir: TESTS,
    testIgnore: [OF_THE_SUITE, ...example],
    // Playwright removes what it likes below it: no neighbour's link leads elsewhere from a directory that is new.
    outputDir: join(isUsable ? results : mkdtempSync(join(tmpdir(), 'conformance-')), 'playwright'),
    globalSetup: GLOBAL_SETUP,
    // Everything is sent by the recorder in the main process; one worker judges it.
    workers: fleet ? 2 : 1,
    forbidOnly: Boolean(process.env.CI),
    ...(fleet && { projects: fleet.map(({ name }) => ({ name, testDir: TESTS, testMatch: matched })) }),
    // None annotates lines on GitHub: those of the clauses are not the user's, and say nothing about the server.
    reporter: lists ? 'list' : [[REPORTER], ...(isUsable ? [pageIn(results)] : [])],
  };
}

/** Returns Playwright's own page, below the results, or those of a part. Reports that the command line chooses go there, too. */
function pageIn(results: string): ReporterDescription {
  const words = process.argv.slice(2);
  const htmlFolder = join(results, selectsTests(words) ? PART : '.', 'playwright-report');
  if (words.some((word) => /^--(?:add-)?reporter(?:=|$)/.test(word))) {
    process.env.PLAYWRIGHT_HTML_OUTPUT_DIR ??= htmlFolder;
    process.env.PLAYWRIGHT_BLOB_OUTPUT_FILE ??= join(results, 'blob-report', 'report.zip');
    process.env.PLAYWRIGHT_PERFETTO_OUTPUT_DIR ??= join(results, 'perfetto-report');
  }
  return ['html', { outputFolder: htmlFolder, open: 'never' }];
}

/** What is wrong with the directory, the global setup reports. */
function targets(variables: Variables): FleetMember[] | null {
  try {
    return fleetIn(variables);
  } catch (error) {
    if (error instanceof UsageError) return null;
    throw error;
  }
}

/** @throws UsageError if `--project` names no target. Without targets, projects are another configuration's. */
function refuseUnknown(fleet: readonly FleetMember[]): void {
  const options = { project: { type: 'string', multiple: true } } as const;
  const named = parseArgs({ args: process.argv.slice(3), options, strict: false }).values.project ?? [];
  const names = fleet.map(({ name }) => name);
  for (const word of named.map(String))
    if (!word.includes('*') && !names.some((name) => name.toLowerCase() === word.toLowerCase()))
      throw new UsageError(`--project: TARGETS holds no target ${word}. There are: ${names.join(', ')}.`);
}

/** What `conformance()` was given by the configuration of this process; `null` where the suite runs alone. */
export const embedding = { options: null as { name: string; target: string | undefined } | null };

/** Which tests the project has. What a configuration chooses for all projects is meant for its own tests. */
export const CHOICE = { testDir: TESTS, testMatch: SPEC_FILES, testIgnore: [OF_THE_SUITE], grep: /.*/, grepInvert: [] };

/** Whether a project is that of `conformance()`. The place of its tests decides, because users replace name and metadata. */
export function isConformanceProject(project: Pick<FullProject, 'testDir'> | undefined): boolean {
  return project?.testDir === TESTS;
}

/**
 * Lets the target that a configuration names stand above the environment.
 * @param configFile path of the configuration: the target's path starts in its directory
 */
export function withTargetOfConfiguration(variables: Variables, configFile = ''): Variables {
  const target = embedding.options?.target;
  if (target === undefined) return variables;
  const path = target.startsWith('~') ? pathOf(target) : resolve(dirname(configFile), target);
  return { ...variables, TARGET: path, TARGETS: undefined, BASE_URL: undefined, WAIVERS: undefined };
}

/** Where the results of a part go, below those of whole runs. */
const PART = 'part';

/** Options of Playwright that select tests, or let the user select them later. */
const SELECTS =
  /^(?:-[gG].*|--(?:grep|grep-invert|project|last-failed|only-changed|test-list|test-list-invert|ui|ui-host|ui-port)(?:=.*)?)$/;
/** Options of Playwright whose value is the next word. */
const TAKES_A_VALUE =
  /^(?:-[cj]|--(?:add-reporter|browser|config|global-timeout|last-failed-file|max-failures|output|repeat-each|reporter|retries|run-agents|shard|timeout|trace|tsconfig|update-source-method|workers))$/;

/**
 * Returns where the results of a run go. A part has its own directory, so that the whole run's results stay.
 * @param ids clauses of the selected tests; `null` if no test was loaded: then the command line decides
 * @param words the command line, from Playwright's command on
 */
export function directoryFor(ids: readonly string[] | null, directory: string, words: readonly string[]): string {
  const selected = new Set(ids);
  const isWhole =
    ids === null ? words[0] === 'test' && !selectsTests(words) : clauseTexts.every(({ id }) => selected.has(id));
  return isWhole ? directory : join(directory, PART);
}

/** Whether the command line selects tests. @param words the command line, from Playwright's command on */
export function selectsTests(words: readonly string[]): boolean {
  return words.slice(1).some((word, i) => SELECTS.test(word) || namesFile(word, words[i]));
}

/** Whether a word of the command line is part of a file name: no option, and no option's value. */
function namesFile(word: string, before = ''): boolean {
  return !word.startsWith('-') && !TAKES_A_VALUE.test(before) && !SELECTS.test(before);
}

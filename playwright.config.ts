import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig, type ReporterDescription } from '@playwright/test';
import { UsageError } from './src/common/usage-error';
import { isWritable } from './src/common/writable';
import { type FleetMember, fleetIn } from './src/config/directory';
import { resultsDirectory, variablesIn } from './src/config/environment';
import { whyCacheIsUnsafe } from './src/playwright/transform-cache';

// Configurations elsewhere extend this one, so that every path is absolute.
const tests = join(__dirname, 'tests');
const reporter = join(__dirname, 'src/playwright/reporter.ts');
const results = resultsDirectory();
const given = (...options: string[]) => process.argv.some((argument) => options.includes(argument.split('=')[0] ?? ''));

const unsafe = whyCacheIsUnsafe();
if (unsafe !== null) throw new UsageError(unsafe);

// Our reporter begins the run and writes the verdicts, whatever reporters a command line or another configuration chooses.
process.env.PW_TEST_REPORTER ??= reporter;

// To list tests takes Playwright's own reporter, and leaves nothing.
const lists = process.argv.includes('--list');
// Where Playwright cannot write, it would fail in ways of its own: the global setup says so in one message.
const isUsable = lists || isWritable(results);

// Named for its shard, so that shards which share a directory of results keep each other's.
const shard = /\d+/.exec(process.argv.slice(2).join(' ').split('--shard')[1] ?? '')?.[0] ?? '';
const blobFile = join(results, 'blob-report', `${shard ? `shard-${shard}` : 'report'}.zip`);
const htmlFolder = join(results, 'playwright-report');
if (given('--reporter', '--add-reporter')) {
  process.env.PLAYWRIGHT_HTML_OUTPUT_DIR ??= htmlFolder;
  process.env.PLAYWRIGHT_BLOB_OUTPUT_FILE ??= blobFile;
  process.env.PLAYWRIGHT_PERFETTO_OUTPUT_DIR ??= join(results, 'perfetto-report');
}
const html: ReporterDescription = ['html', { outputFolder: htmlFolder, open: 'never' }];
const blob: ReporterDescription = ['blob', { outputFile: blobFile }];

const fleet = targets();
// All clauses in one file take one worker less time than one for each area.
const namesFiles = process.argv.slice(2).some((argument) => /\.spec\b|^tests\b/.test(argument));
const matched = namesFiles ? '*.spec.ts' : ['all.ts', 'own/**/*.spec.ts'];

// The example among the user's own tests knows only the embedded server.
const { BASE_URL, TARGET, TARGETS, REPLAY } = variablesIn(process.cwd());
const example = BASE_URL || TARGET || TARGETS || REPLAY ? [join(tests, 'own', 'settings.spec.ts')] : [];

export default defineConfig({
  testDir: tests,
  testIgnore: [join(tests, 'self', '**'), ...example],
  outputDir: join(isUsable ? results : tmpdir(), 'playwright'),
  globalSetup: join(__dirname, 'src/playwright/global-setup.ts'),
  // Everything is sent by the recorder in the main process; one worker judges it, and needs no limit of its own.
  workers: fleet ? 2 : 1,
  timeout: 0,
  forbidOnly: Boolean(process.env.CI),
  ...(fleet && {
    projects: fleet.map(({ name }) => ({ name, testDir: tests, testMatch: matched })),
    // Tells a merge which targets there were: all, unless the command line chose.
    metadata: { targets: given('--project') ? [] : fleet.map(({ name }) => name) },
  }),
  reporter: lists
    ? 'list'
    : [
        [reporter],
        ...(isUsable ? [fleet && given('--shard') ? blob : html] : []),
        ...(process.env.GITHUB_ACTIONS ? [['github'] as const] : []),
      ],
});

/** What is wrong with the directory, the global setup says. */
function targets(): FleetMember[] | null {
  try {
    return fleetIn(variablesIn(process.cwd()));
  } catch (error) {
    if (error instanceof UsageError) return null;
    throw error;
  }
}

/** This project's reporter for Playwright: begins the runs, and makes results of what the tests decided. */
import type {
  FullConfig,
  FullResult,
  Reporter,
  Suite,
  TestCase,
  TestError,
  TestResult,
  TestRun,
} from '@playwright/test/reporter';
import { visible } from '../common/visible';
import { isTargetName } from '../config/directory';
import { resultsDirectory } from '../config/environment';
import { TAKEN } from '../run/locks';
import { Voice } from './console';
import { endWith, UNDONE } from './exit-status';
import { directoryFor, nearestInWords, placeReport } from './partial-run';
import { type Ended, Results } from './results';
import { current, type Runs } from './runs';
import { folded } from './screen';
import { clauseIdOf, comesAgain, plainError, Selection } from './selection';
import { keepWholeTargets } from './sharding';
import { shareWorkers } from './shared-workers';

/** How long a worker may take to stop. A busy worker reports every second, so only a worker that hangs takes longer. */
const WORKER_STOPS_WITHIN_MS = '5000';
const STOPPED_BY_FORCE = /^worker-\d+ process did not exit within \d+ms after stop/;

/** The instance that reports. A configuration may name this reporter twice. */
let active: ConformanceReporter | null = null;

/** Playwright calls its methods; `onEnd` decides the exit status. */
export default class ConformanceReporter implements Reporter {
  private readonly mode: string;
  private readonly errors: string[] = [];
  private readonly told = new Set<string>();
  private voice: Voice | null = null;
  private results: Results | null = null;
  /** Why this shard has nothing to do; `null` if nothing is to be said. */
  private whyEmpty: string | null = null;

  /** @param options Playwright's own, among them what the run is for: `test`, `list` or `merge` */
  constructor(options: { _mode?: string } = {}) {
    this.mode = options._mode ?? (process.argv.includes('merge-reports') ? 'merge' : 'test');
  }

  printsToStdio(): boolean {
    return this.mode !== 'list';
  }

  async preprocess({ config, suite, testRun }: { config: FullConfig; suite: Suite; testRun: TestRun }): Promise<void> {
    if (this.isSilent()) return;
    const { runs } = current;
    const isFleet = runs?.isFleet ?? config.metadata.targets !== undefined;
    this.whyEmpty = keepWholeTargets(config, suite, testRun, isFleet);
    if (!runs?.isFleet || !runs.isSparing) return;
    const ofClauses = suite.allTests().filter((test) => clauseIdOf(test) !== null);
    runs.projects = shareWorkers(config, ofClauses);
  }

  onBegin(config: FullConfig, suite: Suite): void {
    if (this.isSilent() || this.mode === 'list') return;
    // If another process ends the run, or its terminal is closed, it still leaves its results, as after Ctrl-C.
    for (const signal of ['SIGTERM', 'SIGHUP']) process.once(signal, () => process.kill(process.pid, 'SIGINT'));
    // A worker that is told to stop while it starts never learns of it, and Playwright would wait five minutes.
    process.env.PWTEST_CHILD_PROCESS_TIMEOUT ??= WORKER_STOPS_WITHIN_MS;
    endWith(null);
    const voice = new Voice(config);
    this.voice = voice;
    const { runs } = current;
    if (this.whyEmpty !== null) {
      voice.say(this.whyEmpty);
      return;
    }
    const isMerge = this.mode === 'merge';
    // A merge also knows the targets for which no shard brought results.
    const merged: unknown[] = (isMerge && config.metadata.targets) || [];
    const isFleet = runs?.isFleet ?? merged.length > 0;
    const tests = suite.allTests();
    // Reports of tests that are not this suite's.
    if (isMerge && !isFleet && !tests.some(clauseIdOf)) return;
    const selections = isFleet ? selectionsIn(suite, runs) : new Map([['', new Selection(tests)]]);
    const strange = [...selections.keys(), ...merged].find((name) => typeof name !== 'string' || !isTargetName(name));
    if (isFleet && strange !== undefined) {
      // The results of each target go into a directory of its name.
      this.errors.push(`A target cannot be called ${JSON.stringify(strange)}: its name is none of a file.`);
      return;
    }
    const root = resultsDirectory();
    const ids = tests.length > 0 ? tests.flatMap((test) => clauseIdOf(test) ?? []) : null;
    const directory = isFleet && isMerge ? root : directoryFor(ids, root);
    // Other shards may leave their reports in the same directory, so none are removed.
    const reports = isMerge || config.shard !== null ? null : directory;
    placeReport(config, root, directory);
    const { failOnFlakyTests = false } = config as { failOnFlakyTests?: boolean };
    const place = { directory, reports, isFleet, isMerge, failOnFlakyTests };
    this.results = new Results(selections, merged as string[], runs, place, voice);
  }

  onTestEnd(test: TestCase, result: TestResult): void {
    const { voice, results } = this;
    if (!voice || !results) return;
    voice.hideProgress();
    const { isFleet } = results.place;
    const name = isFleet ? (test.parent.project()?.name ?? '') : '';
    const isFailed = result.status === 'failed' || result.status === 'timedOut';
    // Two projects, a retry or a repetition may fail the same clause. It is told once.
    const what = `${name} ${clauseIdOf(test) ?? test.id}`;
    if (isFailed && voice.tellsFailures && !comesAgain(test, result) && !this.told.has(what)) {
      this.told.add(what);
      // For many targets, one line for each clause is enough. The page of each target holds the rest.
      if (isFleet) voice.say(`  ✘ ${name}: ${visible(lineOf(test))}`, 'bad');
      else
        for (const error of result.errors)
          voice.say(folded(`\n  ✘ ${visible(plainError(error)).replace(/\n(?=.)/g, '\n    ')}\n`, voice.width), 'bad');
    }
    results.onTestEnd(name, test, result);
  }

  onError(error: TestError): void {
    const plain = plainError(error);
    const text = (/^No tests found/.test(plain) && nearestInWords(process.argv)) || plain;
    // After `-x`, the clauses that were decided still make the verdict.
    if (!/^Testing stopped early after \d+ maximum allowed failures/.test(text)) this.errors.push(text);
  }

  async onEnd({ status }: FullResult): Promise<{ status?: FullResult['status'] } | undefined> {
    if (active === this) active = null;
    const { voice, results } = this;
    if (!voice) return undefined;
    voice.hideProgress();
    const errors = this.errors.filter((error) => status !== 'interrupted' || !STOPPED_BY_FORCE.test(error));
    let ended: Ended | null = null;
    // If another run writes to the directory, the results in it belong to that run.
    if (results && !errors.some((error) => error.startsWith(TAKEN))) ended = results.end(status, errors);
    else if (errors.length > 0) {
      for (const error of errors) voice.say(error);
      ended = { status: 'failed', exitStatus: UNDONE };
    }
    current.runs?.end();
    if (ended === null) return undefined;
    // The command that merges reports ignores what a reporter returns.
    endWith(ended.exitStatus ?? (this.mode === 'merge' && ended.status !== 'passed' ? 1 : null));
    return { status: ended.status };
  }

  /** Whether another instance reports. */
  private isSilent(): boolean {
    active ??= this;
    return active !== this;
  }
}

function selectionsIn(suite: Suite, runs: Runs | null): Map<string, Selection> {
  const all = suite.suites.map((project) => [project.title, new Selection(project.allTests())] as const);
  return new Map(all.filter(([name, { ids }]) => runs?.prepared.has(name) ?? ids.length > 0));
}

/** Returns the clause and the first line of what came. */
function lineOf(test: TestCase): string {
  const told = test.annotations.find(({ type }) => type === 'fail' || type === 'warn')?.description;
  return `${clauseIdOf(test) ?? test.title}: ${told ?? 'failed'}`.replace(/\n.*/s, '');
}

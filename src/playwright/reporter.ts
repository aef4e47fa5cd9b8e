/** Playwright's reporter of this project: begins the runs, and turns what the tests decided into results. */
import { relative } from 'node:path';
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
import { TAKEN } from '../run/locks';
import { isTargetName } from '../target/directory';
import { resultsDirectory } from '../target/environment';
import { endWith } from './exit-status';
import { plainError } from './own-tests';
import { directoryFor, nearestInWords } from './part';
import { type Ended, Results } from './results';
import { current, type Runs } from './runs';
import { clauseIdOf, comesAgain, Selection } from './selection';
import { keepWholeTargets } from './sharding';
import { shareWorkers } from './shared-workers';
import { Voice } from './voice';

/** A worker that is busy stopping tells so every second, so that this ends only one that is not. */
const WORKER_STOPS_WITHIN_MS = '5000';
const STOPPED_BY_FORCE = /^worker-\d+ process did not exit within \d+ms after stop/;

/** The instance that reports: a configuration may name this reporter twice. */
let active: ConformanceReporter | null = null;

/** Playwright calls its methods; `onEnd` decides the exit status. */
export default class ConformanceReporter implements Reporter {
  private readonly mode: string;
  private errors: string[] = [];
  private readonly told = new Set<string>();
  private voice: Voice | null = null;
  private results: Results | null = null;
  /** Whether each project is a target of its own. */
  private isFleet = false;
  /** Why this shard is empty. */
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
    if (runs?.isFleet && runs.isSparing)
      runs.projects = shareWorkers(
        config,
        suite.allTests().filter((test) => clauseIdOf(test) !== null),
      );
  }

  onBegin(config: FullConfig, suite: Suite): void {
    if (this.isSilent() || this.mode === 'list') return;
    // Who is told to end by another process still leaves what was seen, as after Ctrl-C.
    process.once('SIGTERM', () => process.kill(process.pid, 'SIGINT'));
    // A worker that is told to stop while it is still starting never hears of it, and Playwright waits five minutes.
    process.env.PWTEST_CHILD_PROCESS_TIMEOUT ??= WORKER_STOPS_WITHIN_MS;
    endWith(null);
    const voice = new Voice(config);
    this.voice = voice;
    const { runs } = current;
    if (this.whyEmpty !== null) {
      voice.say(this.whyEmpty);
      return;
    }
    const tests = suite.allTests();
    const ids = tests.length > 0 ? tests.flatMap((test) => clauseIdOf(test) ?? []) : null;
    const reports = resultsDirectory();
    const isMerge = this.mode === 'merge';
    // A merge knows of targets that no shard brought results of.
    const merged = isMerge ? ((config.metadata.targets as unknown[] | undefined) ?? []) : [];
    this.isFleet = runs?.isFleet ?? merged.length > 0;
    if (isMerge && !this.isFleet) return;
    const { isFleet } = this;
    const directory = isMerge ? reports : directoryFor(ids, reports);
    const selections = isFleet ? selectionsIn(suite, runs) : new Map([['', new Selection(tests)]]);
    const strange = [...selections.keys(), ...merged].find((name) => typeof name !== 'string' || !isTargetName(name));
    if (isFleet && strange !== undefined) {
      // Its results would lie in a directory of this name.
      this.errors.push(`A target cannot be called ${visible(JSON.stringify(strange))}: its name is none of a file.`);
      return;
    }
    const where = relative(process.cwd(), directory) || '.';
    const place = { directory, reports, where, isFleet, isMerge, isShard: config.shard !== null };
    this.results = new Results(selections, merged as string[], runs, place, voice);
  }

  onTestEnd(test: TestCase, result: TestResult): void {
    const { voice, results, isFleet } = this;
    if (!voice || !results) return;
    voice.hideProgress();
    const name = isFleet ? (test.parent.project()?.name ?? '') : '';
    const isFailed = result.status === 'failed' || result.status === 'timedOut';
    // A clause of two projects, a retry or a repetition is told once.
    const what = `${name} ${clauseIdOf(test) ?? test.id}`;
    if (isFailed && voice.tellsFailures && !comesAgain(test, result) && !this.told.has(what)) {
      this.told.add(what);
      // Of many targets a line for each clause is enough: the page of each has all of it.
      if (isFleet) voice.say(`  ✘ ${name}: ${visible(lineOf(test))}`);
      else for (const error of result.errors) voice.say(`\n  ✘ ${indented(visible(plainError(error)))}\n`);
    }
    results.onTestEnd(name, test, result);
  }

  onError(error: TestError): void {
    const plain = plainError(error);
    const text = (/^No tests found/.test(plain) && nearestInWords(process.argv)) || plain;
    // With `-x` what was decided is still the verdict.
    if (!/^Testing stopped early after \d+ maximum allowed failures/.test(text)) this.errors.push(text);
  }

  async onEnd(result: FullResult): Promise<{ status?: FullResult['status'] } | undefined> {
    if (active === this) active = null;
    if (!this.voice) return undefined;
    this.voice.hideProgress();
    if (result.status === 'interrupted') this.errors = this.errors.filter((error) => !STOPPED_BY_FORCE.test(error));
    const ended: Ended | null =
      // What stands in a directory that another run writes to is that run's.
      (this.errors.some((error) => error.startsWith(TAKEN)) ? null : this.results?.end(result.status, this.errors)) ??
      (this.errors.length > 0 ? this.endStrange() : null);
    current.runs?.end();
    if (ended === null) return undefined;
    // The command that merges reports looks at nothing that a reporter returns.
    endWith(ended.exitStatus ?? (this.mode === 'merge' && ended.status !== 'passed' ? 1 : null));
    return { status: ended.status };
  }

  /** Where nothing could be begun. */
  private endStrange(): Ended {
    for (const error of this.errors) this.voice?.say(error);
    return { status: 'failed', exitStatus: 2 };
  }

  /** Whether another instance reports. */
  private isSilent(): boolean {
    active ??= this;
    return active !== this;
  }
}

/** The tests of each target. */
function selectionsIn(suite: Suite, runs: Runs | null): Map<string, Selection> {
  const all = suite.suites.map(
    (project) => [project.project()?.name ?? '', new Selection(project.allTests())] as const,
  );
  return new Map(all.filter(([name, { ids }]) => runs?.prepared.has(name) ?? ids.length > 0));
}

/** The clause and what came, as the test tells it. */
function lineOf(test: TestCase): string {
  const told = test.annotations.find(({ type }) => type === 'fail' || type === 'warn')?.description;
  return `${clauseIdOf(test) ?? test.title}: ${told ?? 'failed'}`.split('\n', 1)[0] ?? '';
}

function indented(text: string): string {
  return text.replace(/\n(?=.)/g, '\n    ');
}

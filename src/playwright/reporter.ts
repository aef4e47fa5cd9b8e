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
} from '@playwright/test/reporter';
import type { Past } from '../history/store';
import { coreMusts } from '../judge/verdict';
import { reportInputOf } from '../report/assemble';
import { clearResults, writeResults } from '../report/files';
import type { Recorded } from '../report/model';
import { closingTable, fleetTable, targetLine } from '../report/terminal';
import { plural } from '../report/words';
import { TAKEN } from '../run/locks';
import { nothingRecorded } from '../run/recorded';
import type { Run } from '../run/run';
import { isOn, resultsDirectory, variablesIn } from '../target/environment';
import { currentRuns } from './current';
import { FleetResults } from './fleet-results';
import { Nights } from './nights';
import { directoryFor, nearestInWords } from './part';
import { Selection } from './selection';

/** How often a terminal without a cursor is told what the run waits for. */
const PROGRESS_MS = 5000;

const INCOMPLETE = 'REQUIRE_COMPLETE is set, and a MUST of the core profile was not tested: the run fails.\n';

const UNTRIGGERED = 'A target file declares notifications, and its trigger did not work: the run fails.\n';

/** Playwright calls its methods; `onEnd` decides the exit status. */
export default class ConformanceReporter implements Reporter {
  private readonly startedAtEpochMs = Date.now();
  private directory = resultsDirectory();
  private readonly nights = new Nights(variablesIn(process.cwd()));
  private readonly isMerge = process.argv.includes('merge-reports');
  private readonly errors: string[] = [];
  /** By project; a run against one target is the project without a name. */
  private selections = new Map<string, Selection>();
  private fleet: FleetResults | null = null;
  private ticker: NodeJS.Timeout | null = null;
  /** Whether a trigger of any target did not work. */
  private isUntriggered = false;

  private get where(): string {
    return relative(process.cwd(), this.directory) || '.';
  }

  printsToStdio(): boolean {
    return true;
  }

  onBegin(config: FullConfig, suite: Suite): void {
    // Who is told to end by another process still leaves what was seen, as after Ctrl-C.
    process.once('SIGTERM', () => process.kill(process.pid, 'SIGINT'));
    this.selections = new Map(suite.suites.map((one) => [one.project()?.name ?? '', new Selection(one.allTests())]));
    const runs = currentRuns();
    const targets = config.metadata.targets as string[] | undefined;
    if (targets && (runs || this.isMerge)) this.beginFleet(targets, runs);
    else if (runs) this.beginSingle(runs.get(''));
  }

  private beginSingle(run: Run | undefined): void {
    const selection = this.selections.get('');
    if (!run || !selection) return;
    this.directory = directoryFor(selection.ids, this.directory);
    // What an earlier run left must not be taken for this one's, whatever ends it.
    this.attempt(() => clearResults(this.directory));
    run.begin(selection.ids);
    const { target } = run.sofar().evidence;
    for (const notice of run.notices) this.say(notice);
    this.say(
      `${target.name} (${target.baseURL}): ${plural(selection.ids.length, 'clause')}, ${plural(target.accounts.length, 'account')}`,
    );
    this.showProgress(() => run.doing());
  }

  private beginFleet(targets: string[], runs: ReadonlyMap<string, Run> | null): void {
    // A merge knows of targets that no shard brought results of.
    const names = [...new Set([...this.selections.keys(), ...(this.isMerge ? targets : [])])].sort();
    const [some] = [...this.selections.values()].filter(({ ids }) => ids.length > 0);
    if (some) this.directory = directoryFor(some.ids, this.directory);
    this.attempt(() => {
      this.fleet = new FleetResults(this.directory, names, this.nights);
    });
    if (!runs) return;
    const begun = names.map((name) => runs.get(name)).filter((run) => run !== undefined);
    for (const [name, selection] of this.selections) runs.get(name)?.begin(selection.ids);
    for (const run of runs.values()) for (const notice of run.notices) this.say(notice);
    this.say(plural(names.length, 'target'));
    const sent = () => begun.reduce((sum, run) => sum + run.requests(), 0);
    this.showProgress(() => `${plural(sent(), 'request')} to ${plural(begun.length, 'target')}`);
  }

  onTestEnd(test: TestCase, result: TestResult): void {
    this.hideProgress();
    const name = test.parent.project()?.name ?? '';
    const selection = this.selections.get(name);
    selection?.add(test, result);
    if (result.status === 'failed' || result.status === 'timedOut') {
      // Of many targets a line for each clause is enough: the page of each has all of it.
      if (this.fleet) this.say(`  ✘ ${name}: ${test.title.split(' ')[0]}: ${firstReason(test)}`);
      else for (const error of result.errors) this.say(`\n  ✘ ${indented(plainError(error))}\n`);
    }
    if (this.fleet && selection?.isFinished) this.finish(this.fleet, name, 'passed', null);
  }

  private finish(fleet: FleetResults, name: string, status: FullResult['status'], error: string | null): void {
    const run = currentRuns()?.get(name) ?? null;
    const selection = this.selectionOf(name);
    this.isUntriggered ||= hasFailedTrigger(run?.sofar() ?? selection.recorded);
    this.attempt(() => fleet.finish(name, selection, run, status, error));
    const target = fleet.targets.find((one) => one.name === name);
    if (target) this.say(targetLine(target));
  }

  onError(error: TestError): void {
    const text = /^(?:Error: )?No tests found/.test(plainError(error))
      ? `${plainError(error)}\n${nearestInWords(process.argv)}`.trim()
      : plainError(error);
    // With `-x` what was decided is still the verdict.
    if (!/^Testing stopped early after \d+ maximum allowed failures/.test(text)) this.errors.push(text);
  }

  async onEnd(result: FullResult): Promise<{ status?: FullResult['status'] } | undefined> {
    this.hideProgress();
    const status = this.fleet ? this.endFleet(this.fleet, result) : this.endSingle(result);
    // The command that merges reports looks at nothing that a reporter returns.
    if (this.isMerge && status !== null && status !== 'passed') {
      process.once('exit', () => {
        process.exitCode = 1;
      });
    }
    return status === null ? undefined : { status };
  }

  private endFleet(fleet: FleetResults, result: FullResult): FullResult['status'] {
    const why =
      this.errors.join('\n') ||
      (result.status === 'interrupted'
        ? 'The run was interrupted before this target was finished.'
        : this.isMerge
          ? 'No report that was merged holds all of this target: its shard did not finish.'
          : 'The run ended before this target was finished.');
    for (const name of fleet.names) if (!fleet.has(name)) this.finish(fleet, name, result.status, why);
    this.attempt(() => fleet.writeOverview(process.env.GITHUB_STEP_SUMMARY));
    const { targets } = fleet;
    this.say(fleetTable(targets, this.where));
    for (const error of this.errors) this.say(`${error}\n`);
    const isIncomplete =
      isOn(variablesIn(process.cwd()), 'REQUIRE_COMPLETE') &&
      targets.some(({ conformance }) => coreMusts(conformance?.clauses ?? [], 'not-tested').length > 0);
    if (isIncomplete) this.say(INCOMPLETE);
    if (this.isUntriggered) this.say(UNTRIGGERED);
    const isUndone =
      this.isUntriggered || this.errors.length > 0 || targets.some((target) => target.verdict === 'error');
    return result.status === 'passed' && (isUndone || isIncomplete) ? 'failed' : result.status;
  }

  private endSingle({ status }: FullResult): FullResult['status'] | null {
    const run = currentRuns()?.get('');
    // Tests that are only listed were never prepared, and leave nothing.
    if (!run && this.errors.length === 0) return null;
    // What is there is the other run's.
    const taken = this.errors.find((error) => error.startsWith(TAKEN));
    if (taken !== undefined) {
      this.say(taken);
      return 'failed';
    }
    const selection = this.selectionOf('');
    const why = (id: string) => selection.whyUndecided(id, status);
    const input = reportInputOf(run?.sofar() ?? nothingRecorded('none'), run?.judgements() ?? new Map(), why, {
      error: this.errors.join('\n') || null,
      startedAtEpochMs: this.startedAtEpochMs,
      baseline: run?.baseline ?? null,
      past: this.pastOf(),
    });
    try {
      writeResults(this.directory, input, process.env.GITHUB_STEP_SUMMARY);
      // A run that was interrupted is neither whole nor a gap.
      if (run && status !== 'interrupted') this.nights.keep(input.conformance);
    } catch (problem) {
      // Where nothing was sent, this is what kept the run from being done.
      if (run) this.say(closingTable(input, null));
      this.say((problem as Error).message);
      return 'failed';
    }
    this.say(closingTable(input, this.where));
    const { clauses, verdict } = input.conformance;
    const isIncomplete = run?.requireComplete === true && coreMusts(clauses, 'not-tested').length > 0;
    if (isIncomplete) this.say(INCOMPLETE);
    const isUntriggered = hasFailedTrigger(input);
    if (isUntriggered) this.say(UNTRIGGERED);
    return verdict === 'error' || isIncomplete || isUntriggered ? 'failed' : status;
  }

  /** What earlier runs left; a history that cannot be read keeps nobody from a verdict. */
  private pastOf(): Past | null {
    try {
      return this.nights.past();
    } catch (problem) {
      this.say((problem as Error).message);
      return null;
    }
  }

  private selectionOf(name: string): Selection {
    return this.selections.get(name) ?? new Selection([]);
  }

  /** Keeps what cannot be written for the end, and once. */
  private attempt(write: () => void): void {
    try {
      write();
    } catch (problem) {
      const { message } = problem as Error;
      if (!this.errors.includes(message)) this.errors.push(message);
    }
  }

  private say(text: string): void {
    process.stdout.write(`${text}\n`);
  }

  private showProgress(doing: () => string): void {
    const isTerminal = process.stdout.isTTY;
    let shown = '';
    const show = () => {
      const line = `  ${doing()}`;
      if (line === shown) return;
      shown = line;
      if (isTerminal) process.stdout.write(`\r\u001b[2K${line.slice(0, (process.stdout.columns ?? 80) - 1)}`);
      else this.say(line);
    };
    this.ticker = setInterval(show, isTerminal ? 250 : PROGRESS_MS);
    this.ticker.unref();
  }

  private hideProgress(): void {
    if (this.ticker === null) return;
    clearInterval(this.ticker);
    this.ticker = null;
    if (process.stdout.isTTY) process.stdout.write('\r\u001b[2K');
  }
}

function hasFailedTrigger(recorded: Pick<Recorded, 'evidence'> | null): boolean {
  return recorded?.evidence.triggers.some(({ failure }) => failure !== null) ?? false;
}

/** What came, as the test tells it. */
function firstReason(test: TestCase): string {
  const told = test.annotations.find(({ type }) => type === 'fail' || type === 'warn');
  return told?.description ?? 'failed';
}

function indented(text: string): string {
  return text.replace(/\n(?=.)/g, '\n    ');
}

/** The message of an error, without stack and colours. */
function plainError(error: TestError): string {
  const text = error.message ?? error.value ?? 'unknown error';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
  return text.replace(/\u001b\[[0-9;]*m/g, '').replace(/^(?:Usage)?Error: /, '');
}

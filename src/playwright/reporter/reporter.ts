/** This project's reporter for Playwright: begins the runs, and makes results of what the tests decided. */
import { basename, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type {
  FullConfig,
  Reporter,
  Suite,
  TestCase,
  TestError,
  TestResult,
  TestRun,
  TestStep,
} from '@playwright/test/reporter';
import { inert, visible } from '../../common/text';
import { resultsDirectory } from '../../config/configuration';
import { gatedText, secretsKnown } from '../../redaction/gate';
import { folded } from '../../report/terminal';
import { modeOf } from '../client';
import { current, isWatched, type Runs } from '../service';
import { directoryFor, embedding, isConformanceProject } from '../setup/suite-config';
import { ConsoleOutput, endWith, STOPPED_BY_FORCE, UNDONE } from './console';
import { changeTexts, clearLeft, maskResult, maskTexts } from './masked-results';
import { type Ended, Results } from './results';
import {
  clauseIdOf,
  comesAgain,
  excludeSecretTitles,
  failureInWords,
  hasFailed,
  keepOutOfShards,
  plainError,
  Selection,
  whyProjectIsEmpty,
} from './selection';

/** The instance that reports. A configuration may name this reporter twice. */
let active: ConformanceReporter | null = null;

/** Playwright calls its methods; `onEnd` decides the exit status. */
export default class ConformanceReporter implements Reporter {
  private readonly mode: string;
  private readonly errors: string[] = [];
  private readonly reported = new Set<string>();
  /** What tests that are no clauses left, and how it is masked. */
  private readonly own: Array<{ outputs: string; mask: () => void }> = [];
  /** How many secrets were known when all of it was masked last. */
  private known = 0;
  private out: ConsoleOutput | null = null;
  private results: Results | null = null;
  private runs: Runs | null = null;
  private hasOthersFailed = false;
  /** Says that the clauses are left out of this shard; `null` if they are not. */
  private leftOut: string | null = null;
  /** A run that is stopped while it loads goes on with it after its end. */
  private hasEnded = false;

  /** @param options Playwright's own, among them what it is made for: `test`, `list` or `merge` */
  constructor(options: object = {}) {
    this.mode = modeOf(options);
  }

  printsToStdio(): boolean {
    // Beside other tests, Playwright adds a reporter of failures where there is none.
    return this.mode !== 'list' && embedding.options === null;
  }

  async preprocess({ config, suite, testRun }: { config: FullConfig; suite: Suite; testRun: TestRun }): Promise<void> {
    if (this.isSilent()) return;
    this.errors.push(...excludeSecretTitles(suite, testRun));
    if (embedding.options !== null) this.leftOut = keepOutOfShards(config, suite, testRun);
  }

  onBegin(config: FullConfig, suite: Suite): void {
    if (this.isSilent() || this.mode !== 'test') return;
    // If another process ends the run, or its terminal is closed, it still leaves its results, as after Ctrl-C.
    for (const signal of ['SIGTERM', 'SIGHUP']) process.off(signal, interrupt).once(signal, interrupt);
    for (const stream of [process.stdout, process.stderr]) stream.off('error', notRead).on('error', notRead);
    // Playwright's reports hold what a configuration notes of a run, such as a variable of the environment, and the words that started it.
    const { argv = [] }: { argv?: string[] } = config;
    for (const noted of [config.metadata, ...config.projects.map(({ metadata }) => metadata), argv]) changeTexts(noted);
    endWith(null);
    this.runs = current.runs;
    const { runs } = this;
    const words = process.argv.slice(2);
    const isBesideOthers = embedding.options !== null;
    const tests = suite.allTests().filter((test) => !isBesideOthers || isConformanceProject(test.parent.project()));
    const out = new ConsoleOutput(config, isBesideOthers);
    if (isBesideOthers && tests.length === 0) {
      const { leftOut } = this;
      const reason = leftOut === null ? whyProjectIsEmpty(config, suite, words) : { text: leftOut, fails: false };
      if (reason?.fails) {
        this.errors.push(reason.text);
        this.out = out;
      } else if (reason) out.print(folded(reason.text, out.width));
      // Another run may write results meanwhile.
      void runs?.unlock();
      return;
    }
    // Other reporters print the place of a clause before its title, and the path of the package leaves no room for that.
    if (isBesideOthers && !isWatched())
      for (const { location } of tests) location.file = join(config.rootDir, basename(location.file));
    const ids = tests.length > 0 ? tests.flatMap((test) => clauseIdOf(test) ?? []) : null;
    const directory = directoryFor(ids, resultsDirectory(), words);
    const waitsForTest = isBesideOthers || config.projects.some(({ dependencies }) => dependencies.length > 0);
    this.out = out;
    this.results = new Results(targetsOf(tests, suite, runs), runs, directory, waitsForTest, out);
  }

  onTestEnd(test: TestCase, result: TestResult): void {
    if (active !== this) return;
    const project = test.parent.project();
    const isOthers = embedding.options !== null && !isConformanceProject(project);
    this.hasOthersFailed ||= isOthers && test.outcome() === 'unexpected' && !comesAgain(test, result);
    if (clauseIdOf(test) === null) {
      const outputs = project?.outputDir ?? '';
      const mask = () => maskResult(result, outputs, isOthers ? undefined : inert);
      mask();
      this.own.push({ outputs, mask });
      // A later test may have shown what is a secret.
      if (secretsKnown() > this.known) for (const left of this.own) left.mask();
      this.known = secretsKnown();
    }
    const { out, results } = this;
    if (!out || !results) return;
    out.hideProgress();
    const target = this.runs?.nameFor(project?.name) ?? '';
    // Other reporters of failures show it by themselves.
    if (out.reportsFailures) this.print(out, test, result, target);
    results.onTestEnd(target, test, result);
  }

  /** Prints what a test printed, and why it failed in the end. */
  private print(out: ConsoleOutput, test: TestCase, result: TestResult, target: string): void {
    const printed = stripVTControlCharacters([...result.stdout, ...result.stderr].join('')).trimEnd();
    if (printed !== '') out.print(printed);
    const clause = clauseIdOf(test);
    // Two projects, a retry or a repetition may fail the same clause. It is reported once.
    const what = clause ?? test.id;
    if (!hasFailed(result) || comesAgain(test, result) || this.reported.has(what)) return;
    this.reported.add(what);
    if (clause === null) out.print(failureInWords(test, result.errors, target), 'red');
    // For many targets, the line of each says what broke it, and its page the rest.
    else if (target === '')
      for (const error of result.errors)
        out.print(folded(`\n  ✘ ${visible(plainError(error)).replace(/\n(?=.)/g, '\n    ')}\n`, out.width), 'red');
  }

  onStepBegin(test: TestCase, result: TestResult, step: TestStep): void {
    // The result and the steps around this one are masked in their own time.
    const around = new Set<object>([result, ...(step.parent ? [step.parent] : [])]);
    if (active === this && clauseIdOf(test) === null) changeTexts(step, gatedText, around);
  }

  onStepEnd(test: TestCase, result: TestResult, step: TestStep): void {
    this.onStepBegin(test, result, step);
  }

  onError(error: TestError): void {
    // Other reporters write it as well.
    maskTexts(error);
    const text = plainError(error);
    // After `-x`, the clauses that were decided still make the verdict.
    if (!/^Testing stopped early after \d+ maximum allowed failures/.test(text)) this.errors.push(text);
  }

  async onEnd({ status }: Pick<Ended, 'status'>): Promise<Pick<Ended, 'status'> | undefined> {
    this.hasEnded = true;
    if (active === this) active = null;
    for (const outputs of new Set(this.own.map((left) => left.outputs))) clearLeft(outputs);
    const { out, results } = this;
    if (!out) return undefined;
    out.hideProgress();
    const errors = this.errors.filter((error) => status !== 'interrupted' || !STOPPED_BY_FORCE.test(error));
    let ended: Ended | null = null;
    // If another run writes to the directory, the results in it belong to that run.
    if (results && !current.isTaken) ended = results.end(status, errors);
    else if (errors.length > 0) {
      for (const error of errors) out.print(error);
      ended = { status: 'failed', exitStatus: UNDONE };
    }
    this.runs?.end();
    if (ended === null) return undefined;
    // Of two runs in one, a failed test matters more than a target that could not be judged.
    if (this.hasOthersFailed && status !== 'interrupted') ended = { ...ended, status: 'failed', exitStatus: 1 };
    endWith(ended.exitStatus);
    return { status: ended.status };
  }

  private isSilent(): boolean {
    if (!this.hasEnded) active ??= this;
    return active !== this;
  }
}

function interrupt(): void {
  process.kill(process.pid, 'SIGINT');
}

/** After its terminal was closed, a run writes its results all the same. */
function notRead(): void {}

/** Returns the targets with their tests. A single target has all of them. */
function targetsOf(tests: readonly TestCase[], suite: Suite, runs: Runs | null): Selection[] {
  if (!runs?.isFleet) return [new Selection('', tests)];
  const ours = suite.suites.filter(({ title }) => runs.prepared.has(title));
  return ours.map((project) => new Selection(project.title, project.allTests()));
}

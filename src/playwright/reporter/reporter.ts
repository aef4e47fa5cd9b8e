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
  exclude,
  failureInWords,
  keepOutOfShards,
  placeOf,
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
    this.excludeSecretTitles(suite, testRun);
    if (embedding.options !== null) this.leftOut = keepOutOfShards(config, suite, testRun);
  }

  /** Leaves out tests whose titles, tags or annotations hold a secret: Playwright writes them everywhere. */
  private excludeSecretTitles(suite: Suite, testRun: TestRun): void {
    for (const test of suite.allTests()) {
      const annotated = test.annotations.flatMap(({ type, description = '' }) => [type, description]);
      const written = [...test.titlePath(), ...test.tags, ...annotated].join('\n');
      if (clauseIdOf(test) !== null || gatedText(written) === written) continue;
      exclude(test, testRun);
      this.errors.push(
        `${placeOf(test.location)}: the titles, tags or annotations of this test hold a secret, so it was left out: every report would show it.`,
      );
    }
  }

  onBegin(config: FullConfig, suite: Suite): void {
    if (this.isSilent() || this.mode !== 'test') return;
    // If another process ends the run, or its terminal is closed, it still leaves its results, as after Ctrl-C.
    for (const signal of ['SIGTERM', 'SIGHUP']) process.off(signal, interrupt).once(signal, interrupt);
    for (const stream of [process.stdout, process.stderr]) stream.off('error', notRead).on('error', notRead);
    // Playwright's reports hold what a configuration notes of a run, such as a variable of the environment, and the words that started it.
    for (const noted of [config, ...config.projects]) changeTexts(noted.metadata);
    const started: { argv?: string[] } = config;
    if (started.argv) changeTexts(started.argv);
    const all = suite.allTests();
    endWith(null);
    const isBesideOthers = embedding.options !== null;
    const tests = isBesideOthers ? all.filter((test) => isConformanceProject(test.parent.project())) : all;
    const out = new ConsoleOutput(config, isBesideOthers);
    this.runs = current.runs;
    const { runs } = this;
    // Other reporters print the place of a clause before its title, and the path of the package leaves no room for that.
    if (isBesideOthers && !isWatched())
      for (const { location } of tests) location.file = join(config.rootDir, basename(location.file));
    const hasNone = isBesideOthers && tests.length === 0;
    const whyNone = hasNone ? whyProjectIsEmpty(config, suite, process.argv.slice(2)) : null;
    const notice = this.leftOut ?? (whyNone?.fails ? null : whyNone?.text);
    if (notice) out.print(folded(notice, out.width));
    else if (whyNone) this.errors.push(whyNone.text);
    // Nothing of ours was selected among other tests: another run may write results meanwhile.
    if (hasNone) void runs?.unlock();
    if (!hasNone || whyNone?.fails) this.out = out;
    if (hasNone) return;
    const selections = runs?.isFleet ? selectionsIn(suite, runs) : new Map([['', new Selection(tests)]]);
    const ids = tests.length > 0 ? tests.flatMap((test) => clauseIdOf(test) ?? []) : null;
    const directory = directoryFor(ids, resultsDirectory(), process.argv.slice(2));
    const waitsForTest = isBesideOthers || config.projects.some(({ dependencies }) => dependencies.length > 0);
    this.results = new Results(selections, runs, directory, waitsForTest, out);
  }

  onTestEnd(test: TestCase, result: TestResult): void {
    if (active !== this) return;
    const isOthers = embedding.options !== null && !isConformanceProject(test.parent.project());
    this.hasOthersFailed ||= isOthers && test.outcome() === 'unexpected' && !comesAgain(test, result);
    if (clauseIdOf(test) === null) {
      const outputs = test.parent.project()?.outputDir ?? '';
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
    const printed = stripVTControlCharacters([...result.stdout, ...result.stderr].join('')).trimEnd();
    // Other reporters of failures show it by themselves.
    if (out.reportsFailures && printed !== '') out.print(printed);
    const name = results.targetOf(test);
    const isFailed = result.status === 'failed' || result.status === 'timedOut';
    // Two projects, a retry or a repetition may fail the same clause. It is reported once.
    const what = `${name} ${clauseIdOf(test) ?? test.id}`;
    if (isFailed && out.reportsFailures && !comesAgain(test, result) && !this.reported.has(what)) {
      this.reported.add(what);
      if (clauseIdOf(test) === null) out.print(failureInWords(test, result.errors, name), 'red');
      // For many targets, the line of each says what broke it, and its page the rest.
      else if (!results.isFleet)
        for (const error of result.errors)
          out.print(folded(`\n  ✘ ${visible(plainError(error)).replace(/\n(?=.)/g, '\n    ')}\n`, out.width), 'red');
    }
    results.onTestEnd(name, test, result);
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

function selectionsIn(suite: Suite, { prepared }: Runs): Map<string, Selection> {
  const ours = suite.suites.filter(({ title }) => prepared.has(title));
  return new Map(ours.map((project) => [project.title, new Selection(project.allTests())]));
}

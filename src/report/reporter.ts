/** Playwright's reporter of this project: begins the run, and turns what the tests decided into results. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { FullResult, Reporter, Suite, TestCase, TestError, TestResult } from '@playwright/test/reporter';
import { NEEDS, VERDICT } from '../clause';
import { resultsDirectory } from '../config/configuration';
import type { ClauseResult } from '../conformance';
import type { Group } from '../probes/groups';
import { currentRun } from '../run/current';
import type { Judgement } from '../verdict';
import { conformanceOf } from './conformance';
import { toHar } from './har';
import { closingTable } from './terminal';

/** How often a terminal without a cursor is told what the run waits for. */
const PROGRESS_MS = 5000;

export default class ConformanceReporter implements Reporter {
  private readonly startedAtEpochMs = Date.now();
  private readonly decided = new Map<string, ClauseResult>();
  private readonly notes: string[] = [];
  private readonly errors: string[] = [];
  private selected = new Set<string>();
  private ticker: NodeJS.Timeout | null = null;
  private listing = true;

  printsToStdio(): boolean {
    return true;
  }

  onConfigure(): void {
    this.listing = false;
  }

  onBegin(_: unknown, suite: Suite): void {
    const run = currentRun();
    if (!run) return;
    this.listing = false;
    const tests = suite.allTests();
    this.selected = new Set(tests.map(clauseIdOf));
    const needs = tests.flatMap((test) =>
      test.annotations.filter((one) => one.type === NEEDS).map((one) => one.description as Group),
    );
    run.begin(needs);
    for (const notice of run.configuration.notices) this.say(notice);
    this.say(
      `${run.target.name} (${run.target.baseURL}): ${tests.length} clauses, ${run.target.accounts.length} accounts`,
    );
    this.showProgress();
  }

  onTestEnd(test: TestCase, result: TestResult): void {
    this.hideProgress();
    const carried = result.annotations.find((one) => one.type === VERDICT)?.description;
    const id = clauseIdOf(test);
    if (carried !== undefined) {
      const { note, ...decided } = JSON.parse(carried) as Judgement;
      this.decided.set(id, decided);
      if (note) this.notes.push(note);
    }
    if (result.status === 'failed' || result.status === 'timedOut') {
      for (const error of result.errors) this.say(`\n  ✘ ${plainError(error)}\n`);
    }
  }

  onError(error: TestError): void {
    this.errors.push(plainError(error));
  }

  async onEnd(result: FullResult): Promise<{ status?: FullResult['status'] } | undefined> {
    this.hideProgress();
    const run = currentRun();
    if (this.listing && !run && this.errors.length === 0) return undefined;
    const error = run?.recorder.error ?? (this.errors[0] === undefined ? null : this.errors.join('\n'));
    const evidence = run?.recorder.evidence() ?? null;
    const figures = {
      durationMs: Date.now() - this.startedAtEpochMs,
      waitedMs: run?.recorder.pace.waitedMs ?? 0,
      error,
    };
    const conformance = conformanceOf({
      evidence,
      decided: this.decided,
      undecided: (id) =>
        this.selected.has(id) ? 'The run was ended before this clause was decided.' : 'Not selected in this run.',
      startedAtEpochMs: this.startedAtEpochMs,
      ...figures,
      baseline: null,
    });
    const directory = resultsDirectory();
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, 'conformance.json'), `${JSON.stringify(conformance, null, 2)}\n`);
    if (evidence)
      writeFileSync(join(directory, 'evidence.har'), `${JSON.stringify(toHar(evidence, figures), null, 1)}\n`);
    this.say(closingTable(conformance, this.notes, relative(process.cwd(), directory) || '.'));
    const incomplete =
      run?.configuration.requireComplete && conformance.clauses.some((one) => one.verdict === 'not-tested');
    if (conformance.verdict === 'error' || incomplete) return { status: 'failed' };
    return { status: result.status };
  }

  private say(text: string): void {
    process.stdout.write(`${text}\n`);
  }

  private showProgress(): void {
    const isTerminal = process.stdout.isTTY;
    this.ticker = setInterval(
      () => {
        const run = currentRun();
        if (!run) return;
        const line = `  ${run.recorder.exchanges.length} requests; ${run.doing}${run.recorder.pace.isWaiting ? ': waiting for a window of the rate limit' : ''}`;
        if (isTerminal) process.stdout.write(`\r\u001b[2K${line.slice(0, (process.stdout.columns ?? 80) - 1)}`);
        else this.say(line);
      },
      isTerminal ? 250 : PROGRESS_MS,
    );
    this.ticker.unref();
  }

  private hideProgress(): void {
    if (this.ticker === null) return;
    clearInterval(this.ticker);
    this.ticker = null;
    if (process.stdout.isTTY) process.stdout.write('\r\u001b[2K');
  }
}

function clauseIdOf(test: TestCase): string {
  return test.title.split(' ')[0] ?? test.title;
}

/** The message of an error, without stack and colours. */
function plainError(error: TestError): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
  return (error.message ?? error.value ?? 'unknown error').replace(/\u001b\[[0-9;]*m/g, '').replace(/^Error: /, '');
}

/** Playwright's reporter of this project: begins the run, and turns what the tests decided into results. */
import { relative } from 'node:path';
import type { FullResult, Reporter, Suite, TestCase, TestError, TestResult } from '@playwright/test/reporter';
import { NEEDS, VERDICT } from '../clause';
import { textOf } from '../clauses';
import { resultsDirectory } from '../config/configuration';
import type { ClauseResult } from '../conformance';
import type { Group } from '../probes/groups';
import { currentRun } from '../run/current';
import type { Run } from '../run/run';
import type { Judgement } from '../verdict';
import { conformanceOf } from './conformance';
import { writeResults } from './results';
import { closingTable, NOT_SELECTED } from './terminal';

/** How often a terminal without a cursor is told what the run waits for. */
const PROGRESS_MS = 5000;

export default class ConformanceReporter implements Reporter {
  private readonly startedAtEpochMs = Date.now();
  private readonly decided = new Map<string, ClauseResult>();
  private readonly notes: string[] = [];
  private readonly errors: string[] = [];
  private selected = new Set<string>();
  private ticker: NodeJS.Timeout | null = null;

  printsToStdio(): boolean {
    return true;
  }

  onBegin(_: unknown, suite: Suite): void {
    const run = currentRun();
    if (!run) return;
    const tests = suite.allTests();
    this.selected = new Set(tests.map(clauseIdOf));
    run.begin(
      tests.flatMap((test) =>
        test.annotations.filter((one) => one.type === NEEDS).map((one) => one.description as Group),
      ),
    );
    const { target } = run.sofar().evidence;
    for (const notice of run.configuration.notices) this.say(notice);
    this.say(
      `${target.name} (${target.baseURL}): ${count(tests.length, 'clause')}, ${count(target.accounts.length, 'account')}`,
    );
    this.showProgress(run);
  }

  onTestEnd(test: TestCase, result: TestResult): void {
    this.hideProgress();
    const carried = result.annotations.find((one) => one.type === VERDICT)?.description;
    if (carried !== undefined) {
      const { note, ...decided } = JSON.parse(carried) as Judgement;
      this.decided.set(clauseIdOf(test), decided);
      if (note && !this.notes.includes(note)) this.notes.push(note);
    }
    if (result.status === 'failed' || result.status === 'timedOut') {
      for (const error of result.errors) this.say(`\n  ✘ ${indented(plainError(error))}\n`);
    }
  }

  onError(error: TestError): void {
    this.errors.push(plainError(error));
  }

  async onEnd(result: FullResult): Promise<{ status?: FullResult['status'] } | undefined> {
    this.hideProgress();
    const run = currentRun();
    // Tests that are only listed were never prepared, and leave nothing.
    if (!run && this.errors.length === 0) return undefined;
    const sofar = run?.sofar();
    const error = sofar?.error ?? (this.errors.length === 0 ? null : this.errors.join('\n'));
    const conformance = conformanceOf({
      evidence: sofar?.evidence ?? null,
      decided: this.decided,
      undecided: (id) => this.whyUndecided(id, result.status),
      startedAtEpochMs: sofar?.startedAtEpochMs ?? this.startedAtEpochMs,
      durationMs: sofar?.durationMs ?? Date.now() - this.startedAtEpochMs,
      waitedMs: sofar?.waitedMs ?? 0,
      error,
      baseline: run?.baseline ?? null,
    });
    const directory = resultsDirectory();
    const notes = [...(run?.notes ?? []), ...this.notes];
    const where = relative(process.cwd(), directory) || '.';
    try {
      writeResults(directory, conformance, sofar?.evidence ?? null, notes, process.env.GITHUB_STEP_SUMMARY);
    } catch (problem) {
      // Where nothing was sent, this is what kept the run from being done.
      if (run) this.say(closingTable(conformance, notes, null));
      this.say((problem as Error).message);
      return { status: 'failed' };
    }
    this.say(closingTable(conformance, notes, where));
    const isIncomplete = run?.configuration.requireComplete === true && conformance.clauses.some(isUntestedCoreMust);
    if (isIncomplete)
      this.say('REQUIRE_COMPLETE is set, and a MUST of the core profile was not tested: the run fails.\n');
    return { status: conformance.verdict === 'error' || isIncomplete ? 'failed' : result.status };
  }

  private whyUndecided(id: string, status: FullResult['status']): string {
    if (!this.selected.has(id)) return NOT_SELECTED;
    return status === 'interrupted'
      ? 'The run was interrupted before this clause was decided.'
      : 'The run ended before this clause was decided.';
  }

  private say(text: string): void {
    process.stdout.write(`${text}\n`);
  }

  private showProgress(run: Run): void {
    const isTerminal = process.stdout.isTTY;
    let shown = '';
    const show = () => {
      const line = `  ${run.doing()}`;
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

function isUntestedCoreMust(clause: ClauseResult): boolean {
  return clause.level === 'must' && clause.verdict === 'not-tested' && textOf(clause.id).profile === 'core';
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}

function indented(text: string): string {
  return text.replace(/\n(?=.)/g, '\n    ');
}

function clauseIdOf(test: TestCase): string {
  return test.title.split(' ')[0] ?? test.title;
}

/** The message of an error, without stack and colours. */
function plainError(error: TestError): string {
  const text = error.message ?? error.value ?? 'unknown error';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
  return text.replace(/\u001b\[[0-9;]*m/g, '').replace(/^(?:Usage)?Error: /, '');
}

/** The reporter's output: where it goes, how wide and in which colours, which other reporters report failures; and how the process ends. */
import { WriteStream } from 'node:tty';
import { styleText } from 'node:util';
import type { ReporterDescription } from '@playwright/test';
import type { FullConfig } from '@playwright/test/reporter';
import { visible } from '../../common/text';
import { WIDEST } from '../../report/terminal';
import type { Tone } from '../../report/words';

const REPORT_FAILURES = new Set(['list', 'line', 'dot', 'failures']);
/** Reporters whose standard output is read by machines, unless they write to a file. */
const MACHINE_READ = new Set(['json', 'junit']);

const PROGRESS_MS = 5000;
const PROGRESS_ON_A_TERMINAL_MS = 250;

export class ConsoleOutput {
  /** Whether each failure is reported here, because no other reporter does. One that does also moves the cursor. */
  readonly reportsFailures: boolean;
  readonly width: number;
  private readonly hasColours: boolean;
  private readonly stream: NodeJS.WriteStream;
  private ticker: NodeJS.Timeout | null = null;

  /** @param isEmbedded whether other tests run, too: then Playwright adds a reporter of failures where there is none */
  constructor({ reporter }: Pick<FullConfig, 'reporter'>, isEmbedded = false) {
    this.stream = reporter.some(claimsOutput) ? process.stderr : process.stdout;
    this.reportsFailures = !isEmbedded && !reporter.some(([name]) => REPORT_FAILURES.has(name));
    const { isTTY, columns } = this.stream;
    this.hasColours = (isTTY || Boolean(process.env.FORCE_COLOR)) && WriteStream.prototype.hasColors();
    // A file has as many columns as the widest line.
    this.width = isTTY && columns ? Math.min(WIDEST, columns) : WIDEST;
  }

  /** @param tone the colour of the first line; `null` for none */
  print(text: string, tone: Tone | null = null): void {
    // A line of a server's text may be as long as its answer.
    const lines = visible(text).replace(/^(.{4000}).+$/gm, '$1…');
    const painted = tone && this.hasColours ? lines.replace(/\S.*/, (line) => styleText(['bold', tone], line)) : lines;
    this.stream.write(`${painted}\n`);
  }

  showProgress(doing: () => string): void {
    const isTerminal = this.stream.isTTY;
    // Lines in between would disturb a reporter that moves the cursor.
    if (isTerminal && !this.reportsFailures) return;
    let shown = '';
    const show = () => {
      const line = `  ${visible(doing())}`;
      if (line === shown) return;
      shown = line;
      if (isTerminal) this.stream.write(`\r\u001b[2K${line.slice(0, (this.stream.columns || 80) - 1)}`);
      else this.print(line);
    };
    this.ticker = setInterval(show, isTerminal ? PROGRESS_ON_A_TERMINAL_MS : PROGRESS_MS);
    this.ticker.unref();
  }

  hideProgress(): void {
    if (this.ticker === null) return;
    clearInterval(this.ticker);
    this.ticker = null;
    if (this.stream.isTTY) this.stream.write('\r\u001b[2K');
  }
}

/** Whether a reporter writes output for machines to standard output. Then nothing else may stand there. */
function claimsOutput([name, options]: ReporterDescription): boolean {
  const variable = `PLAYWRIGHT_${name.toUpperCase()}_OUTPUT`;
  const isFile = ['FILE', 'NAME'].some((end) => process.env[`${variable}_${end}`]) || options?.outputFile;
  return MACHINE_READ.has(name) && !isFile;
}

/** The run could not be done. Playwright, which has only three statuses, would end with 1, as for a failed test. */
export const UNDONE = 2;
const INTERRUPTED = 130;

let wanted: number | null = null;
process.on('exit', (code) => {
  if (wanted !== null && code !== INTERRUPTED) process.exitCode = wanted;
});

/** Sets the exit status of the process; `null` leaves it to Playwright. An interruption keeps its own status. */
export function endWith(status: number | null): void {
  wanted = status;
}

/** What Playwright reports of a worker that did not stop in time. */
export const STOPPED_BY_FORCE = /^worker-\d+ process did not exit within \d+ms after stop/;

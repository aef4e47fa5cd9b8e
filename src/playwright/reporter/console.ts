/** The reporter's output: where it goes, and what other reporters already tell. */
import type { ReporterDescription } from '@playwright/test';
import type { FullConfig } from '@playwright/test/reporter';
import { visible } from '../../common/visible';
import { screenOf, type Tone } from './screen';

const TELL_FAILURES = new Set(['list', 'line', 'dot', 'failures']);
/** Reporters whose standard output is read by machines, unless they write to a file. */
const MACHINE_READ = new Set(['json', 'junit']);

const PROGRESS_MS = 5000;
const PROGRESS_ON_A_TERMINAL_MS = 250;

export class Voice {
  /** Whether each failure is told here, because no other reporter does. A reporter that does also moves the cursor. */
  readonly tellsFailures: boolean;
  /** Columns of a line. */
  readonly width: number;
  private readonly screen: ReturnType<typeof screenOf>;
  private readonly stream: NodeJS.WriteStream;
  private ticker: NodeJS.Timeout | null = null;

  /** @param isShared whether other tests run, too: then Playwright sees to it that some reporter tells failures */
  constructor({ reporter }: Pick<FullConfig, 'reporter'>, isShared = false) {
    this.stream = reporter.some(claimsOutput) ? process.stderr : process.stdout;
    this.tellsFailures = !isShared && !reporter.some(([name]) => TELL_FAILURES.has(name));
    this.screen = screenOf(this.stream);
    this.width = this.screen.width;
  }

  /** @param tone the colour of the first line; `null` for none */
  say(text: string, tone: Tone | null = null): void {
    // A line of a server's text may be as long as its answer.
    const lines = visible(text).replace(/^(.{4000}).+$/gm, '$1…');
    this.stream.write(`${this.screen.painted(lines, tone)}\n`);
  }

  showProgress(doing: () => string): void {
    const isTerminal = this.stream.isTTY;
    // Lines in between would disturb a reporter that moves the cursor.
    if (isTerminal && !this.tellsFailures) return;
    let shown = '';
    const show = () => {
      const line = `  ${visible(doing())}`;
      if (line === shown) return;
      shown = line;
      if (isTerminal) this.stream.write(`\r\u001b[2K${line.slice(0, (this.stream.columns ?? 80) - 1)}`);
      else this.say(line);
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

/** How the process ends: how long its workers may take to stop, its exit status, and its last line. */

/** The run could not be done. Playwright, which has only three statuses, would end with 1, as for a failed test. */
export const UNDONE = 2;
const INTERRUPTED = 130;

let wanted: number | null = null;
let last = '';
process.on('exit', (code) => {
  if (wanted !== null && code !== INTERRUPTED) process.exitCode = wanted;
  if (last !== '') process.stdout.write(`${last}\n`);
});

/** Sets the exit status of the process; `null` leaves it to Playwright. An interruption keeps its own status. */
export function endWith(status: number | null): void {
  wanted = status;
}

/** Prints a line when the process ends, after everything that Playwright prints. */
export function lastLine(line: string): void {
  last = line;
}

/** What Playwright reports of a worker that did not stop in time. */
export const STOPPED_BY_FORCE = /^worker-\d+ process did not exit within \d+ms after stop/;

/**
 * Sets how long workers may take to stop. A worker that is asked to stop while it starts never learns of it, and
 * Playwright would wait five minutes. A busy worker reports every second.
 * @param isBrief whether no test has anything to tear down; else the time is bounded from an interruption on
 */
export function boundStop(isBrief: boolean): void {
  if (isBrief) hurry();
  else process.off('SIGINT', hurry).once('SIGINT', hurry);
}

function hurry(): void {
  process.env.PWTEST_CHILD_PROCESS_TIMEOUT ??= '5000';
}

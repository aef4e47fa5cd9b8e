/** How the process ends: its exit status, of which Playwright has only three, and its last line. */

/** The run could not be done. Playwright would say 1, as for a failed test. */
export const UNDONE = 2;
const INTERRUPTED = 130;

let wanted: number | null = null;
let last = '';
process.on('exit', (code) => {
  if (wanted !== null && code !== INTERRUPTED) process.exitCode = wanted;
  if (last !== '') process.stdout.write(`${last}\n`);
});

/** Prints a line when the process ends, after everything that Playwright prints. */
export function lastLine(line: string): void {
  last = line;
}

/** Sets the exit status of the process; `null` leaves it to Playwright. An interruption keeps its own status. */
export function endWith(status: number | null): void {
  wanted = status;
}

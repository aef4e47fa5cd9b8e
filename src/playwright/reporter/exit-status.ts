/** The exit status of the process. Playwright by itself has only three. */

/** The run could not be done. Playwright would say 1, as for a failed test. */
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

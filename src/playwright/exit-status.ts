/** The exit status of the process, which Playwright has only three of. */

/** The run could not be done. Playwright would say 1, as for a failed test. */
export const UNDONE = 2;
const INTERRUPTED = 130;

let wanted: number | null = null;
process.on('exit', (code) => {
  if (wanted !== null && code !== INTERRUPTED) process.exitCode = wanted;
});

/** Sets with what the process ends; `null` leaves it to Playwright. An interruption keeps its own status. */
export function endWith(status: number | null): void {
  wanted = status;
}

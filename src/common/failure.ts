/** What is told of an error that nobody foresaw: where it arose and of which kind. Its message may hold anything. */
import { UsageError } from './usage-error';

/**
 * One sentence for people. Of a `UsageError` its message, which was written for them; of anything else never the
 * message, which may quote a secret or a stranger's text.
 */
export function failureOf(problem: unknown): string {
  if (problem instanceof UsageError) return problem.message;
  return `The suite failed: ${kindOf(problem)}${placeOf(problem)}. This is a defect of the suite: report it with this line.`;
}

function kindOf(problem: unknown): string {
  if (!(problem instanceof Error)) return 'something that is no error was thrown';
  const { code } = problem as NodeJS.ErrnoException;
  const name = /^[A-Za-z]{1,40}$/.test(problem.name) ? problem.name : 'Error';
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,40}$/.test(code) ? `${name} (${code})` : name;
}

/** The innermost place within this project, such as ` at src/judge/rules.ts:12`; empty where there is none. */
function placeOf(problem: unknown): string {
  if (!(problem instanceof Error) || typeof problem.stack !== 'string') return '';
  const heading = `${problem.name}: ${problem.message}`;
  // Without the message, which may look like a place.
  if (problem.message !== '' && !problem.stack.startsWith(heading)) return '';
  const frames = problem.stack.slice(problem.message === '' ? 0 : heading.length, 20_000 + heading.length);
  const place = /\b(src\/[a-z/-]{1,60}\.ts:\d{1,5})/.exec(frames)?.[1];
  return place === undefined ? '' : ` at ${place}`;
}

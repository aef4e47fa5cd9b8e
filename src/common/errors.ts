/** Errors in words for the user. */
import { visible } from './text';

/** An error that the user can fix. It shows its message without a stack. */
export class UsageError extends Error {
  constructor(message: string) {
    super(visible(message));
    this.name = 'UsageError';
    this.stack = this.message;
  }
}

/** Returns a sentence for people. Of other errors than `UsageError` it names kind and place: a message may quote a secret. */
export function failureOf(problem: unknown): string {
  if (problem instanceof UsageError) return problem.message;
  const what = problem instanceof Error ? kindOf(problem) + placeOf(problem) : 'something that is no error was thrown';
  return `The suite failed: ${what}. This is a defect of the suite: report it with this line.`;
}

function kindOf({ name, code }: NodeJS.ErrnoException): string {
  const kind = /^[A-Za-z]{1,40}$/.test(name) ? name : 'Error';
  return /^[A-Z][A-Z0-9_]{1,40}$/.test(String(code)) ? `${kind} (${code})` : kind;
}

/** Returns the innermost place in this project, such as ` at src/judge/auth.ts:12`; empty if there is none. */
function placeOf({ stack = '' }: Error): string {
  const place = /^ +at .*\b(src\/[a-z/-]{1,60}\.ts:\d{1,5})/m.exec(stack.slice(0, 20_000))?.[1];
  return place === undefined ? '' : ` at ${place}`;
}

/** What makes the service send one notification: a shell command or a person. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { stripVTControlCharacters } from 'node:util';
import { UsageError } from '../common/errors';
import { SERVICE_VARIABLE } from '../common/suite';
import { visible } from '../common/text';
import { MANUAL } from '../config/target';
import type { Kind, Trigger } from '../evidence/model';
import type { Clock } from '../recorder/transport/wire';

/** A notification that is to be sent. */
export type Wanted = Pick<Trigger, 'kind' | 'account' | 'enabled'>;

/** How much of a trigger's output is recorded, and how much of that is shown, in characters. */
const OUTPUT_RECORDED = 65_536;
const OUTPUT_SHOWN = 300;
const PIPE_EMPTY_WITHIN_MS = 200;

/** The functions that end commands which may still run something, in case this process ends first. */
const running = new Set<() => void>();
process.on('exit', () => {
  for (const end of running) end();
});

/** What went wrong with a command, as words after "the command …", and what it wrote. */
interface Wrong {
  what: string;
  output: string;
}

/**
 * Runs a shell command in a process group of its own, in the user's environment and `variables`. Everything that it
 * started is killed after `timeoutSeconds`.
 * @param directory where the command runs; by default where this process does
 * @returns what went wrong, or `null`; and `end`, which kills whatever the command left running
 */
export function runCommand(
  command: string,
  variables: Record<string, string>,
  timeoutSeconds: number,
  directory?: string,
): { ended: Promise<Wrong | null>; end: () => void } {
  const { [SERVICE_VARIABLE]: _, ...environment } = process.env;
  const env = { ...environment, ...variables };
  const child = spawn(command, { shell: true, detached: true, stdio: ['ignore', 'pipe', 'pipe'], env, cwd: directory });
  let output = '';
  let timedOut = false;
  const pipes = [child.stdout, child.stderr];
  for (const pipe of pipes)
    pipe.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-OUTPUT_RECORDED);
    });
  const end = (): void => {
    if (!running.delete(end)) return;
    clearTimeout(timer);
    signalled(child.pid, 'SIGKILL');
    for (const pipe of pipes) pipe.destroy();
  };
  const timer = setTimeout(() => {
    timedOut = true;
    end();
  }, timeoutSeconds * 1000);
  running.add(end);
  const ended = new Promise<Wrong | null>((resolve) => {
    const fail = (what: string) => resolve({ what, output });
    child.once('error', ({ code }: NodeJS.ErrnoException) => {
      end();
      fail(`could not be run (${code})`);
    });
    child.once('exit', (status, signal) => {
      // With no process of the group left, the system may give its number to others.
      if (!signalled(child.pid, 0) && running.delete(end)) clearTimeout(timer);
      if (timedOut) return fail(`did not end within ${timeoutSeconds} s and was killed`);
      if (status === 0) return resolve(null);
      // Its last output may still be in the pipe.
      setTimeout(fail, PIPE_EMPTY_WITHIN_MS, `ended with ${status === null ? signal : `status ${status}`}`);
    });
  });
  return { ended, end };
}

/** Whether anything of a process group was there to get the signal. */
function signalled(pid: number | undefined, signal: 'SIGKILL' | 0): boolean {
  if (pid === undefined) return false;
  try {
    return process.kill(-pid, signal);
  } catch {
    return false;
  }
}

/**
 * Returns a command's last output on one line, with markers for secrets. Terminal commands are removed first, because a
 * colour may stand inside a secret. Secrets are masked before the cut, because a part of a secret is not found.
 */
export function outputInWords(output: string, mask: (text: string) => string): string {
  const line = mask(stripVTControlCharacters(output))
    .replace(/\p{Cc}+/gu, ' ')
    .trim();
  if (line === '') return ', and wrote nothing.';
  return `, and wrote: ${line.length > OUTPUT_SHOWN ? `…${line.slice(-OUTPUT_SHOWN)}` : line}`;
}

/** A person who has gone away must not hold up the run for ever. */
const ANSWERED_WITHIN_MINUTES = 15;
const LOOKED_AFTER_MS = 100;
/** What comes sooner after a question was typed before it, such as the second of two Enters. */
const ANSWERED_AFTER_MS = 500;
const CLOSED = 'was not answered: the terminal was closed';

const DEEDS: Readonly<Record<Kind, string>> = {
  start: 'start an assessment',
  submission: 'submit an assessment',
  updates: 'do what the service notifies as "updates"',
};

/** Where a person is asked. */
export interface Terminal {
  input: NodeJS.ReadableStream & { isTTY?: boolean };
  output: NodeJS.WritableStream & { isTTY?: boolean };
}

/** The terminal in which the run was started. Standard output may be read by machines. */
const OWN_TERMINAL: Terminal = { input: process.stdin, output: process.stderr };

/** @throws UsageError if nobody can be asked */
export function assertTerminal({ input, output }: Terminal = OWN_TERMINAL): void {
  if (input.isTTY && output.isTTY) return;
  throw new UsageError(
    `notifications.trigger: ${MANUAL} asks a person in a terminal, and this run has none. Start it in a terminal, or give a shell command.`,
  );
}

/** Questions of targets side by side are put one after another. */
let turn: Promise<unknown> = Promise.resolve();

/**
 * Asks a person to make the service send one notification, and waits until Enter is pressed.
 * @param isStopped whether nothing more is to be asked
 * @returns what went wrong, as words after "the trigger …"; `null` once Enter was pressed
 */
export function askPerson(
  { kind, account, enabled, target }: Wanted & { target: string },
  clock: Clock,
  isStopped: () => boolean,
  terminal = OWN_TERMINAL,
): Promise<string | null> {
  const expected = enabled ? 'is on: it has to arrive' : 'is off: nothing may arrive';
  const task = `${target}: now ${DEEDS[kind]} as ${account}, then press Enter.`;
  const question = visible(`\n\n  ${task}\n  ("${kind}" ${expected}.)\n`);
  const answered = turn.then(() => ask(question, clock, isStopped, terminal));
  turn = answered;
  return answered;
}

async function ask(question: string, clock: Clock, isStopped: () => boolean, { input, output }: Terminal) {
  if (isStopped()) return 'was not asked for: the run was stopped, or another trigger went wrong';
  if (!input.readable) return CLOSED;
  output.write(question);
  const lines = createInterface({ input });
  const askedAtMs = clock.now();
  const untilMs = askedAtMs + ANSWERED_WITHIN_MINUTES * 60_000;
  let ended: string | null | undefined;
  lines.on('line', () => {
    if (clock.now() - askedAtMs >= ANSWERED_AFTER_MS) ended = null;
    else output.write('  This Enter came too early and was ignored: press it again once that is done.\n');
  });
  lines.once('close', () => {
    if (ended === undefined) ended = CLOSED;
  });
  while (ended === undefined && !isStopped() && clock.now() < untilMs)
    await new Promise<void>((resolve) => clock.after(LOOKED_AFTER_MS, resolve));
  const answer = ended;
  lines.close();
  if (answer !== undefined) return answer;
  return isStopped()
    ? 'was not answered: the run was stopped'
    : `was not answered within ${ANSWERED_WITHIN_MINUTES} minutes`;
}

/** Runs the shell command that makes the service send a notification, and ends everything that it started. */
import { spawn } from 'node:child_process';
import { SERVICE_VARIABLE } from '../config/environment';

/** How much of a trigger's output is kept and how much of that is shown, in characters. */
const OUTPUT_KEPT = 65_536;
const OUTPUT_SHOWN = 300;
const PIPE_EMPTY_WITHIN_MS = 200;

/** The functions that end commands which may still run something, in case this process ends first. */
const running = new Set<() => void>();

/** What went wrong with a command, as words after "the command …", and what it wrote. */
export interface Wrong {
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
  let child: ReturnType<typeof started>;
  try {
    child = started(command, env, directory);
  } catch (error) {
    // It has a NUL, or is longer than the system takes.
    return { ended: Promise.resolve({ what: notRun(error), output: '' }), end: () => undefined };
  }
  let output = '';
  let timedOut = false;
  // Without a free file descriptor there are no pipes, and an error follows.
  const pipes = [child.stdout, child.stderr].filter(Boolean);
  for (const pipe of pipes) {
    pipe.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-OUTPUT_KEPT);
    });
  }
  const forget = (): void => {
    clearTimeout(timer);
    running.delete(end);
  };
  const end = (): void => {
    if (!running.has(end)) return;
    forget();
    signalled(child.pid, 'SIGKILL');
    for (const pipe of pipes) pipe.destroy();
  };
  const timer = setTimeout(() => {
    timedOut = true;
    end();
  }, timeoutSeconds * 1000);
  if (!process.listeners('exit').includes(endAll)) process.on('exit', endAll);
  running.add(end);
  const ended = new Promise<Wrong | null>((resolve) => {
    const tell = (what: string) => resolve({ what, output });
    child.once('error', (error: NodeJS.ErrnoException) => {
      end();
      tell(notRun(error));
    });
    child.once('exit', (status, signal) => {
      // With no process of the group left, the system may give its number to others.
      if (!signalled(child.pid, 0)) forget();
      if (timedOut) return tell(`did not end within ${timeoutSeconds} s and was killed`);
      if (status === 0) return resolve(null);
      const told = () => tell(`ended with ${status === null ? signal : `status ${status}`}`);
      // Its last output may still be in the pipe, and a process that it left running may hold the pipe open.
      const patience = setTimeout(told, PIPE_EMPTY_WITHIN_MS);
      child.once('close', () => {
        clearTimeout(patience);
        told();
      });
    });
  });
  return { ended, end };
}

function started(command: string, env: NodeJS.ProcessEnv, cwd: string | undefined) {
  return spawn(command, { shell: true, detached: true, stdio: ['ignore', 'pipe', 'pipe'], env, cwd });
}

function notRun(error: unknown): string {
  return `could not be run (${(error as NodeJS.ErrnoException).code ?? 'unknown error'})`;
}

function endAll(): void {
  for (const end of running) end();
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

/** What a terminal obeys: colours, titles, and other escape sequences. */
const TERMINAL_COMMANDS =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /\u001b\][^\u0007\u001b]{0,400}(?:\u0007|\u001b\\)?|[\u001b\u009b]\[?[0-?]{0,40}[ -/]{0,8}[@-~]?/g;
/** An output that was cut may begin with the rest of a secret that is this long. */
const LONGEST_SECRET = 8192;

/**
 * Returns a command's last output on one line, with markers for secrets. Terminal commands are removed first, because a
 * colour may stand inside a secret. Secrets are masked before the cut, because a part of a secret is not found.
 */
export function said(output: string, mask: (text: string) => string): string {
  const whole = output.length < OUTPUT_KEPT ? output : output.slice(LONGEST_SECRET);
  const plain = whole.replace(TERMINAL_COMMANDS, '');
  const line = mask(plain)
    .replace(/\p{Cc}+/gu, ' ')
    .trim();
  if (line === '') return ', and wrote nothing.';
  return `, and wrote: ${line.length > OUTPUT_SHOWN ? `…${line.slice(-OUTPUT_SHOWN)}` : line}`;
}

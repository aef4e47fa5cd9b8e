/** A command of the package in this process, as `commands/main.ts` calls it. */
import { type Command, runCommand } from '../../../commands/command';
import { freshDirectory } from './whole-runs';

/** @param environment all variables that it sees; @param directory where it is called @returns how it ended, and what it printed */
export async function commandHere(
  command: Command,
  words: readonly string[],
  environment: Record<string, string> = {},
  directory = freshDirectory(),
): Promise<{ status: number; output: string }> {
  const lines: string[] = [];
  const print = (text: string) => lines.push(`${text}\n`);
  const { log, error } = console;
  const { env } = process;
  const before = process.cwd();
  Object.assign(console, { log: print, error: print });
  process.env = { PATH: env.PATH, ...environment };
  process.chdir(directory);
  try {
    const status = await runCommand(command, [...words]);
    return { status, output: lines.join('') };
  } finally {
    Object.assign(console, { log, error });
    process.env = env;
    process.chdir(before);
  }
}

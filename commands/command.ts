/** What the commands share: how each is called, a message instead of a stack, and an exit status. */
import { writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { UsageError } from '../src/common/usage-error';
import { AS_USUAL, makeDirectory, writeWhole, written } from '../src/common/writable';

export interface Command {
  /** What may stand behind its name, on one line. */
  usage: string;
  /** More than one line about it, for `--help` and after a mistake. */
  help?: string;
  /** Exit status after a mistake of the user's; default: 1. */
  mistakeStatus?: number;
  /**
   * Does the work.
   * @param words what stood behind the name of the command
   * @returns the exit status
   * @throws UsageError, or an error of `parseArgs`, for what the user can fix; without a message, the usage is told
   */
  run(words: string[]): number | Promise<number>;
}

/** In a clone the commands are npm scripts, and run as TypeScript. In the package they are built. */
const IS_CLONE = __filename.endsWith('.ts');

/** What a user types to judge a server. */
export const RUN = IS_CLONE ? 'npx playwright test' : 'npx assessment-conformance';

/** Returns what a user types to start a command: `npm run verify --`, or `npx assessment-conformance verify`. */
export function called(name: string): string {
  return IS_CLONE ? `npm run ${name} --` : `npx assessment-conformance ${name}`;
}

/** Writes a target file, and its directory. @param flag `wx` writes over nothing @throws UsageError if it cannot */
export function writeTargetFile(file: string, text: string, advice: string, flag: 'w' | 'wx' = 'w'): void {
  written(file, advice, () => {
    makeDirectory(dirname(resolve(file)));
    if (flag === 'wx') writeFileSync(file, text, { flag });
    else writeWhole(file, text, AS_USUAL);
  });
}

/** Runs a command and sets the exit status. What the user can fix is told in one message. */
export async function runCommand(name: string, command: Command, words: string[]): Promise<void> {
  const usage = command.help ?? `Usage: ${called(name)} ${command.usage}`;
  try {
    if (words.includes('--help') || words.includes('-h')) console.log(usage);
    else process.exitCode = await command.run(words);
  } catch (error) {
    const { code = '', message, name: kind } = error as NodeJS.ErrnoException;
    process.exitCode = command.mistakeStatus ?? 1;
    // Options that there are not, as `parseArgs` tells them.
    if (String(code).startsWith('ERR_PARSE_ARGS')) console.error(`${message.split('. ')[0]}. ${usage}`);
    else if (error instanceof UsageError) console.error(message || usage);
    else if (kind === 'ExitPromptError') console.error('Nothing was written.');
    else throw error;
  }
}

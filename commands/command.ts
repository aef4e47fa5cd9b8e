/** What the commands share: their descriptions, and how the suite and its commands are called. */
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { UsageError } from '../src/common/errors';
import { visible } from '../src/common/text';

export interface Command {
  /** How it is called, for `--help` and after a mistake. */
  usage: string;
  /**
   * Does the work.
   * @param words what stood behind the name of the command
   * @returns the exit status
   * @throws UsageError, or an error of `parseArgs`, for what the user can fix; without a message, words are missing or too many
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

export const TEXT = { type: 'string' } as const;
export const TEXTS = { type: 'string', multiple: true } as const;
export const FLAG = { type: 'boolean' } as const;

/** Returns the options among the words of a command, and the other words. @throws an error of `parseArgs` */
export function wordsIn<Options extends NonNullable<ParseArgsConfig['options']>>(args: string[], options: Options) {
  return parseArgs({ args, allowPositionals: true, options });
}

/** Runs a command. What the user can fix is one message on standard error, and exit status 2. @returns the exit status */
export async function runCommand({ usage, run }: Command, words: string[]): Promise<number> {
  try {
    if (!words.includes('--help') && !words.includes('-h')) return await run(words);
    console.log(usage);
    return 0;
  } catch (error) {
    const { code = '', message, name: kind } = error as NodeJS.ErrnoException;
    // Options that there are not, in the words of `parseArgs`.
    if (String(code).startsWith('ERR_PARSE_ARGS')) console.error(`${message.split('. ')[0]}. ${usage}`);
    else if (error instanceof UsageError)
      console.error(visible(message || `A word is missing, or one is too many. ${usage}`));
    else if (kind === 'ExitPromptError') console.error('Nothing was written.');
    else throw error;
    return 2;
  }
}

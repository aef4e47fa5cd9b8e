/** What the commands of this folder share: a message instead of a stack, and an exit status. */
import { UsageError } from '../src/common/usage-error';

/** Does the work of a command; what the user can fix is told in one message, with status 1. */
export async function command(usage: string, work: () => boolean | Promise<boolean>): Promise<void> {
  try {
    if (!(await work())) process.exitCode = 1;
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    // Options that there are not, as `parseArgs` tells them.
    const isUsage = String(code).startsWith('ERR_PARSE_ARGS');
    if (!isUsage && !(error instanceof UsageError)) throw error;
    console.error(isUsage ? `${message.split('. ')[0]}. ${usage}` : message);
    process.exitCode = 1;
  }
}

/** The reporters that write beside ours, and what of the terminal they claim. */
import type { FullConfig } from '@playwright/test/reporter';

interface Named {
  name: string;
  options: Record<string, unknown>;
}

/** Reporters that tell each failure in full. */
const TELL_FAILURES = new Set(['list', 'line', 'dot', 'failures']);
/** Reporters whose standard output is read by machines, unless they write to a file. */
const MACHINE_READ = new Set(['json', 'junit']);

/** The reporters of a configuration, by name. */
export function reportersOf({ reporter }: Pick<FullConfig, 'reporter'>): Named[] {
  return reporter.map(([name, options]) => ({ name, options: (options ?? {}) as Named['options'] }));
}

/** Whether another reporter tells each failure in full. */
export function tellFailures(reporters: readonly Named[]): boolean {
  return reporters.some(({ name }) => TELL_FAILURES.has(name));
}

/** Whether another reporter writes to standard output what machines read: then nothing else may stand there. */
export function claimOutput(reporters: readonly Named[], environment: NodeJS.ProcessEnv = process.env): boolean {
  return reporters.some(({ name, options }) => {
    const variable = `PLAYWRIGHT_${name.toUpperCase()}_OUTPUT`;
    const isFile = ['FILE', 'NAME'].some((end) => environment[`${variable}_${end}`]) || options.outputFile;
    return MACHINE_READ.has(name) && !isFile;
  });
}

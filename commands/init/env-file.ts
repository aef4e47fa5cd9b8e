/** Keys that were typed, in `.env`, which git ignores. */
import { appendFileSync, existsSync } from 'node:fs';
import { parse } from 'dotenv';
import { UsageError } from '../../src/common/errors';
import { MOST_BYTES, textIn, written } from '../../src/common/files';

/** Appends a variable. @throws UsageError if the file cannot be written, or cannot hold the value */
export function remember(variable: string, value: string): void {
  const text = existsSync('.env') ? textIn('.env', MOST_BYTES.declaration) : '';
  const line = lineOfEnv(variable, value);
  const advice = `set ${variable} in the environment`;
  if (line === null) throw new UsageError(`${variable} has quotes of every kind, so .env cannot hold it: ${advice}.`);
  const added = text === '' || text.endsWith('\n') ? line : `\n${line}`;
  written('.env', advice, () => appendFileSync('.env', added, { mode: 0o600 }));
  console.log(`Added ${variable} to .env.`);
}

/** Returns a line of .env that is read as a value, in the quotes that leave it as it is; `null` if none do. */
export function lineOfEnv(variable: string, value: string): string | null {
  const lines = ["'", '"', '`'].map((quote) => `${variable}=${quote}${value}${quote}\n`);
  return lines.find((line) => parse(line)[variable] === value) ?? null;
}

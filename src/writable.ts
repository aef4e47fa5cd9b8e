/** Directories that are written to. */
import { accessSync, constants, existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a directory and those above it, one by one: where nothing can be made, Node's own way to do so never ends.
 * @throws the system's error
 */
export function makeDirectory(directory: string): void {
  if (existsSync(directory)) return;
  makeDirectory(dirname(directory));
  try {
    mkdirSync(directory);
  } catch (error) {
    // Another process was faster.
    if (!existsSync(directory)) throw error;
  }
}

/** Makes a directory, and tells whether it can be written to. */
export function isWritable(directory: string): boolean {
  try {
    makeDirectory(directory);
    accessSync(directory, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    // Why not, whoever writes to it tells.
    return false;
  }
}

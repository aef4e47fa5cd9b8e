/** Code as one script with all mutants built in, of which one at a time is active. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { Script } from 'node:vm';
import { build } from 'esbuild';
import { LOOK, type Mutant, mutated, SWITCH } from './points';

const ROOT = join(__dirname, '..', '..');
/** Code that is loaded anew with each instance. */
const JUDGING = /\/src\/(?:judge|evidence)\//;
/** So many switches are passed in one piece of work at most: a mutant may go round in circles. */
const MOST_SWITCHES = 60_000_000;

/** All files of a folder of src with their mutants built in, by their paths from the root. */
export interface MutatedFiles {
  texts: Map<string, string>;
  mutants: Mutant[];
}

/** @param isLooking whether the texts tell what each mutant would have changed, instead of changing it */
export function mutatedFiles(folder: string, isLooking: boolean): MutatedFiles {
  const mutants: Mutant[] = [];
  const texts = new Map<string, string>();
  const files = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' });
  for (const file of files.filter((name) => name.endsWith('.ts')).sort()) {
    const path = join(folder, file);
    const made = mutated(path, readFileSync(join(ROOT, path), 'utf8'), mutants.length, isLooking);
    mutants.push(...made.mutants);
    texts.set(path, made.text);
  }
  return { texts, mutants };
}

/** What the switches of a bundle talk to. */
export class Switches {
  /** The active mutant; -1: none. */
  active = -1;
  /** The mutants that were passed since they were last cleared, and those of them that would have changed a value. */
  readonly passed = new Set<number>();
  readonly telling = new Set<number>();
  private left = MOST_SWITCHES;

  /** Forgets what was passed, and gives the next piece of work its whole time. */
  clear(): void {
    this.passed.clear();
    this.telling.clear();
    this.left = MOST_SWITCHES;
  }

  /** @throws where the active mutant goes round in circles */
  readonly isActive = (mutant: number): boolean => {
    this.left -= 1;
    if (this.left < 0) throw new Error('It goes round in circles.');
    return mutant === this.active;
  };

  /** Notes that a mutant was passed, and whether it would have given another value. */
  readonly look = <T>(mutant: number, value: T, other: (() => unknown) | null): T => {
    if (this.telling.has(mutant)) return value;
    this.passed.add(mutant);
    if (other === null || !isAlike(value, other)) this.telling.add(mutant);
    return value;
  };
}

function isAlike(value: unknown, other: () => unknown): boolean {
  try {
    return Object.is(value, other());
  } catch {
    return false;
  }
}

/**
 * @param entry a script of TypeScript, as if it stood in the root
 * @param isWhole whether all code is loaded anew with each start, and not only what judges evidence
 * @returns starts an instance: what its modules remember belongs to it alone
 */
export async function bundled<T>(
  { texts }: MutatedFiles,
  entry: string,
  isWhole: boolean,
): Promise<(switches: Switches, load?: (name: string) => unknown) => T> {
  const { outputFiles } = await build({
    stdin: { contents: entry, resolveDir: ROOT, loader: 'ts' },
    bundle: true,
    platform: 'node',
    format: 'cjs',
    packages: 'external',
    write: false,
    plugins: [
      {
        name: 'mutants',
        setup(plugin) {
          plugin.onResolve({ filter: /^\./ }, ({ path, resolveDir }) => {
            const file = join(resolveDir, path);
            return isWhole || JUDGING.test(file) ? null : { path: file, external: true };
          });
          plugin.onLoad({ filter: /\.ts$/ }, ({ path }) => {
            const text = texts.get(relative(ROOT, path)) ?? readFileSync(path, 'utf8');
            return { contents: `const __dirname = ${JSON.stringify(dirname(path))};\n${text}`, loader: 'ts' };
          });
        },
      },
    ],
  });
  const script = new Script(`(function (require, module, exports, ${SWITCH}, ${LOOK}) {${outputFiles[0]?.text}\n})`);
  const run = script.runInThisContext();
  return (switches, load = require) => {
    const module = { exports: {} };
    run(load, module, module.exports, switches.isActive, switches.look);
    return module.exports as T;
  };
}

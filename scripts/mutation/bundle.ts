/** The judges as one script with all mutants built in, of which one at a time is active. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { Script } from 'node:vm';
import { build } from 'esbuild';
import type { Evidence } from '../../src/evidence/exchange';
import type { Judgement } from '../../src/judge/verdict';
import { type Mutant, mutated, SWITCH } from './points';

const ROOT = join(__dirname, '..', '..');

export interface Judges {
  ids: string[];
  judgementsOf(ids: Iterable<string>, evidence: Evidence, today: string): Map<string, Judgement>;
}

export interface Bundle {
  mutants: Mutant[];
  /**
   * A fresh instance: what judges remember of an evidence belongs to it alone.
   * @param isActive called by each mutant's switch with its number, again and again
   */
  start(isActive: (mutant: number) => boolean): Judges;
}

const required = new Map<string, unknown>();

function requiredOnce(name: string): unknown {
  if (!required.has(name)) required.set(name, require(name));
  return required.get(name);
}

/** All files of some folders of src with their mutants built in, by their paths from the root. */
export function mutatedFiles(folders: readonly string[]): { texts: Map<string, string>; mutants: Mutant[] } {
  const mutants: Mutant[] = [];
  const texts = new Map<string, string>();
  for (const folder of folders) {
    const files = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' });
    for (const file of files.filter((name) => name.endsWith('.ts')).sort()) {
      const path = join(folder, file);
      const made = mutated(path, readFileSync(join(ROOT, path), 'utf8'), mutants.length);
      mutants.push(...made.mutants);
      texts.set(path, made.text);
    }
  }
  return { texts, mutants };
}

/** Bundles the rules with all mutants of some folders of src. */
export async function bundled(folders: readonly string[]): Promise<Bundle> {
  const { texts, mutants } = mutatedFiles(folders);
  const entry = `
    import { judgementsOf, rules } from './src/judge/rules';
    module.exports = { ids: Object.keys(rules), judgementsOf };
  `;
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
          // What has no mutants is loaded once, and not anew with each instance.
          plugin.onResolve({ filter: /^\./ }, ({ path, resolveDir }) => {
            const file = join(resolveDir, path);
            return texts.has(relative(ROOT, `${file}.ts`)) ? null : { path: file, external: true };
          });
          plugin.onLoad({ filter: /\/src\/.*\.ts$/ }, ({ path }) => {
            const contents = texts.get(relative(ROOT, path));
            return contents === undefined ? null : { contents, loader: 'ts' };
          });
        },
      },
    ],
  });
  const script = new Script(`(function (require, module, exports, ${SWITCH}) {${outputFiles[0]?.text}\n})`);
  const run = script.runInThisContext();
  return {
    mutants,
    start(isActive) {
      const module = { exports: {} };
      run(requiredOnce, module, module.exports, isActive);
      return module.exports as Judges;
    },
  };
}

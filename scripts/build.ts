/**
 * `npm run build`: `dist`, what the package holds in place of TypeScript. Each file becomes one file, at the same place, so
 * that a run still loads only what it needs. Two of them get declarations.
 */

import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';

const ROOT = join(__dirname, '..');
const DIST = join(ROOT, 'dist');
/** What a package's users import, without the ending. */
const DOORS = ['src/own', 'src/playwright-config'];
/** The door that ES modules import, too. Both kinds share one state: whether `conformance()` was called. */
const CONFIG = 'src/playwright-config';

async function main(): Promise<void> {
  rmSync(DIST, { recursive: true, force: true });
  await build({
    entryPoints: ['playwright.config.ts', 'src/**/*.ts', 'commands/**/*.ts', 'tests/*.ts'].map((path) =>
      join(ROOT, path),
    ),
    outdir: DIST,
    outbase: ROOT,
    platform: 'node',
    target: 'node20.18',
    format: 'cjs',
  });
  writeFileSync(
    join(DIST, `${CONFIG}.mjs`),
    `import built from './playwright-config.js';\n\nexport const { conformance } = built;\n`,
  );
  declare();
}

/** Writes the declarations of the doors. Each is a leaf: it names only types of Playwright. */
function declare(): void {
  const all = mkdtempSync(join(tmpdir(), 'declarations-'));
  const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  const words = ['-p', 'tsconfig.build.json', '--outDir', all];
  execFileSync(process.execPath, [tsc, ...words], { cwd: ROOT, stdio: 'inherit' });
  for (const door of DOORS) cpSync(join(all, `${door}.d.ts`), join(DIST, `${door}.d.ts`));
  cpSync(join(all, `${CONFIG}.d.ts`), join(DIST, `${CONFIG}.d.mts`));
  rmSync(all, { recursive: true, force: true });
}

void main();

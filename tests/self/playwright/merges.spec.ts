/** Blob reports come from other machines: no name in them leads a merge to files outside. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate';
import { isTargetName } from '../../../src/config/directory';
import { freshDirectory, removeDirectories, served, wholeRun } from '../support/whole-runs';

test.afterAll(removeDirectories);

test('a target of a blob report cannot be called as no file is', async () => {
  const { file, close } = await served();
  const fleet = freshDirectory();
  writeFileSync(join(fleet, 'honest.yaml'), readFileSync(file));
  const part = await wholeRun({ arguments: ['-g', 'version.base', '--shard=1/1'], environment: { TARGETS: fleet } });
  await close();
  expect(part.status, part.output).toBe(0);
  const zip = unzipSync(readFileSync(join(part.results, '..', 'blob-report', 'shard-1.zip')));
  const merge = async (name: string) => {
    const home = freshDirectory();
    const blobs = join(home, 'blobs');
    mkdirSync(blobs);
    const renamed = Object.entries(zip).map(([path, bytes]) => [
      path,
      path.endsWith('.jsonl') ? strToU8(strFromU8(bytes).replaceAll('"honest"', JSON.stringify(name))) : bytes,
    ]);
    writeFileSync(join(blobs, 'shard-1.zip'), zipSync(Object.fromEntries(renamed)));
    const RESULTS_DIR = join(home, 'a', 'b', 'results');
    const run = await wholeRun({ command: 'merge-reports', arguments: [blobs], environment: { RESULTS_DIR } });
    return { run, home };
  };
  const honest = await merge('honest');
  expect(honest.run.status, honest.run.output).toBe(0);
  expect(JSON.parse(honest.run.text('honest/conformance.json')).requests).toBeGreaterThanOrEqual(0);
  const strange = await merge('../../escaped');
  expect(strange.run.status, strange.run.output).not.toBe(0);
  expect(strange.run.output).toContain('its name is none of a file');
  expect(existsSync(join(strange.home, 'a', 'escaped'))).toBe(false);
});

test('names of targets are names of files', () => {
  for (const name of ['acme', 'acme 4.2', 'größe', 'a-b_c']) expect(isTargetName(name), name).toBe(true);
  for (const name of ['', '.', '..', '.hidden', 'a/b', 'a\\b', '../x', 'a\0', 'a\nb', 'playwright', 'x'.repeat(300)])
    expect(isTargetName(name), JSON.stringify(name)).toBe(false);
});

/** The structure of `src`: imports point downwards, and nothing goes round in a circle. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, test } from '@playwright/test';
import { ROOT } from '../support/whole-runs';

const SRC = join(ROOT, 'src');

/** The map in CONTRIBUTING.md, from the ground up: each folder may import from those before it, and from itself. */
const MAP = [
  ...readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8').matchAll(/^\| `([a-z-]+)` \|.*\| (?:`(\S+)` )?\|$/gm),
].map(([, layer = '', first]) => ({ layer, first }));
const LAYERS = MAP.map(({ layer }) => layer);
/** What users import: these may use everything, and nothing imports them. */
const DOORS = ['own.ts', 'playwright-config.ts'];

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));

/** The files of this project that a file imports, as paths from the root. */
function importsOf(file: string): string[] {
  const text = readFileSync(join(SRC, file), 'utf8');
  return [...text.matchAll(/(?:from |require\(|import\()'(\.[^']+)'/g)].map(([, path = '']) => {
    const from = relative(ROOT, join(dirname(join(SRC, file)), path));
    return [from, `${from}.ts`, `${from}/index.ts`].find((name) => files.includes(relative('src', name))) ?? from;
  });
}

const layerOf = (path: string) => LAYERS.indexOf(path.split('/')[1] ?? '');

test('the map in CONTRIBUTING.md names files that are there', () => {
  const begun = MAP.flatMap(({ layer, first }) => (first === undefined ? [] : [`${layer}/${first}`]));
  expect(begun.length).toBeGreaterThan(10);
  expect(begun.filter((file) => !files.includes(file))).toEqual([]);
});

test('every file stands in a layer', () => {
  expect(files.filter((file) => layerOf(`src/${file}`) < 0)).toEqual(DOORS);
});

test('an import points to the same layer or to a lower one, and never out of src', () => {
  const wrong = files
    .filter((file) => !DOORS.includes(file))
    .flatMap((file) => importsOf(file).map((imported) => ({ file: `src/${file}`, imported })))
    .filter(({ file, imported }) => !imported.startsWith('src/') || layerOf(imported) > layerOf(file));
  expect(wrong).toEqual([]);
});

test('what masks secrets imports nothing of ours but small things, so that it can be reviewed alone', () => {
  const others = files
    .filter((file) => file.startsWith('redaction/'))
    .flatMap(importsOf)
    .filter((imported) => !/^src\/(?:common|redaction)\//.test(imported));
  expect(others).toEqual([]);
});

test('commands, which the package holds, import nothing but what it holds', () => {
  const folder = join(ROOT, 'commands');
  const wrong = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => importsOf(join('..', 'commands', file)).map((imported) => ({ file, imported })))
    .filter(({ imported }) => !/^(?:src|commands)\//.test(imported));
  expect(wrong).toEqual([]);
});

test('no file imports itself by way of others', () => {
  const imports = new Map(files.map((file) => [`src/${file}`, importsOf(file)]));
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(' -> '));
    if (path.includes(file) || done.has(file)) return;
    for (const imported of imports.get(file) ?? []) visit(imported, [...path, file]);
    done.add(file);
  };
  for (const file of imports.keys()) visit(file, []);
  expect(circles).toEqual([]);
});

test('nothing is decompressed on trial: only declared codings are read, and entries of traces', () => {
  const reading = files.filter((file) => /'(?:(?:node:)?zlib|fflate)'/.test(readFileSync(join(SRC, file), 'utf8')));
  expect(reading.sort()).toEqual(['playwright/reporter/masked-results.ts', 'recorder/transport/answer.ts']);
});

test('files are written in one place, which follows no link; the user alone names those that are appended to', () => {
  const writing = files.filter((file) =>
    /\b(?:write|append|copy)File(?:Sync)?\(|createWriteStream/.test(readFileSync(join(SRC, file), 'utf8')),
  );
  expect(writing.sort()).toEqual(['common/files.ts']);
});

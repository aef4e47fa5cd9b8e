/** The README, followed to the letter: its commands run, against its own target file. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { scripts } from '../../package.json';
import type { Account } from '../../src/reference/account';
import { startReference } from '../../src/reference/server';
import { freshDirectory, ROOT, removeDirectories, startProcess } from './whole-runs';

test.afterAll(removeDirectories);

const README = readFileSync(join(ROOT, 'README.md'), 'utf8');
const blocks = (language: string) =>
  [...README.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map((block) => block[1] ?? '');

/** The lines that run the suite, without their comments. */
const commands = blocks('sh')
  .flatMap((block) => block.split('\n'))
  .map((line) => line.replace(/\s#.*$/, '').trim())
  .filter((line) => line.includes('playwright test') && !line.includes('npm ci'));

/** What the README's target file declares, stored at a server. */
const accounts: Account[] = [
  {
    name: 'with-password',
    apiKey: 'readmeKeyOneT4bV9xQm2ZpL7sWd',
    password: 'not-a-real-stored-password',
    settings: {
      start: { status: true, url: 'https://hooks.acme.example/start' },
      submission: { status: false, url: 'https://hooks.acme.example/submission' },
      updates: { status: false, url: 'https://hooks.acme.example/updates' },
      auth: { status: true, type: 'basic', basic: { username: 'alice' }, apikey: { header: null, apikey: null } },
    },
  },
  {
    name: 'without-password',
    apiKey: 'readmeKeyTwoH8cN3fRk6YjU1gEa',
    password: null,
    settings: {
      start: { status: false, url: 'https://hooks.acme.example/other/start' },
      submission: { status: false, url: 'https://hooks.acme.example/other/submission' },
      updates: { status: true, url: 'https://hooks.acme.example/other/updates' },
      auth: { status: false, type: 'basic', basic: { username: null }, apikey: { header: null, apikey: null } },
    },
  },
];

test('its commands run the suite, and each passes', async () => {
  expect(commands).not.toEqual([]);
  // Side by side, each against a server of its own: they would use up each other's budget otherwise.
  const outcomes = await Promise.all(commands.map(outcomeOf));
  expect(outcomes.filter((outcome) => outcome !== null)).toEqual([]);
});

for (const file of ['README.md', 'CONTRIBUTING.md']) {
  const text = readFileSync(join(ROOT, file), 'utf8');

  test(`the scripts that ${file} names are there`, () => {
    const named = [...text.matchAll(/npm run ([a-z-]+)/g)].map(([, script = '']) => script);
    expect(named.filter((script) => !(script in scripts))).toEqual([]);
  });

  test(`the files that ${file} links to are there`, () => {
    const linked = [...text.matchAll(/\]\(([^)#:]+)\)/g)].map(([, path = '']) => path);
    for (const path of linked) expect(() => readFileSync(join(ROOT, path)), path).not.toThrow();
  });
}

/** Runs a line of the README with its placeholders filled in; what went wrong, or `null`. */
async function outcomeOf(command: string): Promise<string | null> {
  const reference = await startReference({ accounts });
  const directory = freshDirectory();
  try {
    const file = blocks('yaml').find((block) => block.startsWith('name: Acme')) ?? '';
    const target = file.replace('https://staging.acme.example/api/v2', reference.baseURL);
    mkdirSync(join(directory, 'targets'));
    writeFileSync(join(directory, 'acme.yaml'), target);
    writeFileSync(join(directory, 'targets', 'acme.yaml'), target);
    const line = command
      .replace('https://staging.example.com/api/v2', reference.baseURL)
      .replace('API_KEY=...', `API_KEY=${accounts[0]?.apiKey}`)
      .replace('TARGET=acme.yaml', `TARGET=${join(directory, 'acme.yaml')}`)
      .replace('TARGETS=targets', `TARGETS=${join(directory, 'targets')}`);
    return await shell(line, join(directory, 'results'));
  } finally {
    await reference.close();
  }
}

async function shell(line: string, results: string): Promise<string | null> {
  const { status, output } = await startProcess('sh', ['-c', line], {
    cwd: ROOT,
    env: {
      ...process.env,
      RESULTS_DIR: results,
      ACME_KEY_1: accounts[0]?.apiKey,
      ACME_KEY_2: accounts[1]?.apiKey,
      ACME_STORED_PASSWORD: accounts[0]?.password ?? '',
      GATE: 'gate-value-of-the-readme',
    },
  }).ended;
  return status === 0 ? null : `${line}: exit ${status}\n${output}`;
}

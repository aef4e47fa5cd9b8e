/** Files and directories of strangers and neighbours: nothing in them is waited for, and nothing of the user's is lost. */
import { execFileSync } from 'node:child_process';
import crypto from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import evidenceSchema from '#schemas/evidence.schema.json';
import { certifyCommand } from '../../../commands/certify';
import { verifyCommand } from '../../../commands/verify';
import { signingKey, vendorKey } from '../../../src/certificate/attestation';
import { UsageError } from '../../../src/common/errors';
import { bytesIn, MOST_BYTES, makeDirectory, save } from '../../../src/common/files';
import { jsonOf, MOST_VALUES, whyTooMuch } from '../../../src/common/json';
import { visible } from '../../../src/common/text';
import { variablesIn } from '../../../src/config/configuration';
import { targetOf } from '../../../src/config/target';
import { loadTarget, loadWaivers } from '../../../src/config/target-file';
import { type Conformance, resultIn } from '../../../src/contract/result';
import { fromHar } from '../../../src/evidence/har';
import { unreadable } from '../../../src/evidence/http/json';
import { MOST_DELIVERIES, MOST_EXCHANGES } from '../../../src/evidence/model';
import { comparedWith, readPast } from '../../../src/history/history';
import { routeTo } from '../../../src/recorder/transport/wire';
import { tablesOf } from '../../../src/report/tables';
import { prepareRun } from '../../../src/run/prepare';
import { replayed } from '../../../src/run/run';
import { forged, privatePem, problemsIn, type Results, resultsOf, vendor } from '../support/packages';
import { conformantRun } from '../support/report-samples';
import { commandHere } from '../support/run-command';
import { problemOf } from '../support/usage-errors';
import { directoryWith, fileWith, freshDirectory, wholeRun } from '../support/whole-runs';

const target = targetOf({ baseURL: 'http://127.0.0.1:9/v2', accounts: [{ name: 'a', apiKey: 'a-key' }] }, 'any');

/** Everything that reads a file which a user names or a neighbour can put somewhere. */
const READERS: Record<string, (file: string) => unknown> = {
  TARGET: (file) => loadTarget(file, {}),
  WAIVERS: (file) => loadWaivers(file),
  REPLAY: (file) => replayed(file, null),
  BASELINE: (file) => prepareRun({ BASELINE: file }),
  NODE_EXTRA_CA_CERTS: (file) =>
    routeTo(new URL(target.baseURL), true, { insecureTls: false, environment: { NODE_EXTRA_CA_CERTS: file } }),
  'the key to sign with': (file) => signingKey(file, undefined),
  'a key to verify with': (file) => vendorKey(`${file}=Acme`),
};

test.describe('what is no plain file is refused at once, by every reader', () => {
  test.skip(process.platform === 'win32', 'has neither pipes nor devices in its directories');

  for (const [name, read] of Object.entries(READERS))
    test(name, async () => {
      const pipe = join(freshDirectory(), 'pipe');
      execFileSync('mkfifo', [pipe]);
      for (const file of [pipe, '/dev/zero']) expect(await problemOf(() => read(file))).toMatch(/it is no plain file/);
      expect(await problemOf(() => read(freshDirectory()))).toMatch(/it is a directory/);
      expect(await problemOf(() => read(join(pipe, 'none')))).toMatch(/not a directory/);
      expect(await problemOf(() => read('/tmp/a\0b'))).toMatch(/ERR_INVALID_ARG_VALUE/);
      expect(await problemOf(() => read(`/tmp/${'a'.repeat(5000)}`))).toMatch(/name too long/);
    });

  test('.env', async () => {
    const directory = freshDirectory();
    execFileSync('mkfifo', [join(directory, '.env')]);
    expect(await problemOf(() => variablesIn(directory, {}))).toMatch(/\.env cannot be read: it is no plain file/);
  });

  test('entries of a history', () => {
    const directory = freshDirectory();
    execFileSync('mkfifo', [join(directory, '2026-01-02T03-00-00.000Z.json')]);
    symlinkSync('/dev/zero', join(directory, '2026-01-03T03-00-00.000Z.json'));
    expect(readPast(directory)).toMatchObject({ runs: [] });
    expect(readPast(directory).notes.join()).toMatch(/02T03[^,]*no plain file.*03T03[^,]*no plain file/);
  });
});

test('a directory is made with its parents, for its owner alone, and a file in its place stays', () => {
  const within = join(freshDirectory(), 'a', 'b', 'c');
  for (const _ of [1, 2]) makeDirectory(within);
  expect(statSync(within).mode & 0o777).toBe(0o700);
  const file = fileWith('file', 'mine');
  makeDirectory(file);
  expect(readFileSync(file, 'utf8')).toBe('mine');
});

test('a file is read to its bound and no further', async () => {
  const file = fileWith('some.txt', 'abcd');
  expect(bytesIn(file, 4).toString()).toBe('abcd');
  expect(await problemOf(() => bytesIn(file, 3))).toMatch(/some\.txt cannot be read: it has 1 KiB, and at most/);
  writeFileSync(file, ' '.repeat(MOST_BYTES.declaration + 1));
  for (const read of ['TARGET', 'WAIVERS'] as const)
    expect(await problemOf(() => READERS[read]?.(file))).toMatch(/it has 65 KiB, and at most 64 KiB are read/);
});

test('JSON is bounded in depth and in values before anything is built of it', () => {
  const body = `{"webhook":{},"more":[${'{},'.repeat(100_000)}{}]}`;
  expect(jsonOf(body)).toBeUndefined();
  expect(unreadable({ body })).toBe('a body that is not read: it holds more than 100000 values');
  // The evidence of a run holds more than a body.
  expect(jsonOf(body, MOST_VALUES.file)).toBeDefined();
  expect(jsonOf(JSON.stringify([',,,,[[[['.repeat(1_000_000)]))).toHaveLength(1);
  expect(() => resultIn(`[${'{},'.repeat(1_000_000)}{}]`, 'x')).toThrow(
    /x cannot be read: it holds more than 1000000 values/,
  );
  expect(whyTooMuch('['.repeat(600))).toMatch(/nested more than 500 levels/);
});

test.describe('results of earlier runs', () => {
  let sound: Conformance;
  test.beforeAll(async () => {
    sound = (await conformantRun()).conformance;
  });

  test('fit their schema, and those of a history are bounded', async () => {
    const crowd = Array.from({ length: 50_000 }, (_, i) => ({ ...sound.clauses[0], id: `a.b${i}` }));
    for (const [clauses, why] of [
      [[null], /is not the result of a run.*, and was left out\.$/],
      [crowd, /it has \d+ MiB, and at most 1 MiB are read, and was left out\.$/],
    ] as const) {
      const file = fileWith('conformance.json', JSON.stringify({ ...sound, clauses }));
      expect(await problemOf(() => prepareRun({ BASELINE: file }))).toMatch(
        /^BASELINE: .*is not the result of a run of this suite\.$/,
      );
      const history = freshDirectory();
      cpSync(file, join(history, '2026-01-02T03-00-00.000Z.json'));
      const past = readPast(history);
      expect(past.runs).toEqual([]);
      expect(past.notes.join()).toMatch(why);
    }
  });

  test('of what they observed the beginning is shown', () => {
    const observations = { 'rejection.status': Array.from({ length: 20_000 }, (_, i) => `v${i}`) };
    const { changes } = comparedWith({ baseline: { ...sound, observations } as typeof sound, past: null }, sound);
    const tables = tablesOf({ conformance: { ...sound, changes }, causes: [], trends: [] });
    const shown = tables.changes.rows.filter((row) => JSON.stringify(row).includes('rejection.status'));
    expect(shown).toHaveLength(1);
    expect(JSON.stringify(shown).length).toBeLessThan(1200);
  });
});

test.describe('packages', () => {
  let sound: Results & { directory: string };
  test.beforeAll(async () => {
    sound = await resultsOf([]);
  });
  const written = (edit: (har: Results['har']) => void) => {
    const har = structuredClone(sound.har);
    edit(har);
    return JSON.stringify(har);
  };
  const entriesOf = (count: number, delivery: boolean) =>
    written(({ log }) => {
      const model = log.entries.find((entry) => '_delivery' in entry === delivery);
      log.entries.push(...Array.from({ length: count }, () => model as (typeof log.entries)[number]));
    });

  test('more entries, deliveries or accounts than a run leaves are refused before they are judged', async () => {
    expect(evidenceSchema.$defs.har.properties.entries.maxItems).toBe(MOST_EXCHANGES + MOST_DELIVERIES);
    const crowded = written(({ log }) => {
      log._target.accounts = Array(2000).fill(log._target.accounts[0]);
    });
    const long = written(({ log }) => {
      log.entries[0]?.request.headers.push(...Array.from({ length: 20_000 }, () => ({ name: 'X-A', value: '1' })));
    });
    const [many, delivered] = [entriesOf(MOST_EXCHANGES + MOST_DELIVERIES, false), entriesOf(MOST_DELIVERIES, true)];
    for (const har of [many, delivered, crowded, long])
      expect(await problemOf(() => fromHar(har, 'x'))).toContain('it is not as a run of this suite writes');
    const directory = forged(sound, () => undefined, { key: vendor.privateKey });
    writeFileSync(join(directory, 'evidence.har'), entriesOf(MOST_EXCHANGES + MOST_DELIVERIES, false));
    expect(problemsIn(directory).at(-1)).toContain('it is not as a run of this suite writes it');
  });

  test('an attestation with a subject twice is refused', () => {
    const failedIn = (edit: (statement: string) => string) => {
      const directory = forged(sound, () => undefined, { key: vendor.privateKey });
      const file = join(directory, 'attestation.json');
      const envelope = JSON.parse(readFileSync(file, 'utf8'));
      envelope.payload = Buffer.from(edit(Buffer.from(envelope.payload, 'base64').toString())).toString('base64');
      writeFileSync(file, JSON.stringify(envelope));
      return problemsIn(directory);
    };
    expect(failedIn((text) => text)).toEqual([]);
    const otherwise = ['attestation: attestation.json does not say what conformance.json says'];
    expect(failedIn((text) => text.replace('"subject":[', '"subject":[],"subject":['))).toEqual(otherwise);
    expect(failedIn((text) => text.replace(/"subject":\[(\{.*?\}\})/, '$&,$1'))).toEqual(otherwise);
  });

  test('nothing is written through a link that stands where a list, a package or a target file goes', async () => {
    const victim = fileWith('victim', 'keep');
    const linked = (...names: string[]) => {
      const place = freshDirectory();
      for (const name of names) symlinkSync(victim, join(place, name));
      return place;
    };
    const one = forged(sound, () => undefined, { key: vendor.privateKey });
    const list = join(linked('list.json'), 'list.json');
    expect(await commandHere(verifyCommand, [one, '--list', list])).toMatchObject({ status: 0 });
    expect(JSON.parse(readFileSync(list, 'utf8')).packages).toHaveLength(1);
    const certified = linked('conformance.json', 'attestation.json');
    for (const name of ['conformance.json', 'attestation.json']) save(join(certified, name), 'd', 'choose another');
    expect(readFileSync(join(certified, 'attestation.json'), 'utf8')).toBe('d');
    expect(readFileSync(victim, 'utf8')).toBe('keep');
  });

  test('names of targets reach no terminal as commands', async () => {
    const name = 'Acme\u001b[31m\u202e\n::error::x';
    const edit = (_: Conformance, { log }: Results['har']) => Object.assign(log._target, { name });
    const named = forged(sound, edit, { judged: true, key: vendor.privateKey });
    const evil = join(freshDirectory(), 'bad\u001b[31m\n::error::x');
    mkdirSync(evil);
    const SIGNING_KEY = privatePem(vendor);
    const words = [named, '--out', join(freshDirectory(), 'out')];
    const certified = await commandHere(certifyCommand, words, { SIGNING_KEY });
    const { output } = await commandHere(verifyCommand, [named, evil]);
    const printed = certified.output + output;
    expect(printed).toMatch(/a signed package of the run against Acme␛.*verified .*Acme␛.*failed /s);
    expect(visible(printed)).toBe(printed);
  });
});

test('what a link of a neighbour leads to is not removed, where results cannot be written', async () => {
  const TMPDIR = freshDirectory();
  const theirs = directoryWith({ 'playwright/file': '' });
  symlinkSync(theirs, join(TMPDIR, `assessment-api-conformance-${process.geteuid?.() ?? 'own'}`));
  const RESULTS_DIR = fileWith('file', '');
  const run = await wholeRun({ arguments: ['-g', 'version.base'], environment: { TMPDIR, RESULTS_DIR } });
  expect(run.status, run.output).toBe(2);
  expect(existsSync(join(theirs, 'playwright', 'file'))).toBe(true);
});

test('no draft stays beside a file that cannot be written', () => {
  const taken = directoryWith({ 'result.json/file': '' });
  expect(() => save(join(taken, 'result.json'), 'of a run', '')).toThrow(UsageError);
  expect(readdirSync(taken)).toEqual(['result.json']);
});

test('what stands under the name of a draft is not written to, even if the name was foreseen', () => {
  const directory = freshDirectory();
  const victim = fileWith('victim', 'mine');
  const { randomBytes } = crypto;
  crypto.randomBytes = ((size: number) => Buffer.alloc(size)) as typeof randomBytes;
  try {
    symlinkSync(victim, join(directory, 'result.json.AAAAAAAAAAAA.tmp'));
    expect(() => save(join(directory, 'result.json'), 'of a run', '')).toThrow(/file already exists/);
  } finally {
    crypto.randomBytes = randomBytes;
  }
  expect(readFileSync(victim, 'utf8')).toBe('mine');
  expect(readdirSync(directory)).toEqual(['result.json.AAAAAAAAAAAA.tmp']);
});

import { expect, test } from '@playwright/test';
import { UsageError } from '../../../src/common/errors';
import { fleetIn, isOn, isTargetName, loadConfiguration, variablesIn } from '../../../src/config/configuration';
import { BASE, HEAD, KEY, messageOf, OTHER_KEY, PASSWORD, SECRETS, WHOLE } from '../support/configurations';
import { runHere } from '../support/run-here';
import { directoryWith, freshDirectory, stackLines, targetFile } from '../support/whole-runs';

const bases: Record<string, string> = {
  'staging.acme.example/api/v2': 'absolute URL',
  'localhost:8080/api/v2': 'https://',
  [`https://alice:${PASSWORD}@staging.acme.example/v2`]: 'absolute URL',
  [`https://alice:${OTHER_KEY}@staging.acme.example/v2`]: 'user name or password',
  [`${BASE}?apiKey=${KEY}`]: 'query',
  [`${BASE}#${KEY}`]: 'fragment',
  [`https://staging.acme.example/a b/${KEY}`]: 'absolute URL',
};
test('refuses a base URL that cannot be one, with a key or beside a target file', () => {
  const TARGET = targetFile(WHOLE);
  for (const [base, says] of Object.entries(bases))
    for (const rest of [{ API_KEY: KEY }, { TARGET }])
      expect
        .soft(messageOf(() => loadConfiguration({ BASE_URL: base, ...rest })))
        .toMatch(new RegExp(`^(?=.*BASE_URL).*${says}.*$`));
});

test('refuses an address without a key, and a key that cannot stand in a header', () => {
  expect(messageOf(() => loadConfiguration({ BASE_URL: BASE }))).toContain('set API_KEY');
  for (const key of [`${KEY} `, `${KEY}\n`, ` ${KEY}`, `"${KEY}`.replace('"', '“'), `${KEY}ü`]) {
    expect(messageOf(() => loadConfiguration({ BASE_URL: BASE, API_KEY: key }))).toContain('API_KEY');
  }
});

test('takes switches that are on, off or unset, and no other', () => {
  for (const on of ['1', 'true', 'YES', ' on ']) expect(isOn({ STRICT: on }, 'STRICT'), on).toBe(true);
  for (const off of [undefined, '0', 'false', 'No', 'off']) expect(isOn({ STRICT: off }, 'STRICT'), off).toBe(false);
  for (const name of ['STRICT', 'REQUIRE_COMPLETE', 'RISKY_PROBES', 'INSECURE_TLS'])
    expect(messageOf(() => loadConfiguration({ [name]: KEY }))).toContain(`${name} must be 1`);
});

test('beats .env, in which empty values count as unset too', () => {
  const directory = directoryWith({
    '.env': `# staging\nBASE_URL=${BASE}\nexport API_KEY='${KEY}'\nSTRICT=\nRESULTS_DIR="some where"\nPASSWORD="a#b\\nc"\n`,
  });
  const read = variablesIn(directory, { API_KEY: OTHER_KEY, BASE_URL: '', REPLAY: undefined });
  expect(read).toEqual({
    BASE_URL: BASE,
    API_KEY: OTHER_KEY,
    RESULTS_DIR: 'some where',
    PASSWORD: 'a#b\nc',
  });
  expect(variablesIn(freshDirectory(), { BASE_URL: '' })).toEqual({});
});

test('may come with a .env that is a directory, which some editors and containers leave', () => {
  const directory = directoryWith({ '.env/file': '' });
  expect(variablesIn(directory, { BASE_URL: BASE })).toEqual({ BASE_URL: BASE });
});

test('turns risky probes on for the embedded server, and nowhere else unless asked', () => {
  const remote = { BASE_URL: BASE, API_KEY: KEY };
  expect(loadConfiguration({}).riskyProbes).toBe(true);
  expect(loadConfiguration({ RISKY_PROBES: '0' }).riskyProbes).toBe(false);
  expect(loadConfiguration(remote).riskyProbes).toBe(false);
  expect(loadConfiguration({ ...remote, RISKY_PROBES: '1' }).riskyProbes).toBe(true);
});

test('a run with a bad configuration is one message, and all files of a run that could not be done', async () => {
  const file = targetFile(`${HEAD}  - { name: alice, apiKey: ${KEY}, colour: red }\n`);
  const runs = await Promise.all([
    runHere({ BASE_URL: BASE }),
    runHere({ BASE_URL: `https://alice:${OTHER_KEY}@acme.example/v2`, API_KEY: KEY }),
    runHere({ TARGET: file, BASE_URL: '' }),
    runHere({ BASE_URL: BASE, API_KEY: KEY, HTTPS_PROXY: `alice:${OTHER_KEY}@proxy.example` }),
  ]);
  const says = ['BASE_URL is set, but no key', 'BASE_URL: wrong form.', `${file}:3:`, 'HTTPS_PROXY is not the URL'];
  for (const [i, run] of runs.entries()) {
    expect(run.status).toBe(2);
    expect(run.output.replace(/\s+/g, ' ').split(says[i] ?? ''), run.output).toHaveLength(2);
    expect(stackLines(run.output)).toEqual([]);
    expect(run.output).not.toMatch(/Error:/);
    const { verdict, error, requests } = run.conformance();
    expect({ verdict, requests }).toEqual({ verdict: 'error', requests: 0 });
    expect(error).toContain(says[i]);
    for (const secret of SECRETS) expect(run.output).not.toContain(secret);
  }
});

test('a key in .env that would end at its # is refused, and no comment', () => {
  const withEnv = (text: string, environment = {}) => {
    const directory = directoryWith({ '.env': text });
    return () => variablesIn(directory, environment);
  };
  for (const line of ['API_KEY=abc#def', 'export ACME_KEY = abc#def # mine'])
    expect(messageOf(withEnv(`X=1\n${line}\n`))).toMatch(/^\.env: the value of (?:API|ACME)_KEY ends at its first #: /);
  for (const line of ["API_KEY='abc#def'", 'API_KEY=abc # mine', 'API_KEY= # none', '# API_KEY=abc#def', 'COLOUR=a#b'])
    expect(withEnv(`${line}\n`), line).not.toThrow();
  expect(withEnv('API_KEY=abc#def\n', { API_KEY: KEY })().API_KEY).toBe(KEY);
});

test('names of targets are names of files', () => {
  for (const name of ['acme', 'acme 4.2', 'größe', 'a-b_c']) expect(isTargetName(name), name).toBe(true);
  for (const name of ['', '.', '..', '.hidden', 'a/b', 'a\\b', '../x', 'a\0', 'a\nb', 'playwright', 'x'.repeat(300)])
    expect(isTargetName(name), JSON.stringify(name)).toBe(false);
  // Playwright prints the names of projects as they are.
  for (const mark of ['\u202e', '\u2066', '\u200f', '\u061c', '\u001b', '\u0085', '\u2028'])
    expect(isTargetName(`a${mark}b`), JSON.stringify(mark)).toBe(false);
  expect(() => fleetIn({ TARGETS: directoryWith({ 'a\u202eb.yaml': '' }) })).toThrow(UsageError);
});

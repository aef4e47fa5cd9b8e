/** Packages: signed in a form that others read, made of every conformant run, and refused with one clear message. */
import { spawnSync } from 'node:child_process';
import { createHash, createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { mkdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { dialects, faults } from '../../../fixtures/catalogue';
import { certify } from '../../../src/certificate/certify';
import { burstProblems } from '../../../src/certificate/consistency/bursts';
import { type Envelope, signedBytes, signedEnvelope, signersOf } from '../../../src/certificate/envelope';
import { signingKey, verifyingKey } from '../../../src/certificate/keys';
import type { Statement } from '../../../src/certificate/statement';
import { verifyPackage } from '../../../src/certificate/verify';
import { UsageError } from '../../../src/common/usage-error';
import { problemsIn } from '../../../src/config/declaration';
import { loadTarget } from '../../../src/config/target-file';
import { embeddedAccounts } from '../../../src/reference/embedded-accounts';
import { at, BASE, evidenceOf } from '../support/evidence-of';
import { forged, type Results, resultsOf, vendor } from '../support/packages';
import { runHere } from '../support/run-here';
import { freshDirectory, ROOT, stackLines } from '../support/whole-runs';

const P256 = generateKeyPairSync('ec', { namedCurve: 'P-256' });
let fresh: { directory: string } & Results;

test.beforeAll(async () => {
  fresh = await resultsOf([], { target: { vendor: 'Acme', product: 'Acme Assessments', version: '4.2' } });
});
const problemsOf = (directory: string, keys = [{ name: 'vendor', key: vendor.publicKey }]) =>
  verifyPackage(directory, keys).checks.flatMap(({ name, problems }) =>
    problems.map((problem) => `${name}: ${problem}`),
  );

function messageOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    expect(error).toBeInstanceOf(UsageError);
    return (error as Error).message;
  }
  throw new Error('Nothing was thrown.');
}

test.describe('the envelope', () => {
  /** The test vector of the DSSE protocol, version 1.0.0. */
  const VECTOR: Envelope = {
    payloadType: 'http://example.com/HelloWorld',
    payload: 'aGVsbG8gd29ybGQ=',
    signatures: [{ sig: 'A3JqsQGtVsJ2O2xqrI5IcnXip5GToJ3F+FnZ+O88SjtR6rDAajabZKciJTfUiHqJPcIAriEGAHTVeCUjW2JIZA==' }],
  };
  const coordinate = (decimal: string) =>
    Buffer.from(BigInt(decimal).toString(16).padStart(64, '0'), 'hex').toString('base64url');
  const key = createPublicKey({
    format: 'jwk',
    key: {
      kty: 'EC',
      crv: 'P-256',
      x: coordinate('46950820868899156662930047687818585632848591499744589407958293238635476079160'),
      y: coordinate('5640078356564379163099075877009565129882514886557779369047442380624545832820'),
    },
  });

  test('encodes what is signed as the protocol publishes it', () => {
    const encoded = signedBytes('http://example.com/HelloWorld', Buffer.from('hello world'));
    expect(encoded.toString()).toBe('DSSEv1 29 http://example.com/HelloWorld 11 hello world');
    // Lengths are those of bytes.
    expect(signedBytes('é', Buffer.from('ü')).toString()).toBe('DSSEv1 2 é 2 ü');
  });

  test('takes the signature that the protocol publishes, and no other', () => {
    expect(signersOf(VECTOR, [{ name: 'published', key }]).map(({ name }) => name)).toEqual(['published']);
    expect(signersOf({ ...VECTOR, payloadType: 'http://example.com/Other' }, [{ name: 'published', key }])).toEqual([]);
    expect(signersOf({ ...VECTOR, payload: 'aGVsbG8gd29ybGE=' }, [{ name: 'published', key }])).toEqual([]);
  });

  for (const [kind, pair] of Object.entries({ Ed25519: vendor, 'P-256': P256 })) {
    test(`is signed and verified with ${kind}`, () => {
      const envelope = signedEnvelope('text/plain', Buffer.from('hello'), pair.privateKey);
      expect(signersOf(envelope, [{ name: 'a', key: pair.publicKey }]).map(({ name }) => name)).toEqual(['a']);
      expect(signersOf(envelope, [{ name: 'b', key: generateKeyPairSync('ed25519').publicKey }])).toEqual([]);
    });
  }
});

test('a package is an in-toto statement about its files, signed', () => {
  const directory = join(freshDirectory(), 'package');
  certify(fresh.directory, directory, P256.privateKey);
  const envelope = JSON.parse(readFileSync(join(directory, 'attestation.json'), 'utf8')) as Envelope;
  expect(envelope.payloadType).toBe('application/vnd.in-toto+json');
  const payload = Buffer.from(envelope.payload, 'base64');
  const signed = Buffer.from(`DSSEv1 28 application/vnd.in-toto+json ${payload.length} ${payload}`);
  expect(verify('sha256', signed, P256.publicKey, Buffer.from(envelope.signatures[0]?.sig ?? '', 'base64'))).toBe(true);
  const statement = JSON.parse(payload.toString()) as Statement;
  expect(statement._type).toBe('https://in-toto.io/Statement/v1');
  expect(statement.predicateType).toBe('https://in-toto.io/attestation/test-result/v0.1');
  expect(statement.subject.map(({ name }) => name).sort()).toEqual(['conformance.json', 'evidence.har', 'index.html']);
  for (const { name, digest } of statement.subject) {
    const content = readFileSync(join(directory, name));
    expect(digest.sha256).toBe(createHash('sha256').update(content).digest('hex'));
  }
  expect(statement.predicate.result).toBe('PASSED');
  expect(statement.predicate.passedTests).toContain('settings.password-null');
  expect(statement.predicate.failedTests).toEqual([]);
  const target = statement.predicate.configuration.find(({ name }) => name === 'target');
  expect(target?.annotations).toMatchObject({ vendor: 'Acme', product: 'Acme Assessments', version: '4.2' });
  for (const { uri, digest, content } of statement.predicate.configuration)
    expect(uri ?? digest ?? content, 'one of these a resource descriptor has to have').toBeDefined();
  expect(problemsOf(directory, [{ name: 'vendor', key: P256.publicKey }])).toEqual([]);
});

test('a sequence may begin with the base path, in whichever window its first read comes', () => {
  const opener = (status: number) => at(0, 'alice', { group: 'base-accepted', status, request: ofBasePath });
  const ofBasePath = { method: 'GET', url: `${BASE}/`, headers: [] };
  const sequence = [at(60, 'alice', { group: 'sequence' }), at(90, 'alice', { group: 'sequence', status: 429 })];
  expect(burstProblems(evidenceOf([opener(200), ...sequence]))).toEqual([]);
  expect(burstProblems(evidenceOf([opener(404), ...sequence]))).toEqual([
    'sequence/alice/1 begins before the budget of its account is whole',
  ]);
});

test.describe('a fresh run', () => {
  const accounts = embeddedAccounts();
  const runs: Record<string, () => ReturnType<typeof resultsOf>> = {
    'with two accounts': () => resultsOf([], { accounts: accounts.slice(0, 2) }),
    'with three accounts': () => resultsOf([], { accounts: accounts.slice(0, 3) }),
    'with eight accounts': () =>
      resultsOf([], {
        accounts: Array.from({ length: 8 }, (_, i) => {
          const account = structuredClone(accounts[i % accounts.length]);
          if (!account) throw new Error('There are no embedded accounts.');
          account.name = `account-${i}`;
          account.apiKey = `${account.apiKey.slice(0, -2)}${i}q`;
          account.settings.start.url = `https://hooks.example/${i}`;
          return account;
        }),
      }),
    'whose keys are digits': () =>
      resultsOf([], {
        accounts: accounts.slice(0, 2).map((each, i) => ({ ...each, apiKey: `8675309${i}4242424242` })),
      }),
    ...Object.fromEntries(
      ['window-of-the-clock', 'sliding-log', 'gcra', 'refusals-push', 'queue'].map((name) => [
        `against the dialect ${name}`,
        () => resultsOf(dialects.filter((dialect) => dialect.name === name)),
      ]),
    ),
  };

  test('is never said not to add up', async () => {
    const made = await Promise.all(Object.entries(runs).map(async ([name, run]) => [name, await run()] as const));
    const refused = made.flatMap(([name, { directory, conformance }]) => {
      const out = join(freshDirectory(), 'package');
      // What cannot be certified is refused for that alone.
      if (!conformance.certifiable) {
        const message = messageOf(() => certify(directory, out, vendor.privateKey));
        return /^ {2}(?:\w+: |not certifiable)/m.test(message.replace(/^ {2}(?:not tested|waived): .*/gm, ''))
          ? [`${name}: ${message}`]
          : [];
      }
      certify(directory, out, vendor.privateKey);
      return problemsOf(out).map((problem) => `${name}: ${problem}`);
    });
    expect(refused).toEqual([]);
    expect(made.filter(([, { conformance }]) => conformance.certifiable)).not.toEqual([]);
  });

  test('of the runner is certified, verified, and replayed without a doubt, by the commands', async () => {
    const run = await runHere();
    expect(run.status, run.output).toBe(0);
    const home = freshDirectory();
    const [key, pub] = [join(home, 'key.pem'), join(home, 'public.pem')];
    writeFileSync(key, vendor.privateKey.export({ type: 'pkcs8', format: 'pem' }));
    writeFileSync(pub, vendor.publicKey.export({ type: 'spki', format: 'pem' }));
    const certified = command('certify', [run.results, '--out', join(home, 'package')], {
      SIGNING_KEY: readFileSync(key, 'utf8'),
    });
    expect(certified.status, certified.output).toBe(0);
    const verified = command('verify', [join(home, 'package'), '--key', pub]);
    const lines = verified.output.trim().split('\n');
    expect(lines.slice(0, -2).every((line) => line.startsWith('ok '))).toBe(true);
    expect(lines.slice(0, -2).join()).toContain('ok         attestation');
    expect(lines.at(-1)).toBe(`verified: ${lines.length - 2} checks`);
    const again = command('certify', [run.results, '--out', join(home, 'package'), '--key', key]);
    expect([again.status, again.output]).toEqual([1, expect.stringContaining('holds a package already')]);
    expect(command('certify', [run.results, '--out', join(home, 'package'), '--key', key, '--force']).status).toBe(0);
    expect(verified.status).toBe(0);
    const target = join(home, 'own.yaml');
    const written = command('verify', [join(home, 'package'), '--target', target]);
    expect(written.status).toBe(0);
    expect(written.output).toContain(`Wrote ${target}: set the variables`);
    expect(written.output).toMatch(/^verified: \d+ checks \(not checked: signature\)$/m);
    const keys = { API_KEY_1: 'own-1', API_KEY_2: 'own-2', API_KEY_3: 'own-3', API_KEY_4: 'own-4' };
    const passwords = {
      PASSWORD_1: 'stored-1',
      PASSWORD_2: 'stored-2',
      PASSWORD_3: 'stored-3',
      PASSWORD_4: 'stored-4',
    };
    const loaded = loadTarget(target, { ...keys, ...passwords });
    expect(loaded.baseURL).toBe(run.conformance().target.baseURL);
    expect(loaded.accounts.map(({ name, apiKey }) => [name, apiKey])).toEqual(
      run.conformance().target.accounts.map((name, i) => [name, `own-${i + 1}`]),
    );

    const told = JSON.parse(command('verify', [join(home, 'package'), '--json']).output);
    expect(told.isFine).toBe(true);
    expect(told.checks.find(({ name }: { name: string }) => name === 'signature').verdict).toBe('unchecked');

    const har = run.har();
    // An alteration that every key has; it may have been asked more than once.
    har.log.entries = har.log.entries.filter(
      ({ _probe }) => !/^altered-key\/.*last-character-changed$/.test(_probe ?? ''),
    );
    const cut = join(home, 'cut.har');
    writeFileSync(cut, JSON.stringify(har));
    const [whole, doubtful] = await Promise.all(
      [join(run.results, 'evidence.har'), cut].map((REPLAY) => runHere({ REPLAY })),
    );
    expect(whole?.output).not.toContain('does not add up');
    expect(whole?.conformance().certifiable).toBe(true);
    expect(doubtful?.output.replace(/\s+/g, ' ')).toContain(
      'The evidence does not add up, so this result cannot be certified',
    );
    expect(doubtful?.conformance().certifiable).toBe(false);
    expect(messageOf(() => certify(doubtful?.results ?? '', join(home, 'again'), vendor.privateKey))).toMatch(
      /plan: altered-key/,
    );
  });
});

function command(name: string, words: string[], environment: Record<string, string> = {}) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(ROOT, 'commands', 'from-source.js'), name, ...words],
    { cwd: freshDirectory(), env: { PATH: process.env.PATH, ...environment }, encoding: 'utf8' },
  );
  return { status, output: stdout + stderr };
}

test('a run that cannot be certified is refused with every reason', async () => {
  const [leaking, alone] = await Promise.all([
    resultsOf(faults.filter(({ name }) => name === 'password-masked')),
    resultsOf([], { accounts: embeddedAccounts().slice(0, 1) }),
  ]);
  const out = join(freshDirectory(), 'package');
  expect(messageOf(() => certify(leaking.directory, out, vendor.privateKey))).toContain(
    'cannot be certified:\n  a clause is broken',
  );
  expect(messageOf(() => certify(alone.directory, out, vendor.privateKey))).toMatch(
    /^ {2}not tested: .*auth\.own-settings/m,
  );
});

test('vendor, product and version are declared in the target file', () => {
  const declared = { vendor: 'Acme', product: 'Acme Assessments', version: '4.2' };
  const target = { baseURL: 'https://a.example/v2', accounts: [{ name: 'a', apiKey: 'an-api-key' }] };
  expect(problemsIn({ ...target, ...declared })).toEqual([]);
  expect(problemsIn({ ...target, vendor: ' ' })).toHaveLength(1);
  expect(problemsIn({ ...target, version: 4.2 })[0]?.text).toContain('put it in quotes');
});

test.describe('bad input gets one clear message', () => {
  const pem = (pair: { privateKey: typeof vendor.privateKey }) =>
    pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const fileOf = (content: string) => {
    const file = join(freshDirectory(), 'key.pem');
    writeFileSync(file, content);
    return file;
  };

  test('keys', () => {
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' });
    const encrypted = vendor.privateKey
      .export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'secret' })
      .toString();
    const publicPem = vendor.publicKey.export({ type: 'spki', format: 'pem' }).toString();
    expect(messageOf(() => signingKey(undefined, undefined))).toMatch(/No key to sign with.*openssl genpkey/);
    expect(messageOf(() => signingKey(undefined, ''))).toMatch(/No key to sign with/);
    expect(messageOf(() => signingKey(undefined, pem(rsa)))).toMatch(/^SIGNING_KEY is a key of the kind rsa/);
    expect(messageOf(() => signingKey(fileOf(pem(p384)), undefined))).toMatch(/kind secp384r1/);
    expect(messageOf(() => signingKey(undefined, encrypted))).toMatch(/is encrypted.*openssl pkey/);
    expect(messageOf(() => signingKey(undefined, publicPem))).toMatch(/holds no private key/);
    expect(messageOf(() => signingKey(undefined, 'hello'))).toMatch(/is no key in PEM/);
    expect(messageOf(() => signingKey('/nowhere.pem', undefined))).toMatch(
      /nowhere\.pem cannot be read: there is no such file/,
    );
    expect(messageOf(() => verifyingKey(fileOf(pem(vendor))))).toMatch(/holds a private key/);
    expect(messageOf(() => verifyingKey(fileOf('x')))).toMatch(/is no key in PEM/);
    expect(verifyingKey(fileOf(publicPem)).key.asymmetricKeyType).toBe('ed25519');
    expect(signingKey(undefined, pem(vendor).replaceAll('\n', '\\n')).asymmetricKeyType).toBe('ed25519');
  });

  const spoilt = (name: string, spoil: (file: string) => void) => {
    const directory = forged(fresh, () => undefined, { key: vendor.privateKey });
    spoil(join(directory, name));
    return problemsOf(directory).join('\n');
  };

  test('packages', () => {
    expect(problemsOf('/nowhere')).toEqual(['package: /nowhere cannot be read: there is no such file or directory.']);
    expect(spoilt('evidence.har', (file) => truncateSync(file, 2 ** 30))).toMatch(
      /evidence\.har cannot be read: it has 1024 MiB, and at most 64 MiB are read/,
    );
    expect(spoilt('conformance.json', (file) => writeFileSync(file, '{"tests": 3}'))).toMatch(
      /schemas: conformance\.json is not the result/,
    );
    expect(spoilt('conformance.json', (file) => writeFileSync(file, '['.repeat(2_000_000)))).toMatch(
      /conformance\.json cannot be read: it is nested more than 500 levels deep/,
    );
    expect(
      spoilt('evidence.har', (file) =>
        writeFileSync(file, '{"log":{"version":"1.2","creator":{"name":"Firefox","version":"1"},"entries":[]}}'),
      ),
    ).toMatch(/evidence\.har cannot be judged again: it was not written by this suite/);
    expect(spoilt('attestation.json', (file) => writeFileSync(file, '{"jwt":"a.b.c"}'))).toMatch(
      /attestation: attestation\.json is no DSSE envelope/,
    );
    expect(spoilt('attestation.json', (file) => writeFileSync(file, Buffer.from([0xff, 0xfe])))).toMatch(/not UTF-8/);
    const climbing = signedEnvelope(
      'application/vnd.in-toto+json',
      Buffer.from(JSON.stringify({ subject: [{ name: '../../etc/passwd', digest: { sha256: '00' } }] })),
      vendor.privateKey,
    );
    expect(spoilt('attestation.json', (file) => writeFileSync(file, JSON.stringify(climbing)))).toMatch(
      /"\.\.\/\.\.\/etc\/passwd" is attested, and is no file of a package/,
    );
    const deep = fresh.conformance;
    const nested = JSON.stringify({ ...deep, observations: {} }).replace(
      '"observations":{}',
      `"observations":{"a":[${'['.repeat(100_000)}${']'.repeat(100_000)}]}`,
    );
    expect(spoilt('conformance.json', (file) => writeFileSync(file, nested))).toMatch(/nested more than 500 levels/);
  });

  test('directories', () => {
    const out = freshDirectory();
    writeFileSync(join(out, 'mine.txt'), 'keep');
    expect(messageOf(() => certify(fresh.directory, out, vendor.privateKey))).toMatch(
      /holds other files \(mine\.txt\)/,
    );
    expect(messageOf(() => certify('/nowhere', out, vendor.privateKey))).toMatch(
      /conformance\.json cannot be read: there is no such file/,
    );
    const linked = join(freshDirectory(), 'linked');
    mkdirSync(linked);
    for (const name of ['conformance.json', 'evidence.har'])
      symlinkSync(join(fresh.directory, name), join(linked, name));
    expect(messageOf(() => certify(linked, join(out, 'x'), vendor.privateKey))).toMatch(/it is a link/);
  });

  test('commands end with status 1 and without a stack', () => {
    const runs: Array<[name: string, words: string[], says: RegExp]> = [
      ['certify', [], /Usage: npm run certify -- RESULTS/],
      ['certify', [fresh.directory, '--out', 'x'], /No key to sign with/],
      ['certify', [fresh.directory, '--nothing'], /Unknown option '--nothing'.*Usage/],
      ['verify', ['/nowhere'], /failed +package +\/nowhere cannot be read: there is no such/],
      ['register', [freshDirectory(), '--out', 'x'], /there is no package here/],
    ];
    for (const [name, words, says] of runs) {
      const { status, output } = command(name, words);
      expect(output).toMatch(says);
      expect(stackLines(output)).toEqual([]);
      expect(status).toBe(1);
    }
  });
});

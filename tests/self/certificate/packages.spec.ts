/** Packages: signed in a form that others read, made of every conformant run, and refused with one clear message. */
import { createHash, generateKeyPairSync, verify } from 'node:crypto';
import { cpSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { certifyCommand } from '../../../commands/certify';
import { verifyCommand } from '../../../commands/verify';
import {
  type Envelope,
  keyidOf,
  type Statement,
  signedBytes,
  signedEnvelope,
  signingKey,
  vendorKey,
} from '../../../src/certificate/attestation';
import { certify } from '../../../src/certificate/package';
import { embeddedAccounts } from '../../../src/reference/account';
import { ACME, forged, privatePem, problemsIn, publicPem, type Results, resultsOf, vendor } from '../support/packages';
import { commandHere } from '../support/run-command';
import { runHere } from '../support/run-here';
import { serverNamed } from '../support/simulation';
import { messageOf } from '../support/usage-errors';
import { fileWith, freshDirectory } from '../support/whole-runs';

let fresh: { directory: string } & Results;

test.beforeAll(async () => {
  fresh = await resultsOf([], { target: { vendor: 'Acme', product: 'Acme Assessments', version: '4.2' } });
});

test('the envelope encodes what is signed as the protocol publishes it', () => {
  const encoded = signedBytes('http://example.com/HelloWorld', Buffer.from('hello world'));
  expect(encoded.toString()).toBe('DSSEv1 29 http://example.com/HelloWorld 11 hello world');
  // Lengths are those of bytes.
  expect(signedBytes('é', Buffer.from('ü')).toString()).toBe('DSSEv1 2 é 2 ü');
});

test('a package is an in-toto statement about its files, signed', () => {
  const directory = join(freshDirectory(), 'package');
  certify(fresh.directory, directory, vendor.privateKey);
  const envelope = JSON.parse(readFileSync(join(directory, 'attestation.json'), 'utf8')) as Envelope;
  expect(envelope.payloadType).toBe('application/vnd.in-toto+json');
  const payload = Buffer.from(envelope.payload, 'base64');
  const signed = Buffer.from(`DSSEv1 28 application/vnd.in-toto+json ${payload.length} ${payload}`);
  expect(verify(null, signed, vendor.publicKey, Buffer.from(envelope.signatures[0]?.sig ?? '', 'base64'))).toBe(true);
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
  expect(problemsIn(directory, [ACME])).toEqual([]);
});

test('results are certified, verified, and replayed without a doubt, by the commands', async () => {
  const plain = await resultsOf([]);
  const results = plain.directory;
  const home = freshDirectory();
  const [key, pub] = [fileWith('key.pem', privatePem(vendor)), fileWith('public.pem', publicPem(vendor))];
  const certified = await commandHere(certifyCommand, [results, '--out', join(home, 'package')], {
    SIGNING_KEY: privatePem(vendor),
  });
  expect(certified.status, certified.output).toBe(0);
  const again = await commandHere(certifyCommand, [results, '--out', join(home, 'package'), '--key', key]);
  expect([again.status, again.output]).toEqual([2, expect.stringContaining('is not empty')]);
  const verified = await commandHere(verifyCommand, [join(home, 'package')]);
  expect([verified.status, verified.output]).toEqual([
    0,
    `verified  ${join(home, 'package')}: embedded reference server; signature not checked\n`,
  ]);
  // It declares no vendor, so no vendor's key vouches for it.
  const vouched = await commandHere(verifyCommand, [join(home, 'package'), '--key', `${pub}=Acme`]);
  expect([vouched.status, vouched.output]).toEqual([
    1,
    `failed    ${join(home, 'package')}: embedded reference server; signed by nobody known; signature: it declares no vendor, and the key that signed it vouches for "Acme" alone\n`,
  ]);

  const har = structuredClone(plain.har);
  har.log.entries.splice(20, 1);
  const cut = fileWith('cut.har', JSON.stringify(har));
  const [whole, doubtful] = await Promise.all(
    [join(results, 'evidence.har'), cut].map((REPLAY) => runHere({ REPLAY })),
  );
  expect(whole?.output).not.toContain('edited after its run');
  expect(whole?.conformance()).toMatchObject({ certifiable: true, startedAt: plain.conformance.startedAt });
  // A replay writes the evidence again, and mends no seal.
  const twice = await runHere({ REPLAY: join(doubtful?.results ?? '', 'evidence.har') });
  for (const edited of [doubtful, twice]) {
    expect(edited?.output.replace(/\s+/g, ' ')).toContain(
      'The evidence was edited after its run, so this result cannot be certified',
    );
    expect(edited?.conformance().certifiable).toBe(false);
    expect(messageOf(() => certify(edited?.results ?? '', join(home, 'again'), vendor.privateKey))).toMatch(
      /seal: evidence\.har was edited after its run/,
    );
  }
});

test.describe('many packages', () => {
  const NASTY = '<script>owned</script> | @all [x](https://evil.example) `a`';
  const rival = generateKeyPairSync('ed25519');
  const place = freshDirectory();
  const keys = Object.entries({ Acme: vendor, Rival: rival, [NASTY]: vendor }).flatMap(([name, pair], i) => [
    '--key',
    `${fileWith(`${i}.pem`, publicPem(pair), place)}=${name}`,
  ]);
  let packages: string[];
  const verified = async (...words: string[]) => {
    const { status, output } = await commandHere(verifyCommand, words);
    return { status, lines: output.replaceAll(`${place}/`, '').trimEnd().split('\n') };
  };

  test.beforeAll(() => {
    const named = (name: string, edit: Parameters<typeof forged>[1], key = vendor.privateKey, judged = true) => {
      cpSync(forged(fresh, edit, { judged, key }), join(place, name), { recursive: true });
      return join(place, name);
    };
    packages = [
      named('good', () => undefined),
      named('edited', () => undefined),
      named('impostor', () => undefined, rival.privateKey),
      named('stranger', () => undefined, generateKeyPairSync('ed25519').privateKey),
      named('nasty', (_, { log }) => Object.assign(log._target, { vendor: NASTY, product: NASTY, version: NASTY })),
      named('older', ({ suite }) => Object.assign(suite, { version: '0.9.0' }), vendor.privateKey, false),
    ];
    writeFileSync(join(place, 'edited', 'index.html'), 'another page');
  });

  test('get a line each with signer and vendor, and a row in the list, in which no stranger writes markup', async () => {
    const { status, lines } = await verified(...packages, ...keys, '--list', join(place, 'list.md'));
    expect(status).toBe(1);
    expect(lines.map((line) => line.split(':')[0])).toEqual([
      ...['verified  good', 'failed    edited', 'failed    impostor', 'failed    stranger'],
      ...['verified  nasty', 'failed    older'],
    ]);
    expect(lines[0]).toBe('verified  good: Acme Assessments 4.2 of Acme; signed by Acme (0.pem)');
    expect(lines[1]).toContain('of Acme; signed by Acme (0.pem); attestation: index.html is not the file that is');
    // A key vouches for its vendor alone.
    expect(lines[2]).toContain(
      'of Acme; signed by nobody known; signature: its vendor is "Acme", and the key that signed it vouches for "Rival" alone',
    );
    expect(lines[3]).toContain('none of the keys given signed it');
    expect(lines[5]).toContain('version: it was made by assessment-api-conformance 0.9.0, and this is ');
    const markdown = readFileSync(join(place, 'list.md'), 'utf8');
    expect(markdown).toContain('### 2 of 6 packages verified');
    expect(markdown).toContain(`| Acme, key ${keyidOf(vendor.publicKey).slice(0, 16)} |`);
    const rows = markdown.split('\n').filter((line) => line.startsWith('| <code>'));
    expect(rows).toHaveLength(6);
    for (const row of rows) expect(row.replaceAll('\\|', '').split('|')).toHaveLength(10);
    expect(markdown).not.toMatch(/<script|@all|https:\/\/evil|\[x\]\(/);
  });

  test('are listed as JSON, in a file and on standard output', async () => {
    const [good = ''] = packages;
    const { status, lines } = await verified(good, ...keys, '--list', join(place, 'list.json'), '--json');
    expect(status).toBe(0);
    const signer = { vendor: 'Acme', keyid: keyidOf(vendor.publicKey) };
    const row = { isFine: true, vendor: 'Acme', signer, profiles: { core: 'pass' } };
    for (const text of [lines.join('\n'), readFileSync(join(place, 'list.json'), 'utf8')])
      expect(JSON.parse(text).packages).toMatchObject([row]);
  });

  test('that cannot be verified, and what is asked wrongly, end with status 2', async () => {
    const [good = ''] = packages;
    for (const [words, says] of [
      [[], /Usage: npm run verify/],
      [[good, '--nothing'], /Unknown option '--nothing'.*Usage: npm run verify -- PACKAGE/],
      [[good, join(place, 'nowhere')], /nowhere cannot be read: no such file or directory/],
      [[good, join(place, '0.pem')], /0\.pem cannot be read: not a directory/],
      [[good, '--list', 'list.html'], /--list writes FILE\.md or FILE\.json/],
      [[good, '--list', join(place, '0.pem', 'list.md')], /list\.md cannot be written/],
    ] as const) {
      const { status, lines } = await verified(...words);
      expect(lines.join('\n')).toMatch(says);
      expect(status).toBe(2);
    }
  });
});

test('a run that cannot be certified is refused with the reason', async () => {
  const [leaking, alone] = await Promise.all([
    resultsOf([serverNamed('password-masked')]),
    resultsOf([], { accounts: embeddedAccounts().slice(0, 1) }),
  ]);
  const refused = ({ directory }: { directory: string }) =>
    messageOf(() => certify(directory, join(freshDirectory(), 'package'), vendor.privateKey));
  expect(refused(leaking)).toContain('cannot be certified:\n  a clause is broken');
  expect(refused(alone)).toMatch(/^ {2}not tested: .*auth\.own-settings/m);
});

const fileOf = (content: string) => fileWith('key.pem', content);

test('a key that cannot be used gets one clear message', () => {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const encrypted = vendor.privateKey
    .export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'secret' })
    .toString();
  for (const [file, variable, says] of [
    [undefined, undefined, /No key to sign with.*openssl genpkey/],
    [undefined, '', /No key to sign with/],
    [undefined, privatePem(rsa), /^SIGNING_KEY is a key of the kind rsa/],
    [fileOf(privatePem(p256)), undefined, /kind ec: only Ed25519/],
    [undefined, encrypted, /is no such key in PEM, or is encrypted/],
    [undefined, publicPem(vendor), /is no such key in PEM/],
    [undefined, 'hello', /is no such key in PEM/],
    ['/nowhere.pem', undefined, /nowhere\.pem cannot be read: no such file/],
  ] as const)
    expect(messageOf(() => signingKey(file, variable))).toMatch(says);
  expect(messageOf(() => vendorKey(`${fileOf(privatePem(vendor))}=Acme`))).toMatch(/holds a private key/);
  expect(messageOf(() => vendorKey(`${fileOf('x')}=Acme`))).toMatch(/is no such key in PEM/);
  const acmes = vendorKey(`${fileOf(publicPem(vendor))}=Acme = Sons GmbH `);
  expect(acmes).toMatchObject({ vendor: 'Acme = Sons GmbH', key: { asymmetricKeyType: 'ed25519' } });
  for (const word of ['a.pem', 'a.pem=', 'a.pem= ', '=Acme'])
    expect(messageOf(() => vendorKey(word))).toMatch(/^--key is FILE=VENDOR/);
  expect(signingKey(undefined, privatePem(vendor).replaceAll('\n', '\\n')).asymmetricKeyType).toBe('ed25519');
});

const spoilt = (name: string, spoil: (file: string) => void) => {
  const directory = forged(fresh, () => undefined, { key: vendor.privateKey });
  spoil(join(directory, name));
  return problemsIn(directory).join('\n');
};

test('a package that cannot be read gets one clear message', () => {
  expect(messageOf(() => problemsIn('/nowhere'))).toBe('/nowhere cannot be read: no such file or directory.');
  const refused = messageOf(() => certify('/nowhere', join(freshDirectory(), 'package'), vendor.privateKey));
  expect(refused).toMatch(/conformance\.json cannot be read: no such file/);
  const large = spoilt('evidence.har', (file) => truncateSync(file, 2 ** 30));
  expect(large).toMatch(/evidence\.har cannot be read: it has 1024 MiB, and at most 64 MiB are read/);
  const climbing = { subject: [{ name: '../../etc/passwd', digest: { sha256: '00' } }] };
  const browsers = '{"log":{"version":"1.2","creator":{"name":"Firefox","version":"1"},"entries":[]}}';
  for (const [name, content, says] of [
    ['conformance.json', '{"tests": 3}', /schemas: conformance\.json is not the result/],
    ['conformance.json', '['.repeat(2_000_000), /conformance\.json cannot be read: it is nested more than/],
    ['evidence.har', browsers, /evidence\.har cannot be judged again: it is not as a run of this suite writes it/],
    ['attestation.json', '{"jwt":"a.b.c"}', /attestation: attestation\.json is no signed DSSE envelope/],
    ['attestation.json', Buffer.from([0xff, 0xfe]), /not UTF-8/],
    [
      'attestation.json',
      JSON.stringify(signedEnvelope(climbing, vendor.privateKey)),
      /index\.html is not the file that is attested/,
    ],
  ] as const)
    expect(spoilt(name, (file) => writeFileSync(file, content))).toMatch(says);
});

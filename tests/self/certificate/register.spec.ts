/** The register of certified servers: eleven packages, seven of which are listed, in a real browser. */
import { generateKeyPairSync } from 'node:crypto';
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, type Page, test } from '@playwright/test';
import { keyidOf, vendorKey } from '../../../src/certificate/keys';
import { register } from '../../../src/certificate/register';
import type { Register } from '../../../src/certificate/register-page';
import { browserOfGroup, violationsIn } from '../support/browser';
import { forged, forger, type Results, resign, resultsOf, vendor } from '../support/packages';
import { freshDirectory } from '../support/whole-runs';

const NASTY = `<script>globalThis.owned = 1</script>" onload="x ${'w'.repeat(80)}`;

/** Vendor, product and version of each package, by its name. */
const SERVERS: Record<string, [vendor?: string, product?: string, version?: string]> = {
  'acme-10': ['Acme', 'Acme Assessments', '10.0'],
  'acme-9': ['Acme', 'Acme Assessments', '9.3'],
  'acme-cloud': ['Acme', 'Acme Cloud', '2026.11'],
  brightmark: ['Brightmark', 'Brightmark Exams', '1.0.0-rc.1'],
  nasty: [NASTY, NASTY, NASTY],
  orion: ['Orion Learning', 'Orion', '3'],
  unnamed: [],
  zeta: ['Zeta & Söhne GmbH', 'Zeta Prüfungen', '2'],
};
/** One key of several vendors, and another one's. */
const keys = [
  ...Object.values(SERVERS).flatMap(([maker]) =>
    maker ? [{ name: 'shared.pem', key: vendor.publicKey, vendor: maker }] : [],
  ),
  { name: 'rival.pem', key: forger.publicKey, vendor: 'Rival' },
];
let results: Results;
let packages: string;
let out: string;
let made: Register;

test.beforeAll(async () => {
  results = await resultsOf([]);
  packages = freshDirectory();
  out = join(freshDirectory(), 'register');
  const add = (name: string, edit: Parameters<typeof forged>[1], by = vendor.privateKey) =>
    cpSync(forged(results, edit, { judged: true, key: by }), join(packages, name), { recursive: true });
  for (const [name, [maker, product, version]] of Object.entries(SERVERS))
    add(name, (_, { log }) => Object.assign(log._target, maker && { vendor: maker, product, version }));
  add('stranger', () => undefined, generateKeyPairSync('ed25519').privateKey);
  add('impostor', (_, { log }) => Object.assign(log._target, { vendor: 'Acme' }), forger.privateKey);
  cpSync(join(packages, 'zeta'), join(packages, 'zeta-again'), { recursive: true });
  add('patched', (_, { log }) => log.entries.splice(20, 1));
  made = register([packages], out, keys);
});
test('lists what verifies, sorted, and the rest apart with the reason', () => {
  expect(made.servers.map((server) => server.package)).toEqual(
    ['nasty', 'acme-9', 'acme-10', 'acme-cloud', 'brightmark', 'orion', 'zeta'].map((name) => `packages/${name}`),
  );
  expect(made.refused.map((refused) => refused.package).sort()).toEqual([
    'impostor',
    'patched',
    'stranger',
    'unnamed',
    'zeta-again',
  ]);
  const reasonsOf = (name: string) => made.refused.find((refused) => refused.package === name)?.reasons.join('\n');
  expect(reasonsOf('zeta-again')).toBe('package: zeta holds the same run');
  expect(reasonsOf('stranger')).toMatch(/^signature: it was not made with any of the keys given/);
  expect(reasonsOf('impostor')).toBe(
    'vendor: its vendor is "Acme", and the key that signed it vouches for "Rival" alone',
  );
  expect(reasonsOf('unnamed')).toMatch(/^vendor: it declares no vendor, and the key that signed it vouches for /);
  expect(reasonsOf('patched')).toMatch(/^plan: |^count: /);
  const [acme] = made.servers.filter(({ product, version }) => product === 'Acme Assessments' && version === '10.0');
  expect(acme).toMatchObject({
    vendor: 'Acme',
    signer: { vendor: 'Acme', keyid: keyidOf(vendor.publicKey) },
    profiles: { core: 'pass', event: 'pass' },
    observations: { 'refusal.status': [429] },
  });
  expect(JSON.parse(readFileSync(join(out, 'register.json'), 'utf8'))).toEqual(made);
  for (const { report, package: path } of made.servers) {
    expect(existsSync(join(out, report))).toBe(true);
    expect(existsSync(join(out, path, 'attestation.json'))).toBe(true);
  }
  expect(existsSync(join(out, 'packages', 'stranger'))).toBe(false);
});

test('a key is given with its vendor, and the page names the signer of each entry', () => {
  const page = readFileSync(join(out, 'index.html'), 'utf8');
  expect(page).toContain('Signed by');
  expect(page.match(new RegExp(`SHA-256 of the key: ${keyidOf(vendor.publicKey)}`, 'g'))).toHaveLength(7);
  const file = join(freshDirectory(), 'acme.pem');
  writeFileSync(file, vendor.publicKey.export({ type: 'spki', format: 'pem' }));
  expect(vendorKey(`${file}=Acme = Sons GmbH `)).toMatchObject({ name: file, vendor: 'Acme = Sons GmbH' });
  for (const word of [file, `${file}=`, `${file}= `]) expect(() => vendorKey(word)).toThrow(/^--key is FILE=VENDOR/);
});

test('a register that is made again holds nothing of the one before', () => {
  const copy = join(freshDirectory(), 'some');
  cpSync(packages, copy, { recursive: true });
  const place = join(freshDirectory(), 'register');
  register([copy], place, keys);
  rmSync(join(copy, 'zeta'), { recursive: true });
  const again = register([join(copy, 'orion'), join(copy, 'acme-9')], place, []);
  expect(again.servers.map(({ vendor }) => vendor)).toEqual(['Acme', 'Orion Learning']);
  expect(existsSync(join(place, 'packages', 'zeta'))).toBe(false);
  expect(readFileSync(join(place, 'index.html'), 'utf8')).toContain('Signatures were not checked');
});

test('a register is written over a register alone, and never among the packages that it is made of', () => {
  expect(() => register([packages], packages, keys)).toThrow(/acme-10 or beside it, and is made of it/);
  expect(existsSync(join(packages, 'index.html'))).toBe(false);
  const place = freshDirectory();
  writeFileSync(join(place, 'index.html'), 'mine');
  expect(() => register([join(packages, 'orion')], place, keys)).toThrow(/index\.html is there, and is of no register/);
  expect(readFileSync(join(place, 'index.html'), 'utf8')).toBe('mine');
  const file = join(place, 'index.html');
  expect(() => register([join(packages, 'orion')], file, keys)).toThrow(
    `${file} cannot be written (a file stands where a directory is needed): choose another directory with --out.`,
  );
  expect(() => register([file], place, keys)).toThrow(`${file} cannot be read: it is a file and not a directory.`);
});

test('a package of another version of the suite is judged all the same, and its page is not served', () => {
  const other = forged(
    results,
    (conformance, { log }) => {
      conformance.suite.version = '0.9.0';
      log._target.vendor = 'Elsewhere';
      conformance.target.vendor = 'Elsewhere';
    },
    { key: vendor.privateKey },
  );
  writeFileSync(join(other, 'index.html'), '<script>globalThis.owned = 1</script>');
  resign(other, vendor.privateKey);
  const place = join(freshDirectory(), 'register');
  const { servers, refused } = register([other], place, [
    { name: 'e.pem', key: vendor.publicKey, vendor: ' Elsewhere' },
  ]);
  expect(refused).toEqual([]);
  expect(servers[0]).toMatchObject({ vendor: 'Elsewhere', suite: '0.9.0' });
  expect(readFileSync(join(place, servers[0]?.report ?? ''), 'utf8')).not.toContain('globalThis.owned');
});

test.describe('page', () => {
  const browser = browserOfGroup();

  async function show({ width = 1280, dark = false, script = true } = {}): Promise<Page & { complaints: string[] }> {
    const context = await browser().newContext({
      viewport: { width, height: 900 },
      colorScheme: dark ? 'dark' : 'light',
      javaScriptEnabled: script,
    });
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    await page.goto(pathToFileURL(join(out, 'index.html')).href);
    return Object.assign(page, { complaints });
  }

  for (const dark of [false, true])
    for (const width of [375, 1280])
      test(`${width} px, ${dark ? 'dark' : 'light'}: fits, and axe and its own policy find nothing`, async () => {
        const page = await show({ width, dark });
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
        expect(await page.evaluate('globalThis.owned')).toBeUndefined();
        expect(await violationsIn(page)).toEqual([]);
        expect(page.complaints).toEqual([]);
        await page.close();
      });

  test('filters by words, and shows all rows without the script', async () => {
    const page = await show();
    const rows = page.locator('#servers tbody tr:visible');
    await expect(rows).toHaveCount(7);
    await page.getByLabel('containing').fill('acme 10.0');
    await expect(rows).toHaveCount(1);
    await expect(page.locator('output')).toHaveText('1 shown');
    await expect(rows.first().getByRole('link')).toHaveAttribute('href', 'packages/acme-10/index.html');
    await rows.first().getByRole('link').click();
    await expect(page.locator('h1')).toHaveText('embedded reference server');
    const still = await show({ script: false });
    await expect(still.locator('#servers tbody tr:visible')).toHaveCount(7);
    await expect(still.getByLabel('containing')).toBeHidden();
  });
});

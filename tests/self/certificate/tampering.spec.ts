/** What was changed in a package is found and named, also by a forger who signs it anew. */
import { copyFileSync, cpSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { faults } from '../../../fixtures/catalogue';
import { certify } from '../../../src/certificate/certify';
import { ATTESTATION, ATTESTED } from '../../../src/certificate/package';
import { type Verification, verifyPackage } from '../../../src/certificate/verify';
import type { Conformance } from '../../../src/contract/result';
import type { Har, HarEntry } from '../../../src/evidence/har/write';
import { forged, type Results, resultsOf, vendor } from '../support/packages';
import { freshDirectory } from '../support/whole-runs';

const key = { name: 'acme.pem', key: vendor.publicKey, vendor: 'Acme' };
let sound: Results;
let signed: string;
let broken: Results;

test.beforeAll(async () => {
  const [good, bad] = await Promise.all([
    resultsOf([], { target: { vendor: 'Acme' } }),
    resultsOf(faults.filter(({ name }) => name === 'password-masked')),
  ]);
  sound = good;
  broken = bad;
  signed = join(freshDirectory(), 'signed');
  certify(good.directory, signed, vendor.privateKey);
});
const failedIn = ({ checks }: Verification) =>
  checks.filter(({ verdict }) => verdict === 'failed').map(({ name }) => name);
const told = ({ checks }: Verification) =>
  checks.flatMap(({ name, problems }) => problems.map((problem) => `${name}: ${problem}`));

/** A copy of the signed package. */
function copied(): string {
  const directory = join(freshDirectory(), 'copy');
  cpSync(signed, directory, { recursive: true });
  return directory;
}

const FOUND = { subject: { kind: 'answer', name: 'the answer' }, expected: 'yes', got: 'no', evidence: [0] };

test('the package that everything is compared with is fine', () => {
  expect(told(verifyPackage(signed, [key]))).toEqual([]);
  const same = forged(sound, () => undefined);
  expect(told(verifyPackage(same, []))).toEqual([]);
  expect(broken.conformance.verdict).toBe('non-conformant');
});

test.describe('in a signed package', () => {
  for (const name of [...ATTESTED, ATTESTATION]) {
    test(`${name} with a changed byte is found`, () => {
      const directory = copied();
      const content = readFileSync(join(directory, name));
      const at = content.indexOf('settings') > 0 ? content.indexOf('settings') : Math.floor(content.length / 3);
      content[at] = (content[at] ?? 0) ^ 1;
      writeFileSync(join(directory, name), content);
      const verification = verifyPackage(directory, [key]);
      expect(verification.isFine).toBe(false);
      expect(told(verification).join()).toContain(name === ATTESTATION ? 'signature' : name);
    });

    test(`${name} missing is found`, () => {
      const directory = copied();
      rmSync(join(directory, name));
      expect(told(verifyPackage(directory, [key])).join()).toContain(`${name} cannot be read: there is no such file`);
    });

    test(`${name} as a link is found`, () => {
      const directory = copied();
      const elsewhere = join(freshDirectory(), name);
      copyFileSync(join(directory, name), elsewhere);
      rmSync(join(directory, name));
      symlinkSync(elsewhere, join(directory, name));
      expect(told(verifyPackage(directory, [key])).join()).toContain(`${name} cannot be read: it is a link`);
    });
  }

  test('a file besides is found', () => {
    const directory = copied();
    writeFileSync(join(directory, 'notes.txt'), 'hello');
    expect(told(verifyPackage(directory, [key]))).toEqual(['package: "notes.txt" does not belong in a package']);
  });

  test('another signer is found, and an attestation that nobody signed', () => {
    const directory = forged(sound, () => undefined);
    expect(failedIn(verifyPackage(directory, [key]))).toEqual(['signature']);
    const file = join(directory, ATTESTATION);
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), signatures: [] }));
    expect(told(verifyPackage(directory, []))).toEqual([
      'attestation: attestation.json is no signed DSSE envelope around an in-toto statement (application/vnd.in-toto+json).',
    ]);
  });
});

const entryOf = (har: Har, probe: RegExp) => har.log.entries.find(({ _probe }) => probe.test(_probe)) as HarEntry;

type Edit = [edit: (conformance: Conformance) => void, found: string, says?: RegExp];

/** Edits that replace members of the result, and of a clause of it. */
const ofResult = (values: object) => (it: Conformance) => Object.assign(it, values);
const ofClause = (values: object) => (it: Conformance) => Object.assign(clauseIn(it, 'auth.accepted'), values);

/** Edits of `conformance.json` alone. */
const OF_RESULT: Record<string, Edit> = {
  'the verdict': [ofResult({ verdict: 'incomplete' }), 'schemas', /conformance\.json is not the result of a run/],
  certifiable: [ofResult({ certifiable: false }), 'result', /certifiable/],
  'a profile': [(it) => Object.assign(it.profiles, { event: 'not-tested' }), 'result', /profiles\.event/],
  'the name of the target': [(it) => Object.assign(it.target, { name: 'Other' }), 'result', /target\.name/],
  'the base URL': [
    (it) => Object.assign(it.target, { baseURL: 'https://other.example/v2' }),
    'result',
    /target\.baseURL/,
  ],
  'the rate': [
    (it) => Object.assign(it.target, { rate: { requests: 2, seconds: 1 } }),
    'schemas',
    /conformance\.json is not the result of a run/,
  ],
  'another vendor': [(it) => Object.assign(it.target, { vendor: 'Rival' }), 'result', /target\.vendor/],
  'an account fewer': [(it) => it.target.accounts.pop(), 'result', /target\.accounts/],
  'the start': [ofResult({ startedAt: '2026-01-01T00:00:00.000Z' }), 'result', /startedAt/],
  'the duration': [(it) => Object.assign(it, { durationMs: it.durationMs + 5 }), 'result', /durationMs/],
  'the time waited': [ofResult({ waitedMs: 1 }), 'result', /waitedMs/],
  'the number of requests': [(it) => Object.assign(it, { requests: it.requests + 1 }), 'result', /requests/],
  'a declared password': [
    (it) => Object.assign(it.declared.accounts[0] ?? {}, { password: false }),
    'result',
    /declared\.accounts/,
  ],
  'risky probes': [(it) => Object.assign(it.options, { riskyProbes: false }), 'result', /options\.riskyProbes/],
  'unverified TLS': [(it) => Object.assign(it.options, { insecureTls: true }), 'result', /options\.insecureTls/],
  'a bound': [(it) => Object.assign(it.options.limits, { burst: 99 }), 'result', /options\.limits\.burst/],
  'an observation': [(it) => Object.assign(it.observations, { 'refusal.status': [503] }), 'result', /refusal\.status/],
  'an observation more': [(it) => Object.assign(it.observations, { extra: [1] }), 'result', /extra/],
  'the digest of the contract': [
    (it) => Object.assign(it.digests, { contract: `sha256:${'0'.repeat(64)}` }),
    'result',
    /digests\.contract/,
  ],
  'the verdict of a clause': [
    ofClause({ verdict: 'warn', reason: 'Hm.', finding: [FOUND] }),
    'result',
    /auth\.accepted\.verdict[\s\S]*auth\.accepted\.finding/,
  ],
  'what a clause rests on': [ofClause({ evidence: [0] }), 'result', /auth\.accepted\.evidence\.1 is missing, not /],
  'the level of a clause': [ofClause({ level: 'should' }), 'result', /level/],
  'a clause fewer': [(it) => it.clauses.splice(3, 1), 'result', /missing/],
  'a clause twice': [(it) => it.clauses.push(clauseIn(it, 'auth.accepted')), 'result', /not as this suite writes it/],
  'clauses in another order': [(it) => it.clauses.reverse(), 'result', /not as this suite writes it/],
};

/** Edits of the evidence: each breaks its seal, although the result is made again of what is there now. */
const OF_EVIDENCE: Record<string, (har: Har) => unknown> = {
  'a reason phrase': (har) => Object.assign(entryOf(har, /^missing-key/).response, { statusText: 'Nope' }),
  'a status': (har) => Object.assign(entryOf(har, /^missing-key/).response, { status: 403 }),
  'a header of a request': (har) => entryOf(har, /^empty-key/).request.headers.pop(),
  'whose key it was': (har) => Object.assign(entryOf(har, /^session/), { _account: 'with-password' }),
  'a time': (har) => Object.assign(entryOf(har, /^read/), { _receivedAtMs: entryOf(har, /^read/)._receivedAtMs + 0.5 }),
  'an entry taken away': ({ log }) => log.entries.splice(20, 1),
  'the last entry taken away': ({ log }) => log.entries.pop(),
  'an entry added': ({ log }) => log.entries.splice(20, 0, structuredClone(log.entries[20] as HarEntry)),
  'two entries in another order': ({ log }) => log.entries.splice(20, 2, ...log.entries.slice(20, 22).reverse()),
  'what was skipped': ({ log }) => log._notSent.push({ probe: 'missing-key', reason: 'no reason' }),
  'a declared fact': ({ log }) => Object.assign(log._target.accounts[0] ?? {}, { passwordDeclared: false }),
  'the day': ({ log }) => Object.assign(log, { _startedAtEpochMs: log._startedAtEpochMs + 86_400_000 }),
  'the duration': ({ log }) => Object.assign(log, { _durationMs: log._durationMs + 1 }),
};

test.describe('by a forger who signs anew', () => {
  for (const [what, [edit, found, says = /./]] of Object.entries(OF_RESULT))
    test(`an edit of the result is found: ${what}`, () => {
      const verification = verifyPackage(forged(sound, edit), []);
      expect(failedIn(verification)).toContain(found);
      expect(told(verification).join('\n')).toMatch(says);
      expect(verification.isFine).toBe(false);
    });

  for (const [what, edit] of Object.entries(OF_EVIDENCE))
    test(`the seal finds that the evidence was edited: ${what}`, () => {
      const edited = (isResealed: boolean) =>
        verifyPackage(
          forged(sound, (_, har) => edit(har), { judged: true, resealed: isResealed }),
          [],
        );
      expect(told(edited(false))).toContain(
        'seal: evidence.har was edited after its run: the seal in it is that of another text',
      );
      // The test can fail: what finds it is the seal alone.
      expect(failedIn(edited(true))).not.toContain('seal');
    });

  test('a broken server that is called conformant is found', () => {
    const whitewashed = forged(broken, (conformance) => {
      conformance.verdict = 'conformant';
      conformance.certifiable = true;
      conformance.profiles.core = 'pass';
      for (const clause of conformance.clauses.filter(({ verdict }) => verdict === 'fail')) {
        clause.verdict = 'pass';
        clause.reason = null;
        clause.finding = null;
      }
    });
    expect(failedIn(verifyPackage(whitewashed, []))).toEqual(['result', 'certifiable', 'page']);
  });
});

test('what nobody can find is known: an answer that was made up, and sealed and judged as a run would be', () => {
  const edit = (_: Conformance, har: Har) => OF_EVIDENCE['a reason phrase']?.(har);
  expect(told(verifyPackage(forged(sound, edit, { judged: true, resealed: true }), []))).toEqual([]);
});

function clauseIn({ clauses }: Conformance, id: string) {
  const clause = clauses.find((each) => each.id === id);
  if (!clause) throw new Error(`There is no clause ${id}.`);
  return clause;
}

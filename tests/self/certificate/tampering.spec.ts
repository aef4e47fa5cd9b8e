/** What was changed in a package is found and named, also by a forger who signs it anew. */
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { ATTESTATION, ATTESTED, certify, verifyPackage } from '../../../src/certificate/package';
import type { Conformance } from '../../../src/contract/result';
import type { Har, HarEntry } from '../../../src/evidence/har';
import { fromHar } from '../../../src/evidence/har';
import { ACME, forged, problemsIn, type Results, resultsOf, vendor } from '../support/packages';
import { serverNamed } from '../support/simulation';
import { freshDirectory } from '../support/whole-runs';

let sound: Results;
let signed: string;
let broken: Results;

test.beforeAll(async () => {
  const [good, bad] = await Promise.all([
    resultsOf([], { target: { vendor: 'Acme' } }),
    resultsOf([serverNamed('password-masked')]),
  ]);
  sound = good;
  broken = bad;
  signed = join(freshDirectory(), 'signed');
  certify(good.directory, signed, vendor.privateKey);
});
const failedIn = (directory: string, keys?: Parameters<typeof verifyPackage>[1]) =>
  verifyPackage(directory, keys ?? []).checks.flatMap(({ name, verdict }) => (verdict === 'failed' ? [name] : []));

/** A copy of the signed package. */
function copied(): string {
  const directory = join(freshDirectory(), 'copy');
  cpSync(signed, directory, { recursive: true });
  return directory;
}

const FOUND = { subject: { kind: 'answer', name: 'the answer' }, expected: 'yes', got: 'no', evidence: [0] };

test('the package that everything is compared with is fine', () => {
  expect(problemsIn(signed, [ACME])).toEqual([]);
  expect(problemsIn(forged(sound, () => undefined))).toEqual([]);
  expect(broken.conformance.verdict).toBe('non-conformant');
});

test.describe('in a signed package', () => {
  for (const name of [...ATTESTED, ATTESTATION])
    test(`${name} with a changed byte is found`, () => {
      const directory = copied();
      const content = readFileSync(join(directory, name));
      const at = content.indexOf('settings') > 0 ? content.indexOf('settings') : Math.floor(content.length / 3);
      content[at] = (content[at] ?? 0) ^ 1;
      writeFileSync(join(directory, name), content);
      expect(verifyPackage(directory, [ACME]).isFine).toBe(false);
      expect(problemsIn(directory, [ACME]).join()).toContain(name === ATTESTATION ? 'signature' : name);
    });

  test('a file that is missing is found', () => {
    const directory = copied();
    rmSync(join(directory, 'index.html'));
    expect(problemsIn(directory, [ACME]).join()).toContain('index.html cannot be read: no such file');
  });

  test('a file besides is found', () => {
    const directory = copied();
    writeFileSync(join(directory, 'notes.txt'), 'hello');
    expect(problemsIn(directory, [ACME])).toEqual(['package: "notes.txt" does not belong in a package']);
  });

  test('another signer is found, and an attestation that nobody signed', () => {
    const directory = forged(sound, () => undefined);
    expect(failedIn(directory, [ACME])).toEqual(['signature']);
    const file = join(directory, ATTESTATION);
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), signatures: [] }));
    expect(problemsIn(directory)).toEqual([
      'attestation: attestation.json is no signed DSSE envelope around an in-toto statement (application/vnd.in-toto+json).',
    ]);
  });
});

const entryOf = (har: Har, probe: RegExp) => har.log.entries.find(({ _probe }) => probe.test(_probe)) as HarEntry;

/** Edits of `conformance.json` alone, by the member that is then said to be another than the evidence gives. */
const OF_RESULT: Record<string, (it: Conformance) => unknown> = {
  profiles: (it) => Object.assign(it.profiles, { event: 'not-tested' }),
  target: (it) => Object.assign(it.target, { vendor: 'Rival' }),
  durationMs: (it) => Object.assign(it, { durationMs: it.durationMs + 5 }),
  declared: (it) => Object.assign(it.declared.accounts[0] ?? {}, { password: false }),
  options: (it) => Object.assign(it.options.limits, { burst: 99 }),
  observations: (it) => Object.assign(it.observations, { extra: [1] }),
  digests: (it) => Object.assign(it.digests, { contract: `sha256:${'0'.repeat(64)}` }),
  'auth.accepted': (it) =>
    Object.assign(clauseIn(it, 'auth.accepted'), { verdict: 'warn', reason: 'Hm.', finding: [FOUND] }),
  'auth.empty-key': (it) => Object.assign(clauseIn(it, 'auth.empty-key'), { level: 'should' }),
  'auth.unknown-key': (it) => it.clauses.splice(it.clauses.indexOf(clauseIn(it, 'auth.unknown-key')), 1),
};

/** Edits of the evidence: each breaks its seal, although the result is made again of what is there now. */
const OF_EVIDENCE: Record<string, (har: Har) => unknown> = {
  'a reason phrase': (har) => Object.assign(entryOf(har, /^missing-key/).response, { statusText: 'Nope' }),
  'a header of a request': (har) => entryOf(har, /^empty-key/).request.headers.pop(),
  'whose key it was': (har) => Object.assign(entryOf(har, /^session/), { _account: 'with-password' }),
  'an entry taken away': ({ log }) => log.entries.splice(20, 1),
  'what was skipped': ({ log }) => log._notSent.push({ probe: 'missing-key', reason: 'no reason' }),
  'a declared fact': ({ log }) => Object.assign(log._target.accounts[0] ?? {}, { passwordDeclared: false }),
  'the day': ({ log }) => Object.assign(log, { _startedAtEpochMs: log._startedAtEpochMs + 86_400_000 }),
};

test.describe('by a forger who signs anew', () => {
  test('each member of the result that the evidence does not give is named', () => {
    const edited = forged(sound, (it) => {
      for (const edit of Object.values(OF_RESULT)) edit(it);
    });
    const [named = ''] = problemsIn(edited).filter((problem) => problem.startsWith('result: '));
    expect(named.replace(/.*: /, '').split(', ').sort()).toEqual(Object.keys(OF_RESULT).sort());
  });

  for (const [what, edit, found, says] of [
    [
      'a verdict that does not fit',
      (it) => Object.assign(it, { verdict: 'incomplete' }),
      'schemas',
      'is not the result',
    ],
    ['clauses in another order', (it) => it.clauses.reverse(), 'result', 'not as this suite writes it'],
  ] satisfies [string, (it: Conformance) => unknown, string, string][])
    test(`an edit of the result is found: ${what}`, () => {
      expect(problemsIn(forged(sound, edit)).join('\n')).toMatch(new RegExp(`^${found}: .*${says}`, 'm'));
    });

  test('the seal finds that the evidence was edited, and it alone', () => {
    for (const [what, edit] of Object.entries(OF_EVIDENCE)) {
      const har = structuredClone(sound.har);
      edit(har);
      expect(fromHar(JSON.stringify(har), 'edited').brokenSeal, what).toBeTruthy();
    }
    const edited = (isResealed: boolean) => {
      const edit = (_: Conformance, har: Har) => OF_EVIDENCE['a reason phrase']?.(har);
      return problemsIn(forged(sound, edit, { judged: true, resealed: isResealed }));
    };
    expect(edited(false)).toContain(
      'seal: evidence.har was edited after its run: the seal in it is that of another text',
    );
    // What nobody can find is known: an answer that was made up, and sealed and judged as a run would be.
    expect(edited(true)).toEqual([]);
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
    expect(failedIn(whitewashed)).toEqual(['result', 'certifiable', 'page']);
  });
});

function clauseIn({ clauses }: Conformance, id: string) {
  const clause = clauses.find((each) => each.id === id);
  if (!clause) throw new Error(`There is no clause ${id}.`);
  return clause;
}

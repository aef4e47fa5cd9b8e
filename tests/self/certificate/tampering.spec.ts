/** What was changed in a package is found and named, also by a forger who signs it anew. */
import { copyFileSync, cpSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { faults } from '../../../fixtures/catalogue';
import { probe } from '../../../src/catalogue/probe';
import { certify } from '../../../src/certificate/certify';
import { countProblems } from '../../../src/certificate/consistency/count';
import { ATTESTATION, ATTESTED } from '../../../src/certificate/package';
import { type Verification, verifyPackage } from '../../../src/certificate/verify';
import type { Conformance } from '../../../src/contract/result';
import { fromHar } from '../../../src/evidence/har/read';
import type { Har, HarEntry } from '../../../src/evidence/har/write';
import type { Exchange } from '../../../src/evidence/model';
import { forged, type Results, resultsOf, vendor } from '../support/packages';
import { freshDirectory } from '../support/whole-runs';

const key = { name: 'vendor', key: vendor.publicKey };
let sound: Results;
let sealed: string;
let broken: Results;

test.beforeAll(async () => {
  const [good, bad] = await Promise.all([
    resultsOf([]),
    resultsOf(faults.filter(({ name }) => name === 'password-masked')),
  ]);
  sound = good;
  broken = bad;
  sealed = join(freshDirectory(), 'sealed');
  certify(good.directory, sealed, vendor.privateKey);
});
const failedIn = ({ checks }: Verification) =>
  checks.filter(({ verdict }) => verdict === 'failed').map(({ name }) => name);
const told = ({ checks }: Verification) =>
  checks.flatMap(({ name, problems }) => problems.map((problem) => `${name}: ${problem}`));

/** A copy of the sealed package. */
function copied(): string {
  const directory = join(freshDirectory(), 'copy');
  cpSync(sealed, directory, { recursive: true });
  return directory;
}

const FOUND = { subject: { kind: 'answer', name: 'the answer' }, expected: 'yes', got: 'no', evidence: [0] };

test('the package that everything is compared with is fine', () => {
  expect(told(verifyPackage(sealed, [key]))).toEqual([]);
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
    expect(told(verifyPackage(directory, [key]))).toEqual(['package: notes.txt does not belong in a package']);
  });

  test('an attestation that cannot be read hides nothing else that was changed', () => {
    const directory = copied();
    writeFileSync(join(directory, ATTESTATION), '{"payload":');
    rmSync(join(directory, 'index.html'));
    writeFileSync(join(directory, 'index.html'), 'another page');
    expect(failedIn(verifyPackage(directory, [key]))).toEqual(['attestation', 'page']);
  });

  test('another signer is found, and an attestation that nobody signed', () => {
    const directory = forged(sound, () => undefined);
    expect(failedIn(verifyPackage(directory, [key]))).toEqual(['signature']);
    const file = join(directory, ATTESTATION);
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), signatures: [] }));
    expect(told(verifyPackage(directory, []))).toEqual(['signature: nobody has signed it']);
  });
});

const indexOf = (har: Har, probe: RegExp) => har.log.entries.findIndex(({ _probe }) => probe.test(_probe));
const entryOf = (har: Har, probe: RegExp) => har.log.entries[indexOf(har, probe)] as HarEntry;

type Edit = [edit: (conformance: Conformance, har: Har) => void, found: string | string[], says?: RegExp];

/** Edits that replace members: of the result, of a clause of it, and in the evidence of the target, its first account and an entry. */
const ofResult = (values: object) => (it: Conformance) => Object.assign(it, values);
const ofClause = (values: object) => (it: Conformance) => Object.assign(clauseIn(it, 'auth.accepted'), values);
const ofTarget =
  (values: object) =>
  (_: Conformance, { log }: Har) =>
    Object.assign(log._target, values);
const ofAccount =
  (values: object) =>
  (_: Conformance, { log }: Har) =>
    Object.assign(log._target.accounts[0] ?? {}, values);
const ofEntry = (probe: RegExp, values: object) => (_: Conformance, har: Har) =>
  Object.assign(entryOf(har, probe), values);

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
  'a vendor that was not declared': [(it) => Object.assign(it.target, { vendor: 'Acme' }), 'result', /target\.vendor/],
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
    'version',
    /another wording of the contract/,
  ],
  'the verdict of a clause': [
    ofClause({ verdict: 'warn', reason: 'Hm.', finding: [FOUND] }),
    'verdicts',
    /auth\.accepted\.verdict[\s\S]*auth\.accepted\.finding/,
  ],
  'the findings of one clause taken away': [
    ofClause({ finding: undefined }),
    'schemas',
    /auth\.accepted has no finding/,
  ],
  'what a clause rests on': [
    ofClause({ evidence: [0] }),
    'verdicts',
    /auth\.accepted is judged on entry 6, which is not named there/,
  ],
  'the level of a clause': [ofClause({ level: 'should' }), 'verdicts', /level/],
  'a clause fewer': [(it) => it.clauses.splice(3, 1), 'verdicts', /missing/],
  'a clause twice': [(it) => it.clauses.push(clauseIn(it, 'auth.accepted')), 'verdicts', /twice/],
  'clauses in another order': [(it) => it.clauses.reverse(), 'verdicts', /another order/],
};

/** Edits of the evidence alone, while the result is left. */
const OF_EVIDENCE: Record<string, Edit> = {
  'a name': [ofTarget({ name: 'Other' }), 'result', /target\.name/],
  'what is declared of a password': [
    ofAccount({ passwordDeclared: false }),
    ['verdicts', 'result'],
    /declared\.accounts/,
  ],
  'whether a password is stored': [ofAccount({ hasPassword: false }), ['verdicts', 'result'], /has-password/],
  'declared settings': [ofAccount({ settings: { auth: { type: 'apikey' } } }), ['verdicts', 'result'], /as-configured/],
  'no risky probes': [ofTarget({ riskyProbes: false }), 'result', /riskyProbes/],
  'a rate': [ofTarget({ rate: { requests: 5, seconds: 1 } }), ['result', 'certifiable'], /target\.rate/],
  'a waiver': [
    (_, { log }) => log._target.waivers.push({ clause: 'auth.accepted', reason: 'TICKET-1' }),
    'result',
    /notes/,
  ],
  'an account more': [
    (_, { log }) => log._target.accounts.push({ name: 'ghost', passwordDeclared: false }),
    ['result', 'plan'],
    /read\/ghost/,
  ],
  'an account fewer': [(_, { log }) => log._target.accounts.pop(), ['result', 'plan'], /not declared/],
  'a status': [
    (_, har) => Object.assign(entryOf(har, /^missing-key/).response, { status: 200 }),
    'verdicts',
    /auth\.missing-key\.verdict/,
  ],
  'a body': [
    (_, har) => Object.assign(entryOf(har, /^read/).response.content, { text: '{}' }),
    'verdicts',
    /settings\.envelope/,
  ],
  'a header of the server': [
    (_, har) => {
      for (const header of entryOf(har, /^concurrent/).response.headers)
        if (header.name.toLowerCase() === 'x-ratelimit-limit') header.value = 'many';
    },
    'verdicts',
    /rate\.limit-format/,
  ],
  'the method of a request': [
    (_, har) => Object.assign(entryOf(har, /^missing-key/).request, { method: 'POST' }),
    'requests',
    /method of entry/,
  ],
  'the URL of a request': [
    (_, har) => Object.assign(entryOf(har, /^base-accepted/).request, { url: `${har.log._target.baseURL}/other` }),
    'requests',
    /URL of entry/,
  ],
  'a header of a request': [
    (_, har) => entryOf(har, /^empty-key/).request.headers.pop(),
    'requests',
    /headers of entry/,
  ],
  'the valid key in place of an altered one': [
    (_, har) => {
      const [header] = entryOf(har, /^altered-key/).request.headers.slice(-1);
      if (header) header.value = '[secret:apiKey:with-password]';
    },
    'requests',
    /headers of entry/,
  ],
  'whose key it was': [ofEntry(/^session/, { _account: 'with-password' }), 'requests', /account of entry/],
  'what it was sent for': [ofEntry(/^empty-key/, { _probe: 'missing-key' }), 'plan', /empty-key is neither/],
  'a connection': [ofEntry(/^empty-key/, { connection: '1' }), 'count', /share connection 1/],
  'a time of sending': [
    (_, har) => {
      const entry = entryOf(har, /^concurrent/);
      entry._sentAtMs -= 1900;
    },
    'bursts',
    /concurrent/,
  ],
  'a time of receipt': [
    (_, har) => Object.assign(entryOf(har, /^read/), { _receivedAtMs: har.log.entries.at(-1)?._receivedAtMs }),
    'times',
    /came before an entry/,
  ],
  'a burst that is drawn out': [
    (_, har) => {
      for (const entry of har.log.entries.filter(({ _probe }) => /^sequence\/with-password\/1$/.test(_probe))) {
        entry._sentAtMs -= 700;
        entry._receivedAtMs -= 700;
      }
    },
    ['times', 'bursts'],
    /sequence/,
  ],
  'a duration that is too short': [
    (it, { log }) => {
      it.durationMs = 1000;
      it.waitedMs = 100;
      Object.assign(log, { _durationMs: 1000, _waitedMs: 100 });
    },
    'times',
    /the exchanges take/,
  ],
  'more waiting than there was time': [
    (it, { log }) => {
      it.waitedMs = it.durationMs + 3000;
      Object.assign(log, { _waitedMs: it.waitedMs });
    },
    'times',
    /waited/,
  ],
  'another day': [
    (_, { log }) => Object.assign(log, { _startedAtEpochMs: log._startedAtEpochMs + 86_400_000 }),
    ['result'],
    /startedAt/,
  ],
};

test.describe('by a forger who signs anew', () => {
  for (const [kind, edits] of Object.entries({ 'of the result': OF_RESULT, 'of the evidence': OF_EVIDENCE })) {
    for (const [what, [edit, found, says = /./]] of Object.entries(edits)) {
      test(`an edit ${kind} is found: ${what}`, () => {
        const verification = verifyPackage(forged(sound, edit), []);
        expect(failedIn(verification)).toEqual(expect.arrayContaining([found].flat().slice(0, 1)));
        expect(told(verification).join('\n')).toMatch(says);
        expect(verification.isFine).toBe(false);
      });
    }
  }

  /** One entry of each group of probes, of its first trial: what a busy machine makes a run repeat is in no plan. */
  const oneOfEach = (har: Har) => {
    const planned = har.log.entries.flatMap(({ _probe }, i) =>
      /\/[2-9]$|^keyless\/all\/[2-9]/.test(_probe) ? [] : [[_probe.split('/')[0] ?? '', i] as const],
    );
    const groups = new Map(planned);
    groups.delete('delivery');
    // The very last request of a run is sent only where the one before was not accepted: no plan asks for it.
    groups.delete('alive');
    // How often a machine is too busy, so that reads are repeated apart, is in no plan either.
    groups.delete('apart');
    return groups;
  };

  test('an exchange that was taken away is found, of whichever group, and although all was judged anew', () => {
    const silent: string[] = [];
    for (const [group, index] of oneOfEach(sound.har)) {
      const taken = forged(sound, (_, { log }) => log.entries.splice(index, 1), { judged: true });
      if (verifyPackage(taken, []).isFine) silent.push(group);
    }
    expect(oneOfEach(sound.har).size).toBeGreaterThan(15);
    expect(silent).toEqual([]);
  });

  test('a read that was repeated after wrong keys is found missing, though none stands behind it', () => {
    const repeated = [...sound.har.log.entries.entries()].filter(([, { _probe }]) =>
      /^together\/.*\/[2-9]$/.test(_probe),
    );
    // How often reads are repeated depends on the machine: here the last of them are taken away, one or all.
    const [last = -1] = repeated.at(-1) ?? [];
    const isFound = (without: (index: number) => boolean) => {
      const edit = (_: Conformance, { log }: Har) => {
        log.entries = log.entries.filter((_entry, index) => !without(index));
      };
      return failedIn(verifyPackage(forged(sound, edit, { judged: true }), [])).includes('count');
    };
    if (last >= 0) expect(isFound((index) => index === last)).toBe(true);
    if (last >= 0) expect(isFound((index) => index >= (repeated[0]?.[0] ?? 0))).toBe(true);
  });

  test('accounts need not have the same trials after wrong keys', () => {
    const { evidence } = fromHar(Buffer.from(JSON.stringify(sound.har)), 'sound');
    const one = evidence.exchanges.findLast(({ probe }) => probe.group === 'together' && probe.trial === 1);
    const [account = ''] = evidence.target.accounts.map(({ name }) => name).filter((name) => name !== one?.account);
    const inTrial = (trial: number, of = one?.account ?? '') =>
      ({ ...one, account: of, probe: probe('together', { account: of, trial }) }) as Exchange;
    const others = evidence.exchanges.filter(({ probe: { group, trial } }) => group !== 'together' || trial === 1);
    const missing = (...more: Exchange[]) =>
      countProblems({ ...evidence, exchanges: [...others, ...more] }).filter((told) => /^together.*missing/.test(told));
    expect(missing(inTrial(2), inTrial(3, account))).toEqual([]);
    expect(missing(inTrial(3, account))).toEqual(['together/all/2 is missing, though a later trial is there']);
  });

  test('an exchange that was added is found, of whichever group', () => {
    const silent: string[] = [];
    for (const [group, index] of oneOfEach(sound.har)) {
      const twin = structuredClone(sound.har.log.entries[index] as HarEntry);
      const added = forged(sound, (_, { log }) => log.entries.splice(index, 0, twin), { judged: true });
      if (verifyPackage(added, []).isFine) silent.push(group);
    }
    expect(silent).toEqual([]);
  });

  test('exchanges in another order are found', () => {
    const swapped = (a: number, b: number) =>
      forged(
        sound,
        (_, { log }) => {
          const [first, second] = [log.entries[a], log.entries[b]] as [HarEntry, HarEntry];
          log.entries[a] = second;
          log.entries[b] = first;
        },
        { judged: true },
      );
    const count = sound.har.log.entries.length;
    for (const [a, b] of [
      [0, 1],
      [0, count - 1],
      [5, 60],
      [100, 140],
    ] as const)
      expect(failedIn(verifyPackage(swapped(a, b), [])), `${a} and ${b}`).toContain('times');
  });

  test('failures that vanish with their exchanges are found', () => {
    const without = forged(
      broken,
      (_, { log }) => {
        log.entries = log.entries.filter(({ response }) => !/"password":(?!null)/.test(response.content.text));
      },
      { judged: true },
    );
    expect(failedIn(verifyPackage(without, [])).join()).toMatch(/plan|count/);
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
    expect(failedIn(verifyPackage(whitewashed, []))).toEqual(['verdicts', 'result', 'certifiable', 'page']);
  });
});

test('what no check can find is known: an answer that was made up as a conformant server would give it', () => {
  const edit = (_: Conformance, har: Har) =>
    Object.assign(entryOf(har, /^missing-key/).response, { statusText: 'Nope' });
  const harmless = forged(sound, edit, { judged: true });
  expect(told(verifyPackage(harmless, []))).toEqual([]);
});

function clauseIn({ clauses }: Conformance, id: string) {
  const clause = clauses.find((each) => each.id === id);
  if (!clause) throw new Error(`There is no clause ${id}.`);
  return clause;
}

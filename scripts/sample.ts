/**
 * `npm run sample`: writes the sample reports of `docs/sample`, of a broken server and of a fleet. They come from simulated
 * runs, so that the same code writes the same bytes.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { faults } from '../fixtures/catalogue';
import { randomFrom } from '../fixtures/random';
import { clauseTexts } from '../src/contract/clauses';
import { linesOf } from '../src/evidence/http/headers';
import type { Evidence } from '../src/evidence/model';
import { judgementsOf } from '../src/judge/rules';
import { embeddedAccounts } from '../src/reference/embedded-accounts';
import { reportInputOf } from '../src/report/assemble';
import type { ReportInput } from '../src/report/model';
import { fleetTargetOf } from '../src/report/outcome';
import { renderOverview } from '../src/report/overview';
import { renderPage } from '../src/report/page/page';
import { runInMemory } from './matrix/in-process';

/** Where the samples lie, from the root of the project. */
export const SAMPLES = join(__dirname, '..', 'docs', 'sample');

/** The servers of the fleet, each with the faults that it is made of. The first is the broken server of the README. */
const SERVERS: Readonly<Record<string, readonly string[]>> = {
  acme: ['password-masked', 'reset-in-milliseconds', 'empty-key-is-falsy'],
  brightmark: ['no-limit'],
  orion: [],
};

/** Returns the text of each sample file, by its path below `docs/sample`. */
export async function samples(): Promise<Record<string, string>> {
  const inputs: Array<[string, ReportInput]> = [];
  for (const [name, bends] of Object.entries(SERVERS)) inputs.push([name, await inputOf(name, bends)]);
  const overview = renderOverview(inputs.map(([name, input]) => fleetTargetOf(name, input)));
  const pages = inputs.map(([name, input]) => [
    `${name}/index.html`,
    renderPage({ ...input, overview: '../index.html' }),
  ]);
  return { 'index.html': overview.page, ...Object.fromEntries(pages) };
}

async function inputOf(name: string, names: readonly string[]): Promise<ReportInput> {
  const bends = names.map((known) => {
    const bend = faults.find((each) => each.name === known);
    if (!bend) throw new Error(`There is no fault ${known}.`);
    return bend;
  });
  const target = {
    name: `${name[0]?.toUpperCase()}${name.slice(1)} Assessments (sample)`,
    embedded: false,
    limits: { timeoutSeconds: 10, bodyBytes: 1_048_576, burst: null },
  };
  const { recorder, durationMs } = await runInMemory(bends, {
    target,
    accounts: embeddedAccounts('http://127.0.0.1:9099').slice(0, 2),
  });
  const evidence = inPublic(recorder.evidence(), name);
  const { startedAtEpochMs } = evidence;
  const recorded = {
    evidence,
    error: recorder.error,
    waitedMs: recorder.pace.waitedMs,
    durationMs,
    startedAtEpochMs,
    notes: ['This is a sample: the server and its network are simulated.'],
  };
  const ids = clauseTexts.map(({ id }) => id);
  const decided = judgementsOf(ids, evidence, new Date(startedAtEpochMs).toISOString().slice(0, 10));
  return reportInputOf(recorded, decided, () => 'not judged', {
    error: null,
    baseline: null,
  });
}

/** Returns evidence with addresses as a staging server has them, and with the same made-up keys in each run. */
function inPublic(evidence: Evidence, name: string): Evidence {
  const sent = evidence.exchanges.flatMap(({ request: { headers, url } }) => [
    ...linesOf(headers, 'apiKey').filter((key) => key !== '' && !key.includes('[')),
    ...(/no-such-path-\w+/.exec(url) ?? []),
  ]);
  const known = JSON.stringify(evidence)
    .replaceAll('http://127.0.0.1:8080', `https://staging.${name}.example`)
    .replace(/("sentAt\\":\\")[^"\\]+/g, `$1${new Date(evidence.startedAtEpochMs).toISOString()}`)
    .replaceAll('http://127.0.0.1:9099', `https://hooks.${name}.example`);
  const text = [...new Set(sent)].reduce((all, made, i) => all.replaceAll(made, sameEachTime(made, i)), known);
  return JSON.parse(text) as Evidence;
}

/** A text of the same form that depends on its number alone: digits for digits, letters for letters. */
function sameEachTime(made: string, number: number): string {
  const end = made.startsWith('no-such-path-') ? made.slice(13) : made;
  const random = randomFrom(number + 1);
  const of = (alphabet: string) => alphabet[Math.floor(random() * alphabet.length)] ?? '';
  const changed = [...end].map((character) =>
    /[0-9a-f]/.test(character) && /^[0-9a-f]+$/.test(end)
      ? of('0123456789abcdef')
      : character
          .replace(/[a-z]/, of('ghkmnpqrstvwxyz'))
          .replace(/[A-Z]/, of('GHKMNPQRSTVWXYZ'))
          .replace(/\d/, of('0123456789')),
  );
  return made.slice(0, made.length - end.length) + changed.join('');
}

async function main(): Promise<void> {
  rmSync(SAMPLES, { recursive: true, force: true });
  for (const [path, text] of Object.entries(await samples())) {
    mkdirSync(dirname(join(SAMPLES, path)), { recursive: true });
    writeFileSync(join(SAMPLES, path), text);
    console.log(`docs/sample/${path}: ${Math.ceil(text.length / 1024)} KiB`);
  }
}

if (require.main === module) void main();

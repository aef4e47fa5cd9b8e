/** `npm run sample`: writes sample reports, of a broken server and of a fleet, from simulated runs. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Fault, faults } from '../fixtures/catalogue';
import { resultsDirectory } from '../src/config/configuration';
import type { Target } from '../src/config/target';
import { clauseTexts } from '../src/contract/clauses';
import type { Conformance } from '../src/contract/result';
import type { Evidence } from '../src/evidence/model';
import { judgementsOf } from '../src/profiles/rules';
import { embeddedAccounts } from '../src/reference/account';
import type { Bend } from '../src/reference/behaviour';
import type { ReferenceOptions } from '../src/reference/server';
import { reportInputOf } from '../src/report/assemble';
import { renderOverview } from '../src/report/files';
import { renderPage } from '../src/report/page/page';
import { fleetTargetOf, type ReportInput } from '../src/report/words';
import { runInMemory } from './matrix/in-process';

/** Where the samples are written. */
const SAMPLES = join(resultsDirectory(), 'sample');

/** The servers of the fleet, each with the faults that it is made of. The first is the broken server of the README. */
const SERVERS: Readonly<Record<string, readonly string[]>> = {
  acme: ['password-masked', 'reset-in-milliseconds', 'empty-key-is-falsy'],
  brightmark: ['no-limit'],
  orion: [],
};

/** Returns the text of each sample file, by its path below `results/sample`. */
export async function samples(): Promise<Record<string, string>> {
  const inputs: Array<[string, ReportInput]> = [];
  for (const [name, bends] of Object.entries(SERVERS)) inputs.push([name, await sampleOf(name, bends.map(faultNamed))]);
  const overview = renderOverview(inputs.map(([name, input]) => fleetTargetOf(name, input)));
  const pages = inputs.map(([name, input]) => [
    `${name}/index.html`,
    renderPage({ ...input, overview: '../index.html' }),
  ]);
  return { 'index.html': overview['index.html'], ...Object.fromEntries(pages) };
}

function faultNamed(name: string): Fault {
  const fault = faults.find((each) => each.name === name);
  if (!fault) throw new Error(`There is no fault ${name}.`);
  return fault;
}

/**
 * Returns what the reports of a simulated server are made from.
 * @param name of the server, a part of its address
 * @param options.target what the target file declares besides the accounts
 * @param options.ids the clauses that are asked for; by default every one
 */
export async function sampleOf(
  name: string,
  bends: readonly Bend[],
  {
    target = {},
    ids = clauseTexts.map(({ id }) => id),
    baseline = null,
    ...server
  }: Omit<ReferenceOptions, 'bends'> & {
    target?: Partial<Target>;
    ids?: readonly string[];
    baseline?: Conformance | null;
  } = {},
): Promise<ReportInput> {
  const declared = {
    name: `${name[0]?.toUpperCase()}${name.slice(1)} Assessments (sample)`,
    embedded: false,
    ...target,
  };
  const accounts = embeddedAccounts('http://127.0.0.1:9099').slice(0, 2);
  const { recorder, durationMs } = await runInMemory(bends, { target: declared, accounts, ...server }, undefined, ids);
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
  const decided = judgementsOf(ids, evidence, new Date(startedAtEpochMs).toISOString().slice(0, 10));
  return reportInputOf(recorded, decided, { error: null, baseline });
}

/** Returns evidence with addresses as a staging server has them. */
function inPublic(evidence: Evidence, name: string): Evidence {
  const text = JSON.stringify(evidence)
    .replaceAll('http://127.0.0.1:8080', `https://staging.${name}.example`)
    .replaceAll('http://127.0.0.1:9099', `https://hooks.${name}.example`);
  return JSON.parse(text) as Evidence;
}

async function main(): Promise<void> {
  rmSync(SAMPLES, { recursive: true, force: true });
  for (const [path, text] of Object.entries(await samples())) {
    mkdirSync(dirname(join(SAMPLES, path)), { recursive: true });
    writeFileSync(join(SAMPLES, path), text);
    console.log(`${join(SAMPLES, path)}: ${Math.ceil(text.length / 1024)} KiB`);
  }
}

if (require.main === module) void main();

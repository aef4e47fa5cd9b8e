/** Results and packages for the tests of certificates: a run is made once, and its copies are edited. */
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { runInMemory } from '../../../scripts/matrix/in-process';
import { signedEnvelope, statementOf } from '../../../src/certificate/attestation';
import { ATTESTATION, ATTESTED, readResult, verifyPackage } from '../../../src/certificate/package';
import { digestOf, sha256Of, visibleJson } from '../../../src/common/text';
import type { Conformance } from '../../../src/contract/result';
import { fromHar, type Har, harOf } from '../../../src/evidence/har';
import type { Bend } from '../../../src/reference/behaviour';
import { reportInputOf } from '../../../src/report/assemble';
import { writeResults } from '../../../src/report/files';
import { renderPage } from '../../../src/report/page/page';
import type { ReportInput } from '../../../src/report/words';
import { harTextOf } from './evidence-of';
import { directoryWith, freshDirectory } from './whole-runs';

export const vendor = generateKeyPairSync('ed25519');
const forger = generateKeyPairSync('ed25519');
/** The vendor's key, as whoever verifies has it. */
export const ACME = { name: 'acme.pem', key: vendor.publicKey, vendor: 'Acme' };

type Pair = typeof vendor;
export const privatePem = ({ privateKey }: Pair) => privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
export const publicPem = ({ publicKey }: Pair) => publicKey.export({ type: 'spki', format: 'pem' }).toString();

/** Both files that a package is made from. */
export interface Results {
  conformance: Conformance;
  har: Har;
}

/** A simulated run against the reference server, and its results in a directory. @param ids the clauses, by default all */
export async function resultsOf(
  bends: readonly Bend[],
  options: Parameters<typeof runInMemory>[1] = {},
  ids?: readonly string[],
): Promise<{ directory: string; input: ReportInput } & Results> {
  const { recorder, judgements } = await runInMemory(bends, options, undefined, ids);
  const recorded = {
    evidence: recorder.evidence(),
    error: recorder.error,
    waitedMs: recorder.pace.waitedMs,
    durationMs: recorder.now(),
    notes: [],
  };
  const decided = new Map(judgements.map((judgement) => [judgement.id, judgement]));
  const input = reportInputOf(recorded, decided, { error: null, baseline: null });
  const directory = freshDirectory();
  writeResults(directory, input);
  const har = JSON.parse(harTextOf(recorded.evidence, input.conformance)) as Har;
  return { directory, input, conformance: input.conformance, har };
}

/**
 * A package of edited results by somebody who leaves no loose end: digests, page and attestation are made anew.
 * @param edit changes what it is given
 * @param options.judged whether the result is made again of the edited evidence
 * @param options.resealed whether the evidence gets a seal that fits it, which tells of more than careless editing
 */
export function forged(
  { conformance, har }: Results,
  edit: (conformance: Conformance, har: Har) => void,
  {
    key = forger.privateKey,
    judged = false,
    resealed = true,
  }: { key?: KeyObject; judged?: boolean; resealed?: boolean } = {},
): string {
  const edited = structuredClone({ conformance, har });
  edit(edited.conformance, edited.har);
  const read = fromHar(JSON.stringify(edited.har), 'edited');
  const sealed = { ...read, brokenSeal: undefined };
  const evidence = resealed ? harTextOf(read.evidence, sealed) : `${visibleJson(edited.har, 1)}\n`;
  if (resealed) edited.conformance.digests.seal = harOf(read.evidence, sealed).digests.seal;
  edited.conformance.digests.evidence = digestOf(evidence);
  const told = () => Buffer.from(`${visibleJson(edited.conformance)}\n`);
  // Whoever goes this far also tells what the edited evidence gives.
  if (judged) edited.conformance = readResult(told(), Buffer.from(evidence)).again.conformance;
  const files = {
    'conformance.json': told(),
    'evidence.har': Buffer.from(evidence),
    'index.html': Buffer.from(
      renderPage({
        conformance: edited.conformance,
        evidence: read.evidence,
        causes: [],
        har: [],
        failures: [],
        trends: [],
      }),
    ),
  };
  const digests = ATTESTED.map((name) => [name, sha256Of(files[name])] as const);
  const envelope = signedEnvelope(statementOf(edited.conformance, digests), key);
  return directoryWith({ ...files, [ATTESTATION]: `${JSON.stringify(envelope, null, 2)}\n` });
}

/** What is wrong with a package, each behind the name of the check that found it. */
export function problemsIn(directory: string, keys: Parameters<typeof verifyPackage>[1] = []): string[] {
  const { checks } = verifyPackage(directory, keys);
  return checks.flatMap(({ name, problems }) => problems.map((problem) => `${name}: ${problem}`));
}

/** Results and packages for the tests of certificates: a run is made once, and its copies are edited. */
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runOnBent } from '../../../scripts/matrix/in-process';
import { signedEnvelope } from '../../../src/certificate/envelope';
import { ATTESTED } from '../../../src/certificate/package';
import { readResult } from '../../../src/certificate/result-checks';
import { PAYLOAD_TYPE, statementOf } from '../../../src/certificate/statement';
import { visibleJson } from '../../../src/common/visible';
import { digestOf, sha256Of } from '../../../src/contract/digest';
import type { Conformance } from '../../../src/contract/result';
import { fromHar } from '../../../src/evidence/har/read';
import type { Har } from '../../../src/evidence/har/write';
import { harTextOf } from '../../../src/evidence/har/write';
import type { Bend } from '../../../src/reference/behaviour';
import { reportInputOf } from '../../../src/report/assemble';
import { writeResults } from '../../../src/report/files';
import { viewsOf } from '../../../src/report/model';
import { renderPage } from '../../../src/report/page/page';
import { freshDirectory } from './whole-runs';

export const vendor = generateKeyPairSync('ed25519');
export const forger = generateKeyPairSync('ed25519');

/** Both files that a package is made from. */
export interface Results {
  conformance: Conformance;
  har: Har;
}

/** A run against the reference server, and its results in a directory. */
export async function resultsOf(
  bends: readonly Bend[],
  options: Parameters<typeof runOnBent>[1] = {},
): Promise<{ directory: string } & Results> {
  const startedAtEpochMs = Date.now();
  const { recorder, judgements } = await runOnBent(bends, options);
  const recorded = {
    evidence: recorder.evidence(),
    error: recorder.error,
    waitedMs: recorder.pace.waitedMs,
    durationMs: Date.now() - startedAtEpochMs,
    startedAtEpochMs,
    notes: [],
  };
  const decided = new Map(judgements.map((judgement) => [judgement.id, judgement]));
  const input = reportInputOf(recorded, decided, () => 'not judged', { error: null, baseline: null });
  const directory = freshDirectory();
  writeResults(directory, input);
  const har = JSON.parse(harTextOf(recorded.evidence, input.conformance)) as Har;
  return { directory, conformance: input.conformance, har };
}

/**
 * A package of edited results by somebody who leaves no loose end: the evidence is written as the suite writes it,
 * digests, page and attestation are made anew.
 * @param edit changes what it is given
 */
export function forged(
  { conformance, har }: Results,
  edit: (conformance: Conformance, har: Har) => void,
  { key = forger.privateKey, judged = false }: { key?: KeyObject; judged?: boolean } = {},
): string {
  const edited = structuredClone({ conformance, har });
  edit(edited.conformance, edited.har);
  const read = fromHar(Buffer.from(JSON.stringify(edited.har)), 'edited', '');
  const evidence = harTextOf(read.evidence, read);
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
        ...viewsOf(edited.conformance, read.evidence, []),
        failures: [],
        history: null,
      }),
    ),
  };
  const directory = join(freshDirectory(), 'package');
  mkdirSync(directory);
  for (const [name, content] of Object.entries(files)) writeFileSync(join(directory, name), content);
  resign(directory, key);
  return directory;
}

/** Attests the files of a package as they are now. */
export function resign(directory: string, key: KeyObject): void {
  const conformance = JSON.parse(readFileSync(join(directory, 'conformance.json'), 'utf8')) as Conformance;
  const digests = ATTESTED.map((name) => [name, sha256Of(readFileSync(join(directory, name)))] as const);
  const statement = Buffer.from(JSON.stringify(statementOf(conformance, digests)));
  const envelope = signedEnvelope(PAYLOAD_TYPE, statement, key);
  writeFileSync(join(directory, 'attestation.json'), `${JSON.stringify(envelope, null, 2)}\n`);
}

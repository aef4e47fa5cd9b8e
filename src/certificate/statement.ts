/** What an attestation says: an in-toto Statement v1 with the predicate test-result/v0.1. */
import type { Conformance, Verdict } from '../contract/result';
import { having } from '../report/format';

export const PAYLOAD_TYPE = 'application/vnd.in-toto+json';

export type Statement = ReturnType<typeof statementOf>;

/** Returns the statement about a result; clauses are its tests. @param digests the SHA-256 of each file, by its name */
export function statementOf(conformance: Conformance, digests: ReadonlyArray<readonly [string, string]>) {
  const ids = (...verdicts: Verdict[]) => having(conformance.clauses, ...verdicts).map(({ id }) => id);
  const [failedTests, warnedTests] = [ids('fail', 'waived'), ids('warn')];
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: digests.map(([name, sha256]) => ({ name, digest: { sha256 } })),
    predicateType: 'https://in-toto.io/attestation/test-result/v0.1',
    predicate: {
      result: failedTests[0] ? 'FAILED' : warnedTests[0] ? 'WARNED' : 'PASSED',
      configuration: configurationOf(conformance),
      passedTests: ids('pass', 'inapplicable'),
      warnedTests,
      failedTests,
    },
  };
}

/** Returns in-toto's ResourceDescriptors of what the result rests on. Their `content` is base64. */
function configurationOf({ suite, target, digests, declared, options, startedAt }: Conformance) {
  const { baseURL, accounts: _, ...known } = target;
  const run = { startedAt, declared, options };
  return [
    { name: 'suite', uri: `pkg:npm/${suite.name}@${suite.version}` },
    { name: 'contract', digest: { sha256: digests.contract.replace('sha256:', '') } },
    { name: 'target', uri: baseURL, annotations: known },
    { name: 'run', content: Buffer.from(JSON.stringify(run)).toString('base64'), mediaType: 'application/json' },
  ];
}

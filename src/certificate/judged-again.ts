/** A result made again from its evidence, to hold beside the one that is told. */
import { clauseTexts, contractDigest } from '../contract/clauses';
import { digestOf } from '../contract/digest';
import type { Conformance } from '../contract/result';
import { withoutOwn } from '../evidence/groups';
import type { RecordedHar } from '../evidence/har/read';
import { judgementsOf } from '../judge/rules';
import { reportInputOf } from '../report/assemble';
import type { ReportInput } from '../report/model';
import { suite } from '../suite';
import { differencesBetween } from './differences';

/**
 * What this suite reports of the evidence.
 * @param told what no evidence can tell is taken from it: when the run began, what changed, and tests of the user's own
 */
export function judgedAgain(har: RecordedHar, told: Conformance, evidence: Buffer): ReportInput {
  const ids = clauseTexts.map(({ id }) => id);
  const startedAtEpochMs = Date.parse(told.startedAt);
  const { conformance, ...input } = reportInputOf(
    { ...har, startedAtEpochMs, notes: [] },
    judgementsOf(ids, withoutOwn(har.evidence), told.startedAt.slice(0, 10)),
    () => 'not judged',
    { error: null, startedAtEpochMs, baseline: null },
  );
  const { changes, own } = told;
  const digests = { contract: contractDigest, evidence: digestOf(evidence) };
  return { ...input, conformance: { ...conformance, digests, changes, own } };
}

/** Where the verdicts that are told are not those that the evidence gives, clause by clause. */
export function clauseDifferences(told: Conformance, again: Conformance): string[] {
  const byId = ({ clauses }: Conformance) => Object.fromEntries(clauses.map((clause) => [clause.id, clause]));
  const [mine, theirs] = [byId(again), byId(told)];
  const ids = told.clauses.map(({ id }) => id);
  const twice = ids.find((id, i) => ids.indexOf(id) !== i);
  const isInOrder = ids.join() === again.clauses.map(({ id }) => id).join();
  const differences = differencesBetween(theirs, mine);
  return [
    ...(twice === undefined ? [] : [`${twice} stands there twice`]),
    ...differences,
    ...(differences.length === 0 && !isInOrder && twice === undefined ? ['the clauses are in another order'] : []),
  ];
}

/** Where anything else is not what the evidence gives. */
export function resultDifferences(told: Conformance, again: Conformance): string[] {
  const rest = ({ clauses: _, suite: __, digests: ___, ...others }: Conformance) => others;
  return [
    ...differencesBetween(rest(told), rest(again)),
    ...(told.digests.evidence === again.digests.evidence ? [] : ['digests.evidence is not the digest of evidence.har']),
  ];
}

/** Whether this very version of the suite made a result: then it is the same to the letter. */
export function isOfThisSuite({ suite: { name, version } }: Conformance): boolean {
  return name === suite.name && version === suite.version;
}

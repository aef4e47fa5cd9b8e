/** A result made again from its evidence, to hold beside the one that is told. */

import { suite } from '../common/suite';
import { clauseTexts, contractDigest } from '../contract/clauses';
import { digestOf } from '../contract/digest';
import type { Conformance } from '../contract/result';
import { withoutOwn } from '../evidence/groups';
import type { RecordedHar } from '../evidence/har/read';
import { isObject } from '../evidence/json';
import { judgementsOf } from '../judge/rules';
import { reportInputOf } from '../report/assemble';
import type { ReportInput } from '../report/model';

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
  const idsOf = ({ clauses }: Conformance) => clauses.map(({ id }) => id).join();
  const differences = differencesBetween(byId(told), byId(again));
  const isSame = differences.length > 0 || idsOf(told) === idsOf(again);
  return isSame ? differences : ['a clause stands there twice, or the clauses are in another order'];
}

/** Where anything else is not what the evidence gives. */
export function resultDifferences(told: Conformance, again: Conformance): string[] {
  const rest = ({ clauses: _, suite: __, digests, ...others }: Conformance) => ({
    ...others,
    digests: { evidence: digests.evidence },
  });
  return differencesBetween(rest(told), rest(again));
}

/** Whether this very version of the suite made a result: then it is the same to the letter. */
export function isOfThisSuite({ suite: { name, version } }: Conformance): boolean {
  return name === suite.name && version === suite.version;
}

const LONGEST_VALUE = 120;

/**
 * @param given what a document says
 * @param due what it should say
 * @returns one sentence for each member, such as `verdict is "conformant", not "incomplete"`
 */
export function differencesBetween(given: unknown, due: unknown, path = ''): string[] {
  if (isObject(given) && isObject(due)) {
    const names = new Set([...Object.keys(due), ...Object.keys(given)]);
    return [...names].flatMap((name) =>
      differencesBetween(
        Object.hasOwn(given, name) ? given[name] : undefined,
        Object.hasOwn(due, name) ? due[name] : undefined,
        path === '' ? name : `${path}.${name}`,
      ),
    );
  }
  const [mine, theirs] = [JSON.stringify(due), JSON.stringify(given)];
  return mine === theirs ? [] : [`${path || 'it'} is ${shown(theirs)}, not ${shown(mine)}`];
}

function shown(value: string | undefined): string {
  if (value === undefined) return 'missing';
  return value.length > LONGEST_VALUE ? `${value.slice(0, LONGEST_VALUE)}…` : value;
}

/** Makes a result again from its evidence, and compares the two. Signatures play no part. */

import { utf8Of, whenUtf8 } from '../common/plain-file';
import { suite } from '../common/suite';
import { cut, visibleJson } from '../common/text';
import { clauseTexts } from '../contract/clauses';
import { digestOf } from '../contract/digest';
import { resultIn } from '../contract/read-result';
import type { Conformance } from '../contract/result';
import { fromHar } from '../evidence/har/read';
import { withoutOwn } from '../evidence/select';
import { judgementsOf } from '../profiles/rules';
import { reportInputOf } from '../report/assemble';
import type { ReportInput } from '../report/model';
import { obstacles } from '../report/words';

/** One check of a package, and what it found. */
export interface Check {
  name: string;
  /** `unchecked`: the check could not be made, which is no fault of the package. */
  verdict: 'ok' | 'failed' | 'unchecked';
  /** What is wrong, one sentence each. */
  problems: string[];
}

/** Returns a check that fails if there is any problem. */
export function check(name: string, problems: string[]): Check {
  return { name, verdict: problems.length === 0 ? 'ok' : 'failed', problems };
}

export type ReadResult = ReturnType<typeof readResult>;

/**
 * Reads a result (`given`), and makes it again from its evidence (`again`). What no evidence shows is taken from the
 * result: what changed, notes, and the tests of the user's own.
 * @throws UsageError if one of both is not of this suite
 */
export function readResult(conformance: Buffer, evidence: Buffer) {
  const text = utf8Of(conformance, 'conformance.json');
  const source = whenUtf8(evidence, 'evidence.har');
  const given = resultIn(text, 'conformance.json');
  const har = fromHar(source, 'evidence.har', '');
  const ids = clauseTexts.map(({ id }) => id);
  const judgements = judgementsOf(ids, withoutOwn(har.evidence), given.startedAt.slice(0, 10));
  const ending = { error: null, baseline: null };
  const made = reportInputOf({ ...har, notes: [] }, judgements, () => 'not judged', ending);
  const { changes, own } = given;
  // The run may have added notes of its own. Those that the evidence gives have to be there.
  const noted = made.conformance.notes;
  const notes = noted.every((note) => given.notes.includes(note)) ? given.notes : noted;
  const digests = { ...made.conformance.digests, evidence: digestOf(evidence) };
  const again: ReportInput = { ...made, conformance: { ...made.conformance, digests, changes, own, notes } };
  return { given, text, har, again };
}

/** Returns the checks of a result against its evidence, in the order of the report. */
export function resultChecks({ given, text, har, again: { conformance: due } }: ReadResult): Check[] {
  const { name, version } = given.suite;
  const isOfThisSuite = name === suite.name && version === suite.version;
  const seal = check(
    'seal',
    har.brokenSeal === undefined
      ? []
      : ['evidence.har was edited after its run: the seal in it is that of another text'],
  );
  // Another version may judge otherwise, and writes other pages.
  if (!isOfThisSuite)
    return [
      seal,
      check('version', [`it was made by ${name} ${version}, and this is ${suite.version}: take that version`]),
    ];
  const differences = differencesBetween(byId(given), byId(due));
  // A member may occur twice. Some readers take the first, others the last.
  const isAsWritten = differences.length > 0 || text === `${visibleJson(due)}\n`;
  return [
    seal,
    check('version', []),
    check('result', isAsWritten ? differences : ['conformance.json is not as this suite writes it: it was edited']),
    check('certifiable', due.certifiable ? [] : obstacles(due)),
  ];
}

/** A result whose clauses go by their ids, so that a difference names the clause. */
function byId({ clauses, ...others }: Conformance) {
  return { ...others, clauses: Object.fromEntries(clauses.map((clause) => [clause.id, clause])) };
}

const LONGEST_VALUE = 121;

/** Returns a sentence for each member of `given` that is not as `due`: `verdict is "conformant", not "incomplete"`. */
function differencesBetween(given: unknown, due: unknown, path: string[] = []): string[] {
  const isInner = (value: unknown): value is object => typeof value === 'object' && value !== null;
  if (isInner(given) && isInner(due)) {
    const own = (object: object, name: string) => Object.getOwnPropertyDescriptor(object, name)?.value;
    const names = new Set([...Object.keys(due), ...Object.keys(given)]);
    return [...names].flatMap((name) => differencesBetween(own(given, name), own(due, name), [...path, name]));
  }
  const [is, shouldBe] = [given, due].map((value) => JSON.stringify(value) ?? 'missing') as [string, string];
  if (is === shouldBe) return [];
  return [`${path.join('.')} is ${cut(is, LONGEST_VALUE)}, not ${cut(shouldBe, LONGEST_VALUE)}`];
}

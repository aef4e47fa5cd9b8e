/** Makes a result again from its evidence, and compares the two. Signatures play no part. */
import { cut } from '../common/cut';
import { groupedBy } from '../common/grouped';
import { utf8Of, whenUtf8 } from '../common/plain-file';
import { plural } from '../common/plural';
import { suite } from '../common/suite';
import { visibleJson } from '../common/visible';
import { clauseTexts, contractDigest } from '../contract/clauses';
import { digestOf } from '../contract/digest';
import { resultIn } from '../contract/read-result';
import type { Conformance } from '../contract/result';
import { fromHar, type RecordedHar } from '../evidence/har/read';
import { isObject } from '../evidence/http/json';
import type { Evidence } from '../evidence/model';
import { withoutOwn } from '../evidence/select';
import { judgementsOf } from '../profiles/rules';
import { reportInputOf } from '../report/assemble';
import type { ReportInput } from '../report/model';
import { obstacles } from '../report/outcome';
import { type Check, check, unchecked } from './check';
import { CLOCK_MS } from './consistency/times';
import { wholenessOf } from './whole-evidence';

export type ReadResult = ReturnType<typeof readResult>;

/**
 * Reads a result (`told`), and makes it again from its evidence (`again`). What no evidence tells is taken from the
 * result: when the run began, what changed, and the tests of the user's own.
 * @throws UsageError if one of both is not of this suite
 */
export function readResult(conformance: Buffer, evidence: Buffer) {
  const text = utf8Of(conformance, 'conformance.json');
  const source = whenUtf8(evidence, 'evidence.har');
  const told = resultIn(text, 'conformance.json');
  const har = fromHar(source, 'evidence.har', '');
  const ids = clauseTexts.map(({ id }) => id);
  const judgements = judgementsOf(ids, withoutOwn(har.evidence), told.startedAt.slice(0, 10));
  const startedAtEpochMs = Date.parse(told.startedAt);
  const ending = { error: null, baseline: null };
  const made = reportInputOf({ ...har, startedAtEpochMs, notes: [] }, judgements, () => 'not judged', ending);
  const { changes, own } = told;
  // The run may have added notes of its own. Those that the evidence gives have to be there.
  const given = made.conformance.notes;
  const notes = given.every((note) => told.notes.includes(note)) ? told.notes : given;
  const digests = { contract: contractDigest, evidence: digestOf(evidence) };
  const again: ReportInput = { ...made, conformance: { ...made.conformance, digests, changes, own, notes } };
  return { told, text, har, source, again };
}

/** Whether this version of the suite made the result. If so, both write exactly the same text. */
export function isOfThisSuite({ suite: { name, version } }: Conformance): boolean {
  return name === suite.name && version === suite.version;
}

/** Returns the checks of a result against its evidence, in the order of the report. */
export function resultChecks({ told, text, har, source, again: { conformance: due } }: ReadResult): Check[] {
  const isAsWritten = !isOfThisSuite(told) || text === `${visibleJson(told)}\n`;
  return [
    versionCheck(told),
    check(
      'verdicts',
      `${clauseTexts.length} clauses judged again from the evidence, with the same verdicts`,
      clauseDifferences(told, due, har.evidence),
    ),
    check('result', 'everything else in conformance.json is what the evidence gives', [
      ...differencesBetween(besidesVerdicts(told), besidesVerdicts(due)),
      ...clockProblems(told, har),
      // A member may occur twice. Some readers take the first, others the last.
      ...(isAsWritten
        ? []
        : ['conformance.json is not as this suite writes it: it was edited or written by something else']),
    ]),
    ...wholenessOf(har, source),
    check('certifiable', 'the run can be certified', due.certifiable ? [] : obstacles(due)),
  ];
}

function versionCheck(told: Conformance): Check {
  if (!isOfThisSuite(told))
    return unchecked(
      'version',
      `made by ${told.suite.name} ${told.suite.version}, judged here by ${suite.version}: what differs may come from that, so verify with that version as well`,
    );
  return check(
    'version',
    `made by this version of the suite, ${suite.version}, with the same contract`,
    told.digests.contract === contractDigest ? [] : ['it was judged by another wording of the contract'],
  );
}

function clauseDifferences(
  { clauses: told }: Conformance,
  { clauses: due }: Conformance,
  { exchanges, deliveries }: Evidence,
): string[] {
  const byId = (clauses: Conformance['clauses']) =>
    Object.fromEntries(clauses.map(({ evidence: _, ...clause }) => [clause.id, clause]));
  const differences = [
    ...differencesBetween(byId(told), byId(due)),
    ...entryDifferences(told, due, exchanges.length + deliveries.length),
  ];
  const isSame = differences.length > 0 || (told.length === due.length && told.every(({ id }, i) => id === due[i]?.id));
  return isSame ? differences : ['a clause stands there twice, or the clauses are in another order'];
}

function besidesVerdicts({ clauses: _, suite: __, digests: { evidence }, ...others }: Conformance) {
  return { ...others, digests: { evidence } };
}

/** Returns a problem if an exchange lies outside the time of the run. */
function clockProblems({ startedAt, durationMs }: Conformance, { evidence }: RecordedHar): string[] {
  const fromMs = Date.parse(startedAt) - evidence.startedAtEpochMs;
  const isOutside = evidence.exchanges.some(
    ({ sentAtMs, receivedAtMs }) => sentAtMs < fromMs - CLOCK_MS || receivedAtMs > fromMs + durationMs + CLOCK_MS,
  );
  return isOutside ? ['exchanges lie before startedAt, or after the run has ended'] : [];
}

/** Returns, by entry, which clauses name it wrongly or leave it out. @param entries how many the evidence has */
export function entryDifferences(told: Conformance['clauses'], due: Conformance['clauses'], entries: number): string[] {
  /** By entry: the clauses of `some` that name it, while `others` do not. */
  const missingIn = (some: Conformance['clauses'], others: Conformance['clauses']) => {
    const known = new Map(others.map(({ id, evidence }) => [id, new Set(evidence)]));
    const pairs = some.flatMap(({ id, evidence }) =>
      evidence.filter((entry) => known.get(id)?.has(entry) === false).map((entry) => ({ id, entry })),
    );
    return [...groupedBy(pairs, ({ entry }) => entry)].sort(([a], [b]) => a - b);
  };
  const said = (clauses: Array<{ id: string }>, one: string, several: string) =>
    clauses.length === 1 ? `${clauses[0]?.id} ${one}` : `${clauses.length} clauses ${several}`;
  const named = missingIn(told, due);
  const [last = -1, judged = []] = named.at(-1) ?? [];
  // Which one it was, no number tells: all behind it have moved up. The plan says which probe is not there.
  if (last >= entries) {
    const lost = plural(last + 1 - entries, 'entry', 'entries');
    return [`${lost} missing: ${said(judged, 'was', 'were')} judged on entry ${last}, and the last is ${entries - 1}`];
  }
  return [
    ...named.map(
      ([entry, clauses]) =>
        `${said(clauses, 'names', 'name')} entry ${entry}, and ${clauses.length === 1 ? 'is' : 'are'} not judged on it`,
    ),
    ...missingIn(due, told).map(
      ([entry, clauses]) => `${said(clauses, 'is', 'are')} judged on entry ${entry}, which is not named there`,
    ),
  ];
}

const LONGEST_VALUE = 121;
/** How much of what is equal is shown before the first difference, in characters. */
const SHOWN_BEFORE = 30;

/** Returns a sentence for each member of `given` that is not as `due`: `verdict is "conformant", not "incomplete"`. */
export function differencesBetween(given: unknown, due: unknown, path = ''): string[] {
  if (isObject(given) && isObject(due)) {
    const own = (object: object, name: string) => Object.getOwnPropertyDescriptor(object, name)?.value;
    const names = new Set([...Object.keys(due), ...Object.keys(given)]);
    return [...names].flatMap((name) =>
      differencesBetween(own(given, name), own(due, name), path === '' ? name : `${path}.${name}`),
    );
  }
  const [is, shouldBe] = [JSON.stringify(given) ?? 'missing', JSON.stringify(due) ?? 'missing'];
  if (is === shouldBe) return [];
  const differsAt = [...is].findIndex((character, i) => character !== shouldBe[i]);
  const from = differsAt > LONGEST_VALUE / 2 ? differsAt - SHOWN_BEFORE : 0;
  const shown = (text: string) => cut(`${from > 0 ? '…' : ''}${text.slice(from)}`, LONGEST_VALUE);
  return [`${path || 'it'} is ${shown(is)}, not ${shown(shouldBe)}`];
}

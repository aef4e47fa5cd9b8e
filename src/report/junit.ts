/** junit.xml: a suite for each area, a case for each clause, as CI servers read it. */

import { textOf } from '../contract/clauses';
import type { ClauseResult, OwnTest, Verdict } from '../contract/result';
import { againFor } from './curl';
import { type Markup, markup } from './markup';
import type { FleetTarget, ReportInput } from './model';
import { clausesByArea, entriesInWords, errorOf, firstLine, sectionName } from './words';

/** So many entries of the evidence are named. */
const MOST_ENTRIES = 12;

interface Case {
  name: string;
  verdict: Verdict;
  reason: string | null;
  /** All there is to say of it. */
  story: string;
  /** What broke where it fails: the level of a clause. */
  type: string;
  properties: Record<string, string>;
}

/** Cases that are counted together. */
interface Suite {
  name: string;
  cases: Case[];
  /** Such as when it began, and how long it took. */
  attributes?: Markup;
  /** Why the suite could not be run. */
  error?: string | null;
}

/** One run as JUnit XML. If the run could not be done, a suite `run` holds the error. */
export function renderJUnit({ conformance, evidence }: ReportInput): string {
  const { clauses, error, target, durationMs, own, startedAt } = conformance;
  const caseFor = (clause: ClauseResult) => {
    const exchange = evidence.exchanges.find(({ index }) => index === clause.evidence[0]);
    return caseOf(clause, exchange && `Again: ${againFor(clause.id, exchange, evidence.target.variables)}`);
  };
  // JUnit knows no time zone.
  const attributes = markup` timestamp="${startedAt.replace(/\.\d+Z$/, '')}"`;
  const suites: Suite[] = [
    ...(error === null ? [] : [{ name: 'run', cases: [], error }]),
    ...clausesByArea(clauses).map(([name, some]) => ({ name, cases: some.map(caseFor) })),
    ...(own.length > 0 ? [{ name: 'own', cases: own.map(ownCase) }] : []),
  ];
  return render(
    target.name,
    suites.map((suite) => ({ ...suite, attributes })),
    durationMs,
  );
}

/** Many targets as JUnit XML, a suite for each. */
export function renderFleetJUnit(targets: readonly FleetTarget[]): string {
  const suites = targets.map((target) => ({
    name: target.name,
    cases: (target.conformance?.clauses ?? []).map((clause) => caseOf(clause)),
    attributes: timeOf(target.durationMs),
    error: errorOf(target),
  }));
  return render(
    'conformance',
    suites,
    targets.reduce((sum, { durationMs }) => sum + durationMs, 0),
  );
}

/** @param again how to see it again */
function caseOf({ id, level, section, verdict, reason, evidence }: ClauseResult, again?: string): Case {
  const { statement, conforms } = textOf(id);
  const lines = [
    `${level.toUpperCase()}, ${sectionName(section)}: ${statement}`,
    reason,
    `Would conform: ${conforms}.`,
    evidence.length > 0 && `Evidence: ${entriesInWords(evidence, MOST_ENTRIES)} of evidence.har`,
    again,
  ];
  const story = lines.filter(Boolean).join('\n');
  return { name: id, verdict, reason, story, type: level, properties: { level, section, verdict } };
}

function ownCase({ title, verdict, reason }: OwnTest): Case {
  return { name: title, verdict, reason, story: reason ?? '', type: 'own', properties: {} };
}

const timeOf = (ms: number) => markup` time="${(ms / 1000).toFixed(3)}"`;

function render(name: string, suites: Suite[], durationMs: number): string {
  return markup`
    <?xml version="1.0" encoding="UTF-8"?>\n
    <testsuites name="${name}" ${countsOf(suites)}${timeOf(durationMs)}>\n
      ${suites.map(renderSuite)}
    </testsuites>\n`.source;
}

function renderSuite(suite: Suite): Markup {
  const { name, cases, attributes, error = null } = suite;
  const failure = markup`
    <testcase name="run" classname="${name}">
      <error message="${firstLine(error ?? '')}">${error}</error>
    </testcase>\n`;
  return markup`
    <testsuite name="${name}" ${countsOf([suite])}${attributes}>\n
      ${error !== null && failure}
      ${cases.map((one) => renderCase(one, name))}
    </testsuite>\n`;
}

function countsOf(suites: Suite[]): Markup {
  const cases = suites.flatMap((suite) => suite.cases);
  const errors = suites.filter(({ error = null }) => error !== null).length;
  const having = (...verdicts: Verdict[]) => cases.filter(({ verdict }) => verdicts.includes(verdict)).length;
  return markup`
    tests="${cases.length + errors}" failures="${having('fail')}" errors="${errors}"\n
    skipped="${having('not-tested', 'waived')}"`;
}

function renderCase({ name, verdict, reason, story, type, properties }: Case, suite: string): Markup {
  const message = firstLine(reason ?? verdict);
  const named = Object.entries(properties).map(([key, value]) => markup`<property name="${key}" value="${value}"/>`);
  return markup`
    <testcase name="${name}" classname="${suite}">
      ${named.length > 0 && markup`<properties>${named}</properties>`}
      ${verdict === 'fail' && markup`<failure message="${message}" type="${type}">${story}</failure>`}
      ${verdict === 'not-tested' && markup`<skipped message="${message}"/>`}
      ${verdict === 'waived' && markup`<skipped message="${`Waived: ${message}`}"/>`}
      ${(verdict === 'warn' || verdict === 'waived') && markup`<system-out>${verdict}: ${story}</system-out>`}
    </testcase>\n`;
}

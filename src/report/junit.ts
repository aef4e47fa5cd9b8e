/** junit.xml: a suite for each area, a case for each clause, as CI servers read it. */

import { textOf } from '../contract/clauses';
import type { ClauseResult, Conformance, OwnTest } from '../contract/result';
import { againFor } from './curl';
import { type Markup, markup } from './markup';
import type { FleetTarget, ReportInput } from './model';
import { clausesByArea, entriesInWords, errorOf, firstLine, sectionName } from './words';

/** So many entries of the evidence are named. */
const MOST_ENTRIES = 12;

/** Cases that are counted together. */
interface Suite {
  name: string;
  results: ReadonlyArray<ClauseResult | OwnTest>;
  seconds?: number;
  /** Why the suite could not be run. */
  error?: string | null;
}

/** One run as JUnit XML. If the run could not be done, a suite `run` holds the error. */
export function renderJUnit({ conformance, evidence }: ReportInput): string {
  const { clauses, error, target, durationMs, own } = conformance;
  const again = ({ id, evidence: [first] }: ClauseResult) => {
    const exchange = evidence.exchanges.find(({ index }) => index === first);
    return exchange && `Again: ${againFor(id, exchange, evidence.target.variables)}`;
  };
  const suites: Suite[] = [
    ...(error === null ? [] : [{ name: 'run', results: [], error }]),
    ...clausesByArea(clauses).map(([name, results]) => ({ name, results })),
    ...(own.length > 0 ? [{ name: 'own', results: own }] : []),
  ];
  return render(target.name, suites, durationMs / 1000, conformance, again);
}

/** Many targets as JUnit XML, a suite for each. */
export function renderFleetJUnit(targets: readonly FleetTarget[]): string {
  const suites = targets.map((target) => ({
    name: target.name,
    results: target.conformance?.clauses ?? [],
    seconds: target.durationMs / 1000,
    error: errorOf(target),
  }));
  return render(
    'conformance',
    suites,
    suites.reduce((sum, { seconds }) => sum + seconds, 0),
  );
}

type Again = (clause: ClauseResult) => string | undefined;

function render(name: string, suites: Suite[], seconds: number, run?: Conformance, again?: Again): string {
  // JUnit knows no time zone.
  const timestamp = run && markup` timestamp="${run.startedAt.replace(/\.\d+Z$/, '')}"`;
  return markup`
    <?xml version="1.0" encoding="UTF-8"?>\n
    <testsuites name="${name}" ${countsOf(suites)} time="${seconds.toFixed(3)}">\n
      ${suites.map((suite) => renderSuite(suite, timestamp, again))}
    </testsuites>\n`.source;
}

function renderSuite({ name, results, seconds, error = null }: Suite, timestamp?: Markup, again?: Again): Markup {
  const time = seconds !== undefined && markup` time="${seconds.toFixed(3)}"`;
  const failure = markup`
    <testcase name="run" classname="${name}">
      <error message="${firstLine(error ?? '')}">${error}</error>
    </testcase>\n`;
  return markup`
    <testsuite name="${name}" ${countsOf([{ name, results, error }])}${time}${timestamp}>\n
      ${error !== null && failure}
      ${results.map((result) => renderCase(result, name, again))}
    </testsuite>\n`;
}

function countsOf(suites: Suite[]): Markup {
  const results = suites.flatMap((suite) => suite.results);
  const errors = suites.filter(({ error = null }) => error !== null).length;
  const having = (...verdicts: string[]) => results.filter(({ verdict }) => verdicts.includes(verdict)).length;
  return markup`
    tests="${results.length + errors}" failures="${having('fail')}"\n
    errors="${errors}" skipped="${having('not-tested', 'waived')}"`;
}

function renderCase(result: ClauseResult | OwnTest, suite: string, again?: Again): Markup {
  const { verdict, reason } = result;
  const message = firstLine(reason ?? verdict);
  const story = 'id' in result ? storyOf(result, again) : reason;
  const properties = (clause: ClauseResult) => markup`
    <properties>
      <property name="level" value="${clause.level}"/>
      <property name="section" value="${clause.section}"/>
      <property name="verdict" value="${verdict}"/>
    </properties>`;
  return markup`
    <testcase name="${'id' in result ? result.id : result.title}" classname="${suite}">
      ${'id' in result && properties(result)}
      ${verdict === 'fail' && markup`<failure message="${message}" type="${'id' in result ? result.level : 'own'}">${story}</failure>`}
      ${verdict === 'not-tested' && markup`<skipped message="${message}"/>`}
      ${verdict === 'waived' && markup`<skipped message="${`Waived: ${message}`}"/>`}
      ${(verdict === 'warn' || verdict === 'waived') && markup`<system-out>${verdict}: ${story}</system-out>`}
    </testcase>\n`;
}

/** All there is to say of a clause, on a line each. */
function storyOf(clause: ClauseResult, again?: Again): string {
  const { id, level, section, reason, evidence } = clause;
  const { statement, conforms } = textOf(id);
  return [
    `${level.toUpperCase()}, ${sectionName(section)}: ${statement}`,
    reason,
    `Would conform: ${conforms}.`,
    evidence.length > 0 && `Evidence: ${entriesInWords(evidence, MOST_ENTRIES)} of evidence.har`,
    again?.(clause),
  ]
    .filter(Boolean)
    .join('\n');
}

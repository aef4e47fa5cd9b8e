/** junit.xml: a suite for each area, a case for each clause, as CI servers read it. */

import { textOf } from '../contract/clauses';
import type { ClauseResult, OwnTest } from '../contract/result';
import type { Evidence } from '../evidence/exchange';
import { againFor } from './curl';
import { type Markup, markup } from './markup';
import type { FleetTarget, ReportInput } from './model';
import { clausesByArea, entriesInWords, errorOf, firstLine, having, said, standingOf } from './words';

/** Cases that are counted together. */
interface Suite {
  name: string;
  results: ReadonlyArray<ClauseResult | OwnTest>;
  /** Why the suite could not be run. */
  error?: string | null;
  /** When it began, or how long it took. */
  attributes?: Markup;
}

/** One run as JUnit XML. If the run could not be done, a suite `run` holds the error. */
export function renderJUnit({ conformance, evidence }: ReportInput): string {
  const { clauses, error, target, durationMs, own, startedAt } = conformance;
  const suites: Suite[] = [
    ...(error === null ? [] : [{ name: 'run', results: [], error }]),
    ...clausesByArea(clauses).map(([name, results]) => ({ name, results })),
    ...(own.length > 0 ? [{ name: 'own', results: own }] : []),
  ];
  // JUnit knows no time zone.
  const attributes = markup` timestamp="${startedAt.replace(/\.\d+Z$/, '')}"`;
  const dated = suites.map((suite) => ({ ...suite, attributes }));
  return render(target.name, dated, durationMs, evidence);
}

/** Many targets as JUnit XML, a suite for each. */
export function renderFleetJUnit(targets: readonly FleetTarget[]): string {
  const suites = targets.map((target) => ({
    name: target.name,
    results: target.conformance?.clauses ?? [],
    error: errorOf(target),
    attributes: timeOf(target.durationMs),
  }));
  const durationMs = targets.reduce((sum, target) => sum + target.durationMs, 0);
  return render('conformance', suites, durationMs);
}

const timeOf = (ms: number) => markup` time="${(ms / 1000).toFixed(3)}"`;

/** @param evidence from which a case tells how to see its result again */
function render(name: string, suites: Suite[], durationMs: number, evidence?: Evidence): string {
  return markup`
    <?xml version="1.0" encoding="UTF-8"?>\n
    <testsuites name="${name}" ${countsOf(suites)}${timeOf(durationMs)}>\n
      ${suites.map((suite) => renderSuite(suite, evidence))}
    </testsuites>\n`.source;
}

function renderSuite(suite: Suite, evidence?: Evidence): Markup {
  const { name, results, attributes, error } = suite;
  const failure = markup`
    <testcase name="run" classname="${name}">
      <error message="${firstLine(error ?? '')}">${error}</error>
    </testcase>\n`;
  return markup`
    <testsuite name="${name}" ${countsOf([suite])}${attributes}>\n
      ${error && failure}
      ${results.map((result) => renderCase(result, name, evidence))}
    </testsuite>\n`;
}

function countsOf(suites: Suite[]): Markup {
  const results = suites.flatMap((suite) => suite.results);
  const errors = suites.filter(({ error }) => error).length;
  return markup`
    tests="${results.length + errors}" failures="${having(results, 'fail').length}" errors="${errors}"\n
    skipped="${having(results, 'not-tested', 'waived').length}"`;
}

function renderCase(result: ClauseResult | OwnTest, suite: string, evidence?: Evidence): Markup {
  const { verdict, reason } = result;
  const isClause = 'id' in result;
  const message = firstLine(reason ?? verdict);
  const story = isClause ? storyOf(result, evidence) : reason;
  const property = (name: 'level' | 'section' | 'verdict') =>
    isClause && markup`<property name="${name}" value="${result[name]}"/>`;
  return markup`
    <testcase name="${isClause ? result.id : result.title}" classname="${suite}">
      ${isClause && markup`<properties>${property('level')}${property('section')}${property('verdict')}</properties>`}
      ${verdict === 'fail' && markup`<failure message="${message}" type="${isClause ? result.level : 'own'}">${story}</failure>`}
      ${verdict === 'not-tested' && markup`<skipped message="${message}"/>`}
      ${verdict === 'waived' && markup`<skipped message="${`Waived: ${message}`}"/>`}
      ${(verdict === 'warn' || verdict === 'waived') && markup`<system-out>${verdict}: ${story}</system-out>`}
    </testcase>\n`;
}

/** All there is to say of a clause, a line each. */
function storyOf({ id, reason, evidence: entries }: ClauseResult, evidence?: Evidence): string {
  const { statement, conforms } = textOf(id);
  const exchange = evidence?.exchanges.find(({ index }) => index === entries[0]);
  return said(
    `${standingOf(id)}: ${statement}`,
    reason,
    `Would conform: ${conforms}.`,
    entries.length > 0 && `Evidence: ${entriesInWords(entries)} of evidence.har`,
    exchange && `Again: ${againFor(id, exchange, evidence?.target.variables)}`,
  ).join('\n');
}

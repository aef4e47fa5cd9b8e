/** junit.xml: a suite for each area, a case for each clause, as CI servers read it. */

import { textOf } from '../contract/clauses';
import type { ClauseResult, OwnTest } from '../contract/result';
import { commandFor } from './again';
import { curlOf } from './curl';
import { type Markup, markup } from './markup';
import type { ReportInput } from './model';
import { ownSuite } from './own';
import { clausesByArea, firstLine, sectionName } from './words';

/** Cases that are counted together. */
interface Suite {
  name: string;
  clauses: ClauseResult[];
  seconds?: number;
  /** Why the suite could not be run. */
  error?: string | null;
  /** What to add to the text of a clause. */
  also?: (clause: ClauseResult) => string;
}

/** One run as JUnit XML. If the run could not be done, a suite `run` holds the error. */
export function renderJUnit({ conformance, evidence }: ReportInput): string {
  const { clauses, error, target, durationMs, startedAt } = conformance;
  const also = (clause: ClauseResult) => {
    const first = evidence.exchanges.find((exchange) => exchange.index === clause.evidence[0]);
    if (!first) return '';
    return `Again: ${commandFor(clause.id, first) ?? curlOf(first.request, evidence.target.variables)}`;
  };
  const suites: Suite[] = clausesByArea(clauses).map(([name, own]) => ({ name, clauses: own, also }));
  if (error !== null) suites.unshift({ name: 'run', clauses: [], error });
  return renderSuites(target.name, suites, { seconds: durationMs / 1000, startedAt, own: conformance.own });
}

/** Any suites as JUnit XML. */
export function renderSuites(
  name: string,
  suites: Suite[],
  { seconds, startedAt, own = [] }: { seconds: number; startedAt?: string; own?: readonly OwnTest[] },
): string {
  // JUnit knows no time zone.
  const timestamp = startedAt ? markup` timestamp="${startedAt.replace(/\.\d+Z$/, '')}"` : null;
  return markup`
    <?xml version="1.0" encoding="UTF-8"?>\n
    <testsuites name="${name}" ${countsOf(suites, own)} time="${seconds.toFixed(3)}">\n
      ${suites.map((suite) => renderSuite(suite, timestamp))}
      ${ownSuite(own)}
    </testsuites>\n`.source;
}

function renderSuite(suite: Suite, timestamp: Markup | null): Markup {
  const { name, clauses, seconds, error } = suite;
  const time = seconds !== undefined && markup` time="${seconds.toFixed(3)}"`;
  return markup`
    <testsuite name="${name}" ${countsOf([suite])}${time}${timestamp}>\n
      ${error != null && renderError(name, error)}
      ${clauses.map((clause) => renderCase(clause, suite))}
    </testsuite>\n`;
}

function countsOf(suites: Suite[], own: readonly OwnTest[] = []): Markup {
  const clauses = suites.flatMap((suite) => suite.clauses);
  const errors = suites.filter(({ error }) => error != null).length;
  const results = [...clauses, ...own];
  const withVerdict = (verdict: string) => results.filter((result) => result.verdict === verdict).length;
  const tests = results.length + errors;
  const [failures, skipped] = [withVerdict('fail'), withVerdict('not-tested')];
  return markup`tests="${tests}" failures="${failures}" errors="${errors}" skipped="${skipped}"`;
}

function renderError(suite: string, error: string): Markup {
  return markup`
    <testcase name="run" classname="${suite}">
      <error message="${firstLine(error)}">${error}</error>
    </testcase>\n`;
}

function renderCase(clause: ClauseResult, suite: Suite): Markup {
  const { id, level, section, verdict, reason } = clause;
  const message = firstLine(reason ?? verdict);
  const story = storyOf(clause, suite);
  const isShown = verdict === 'warn' || verdict === 'waived';
  return markup`
    <testcase name="${id}" classname="${suite.name}">
      <properties>
        <property name="level" value="${level}"/>
        <property name="section" value="${section}"/>
        <property name="verdict" value="${verdict}"/>
      </properties>
      ${verdict === 'fail' && markup`<failure message="${message}" type="${level}">${story}</failure>`}
      ${verdict === 'not-tested' && markup`<skipped message="${message}"/>`}
      ${isShown && markup`<system-out>${verdict}: ${story}</system-out>`}
    </testcase>\n`;
}

/** All there is to say of a clause, on a line each. */
function storyOf(clause: ClauseResult, suite: Suite): string {
  const { id, level, section, reason, evidence } = clause;
  const text = textOf(id);
  return [
    `${level.toUpperCase()}, ${sectionName(section)}: ${text.statement}`,
    reason,
    `Would conform: ${text.conforms}.`,
    evidence.length > 0 && `Evidence: ${evidence.join(', ')} of evidence.har`,
    suite.also?.(clause),
  ]
    .filter(Boolean)
    .join('\n');
}

/** junit.xml: a suite for each area, a case for each clause, as CI servers read it. */

import { textOf } from '../contract/clauses';
import type { ClauseResult } from '../contract/result';
import { curlOf } from './curl';
import type { ReportInput } from './model';
import { type Markup, markup } from './page/markup';
import { clausesByArea, firstLine, sectionName } from './words';

/** Cases that are counted together. */
interface Suite {
  name: string;
  clauses: ClauseResult[];
  seconds?: number;
  /** What kept the suite from being run. */
  error?: string | null;
  /** What to say of a clause besides its own result. */
  also?: (clause: ClauseResult) => string;
}

/** One run as JUnit's XML; what kept it from being done is the error of a suite `run`. */
export function renderJUnit({ conformance, evidence }: ReportInput): string {
  const { clauses, error, target, durationMs, startedAt } = conformance;
  const also = (clause: ClauseResult) => {
    const first = evidence.exchanges.find((x) => x.index === clause.evidence[0]);
    return first ? `Again: ${curlOf(first.request)}` : '';
  };
  const suites: Suite[] = clausesByArea(clauses).map(([name, own]) => ({ name, clauses: own, also }));
  if (error !== null) suites.unshift({ name: 'run', clauses: [], error });
  return renderSuites(target.name, suites, { seconds: durationMs / 1000, startedAt });
}

/** Any suites as JUnit's XML. */
export function renderSuites(
  name: string,
  suites: Suite[],
  { seconds, startedAt }: { seconds: number; startedAt?: string },
): string {
  const sum = (of: (suite: Suite) => number) => suites.reduce((total, suite) => total + of(suite), 0);
  return markup`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="${name}" tests="${sum(testsIn)}" failures="${sum(failuresIn)}" errors="${sum(errorsIn)}" skipped="${sum(skippedIn)}" time="${seconds.toFixed(3)}">
${suites.map((suite) => {
  const time = suite.seconds !== undefined && markup` time="${suite.seconds.toFixed(3)}"`;
  const timestamp = startedAt && markup` timestamp="${startedAt.replace(/\.\d+Z$/, '')}"`;
  return markup`<testsuite name="${suite.name}" tests="${testsIn(suite)}" failures="${failuresIn(suite)}" errors="${errorsIn(suite)}" skipped="${skippedIn(suite)}"${time}${timestamp}>
${suite.error != null && markup`<testcase name="run" classname="${suite.name}"><error message="${firstLine(suite.error)}">${suite.error}</error></testcase>\n`}${suite.clauses.map((clause) => renderCase(clause, suite))}</testsuite>
`;
})}</testsuites>
`.source;
}

const errorsIn = ({ error }: Suite) => (error == null ? 0 : 1);
const testsIn = (suite: Suite) => suite.clauses.length + errorsIn(suite);
const failuresIn = ({ clauses }: Suite) => clauses.filter((clause) => clause.verdict === 'fail').length;
const skippedIn = ({ clauses }: Suite) => clauses.filter((clause) => clause.verdict === 'not-tested').length;

function renderCase(clause: ClauseResult, suite: Suite): Markup {
  const { id, level, section, verdict, reason, evidence } = clause;
  const text = textOf(id);
  const message = firstLine(reason ?? verdict);
  const story = [
    `${level.toUpperCase()}, ${sectionName(section)}: ${text.statement}`,
    reason,
    `Would conform: ${text.conforms}.`,
    evidence.length > 0 && `Evidence: ${evidence.join(', ')} of evidence.har`,
    suite.also?.(clause),
  ]
    .filter(Boolean)
    .join('\n');
  return markup`<testcase name="${id}" classname="${suite.name}"><properties><property name="level" value="${level}"/><property name="section" value="${section}"/><property name="verdict" value="${verdict}"/></properties>${
    verdict === 'fail' && markup`<failure message="${message}" type="${level}">${story}</failure>`
  }${verdict === 'not-tested' && markup`<skipped message="${message}"/>`}${
    (verdict === 'warn' || verdict === 'waived') && markup`<system-out>${verdict}: ${story}</system-out>`
  }</testcase>
`;
}

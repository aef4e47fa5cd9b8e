/** junit.xml: a suite for each area, a case for each clause, as CI servers read it. */
import { compact } from '../../common/text';
import { clauseText } from '../../contract/clauses';
import type { ClauseResult, Verdict } from '../../contract/result';
import type { Evidence } from '../../evidence/model';
import { againFor } from '../breach/curl';
import { type Markup, markup } from '../markup';
import {
  clausesByArea,
  entriesInWords,
  type FleetTarget,
  firstLine,
  having,
  type ReportInput,
  standingOf,
} from '../words';

/** A test of the user's own, or a run that could not be done. */
interface OtherCase {
  title: string;
  verdict: Verdict | 'error';
  reason: string | null;
}

interface Suite {
  name: string;
  cases: Array<ClauseResult | OtherCase>;
  /** The attribute for its start or its duration. */
  attributes: Markup;
}

/** Returns one run as JUnit XML. If the run could not be done, a suite `run` holds the error. */
export function renderJUnit({ conformance, evidence }: ReportInput): string {
  const { clauses, error, target, durationMs, own, startedAt } = conformance;
  const suites = [['run', undone(error)] as const, ...clausesByArea(clauses), ['own', own] as const]
    .filter(([, cases]) => cases.length > 0)
    .map(([name, cases]) => {
      const ms = cases.reduce((sum, result) => sum + msOf(result, evidence), 0);
      // A JUnit timestamp has no time zone.
      const attributes = markup` timestamp="${startedAt.replace(/\.\d+Z$/, '')}"${timeOf(ms)}`;
      return { name, cases: [...cases], attributes };
    });
  return render(target.name, suites, durationMs, evidence);
}

/** Returns many targets as JUnit XML, a suite for each. */
export function renderFleetJUnit(targets: readonly FleetTarget[]): string {
  const suites = targets.map((target) => ({
    name: target.name,
    cases: [...undone(target.error), ...(target.conformance?.clauses ?? [])],
    attributes: timeOf(target.durationMs),
  }));
  const durationMs = targets.reduce((sum, target) => sum + target.durationMs, 0);
  return render('conformance', suites, durationMs);
}

function undone(error: string | null): OtherCase[] {
  return error === null ? [] : [{ title: 'run', verdict: 'error', reason: error }];
}

/** How long the exchanges took that decided a case, in milliseconds. */
function msOf(result: Suite['cases'][number], { exchanges }: Evidence): number {
  const entries = new Set('evidence' in result ? result.evidence : []);
  return exchanges
    .filter(({ index }) => entries.has(index))
    .reduce((sum, { sentAtMs, receivedAtMs }) => sum + Math.max(0, receivedAtMs - sentAtMs), 0);
}

function timeOf(ms: number): Markup {
  return markup` time="${(ms / 1000).toFixed(3)}"`;
}

/** @param evidence given for one run: a case then says how to see its result again */
function render(name: string, suites: Suite[], durationMs: number, evidence?: Evidence): string {
  const rendered = suites.map(
    (suite) => markup`
      <testsuite name="${suite.name}" ${countsOf(suite.cases)}${suite.attributes}>\n
        ${suite.cases.map((result) => renderCase(result, suite.name, evidence))}
      </testsuite>\n`,
  );
  return markup`
    <?xml version="1.0" encoding="UTF-8"?>\n
    <testsuites name="${name}" ${countsOf(suites.flatMap(({ cases }) => cases))}${timeOf(durationMs)}>\n
      ${rendered}
    </testsuites>\n`.source;
}

function countsOf(cases: Suite['cases']): Markup {
  const count = (...verdicts: Array<OtherCase['verdict']>) => having(cases, ...verdicts).length;
  return markup`
    tests="${cases.length}" failures="${count('fail')}" errors="${count('error')}"\n
    skipped="${count('not-tested', 'waived')}"`;
}

function renderCase(result: ClauseResult | OtherCase, suite: string, evidence?: Evidence): Markup {
  const { verdict, reason } = result;
  const isClause = 'id' in result;
  const message = firstLine(reason ?? verdict);
  const story = isClause ? storyOf(result, evidence) : reason;
  return markup`
    <testcase name="${isClause ? result.id : result.title}" classname="${suite}"${evidence && timeOf(msOf(result, evidence))}>
      ${verdict === 'error' && markup`<error message="${message}">${story}</error>`}
      ${verdict === 'fail' && markup`<failure message="${message}" type="${isClause ? result.level : 'own'}">${story}</failure>`}
      ${verdict === 'not-tested' && markup`<skipped message="${message}"/>`}
      ${verdict === 'waived' && markup`<skipped message="${`Waived: ${message}`}"/>`}
      ${(verdict === 'warn' || verdict === 'waived') && markup`<system-out>${verdict}: ${story}</system-out>`}
    </testcase>\n`;
}

/** Returns all there is to say about a clause, one line each. */
function storyOf(clause: ClauseResult, evidence?: Evidence): string {
  const { id, statement, reason, evidence: entries } = clause;
  const exchange = evidence?.exchanges.find(({ index }) => index === entries[0]);
  return compact(
    `${standingOf(clause)}: ${statement}`,
    reason,
    `Would conform: ${clauseText(id).conforms}.`,
    entries.length > 0 && `Evidence: ${entriesInWords(entries)} of evidence.har`,
    exchange && evidence && `Again: ${againFor(id, exchange, evidence)}`,
  ).join('\n');
}

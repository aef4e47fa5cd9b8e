/** junit.xml: a suite for each area, a case for each clause, as CI servers read it. */
import { compact } from '../../common/text';
import { clauseText } from '../../contract/clauses';
import type { ClauseResult, OwnTest, Verdict } from '../../contract/result';
import type { Evidence } from '../../evidence/model';
import { commandFor, curlOf } from '../breach/curl';
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
type OtherCase = Pick<OwnTest, 'title' | 'reason'> & { verdict: Verdict | 'error' };

type Case = ClauseResult | OtherCase;

/** Returns one run as JUnit XML. If the run could not be done, a suite `run` holds the error. */
export function renderJUnit({ conformance, evidence }: ReportInput): string {
  const { clauses, error, target, durationMs, own, startedAt } = conformance;
  // A JUnit timestamp has no time zone.
  const attribute = markup` timestamp="${startedAt.replace(/\.\d+Z$/, '')}"`;
  const suites = [['run', undone(error)] as const, ...clausesByArea(clauses), ['own', own] as const]
    .filter(([, cases]) => cases.length > 0)
    .map(([name, cases]) => renderSuite(name, cases, attribute, evidence));
  return render(target.name, [...undone(error), ...clauses, ...own], durationMs, suites);
}

/** Returns many targets as JUnit XML, a suite for each. */
export function renderFleetJUnit(targets: readonly FleetTarget[]): string {
  const casesOf = ({ error, conformance }: FleetTarget) => [...undone(error), ...(conformance?.clauses ?? [])];
  const suites = targets.map((target) => renderSuite(target.name, casesOf(target), timeOf(target.durationMs)));
  const durationMs = targets.reduce((sum, target) => sum + target.durationMs, 0);
  return render('conformance', targets.flatMap(casesOf), durationMs, suites);
}

function undone(error: string | null): OtherCase[] {
  return error === null ? [] : [{ title: 'run', verdict: 'error', reason: error }];
}

function timeOf(ms: number): Markup {
  return markup` time="${(ms / 1000).toFixed(3)}"`;
}

function render(name: string, cases: readonly Case[], durationMs: number, suites: Markup[]): string {
  const whole = renderGroup('testsuites', name, cases, timeOf(durationMs), suites);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${whole.source}`;
}

/** @param evidence given for one run: a case then says how to see its result again */
function renderSuite(name: string, cases: readonly Case[], attribute: Markup, evidence?: Evidence): Markup {
  const rendered = cases.map((result) => renderCase(result, name, evidence));
  return renderGroup('testsuite', name, cases, attribute, rendered);
}

function renderGroup(tag: string, name: string, cases: readonly Case[], attribute: Markup, content: Markup[]): Markup {
  const count = (...verdicts: Array<OtherCase['verdict']>) => having(cases, ...verdicts).length;
  return markup`
    <${tag} name="${name}" tests="${cases.length}" failures="${count('fail')}" errors="${count('error')}"\n
      skipped="${count('not-tested', 'waived')}"${attribute}>\n
      ${content}
    </${tag}>\n`;
}

function renderCase(result: Case, suite: string, evidence?: Evidence): Markup {
  const { verdict, reason } = result;
  const isClause = 'id' in result;
  const message = firstLine(reason ?? verdict);
  const story = isClause ? storyOf(result, evidence) : reason;
  return markup`
    <testcase name="${isClause ? result.id : result.title}" classname="${suite}">
      ${verdict === 'error' && markup`<error message="${message}">${story}</error>`}
      ${verdict === 'fail' && markup`<failure message="${message}" type="${isClause ? result.level : 'own'}">${story}</failure>`}
      ${verdict === 'not-tested' && markup`<skipped message="${message}"/>`}
      ${verdict === 'waived' && markup`<skipped message="${`Waived: ${message}`}"/>`}
      ${(verdict === 'warn' || verdict === 'waived') && markup`<system-out>${verdict}: ${story}</system-out>`}
    </testcase>\n`;
}

function storyOf(clause: ClauseResult, evidence?: Evidence): string {
  const { id, statement, reason, evidence: entries } = clause;
  const exchange = evidence?.exchanges.find(({ index }) => index === entries[0]);
  return compact(
    `${standingOf(clause)}: ${statement}`,
    reason,
    `Would conform: ${clauseText(id).conforms}.`,
    entries.length > 0 && `Evidence: ${entriesInWords(entries)} of evidence.har`,
    exchange && evidence && `Again: ${commandFor(id, exchange, evidence) ?? curlOf(exchange.request, evidence.target)}`,
  ).join('\n');
}

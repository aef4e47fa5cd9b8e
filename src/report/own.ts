/** The tests of the user's own, in the words of the report. */
import type { OwnTest } from '../contract/result';
import { code, inline, table } from './markdown';
import { type Markup, markup } from './markup';
import { firstLine, VERDICT } from './words';

/** The most pressing first. */
const ORDER: ReadonlyArray<OwnTest['verdict']> = ['fail', 'not-tested', 'pass'];

/** "1 failed, 4 passed": what there is none of is left out. */
export function ownInWords(own: readonly OwnTest[]): string {
  const counts = ORDER.map((verdict) => [verdict, own.filter((test) => test.verdict === verdict).length] as const);
  return counts
    .filter(([, count]) => count > 0)
    .map(([verdict, count]) => `${count} ${VERDICT[verdict].word}`)
    .join(', ');
}

/** Those that failed and those that were not tested come first. */
export function ownInOrder(own: readonly OwnTest[]): OwnTest[] {
  return ORDER.flatMap((verdict) => own.filter((test) => test.verdict === verdict));
}

/** The block of the summary; empty where there are none. */
export function ownSummary(own: readonly OwnTest[]): string {
  if (own.length === 0) return '';
  const rows = ownInOrder(own).map(({ title, verdict, reason }) => [
    `${VERDICT[verdict].glyph} ${VERDICT[verdict].word}`,
    code(title),
    inline(firstLine(reason ?? '')),
  ]);
  return `### Own tests\n\n${table(['Verdict', 'Test', 'Why'], rows)}`;
}

/** The suite of JUnit; nothing where there are none. */
export function ownSuite(own: readonly OwnTest[]): Markup | null {
  if (own.length === 0) return null;
  const countOf = (verdict: OwnTest['verdict']) => own.filter((test) => test.verdict === verdict).length;
  return markup`
    <testsuite name="own" tests="${own.length}" failures="${countOf('fail')}" errors="0" skipped="${countOf('not-tested')}">\n
      ${own.map(ownCase)}
    </testsuite>\n`;
}

function ownCase({ title, verdict, reason }: OwnTest): Markup {
  const message = firstLine(reason ?? '');
  return markup`
    <testcase name="${title}" classname="own">
      ${verdict === 'fail' && markup`<failure message="${message}">${reason}</failure>`}
      ${verdict === 'not-tested' && markup`<skipped message="${message}"/>`}
    </testcase>\n`;
}

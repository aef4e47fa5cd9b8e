/** summary.md: one run as GitHub-flavoured Markdown, for a pull request or a job summary. */
import { plural } from '../../common/text';
import { againFor } from '../breach/curl';
import { exampleFor } from '../breach/message';
import { compact, countsInWords, duration, remarks } from '../format';
import type { ReportInput } from '../model';
import { certificateInWords, OUTCOME, outcomeWord, runOutcomeOf, verdictSentence } from '../outcome';
import { causeTables, changesTable, nightsTable, ownTable, untestedTable } from '../tables';
import { code, fenced, inline, tableIn } from './markdown';

export function renderSummary(input: ReportInput): string {
  const { conformance, history } = input;
  const { target, clauses, requests, durationMs, waitedMs, suite, error } = conformance;
  const time = `${plural(requests, 'request')} in ${duration(durationMs)}, ${duration(waitedMs)} of it waiting`;
  const [broken, ...others] = causeTables(input);
  const tables = [
    ...others,
    ...(error === null ? [untestedTable(conformance)] : []),
    ownTable(conformance),
    changesTable(conformance),
    nightsTable(history),
  ];
  const blocks = compact(
    `## ${`${OUTCOME[runOutcomeOf(input)].glyph} ${outcomeWord(input)}`.trim()}: ${inline(target.name)}`,
    [verdictSentence(input), certificateInWords(conformance)].map(inline).join(' '),
    `${code(target.baseURL)}: ${countsInWords(clauses)}; ${time}.`,
    remarks(conformance)
      .map((note) => `- Note: ${inline(note)}`)
      .join('\n'),
    broken && tableIn(broken),
    ...howToSee(input),
    ...tables.map(tableIn),
    `<sub>${inline(`${suite.name} ${suite.version}`)}; the whole report is in index.html, every exchange in evidence.har.</sub>`,
  );
  return `${blocks.join('\n\n')}\n`;
}

/** A comment on a pull request has at most 65,536 characters. */
const MOST_SHOWN = 10;

/** Returns, for what is broken, how to see it again and what would conform. Each opens at a click. */
function howToSee({ causes, evidence }: ReportInput): string[] {
  return causes
    .filter(({ verdict }) => verdict === 'fail')
    .slice(0, MOST_SHOWN)
    .map(({ clauses: [{ id, conforms }], exchange }) => {
      const again = againFor(id, exchange, evidence);
      const example = exampleFor(id, evidence, 2);
      const blocks = [example && fenced(example, 'json'), again && fenced(again, 'sh')];
      const shown = blocks.flatMap((block) => (block ? `\n\n${block}` : [])).join('');
      return `<details><summary>${code(id)}: see it again</summary>\n\nWould conform: ${inline(conforms)}.${shown}\n\n</details>`;
    });
}

/** The overview as GitHub-flavoured Markdown. */

import { code, inline, table } from '../markdown';
import type { FleetTarget } from '../model';
import { duration, heading, plural } from '../words';
import { type BrokenClause, errorOf, linkTo, type Overview, verdictsInWords } from './overview-model';

export function renderOverviewSummary({ targets, broken }: Overview): string {
  const failed = broken.filter(({ failing }) => failing.length > 0);
  const parts = [
    `## ${plural(targets.length, 'target')}: ${verdictsInWords(targets)}`,
    table(['Target', 'Verdict', 'What', 'Took'], targets.map(rowOf)),
    ...(failed.length > 0 ? [detailsOf(failed)] : []),
  ];
  return `${parts.join('\n\n')}\n`;
}

function rowOf(target: FleetTarget): string[] {
  const error = errorOf(target);
  const name = target.conformance ? `[${inline(target.name)}](${linkTo(target)})` : inline(target.name);
  const what = error === null ? target.failed.map(code).join(', ') : inline(error);
  return [name, heading(target.verdict), what, duration(target.durationMs)];
}

function detailsOf(failed: BrokenClause[]): string {
  const lines = failed.map(({ id, failing }) => {
    const names = failing.map(({ name }) => inline(name)).join(', ');
    return `- ${code(id)}, ${plural(failing.length, 'target')}: ${names}`;
  });
  const title = `${plural(failed.length, 'clause')} broken by a target`;
  return `<details><summary>${title}</summary>\n\n${lines.join('\n')}\n\n</details>`;
}

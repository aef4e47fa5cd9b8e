/** What was declared and chosen before the run, and the digests of what was judged by and on. */

import { foundationLines } from '../foundations';
import { markup, prose } from '../markup';
import type { ReportInput } from '../model';
import { isJudged, type Section } from './section';

export function restsOn({ conformance }: ReportInput): Section | null {
  if (!isJudged(conformance)) return null;
  const body = markup`<ul>${foundationLines(conformance).map((line) => markup`<li>${prose(line)}</li>`)}</ul>`;
  return { id: 'rests-on', title: 'What the verdict rests on', body };
}

/** What to check where the run could not be done. */

import { markup } from '../markup';
import type { ReportInput } from '../model';
import type { Section } from './section';

export function whatToDo({ conformance }: ReportInput): Section | null {
  if (conformance.verdict !== 'error') return null;
  const body = markup`
    <p>The run did not get far enough for a verdict; nothing is said about clauses that were not judged.</p>\n
    <ul>
      <li>
        Is the address right, its version segment included, and can it be reached from where the suite ran?
      </li>\n
      <li>
        Does a proxy or a certificate authority stand in between?\n
        <code>HTTPS_PROXY</code>, <code>NO_PROXY</code> and <code>NODE_EXTRA_CA_CERTS</code> are honoured.
      </li>\n
      <li>Is each key set, current, and one of this very installation?</li>
    </ul>`;
  return { id: 'error', title: 'What to do', body };
}

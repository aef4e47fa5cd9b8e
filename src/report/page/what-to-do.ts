/** What to check where the run could not be done. */

import { markup } from '../markup';
import type { ReportInput } from '../model';
import type { Section } from './section';

export function whatToDo({ conformance }: ReportInput): Section | null {
  if (conformance.verdict !== 'error') return null;
  const body = markup`
    <p>The run ended before there was a verdict, so this page says nothing about the clauses.</p>\n
    <ul>
      <li>Is the address right, with its version segment, and can it be reached from where the suite ran?</li>\n
      <li>
        Is there a proxy, or a certificate authority of your own, in between?\n
        <code>HTTPS_PROXY</code>, <code>NO_PROXY</code> and <code>NODE_EXTRA_CA_CERTS</code> are obeyed.
      </li>\n
      <li>Is each key set, still valid, and issued for this installation?</li>
    </ul>`;
  return { id: 'error', title: 'What to do', body };
}

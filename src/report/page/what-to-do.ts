/** What to check where the run could not be done. */

import { markup } from '../markup';
import type { ReportInput } from '../model';
import type { Section } from './section';

export function whatToDo({ conformance, evidence }: ReportInput): Section | null {
  if (conformance.verdict !== 'error') return null;
  // Where nothing was sent, something is to be mended here, and the message says what.
  if (evidence.exchanges.length === 0) return null;
  const isUnreachable = evidence.exchanges.every(({ fault }) => fault?.kind === 'unreachable');
  const ofTheWay = markup`
    <li>
      Is there a proxy, or a certificate authority of your own, in between?\n
      <code>HTTPS_PROXY</code>, <code>NO_PROXY</code> and <code>NODE_EXTRA_CA_CERTS</code> are obeyed.
    </li>\n`;
  const body = markup`
    <p>There is no verdict on the server: what follows is to be checked first.</p>\n
    <ul>
      <li>Is the address right, with scheme, port and version, and can it be reached from where the suite ran?</li>\n
      ${isUnreachable && ofTheWay}
      <li>Is each key set, still valid, and issued for this installation?</li>
    </ul>`;
  return { id: 'error', title: 'What to do', body };
}

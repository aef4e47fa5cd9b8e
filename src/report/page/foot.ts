/** What stands at the bottom of the page: how to do the run again, and the other files. */

import type { Conformance } from '../../contract/result';
import { type Markup, markup } from '../markup';
import type { ReportInput } from '../model';

export function renderFoot({ conformance, evidence }: ReportInput): Markup {
  const { name, version } = conformance.suite;
  const replay = markup`
    <p>The same evidence judged again, with nothing sent:</p>
    <pre class="curl">REPLAY=evidence.har npx playwright test</pre>`;
  return markup`
    <h2>To reproduce</h2>\n
    <p>The same run again:</p>
    <pre class="curl">${commandFor(conformance)}</pre>\n
    ${evidence.exchanges.length > 0 && replay}\n
    <p>
      Beside this page: <code>conformance.json</code> for machines, <code>evidence.har</code> with every exchange,\n
      <code>junit.xml</code>, <code>summary.md</code>, <code>badge.svg</code>.
    </p>\n
    <p>Written by ${name} ${version}.</p>`;
}

/** The command that runs the suite against the same target. */
function commandFor({ target }: Conformance): string {
  if (target.embedded) return 'npx playwright test';
  // Only a target file names its accounts otherwise.
  if (target.accounts.join() !== 'default') return 'TARGET=target.yaml npx playwright test';
  const address = `'${target.baseURL.replaceAll("'", `'\\''`)}'`;
  return `BASE_URL=${address} API_KEY="$API_KEY" npx playwright test`;
}

import { expect, test } from '@playwright/test';
import { markup } from '../../../src/report/markup';

test('a template of markup escapes text, and its own line breaks are layout', () => {
  const rows = ['<b>', 'a & b'].map((text) => markup`<td>${text}</td>`);
  const row = markup`
    <tr class="${'"x"'}">
      ${rows}
      ${false}${null}${undefined}
    </tr>\n
    <pre>${'\n  kept'}</pre>`;
  expect(row.source).toBe('<tr class="&quot;x&quot;"><td>&lt;b&gt;</td><td>a &amp; b</td></tr>\n<pre>\n  kept</pre>');
});

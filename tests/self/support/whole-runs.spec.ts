/** What other tests trust: their search for leaks finds what it is to find. */
import { gzipSync } from 'node:zlib';
import { expect, test } from '@playwright/test';
import { zipSync } from 'fflate';
import { formsOf, leaksIn, needlesOf, SECRETS } from './leaks';

test('the search finds what it is to find, wherever it is packed', () => {
  const needles = needlesOf(SECRETS);
  const zip = (content: Buffer) => Buffer.from(zipSync({ content }));
  const page = (content: Buffer) =>
    `<script>x="data:application/zip;base64,${zip(content).toString('base64')}"</script>`;
  for (const pack of [(content: Buffer) => content, gzipSync, zip, (content: Buffer) => Buffer.from(page(content))]) {
    expect(leaksIn(pack(Buffer.from('nothing of the kind '.repeat(9))), 'x', needles)).toEqual([]);
    for (const [form, text] of Object.values(SECRETS).flatMap((secret) => [...formsOf(secret)])) {
      const content = Buffer.concat([Buffer.from('some text before it, long enough to be packed '), text]);
      expect(leaksIn(pack(content), 'x', needles), form).not.toEqual([]);
    }
  }
});

/** What other tests trust: what they start ends with them, and their search for leaks finds what it is to find. */
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from '@playwright/test';
import { zipSync } from 'fflate';
import { formsOf, leaksIn, needlesOf, SECRETS } from './leaks';
import { freshDirectory, ROOT, startProcess } from './whole-runs';

test('a process ends with the one that started it, and so does what it has started itself', async () => {
  const waits = `setInterval(() => undefined, 1000)`;
  const starts = `const { pid } = require('node:child_process').spawn(process.execPath, ['-e', '${waits}']);
    console.log(process.pid + ' ' + pid); ${waits};`;
  const program = `require('tsx/cjs');
    const { startProcess } = require(${JSON.stringify(join(__dirname, 'whole-runs.ts'))});
    const { child } = startProcess(process.execPath, ['-e', ${JSON.stringify(starts)}], { cwd: '.', env: process.env });
    child.stdout.on('data', (text) => { console.log(String(text)); process.exit(); });`;
  const env = { ...process.env, TMPDIR: freshDirectory() };
  const { output } = await startProcess(process.execPath, ['-e', program], { cwd: ROOT, env }).ended;
  const started = output.match(/\d+/g)?.map(Number) ?? [];
  expect(started, output).toHaveLength(2);
  const isRunning = (pid: number) => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };
  await expect.poll(() => started.filter(isRunning)).toEqual([]);
});

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

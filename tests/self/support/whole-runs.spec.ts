/** What tests start ends with them. */
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
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

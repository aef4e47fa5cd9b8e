/** Many runs in one process, as UI mode and VS Code have them: each judges what the server does now. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { clauseTexts } from '../../../src/contract/clauses';
import type { Conformance } from '../../../src/contract/result';
import type { Har } from '../../../src/evidence/har/write';
import type { Answer, Bend, Call } from '../../../src/reference/behaviour';
import { ALL } from '../level';
import { masking } from '../support/bends';
import { startTestServer, type TestServer } from '../support/test-server';
import { served } from '../support/whole-runs';

test.describe.configure({ mode: 'parallel' });
const ONE = 'settings\\.password-null';
/** A bend that breaks the server whenever its switch is on. */
function switched(): Bend & { isBroken: boolean } {
  const fault: Bend & { isBroken: boolean } = {
    name: 'switched',
    isBroken: true,
    bend: (behaviour) => {
      const broken = { ...behaviour, ...masking.bend?.(behaviour) };
      return {
        document: (account, call) => (fault.isBroken ? broken : behaviour).document(account, call),
        serialise: (document, call) => (fault.isBroken ? broken : behaviour).serialise(document, call),
      };
    },
  };
  return fault;
}

/** Once it is told to hold answers, it does so after the next three, until it is opened. */
function gated() {
  let from = Number.POSITIVE_INFINITY;
  let open = (): void => undefined;
  let reached = (): void => undefined;
  const isOpen = new Promise<void>((resolve) => {
    open = resolve;
  });
  const isReached = new Promise<void>((resolve) => {
    reached = resolve;
  });
  const gate = {
    name: 'gated',
    count: 0,
    isReached,
    open: () => open(),
    hold: () => {
      from = gate.count + 4;
    },
    bend: () => ({
      around: async (_: Call, answer: () => Promise<Answer>) => {
        gate.count += 1;
        if (gate.count >= from) {
          reached();
          await isOpen;
        }
        return answer();
      },
    }),
  };
  return gate;
}

const resultOf = ({ results }: TestServer) =>
  JSON.parse(readFileSync(join(results, 'conformance.json'), 'utf8')) as Conformance;
const verdictIn = (server: TestServer) =>
  resultOf(server).clauses.find(({ id }) => id === 'settings.password-null')?.verdict;

test('each run begins afresh: a mended server passes, a broken one fails, no second run trips the limit, and stop ends the sending', async () => {
  const fault = switched();
  const { file, close } = await served({ bends: [fault] });
  const server = await startTestServer({ TARGET: file });
  const statuses: Array<[string, string | undefined]> = [];
  for (const isBroken of [true, false, true]) {
    fault.isBroken = isBroken;
    statuses.push([await server.run(ONE), verdictIn(server)]);
    const { log } = JSON.parse(readFileSync(join(server.results, 'evidence.har'), 'utf8')) as Har;
    expect(log.entries.map((entry) => entry.response.status)).toEqual([200, 200, 200, 200]);
  }
  expect(statuses).toEqual([
    ['failed', 'fail'],
    ['passed', 'pass'],
    ['failed', 'fail'],
  ]);
  // A tool that shows results itself may leave out our reporter, and nothing passes unjudged.
  expect(await server.run(ONE, { disableConfigReporters: true })).toBe('failed');
  await close();

  // The example of an own test passes, too. The target is another one from here on.
  const gate = gated();
  const held = await served({ bends: [gate], target: { limits: { timeoutSeconds: 60 } } });
  writeFileSync(file, readFileSync(held.file));
  expect(await server.setUp()).toBe('');
  expect(await server.run('nobody reads settings')).toBe('passed');
  gate.hold();
  const running = server.run('@rate');
  // As long as an answer is held, nothing can be complete, however slow this machine is.
  await gate.isReached;
  await server.stop();
  expect(await running).toBe('interrupted');
  expect(resultOf(server).clauses.map(({ verdict }) => verdict)).toEqual(clauseTexts.map(() => 'not-tested'));
  const before = gate.count;
  gate.open();
  // Each account had its next turn within a second; the process answers, so it was not merely kept from sending.
  await new Promise((resolve) => setTimeout(resolve, 1500));
  await server.answers();
  expect(gate.count).toBe(before);
  await server.close();
  await held.close();
});

test('a run that is stopped while it loads leaves the next one its reporter', { tag: ALL }, async () => {
  const { file, close } = await served();
  const server = await startTestServer({ TARGET: file });
  // It is stopped before it loads, and while it does.
  for (const afterMs of [0, 10, 100]) {
    const running = server.run(ONE);
    await new Promise((resolve) => setTimeout(resolve, afterMs));
    await server.stop();
    await running;
  }
  expect(await server.run(ONE)).toBe('passed');
  expect(verdictIn(server)).toBe('pass');
  await server.close();
  await close();
});

test('settings that were spoilt and mended between runs: nothing is judged by the old ones', { tag: ALL }, async () => {
  const { file, close } = await served();
  const declared = readFileSync(file, 'utf8');
  const server = await startTestServer({ TARGET: file });
  expect(await server.run(ONE)).toBe('passed');
  writeFileSync(file, declared.replace('accounts', 'acounts'));
  expect(await server.setUp()).toContain('target.yaml:1: accounts: missing');
  expect(await server.run(ONE)).toBe('failed');
  expect(verdictIn(server)).toBe('not-tested');
  writeFileSync(file, declared);
  expect(await server.setUp()).toBe('');
  expect(await server.run(ONE)).toBe('passed');
  await server.close();
  await close();
});

test('the embedded server can be judged again, notifications included', { tag: ALL }, async () => {
  const server = await startTestServer({});
  for (const _ of [1, 2]) {
    expect(await server.run('event\\.enabled-sent')).toBe('passed');
    expect(resultOf(server).clauses.find(({ id }) => id === 'event.enabled-sent')?.verdict).toBe('pass');
  }
  // However many runs there are, what each has set up does not add up.
  for (let i = 0; i < 12; i += 1) await server.run('no such clause');
  expect(await server.close()).not.toContain('Warning');
});

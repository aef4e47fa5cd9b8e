/** What the suite does not ask of the reference server, which it runs against: other paths, the trigger, the end. */
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { expect, test } from '@playwright/test';
import { combine, faults } from '../../../fixtures/catalogue';
import { endServer, listenOn } from '../../../src/common/listening';
import { embeddedAccounts } from '../../../src/reference/account';
import { type Reference, type ReferenceOptions, startReference } from '../../../src/reference/server';

const VALID = embeddedAccounts()[0]?.apiKey;

async function serving(options: ReferenceOptions, use: (reference: Reference) => Promise<void>): Promise<void> {
  const reference = await startReference(options);
  try {
    await use(reference);
  } finally {
    await reference.close();
  }
}

const get = (url: string, apiKey?: string, method = 'GET') =>
  fetch(url, { method, headers: apiKey === undefined ? {} : { apiKey }, redirect: 'manual' });

/** A receiver that counts the requests. */
async function receiving(use: (base: string, count: () => number) => Promise<void>) {
  let count = 0;
  const server = createServer((_request, response) => {
    count += 1;
    response.end();
  });
  try {
    await use(`http://127.0.0.1:${await listenOn(server)}`, () => count);
  } finally {
    await endServer(server);
  }
}

test('is triggered over HTTP by whoever knows the token, and by nobody else', async () => {
  await receiving(async (receiverBase, count) => {
    await serving({ receiverBase }, async ({ triggerURL, triggerToken }) => {
      const trigger = (query: string, token: string) =>
        fetch(`${triggerURL}?${query}`, { method: 'POST', headers: { 'X-Trigger-Token': token } });
      expect((await trigger('kind=start&account=with-password', 'guess')).status).toBe(401);
      expect(count()).toBe(0);
      expect((await trigger('kind=start&account=with-password', triggerToken)).status).toBe(204);
      expect(count()).toBe(1);
      expect((await trigger('kind=finish&account=with-password', triggerToken)).status).toBe(400);
    });
  });
});

test('a receiver that is not there does not disturb it', async () => {
  await serving({ receiverBase: 'http://127.0.0.1:9' }, async (reference) => {
    await reference.trigger('start', 'with-password');
    expect((await get(`${reference.baseURL}/`, VALID)).status).toBe(200);
  });
});

test('closes at once, whatever is under way', async () => {
  const hanging = faults.filter(({ name }) => name === 'never-answered');
  const reference = await startReference({ bends: hanging });
  const asked = get(`${reference.baseURL}/webhooks`, VALID).catch(() => 'cut');
  const idle = connect(Number(new URL(reference.origin).port), '127.0.0.1');
  idle.on('error', () => {});
  await new Promise((resolve) => idle.once('connect', resolve));
  await reference.close();
  expect(await asked).toBe('cut');
  await expect(get(`${reference.baseURL}/`)).rejects.toThrow();
});

test('a seed makes the same combination again, of one dialect for each axis', () => {
  const axes = (seed: number) => combine(seed).dialects.map(({ axis }) => axis);
  for (let seed = 0; seed < 200; seed++) {
    expect(combine(seed)).toEqual(combine(seed));
    expect(new Set(axes(seed)).size).toBe(axes(seed).length);
  }
  expect(new Set(Array.from({ length: 200 }, (_, seed) => JSON.stringify(combine(seed).dialects))).size).toBe(200);
});

/** What the suite does not ask of the reference server, which it runs against: other paths, the trigger, the end. */
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { expect, test } from '@playwright/test';
import { endServer, listenOn } from '../../../src/common/suite';
import { startReference } from '../../../src/reference/server';
import { serverNamed } from '../support/simulation';

test('is triggered over HTTP by whoever knows the token, and by nobody else', async () => {
  let count = 0;
  const receiver = createServer((_request, response) => {
    count += 1;
    response.end();
  });
  const receiverBase = `http://127.0.0.1:${await listenOn(receiver)}`;
  const { triggerURL, triggerToken, close } = await startReference({ receiverBase });
  const trigger = async (kind: string, token: string) => {
    const query = `kind=${kind}&account=with-password`;
    return (await fetch(`${triggerURL}?${query}`, { method: 'POST', headers: { 'X-Trigger-Token': token } })).status;
  };
  expect([await trigger('start', 'guess'), count]).toEqual([401, 0]);
  expect([await trigger('start', triggerToken), count]).toEqual([204, 1]);
  expect(await trigger('finish', triggerToken)).toBe(400);
  await close();
  await endServer(receiver);
});

test('closes at once, whatever is under way', async () => {
  const reference = await startReference({ bends: [serverNamed('never-answered')] });
  const asked = fetch(`${reference.baseURL}/webhooks`).catch(() => 'cut');
  const idle = connect(Number(new URL(reference.origin).port), '127.0.0.1');
  idle.on('error', () => {});
  await new Promise((resolve) => idle.once('connect', resolve));
  await reference.close();
  expect(await asked).toBe('cut');
  await expect(fetch(reference.baseURL)).rejects.toThrow();
});

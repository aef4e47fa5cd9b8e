/** The reference server without bends, and that it starts and stops with each bend. */
import { createServer, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from '@playwright/test';
import { combine, faults } from '../../../fixtures/catalogue';
import { endServer, listenOn } from '../../../src/common/listening';
import { embeddedAccounts } from '../../../src/reference/account';
import { type Reference, type ReferenceOptions, startReference } from '../../../src/reference/server';

const [first, second] = embeddedAccounts();
if (!first || !second) throw new Error('The embedded server has two accounts and more.');
const VALID = first.apiKey;
const OTHER = second.apiKey;

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

test('serves the settings without the stored password', async () => {
  await serving({}, async ({ baseURL, accounts }) => {
    for (const account of accounts) {
      const response = await get(`${baseURL}/webhooks`, account.apiKey);
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe('application/json');
      expect(response.headers.get('cache-control')).toBe('no-store');
      const { webhook } = (await response.json()) as { webhook: Record<string, unknown> };
      expect(webhook).toEqual({
        ...account.settings,
        auth: {
          ...account.settings.auth,
          basic: { ...account.settings.auth.basic, password: null, hasPassword: account.password !== null },
        },
      });
    }
  });
});

test('rejects whoever has no valid key, on every path and with every method', async () => {
  await serving({}, async ({ baseURL, origin }) => {
    const keys = [undefined, '', 'x', VALID.slice(0, -1), `${VALID}x`, VALID.toLowerCase()];
    const urls = [`${baseURL}/webhooks`, `${baseURL}/`, `${origin}/`, `${origin}/trigger`, `${baseURL}/nothing`];
    for (const key of keys) {
      for (const url of urls) {
        const response = await get(url, key, 'POST');
        expect(response.status, `${key} on ${url}`).toBe(401);
        expect(response.headers.get('www-authenticate')).toMatch(/^ApiKey /);
        expect(response.headers.has('x-ratelimit-limit')).toBe(false);
      }
    }
  });
});

test('knows the two resources below its base path, for reading, and nothing else', async () => {
  await serving({ rate: { requests: 100, seconds: 1 } }, async ({ baseURL, origin }) => {
    expect((await get(`${baseURL}/`, VALID)).status).toBe(200);
    const head = await get(`${baseURL}/webhooks`, VALID, 'HEAD');
    expect(head.status).toBe(200);
    expect(Number(head.headers.get('content-length'))).toBeGreaterThan(100);
    const post = await get(`${baseURL}/webhooks`, VALID, 'POST');
    expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    for (const path of ['/api/v1/webhooks', '/api/v999/webhooks', '/api/webhooks', '/webhooks', '/api/v2/webhooks/']) {
      expect((await get(origin + path, VALID)).status, path).toBe(404);
    }
  });
});

test('counts requests by account, over all paths, and keyless ones for nobody', async () => {
  await serving({ rate: { requests: 2, seconds: 60 } }, async ({ baseURL }) => {
    const said = async (path: string, key?: string) => {
      const response = await get(baseURL + path, key);
      const { headers } = response;
      return [response.status, headers.get('x-ratelimit-limit'), headers.get('x-ratelimit-remaining')];
    };
    expect(await said('/webhooks')).toEqual([401, null, null]);
    expect(await said('/webhooks', VALID)).toEqual([200, '2', '1']);
    expect(await said('/nothing', VALID)).toEqual([404, '2', '0']);
    expect(await said('/', VALID)).toEqual([429, '2', '0']);
    expect(await said('/webhooks', OTHER)).toEqual([200, '2', '1']);
  });
});

test('a refusal names the moment from which requests pass again', async () => {
  await serving({ rate: { requests: 1, seconds: 1 } }, async ({ baseURL }) => {
    // At once: on a busy machine a second request may come a window later.
    const answers = await Promise.all([1, 2].map(() => get(`${baseURL}/webhooks`, VALID)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 429]);
    const refusal = answers.find(({ status }) => status === 429) as Response;
    expect(refusal.headers.get('retry-after')).toBe('1');
    const ahead =
      Number(refusal.headers.get('x-ratelimit-reset')) - Date.parse(refusal.headers.get('date') ?? '') / 1000;
    expect(ahead).toBeGreaterThanOrEqual(0);
    expect(ahead).toBeLessThanOrEqual(2);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    expect((await get(`${baseURL}/webhooks`, VALID)).status).toBe(200);
  });
});

/** A receiver that keeps every request. */
async function receiving(
  use: (base: string, deliveries: { request: IncomingMessage; body: string }[]) => Promise<void>,
) {
  const deliveries: { request: IncomingMessage; body: string }[] = [];
  const server = createServer(async (request, response) => {
    deliveries.push({ request, body: await text(request) });
    response.end();
  });
  try {
    await use(`http://127.0.0.1:${await listenOn(server)}`, deliveries);
  } finally {
    await endServer(server);
  }
}

test('sends the kinds that are on to their own urls, with the credentials that auth asks for', async () => {
  await receiving(async (receiverBase, deliveries) => {
    await serving({ receiverBase }, async (reference) => {
      for (const { name } of reference.accounts) {
        for (const kind of ['start', 'submission', 'updates']) await reference.trigger(kind, name);
      }
    });
    const withPassword = `Basic ${Buffer.from(`assessment-hooks:${first.password}`).toString('base64')}`;
    expect(
      deliveries.map(({ request }) => [
        request.method,
        request.url,
        request.headers.authorization ?? null,
        request.headers['x-receiver-key'] ?? null,
      ]),
    ).toEqual([
      ['POST', '/with-password/start?source=assessment&v=2', withPassword, null],
      ['POST', '/with-password/submission?source=assessment&v=2', withPassword, null],
      ['POST', '/with-password/updates', withPassword, null],
      ['POST', '/without-password/start?source=assessment&v=2', null, null],
      ['POST', '/without-password/updates', null, null],
      ['POST', '/api-key-scheme/submission?source=assessment&v=2', null, 'not-a-real-receiver-key-Qz7'],
    ]);
    for (const { body } of deliveries) expect(body).not.toContain('not-a-real');
  });
});

test('is triggered over HTTP by whoever knows the token, and by nobody else', async () => {
  await receiving(async (receiverBase, deliveries) => {
    await serving({ receiverBase }, async ({ triggerURL, triggerToken }) => {
      const trigger = (query: string, token: string) =>
        fetch(`${triggerURL}?${query}`, { method: 'POST', headers: { 'X-Trigger-Token': token } });
      expect((await trigger('kind=start&account=with-password', 'guess')).status).toBe(401);
      expect(deliveries).toHaveLength(0);
      expect((await trigger('kind=start&account=with-password', triggerToken)).status).toBe(204);
      expect(deliveries).toHaveLength(1);
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

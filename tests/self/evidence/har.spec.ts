/** Evidence stands in a HAR as it was recorded, and comes back from it as it was. */
import { expect, test } from '@playwright/test';
import { probe } from '../../../src/catalogue/catalogue';
import { UsageError } from '../../../src/common/errors';
import type { HarExchange } from '../../../src/evidence/har';
import { fromHar } from '../../../src/evidence/har';
import type { Evidence } from '../../../src/evidence/model';
import { BASE, evidenceOf, exchangeOf, harTextOf, toHar } from '../support/evidence-of';
import { replacedAt } from '../support/schemas';

const FIGURES = { durationMs: 5000, waitedMs: 1200, error: null };
const BYTES = Buffer.from([0xff, 0x00, 0xfe]);
const binary = { body: BYTES.toString('base64'), bodyEncoding: 'base64' as const };

/** A run with something of each kind: two deliveries stand between its exchanges. */
function everything(): Evidence {
  const url = `${BASE}/webhooks?a=1&b=%20x`;
  const [page, sent] = [
    { body: 'é', bodyEncoding: 'utf8' as const },
    { body: '{"a":1}', bodyEncoding: 'utf8' as const },
  ];
  const type = ['content-type', 'text/plain; charset=utf-8'] as const;
  const answer = { status: 302, statusText: 'Found', headers: [type, ['Location', '/login']] as const };
  const delivery = { method: 'POST', headers: [type], truncated: false, receivedAtMs: 1500, basic: [] };
  const exchanges = [
    {
      ...exchangeOf({ index: 0, sentAtMs: 250, receivedAtMs: 300.5, connection: 0 }),
      response: { ...answer, ...page, aside: [['Link', '</a>']] as const },
    },
    {
      ...exchangeOf({ index: 2, account: null, connection: 7 }),
      response: null,
      fault: { kind: 'reset' as const, message: 'was reset' },
    },
    {
      ...exchangeOf({ index: 4, sentAtMs: 3000, receivedAtMs: 3001, connection: 2, resent: true }),
      response: { ...answer, headers: [], ...binary },
    },
    exchangeOf({
      index: 5,
      request: { method: 'POST', url, headers: [type], body: sent },
      probe: probe('missing-key'),
      connection: 3,
    }),
  ];
  return {
    ...evidenceOf([]),
    exchanges,
    notSent: [{ probe: probe('alive'), reason: 'RISKY_PROBES is off' }],
    deliveries: [
      { index: 1, path: '/hooks/start?x=1', ...page, ...delivery, basic: [{ username: 'alice', password: 'null' }] },
      { index: 3, path: '*', ...binary, ...delivery, truncated: true },
    ],
  };
}

test('evidence that is written is read again as it was', () => {
  const evidence = everything();
  const read = fromHar(harTextOf(evidence, FIGURES), 'some.har');
  expect(read.evidence).toEqual(evidence);
  expect(read).toMatchObject(FIGURES);
  expect(fromHar(harTextOf(evidence, { ...FIGURES, error: 'It was down.' }), 'some.har').error).toBe('It was down.');
});

test('the text is the HAR, indented, with or without entries', () => {
  const none = { ...everything(), exchanges: [], deliveries: [] };
  const single = { ...none, exchanges: everything().exchanges.slice(0, 1) };
  for (const evidence of [none, single, everything()])
    expect(harTextOf(evidence, FIGURES)).toBe(`${JSON.stringify(toHar(evidence, FIGURES), null, 1)}\n`);
});

test('an entry holds what the developer tools of a browser show', () => {
  const { entries } = toHar(everything(), FIGURES).log;
  expect(entries.map((entry) => [entry._probe, entry.connection, entry._answered])).toEqual([
    ['read/alice', '0', true],
    ['delivery', '', true],
    ['read/alice', '7', false],
    ['delivery', '', true],
    ['read/alice', '2', true],
    ['missing-key', '3', true],
  ]);
  const [first, delivered, reset, odd, bytes, posted] = entries;
  expect(first).toMatchObject({ startedDateTime: '2026-06-15T00:00:00.250Z', time: 50.5, timings: { wait: 50.5 } });
  expect(first?.response).toMatchObject({
    status: 302,
    redirectURL: '/login',
    _aside: [{ name: 'Link', value: '</a>' }],
  });
  expect(first?.response.content).toEqual({ size: 2, mimeType: 'text/plain; charset=utf-8', text: 'é' });
  expect(first?.request).toMatchObject({ method: 'GET', queryString: [], bodySize: 0 });
  expect(first?.request).not.toHaveProperty('postData');
  expect(delivered?.request).toMatchObject({ url: 'http://receiver.invalid/hooks/start?x=1', bodySize: 2 });
  expect(delivered?.request.postData).not.toHaveProperty('_encoding');
  expect(reset?.response).toMatchObject({ status: 0, statusText: '', content: { size: 0, mimeType: 'x-unknown' } });
  expect(reset?.response).not.toHaveProperty('_aside');
  expect(odd?.request).toMatchObject({
    url: 'http://receiver.invalid/',
    bodySize: 3,
    postData: { _encoding: 'base64' },
  });
  expect(bytes?.response.content).toMatchObject({ size: 3, encoding: 'base64' });
  expect([reset, bytes].map((entry) => (entry as HarExchange)._resent)).toEqual([undefined, true]);
  expect(posted?.request.queryString).toEqual([
    { name: 'a', value: '1' },
    { name: 'b', value: ' x' },
  ]);
  expect(posted?.request.postData).toMatchObject({ mimeType: 'text/plain; charset=utf-8', text: '{"a":1}' });
});

test('the run is the one page of its HAR, without which some browsers open none', () => {
  const evidence = everything();
  const { startedAtEpochMs, target } = evidence;
  const startedDateTime = new Date(startedAtEpochMs).toISOString();
  const page = { startedDateTime, id: 'run', title: target.name, pageTimings: {} };
  expect(toHar(evidence, FIGURES).log.pages).toEqual([page]);
});

const ENTRY = '/log/entries/2';

for (const [what, place, value] of [
  ['another version', '/log/version', '1.1'],
  ['no creator', '/log/creator', undefined],
  ['no accounts', '/log/_target/accounts', []],
  ['no address', '/log/_target/baseURL', 'nowhere'],
  ['an unknown probe', `${ENTRY}/_probe`, 'nothing'],
  ['an answer before its request', `${ENTRY}/_receivedAtMs`, -0.5],
  ['no usable rate', '/log/_target/rate/seconds', 'a-secret'],
  ['a delivery without a path', '/log/entries/0/_delivery', true],
] as const)
  test(`a HAR is refused that has ${what}`, () => {
    const har = JSON.stringify(replacedAt(toHar(everything(), FIGURES), place, value));
    const reading = () => fromHar(har, 'some.har');
    const why = what === 'no accounts' ? /nothing is recorded in it/ : /it is not as a run of this suite writes it/;
    expect(reading).toThrow(UsageError);
    expect(reading).toThrow(why);
  });

test('a text that was cut, or is nested too deeply, is refused', () => {
  const text = harTextOf(everything(), FIGURES);
  expect(() => fromHar(text.slice(0, -20), 'some.har')).toThrow('some.har cannot be read: it is not whole JSON');
  const deep = `{"log":${'['.repeat(1000)}${']'.repeat(1000)}}`;
  expect(() => fromHar(deep, 'some.har')).toThrow(/^some\.har cannot be read: it is nested more than/);
});

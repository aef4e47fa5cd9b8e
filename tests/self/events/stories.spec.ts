import { createServer } from 'node:http';
import { expect, test } from '@playwright/test';
import { allRules, type InProcessRun } from '../../../scripts/matrix/in-process';
import { probe } from '../../../src/catalogue/probe';
import { listenOn } from '../../../src/common/listening';
import { targetOf } from '../../../src/config/declaration';
import type { RawDelivery } from '../../../src/config/receiver';
import type { Target } from '../../../src/config/target';
import { configuredIn } from '../../../src/events/addresses';
import { startReceiver } from '../../../src/events/receiver';
import { openEvents } from '../../../src/events/triggers';
import type { Kind } from '../../../src/evidence/model';
import { type Judgement, judgementOf } from '../../../src/judge/verdict';
import { observationsOf } from '../../../src/profiles/profiles';
import { Recorder } from '../../../src/recorder/recorder';
import { messageOf } from '../../../src/report/breach/message';

const isEvent = (id: string) => id.startsWith('event.');

function verdictsOf({ judgements }: Pick<InProcessRun, 'judgements'>): Record<string, string> {
  return Object.fromEntries(judgements.map(({ id, verdict }) => [id.replace('event.', ''), verdict]));
}

function broken(judgements: readonly Judgement[]): string[] {
  return judgements.filter(({ verdict }) => verdict === 'fail' || verdict === 'warn').map(({ id }) => id);
}

test.describe('the judges', () => {
  const PASSWORD = 'a-stored:päss-word';
  const URLS = { start: '/hook/start?a=%2F&b=c%20d', submission: '/hook/submission', updates: '/hook/updates' };

  interface Story {
    /** Members of the `webhook` object. */
    settings?: object;
    password?: string | null;
    /** What arrives after a trigger; `afterMs` defaults to 20. */
    sends: (kind: Kind) => Array<Partial<RawDelivery> & { afterMs?: number }>;
  }

  const rightly = (kind: Kind) => (kind === 'updates' ? [] : [{ path: URLS[kind] }]);
  const basic = (text: string, encoding: BufferEncoding = 'utf8'): Partial<RawDelivery> => ({
    headers: [['Authorization', `Basic ${Buffer.from(text, encoding).toString('base64')}`]],
  });

  /** Runs a story through the real recorder, on a simulated clock. */
  async function told({ settings = {}, password = PASSWORD, sends }: Story) {
    const receiver = await startReceiver('127.0.0.1:0');
    const webhook = {
      start: { status: true, url: `https://tunnel.example${URLS.start}` },
      submission: { status: true, url: `https://tunnel.example${URLS.submission}` },
      updates: { status: false, url: `https://tunnel.example${URLS.updates}` },
      auth: {
        status: false,
        type: 'basic',
        basic: { username: 'Zoë', password: null, hasPassword: true },
        apikey: { header: null, apikey: null },
      },
      ...settings,
    };
    const api = createServer((_, response) =>
      response.setHeader('Connection', 'close').end(JSON.stringify({ webhook })),
    );
    const baseURL = `http://127.0.0.1:${await listenOn(api)}/api/v2`;
    const waiting: Promise<void>[] = [];
    const deliver = (recorder: Recorder, { afterMs = 20, ...raw }: Partial<RawDelivery> & { afterMs?: number }) => {
      waiting.push(
        new Promise((resolve) =>
          setTimeout(() => {
            recorder.receive({
              method: 'POST',
              path: '/',
              headers: [],
              body: Buffer.from('{}'),
              truncated: false,
              ...raw,
            });
            resolve();
          }, afterMs),
        ),
      );
    };
    const account = { name: 'zoe', apiKey: 'key-of-zoe-0123456789', ...(password === null ? {} : { password }) };
    const target: Target = {
      ...targetOf({ baseURL, accounts: [account] }, 'story'),
      notifications: {
        listen: '127.0.0.1:0',
        accounts: ['zoe'],
        waitSeconds: 0.4,
        receiver,
        trigger: async (kind) => {
          for (const delivery of sends(kind)) deliver(recorder, delivery);
        },
      },
    };
    const recorder = new Recorder(target, { insecureTls: false, riskyProbes: false, environment: {} });
    const events = await openEvents(recorder);
    await recorder.send({
      probe: probe('read', { account: 'zoe' }),
      account: 'zoe',
      path: '/webhooks',
      headers: [['apiKey', '[secret:apiKey:zoe]']],
    });
    await events?.conduct();
    await Promise.all(waiting);
    await events?.close();
    api.close();
    const evidence = recorder.evidence();
    const clauses = allRules.filter(({ id }) => isEvent(id));
    const judgements = clauses.map(({ id, judge }) => judgementOf(id, judge(evidence), evidence, '2026-01-01'));
    return { evidence, judgements, broken: broken(judgements), verdicts: verdictsOf({ judgements }) };
  }

  const reasonOf = (judgements: readonly Judgement[], id: string) =>
    judgements.find((judgement) => judgement.id === id)?.reason;

  const on = (type: string, more: object = {}) => ({
    auth: {
      status: true,
      type,
      basic: { username: 'Zoë', password: null, hasPassword: true },
      apikey: { header: null, apikey: null },
      ...more,
    },
  });

  test('take a url in another spelling for the same, and another query for another', async () => {
    const same = await told({
      sends: (kind) => (kind === 'start' ? [{ path: '/hook/st%61rt?a=/&b=c+d' }] : rightly(kind)),
    });
    expect(same.broken).toEqual([]);
    const other = await told({
      sends: (kind) => (kind === 'start' ? [{ path: '/hook/start?a=%2F&b=c' }] : rightly(kind)),
    });
    expect(other.broken).toEqual(['event.own-url']);
  });

  test('take a repeated notification for a retry, whatever it says', async () => {
    const { broken: found, evidence } = await told({
      sends: (kind) =>
        rightly(kind).flatMap((delivery) => [
          delivery,
          { ...delivery, afterMs: 60, body: Buffer.from('{"attempt":2}') },
        ]),
    });
    expect(found).toEqual([]);
    expect(observationsOf(evidence)['notification.retries']).toEqual([2]);
  });

  test('judge what is sent once more, however late, by its own credentials', async () => {
    /** What is sent of the start comes once more, without credentials, when the submission is triggered. */
    const sentTwice = (body: (kind: Kind) => string) => {
      const once = (kind: Kind) => rightly(kind).map((sent) => ({ ...sent, body: Buffer.from(body(kind)) }));
      const sends = (kind: Kind) => [
        ...once(kind).map((sent) => ({ ...sent, ...basic(`Zoë:${PASSWORD}`) })),
        ...(kind === 'submission' ? once('start') : []),
      ];
      return told({ settings: on('basic'), password: PASSWORD, sends });
    };
    expect((await sentTwice((kind) => `{"event":"${kind}"}`)).broken).toEqual(['event.basic-auth']);
    // What says the same as the notification of another kind may be a copy of that.
    expect((await sentTwice(() => '{"event":1}')).broken).toEqual([]);
  });

  test('tell a kind that is off, sent along with another, from a copy at its url', async () => {
    const along = (body: string) =>
      told({
        sends: (kind) =>
          kind === 'start'
            ? [
                { path: URLS.start, body: Buffer.from('{"event":"start"}') },
                { path: URLS.updates, body: Buffer.from(body) },
              ]
            : rightly(kind),
      });
    expect((await along('{"event":"updates"}')).broken).toEqual(['event.disabled-silent']);
    expect((await along('{"event":"start"}')).broken).toEqual(['event.own-url']);
  });

  test('find a copy at the url of a kind that was not triggered yet', async () => {
    const {
      broken: found,
      judgements,
      evidence,
    } = await told({
      sends: (kind) => (kind === 'start' ? [{ path: URLS.start }, { path: URLS.submission }] : rightly(kind)),
    });
    expect(found).toEqual(['event.own-url']);
    const judgement = judgements.find(({ id }) => id === 'event.own-url');
    expect(judgement?.breaches.map(({ subject }) => subject.name)).toEqual(['POST /hook/submission']);
    expect(messageOf(judgement as Judgement, evidence)).toContain('  arrived  POST /hook/submission');
  });

  test('take what came to another url for misdirected, and only a copy of it for nothing', async () => {
    const moved = await told({
      sends: (kind) => rightly(kind).map(() => ({ path: URLS.start, body: Buffer.from(`{"kind":"${kind}"}`) })),
    });
    expect(moved.broken).toEqual(['event.own-url']);
    const repeated = await told({
      sends: (kind) => (kind === 'start' ? [{ path: URLS.start }, { path: URLS.start, afterMs: 150 }] : []),
    });
    expect(repeated.broken).toEqual(['event.enabled-sent']);
  });

  test('take a notification that another kind’s event led to for what it is, by what it says', async () => {
    const says = (kind: Kind, at: Kind, id = 1) => ({
      path: URLS[at],
      body: Buffer.from(`{"event":"${kind}","id":"n-${id}0","at":"2026-11-2${id}T10:00:0${id}Z"}`),
    });
    // Whatever is triggered, "submission" is sent as well.
    const led = await told({
      sends: (kind) =>
        kind === 'submission'
          ? [says(kind, kind)]
          : [...rightly(kind).map(() => says(kind, kind)), says('submission', 'submission', 2)],
    });
    expect(led.broken).toEqual([]);
    const copied = await told({
      sends: (kind) =>
        kind === 'start' ? [says(kind, kind), says(kind, 'submission', 2)] : rightly(kind).map(() => says(kind, kind)),
    });
    expect(copied.broken).toEqual(['event.own-url']);
    const copiedLater = await told({
      sends: (kind) => [
        ...rightly(kind).map(() => says(kind, kind)),
        ...(kind === 'submission' ? [says(kind, 'start', 2)] : []),
      ],
    });
    expect(copiedLater.broken).toEqual(['event.own-url']);
    const elsewhere = await told({
      sends: (kind) => (kind === 'updates' ? [says(kind, 'start')] : [says(kind, kind)]),
    });
    expect(elsewhere.broken).toEqual(['event.disabled-silent']);
  });

  test('tell of each misdirected notification where it went', async () => {
    const {
      broken: found,
      judgements,
      evidence,
    } = await told({
      settings: { updates: { status: true, url: `https://tunnel.example${URLS.updates}` } },
      sends: (kind) => [{ path: URLS.start, body: Buffer.from(kind) }],
    });
    expect(found).toEqual(['event.own-url']);
    const judgement = judgements.find(({ id }) => id === 'event.own-url');
    expect(messageOf(judgement as Judgement, evidence)).toContain(
      '"submission" of zoe: POST /hook/start?a=%2F&b=c%20d instead of /hook/submission',
    );
  });

  test('find what arrives too late', async () => {
    const { broken: found, judgements } = await told({
      sends: (kind) => rightly(kind).map((delivery) => ({ ...delivery, afterMs: kind === 'start' ? 1500 : 20 })),
    });
    expect(found).toEqual(['event.enabled-sent']);
    expect(reasonOf(judgements, 'event.enabled-sent')).toMatch(
      /^"start" of zoe: nothing at \/hook\/start\?a=\/&b=c d within 0\.4 s of the trigger/,
    );
  });

  test('find a kind that is off wherever it arrives', async () => {
    for (const path of [URLS.updates, URLS.start, '/elsewhere']) {
      const { broken: found } = await told({ sends: (kind) => (kind === 'updates' ? [{ path }] : rightly(kind)) });
      expect(found).toEqual(['event.disabled-silent']);
    }
  });

  test('do not take a stranger at the tunnel for the service', async () => {
    const knock: Partial<RawDelivery> = { method: 'GET', path: '/robots.txt', headers: [['User-Agent', 'bot']] };
    const { broken: found } = await told({ sends: (kind) => [...rightly(kind), knock] });
    expect(found).toEqual([]);
  });

  test('do not take a stranger with the service’s User-Agent for it, and its own copies they do', async () => {
    const agent: Partial<RawDelivery> = {
      headers: [
        ['User-Agent', 'axios/1.7'],
        ['Content-Type', 'application/json'],
      ],
    };
    const bodyOf = (text: string) => ({ ...agent, body: Buffer.from(text) });
    const own = '{"event":"start","examId":7,"at":"2026-01-02"}';
    const sends = (copy: Partial<RawDelivery>) => (kind: Kind) => [
      ...rightly(kind).map((delivery) => ({ ...delivery, ...bodyOf(own) })),
      ...(kind === 'start' ? [{ path: '/elsewhere', ...copy }] : []),
    ];
    for (const stranger of [
      '{"ref":"refs/heads/main","commits":[]}',
      'hello',
      '',
      '[]',
      '{"event":1,"a":2,"b":3,"c":4,"d":5}',
    ])
      expect((await told({ sends: sends(bodyOf(stranger)) })).broken, stranger).toEqual([]);
    expect((await told({ sends: sends({ ...bodyOf(own), headers: [['User-Agent', 'axios/1.7']] }) })).broken).toEqual(
      [],
    );
    for (const copy of [own, '{"event":"start","examId":8,"at":"2026-01-03","more":1}'])
      expect((await told({ sends: sends(bodyOf(copy)) })).broken, copy).toEqual(['event.own-url']);
  });

  test('compare payloads of a megabyte without a digit, one of them at another kind’s url', async () => {
    const body = Buffer.from('x'.repeat(1_048_000));
    const { broken: found } = await told({
      sends: (kind) =>
        [...rightly(kind), ...(kind === 'start' ? [{ path: URLS.submission }] : [])].map((delivery) => ({
          ...delivery,
          body,
        })),
    });
    expect(found).toEqual(['event.own-url']);
  });

  test('compare Basic credentials byte by byte, in either encoding', async () => {
    const sending = (credentials: Partial<RawDelivery>): Story => ({
      settings: on('basic'),
      sends: (kind) => rightly(kind).map((delivery) => ({ ...delivery, ...credentials })),
    });
    expect((await told(sending(basic(`Zoë:${PASSWORD}`)))).verdicts['basic-auth']).toBe('pass');
    expect((await told(sending(basic(`Zoë:${PASSWORD}`, 'latin1')))).verdicts['basic-auth']).toBe('pass');
    const wrong: Array<[string, RegExp]> = [
      [`Zoe:${PASSWORD}`, /another username/],
      [`Zoë:${PASSWORD}x`, /another password/],
      ['Zoë:', /without a password/],
      ['Zoë:null', /the word "null"/],
      [PASSWORD, /another username/],
      ['Zoë', /without the base64 of username:password/],
    ];
    for (const [text, reason] of wrong) {
      const { broken: found, judgements, evidence } = await told(sending(basic(text)));
      expect(found).toEqual(['event.basic-auth']);
      expect(reasonOf(judgements, 'event.basic-auth')).toMatch(reason);
      expect(JSON.stringify(evidence)).not.toContain(Buffer.from(text).toString('base64').replace(/=+$/, ''));
    }
    const twice = basic(`Zoë:${PASSWORD}`).headers ?? [];
    const { broken: found } = await told(sending({ headers: [...twice, ...twice] }));
    expect(found).toEqual(['event.basic-auth']);
  });

  test('say what they could check of a password that is not declared, and keep it to themselves', async () => {
    const sending = (text: string): Story => ({
      settings: on('basic'),
      password: null,
      sends: (kind) =>
        rightly(kind).map((delivery) => ({
          ...delivery,
          ...basic(text),
          body: Buffer.from('{"pw":"never-declared-1"}'),
        })),
    });
    const { judgements, verdicts, evidence } = await told(sending('Zoë:never-declared-1'));
    expect(verdicts).toMatchObject({ 'basic-auth': 'not-tested', 'no-credentials-in-payload': 'pass' });
    expect(reasonOf(judgements, 'event.basic-auth')).toMatch(
      /^Basic credentials with the configured username came for zoe; .* declare `password`\.$/,
    );
    const text = JSON.stringify(evidence);
    expect(text).not.toContain('never-declared-1');
    expect(text).not.toContain(Buffer.from('Zoë:never-declared-1').toString('base64'));
    expect(text).toContain('Basic [secret:password:(undeclared)');
    const short = JSON.stringify((await told(sending('Zoë:abc123'))).evidence.deliveries);
    expect(short).toContain('Basic [secret:password:(undeclared)]');
    expect(short).not.toContain(Buffer.from('Zoë:abc123').toString('base64'));
    expect((await told(sending('Bob:never-declared-1'))).broken).toEqual(['event.basic-auth']);
    expect((await told(sending('Zoë:undefined'))).broken).toEqual(['event.basic-auth']);
  });

  test('want the key in the header that the API names, in any letter case, once', async () => {
    const sending = (
      headers: RawDelivery['headers'],
      apikey: object = { header: 'X-Key', apikey: 'key/of"receiver' },
    ) =>
      told({
        settings: on('apiKey', { apikey }),
        sends: (kind) => rightly(kind).map((delivery) => ({ ...delivery, headers })),
      });
    expect((await sending([['x-key', 'key/of"receiver']])).verdicts['apikey-auth']).toBe('pass');
    expect((await sending([['X-Key', '12345678']], { header: 'X-Key', apikey: 12345678 })).broken).toEqual([]);
    expect((await sending([['X-Key', 'key/of"receiver2']])).broken).toEqual(['event.apikey-auth']);
    expect((await sending([['X-API-Key', 'key/of"receiver']])).broken).toEqual(['event.apikey-auth']);
    const twice = await sending([
      ['X-Key', 'key/of"receiver'],
      ['X-Key', 'other'],
    ]);
    expect(twice.broken).toEqual(['event.apikey-auth']);
    const unset = await sending([], { header: null, apikey: null });
    expect(unset.verdicts['apikey-auth']).toBe('not-tested');
  });

  test('want no credentials while authentication is off, but those of the url itself', async () => {
    const sent: Story['sends'] = (kind) => rightly(kind).map((delivery) => ({ ...delivery, ...basic('ana:x') }));
    expect((await told({ sends: sent })).broken).toEqual(['event.auth-off']);
    const url = (path: string) => `https://ana:x@tunnel.example${path}`;
    const { broken: found } = await told({
      settings: {
        start: { status: true, url: url(URLS.start) },
        submission: { status: true, url: url(URLS.submission) },
      },
      sends: sent,
    });
    expect(found).toEqual([]);
  });

  test('look for credentials in url and payload, but not for those that the url is configured with', async () => {
    const leaking = (delivery: Partial<RawDelivery>): Story => ({
      sends: (kind) => rightly(kind).map((right) => ({ ...right, ...delivery })),
    });
    for (const body of [PASSWORD, `{"k":"key-of-zoe-0123456789"}`, Buffer.from(`Zoë:${PASSWORD}`).toString('base64')]) {
      const { broken: found, judgements } = await told(leaking({ body: Buffer.from(body) }));
      expect(found).toEqual(['event.no-credentials-in-payload']);
      expect(judgements.find(({ verdict }) => verdict === 'warn')?.evidence).not.toEqual([]);
    }
    const bytes = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(PASSWORD)]);
    expect((await told(leaking({ body: bytes }))).broken).toEqual(['event.no-credentials-in-payload']);
    const own = '/hook/key-of-zoe-0123456789';
    const configured = await told({
      settings: { start: { status: true, url: `https://tunnel.example${own}` } },
      sends: (kind) => (kind === 'start' ? [{ path: own }] : rightly(kind)),
    });
    expect(configured.broken).toEqual([]);
  });

  test('find a short password in a path no reason to take the path for another', async () => {
    const { broken: found, evidence } = await told({ password: 'hook', sends: rightly });
    expect(found).toEqual([]);
    expect(evidence.deliveries[0]?.path).toContain('[secret:password:zoe:word:part]');
    expect(
      (await told({ password: 'hook', sends: (kind) => rightly(kind).map(() => ({ path: '/hook/other' })) })).broken,
    ).toContain('event.own-url');
  });

  test('find no credential in a payload that says an ordinary word', async () => {
    const body = Buffer.from('{"state":"finished"}');
    const sends = (kind: Kind) => rightly(kind).map((delivery) => ({ ...delivery, body }));
    expect((await told({ password: 'finished', sends })).broken).toEqual([]);
  });

  test('judge nothing on settings that are not what is declared', async () => {
    const { evidence } = await told({ sends: rightly });
    expect(configuredIn(evidence, 'zoe')?.kinds.start?.enabled).toBe(true);
    const [facts] = evidence.target.accounts;
    const declared = { ...evidence.target, accounts: [{ ...facts, settings: { start: { status: false } } }] };
    expect(configuredIn({ ...evidence, target: declared } as typeof evidence, 'zoe')).toBeNull();
  });
});

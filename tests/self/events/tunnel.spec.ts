/** The way to the receiver, which the suite asks before anything is triggered, and where the trigger runs. */
import { createServer, type IncomingMessage, type RequestListener, request } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { type InProcessRun, runOn } from '../../../scripts/matrix/in-process';
import { nameOf } from '../../../src/catalogue/catalogue';
import type { Target } from '../../../src/config/target';
import { loadTarget } from '../../../src/config/target-file';
import { startReceiver } from '../../../src/events/receiver';
import { runCommand } from '../../../src/events/trigger';
import type { Behaviour, Bend } from '../../../src/reference/behaviour';
import { startReference } from '../../../src/reference/server';
import { targetOfReference } from '../../../src/run/recording';
import { selfSigned } from '../support/certificate';
import { judgedAgain } from '../support/evidence-of';
import { listening } from '../support/listening';
import { directoryWith, fileWith } from '../support/whole-runs';

const isEvent = (id: string) => id.startsWith('event.');

interface Tunnelled {
  /** What stands between the service and the receiver, given the receiver's origin. By default nothing. */
  front?: (receiver: string) => RequestListener;
  certificate?: { key: string; cert: string };
  bends?: Bend[];
  change?: (target: Target) => Target;
  environment?: Record<string, string>;
}

/** A run of the event profile whose notifications go through a tunnel. */
async function through({ front, certificate, bends = [], change = (target) => target, environment }: Tunnelled) {
  const receiver = await startReceiver('127.0.0.1:0');
  const asked: IncomingMessage[] = [];
  const listener: RequestListener = (incoming, answer) => {
    asked.push(incoming);
    front?.(receiver.origin)(incoming, answer);
  };
  const tunnel = await listening(certificate ? createTlsServer(certificate, listener) : createServer(listener));
  const scheme = certificate ? 'https' : 'http';
  const receiverBase = front ? `${scheme}://127.0.0.1:${tunnel.port}` : receiver.origin;
  const reference = await startReference({ receiverBase, bends });
  const triggered: string[] = [];
  const target = targetOfReference(reference, receiver);
  const notifications = {
    ...(target.notifications as NonNullable<Target['notifications']>),
    waitSeconds: 0.5,
    trigger: async (kind: string, account: string) => {
      triggered.push(`${kind} of ${account}`);
      await reference.trigger(kind, account);
    },
  };
  try {
    const run = await runOn(change({ ...target, embedded: false, notifications }), isEvent, true, environment);
    return { ...run, triggered, asked };
  } finally {
    await reference.close();
    await receiver.close();
    await tunnel.close();
  }
}

/** Hands requests on to the receiver, each path as `rename` says. */
const handOn =
  (rename: (path: string) => string = (path) => path) =>
  (receiver: string): RequestListener =>
  (incoming, answer) => {
    const { method = '', headers, url = '' } = incoming;
    const onward = request(receiver + rename(url), { method, headers }, (answered) => {
      answer.writeHead(answered.statusCode ?? 0);
      answered.pipe(answer);
    });
    incoming.pipe(onward);
  };

const answers =
  (status: number, headers: Record<string, string> = {}) =>
  (): RequestListener =>
  (incoming, answer) => {
    incoming.resume();
    answer.writeHead(status, headers).end('not the receiver');
  };

/** A server that sends what is given. */
const notifying = (notifications: Behaviour['notifications']): Bend => ({
  name: 'notifying',
  bend: () => ({ notifications }),
});

/** Accounts whose kinds have other urls. */
const urls = (urlOf: (kind: { status: boolean; url: string }) => string): Bend => ({
  name: 'urls',
  configure: (accounts) =>
    accounts.map((account) => {
      const { settings } = account;
      const [start, submission, updates] = [settings.start, settings.submission, settings.updates].map((kind) => ({
        ...kind,
        url: urlOf(kind),
      })) as [typeof settings.start, typeof settings.start, typeof settings.start];
      return { ...account, settings: { ...settings, start, submission, updates } };
    }),
});

const verdicts = ({ judgements }: Pick<InProcessRun, 'judgements'>) => [
  ...new Set(judgements.map(({ verdict }) => verdict)),
];
const judgementIn = ({ judgements }: InProcessRun, id: string) => judgements.find((each) => each.id === id);
const reasonOf = (run: InProcessRun, id: string) => judgementIn(run, id)?.reason;
const undeclared = (target: Target): Target => ({
  ...target,
  accounts: target.accounts.map(({ settings: _, ...account }) => account),
});

test('a way that leads to the receiver is asked first, once for each url, with nothing secret in it', async () => {
  const run = await through({ front: handOn() });
  expect(verdicts(run)).toEqual(['pass']);
  expect(run.triggered).toHaveLength(12);
  const own = run.asked.filter(({ headers }) => headers['user-agent']?.startsWith('assessment-api-conformance/'));
  expect(own.map(({ url }) => url).toSorted()).toEqual([...new Set(own.map(({ url }) => url))].toSorted());
  expect(own).toHaveLength(12);
  expect(run.asked.slice(0, 12)).toEqual(own);
  for (const { method, headers } of own) {
    expect(method).toBe('GET');
    expect(Object.keys(headers).toSorted()).toEqual(['connection', 'host', 'user-agent', 'x-conformance-check']);
  }
  expect(new Set(own.map(({ headers }) => headers['x-conformance-check'])).size).toBe(12);
  // It is no delivery: the kinds that are on have come, once each.
  expect(run.recorder.deliveries.map(({ method }) => method)).toEqual(Array(6).fill('POST'));
});

const CLOSED: Array<[why: string, front: NonNullable<Tunnelled['front']> | null, told: string]> = [
  ['nothing listens', null, 'the connection was refused'],
  ['its relay has no other end', answers(502), 'something else answered 502'],
  ['something else is there', answers(200), 'something else answered 200'],
  ['it redirects', answers(302, { Location: 'http://127.0.0.1:9/elsewhere' }), 'something else answered 302'],
  ['it changes paths', handOn((path) => `/relay${path}`), 'arrived as /relay/with-password/start'],
  ['it drops queries', handOn((path) => path.split('?')[0] as string), 'arrived as /with-password/start'],
];
for (const [why, front, told] of CLOSED)
  test(`a closed tunnel is not the server's fault, and nothing is triggered: ${why}`, async () => {
    const withQuery = (url: string) => `${front ? url : 'http://127.0.0.1:9/start'}?a=b`;
    const run = await through({ ...(front && { front }), bends: [urls(({ url }) => withQuery(url))] });
    expect(verdicts(run)).toEqual(['not-tested']);
    expect(run.triggered).toEqual([]);
    const reasons = [...new Set(run.judgements.map(({ reason }) => reason))];
    expect(reasons).toHaveLength(1);
    expect(reasons[0]).toMatch(/^The run's own request to http:\/\/127\.0\.0\.1:\d+\//);
    expect(reasons[0]).toContain(told);
    expect(reasons[0]).toContain('So nothing was triggered: open the way there, and run again.');
    // Whatever stands there is asked, and followed nowhere.
    expect(run.asked.every(({ method }) => method === 'GET')).toBe(true);
  });

test('a host that only the server names is not asked; what arrives from it is judged, and silence accuses nobody', async () => {
  const open = await through({ front: handOn(), change: undeclared });
  expect(open.asked.every(({ headers }) => headers['x-conformance-check'] === undefined)).toBe(true);
  expect(reasonOf(open, 'event.enabled-sent')).toBeNull();
  const closed = await through({ front: answers(502), change: undeclared });
  expect(closed.asked.every(({ headers }) => headers['x-conformance-check'] === undefined)).toBe(true);
  expect(verdicts(closed)).toEqual(['not-tested']);
  expect(reasonOf(closed, 'event.enabled-sent')).toMatch(
    /^Nothing arrived for "start" of with-password\. Whether the url of .* leads to the receiver is not known: only the server names its host\. Declare it in `settings`/,
  );
  // The same from the evidence alone.
  const ids = closed.judgements.map(({ id }) => id);
  expect(judgedAgain(closed.recorder.evidence(), ids)).toEqual(closed.judgements);
});

test('a kind that is off and leads elsewhere is left out, for it would seem silent', async () => {
  const elsewhere = urls(({ status, url }) => (status ? url : 'http://127.0.0.1:9/placeholder'));
  const run = await through({ front: handOn(), bends: [elsewhere] });
  expect(run.triggered).toHaveLength(6);
  expect(reasonOf(run, 'event.enabled-sent')).toBeNull();
  expect(reasonOf(run, 'event.disabled-silent')).toMatch(
    /^The run's own request .* which is off, was not triggered\.$/,
  );
  const evidence = run.recorder.evidence();
  expect(evidence.notSent.map(({ probe }) => nameOf(probe))).toHaveLength(6);
});

test('a tunnel with TLS is asked as the API is: its certificate has to verify, unless it is trusted', async () => {
  const certificate = await selfSigned();
  const distrusted = await through({ front: handOn(), certificate });
  expect(verdicts(distrusted)).toEqual(['not-tested']);
  expect(distrusted.judgements[0]?.reason).toContain('certificate');
  const file = fileWith('ca.pem', certificate.cert);
  const trusted = await through({ front: handOn(), certificate, environment: { NODE_EXTRA_CA_CERTS: file } });
  expect(trusted.asked.filter(({ headers }) => headers['x-conformance-check'])).not.toHaveLength(0);
  // The reference server trusts no such certificate, so nothing comes; but the way was shown.
  expect(reasonOf(trusted, 'event.enabled-sent')).toMatch(/^"\w+" of .*: nothing at /);
});

test('a request with a made-up mark is a delivery like any other', async () => {
  const mark = ['X-Conformance-Check', '00000000-0000-4000-8000-000000000000'] as const;
  const forged = notifying((kind, { settings }) => [
    { method: 'GET', url: settings[kind].url, headers: [mark], body: '' },
  ]);
  const run = await through({ front: handOn(), bends: [forged] });
  expect(judgementIn(run, 'event.disabled-silent')?.verdict).toBe('fail');
});

test('a trigger runs in the directory of the target file', async () => {
  const notifications = 'notifications: { listen: "127.0.0.1:9099", accounts: [a], trigger: "sh ./send.sh" }';
  const declared = `baseURL: https://api.example/v2\naccounts: [{ name: a, apiKey: some-key-1 }]\n${notifications}\n`;
  const directory = directoryWith({ 'acme.yaml': declared, 'send.sh': 'exit 0\n' });
  const target = loadTarget(join(directory, 'acme.yaml'), {});
  expect(target.notifications?.directory).toBe(directory);
  expect(await runCommand('sh ./send.sh', {}, 5, target.notifications?.directory).ended).toBe(null);
  expect(await runCommand('sh ./send.sh', {}, 5).ended).not.toBe(null);
});

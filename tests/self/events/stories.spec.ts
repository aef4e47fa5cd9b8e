/** Which notification belongs to which trigger: stories that a service tells its receiver, over a simulated network. */
import { expect, test } from '@playwright/test';
import { LOOPBACK } from '../../../fixtures/in-memory';
import { idsOf, runInMemory } from '../../../scripts/matrix/in-process';
import { clauseTexts } from '../../../src/contract/clauses';
import { configuredIn } from '../../../src/events/deliveries';
import type { HeaderLines, Kind } from '../../../src/evidence/model';
import type { Judgement } from '../../../src/judge/verdict';
import type { Account, Settings } from '../../../src/reference/account';

const IDS = clauseTexts.map(({ id }) => id).filter((id) => id.startsWith('event.'));
const RECEIVER = 'http://127.0.0.1:9099';
const KEY = 'key-of-zoe-0123456789';
const PASSWORD = 'a-stored:päss-word';
const URLS = { start: '/hook/start?a=%2F&b=c%20d', submission: '/hook/submission', updates: '/hook/updates' };

/** What arrives after a trigger: a POST of `{}`, unless it says otherwise. */
interface Sent {
  path: string;
  method?: string;
  headers?: HeaderLines;
  body?: string;
  afterMs?: number;
}
interface Story {
  settings?: Partial<Settings>;
  password?: string;
  /** Whether the target file declares the password. */
  isDeclared?: boolean;
  sends: (kind: Kind) => Sent[];
}

/** "start" and "submission" are on, "updates" is off. */
const rightly = (kind: Kind): Sent[] => (kind === 'updates' ? [] : [{ path: URLS[kind] }]);
/** As it should be, with something else. */
const withThe = (more: Partial<Sent>) => (kind: Kind) => rightly(kind).map((sent) => ({ ...sent, ...more }));
/** As it should be, but for what is sent on "start". */
const startAt =
  (...sent: Sent[]) =>
  (kind: Kind) =>
    kind === 'start' ? sent : rightly(kind);
/** As it should be, and something besides on "start". */
const besides =
  (...more: Sent[]) =>
  (kind: Kind) => [...rightly(kind), ...(kind === 'start' ? more : [])];
const basic = (text: string, encoding: BufferEncoding = 'utf8'): Partial<Sent> => ({
  headers: [['Authorization', `Basic ${Buffer.from(text, encoding).toString('base64')}`]],
});
const at = (path: string, status = true) => ({ status, url: RECEIVER + path });
const on = (type: string, apikey: Settings['auth']['apikey'] = { header: null, apikey: null }) => ({
  auth: { status: true, type, basic: { username: 'Zoë' }, apikey },
});

async function told({ settings = {}, password = PASSWORD, isDeclared = true, sends }: Story) {
  const zoe: Account = {
    ...{ name: 'zoe', apiKey: KEY, password },
    settings: {
      ...{ start: at(URLS.start), submission: at(URLS.submission), updates: at(URLS.updates, false) },
      ...on('basic'),
      ...{ auth: { ...on('basic').auth, status: false } },
      ...settings,
    },
  };
  const notifications = (kind: Kind) =>
    sends(kind).map(({ path, afterMs = 0, ...sent }) => {
      return { method: 'POST', headers: [], body: '{}', ...sent, url: RECEIVER + path, delayMs: afterMs };
    });
  const limits = { timeoutSeconds: 10, bodyBytes: 2_000_000, runSeconds: 600 };
  const accounts = [{ name: 'zoe', apiKey: KEY }];
  const { recorder, judgements } = await runInMemory(
    [{ name: 'story', bend: () => ({ notifications }) }],
    { accounts: [zoe], target: { limits, ...(!isDeclared && { accounts }) } },
    LOOPBACK,
    IDS,
  );
  const of = (id: string) => judgements.find((judgement) => judgement.id === id) as Judgement;
  return { evidence: recorder.evidence(), of, broken: idsOf({ judgements }, 'fail', 'warn') };
}

const says = (kind: Kind, place: Kind, id = 1) => ({
  path: URLS[place],
  body: `{"event":"${kind}","id":"n-${id}0","at":"2026-11-2${id}T10:00:0${id}Z"}`,
});
const tells = (kind: Kind) => rightly(kind).map(() => says(kind, kind));
const AGENT: HeaderLines = [
  ['User-Agent', 'axios/1.7'],
  ['Content-Type', 'application/json'],
];
const OWN = '{"event":"start","examId":7,"at":"2026-01-02"}';
/** As a certain program sends it, and a copy elsewhere on "start". */
const copied = (copy: Partial<Sent>) => (kind: Kind) => [
  ...withThe({ headers: AGENT, body: OWN })(kind),
  ...(kind === 'start' ? [{ path: '/elsewhere', headers: AGENT, ...copy }] : []),
];
const URL_WITH_KEY = `/hook/${KEY}`;
const WITH_USER = (path: string) => ({ status: true, url: `http://ana:x@127.0.0.1:9099${path}` });

const STORIES: ReadonlyArray<[what: string, story: Story, ...broken: string[]]> = [
  [
    'what went to the start again on a submission, without credentials, which may be a copy of it',
    {
      settings: on('basic'),
      sends: (kind) => [
        ...withThe(basic(`Zoë:${PASSWORD}`))(kind),
        ...(kind === 'submission' ? [{ path: URLS.start }] : []),
      ],
    },
  ],
  [
    'a copy at the url of a kind that is off',
    { sends: startAt(says('start', 'start'), says('start', 'updates')) },
    'disabled-silent',
  ],
  [
    'a copy of the submission at the url of the start, which was triggered before',
    { sends: (kind) => [...tells(kind), ...(kind === 'submission' ? [says(kind, 'start')] : [])] },
    'own-url',
  ],
  [
    'a repetition, and nothing of the other kind',
    { sends: (kind) => (kind === 'start' ? [{ path: URLS.start }, { path: URLS.start, afterMs: 150 }] : []) },
    'enabled-sent',
  ],
  [
    'another kind’s event led to it',
    {
      sends: (kind) =>
        kind === 'submission' ? [says(kind, kind)] : [...tells(kind), says('submission', 'submission', 2)],
    },
  ],
  [
    'a kind that is off at another kind’s url',
    { sends: (kind) => (kind === 'updates' ? [says(kind, 'start')] : [says(kind, kind)]) },
    'disabled-silent',
  ],
  [
    'a stranger at the tunnel',
    { sends: besides({ method: 'GET', path: '/robots.txt', headers: [['User-Agent', 'bot']] }) },
  ],
  [
    'OPTIONS without credentials before each',
    {
      settings: on('basic'),
      sends: (kind) =>
        withThe(basic(`Zoë:${PASSWORD}`))(kind).flatMap((sent) => [{ path: sent.path, method: 'OPTIONS' }, sent]),
    },
  ],
  ['a copy in other headers', { sends: copied({ body: OWN, headers: [['User-Agent', 'axios/1.7']] }) }],
  ...[OWN, '{"event":"start","examId":8,"at":"2026-01-03","more":1}'].map((body): [string, Story, string] => [
    `a copy elsewhere: ${body}`,
    { sends: copied({ body }) },
    'own-url',
  ]),
  [
    'a megabyte without a digit, once at another kind’s url',
    {
      sends: (kind) =>
        besides({ path: URLS.submission })(kind).map((sent) => ({ ...sent, body: 'x'.repeat(1_000_000) })),
    },
    'own-url',
  ],
  ['credentials in Latin-1', { settings: on('basic'), sends: withThe(basic(`Zoë:${PASSWORD}`, 'latin1')) }],
  [
    'a key in a header of another letter case',
    {
      settings: on('apiKey', { header: 'X-Key', apikey: 'key/of"receiver' }),
      sends: withThe({ headers: [['x-key', 'key/of"receiver']] }),
    },
  ],
  [
    'those of the url itself',
    {
      settings: { start: WITH_USER(URLS.start), submission: WITH_USER(URLS.submission) },
      sends: withThe(basic('ana:x')),
    },
  ],
  ['a key in the configured url', { settings: { start: at(URL_WITH_KEY) }, sends: startAt({ path: URL_WITH_KEY }) }],
  ['a password that is an ordinary word', { password: 'finished', sends: withThe({ body: '{"state":"finished"}' }) }],
];

for (const [what, story, ...broken] of STORIES)
  test(`${what}: ${broken.join() || 'nothing is broken'}`, async () => {
    expect((await told(story)).broken).toEqual(broken.map((id) => `event.${id}`));
  });

test('of a password that is not declared it is said what could be checked, and it stands nowhere', async () => {
  const sending = (text: string) =>
    told({
      settings: on('basic'),
      isDeclared: false,
      sends: withThe({ ...basic(text), body: '{"pw":"never-declared-1"}' }),
    });
  const { of, evidence } = await sending('Zoë:never-declared-1');
  expect([of('event.basic-auth').verdict, of('event.no-credentials-in-payload').verdict]).toEqual([
    'not-tested',
    'pass',
  ]);
  const text = JSON.stringify(evidence);
  for (const secret of ['never-declared-1', Buffer.from('Zoë:never-declared-1').toString('base64')])
    expect(text).not.toContain(secret);
  expect(text).toContain('Basic [secret:password:(undeclared)');
  const short = JSON.stringify((await sending('Zoë:abc123')).evidence.deliveries);
  expect(short).toContain('Basic [secret:password:(undeclared)]');
  expect(short).not.toContain(Buffer.from('Zoë:abc123').toString('base64'));
  for (const wrong of ['Bob:never-declared-1', 'Zoë:undefined'])
    expect((await sending(wrong)).broken).toEqual(['event.basic-auth']);
});

test('a short password in a parameter is no reason to take the address for another', async () => {
  const path = '/hook/start?k=abc123';
  const settings = { start: at(path) };
  const { broken, evidence } = await told({ password: 'abc123', settings, sends: startAt({ path }) });
  expect(broken).toEqual([]);
  expect(evidence.deliveries[0]?.path).toMatch(/k=\[secret:password:zoe/);
  const other = await told({ password: 'abc123', settings, sends: startAt({ path: '/hook/start?j=abc123' }) });
  expect(other.broken).toContain('event.own-url');
});

test('nothing is judged on settings that are not what is declared', async () => {
  const { evidence } = await told({ sends: rightly });
  expect(configuredIn(evidence, 'zoe')[0]).toMatchObject({ kind: 'start', enabled: true });
  const [facts] = evidence.target.accounts;
  const declared = { ...evidence.target, accounts: [{ ...facts, settings: { start: { status: false } } }] };
  expect(configuredIn({ ...evidence, target: declared } as typeof evidence, 'zoe')).toEqual([]);
});

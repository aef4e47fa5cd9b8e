/** Runs made up for the tests of the reports: whole, realistic, and nothing of them was ever sent. */
import { type Group, isSameProbe, nameOf, type Probe, probe } from '../../../src/catalogue/catalogue';
import { clauseTexts } from '../../../src/contract/clauses';
import type { ClauseResult, Conformance, Verdict } from '../../../src/contract/result';
import type {
  Delivery,
  Evidence,
  Exchange,
  Fault,
  HeaderLines,
  KeyHolder,
  RecordedResponse,
} from '../../../src/evidence/model';
import type { Cause } from '../../../src/judge/causes';
import { type ReportInput, viewsOf } from '../../../src/report/model';
import { type FleetTarget, fleetTargetOf } from '../../../src/report/words';
import { evidenceOf as evidenceByHand } from './evidence-of';

const BASE = 'https://staging.acme.example/api/v2';
const STARTED = Date.UTC(2026, 10, 20, 10, 0, 0, 180);

const BASIC = { username: 'alice', password: null, hasPassword: true };
const AUTH = { status: true, type: 'basic', basic: BASIC, apikey: { header: null, apikey: null } };
const kind = (name: string, status: boolean) => ({ status, url: `https://hooks.acme.example/${name}` });
const KINDS = { start: kind('start', true), submission: kind('submission', true), updates: kind('updates', false) };
const SETTINGS = JSON.stringify({ webhook: { ...KINDS, auth: AUTH } });

/** A recorder and, behind it, a limiter that admits one request in a second from the first. */
class Run {
  readonly exchanges: Exchange[] = [];
  private readonly opened = new Map<string, number>();
  private connection = 0;

  constructor(
    private readonly seconds = 1,
    private readonly admits = 1,
  ) {}

  send(atMs: number, account: KeyHolder, name: string, options: Partial<Sent> = {}): void {
    const index = this.exchanges.length;
    const { method = 'GET', path = '/webhooks', tookMs = 8 + ((index * 7) % 23), fault = null } = options;
    const own: HeaderLines = account === null ? [] : [['apiKey', `[secret:apiKey:${account}]`]];
    const common: HeaderLines = [
      ['Host', 'staging.acme.example'],
      ['Accept', 'application/json'],
      ['X-Staging-Gate', '[secret:header:X-Staging-Gate]'],
    ];
    const response = options.response === undefined ? this.answer(atMs + tookMs / 2, account, path) : options.response;
    this.exchanges.push({
      ...{ index, probe: probeCalled(name), account, response, fault, sentAtMs: atMs, receivedAtMs: atMs + tookMs },
      request: { method, url: `${BASE}${path}`, headers: [...common, ...(options.headers ?? own)] },
      connection: options.connection ?? this.connection++,
    });
  }

  private answer(atMs: number, account: KeyHolder, path: string): RecordedResponse {
    const nowSeconds = (STARTED + atMs) / 1000;
    const date: [string, string] = ['Date', new Date(STARTED + atMs).toUTCString()];
    const json: [string, string] = ['Content-Type', 'application/json; charset=utf-8'];
    if (account === null) {
      const body = '{"error":"unauthorized","message":"A valid API key is required."}';
      return respond(401, 'Unauthorized', [date, json, ['WWW-Authenticate', 'ApiKey']], body);
    }
    const window = Math.floor((nowSeconds - 0.3) / this.seconds);
    const used = (this.opened.get(`${account} ${window}`) ?? 0) + 1;
    this.opened.set(`${account} ${window}`, used);
    const limits: HeaderLines = [
      date,
      ['X-RateLimit-Limit', `${this.admits}`],
      ['X-RateLimit-Remaining', `${Math.max(0, this.admits - used)}`],
      ['X-RateLimit-Reset', `${Math.ceil((window + 1) * this.seconds + 0.3)}`],
    ];
    if (used > this.admits) {
      const body = '{"error":"too_many_requests"}';
      return respond(429, 'Too Many Requests', [...limits, ['Retry-After', `${this.seconds}`], json], body);
    }
    if (path === '/') return respond(200, 'OK', [...limits, json], '{"service":"assessments","version":2}');
    return respond(200, 'OK', [...limits, json, ['Cache-Control', 'private, no-store']], SETTINGS);
  }
}

interface Sent {
  method: string;
  path: string;
  headers: HeaderLines;
  tookMs: number;
  connection: number;
  response: RecordedResponse | null;
  fault: Fault;
}

export function respond(status: number, statusText: string, headers: HeaderLines, body: string): RecordedResponse {
  return { status, statusText, headers, body, bodyEncoding: 'utf8' };
}

const ACCOUNTS = ['with-password', 'without-password'];

function send(run: Run): Run {
  const keyless = ['missing-key', 'empty-key', 'unknown-key/1', 'unknown-key/2', 'unknown-key/3', 'every-path', 'HEAD'];
  for (const account of ACCOUNTS) run.send(30, account, `read/${account}/1`);
  keyless.forEach((probe, i) => {
    const headers: HeaderLines =
      probe === 'missing-key' || probe === 'HEAD' ? [] : [['apiKey', probe === 'empty-key' ? '' : 'k'.repeat(32)]];
    run.send(60 + i * 13, null, `keyless/${probe}`, {
      headers,
      method: probe === 'HEAD' ? 'HEAD' : 'GET',
      path: probe === 'every-path' ? '/does-not-exist' : '/webhooks',
    });
  });
  for (const account of ACCOUNTS) {
    for (const form of ['changed', 'shortened', 'longer', 'half', 'swapped']) {
      const value = `[secret:apiKey:${account}:${form}]`;
      run.send(180 + run.exchanges.length * 11, null, `altered/${account}/${form}`, { headers: [['apiKey', value]] });
    }
  }
  ACCOUNTS.forEach((account, lane) => {
    const shift = lane * 140;
    run.send(1060 + shift, account, `read/${account}/2`);
    run.send(2110 + shift, account, `header-case/${account}/APIKEY`, {
      headers: [['APIKEY', `[secret:apiKey:${account}]`]],
    });
    run.send(3160 + shift, account, `base-path/${account}`, { path: '/' });
    for (let i = 0; i < 8; i += 1)
      run.send(4330 + shift + i * 21, account, `sequence/${account}/${i}`, { tookMs: 18, connection: 40 + lane });
    run.send(5420 + shift, account, `recovery/${account}`);
    for (let i = 0; i < 10; i += 1)
      run.send(6500 + shift + i * 0.4, account, `concurrent/${account}/${i}`, { tookMs: 14 + ((i * 5) % 11) });
    run.send(7640 + shift, account, `recovery/${account}/2`);
  });
  for (let i = 0; i < 6; i += 1) run.send(7700 + i * 9, null, `keyless-free/${i}`, { headers: [] });
  run.send(8660, ACCOUNTS[0] ?? '', 'unknown-version/v0', {
    path: '/../v0/webhooks',
    response: respond(404, 'Not Found', [['Content-Type', 'text/plain']], 'Not Found'),
  });
  return run;
}

function evidenceOf(run: Run, seconds = 1, requests = 1): Evidence {
  const target = {
    ...{ file: 'acme.yaml', name: 'Acme Assessments 4.2', baseURL: BASE, rate: { requests, seconds } },
    accounts: ACCOUNTS.map((name) => ({ name, hasPassword: name === 'with-password', passwordDeclared: true })),
  };
  return { ...evidenceByHand([], target), startedAtEpochMs: STARTED, exchanges: run.exchanges };
}

const EVENT = 'Declare `notifications` in the target file: a receiver and a command that makes the service send.';
const RISKY = 'Set `RISKY_PROBES=1`: the probes send a valid key in a URL and unsafe methods without a key.';

type Verdicts = Record<string, [Verdict, string | null, number[]?]>;

const UNTESTED: Verdicts = {
  'auth.key-in-url': ['not-tested', RISKY],
  'auth.every-method': ['not-tested', RISKY],
  'settings.as-configured': ['not-tested', 'Declare the `settings` of an account, or a part of them.'],
  ...Object.fromEntries(
    clauseTexts.filter((text) => text.area === 'event').map((text) => [text.id, ['not-tested', EVENT]]),
  ),
};

const GROUP: Record<string, Group> = {
  altered: 'altered-key',
  'base-path': 'base-accepted',
  'keyless-free': 'keyless',
  'unknown-version': 'version',
};

/** The probe of a name as the samples write it, such as `concurrent/alice/3`. */
function probeCalled(name: string): Probe {
  const [group = '', account = '', rest = ''] = name.split('/');
  const trial = Number(rest) || 1;
  return probe(GROUP[group] ?? (group as Group), { account, trial, form: rest });
}

function clausesOf(run: Run, verdicts: Verdicts): ClauseResult[] {
  const holding = (part: string) => run.exchanges.filter((x) => nameOf(x.probe).includes(part)).map((x) => x.index);
  return clauseTexts.map(({ id, area, level, section, statement }) => {
    const name = id.split('.')[1] ?? '';
    const guess =
      area === 'rate'
        ? holding('sequence/with').concat(holding('concurrent/with'))
        : holding(area === 'auth' ? name : 'read/');
    const [verdict, reason, evidence] = verdicts[id] ?? ['pass', null];
    const untested = verdict === 'not-tested' ? (Object.hasOwn(UNTESTED, id) ? 'undeclared' : 'unseen') : null;
    const entries = evidence ?? (verdict === 'not-tested' ? [] : guess);
    return { id, level, section, statement, verdict, reason, evidence: entries, finding: null, untested };
  });
}

const OBSERVATIONS = {
  ...{
    'rejection.status': [401],
    'rejection.body-type': ['application/json'],
    'rejection.members': ['error', 'message'],
  },
  ...{ 'refusal.status': [429], 'reset.rounding': [1, 2], 'retry-after.form': ['seconds'], cookies: [] },
  'headers.carriage': ['Retry-After: refused', 'X-RateLimit-Limit: accepted', 'X-RateLimit-Limit: refused'],
  ...{ 'auth.type.values': ['basic'], 'apikey.header.types': [] },
  ...{ 'base-path.status': [200], 'base-path.members': ['service', 'version'] },
};

const digest = (digits: string) => `sha256:${digits.repeat(16)}`;

function conformanceOf(run: Run, verdicts: Verdicts, more: Partial<Conformance> = {}): Conformance {
  return {
    suite: { name: 'assessment-api-conformance', version: '1.0.0' },
    target: {
      ...{ name: 'Acme Assessments 4.2', baseURL: BASE, embedded: false, accounts: ACCOUNTS },
      rate: { requests: 1, seconds: 1 },
    },
    startedAt: new Date(STARTED).toISOString(),
    durationMs: 9130,
    waitedMs: 7920,
    requests: run.exchanges.length,
    verdict: 'conformant',
    certifiable: true,
    profiles: { core: 'pass', event: 'not-tested' },
    clauses: clausesOf(run, verdicts),
    declared: {
      accounts: ACCOUNTS.map((name) => {
        return { name, password: true, hasPassword: name === 'with-password', settings: ['auth'] };
      }),
    },
    options: { riskyProbes: true, insecureTls: false, limits: { timeoutSeconds: 10, bodyBytes: 1_048_576, burst: 10 } },
    digests: { contract: digest('3f9a'), evidence: digest('b07c'), seal: digest('5ea1') },
    own: [],
    observations: OBSERVATIONS,
    changes: null,
    notes: [],
    error: null,
    ...more,
  };
}

/** The members that are wrong in the samples, by the first clause of their cause. */
const FIELDS_OF: Readonly<Record<string, ReadonlySet<string>>> = {
  'settings.password-null': new Set(['auth.basic.password']),
};

/** What the reports are made from: clauses that one cause breaks in the samples stand together. */
function inputOf(conformance: Conformance, evidence: Evidence): ReportInput {
  const together = [
    ['settings.password-null', 'settings.password-absent'],
    ['rate.enforced-concurrent', 'rate.limit-honest'],
  ];
  const told = (['fail', 'warn'] as const).flatMap((verdict) =>
    conformance.clauses.filter((clause) => clause.verdict === verdict),
  );
  const causes = told.flatMap(({ id, reason, evidence: entries }): Cause[] => {
    const clauses = together.find(
      (ids) => ids.includes(id) && ids.every((wanted) => told.some((clause) => clause.id === wanted)),
    ) ?? [id];
    return clauses[0] === id
      ? [{ clauses, reason: reason ?? '', telling: entries[0] ?? null, fields: FIELDS_OF[id] ?? new Set(), harm: 0 }]
      : [];
  });
  return { conformance, evidence, har: [], ...viewsOf(conformance, evidence, causes), failures: [], trends: [] };
}

export function conformantRun(): ReportInput {
  const run = send(new Run());
  const { 'auth.key-in-url': _a, 'auth.every-method': _b, 'settings.as-configured': _c, ...event } = UNTESTED;
  return inputOf(conformanceOf(run, event, { changes: [] }), evidenceOf(run));
}

/** A server that leaks a password, admits too much at once, resets a connection, and has one failure waived. */
export function failingRun(): ReportInput {
  const run = send(new Run());
  const at = (name: string) => run.exchanges.find((x) => isSameProbe(x.probe, probeCalled(name)))?.index ?? -1;
  const change = (index: number, response: Partial<RecordedResponse> | null, fault: Fault | null = null) => {
    const x = run.exchanges[index] as Exchange;
    run.exchanges[index] = { ...x, response: response && { ...(x.response as RecordedResponse), ...response }, fault };
  };
  const leak = SETTINGS.replace('"password":null', '"password":"[secret:password:with-password]"');
  const reads = run.exchanges
    .filter((x) => x.probe.group === 'read' && x.account === 'with-password')
    .map((x) => x.index);
  for (const index of reads) change(index, { body: leak });
  const concurrent = run.exchanges.filter((x) => x.probe.group === 'concurrent').map((x) => x.index);
  const admitted = concurrent.filter((_, i) => i % 10 < 4);
  for (const index of admitted) change(index, { status: 200, statusText: 'OK', body: SETTINGS });
  const half = at('altered/without-password/half');
  change(half, { status: 200, statusText: 'OK', body: SETTINGS });
  const reset = at('recovery/without-password');
  change(reset, null, { kind: 'reset', message: 'The server closed the connection before it had sent a status line.' });
  const large = at('base-path/with-password');
  change(large, {
    headers: [['Content-Type', 'text/html']],
    body: `<!doctype html><title>Welcome</title>${'<p>lorem ipsum</p>'.repeat(600)}`,
  });
  const conformance = conformanceOf(
    run,
    {
      ...UNTESTED,
      'auth.altered-key': [
        'fail',
        `The key of without-password cut to its first half was answered with 200 where a 4xx was due.\nThe first 16 of 32 characters are enough, so half of the key is no secret that anybody has to guess.`,
        [half],
      ],
      'settings.password-null': [
        'fail',
        '`webhook.auth.basic.password` of with-password is a string, `"[secret:password:with-password]"`, where null was due.',
        reads,
      ],
      'settings.password-absent': [
        'fail',
        'The stored password of with-password stands in the body of 2 responses.',
        reads,
      ],
      'rate.enforced-concurrent': [
        'fail',
        'Of 10 requests sent at once, 4 were accepted in each of 2 fresh windows, where 1 was due.',
        concurrent,
      ],
      'rate.limit-honest': ['fail', 'A fresh window admitted 4 requests while `X-RateLimit-Limit` says 1.', admitted],
      'transport.complete': ['fail', '1 of 73 exchanges did not end with a whole response: reset.', [reset]],
      'auth.not-publicly-cacheable': [
        'warn',
        'A response to a valid key is marked `Cache-Control: public, max-age=60` without `Vary: apiKey`.',
        reads,
      ],
      'rate.headers-everywhere': ['warn', 'X-RateLimit-Reset is missing on 3 of 44 responses to a valid key.', [large]],
      'rate.refusal-429': ['waived', 'Waived until 2027-01-31 (TICKET-12): refused with 503.', concurrent.slice(4, 6)],
    },
    {
      verdict: 'non-conformant',
      certifiable: false,
      profiles: { core: 'fail', event: 'not-tested' },
      notes: [
        'The waiver of `auth.missing-key` (TICKET-7) is stale: the clause passes.',
        'Certificates were not verified (`INSECURE_TLS=1`).',
      ],
      changes: [
        { id: 'settings.no-extra', from: 'warn', to: 'pass' },
        { id: 'settings.password-null', from: 'pass', to: 'fail' },
        { id: 'rate.keyless-free', from: null, to: 'pass' },
        { id: 'rate.keyless-charged', from: 'pass', to: null },
        { id: 'observations.refusal.status', from: [429], to: [503] },
      ],
    },
  );
  return inputOf(conformance, evidenceOf(run));
}

/** Nothing answered at the address. */
export function errorRun(): ReportInput {
  const run = new Run();
  run.send(12, 'with-password', 'read/with-password/1', {
    response: null,
    tookMs: 4,
    fault: { kind: 'unreachable', message: 'connect ECONNREFUSED 10.0.0.7:443' },
  });
  const error = `${BASE} could not be reached: connect ECONNREFUSED 10.0.0.7:443.`;
  const all: Verdicts = Object.fromEntries(clauseTexts.map(({ id }) => [id, ['not-tested', error]]));
  const profiles = { core: 'not-tested', event: 'not-tested' } as const;
  const more = {
    verdict: 'error',
    certifiable: false,
    error,
    observations: {},
    durationMs: 310,
    waitedMs: 0,
    profiles,
  } as const;
  return inputOf(conformanceOf(run, all, more), evidenceOf(run));
}

/** Another rate, and notifications that reached the receiver; what they ask for is all there. */
export function eventRun(): ReportInput {
  const run = send(new Run(5, 3));
  const next = run.exchanges.length;
  const headers: HeaderLines = [
    ['Host', 'hooks.acme.example'],
    ['Authorization', 'Basic [secret:password:with-password:base64]'],
    ['Content-Type', 'application/json'],
  ];
  const whole = { bodyEncoding: 'utf8', truncated: false } as const;
  const deliveries = ['start', 'submission'].map((kind, i): Delivery => {
    const body = JSON.stringify({ kind, at: '2026-11-20T10:00:09Z' });
    const path = `/hooks/${kind}?tenant=acme`;
    return { index: next + i, method: 'POST', path, headers, body, ...whole, basic: [], receivedAtMs: 9300 + i * 240 };
  });
  const verdicts: Verdicts = Object.fromEntries(
    clauseTexts.filter((text) => text.area === 'event').map((text) => [text.id, ['pass', null, [next, next + 1]]]),
  );
  const profiles = { core: 'not-tested', event: 'pass' } as const;
  const rate = { requests: 3, seconds: 5 };
  const conformance = conformanceOf(
    run,
    { ...UNTESTED, ...verdicts },
    { verdict: 'incomplete', certifiable: false, profiles },
  );
  conformance.target.rate = rate;
  return inputOf(conformance, { ...evidenceOf(run, rate.seconds, rate.requests), deliveries });
}

/** Many servers: most conform, some break one thing or many, one was not reached and one not finished. */
export function fleet(size = 24): FleetTarget[] {
  return Array.from({ length: size }, (_, i): FleetTarget => {
    const [company] = ['acme', 'borealis', 'cirrus', 'delta', 'everest', 'fjord'].slice(i % 6);
    const name = `${company}-${i < 6 ? 'production' : `staging-${i}`}`;
    const durationMs = 9000 + ((i * 379) % 2600);
    const undone = { name, failed: [], causes: [], failures: [], durationMs: 310 };
    if (i === 5) {
      const { conformance } = errorRun();
      return { ...undone, verdict: 'error', error: conformance.error, conformance };
    }
    if (i === 9) return { ...fleetTargetOf(name, null), durationMs: 2100 };
    const conformance = structuredClone(
      (i % 7 === 3 ? failingRun() : i % 4 === 1 ? eventRun() : conformantRun()).conformance,
    );
    for (const clause of conformance.clauses) {
      const breaks =
        i % 5 === 2 && (clause.id === 'rate.reset-format' || (i % 2 === 0 && clause.id === 'rate.retry-after-format'));
      if (breaks) Object.assign(clause, { verdict: 'fail', reason: 'Milliseconds where seconds were due.' });
    }
    const failed = conformance.clauses.filter((clause) => clause.verdict === 'fail').map((clause) => clause.id);
    if (failed.length > 0) Object.assign(conformance, { verdict: 'non-conformant', certifiable: false });
    const causes = failed.length > 0 ? [{ headline: 'The rate limit is not kept', clauses: failed }] : [];
    return { name, verdict: conformance.verdict, failed, causes, durationMs, failures: [], error: null, conformance };
  });
}

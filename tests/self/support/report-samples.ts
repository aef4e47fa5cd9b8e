/** What reports are made from, for the tests of how they look: runs against simulated servers, each made once. */
import { answering, withBody } from '../../../fixtures/dialects/tools';
import { sampleOf } from '../../../scripts/sample';
import type { Target } from '../../../src/config/target';
import type { Conformance } from '../../../src/contract/result';
import { embeddedAccounts } from '../../../src/reference/account';
import type { Bend } from '../../../src/reference/behaviour';
import { reportInputOf } from '../../../src/report/assemble';
import { type FleetTarget, fleetTargetOf, type ReportInput } from '../../../src/report/words';
import { serverNamed } from './simulation';

const TARGET: Partial<Target> = {
  ...{ name: 'Acme Assessments 4.2', file: 'acme.yaml', notifications: null },
  headers: [['X-Staging-Gate', 'gate-of-acme-4711']],
};

const made = new Map<unknown, Promise<ReportInput>>();

/** A copy of a sample, for a test to change. */
async function copyOf(make: () => Promise<ReportInput>): Promise<ReportInput> {
  const sample = made.get(make) ?? make();
  made.set(make, sample);
  const { har, ...input } = await sample;
  return { ...structuredClone(input), har };
}

const conformant = () => sampleOf('acme', [], { target: TARGET });

export const conformantRun = () => copyOf(conformant);

/** Answers the base path with a long page. */
const welcoming: Bend = {
  name: 'welcoming',
  bend: answering((answer, { path }) =>
    path.endsWith('/') && answer.status === 200
      ? withBody(answer, 'text/html', `<!doctype html><title>Welcome</title>${'<p>lorem ipsum</p>'.repeat(600)}`)
      : answer,
  ),
};
const FAULTS = ['key-abbreviated', 'password-shown', 'limit-doubled', 'cache-public', 'refusal-is-503'];

/** Some clauses were judged otherwise in the run before, one is new, and one is gone. */
function before({ conformance }: ReportInput): Conformance {
  const clauses = conformance.clauses.flatMap((clause) => {
    if (clause.id === 'rate.keyless-free') return [];
    return clause.id === 'settings.no-extra' ? { ...clause, verdict: 'warn' as const } : clause;
  });
  const gone = { ...conformance.clauses[0], id: 'rate.keyless-charged' } as Conformance['clauses'][number];
  return { ...conformance, clauses: [...clauses, gone], observations: { ...conformance.observations, cookies: ['a'] } };
}

const failing = async () =>
  sampleOf('acme', [welcoming, ...FAULTS.map(serverNamed)], {
    target: {
      ...TARGET,
      waivers: [
        { clause: 'rate.refusal-429', reason: 'TICKET-12', until: '2999-01-31' },
        { clause: 'auth.missing-key', reason: 'TICKET-7' },
      ],
    },
    baseline: before(await conformantRun()),
  });

/** A server that shows a password, takes half a key and lets two in for one; one failure is waived, and a run before is known. */
export const failingRun = () => copyOf(failing);

const undone = async () => {
  const { evidence, conformance } = await conformantRun();
  const fault = { kind: 'unreachable', message: 'connect ECONNREFUSED 10.0.0.7:443' } as const;
  const exchanges = evidence.exchanges.slice(0, 1).map((exchange) => ({ ...exchange, response: null, fault }));
  const error = `${conformance.target.baseURL} could not be reached: ${fault.message}.`;
  const recorded = { evidence: { ...evidence, exchanges }, error, waitedMs: 0, durationMs: 310, notes: [] };
  return reportInputOf(recorded, new Map(), { error: null, baseline: null });
};

/** Nothing answered at the address. */
export const errorRun = () => copyOf(undone);

const RATE = { requests: 3, seconds: 5 };
const [first] = embeddedAccounts('http://127.0.0.1:9099');

const open = () => {
  const { notifications: _, ...target } = TARGET;
  const accounts = first ? [{ name: first.name, apiKey: first.apiKey }] : [];
  return sampleOf('acme', [], { rate: RATE, target: { ...target, rate: RATE, accounts } });
};

/** Another rate, and one account of which little is declared: much is not tested, and notifications came. */
export const openRun = () => copyOf(open);

/** Many servers: most conform, some break one thing or many, one was not reached and one not finished. */
export async function fleet(size = 24): Promise<FleetTarget[]> {
  const [fine, broken, gone, unclear] = await Promise.all([conformantRun(), failingRun(), errorRun(), openRun()]);
  return Array.from({ length: size }, (_, i) => {
    const company = ['acme', 'borealis', 'cirrus', 'delta', 'everest', 'fjord'][i % 6];
    const name = `${company}-${i < 6 ? 'production' : `staging-${i}`}`;
    if (i === 9) return fleetTargetOf(name, null);
    return fleetTargetOf(name, i === 5 ? gone : i % 7 === 3 ? broken : i % 4 === 1 ? unclear : fine);
  });
}

import type { Exchange } from '../../../src/evidence/model';
import type { ReportInput } from '../../../src/report/words';
import { exchangeOf } from './evidence-of';
import { failingRun, fleet } from './report-samples';

/** Markup, scripts, styles, XML, Markdown, control characters and a long word, as a server might send them. */
export const NASTY =
  '</script></style></pre></title>]]><script>globalThis.owned = 1</script><img src=https://evil.example/x onerror=globalThis.owned=1>' +
  '<style>main { display: none }</style><svg onload=globalThis.owned=1> \' " & &lt; | `code` ``` \\ *b* _i_ [l](javascript:owned) ~s~ @octocat\r\n\r\n' +
  `# heading\u0000\u0007\u001b[2J\u202e\ud800 \ufffe [secret:apiKey:" onmouseover="globalThis.owned=1] ${'x'.repeat(600)}`;

/** Many targets whose names are nasty. */
export const hostileFleet = async () =>
  (await fleet(12)).map((target) => ({ ...target, name: NASTY.replace('\ud800', '') }));

/** A run of a server whose every text is nasty. */
export async function hostileRun(): Promise<ReportInput> {
  const input = await failingRun();
  const { conformance, evidence } = input;
  const lines = ['X-RateLimit-Remaining', NASTY].map((name) => [name, NASTY] as const);
  const answer = exchangeOf({ statusText: NASTY, headers: lines, body: NASTY }).response;
  const spoil = (x: Exchange): Exchange => ({
    ...x,
    probe: { ...x.probe, account: `${x.probe.account}${NASTY}` },
    request: { ...x.request, url: `${x.request.url}?${NASTY}`, headers: [...x.request.headers, ['Cookie', NASTY]] },
    response: x.index % 2 ? answer : null,
    fault: x.index % 3 ? { kind: 'malformed', message: NASTY } : x.fault,
  });
  evidence.exchanges = evidence.exchanges.map(spoil);
  conformance.target.name = NASTY;
  conformance.target.accounts = [NASTY, `[secret:apiKey:${NASTY}]`];
  conformance.changes = [{ id: `observations.${NASTY}`, from: NASTY, to: [NASTY] }];
  conformance.observations = { 'rejection.status': [NASTY], [NASTY]: [{ [NASTY]: NASTY }] };
  for (const clause of conformance.clauses) clause.reason = NASTY;
  conformance.notes = [NASTY];
  return input;
}

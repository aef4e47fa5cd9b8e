/** Whether requests are those that this suite sends for their probes. */
import type { Evidence, Exchange, HeaderLines } from '../../evidence/exchange';
import { MARKER, markerOf } from '../../evidence/markers';
import { type Group, nameOf } from '../../evidence/probe';
import { read } from '../../probes/requests';
import { plannedKeyless, plannedSingles } from './planned';

/** What identifies a request to a server, but for keys that are made up anew in each run. */
interface Shape {
  method: string;
  url: string;
  headers: HeaderLines;
}

/** A read with the valid key; `paths` asks the base path as well. */
const READS: readonly Group[] = [
  'read',
  'together',
  'sequence',
  'concurrent',
  'recovery',
  'promise',
  'ban',
  'paths',
  'neighbour',
  'apart',
];

export function requestProblems(evidence: Evidence, recordedBy: { name: string; version: string }): string[] {
  const shapes = new Map(
    [...plannedKeyless(evidence), ...plannedSingles(evidence)].map((request) => [
      nameOf(request.probe),
      { account: request.account, ...shapeOf(request, evidence) },
    ]),
  );
  return evidence.exchanges.flatMap((one) => {
    const planned = shapes.get(nameOf(one.probe)) ?? freeShapeOf(one, evidence);
    if (planned === null) return [];
    const sent = ownHeaders(one.request.headers, recordedBy);
    const [wrong] = Object.entries({
      account: one.account === planned.account,
      method: one.request.method === planned.method,
      URL: isSameText(one.request.url, planned.url),
      headers: sent !== null && isSame(sent, planned.headers),
    }).flatMap(([what, isRight]) => (isRight ? [] : [what]));
    return wrong ? [`the ${wrong} of entry ${one.index} is not what is sent for ${nameOf(one.probe)}`] : [];
  });
}

function shapeOf(request: { method?: string; path: string; headers?: HeaderLines }, { target }: Evidence): Shape {
  const { method = 'GET', path, headers = [] } = request;
  return { method, url: /^https?:/.test(path) ? path : target.baseURL + path, headers };
}

/** The request of a probe that is repeated as often as needed; `null` where it depends on what a server said. */
function freeShapeOf(one: Exchange, evidence: Evidence): (Shape & { account: string | null }) | null {
  const { group, account } = one.probe;
  if (READS.includes(group) && account !== null) {
    const asks = shapeOf(read(account, one.probe), evidence);
    const isBase = group === 'paths' && one.request.url.endsWith('/');
    return { account, ...asks, ...(isBase && { url: `${evidence.target.baseURL}/` }) };
  }
  if (group !== 'session' && group !== 'keyless') return null;
  const names = group === 'session' ? ['Cookie'] : ['apiKey'];
  const lines = one.request.headers.filter(([name]) => names.includes(name));
  const isOwn = lines.every(([, value]) => group === 'keyless' || value.startsWith('[secret:cookie:'));
  const valid = evidence.target.accounts.some(({ name }) =>
    lines.some(([, value]) => value === markerOf('apiKey', name)),
  );
  return {
    account: null,
    ...shapeOf({ path: '/webhooks', headers: isOwn && !valid && lines.length < 2 ? lines : [['', '']] }, evidence),
  };
}

/** The header lines of a probe itself: without those that stand on every request. `null` where one of these is missing. */
function ownHeaders(headers: HeaderLines, { name, version }: { name: string; version: string }): HeaderLines | null {
  const standing = [
    ['User-Agent', `${name}/${version}`],
    ['Accept', 'application/json'],
    ['Accept-Encoding', 'gzip, deflate, br'],
  ];
  const isStanding = standing.every(([field, value], i) => headers[i]?.[0] === field && headers[i]?.[1] === value);
  if (!isStanding) return null;
  return headers.slice(standing.length).filter(([field, value]) => value !== markerOf('header', field));
}

function isSame(sent: HeaderLines, planned: HeaderLines): boolean {
  return (
    sent.length === planned.length &&
    sent.every(([name, value], i) => name === planned[i]?.[0] && isSameText(value, planned[i]?.[1] ?? ''))
  );
}

/** A made-up key or path differs from run to run; it holds no secret. */
function isSameText(sent: string, planned: string): boolean {
  if (sent === planned) return true;
  const isMadeUp = /\/no-such-path-[0-9a-f]{8}$/.test(planned)
    ? /\/no-such-path-[0-9a-f]{8}$/.test(sent)
    : !/^https?:/.test(planned) && planned !== '' && sent !== '' && !planned.includes('[secret:');
  return isMadeUp && sent.match(MARKER) === null;
}

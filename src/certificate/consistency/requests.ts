/** Checks that requests are those that this suite sends for their probes. */
import { isDeepStrictEqual } from 'node:util';
import { type Group, nameOf } from '../../catalogue/probe';
import { MARKER, markerOf } from '../../evidence/markers';
import type { Evidence, Exchange, HeaderLines } from '../../evidence/model';
import { read } from '../../probes/requests';
import { keyless } from '../../probes/wrong-keys';
import type { ProbeRequest } from '../../recorder/recorder';
import { plannedRequests } from './planned';

type Suite = { name: string; version: string };

/** Groups that read with the valid key. `paths` reads the base path as well. */
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

/** @param recordedBy name and version of the suite that sent them */
export function requestProblems(evidence: Evidence, recordedBy: Suite): string[] {
  const planned = new Map(plannedRequests(evidence).map((request) => [nameOf(request.probe), request]));
  return evidence.exchanges.flatMap((exchange) => {
    const name = nameOf(exchange.probe);
    const due = planned.get(name) ?? freeRequestOf(exchange, evidence);
    const wrong = due && wrongIn(exchange, due, evidence, recordedBy);
    return wrong ? [`the ${wrong} of entry ${exchange.index} is not what is sent for ${name}`] : [];
  });
}

/** Returns which part of a request is not as it is due; `null` if nothing is wrong. */
function wrongIn(exchange: Exchange, due: ProbeRequest, { target }: Evidence, recordedBy: Suite): string | null {
  const { method = 'GET', path, headers = [] } = due;
  if (exchange.account !== due.account) return 'account';
  if (exchange.request.method !== method) return 'method';
  if (!isSameText(exchange.request.url, /^https?:/.test(path) ? path : target.baseURL + path)) return 'URL';
  const sent = ownHeaders(exchange.request.headers, recordedBy);
  return sent !== null && isSame(sent, headers) ? null : 'headers';
}

/** Returns the request due for a probe that may be repeated; `null` if it depends on what the server said. */
function freeRequestOf({ probe, request }: Exchange, { target }: Evidence): ProbeRequest | null {
  const { group, account } = probe;
  if (READS.includes(group)) {
    const asks = read(account ?? '', probe);
    return group === 'paths' && request.url.endsWith('/') ? { ...asks, path: '/' } : asks;
  }
  if (group !== 'session' && group !== 'keyless') return null;
  const valid = target.accounts.map(({ name }) => markerOf('apiKey', name));
  const allowed = request.headers.filter(([name, value]) =>
    group === 'session'
      ? name === 'Cookie' && value.startsWith('[secret:cookie:')
      : name === 'apiKey' && !valid.includes(value),
  );
  return keyless(probe, allowed.slice(0, 1));
}

/** Returns the header lines of the probe itself; `null` if one of those that stand on every request is missing. */
function ownHeaders(headers: HeaderLines, { name, version }: Suite): HeaderLines | null {
  const standing = [
    ['User-Agent', `${name}/${version}`],
    ['Accept', 'application/json'],
    ['Accept-Encoding', 'gzip, deflate, br'],
  ];
  if (!isDeepStrictEqual(headers.slice(0, standing.length), standing)) return null;
  return headers.slice(standing.length).filter(([field, value]) => value !== markerOf('header', field));
}

function isSame(sent: HeaderLines, planned: HeaderLines): boolean {
  return (
    sent.length === planned.length &&
    sent.every(([name, value], i) => name === planned[i]?.[0] && isSameText(value, planned[i]?.[1] ?? ''))
  );
}

/** Whether the texts agree. Instead of a made-up key or path, any other one without a secret agrees as well. */
function isSameText(sent: string, planned: string): boolean {
  if (sent === planned) return true;
  const isMadeUp = /\/no-such-path-[0-9a-f]{8}$/.test(planned)
    ? /\/no-such-path-[0-9a-f]{8}$/.test(sent)
    : !/^https?:/.test(planned) && planned !== '' && sent !== '' && !planned.includes('[secret:');
  return isMadeUp && sent.match(MARKER) === null;
}

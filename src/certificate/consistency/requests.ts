/** Checks that requests are those that this suite sends for their probes. */
import { isDeepStrictEqual } from 'node:util';
import { catalogue } from '../../catalogue/catalogue';
import { nameOf } from '../../catalogue/probe';
import { type ProbeRequest, requestOf } from '../../catalogue/requests';
import { linesOf } from '../../evidence/http/headers';
import type { Evidence, Exchange, HeaderLines } from '../../evidence/model';
import { MARKER, markerOf } from '../../redaction/markers';
import { keysIn } from './planned';

type Suite = { name: string; version: string };

/** @param recordedBy name and version of the suite that sent them */
export function requestProblems(evidence: Evidence, recordedBy: Suite): string[] {
  return evidence.exchanges.flatMap((exchange) => {
    const found = dueFor(exchange, evidence).map((due) => wrongIn(exchange, due, evidence, recordedBy));
    const wrong = found.includes(null) ? null : found[0];
    return wrong ? [`the ${wrong} of entry ${exchange.index} is not what is sent for ${nameOf(exchange.probe)}`] : [];
  });
}

/** Returns the requests that the suite may send for the probe of an exchange. */
function dueFor({ probe, request }: Exchange, evidence: Evidence): ProbeRequest[] {
  const cookies = linesOf(request.headers, 'Cookie').find((line) => line.startsWith('[secret:cookie:')) ?? null;
  const keys = { ...keysIn(evidence), cookies: () => cookies };
  const { parts, forms } = catalogue[probe.group];
  const any = parts.includes('form') ? [undefined] : Object.keys(forms);
  return any.flatMap((form) => requestOf(probe, keys, form) ?? []);
}

/** Returns which part of a request is not as it is due; `null` if nothing is wrong. */
function wrongIn(exchange: Exchange, due: ProbeRequest, { target }: Evidence, recordedBy: Suite): string | null {
  const { method = 'GET', path, headers = [] } = due;
  if (exchange.account !== due.account) return 'account';
  if (exchange.request.method !== method) return 'method';
  if (!isSameText(exchange.request.url, /^https?:/.test(path) ? path : target.baseURL + path)) return 'URL';
  const sent = ownHeaders(exchange.request.headers, recordedBy);
  const isDue = ([name, value]: HeaderLines[number], i: number) =>
    name === headers[i]?.[0] && isSameText(value, headers[i]?.[1] ?? '');
  return sent?.length === headers.length && sent.every(isDue) ? null : 'headers';
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

/** Whether the texts agree. Instead of a made-up key or path, any other one without a secret agrees as well. */
function isSameText(sent: string, planned: string): boolean {
  if (sent === planned) return true;
  const isMadeUp = /\/no-such-path-[0-9a-f]{8}$/.test(planned)
    ? /\/no-such-path-[0-9a-f]{8}$/.test(sent)
    : !/^https?:/.test(planned) && planned !== '' && sent !== '' && !planned.includes('[secret:');
  return isMadeUp && sent.match(MARKER) === null;
}

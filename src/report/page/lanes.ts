/** The exchanges and deliveries of a run, account by account, as the timeline shows them. */

import type { Evidence, Exchange } from '../../evidence/exchange';
import { valuesOf } from '../../evidence/headers';
import { duration, momentInWords } from '../words';
import { answerOf, type MarkKind, outcomeOf } from './signs';

export interface Mark {
  /** Its entry of the evidence. */
  index: number;
  kind: MarkKind;
  fromMs: number;
  toMs: number;
  label: string;
}

export interface Lane {
  name: string;
  /** Whether accepted requests stand above the line and all others below it: so for an account. */
  divided: boolean;
  marks: Mark[];
}

/** A lane for each account, one for requests without a valid key, and one for notifications; none is empty. */
export function lanesOf(evidence: Evidence): Lane[] {
  const { target, exchanges, deliveries } = evidence;
  const names = new Set([...target.accounts.map((account) => account.name), ...exchanges.map((x) => x.account)]);
  names.delete(null);
  const marksOf = (account: string | null) =>
    exchanges
      .filter((x) => x.account === account)
      .map((x) => ({
        index: x.index,
        kind: outcomeOf(x, evidence),
        fromMs: x.sentAtMs,
        toMs: x.receivedAtMs,
        label: markLabel(x),
      }));
  const arrivals = deliveries.map(({ index, method, path, receivedAtMs }) => {
    const label = `${index}: ${method} ${path}`;
    return { index, kind: 'delivery' as const, fromMs: receivedAtMs, toMs: receivedAtMs, label };
  });
  return [
    ...[...names].map((name) => ({ name: `${name}`, divided: true, marks: marksOf(name) })),
    { name: 'without a valid key', divided: false, marks: marksOf(null) },
    { name: 'notifications received', divided: false, marks: arrivals },
  ].filter((lane) => lane.marks.length > 0);
}

/** What a browser shows over a mark. */
function markLabel(exchange: Exchange): string {
  const { index, request, sentAtMs, receivedAtMs } = exchange;
  const headers = ['X-RateLimit-Remaining', 'X-RateLimit-Reset', 'Retry-After'].flatMap((name) => {
    const values = valuesOf(exchange, name);
    return values.length > 0 ? [`${name}: ${values.join(', ')}`] : [];
  });
  const answer = `${answerOf(exchange)} at ${momentInWords(receivedAtMs)} after ${duration(receivedAtMs - sentAtMs)}`;
  return [`${index}: ${request.method} ${request.url}`, answer, ...headers].join('\n');
}

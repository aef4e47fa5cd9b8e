/** What comes from outside, before its secrets are masked. */
import type { RawDelivery } from '../../../src/config/target';
import type { WireOutcome } from '../../../src/recorder/transport/wire';

/** A whole answer, in all that is not said otherwise. */
export function outcomeOf(body: string | Buffer, more: Partial<WireOutcome> = {}): WireOutcome {
  const head = { status: 200, statusText: 'OK', headers: [] };
  const times = { sentAtMs: 0, receivedAtMs: 1 };
  return { ...times, head, aside: [], body: Buffer.from(body), fault: null, resent: false, ...more };
}

/** An answer that breaks off. */
export const BROKEN = { fault: { kind: 'truncated', message: '' } } as const;

/** An empty delivery, in all that is not said otherwise. */
export function deliveryOf(more: Partial<RawDelivery>): RawDelivery {
  return { method: 'POST', path: '/hook', headers: [], body: Buffer.from(''), truncated: false, ...more };
}

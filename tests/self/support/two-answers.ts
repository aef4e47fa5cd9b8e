/** The smallest evidence that every rule can judge: one answer to a valid key, and one to none. */

import { probe } from '../../../src/catalogue/probe';
import type { Evidence, Exchange, RecordedResponse } from '../../../src/evidence/model';

/** @param response what came; its status is 200 with a valid key and 401 without */
export function twoAnswers(response: Omit<RecordedResponse, 'status'>): Evidence {
  const answered = (index: number, account: string | null, status: number): Exchange => ({
    index,
    probe: account === null ? probe('missing-key') : probe('read', { account }),
    account,
    request: { method: 'GET', url: 'https://api.example/v2/webhooks', headers: [] },
    response: { status, ...response },
    fault: null,
    sentAtMs: index,
    receivedAtMs: index + 1,
    connection: index,
  });
  return {
    target: {
      name: 'hostile',
      baseURL: 'https://api.example/v2',
      embedded: false,
      accounts: [{ name: 'alice', passwordDeclared: true, settings: { start: { status: true } } }],
      rate: { requests: 1, seconds: 1 },
      riskyProbes: false,
      limits: { timeoutSeconds: 10, bodyBytes: 2_000_000, burst: 10 },
      waivers: [],
      notifications: null,
    },
    startedAtEpochMs: 0,
    exchanges: [answered(0, 'alice', 200), answered(1, null, 401)],
    notSent: [],
    deliveries: [],
    triggers: [],
  };
}

/** The smallest evidence that every rule can judge: one answer to a valid key, and one to none. */

import type { Evidence, RecordedResponse } from '../../../src/evidence/model';
import { evidenceOf, keyless } from './evidence-of';

/** @param response what came; its status is 200 with a valid key and 401 without */
export function twoAnswers(response: Omit<RecordedResponse, 'status'>): Evidence {
  return evidenceOf([response, keyless('missing-key', 401, response)], {
    accounts: [{ name: 'alice', passwordDeclared: true, settings: { start: { status: true } } }],
    limits: { timeoutSeconds: 10, bodyBytes: 2_000_000, burst: 10 },
  });
}

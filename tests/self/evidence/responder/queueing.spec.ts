/** Which late answers show a queue. */
import { expect, test } from '@playwright/test';
import { isTurnedAway } from '../../../../src/evidence/responder/queueing';
import { evidenceIn, rowsOf } from '../../support/table';

const SERVED = "= {start: {status: true, url: 'https://a.example/'}}";

for (const [what, burst, isLate] of rowsOf(`
  where others were refused meanwhile | @10000+1 concurrent ${SERVED}; @10000+2 concurrent 429; @10000+1000 concurrent ${SERVED}  | yes
  where all were held up              | @10000+900 concurrent ${SERVED}; @10000+901 concurrent 429; @10000+902 concurrent 429     | no
`))
  test(`an answer is late because of a queue ${what}: ${isLate}`, () => {
    const evidence = evidenceIn(`@0 ${SERVED}; ${burst}; @20000+900 ${SERVED}`);
    const [last] = evidence.exchanges.slice(-1);
    expect(last && isTurnedAway(last, evidence) ? 'yes' : 'no').toBe(isLate);
  });

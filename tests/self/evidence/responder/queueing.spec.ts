/** Which late answers show a queue. */
import { expect, test } from '@playwright/test';
import { isTurnedAway, lostInQueues } from '../../../../src/evidence/responder/queueing';
import { accountsNamed, at, evidenceOf, type Sketch } from '../../support/evidence-of';
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

test('what is not answered in time is lost in a queue where requests of that key alone had to wait though they kept their distance', () => {
  const timeout: Sketch = { fault: { kind: 'timeout', message: 'did not answer' }, receivedAtMs: 60_000 };
  const late = (atMs: number, name: string) => at(atMs, name, { receivedAtMs: atMs + 2600 });
  const reads = ['alice', 'bob'].map((name) => at(0, name));
  const queue = [1, 1000, 2000].map((ms) => at(10_000, 'bob', { group: 'concurrent', receivedAtMs: 10_000 + ms }));
  const lostIn = (...sketches: Sketch[]) => {
    const evidence = evidenceOf([...reads, ...sketches], { accounts: accountsNamed('alice', 'bob') });
    return [...lostInQueues(evidence)].map(({ index, account }) => `${index} ${account}`);
  };
  expect(lostIn(...queue, late(20_000, 'alice'), at(30_000, 'alice', timeout))).toEqual(['6 alice']);
  expect(lostIn(late(15_000, 'alice'), late(20_000, 'alice'), at(30_000, 'alice', timeout))).toEqual(['4 alice']);
  expect(lostIn(late(20_000, 'alice'), at(30_000, 'alice', timeout))).toEqual([]);
  expect(lostIn(...queue, at(30_000, 'alice', timeout))).toEqual([]);
  expect(lostIn(...queue, late(20_000, 'alice'), at(30_000, 'bob', timeout))).toEqual([]);
  expect(lostIn(...queue, late(20_000, 'alice'), late(20_000, 'bob'), at(30_000, 'alice', timeout))).toEqual([]);
});

/** Which late answers show a queue. */
import { expect, test } from '@playwright/test';
import { probe } from '../../../../src/catalogue/probe';
import { isTurnedAway, lostInQueues } from '../../../../src/evidence/responder/queueing';
import { accountsNamed, at, evidenceOf, type Sketch } from '../../support/evidence-of';

const concurrent = probe('concurrent', { account: 'alice', trial: 1 });
const SETTINGS = '{"webhook":{"start":{"status":true,"url":"https://a.example/"}}}';

/** A request of one burst. */
const sent = (status: number, receivedAtMs: number): Sketch => ({
  probe: concurrent,
  status,
  body: status === 200 ? SETTINGS : '{}',
  sentAtMs: 10_000,
  receivedAtMs,
});

test('an answer is late because of a queue only where others were refused meanwhile', () => {
  const late: Sketch = { body: SETTINGS, sentAtMs: 20_000, receivedAtMs: 20_900 };
  const read: Sketch = { body: SETTINGS };
  const queueing = evidenceOf([read, sent(200, 10_001), sent(429, 10_002), sent(200, 11_000), late]);
  const heldUp = evidenceOf([read, sent(200, 10_900), sent(429, 10_901), sent(429, 10_902), late]);
  const last = ({ exchanges }: typeof queueing) => exchanges.slice(-1);
  expect(last(queueing).map((exchange) => isTurnedAway(exchange, queueing))).toEqual([true]);
  expect(last(heldUp).map((exchange) => isTurnedAway(exchange, heldUp))).toEqual([false]);
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

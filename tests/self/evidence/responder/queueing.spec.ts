/** Which late answers show a queue. */
import { expect, test } from '@playwright/test';
import { probe } from '../../../../src/catalogue/probe';
import { isTurnedAway } from '../../../../src/evidence/responder/queueing';
import { evidenceOf, type Sketch } from '../../support/evidence-of';

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

/** Which answers to wrong keys are the server's own, and which a guard or a limiter gave in its place. */
import { expect, test } from '@playwright/test';
import type { Exchange } from '../../../../src/evidence/model';
import { hasShape, shapeOf } from '../../../../src/evidence/responder/classify';
import {
  answersWithoutKey,
  isDoubtful,
  isVeiled,
  letInWithoutKey,
  shapesOf,
} from '../../../../src/evidence/responder/guards';
import { isTurnedAway, lostInQueues } from '../../../../src/evidence/responder/queueing';
import { accountsNamed, at, evidenceOf, exchangeOf, type Sketch } from '../../support/evidence-of';
import { evidenceIn, ofLast, rowsOf } from '../../support/table';

/** The server's own rejection. */
const OWN = '- 401 missing-key : no key';
const GUARD = '- 429 guard : blocked';
const REFUSED = '@500 403 sequence : slow down';
const xs = (count: number) => 'x'.repeat(count);

for (const [what, exchange = '', shape] of rowsOf(`
  all parts                 | 429 Content-Type=text/plain retry-after=7 : wait 12 s | 429,text/plain,true,wait # s
  no header                 | 401 : no key                    | 401,,false,no key
  an id in it               | 401 : id 4bf92f                 | 401,,false,id #
  a long text               | 401 : ${xs(499)}yz              | 401,,false,${xs(499)}y
  a long text with a number, which does not move its end | 401 : 99 ${xs(600)} | 401,,false,# ${xs(498)}
  a longer number           | 401 : 100 ${xs(600)}            | 401,,false,# ${xs(498)}
`))
  test(`how an answer is made: ${what}`, () => {
    const [answer = exchangeOf()] = evidenceIn(exchange).exchanges;
    expect(shapeOf(answer)?.replaceAll('\n', ',')).toBe(shape);
  });

for (const [what, exchange = '', isMade] of rowsOf(`
  the same text             | 401 : no key                    | yes
  the beginning of the text | 401 : no                        | no
  no text, to HEAD          | 401 HEAD:/webhooks :            | yes
  another status, to HEAD   | 403 HEAD:/webhooks :            | no
`))
  test(`an answer with ${what} is made as another: ${isMade}`, () => {
    expect(ofLast((answer) => hasShape(answer, '401\n\nfalse\nno key'), exchange)).toBe(isMade);
    expect(ofLast((answer) => hasShape(answer, null), exchange)).toBe('no');
  });

// What follows an accepted read at once does not show what the server says by itself.
for (const [what, exchanges = '', count] of rowsOf(`
  another answer than the first one     | ${OWN}; ${GUARD}                                            | 1
  the first answer again                | 200; ${OWN}; - 401 guard : no key                           | 0
  an accepted one                       | ${OWN}; - 200 guard : blocked                               | 0
  a broken one                          | ${OWN}; - 429 guard reset : blocked                         | 0
  that of another probe                 | ${OWN}; - 429 unknown-key : blocked                         | 0
  what came first only after a read     | 200; - 429 after-accepted : blocked; ${OWN}; ${GUARD}       | 1
  what came first only broken           | - 429 missing-key reset : blocked; ${OWN}; ${GUARD}         | 1
  what the first without a key got again | - 500 missing-key : oops; - 401 unknown-key; - 500 guard : oops | 0
  what the first did not get            | ${OWN}; - 401 unknown-key; - 500 guard : oops               | 1
`))
  test(`a guard is known by its probe: ${what}`, () =>
    expect(String(shapesOf(evidenceIn(exchanges)).guards.size)).toBe(count));

for (const [what, exchanges = '', veiled] of rowsOf(`
  the server’s own rejection                | ${OWN}; ${GUARD}; - 401 unknown-key : no key           | no
  the answer of a guard                     | ${OWN}; ${GUARD}; - 429 unknown-key : blocked          | yes
  the same answer to a valid key            | ${OWN}; ${GUARD}; 429 : blocked                        | no
  the same answer, broken                   | ${OWN}; ${GUARD}; - 429 unknown-key reset : blocked    | no
  an answer made as refusals of valid keys  | 200; ${OWN}; ${REFUSED}; - 403 unknown-key : slow down | yes
  their status alone                        | 200; ${OWN}; ${REFUSED}; - 403 unknown-key : forbidden | no
  their status, and a wait                  | 200; ${OWN}; ${REFUSED}; - 403 unknown-key Retry-After=1 : forbidden | yes
  an error that a valid key got             | 200; ${OWN}; 500 : boom; - 500 unknown-key : boom      | no
  403 that asks to wait, from the first one on | ${OWN}; - 403 unknown-key Retry-After=30 : wrong; - 403 altered-key Retry-After=9 : wrong | no
  403 that asks to wait, from the second one on | ${OWN}; - 401 unknown-key : wrong; - 403 altered-key Retry-After=9 : blocked | yes
  429 in other words                        | ${OWN}; - 429 unknown-key : too many                   | yes
  428                                       | ${OWN}; - 428 unknown-key                              | no
  503 that asks to wait                     | ${OWN}; - 503 unknown-key Retry-After=1                | yes
  404 that asks to wait                     | ${OWN}; - 404 unknown-key Retry-After=1                | no
  an accepted answer                        | ${OWN}; - 200 guard : blocked; - 200 unknown-key : blocked | no
  what a missing key got first, taken for an account’s | 200; - 429 missing-key; - 401 unknown-key; - 429 every-method | yes
  the only answer that there is             | - 429 missing-key; - 429 unknown-key                   | no
`))
  test(`the answer to a wrong key is veiled: ${what}: ${veiled}`, () =>
    expect(ofLast(isVeiled, exchanges)).toBe(veiled));

for (const [what, exchanges = '', doubtful] of rowsOf(`
  a connection that was reset         | ${OWN}; - unknown-key reset unanswered                            | yes
  an answer that came too late        | ${OWN}; - unknown-key timeout unanswered                          | yes
  another one that came too late      | ${OWN}; timeout; - unknown-key timeout unanswered                 | no
  an answer that was cut              | ${OWN}; - 401 unknown-key malformed                               | yes
  the same to a valid key             | ${OWN}; reset unanswered                                          | no
  429                                 | ${OWN}; - 429 unknown-key                                         | yes
  500                                 | ${OWN}; - 500 unknown-key                                         | yes
  499                                 | ${OWN}; - 499 unknown-key                                         | no
  500 as the server always rejects    | - 500 missing-key : no key; - 500 unknown-key : no key            | no
  500 to a valid key                  | ${OWN}; 500                                                       | no
  the first rejection                 | - 500 missing-key : oops                                          | yes
  every rejection                     | - 500 missing-key : oops; - 500 unknown-key : oops                | no
  every rejection but one             | - 500 missing-key : oops; - 401 unknown-key; - 500 unknown-key : oops | yes
`))
  test(`an answer is worth asking again for: ${what}: ${doubtful}`, () =>
    expect(ofLast(isDoubtful, exchanges)).toBe(doubtful));

const statuses = (exchanges: readonly Exchange[]) => exchanges.map(({ response }) => response?.status).join(' ');

for (const [what, asked, counted, hidden] of rowsOf(`
  a doubtful answer and a better one  | - 500 unknown-key; - 404 unknown-key          | 404     |
  a doubtful answer and a veiled one  | - 500 unknown-key; - 429 unknown-key          | 500     |
  two doubtful answers                | - 500 unknown-key; - 502 unknown-key          | 502     |
  a clear answer and a doubtful one   | - 404 unknown-key; - 500 unknown-key          | 404 500 |
  nothing but veiled answers          | - 429 unknown-key; - 429 unknown-key          |         | 429
  a veiled answer and a clear one     | - 429 unknown-key; - 404 unknown-key          | 404     |
  a flood                             | - 404 keyless : one of many; - 500 keyless : one of many | 404 |
  a flood that a veil answers         | - 429 keyless : one of many                   |         |
  two requests                        | - 429 unknown-key; - 404 unknown-key/long     | 404     | 429
`))
  test(`the answers that count, and the requests of which there are none: ${what}`, () => {
    const evidence = evidenceIn(`${OWN}; ${asked}`);
    const answers = answersWithoutKey(evidence, ['unknown-key', 'keyless']);
    expect([statuses(answers.counted), statuses(answers.hidden)]).toEqual([counted, hidden]);
  });

test('what was let in without a valid key, in a flood too, is known by its group, and no preflight is', () => {
  const letIn = (exchanges: string) => [...letInWithoutKey(evidenceIn(exchanges).exchanges)];
  const flood = evidenceIn(`200; ${OWN}; - keyless/unknown-key/1; - every-method/HEAD`).exchanges;
  expect([...letInWithoutKey(flood)]).toEqual(['unknown-key', 'every-method']);
  expect(letIn(`200; ${OWN}; - 204 every-method/OPTIONS OPTIONS:/webhooks`)).toEqual([]);
});

const SERVED = "= {start: {status: true, url: 'https://a.example/'}}";
const QUEUED = (ms: number, trial: string) =>
  `@${ms}+1 concurrent${trial} ${SERVED}; @${ms}+2 concurrent${trial} 429; @${ms}+1000 concurrent${trial} ${SERVED}`;

for (const [what, burst, isLate] of rowsOf(`
  where others were refused meanwhile, once   | ${QUEUED(10_000, '')} | no
  where others were refused meanwhile, twice  | ${QUEUED(10_000, '')}; ${QUEUED(15_000, '#2')} | yes
  where all were held up                      | @10000+900 concurrent ${SERVED}; @10000+901 concurrent 429; @10000+902 concurrent 429     | no
`))
  test(`an answer is late because of a queue ${what}: ${isLate}`, () =>
    expect(ofLast(isTurnedAway, `@0 ${SERVED}; ${burst}; @20000+900 ${SERVED}`)).toBe(isLate));

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

/** What became of a request: accepted, rejected or refused. */
import { expect, test } from '@playwright/test';
import {
  isAccepted,
  isRefused,
  isRejection,
  looksRefused,
  statusOf,
} from '../../../../src/evidence/responder/classify';
import { exchangeOf } from '../../support/evidence-of';
import { ofLast, rowsOf } from '../../support/table';

const SERVED = '= {start: {status: true}}';
const BURST = '@9000 sequence';
const WAIT = 'Retry-After=1';

for (const [what, exchange = '', outcome] of rowsOf(`
  the least 2xx                      | 200               | accepted
  the greatest 2xx                   | 299               | accepted
  a redirection                      | 300               | nothing
  an interim status                  | 199               | nothing
  a 2xx that breaks off              | 200 reset         | nothing
  no answer                          | reset unanswered  | nothing
  429 to a valid key                 | 429               | a rejection, refused
  400 to a valid key                 | 400               | a rejection
  400 without a key                  | - 400 missing-key | a rejection
  429 to a wrong key                 | - 429 unknown-key | a rejection
  499 without a key                  | - 499 missing-key | a rejection
  399 without a key                  | - 399 missing-key | nothing
  500 without a key                  | - 500 missing-key | nothing
  500 in a burst                     | ${BURST} 500      | refused
  a connection that a burst broke    | ${BURST} reset    | nothing
`))
  test(`${what} is ${outcome}`, () => {
    const checks = { accepted: isAccepted, 'a rejection': isRejection, refused: isRefused };
    const words = Object.entries(checks).flatMap(([word, is]) => (ofLast(is, exchange) === 'yes' ? word : []));
    expect(words.join(', ') || 'nothing').toBe(outcome);
  });

test('what was never answered has the status 0', () => {
  expect(statusOf({ ...exchangeOf(), response: null })).toBe(0);
});

for (const [what, exchanges = '', refused] of rowsOf(`
  403 that asks to wait              | 200; 403 ${WAIT}                                    | yes
  503 that asks to wait              | 200; 503 ${WAIT}                                    | yes
  403 that does not                  | 200; 403                                            | no
  503 that does not                  | 200; 503                                            | no
  429 that does not                  | 200; 429                                            | yes
  402 that asks to wait              | 200; 402 ${WAIT}                                    | no
  404 that asks to wait              | 200; 404 ${WAIT}                                    | no
  502 that asks to wait              | 200; 502 ${WAIT}                                    | no
  504 that asks to wait              | 200; 504 ${WAIT}                                    | no
  the status of refused bursts       | 200; ${BURST} 503; 503                              | yes
  the 401 of wrong keys, of a server that refuses otherwise | 200; - 401 unknown-key; ${BURST} 429; ${BURST} 401 | no
  the 401 of wrong keys, and nothing else | 200; - 401 unknown-key; ${BURST} 401           | yes
  the 401 of wrong keys, where the rest of a burst only failed | 200; - 401 unknown-key; ${BURST} 500; ${BURST} 401 | yes
  the 401 of wrong keys that asks to wait | 200; - 401 unknown-key ${WAIT}; ${BURST} 429; ${BURST} 401 ${WAIT} | yes
  the 403 of wrong keys, which may be a firewall that counts requests | 200; - 403 unknown-key; ${BURST} 429; ${BURST} 403 | yes
  that status on a page of its own, to what was never accepted | ${BURST} 503; 503 : no    | no
  what is made as refused bursts, to what was never accepted | ${BURST} 503; 503           | yes
  500 as in bursts, to what was never accepted | ${BURST} 500; 500                         | no
  in a burst, an answer in form      | ${SERVED}; ${BURST} ${SERVED}                       | no
  in a burst, an error in JSON       | ${SERVED}; ${BURST} : {"error":"slow down"}         | yes
  in a burst, an error in words      | ${SERVED}; ${BURST} : slow down                     | yes
  in a burst, the members in no JSON | ${SERVED}; ${BURST} : <webhook>                     | no
  in a burst, the members, their names escaped | ${SERVED}; ${BURST} : {"\\u0077ebhook":{}} | no
  in a burst, an error where no read gave settings | 200; ${BURST} : slow down             | no
  in a burst, no connection          | ${SERVED}; ${BURST} unreachable                     | no
  in a burst, a connection that breaks off | ${SERVED}; ${BURST} reset unanswered          | yes
  in a burst, a 4xx that breaks off  | ${SERVED}; ${BURST} 400 reset                       | yes
  in a burst, a 2xx that breaks off  | ${SERVED}; ${BURST} 299 reset                       | no
  in a burst, where only another burst shows that the account is served | 200; ${BURST} ${SERVED}; ${BURST} : slow down | no
`))
  test(`a refusal: ${what}: ${refused}`, () => expect(ofLast(isRefused, exchanges)).toBe(refused));

for (const [what, exchange, trials] of rowsOf(`
  the status of refusals             | - 503 unknown-key       | yes
  429                                | - 429 unknown-key       | yes
  429 that breaks off                | - 429 unknown-key reset | no
  401                                | - 401 unknown-key       | no
`))
  test(`${what} to a wrong key looks like a refusal because of the rate: ${trials}`, () =>
    expect(ofLast(looksRefused, `200; ${BURST} 503; ${exchange}`)).toBe(trials));

/** When the server did not serve: bans, outages and accidents. */
import { expect, test } from '@playwright/test';
import type { Evidence } from '../../../../src/evidence/model';
import {
  accidentsIn,
  isOfTheServer,
  outageOf,
  whileServing,
  whyNotServing,
} from '../../../../src/evidence/responder/failures';
import { bansOf } from '../../../../src/evidence/responder/guards';
import { accidentsInWords, outageInWords } from '../../../../src/judge/transport';
import { accountsNamed } from '../../support/evidence-of';
import { evidenceIn, rowsOf } from '../../support/table';

const TWO = { accounts: accountsNamed('alice', 'bob') };
const BAN = 'ban 403 : banned';
const WRONG = '- 401 unknown-key : no key';
const GUARD = '@4000 - 403 guard : banned';
const indexes = (evidence: Evidence) => evidence.exchanges.map(({ index }) => index).join(' ');

for (const [what, exchanges = '', bans] of rowsOf(`
  a refusal of a valid key                | @0; @2000 ${WRONG}; @6000 ${BAN}                   | 1 to end: 1
  a failure that no defence answers with  | @0; @2000 ${WRONG}; @6000 ban 502 : banned         |
  a connection that nobody takes          | @0; @2000 ${WRONG}; @6000 ban unreachable unanswered |
  a busy page                             | @0; @2000 ${WRONG}; @6000 ban 503 : banned         | 1 to end: 1
  one from the beginning                  | @2000 ${WRONG}; @6000 ${BAN}; @9000                | 0 to 9000: 1
  one between accepted reads              | @0; @3000; @6000 ${BAN}; @9000; @12000             | 3001 to 9000: 0
  several in one stretch                  | @0; @6000 ${BAN}; @8000 ${BAN}; @9000              | 1 to 9000: 0
  several stretches                       | @0; @6000 ${BAN}; @9000; @12000 ${BAN}             | 1 to 9000: 0, 9001 to end: 0
  one as another ends                     | @6000 ${BAN}; @9000; @9000 ${BAN}                  | 0 to 9000: 0, 0 to end: 0
  reads accepted just then                | @5999; @6000 ${BAN}; @6001                         | 6000 to 6001: 0
  a read that ended just then             | @5999; @6000+10 ${BAN}; @6010                      | 6000 to 6010: 0
  an accepted read                        | @0; @6000 ban 200 : banned                         |
  wrong keys before and after             | @1 ${WRONG}; @2 ${WRONG}; @6000 ${BAN}; @7000 ${WRONG} | 0 to end: 2
  a wrong key at the same moment          | @1 ${WRONG}; @6000 ${WRONG}; @6000 ${BAN}          | 0 to end: 1
  wrong keys that were banned             | @1 ${WRONG}; @2 - 403 unknown-key : banned; @6000 ${BAN} | 0 to end: 1
  a key accepted without being valid      | @0; @6000 ${BAN}; @8000 - 200 unknown-key : no key | 1 to end: 0
  another account accepted at one moment  | @6000 ${BAN}; @6999 bob together                   |
  another account accepted a second later | @6000 ${BAN}; @7000 bob together                   | 0 to 7000: 0
  another account accepted just before    | @5500 bob together; @6000 ${BAN}                   |
  reads that met a guard                  | @1 ${WRONG}; ${GUARD}; @6000 together 403 : banned | 0 to end: 1
  reads that met something else           | @1 ${WRONG}; ${GUARD}; @6000 together 403 : busy   |
  reads that met the limit                | @1 ${WRONG}; @4000 - 429 guard : banned; @6000 together 429 : banned |
  accepted reads made as a guard answers  | @1 ${WRONG}; ${GUARD}; @6000 together 200 : banned |
  another read that met a guard           | @1 ${WRONG}; ${GUARD}; @6000 403 : banned          |
`))
  test(`a ban: ${what}`, () => {
    const end = (ms: number) => (ms === Number.POSITIVE_INFINITY ? 'end' : ms);
    const found = bansOf(evidenceIn(exchanges, TWO));
    expect(found.map(({ fromMs, toMs, wrongKeys }) => `${fromMs} to ${end(toMs)}: ${wrongKeys}`).join(', ')).toBe(bans);
  });

test('what a ban answered is not judged, and what else was asked meanwhile is', () => {
  const banned = '- 403 unknown-key : banned';
  const evidence = evidenceIn(`@0; @1 500; @2000 ${WRONG}; @3000 ${banned}; @4000 500; @6000 ${BAN}; @7000 ${banned};
    @7500 - 000 unknown-key :; @8998+2 500; @8999+2 500; @9000; @9500 ${banned}; @9600 500`);
  expect(indexes(whileServing(evidence))).toBe('0 2 7 9 10 11 12');
  expect(whyNotServing(evidence)).toMatch(/^after 1 wrong keys .* for a while: ask the operator/);
});

test('connections that a ban breaks are told from answers', () => {
  const broken = '@3000 - unknown-key reset unanswered; @6000 ban reset unanswered';
  const evidence = evidenceIn(`@0; @2000 ${WRONG}; ${broken}`);
  expect(indexes(whileServing(evidence))).toBe('0 1');
  expect(bansOf(evidence)[0]?.wrongKeys).toBe(1);
});

for (const [exchanges = '', why] of rowsOf(`
  @1 ${WRONG}; @6000 ${BAN}; @9000; @9500 ${WRONG}; @12000 ${BAN} | ^after 2 wrong keys .* until the run ended:
  @0; @1 ${WRONG}; @6000 ban 503 : banned | ^after 1 wrong keys this address was refused
`))
  test(`the last ban is the one that is told: ${why}`, () =>
    expect(whyNotServing(evidenceIn(exchanges))).toMatch(new RegExp(why ?? '')));

const DOWN = 'sequence 500 : down';
const ALIVE = '- 500 alive : down';
const MISSING = '- 401 missing-key : no key';
const LOST = 'reset unanswered';

for (const [what, exchanges = '', first, served] of rowsOf(`
  the same error to all, to the end | 200; ${MISSING}; ${DOWN}; - 500 unknown-key : down; ${ALIVE}       | 2 | 0 1
  faults to the end                 | 200; ${MISSING}; sequence ${LOST}; - alive ${LOST}                 | 2 | 0 1
  nobody looked at the end          | 200; ${MISSING}; ${DOWN}; - 500 unknown-key : down                 | - |
  it always answered so             | 200; - 500 missing-key : down; ${DOWN}; ${ALIVE}                   | - |
  only another request was rejected otherwise | 200; - 401 unknown-key GET:/ : down; ${DOWN}; ${ALIVE}   | - |
  only requests without a key got it | 200; ${MISSING}; - 500 unknown-key : down; ${ALIVE}               | - |
  it is made as a refusal, first of all | ${DOWN}; 200; ${MISSING}; ${DOWN}; ${ALIVE}                    | - |
  it is made as a refusal, last of all | ${MISSING}; ${DOWN}; 200; ${DOWN}; ${ALIVE}                     | - |
  a fault was there before          | ${MISSING}; sequence ${LOST}; 200; sequence ${LOST}; - alive ${LOST} | 3 | 0 1 2
  a wrong key got it before         | 200; ${MISSING}; - 500 unknown-key : down; 200; ${DOWN}; ${ALIVE}  | 4 | 0 1 3
  a key is not asked for any more   | 200; ${MISSING}; sequence 429 : down; 200; - 200 alive             | - |
  a page in place of everything     | : ok; ${MISSING}; : page; - 200 alive : page                       | 2 | 0 1
  waits that grow, as of a limiter  | 200; ${MISSING}; 403 Retry-After=8 : wait; - 403 alive Retry-After=16 : wait | - |
  a page that counts down           | 200; ${MISSING}; 403 Retry-After=16 : wait; - 403 alive Retry-After=8 : wait | 2 | 0 1
  refusals with 429                 | 200; ${MISSING}; 429 Retry-After=8 : wait; - 429 alive Retry-After=8 : wait | - |
  several errors in a row           | 200; ${MISSING}; ${DOWN}; sequence 503 : down; - 503 alive : down  | 2 | 0 1
  faults, then an error             | 200; ${MISSING}; sequence ${LOST}; ${ALIVE}                        | 2 | 0 1
`))
  test(`an outage: ${what}`, () => {
    const evidence = evidenceIn(exchanges);
    expect(String(outageOf(evidence)[0]?.index ?? '-')).toBe(first);
    if (first === '-') expect(whileServing(evidence)).toBe(evidence);
    // What failed before, at another moment, was an accident.
    else expect(indexes(whileServing(evidence))).toBe(served);
    expect(whyNotServing(evidence) !== null).toBe(first !== '-');
  });

test('an outage begins in a burst, whose last served request is answered late', () => {
  const evidence = evidenceIn(`200; ${MISSING}; @5000+2 ${DOWN}; @5000+5 429; @6000 ${ALIVE}`);
  expect(outageOf(evidence).map(({ index }) => index)).toEqual([2, 4]);
  expect(indexes(whileServing(evidence))).toBe('0 1 3');
});

test('a ban that stays is no outage', () => {
  expect(outageOf(evidenceIn(`200; ${MISSING}; @5000 ${BAN}; @6000 - 403 alive : banned`))).toEqual([]);
});

test('an outage in words', () => {
  for (const [exchanges, words] of [
    [`@90000 ${DOWN}; @90000 ${ALIVE}`, 'every request got 500, 2 in all'],
    [`@90000 sequence ${LOST}; @90000 - alive ${LOST}`, 'every request got no whole answer, 2 in all'],
  ]) {
    const evidence = evidenceIn(`200; ${MISSING}; ${exchanges}`);
    expect(outageInWords(outageOf(evidence))).toContain(`from 90.0 s into the run to its end ${words}, to`);
  }
});

const FAILED = '502 : Bad Gateway';
const WRONG_FAILED = '- 502 unknown-key : no key';
const OVER = '@0 429 sequence';
const BUSY = '503 sequence : busy';
const BURSTS = `${OVER}; @1990; @2000 503 : down; @2010; @2020; @5990; @6000 503 : down; @6010; @9000`;

/** A server that always asks to wait, and answers most wrong keys with a page. */
const BUSY_TO_ALL = `@1000 - 503 unknown-key Retry-After=1 : busy; @2000 Retry-After=1; @3000 - 503 unknown-key Retry-After=1 : busy`;

for (const [what, exchanges = '', accidents = ''] of rowsOf(`
  a single 502                          | @0; @2000 ${FAILED}                                 | 1
  several at one moment                 | @0 ${FAILED}; @999 ${FAILED}; @3000                 | 0 1
  one of a key that is accepted later   | @0 ${FAILED}; @2000                                 | 0
  one to a wrong key                    | @0; @1000 ${WRONG}; @2000 ${WRONG_FAILED}           | 2
  nobody is served meanwhile            | @0; @1000 ${FAILED}; @3000 ${WRONG_FAILED}; @9000; @9500 ${WRONG} | 1 2
  somebody is served meanwhile          | @0; @1000 ${FAILED}; @2000 ${WRONG}; @3000 ${WRONG_FAILED}; @9000 | 1 3
  the same to keys alone, and never a refusal | @0; @1000 ${FAILED}; @3000 ${FAILED}; @9000   | 1 2
  the same to keys alone, of a server that refuses otherwise | ${OVER}; @10; @1000 ${FAILED}; @3000 ${FAILED}; @9000 | 2 3
  the same to keys that were not alone  | ${BURSTS}                                           |
  and to one without a key at another address | ${BURSTS}; @9100 ${WRONG}; @9200 ${WRONG}; @9300 ${WRONG}; @9400 ${WRONG}; @9500 - GET:api.example/v9/webhooks every-path 503 : down | 2 6
  the status of refusals on a page, while nobody is served | @0; @1 ${BUSY}; @2 ${BUSY}; @4000; @4001 ${BUSY}; @4002 ${BUSY}; @5000 503 : down; @6500 503 : down; @8000 503 : down; @9000; @9001 ${BUSY} | 6 7 8
  the account is never served           | @0 ${FAILED}; @0 bob; @2000 bob                     |
  the same is never answered otherwise  | @0; @2000 GET:/ ${FAILED}                           |
  the key is asked for otherwise        | @0 ${WRONG}; @2000 ${FAILED}                        |
  another account shows that the same is answered | @0; @2000 GET:/ ${FAILED}; @4000 bob GET:/ | 1
  it speaks of the rate                 | @0; @2000 503 Retry-After=1 : down                  |
  maintenance that asks to wait, of a server that refuses with 429 | ${OVER}; @1; @2000 503 Retry-After=2 | 2
  that comes at two moments             | ${OVER}; @1; @2000 503 Retry-After=2; @4000 503 Retry-After=2 |
  it holds a secret                     | @0; @2000 502 : [secret:password:alice]             |
  its headers hold a secret             | @0; @2000 502 X=[secret:apiKey:alice] : down        |
  it holds settings                     | @0; @2000 502 : {"hasPassword":true}                |
  it is no 5xx                          | @0; @2000 404 : down                                |
  the same to HEAD as to many others    | @0 Retry-After=1; ${BUSY_TO_ALL}; @1500 - HEAD:/webhooks every-method/HEAD 503 Retry-After=1 :; @5000 - HEAD:/webhooks every-method/HEAD 401 :; @6000 ${WRONG} |
  it broke off                          | @0; @2000 502 reset : down                          | 1
  it broke off elsewhere, and was whole again | @0; @1000 ${WRONG}; @2000 - GET:api.example/v9/webhooks every-path malformed; @9000 - GET:api.example/v9/webhooks every-path 404 | 2
  what is always broken elsewhere, beside it | @0; @2000 HEAD:/webhooks other-answers/HEAD malformed; @4000 502 reset : down; @6000 | 2
  another server fails, too, at another time | @0; @2000 ${FAILED}; @9000 GET:api.example/v9/webhooks ${FAILED} | 1
`))
  test(`an accident: ${what}`, () => {
    const evidence = evidenceIn(exchanges, TWO);
    const found = [...accidentsIn(evidence)].map(({ index }) => index);
    expect(found.join(' ')).toBe(accidents);
    const left = evidence.exchanges.filter(({ index }) => !found.includes(index));
    expect(whileServing(evidence).exchanges.filter(isOfTheServer)).toEqual(left);
    expect(accidentsInWords(evidence) === null).toBe(accidents === '');
  });

test('a failure that answers another header accuses the server all the same', () => {
  const evidence = evidenceIn(`@0; @2000 ${FAILED}`);
  for (const { request } of evidence.exchanges.slice(1)) request.headers = [['X', '']];
  expect(accidentsIn(evidence).size).toBe(0);
});

for (const [exchanges = '', words] of rowsOf(`
  @0; @2000 ${FAILED} | 502 to GET https://api.example/v2/webhooks (entry 1). The same
  @0; @2000 ${FAILED}; @2001 ${FAILED} | (entry 1) and 1 more. The same
  ${OVER}; @2000; @4000; @6000; @8000; @10000; @12000; @14000 ${FAILED}; @16000 ${FAILED}; @18000 | and 1 more. The same
  ${OVER}; @0; @2000 ${FAILED}; @4000; @5000 505; @6000 | Unsteady: 2 of 6 answers failed (502 and 505), at 2 moments: 2 to valid keys, 0 to requests without
`))
  test(`accidents in words: ${words}`, () => expect(accidentsInWords(evidenceIn(exchanges))).toContain(words));

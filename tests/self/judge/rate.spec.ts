/**
 * What the rules of the rate limit find in small evidence: one row for each edge. Times are milliseconds of the run. Helpers make
 * the notation of `support/table.ts`.
 */
import { expect, test } from '@playwright/test';
import { probe } from '../../../src/catalogue/catalogue';
import type { TargetFacts } from '../../../src/evidence/model';
import { ruleOf } from '../../../src/profiles/rules';
import { accountsNamed, found } from '../support/evidence-of';
import { evidenceIn, expectFound, expectRows, foundAs, rowsOf, tabled } from '../support/table';

const T0 = Date.UTC(2026, 5, 15) / 1000;
const dateAt = (ahead: number) => new Date((T0 + ahead) * 1000).toUTCString();
const DATE = `"Date=${dateAt(0)}"`;
const LOST = 'reset unanswered';
const NO_ANSWER = '? no answer to this arrived whole: fix transport.complete first';
const NOT_KEPT = '? No request was refused, because no limit is enforced: fix rate.enforced first.';
const NO_WRONG_KEY = '? No wrong key was rejected right before these reads';
const NEVER_CLOSE =
  '? What was accepted came so far apart that a limit of half the rate would have accepted it as well';
const REFUSED_ONCE =
  '? A request was refused although it kept its distance, and too few came after it to show why: run again.';
const BROKEN_ONCE =
  '? A request was refused after what was promised, at one moment, and too few promises alike came after it';
const ANOTHER_OR_CHANCE =
  '? Some requests were refused although they kept to the rate, others were not. Perhaps another client';
const NO_REFUSAL =
  '? No request was refused, so no refusal could be inspected: a server that queues, or a limit above the burst';

const rated = (requests: number, seconds = 1): Partial<TargetFacts> => ({ rate: { requests, seconds } });
const among = (...names: string[]): Partial<TargetFacts> => ({ accounts: accountsNamed(...names) });

/** One test a table: `what it shows | exchanges | what is found`. */
const rows = (clause: string, target: Partial<TargetFacts>) =>
  tabled((table) =>
    test(`${clause} of ${JSON.stringify(target)}`, () =>
      expectRows(table, ([, exchanges = ''], cell) => foundAs(clause, evidenceIn(exchanges, target), cell))),
  );

/** The same exchange at each of some moments. */
const each = (moments: readonly number[], exchange: string) => moments.map((ms) => `@${ms} ${exchange}`).join('; ');
/** Requests at one moment, with these statuses. */
const burst = (group: string, atMs: number, ...statuses: number[]) =>
  statuses.map((status, i) => `@${atMs + i}+${statuses.length - i} ${group} ${status}`).join('; ');
/** Requests that were let in, each some seconds after the one before: they show that a limit lets anything in. */
const LET_IN = each([-60_000, -56_000, -52_000, -48_000], '200');
const says = (limit: number, remaining: number) => `X-RateLimit-Limit=${limit} X-RateLimit-Remaining=${remaining}`;

// A server that queues, or shows no refusal.
const HELD_TWICE = '@0; @1500+900 sequence; @3000+900 concurrent';
const NOT_ANSWERED = 'the answer: a request of a burst was not answered: the server closed the connection';
const OVER = 'to a request over the rate';
const onBase = (second: string) => `@0 GET:/; @2000 sequence 429; @4000 paths GET:/ ${LOST}; ${second}`;
rows('rate.refusal', among('alice', 'bob'))`
  no burst was asked for     | @0                                             | ${NO_REFUSAL}
  a burst was let through    | @0 concurrent                                  | ${NO_REFUSAL}
  one was held back          | @0; @10+900 sequence; @2000 concurrent         | ${NO_REFUSAL}
  two were held back, but no burst at one moment was sent | @0; @1000+900 sequence; @3000+900 sequence | ${NO_REFUSAL}
  two were held back         | ${HELD_TWICE}                                  | ? No request was refused: this server held back what was over the rate, up to a whole burst at one moment
  two were held back, and too many of the other account accepted | ${HELD_TWICE}; ${each([9000, 9002, 9004], 'bob sequence')} | ${NOT_KEPT}
  a broken one               | @0 sequence ${LOST}                            | ${NOT_ANSWERED}
  a proper one, and a 2xx that broke off | @0 sequence reset; @9 sequence 429 | -
  with settings              | @0 sequence 429 = {start: {status: true, url: 'https://a.example/'}, auth: {}} | ${OVER}: 429 with the settings
  that looks like success    | @0 = {start: {status: true, url: 'https://a.example/'}, auth: {}}; @2000 sequence : no | ${OVER}: 200 without the settings, which looks like success,
  that looks so beside a 429, which is a broken answer | @0 = {start: {status: true, url: 'https://a.example/'}, auth: {}}; @2000 sequence : no; @2005 sequence 429 | -
  a 399                      | @0 sequence 399                                | ${OVER}: 399
  a 400                      | @0 sequence 400                                | -
  a 500                      | @0 sequence 500                                | ${OVER}: 500
  a 503                      | @0 sequence 503                                | -
  two broken ones on the base path | ${onBase(`@7000 paths GET:/ ${LOST}`)}   | ${NOT_ANSWERED}; ${NOT_ANSWERED}
  two at one moment          | ${onBase(`@4500 paths GET:/ ${LOST}`)}         | -
  two failures of a base path that is not there | @0 GET:/ 404; @2000 sequence 429; ${each([4000, 7000], 'paths GET:/ 500')} | ${OVER}: 500; ${OVER}: 500
  two failures of a base path that always fails | @0 GET:/ 500; @2000 sequence 429; ${each([4000, 7000], 'paths GET:/ 500')} | -
  two that nobody took       | @0 GET:/; @2000 sequence 429; ${each([4000, 7000], 'paths GET:/ unreachable unanswered')} | -
`;

test('rate.refusal: why no burst was sent', () => {
  const notSent = [{ probe: probe('sequence'), reason: 'The key is not accepted.' }];
  const judged = (exchanges: string) => found('rate.refusal', { ...evidenceIn(exchanges), notSent });
  expect(judged('@0')).toBe('The key is not accepted.');
  for (const exchanges of ['@0 sequence', '@0; @9 concurrent']) expect(judged(exchanges)).toMatch(/^No request was/);
});

rows('rate.refusal-429', {})`
  no refusal                 | @0 sequence                                    | ${NO_REFUSAL}
  none that is proper        | @0 sequence ${LOST}                            | ? No refusal was a proper one.
  403                        | @0 sequence 403                                | ${OVER}: 403
  429                        | @0 sequence 429                                | -
`;

const NONE_APART = '? no two requests of one account were a window apart';
rows('rate.not-stricter', among('alice', 'bob'))`
  a single request           | @0                                             | ${NONE_APART}
  four requests              | @0; @1001; @2002; @3003                        | -
  two requests, between which a window of twice the length may end | @0; @1001 | ${NEVER_CLOSE}
  two requests that are too close | @0; @1000                                 | ${NONE_APART}
  a failure                  | @0; @1500 500                                  | ${NONE_APART}
  one refusal                | @0; @1500 429                                  | ${REFUSED_ONCE}
  one refusal, and four that were let in after it | @0; @1500 429; @3000; @4100; @5200; @6300 | -
  two refusals               | ${LET_IN}; @0; @1500 429; @3000 429            | alice: 2 requests refused, each more than 1 s after the one before
  two that ask for a minute, when the longest honest wait was kept | @0; ${each([1500, 5700, 9900], '429 Retry-After=60')} | alice: 3 requests refused, each more than 1 s after the one before
  two that ask for a minute, when less was waited | @0; ${each([1500, 5500, 9500], '429 Retry-After=60')} | ${REFUSED_ONCE}
  two by stored answers, as another client may cause | ${LET_IN}; @0 bob; @0; @1500 429 Age=1; @4600; @6100 429 Age=2; @9000 | alice: 2 requests refused by answers that a cache had stored, each more than 1 s after the one before
`;

const ALL_REFUSED = '? Every request of the bursts was refused, so what is let through was not seen.';
const EACH_TIME = '? Each time, a window must have ended, or the server must have been restarted,';
const three = (atMs: number) => burst('sequence', atMs, 200, 200, 200);
rows('rate.enforced', {})`
  not sent                   | @0                                             | ? No burst was sent.
  one refused                | @0 sequence 429                                | ${ALL_REFUSED}
  one broken, one refused    | @0 sequence ${LOST}; @5 sequence 429           | ${ALL_REFUSED}
  one broken                 | @0 sequence ${LOST}                            | ${NO_ANSWER}
  fewer than there may be    | @0 sequence                                    | ? A burst has fewer requests than the rate allows: set \`limits.burst\` above 1.
  two at a boundary          | ${burst('sequence', 0, 200, 200, 429)}         | -
  two at a boundary, three times | ${[0, 5000, 10_000].map((atMs, i) => burst(`sequence#${i + 1}`, atMs, 200, 200, 429)).join('; ')} | ${EACH_TIME}
  three at once              | ${three(0)}                                    | alice: 3 requests accepted within 3 ms
  three in two bursts        | ${three(0)}; ${three(5000).replaceAll('sequence', 'sequence#2')} | alice: 3 requests accepted within 3 ms, seen in 2 separate bursts
  three once, as after a restart, and not again | ${three(0)}; ${burst('sequence#2', 5000, 200, 429)} | -
  three once, as after a restart, and two another time, as where a window ended | ${three(0)}; ${burst('sequence#2', 5300, 200, 200, 429)} | ${EACH_TIME}
  five once, which no restart explains | ${burst('sequence', 0, 200, 200, 200, 200, 200)}; ${burst('sequence#2', 5000, 200, 429)} | alice: 5 requests accepted within 5 ms, seen in 2 separate bursts
  the fullest burst is the last | ${three(0)}; ${burst('sequence#2', 5000, 200, 200, 200, 200)} | alice: 4 requests accepted within 4 ms, seen in 2 separate bursts
  the fullest burst is the first | ${burst('sequence', 0, 200, 200, 200, 200)}; ${burst('sequence#2', 5000, 200, 200, 200)} | alice: 4 requests accepted within 4 ms, seen in 2 separate bursts
  none in a burst of its own | @0 sequence#1; @300 sequence#2; @600 sequence#3; @602 sequence#3 429; @604 sequence#3 429 | alice: 3 requests accepted within 601 ms, seen in 3 separate bursts
  as much as a window holds  | ${each([0, 5, 10, 998.5, 999.5], 'sequence')}  | alice: 4 requests accepted within 996 ms
`;
rows('rate.enforced', among('alice', 'bob'))`
  three once for each account, at moments of their own | ${[0, 30_000].map((ms, i) => `${burst(`${['', 'bob '][i]}sequence`, ms, 200, 200, 200)}; ${burst(`${['', 'bob '][i]}sequence#2`, ms + 5000, 200, 429)}`).join('; ')} | ${['alice', 'bob'].map((name) => `${name}: 3 requests accepted within 3 ms, seen in 2 separate bursts`).join('; ')}
  three once for each account, at one moment | ${three(0)}; ${burst('bob sequence', 0, 200, 200, 200)}; ${burst('sequence#2', 5000, 200, 429)}; ${burst('bob sequence#2', 5000, 200, 429)} | -
`;
rows('rate.enforced', rated(3))`
  a burst that is just too short | ${three(0)}                                | ? A burst has fewer requests than the rate allows: set \`limits.burst\` above 3.
  one burst that is long enough | ${three(0)}; ${burst('sequence#2', 5000, 200, 200, 200, 429)} | -
`;

// Whose budget a request draws on.
const FIRSTS = '@0; @0 bob; @0 carol';
/** Alice uses up her budget, and another account is asked at once. */
const met = (atMs: number, answer = '429', account = 'bob') =>
  `@${atMs - 110}; @${atMs - 100} 429; @${atMs} ${account} ${answer}`;
const TWICE = `${FIRSTS}; ${met(4000)}; ${met(8000)}`;
const LOOKED = '429 neighbour';
const SEEN_TWICE = `${FIRSTS}; ${met(4000, LOOKED)}; ${met(8000, LOOKED)}`;
const NOBODY =
  '? No account was asked while another was refused: fix auth.accepted if a key is not accepted, else run again.';
const OF_BOB = '? Somebody else used the key of bob (seen 2 times) during this run: keep the keys idle and run again.';
const blamed = (count: number) =>
  `bob: refused while alice was over its limit, although its own budget was unused, ${count} times`;
const together = (account: string, atMs: number, ...statuses: number[]) =>
  statuses.map((status) => `@${atMs}+3 ${account} concurrent#${atMs} ${status}`).join('; ');
const othersFirst = [3, 4].map((n) => `@${4300 * n} bob neighbour#${n}; @${4300 * n + 10} neighbour#${n}`).join('; ');
const allOver = ['alice', 'bob', 'carol'].map((name, i) => together(name, 20_000 + 2000 * i, 200, 200, 200, 429));
const SELDOM_BESIDE = '? it had to wait or was refused, but too seldom to show whether they are the reason: run again.';
rows('rate.per-user', among('alice', 'bob', 'carol'))`
  no refusal                 | ${FIRSTS}                                      | ${NO_REFUSAL}
  a refusal alone            | ${FIRSTS}; @5 429                              | ${NOBODY}
  accepted meanwhile         | ${FIRSTS}; ${met(4000, '200')}                 | -
  refused once               | ${FIRSTS}; ${met(4000)}                        | ${SELDOM_BESIDE}
  refused twice              | ${TWICE}                                       | ${blamed(2)}
  two of them a window apart | @-4000; @-2500 bob; @-1000 carol; ${met(4000)}; ${met(5000, '429', 'carol')} | ${blamed(2)}
  two of them a window apart, of three accounts that were let in at one moment | ${FIRSTS}; ${met(4000)}; ${met(5000, '429', 'carol')} | ${SELDOM_BESIDE}
  two of them not quite a window apart | ${FIRSTS}; ${met(4000.5)}; ${met(5000, '429', 'carol')} | ${SELDOM_BESIDE}
  refused when looked at twice | ${SEEN_TWICE}                                | ${blamed(2)}
  refused when looked at once | ${TWICE}; ${met(12_000, LOOKED)}              | ${blamed(3)}
  accepted when looked at    | ${TWICE}; ${met(12_500, '200 neighbour')}      | ${OF_BOB}
  refused when looked at twice, and accepted once | ${SEEN_TWICE}; ${met(12_500, '200 neighbour')} | ${OF_BOB}
  the same, where the end of a window of one budget may have come between | ${SEEN_TWICE}; ${met(12_000, '200 neighbour')} | ${blamed(2)}
  refused when looked at twice, and neither of the two when one of them was asked first | ${FIRSTS}; ${met(4000, '429 neighbour#1')}; ${met(8000, '429 neighbour#2')}; ${othersFirst} | ${OF_BOB}
  a whole burst refused alone as well | ${TWICE}; ${together('bob', 12_000, 429, 429)}; ${together('carol', 20_000, 200, 429)} | -
  every burst refused as a whole | ${TWICE}; ${together('bob', 12_000, 429, 429)}; ${together('carol', 20_000, 429, 429)} | ${blamed(2)}
  every account over the rate as well | ${TWICE}; ${allOver.join('; ')}       | ? but every account got more than the rate allows: fix rate.enforced first.
  refused alone as well      | ${TWICE}; @12000 bob 429                       | -
  refused too soon           | ${FIRSTS}; ${met(4000)}; @7500 bob; ${met(8000)} | -
  wrong keys before          | ${FIRSTS}; @3500 - 401 missing-key; ${met(4000)}; ${met(8000)} | ${SELDOM_BESIDE}
  after a fault              | ${FIRSTS}; @2000 bob ${LOST}; ${met(4000)}; ${met(8000)} | ${SELDOM_BESIDE}
  before a fault             | ${TWICE}; @12000 bob ${LOST}                   | ${blamed(2)}
  broken meanwhile           | ${FIRSTS}; ${met(4000, `neighbour ${LOST}`)}; @8000 bob | ${NOBODY}
  another failure            | ${FIRSTS}; ${met(4000, '500')}                 | ${NOBODY}
  a limit that is too strict | ${TWICE}; @12000 carol 429; @16000 carol 429   | ? and also while no other was. A smaller limit explains both.
  its own request beside it  | ${FIRSTS}; ${met(4000)}; @4000.5+2.5 bob       | -
  not answered yet           | ${FIRSTS}; @3890; @3990+15 429; @4000 bob      | ${NOBODY}
  answered just in time      | ${FIRSTS}; @3890; @3999 429; @4000 bob         | -
  after a fault at first     | @0; @0 bob ${LOST}; ${met(4000)}; ${met(8000)} | ${SELDOM_BESIDE}
  the other one too early    | ${FIRSTS}; @2890; @2998.5 429; @4000 bob       | ${NOBODY}
  the other one just in time | ${FIRSTS}; @2890; @2999.5 429; @4000 bob       | -
`;

test('rate.per-user: one account has no neighbour, and two have one', () => {
  const alone = 'Declare a second account in the target file: while one is refused, another is asked.';
  expectFound('rate.per-user', evidenceIn('@0'), `? ${alone}`);
  expectFound('rate.per-user', evidenceIn('@0', among('alice', 'bob')), NO_REFUSAL);
});

// Requests that wait in a queue while another account is answered at once.
/** One queue for both, which refuses what it has no place for. */
const oneQueue = (n: number) => {
  const atMs = 5000 * n;
  const burst = `concurrent#${n}`;
  return `@${atMs} ${burst}; @${atMs}+1000 ${burst}; @${atMs} ${burst} 429; @${atMs + 100}+1900 bob`;
};
rows('rate.per-user', among('alice', 'bob'))`
  held back twice            | @0; @2000 bob; ${oneQueue(1)}; ${oneQueue(2)}  | ${SELDOM_BESIDE}
  held back three times      | @0; @2000 bob; ${oneQueue(1)}; ${oneQueue(2)}; ${oneQueue(3)} | bob: held back right after alice was asked, although its own budget was unused, 3 times
  the same of an account that waits alone as well, as where a timer serves the queue | @0; @2000 bob; ${oneQueue(1)}; ${oneQueue(2)}; ${oneQueue(3)}; @30000+900 bob unknown-path GET:/x 404 | -
  another waits meanwhile    | @0; @0 bob; @5000+900; @5100 bob               | -
  another waits a moment     | @0; @0 bob; @5000+400; @5100 bob               | ${NO_REFUSAL}
  another waits from the same moment | @0; @0 bob; @5100+800; @5100 bob       | ${NO_REFUSAL}
  another waits up to the same moment | @0; @0 bob; @5000+900; @5899 bob      | ${NO_REFUSAL}
  both wait                  | @0; @0 bob; @5000+1900; @5100+900 bob          | ${NO_REFUSAL}
`;

/** A read, and the base path right behind it. Each trial has a number of its own. */
const paths = (atMs: number, answer = '200', gapMs = 10) => {
  const [, took = ''] = /(\+\d+)/.exec(answer) ?? [];
  return `@${atMs} paths#${atMs}; @${atMs + gapMs}${took} paths#${atMs} GET:/ ${answer.replace(took, '')}`;
};
/** The base path first, and a read right after it. */
const fromBase = (atMs: number, answer = '429') => `@${atMs} base-accepted GET:/; @${atMs + 10} sequence ${answer}`;
const NO_PATHS = '? No request to / could follow those to /webhooks that were accepted.';
const MAYBE_AGAIN = '? Each time there may have been budget again before the other path was asked: run again, nearer';
const NOT_THERE =
  '? GET on the base path is answered with 404, refused or not, so it cannot be seen to use up a budget.';
const ONE_ORDER =
  '? Only one path was refused right after the other had used up the budget, and the other way round is not';
const apart = (count: number, ms: number) =>
  `alice: /webhooks and / each had a budget of their own: ${count} requests accepted within ${ms} ms`;
/** The base path served another account, and a read refused with 503. */
const OWN_WAY = '@-9000 bob base-accepted/apikey GET:/ 200; @-5000; @-4990 sequence 503 Retry-After=1;';
const SERVED = "= {start: {status: true, url: 'https://a.example/'}, auth: {}}";
rows('rate.across-paths', {})`
  not asked                  | @0                                             | ${NO_PATHS}
  refused, in evidence of a version that asked in one order | ${paths(0, '429')} | -
  refused, and the read after the base path accepted | ${paths(0, '429')}; ${fromBase(5000, '200')} | ${ONE_ORDER}
  the read after the base path refused | ${fromBase(0)}                       | ${ONE_ORDER}
  refused, and the base path, asked to begin a sequence, refused as well, and accepted later | ${paths(0, '429')}; @5000 base-accepted/APIKEY 429; @5010; @9000 base-accepted/APIKEY GET:/ | ${ONE_ORDER}
  the same, and the base path accepted never | ${paths(0, '429')}; @5000 base-accepted/APIKEY GET:/ 429 | -
  refused in either order    | ${paths(0, '429')}; ${fromBase(5000)}          | -
  the read refused           | @0 paths 429; @10 paths GET:/                  | ${MAYBE_AGAIN}
  not there                  | ${paths(0, '404')}                             | ${NOT_THERE}
  not there and out of order | ${paths(0, '404')}; ${paths(5000, '500')}      | ${NOT_THERE}
  not there once             | ${paths(0, '404')}; ${paths(5000, '429')}      | -
  accepted once              | ${paths(0)}                                    | ${MAYBE_AGAIN}
  accepted at two phases     | ${paths(0)}; ${paths(5300)}                    | ${apart(2, 11)}
  accepted at two phases, later | ${paths(700)}; ${paths(5000)}               | ${apart(2, 11)}
  asked right behind         | ${paths(0, '200', 1)}                          | ${MAYBE_AGAIN}
  another group              | @0; @10 base-accepted GET:/                    | ${MAYBE_AGAIN}
  one path alone             | @0 paths; @10 paths                            | ${NO_PATHS}
  broken                     | ${paths(0, LOST)}                              | ${NO_PATHS}
  accepted at three phases   | ${paths(0)}; ${paths(5300)}; ${paths(9600, '200', 20)} | ${apart(2, 11)}
  accepted at one phase      | ${paths(0)}; ${paths(5000)}                    | ${MAYBE_AGAIN}
  accepted at one phase, much later | ${paths(0)}; ${paths(100_000)}          | ${MAYBE_AGAIN}
  accepted twice and refused twice | ${paths(0)}; ${paths(2300, '429')}; ${paths(5300)}; ${paths(8000, '429')} | ${apart(2, 11)}
  accepted too late          | ${paths(0, '200', 1100)}; ${paths(5300, '200', 1100)} | ${MAYBE_AGAIN}
  accepted too late once     | ${paths(0, '200', 1100)}; ${paths(5300)}       | ${MAYBE_AGAIN}
  refused late               | ${paths(0, '429', 1100)}                       | -
  refused without Retry-After, unlike reads, with nothing left | ${OWN_WAY} ${paths(0, `503 ${says(1, 0)}`)} | -
  the same, and the base path served never | ${OWN_WAY.replace('GET:/ 200', 'GET:/ 403')} ${paths(0, `503 ${says(1, 0)}`)} | ${NOT_THERE.replace('404', '503')}
  late                       | ${paths(0, '+1190 200')}                       | ${MAYBE_AGAIN}
  held back by a queue       | @-5000+900 sequence; @-4000+900 sequence; ${paths(0, '+1190 200')}; @5000 base-accepted GET:/; @5010+990 sequence | -
  too many on one path as well | ${paths(0)}; ${paths(5300)}; ${three(9000)}  | -
  refusals that look like success | @-9000 ${SERVED}; @-5000 sequence : no; @0 paths = {}; @10 paths GET:/; @5300 paths = {}; @5310 paths GET:/ | ${MAYBE_AGAIN}
`;
rows('rate.across-paths', among('alice', 'bob'))`
  a read, and the path of another account | @0 paths 429; @2 bob paths; @10 paths GET:/ | ${MAYBE_AGAIN}
`;

const pair = (atMs: number, gapMs: number) =>
  `@${atMs} paths#${atMs}; @${atMs + 5} paths#${atMs}; @${atMs + gapMs} paths#${atMs} GET:/`;
/** Two requests to each path at one moment, of which so many were accepted. */
const moment = (atMs: number, reads: number, bases: number, tookMs = 20) =>
  [0, 1]
    .flatMap((i) => {
      const one = (accepted: number) => `@${atMs + i}+${tookMs - i} paths#${atMs} ${i < accepted ? 200 : 429}`;
      return [one(reads), `${one(bases)} GET:/`];
    })
    .join('; ');
rows('rate.across-paths', rated(2))`
  two reads and one more     | ${pair(0, 10)}; ${pair(5300, 10)}              | ${apart(3, 11)}
  at phases that no tick explains | ${pair(0, 250)}; ${pair(5333, 250)}; ${pair(9666, 250)} | ${apart(3, 251)}
  just before a bucket gains one, so that a tick explains it | ${pair(0, 498.5)}; ${pair(5333, 498.5)} | ${MAYBE_AGAIN}
  just after a bucket gained one | ${pair(0, 499)}; ${pair(5300, 499)}        | ${MAYBE_AGAIN}
  one read alone             | ${paths(0)}                                    | ${MAYBE_AGAIN}
  at one moment, all accepted once | ${moment(0, 2, 2)}                       | ${MAYBE_AGAIN}
  at one moment, all accepted at two phases | ${moment(0, 2, 2)}; ${moment(5300, 2, 2)} | ${apart(4, 20)}
  at one moment, all accepted at one phase | ${moment(0, 2, 2)}; ${moment(5000, 2, 2)} | ${MAYBE_AGAIN}
  at one moment, all accepted and half refused | ${moment(0, 2, 2)}; ${moment(5300, 1, 1)} | -
  at one moment, the base path refused | ${moment(0, 2, 0)}                   | -
  at one moment, one over the rate | ${moment(0, 2, 1)}; ${moment(5300, 1, 2)} | ${apart(3, 20)}
  at one moment, one over the rate, at ticks | ${moment(0, 2, 1)}; ${moment(5500, 1, 2)} | -
  at one moment, all accepted in two windows each | ${moment(0, 2, 2, 990)}; ${moment(5300, 2, 2, 990)} | ${MAYBE_AGAIN}
`;

/** Requests without a valid key at a moment, and reads right after them. */
const flood = (n: number, atMs: number, status = 401) => `@${atMs} - keyless:all#${n} ${status}`;
const after = (n: number, atMs: number, ...statuses: number[]) =>
  statuses.map((status, i) => `@${atMs + 5 + 2 * i} together#${n} ${status}`).join('; ');
const both = (n: number, atMs: number, ...statuses: number[]) => `${flood(n, atMs)}; ${after(n, atMs, ...statuses)}`;
const GUARDED = '@-9000 - 401 missing-key; @0 - keyless:all#2 429 Retry-After=9';
const HELD_BY_A_QUEUE = [
  each([-15_000, -12_000, -9000], '200'),
  ...[1, 1001, 2001].map((ms) => `@-8000+${ms} concurrent`),
  ...[0, 5000, 10_000].map((atMs, i) => `${flood(2 + i, atMs)}; @${atMs + 5}+900 together#${2 + i}`),
].join('; ');
const ANOTHER_CLIENT = '? but another client of its key may be why: keep the key idle and run again.';
const ENDED = '? Each time alice was accepted after requests without a valid key, its window may have ended in between';
const UNSEEN =
  '? A read right after requests without a valid key was not accepted, and too little was seen to show why';
const THREE_FLOODS = [2, 3, 4].map((n) => both(n, 5000 * (n - 2), 429)).join('; ');
rows('rate.keyless-free', {})`
  accepted late, and not repeated | ${flood(1, 0)}; ${after(1, 300, 200)} | -
  accepted late, and again at the same phase | ${flood(1, 0)}; ${after(1, 300, 200)}; ${flood(2, 5000)}; ${after(2, 5300, 200)} | ${ENDED}
  accepted late, and again at another phase | ${flood(1, 0)}; ${after(1, 300, 200)}; ${flood(2, 5500)}; ${after(2, 5800, 200)} | -
  nothing asked              | @0                                             | ${NO_ANSWER}
  one broken                 | ${flood(1, 0)}; @5 together ${LOST}            | ${NO_ANSWER}
  accepted                   | ${both(1, 0, 200)}                             | -
  refused once               | @-9000; ${both(2, 0, 429)}; ${after(3, 5000, 200)} | ${UNSEEN}
  refused at first alone     | @-9000; ${both(1, 0, 429)}; ${both(2, 5000, 429)} | ${ANOTHER_CLIENT}
  refused twice              | @-9000; ${both(2, 0, 429)}; ${both(3, 5000, 429)} | ${ANOTHER_CLIENT}
  refused three times        | @-9000; ${THREE_FLOODS}                        | alice: its first request in its window refused right after requests without a valid key, 3 times
  held back three times by a queue that tells nothing | ${HELD_BY_A_QUEUE}    | alice: its first request in its window held back right after requests without a valid key, 3 times
  refused three times, and once without them | @-9000; @-5000 apart 429; ${THREE_FLOODS} | ${ANOTHER_CLIENT}
  refused twice, but not at first | @-9000; ${both(2, 0, 200, 429)}; ${both(3, 5000, 200, 429)} | -
  let in once                | @-9000; ${flood(2, 0, 200)}; ${after(2, 0, 429)}; ${both(3, 5000, 429)} | ${UNSEEN}
  guarded                    | ${GUARDED}; ${after(2, 0, 200)}                | ? A guard answered all requests without a valid key, so whether the server charges them was not seen.
  guarded once               | ${GUARDED}; ${flood(2, 1)}; ${after(2, 0, 200)} | -
  no flood                   | ${after(1, 0, 200)}                            | ${NO_WRONG_KEY}
  a limit that is too strict | ${LET_IN}; @-30000; @-28500 429; @-27200 429; @-25900 429; @-24600 429; @-23300 429; @-22000 429; @-1500; ${both(2, 0, 429)}; ${after(3, 9000, 200)} | ? and rate.not-stricter is broken, which explains it: fix that first.
`;
rows('rate.keyless-free', among('alice', 'bob'))`
  each account is charged by itself | @-9000; @-9000 bob; ${both(2, 0, 429)}; ${flood(3, 5000)}; @5005 bob together#3 429 | ${ANOTHER_CLIENT}
`;

// Limit and Remaining.
const NO_LIMIT = '? No fresh response carried a well-formed X-RateLimit-Limit.';
const empty = (n: number, atMs: number, ...statuses: number[]) =>
  burst(`concurrent#${n}`, atMs, ...(statuses.length > 0 ? statuses : [429, 429]));
/** Bursts, after each of which a read is accepted. */
const around = (...bursts: string[]) =>
  ['@0', ...bursts.flatMap((sent) => [sent, `@${Number(/.*@(\d+)/.exec(sent)?.[1]) + 2000}`])].join('; ');
const EMPTY_THREE = around(empty(1, 5000), empty(2, 9000), empty(3, 15_000));
const odd = (how: string) =>
  around(...[5000, 9000].map((ms, i) => `${empty(i + 1, ms)}; @${ms} concurrent#${i + 1} ${how}`));
const OF_TWO = '@20000 bob; @25000+2 bob concurrent 429; @25001+1 bob concurrent 429; @27000 bob';
rows('rate.limit-honest', among('alice', 'bob'))`
  an empty burst of each account | ${around(empty(1, 5000))}; ${OF_TWO}       | the answer: none of 2 requests at one moment was accepted, in 2 fresh windows
`;
rows('rate.limit-honest', {})`
  no header                  | @0                                             | ${NO_LIMIT}
  one empty burst            | ${around(empty(1, 5000))}                      | ${NO_LIMIT}
  two empty bursts of one account | ${around(empty(1, 5000), empty(2, 9000))} | ${NO_LIMIT}
  three empty bursts of the only key | ${EMPTY_THREE}                         | ${NO_LIMIT}
  three, and one read refused | @-1140; @-30 429; ${EMPTY_THREE}              | ${NO_LIMIT}
  three, and one read refused by a store that forgets late | @-1040; @-30 429; ${EMPTY_THREE} | ${NO_LIMIT}
  bursts of one              | @0; ${empty(1, 5000, 429)}; ${empty(2, 9000, 429)}; @90000 | ${NO_LIMIT}
  nothing accepted later     | @0; ${empty(1, 5000)}; ${empty(2, 9000)}       | ${NO_LIMIT}
  nothing accepted in between | @0; ${empty(1, 5000)}; ${empty(2, 9000)}; @90000 | ${NO_LIMIT}
  one accepted in each       | ${around(empty(1, 5000, 429, 200), empty(2, 9000, 200, 429))} | ${NO_LIMIT}
  one broken in each         | ${odd(LOST)}                                   | ${NO_LIMIT}
  one sent twice in each     | ${odd('429 resent')}                           | ${NO_LIMIT}
  too soon                   | ${around(`@4500; ${empty(1, 5000)}`, `@8500; ${empty(2, 9000)}`)} | ${NO_LIMIT}
  a limit                    | @0 ${says(1, 0)}                               | -
  a limit, and one empty burst | ${around(`@2000 ${says(1, 0)}; ${empty(1, 5000)}`)} | -
  a limit, and three of the only key | ${around(`@2000 ${says(1, 0)}; ${empty(1, 5000)}`, empty(2, 9000), empty(3, 15_000))} | ${ANOTHER_OR_CHANCE}
  more than the limit        | ${each([0, 2, 4], `sequence ${says(1, 0)}`)}   | X-RateLimit-Limit: 1 for alice, but 3 requests accepted within 5 ms
  another limit              | @0 ${says(1, 0)}; @2000 ${says(2, 1)}          | X-RateLimit-Limit: 1 and then 2 for alice
  another limit of a cache   | @0 ${says(1, 0)}; @2000 ${says(2, 1)} Age=5    | -
`;

/** Requests that were granted, then one that was refused, each told what is left of a limit. */
const granted = (n: number, atMs: number, count: number, limit = 2, account = 'alice') =>
  [
    ...Array.from(
      { length: count },
      (_, i) => `@${atMs + 2 * i} ${account} sequence#${n} ${says(limit, limit - 1 - i)}`,
    ),
    `@${atMs + 2 * count} ${account} sequence#${n} 429 ${says(limit, 0)}`,
  ].join('; ');
const short = (count: number, of = 2, refused = of) =>
  `X-RateLimit-Limit: ${of} for alice, but request ${refused} was refused, in ${count} fresh windows`;
const SHORT_TWICE = `${granted(1, 0, 1)}; ${granted(2, 5000, 1)}`;
const SLOWLY = [`200 ${says(2, 1)}`, `200 ${says(2, 0)}`, `429 ${says(2, 0)}`]
  .map((answer, i) => `@${7000 + 600 * i}+590 bob sequence ${answer}`)
  .join('; ');
rows('rate.limit-honest', { ...rated(2), ...among('alice', 'bob') })`
  another limit told to a wrong key | @0 ${says(2, 1)}; @500 - 401 keyless:all#1 X-RateLimit-Limit=60 | -
  each account its own limit | @0 ${says(2, 1)}; @0 bob ${says(3, 2)}         | X-RateLimit-Limit: 2 for alice, and 3 for bob
  granted in full            | ${granted(1, 0, 2)}; ${granted(2, 5000, 2)}    | -
  granted short once         | ${granted(1, 0, 1)}                            | -
  granted short twice        | ${SHORT_TWICE}                                 | ${short(2)}
  granted short three times  | ${SHORT_TWICE}; ${granted(3, 9000, 1)}         | ${short(3)}
  refused at once twice      | ${granted(1, 0, 0)}; ${granted(2, 5000, 0)}    | -
  granted short twice, and another account as well | ${SHORT_TWICE}; ${granted(1, 7000, 1, 2, 'bob')} | ${short(2)}
  granted short twice, but another account in full, if slowly | ${SHORT_TWICE}; ${SLOWLY} | ${ANOTHER_OR_CHANCE}
`;

const of3 = (n: number, atMs: number, count: number) => granted(n, atMs, count, 3);
const SHORT_OF_3 = `${of3(1, 0, 2)}; ${of3(2, 5000, 2)}`;
const atOnce = (count: number) =>
  [2, 1, 0]
    .slice(0, count)
    .map((left) => `@9000 concurrent ${says(3, left)}`)
    .join('; ');
/** Of three, one is used already: two are granted, slowly. */
const begunOf3 = (n: number, atMs: number) =>
  `@${atMs} sequence#${n} ${says(3, 1)}; @${atMs + 400} sequence#${n} ${says(3, 0)}; @${atMs + 410} sequence#${n} 429 ${says(3, 0)}`;
rows('rate.limit-honest', rated(3))`
  granted short by the same number | ${SHORT_OF_3}                            | ${short(2, 3)}
  the same, and all of a burst at last, if slowly | ${SHORT_OF_3}; @9000+700 concurrent; @9000+700 concurrent; @9000+700 concurrent; @9000+700 concurrent 429 ${says(3, 0)} | ${ANOTHER_OR_CHANCE}
  all that was left of a budget that was whole at another time | @0 ${says(3, 2)}; ${begunOf3(1, 1500)}; ${begunOf3(2, 3300)} | -
  all that was left of a budget that is never whole | @0 ${says(3, 1)}; ${begunOf3(1, 5000)}; ${begunOf3(2, 9000)} | ${ANOTHER_OR_CHANCE}
  granted short by different numbers | ${of3(1, 0, 2)}; ${of3(2, 5000, 1)}    | ${ANOTHER_OR_CHANCE}
  the same, as at a boundary, and again | ${of3(1, 0, 2)}; ${of3(2, 5300, 1)}; ${of3(3, 9600, 1)} | ${short(3, 3, 2)}
  granted short, and at one moment as well | ${SHORT_OF_3}; ${atOnce(2)}      | ${short(2, 3)}
  granted short, but at one moment in full | ${SHORT_OF_3}; ${atOnce(3)}      | ${ANOTHER_OR_CHANCE}
`;

const NO_REMAINING = '? No fresh response to a valid key carried a well-formed X-RateLimit-Remaining.';
const counts = (n: number, atMs: number, ...left: number[]) =>
  left.map((remaining, i) => `@${atMs + 10 * i} sequence#${n} ${says(3, remaining)}`).join('; ');
const left = (count: number, rightly: number) => `X-RateLimit-Remaining: ${count} where ${rightly} were left`;
const REFUSED_THOUGH_LEFT = [0, 5000]
  .map((ms, i) => `@${ms} sequence#${i + 1} ${says(3, 2)}; @${ms + 5} sequence#${i + 1} 429 ${says(3, 0)}`)
  .join('; ');
rows('rate.remaining-honest', rated(3))`
  no header                  | @0                                             | ${NO_REMAINING}
  a header without a key     | @0 - 401 missing-key ${says(3, 1)}             | ${NO_REMAINING}
  counted down               | ${counts(1, 0, 2, 1, 0)}                       | -
  a wrong first once, as if it left in the next window | ${counts(1, 0, 3)}     | -
  a wrong first at two phases | ${counts(1, 0, 3)}; ${counts(2, 5300, 3)}     | ${left(3, 2)}; ${left(3, 2)}
  a wrong first of a cache   | @0 sequence ${says(3, 3)} Age=5; @9 sequence ${says(3, 1)} | -
  more than the limit, where too many are accepted | ${counts(1, 0, 4, 1, 0, 0, 0, 0, 0)} | ${left(4, 2)}
  not counted down once, as at a boundary | ${counts(1, 0, 2, 2)}             | -
  not counted down twice     | ${counts(1, 0, 2, 2)}; ${counts(2, 5160, 2, 2)} | ${left(2, 1)}
  not counted down twice, as at ticks of a bucket | ${counts(1, 0, 2, 2)}; ${counts(2, 5333, 2, 2)} | -
  not counted down twice at one phase | ${counts(1, 0, 2, 2)}; ${counts(2, 5000, 2, 2)} | -
  not counted down twice at one phase, much later | ${counts(1, 0, 2, 2)}; ${counts(2, 100_000, 2, 2)} | -
  not counted down once, and a wrong first | ${counts(1, 0, 2, 2)}; ${counts(2, 5300, 3, 1)} | ${left(3, 2)}
  a refusal that says there are some, as if it left in the next window | @0 429 ${says(3, 2)} | -
  the same at two phases     | @0 429 ${says(3, 2)}; @5300 429 ${says(3, 2)}  | ${['', ''].map(() => 'X-RateLimit-Remaining: 2 on a refusal').join('; ')}
  a queue that always says three | ${HELD_TWICE.split('; ')
    .map((each) => `${each} ${says(3, 3)}`)
    .join('; ')}; @9000 ${says(3, 3)}; @12300 ${says(3, 3)} | ${['', '', '', '', ''].map(() => left(3, 2)).join('; ')}
  refused though some are left, which rate.limit-honest judges, or somebody else used them | ${REFUSED_THOUGH_LEFT} | -
`;

// Somebody else at the same key.
const OWN = `@0 ${says(5, 4)}; @3000 ${says(5, 4)}`;
const ELSE = `${OWN}; @6000 ${says(5, 2)}`;
const BOB_TOO = `@30000 bob ${says(5, 4)}; @33000 bob ${says(5, 4)}; @36000 bob ${says(5, 2)}`;
const REFUSED_MORE = [1, 2, 3].map((n) => `@${35_000 + 5000 * n} bob sequence#${n} ${says(5, 9)}`).join('; ');
const SOME_LEFT = (who: string) => `@20000 ${who} 429 ${says(5, 3)}; @25300 ${who} 429 ${says(5, 3)}`;
const ON_TWO = ['', ''].map(() => 'X-RateLimit-Remaining: 3 on a refusal').join('; ');
const used = (by: string) => `? Somebody else used ${by} during this run: keep the keys idle and run again.`;
rows('rate.remaining-honest', { ...rated(5), ...among('alice', 'bob') })`
  nobody else                | ${OWN}                                         | -
  somebody else once         | ${ELSE}                                        | ${used('the key of alice (seen once)')}
  somebody else twice        | ${ELSE}; @9000 ${says(5, 3)}                   | ${used('the key of alice (seen 2 times)')}
  somebody else, and the other account is broken | ${ELSE}; ${SOME_LEFT('bob')} | ${ON_TWO}
  somebody else, and the same account is broken | ${ELSE}; ${SOME_LEFT('')} | ${ON_TWO}
  somebody else, and the other account is refused more than it may be | ${ELSE}; ${REFUSED_MORE} | ${[1, 2, 3].map(() => left(9, 4)).join('; ')}
  somebody else at both      | ${ELSE}; ${BOB_TOO}                            | ${used('the key of alice (seen once) and the key of bob (seen once)')}
`;
rows('rate.limit-honest', { ...rated(5), ...among('alice', 'bob') })`
  somebody else, and the other account changes its limit | ${ELSE}; @30000 bob ${says(5, 4)}; @33000 bob ${says(6, 5)} | X-RateLimit-Limit: 5 for alice, and 6 for bob
`;

// Which headers stand where, and their form.
const RESET = 'X-RateLimit-Reset';
rows('rate.headers-present', {})`
  nothing answered           | @0 ${LOST}                                     | ${NO_ANSWER}
  on one of two              | @0 ${says(1, 0)} ${RESET}=1; @2000 429         | -
  none, and no refusal       | @0 sequence ${says(1, 0)}                      | ? No response carried ${RESET}. No request was refused
  none, and a refusal        | @0 ${says(1, 0)}; @5 429                       | ${RESET}: absent from all 2 responses to a valid key
  all, and no refusal        | @0 ${says(1, 0)} ${RESET}=1                    | -
`;
rows('rate.headers-everywhere', {})`
  nothing answered           | @0 ${LOST}                                     | ${NO_ANSWER}
  nowhere                    | @0                                             | ? No response carried any X-RateLimit header.
  on one of two              | @0 ${says(1, 0)}; @9 429                       | X-RateLimit-Limit: absent from a 429; X-RateLimit-Remaining: absent from a 429
  neither refused nor accepted | @0 ${says(1, 0)}; @9 404                     | -
  without a key              | @0 ${says(1, 0)}; @1000 - 200 missing-key      | -
  others than described      | @0 ${says(1, 0)}; @9 unknown-path GET:/x; @12 respelled/plain | -
`;
rows('rate.reset-format', {})`
  a delay                    | @0 ${DATE} ${RESET}=${T0 / 10 - 1}             | ${RESET}: ${T0 / 10 - 1} (a number of seconds to wait, not a time since the epoch)
  long ago                   | @0 ${DATE} ${RESET}=${T0 / 10}                 | ${RESET}: ${T0 / 10} (${T0 - T0 / 10} s before the response, by its Date)
  far ahead                  | @0 ${DATE} ${RESET}=${T0 * 100}                | ${RESET}: ${T0 * 100} (more than a day ahead)
  milliseconds               | @0 ${DATE} ${RESET}=${T0 * 100 + 1}            | ${RESET}: ${T0 * 100 + 1} (milliseconds, not seconds since the epoch)
  microseconds               | @0 ${DATE} ${RESET}=${T0}000000                | ${RESET}: ${T0}000000 (microseconds, not seconds since the epoch)
  nanoseconds                | @0 ${DATE} ${RESET}=${T0}000000000             | ${RESET}: ${T0}000000000 (nanoseconds, not seconds since the epoch)
  a day ahead                | @0 ${DATE} ${RESET}=${T0 + 86_400}             | -
  a day and a second ahead   | @0 ${DATE} ${RESET}=${T0 + 86_401}             | ${RESET}: ${T0 + 86_401} (more than a day ahead)
  past, by a second          | @0 ${DATE} ${RESET}=${T0 - 1}                  | -
  past                       | @0 ${DATE} ${RESET}=${T0 - 2}                  | ${RESET}: ${T0 - 2} (2 s before the response, by its Date)
  past, but held back        | @0+3000 ${DATE} ${RESET}=${T0 - 4}             | -
  past, and not held back for long enough | @0+2999 ${DATE} ${RESET}=${T0 - 4} | ${RESET}: ${T0 - 4} (4 s before the response, by its Date)
  past, late in the run, which is not held back | @9000 ${DATE} ${RESET}=${T0 - 9} | ${RESET}: ${T0 - 9} (9 s before the response, by its Date)
`;
const AN_ACCIDENT = '? A single request was refused, without Retry-After: that may be an accident.';
rows('rate.retry-after-present', {})`
  on one of two              | @0 429 Retry-After=1; @9 429                   | -
  on the only one            | @0 429 Retry-After=1                           | -
  not on the only one        | @0 429                                         | ${AN_ACCIDENT}
  not on the only one that is whole | @0 429; @9 sequence ${LOST}             | ${AN_ACCIDENT}
  on none of two             | @0 429; @9 429                                 | Retry-After: absent from all 2 refusals
`;

// What Reset promises. A second clock keeps `Date` from telling more than the span after its own response.
const OTHER_CLOCK = `@-90000 - 401 missing-key "Date=${dateAt(5000)}"`;
const RESETS = `${DATE} ${RESET}=${T0 + 1}`;
const LATE = `${RESET}: ${T0 + 1}, and the next request refused after it, with nothing sent meanwhile`;
/** A promise, and the request that comes so long after it. */
const promised = (atMs: number, laterMs: number, before = RESETS, next = '429') =>
  `@${atMs} ${before}; @${atMs + laterMs} ${next}`;
const twice = (...rest: [number, string?, string?]) =>
  [OTHER_CLOCK, LET_IN, promised(0, ...rest), promised(50_000, ...rest)].join('; ');
rows('rate.reset-honest', among('alice', 'bob'))`
  no header                  | @0                                             | ? No fresh response to a valid key carried a well-formed ${RESET}.
  as far as is honest        | @0 ${DATE} ${RESET}=${T0 + 4}                  | -
  further than is honest     | @0 ${DATE} ${RESET}=${T0 + 5}                  | ${RESET}: 1781481605, 5 s ahead
  without a Date             | @0 ${RESET}=${T0 + 7200}                       | ${RESET}: ${T0 + 7200}, 7200 s ahead of this machine's clock, as there is no Date, which looks like a time zone of +2 h
  a day ahead                | @0 ${DATE} ${RESET}=${T0 + 86_400}             | ${RESET}: 1781568000, 86400 s ahead
  more than a day ahead, which is for its form | @0 ${DATE} ${RESET}=${T0 + 86_401} | ? No fresh response to a valid key carried a well-formed X-RateLimit-Reset.
  refused once               | ${OTHER_CLOCK}; ${promised(0, 2101)}           | ${BROKEN_ONCE}
  refused late in the run, once | ${OTHER_CLOCK}; ${promised(50_000, 2101)}   | ${BROKEN_ONCE}
  refused once, and let in twice later | ${OTHER_CLOCK}; ${promised(0, 2101)}; ${promised(9000, 2101, RESETS, '200')}; ${promised(18_000, 2101, RESETS, '200')} | -
  refused twice              | ${twice(2101)}                                 | ${LATE}; ${LATE}
  refused too soon           | ${twice(2100)}                                 | -
  accepted                   | ${twice(2101, RESETS, '200')}                  | -
  sent twice before          | ${twice(2101, `${RESETS} resent`)}             | -
  sent twice                 | ${twice(2101, RESETS, '429 resent')}           | -
  broken                     | ${twice(2101, RESETS, `recovery ${LOST}`)}     | -
  somebody near              | ${twice(2101)}; @2000 bob; @52000 bob          | -
  a cache before             | ${twice(2101, `${RESETS} Age=5`)}; @90000 ${RESETS} | -
  no header before           | ${twice(2101, '200')}; @90000 ${RESETS}        | -
  two before                 | ${twice(2102)}; @0.5+1.5 ${RESETS}; @50000.5+1.5 ${RESETS} | ${LATE}; ${LATE}
  two before, one of which promised more | ${twice(2101)}; @0.5+1.5 ${DATE} ${RESET}=${T0 + 3}; @50000.5+1.5 ${DATE} ${RESET}=${T0 + 3} | -
  two, a window apart        | ${OTHER_CLOCK}; ${LET_IN}; ${promised(0, 2101)}; ${promised(2200, 2101)} | ${LATE}; ${LATE}
  two of two accounts, less than a window apart | ${OTHER_CLOCK}; ${promised(0, 2101)}; @900 bob ${RESETS}; @3101 bob 429 | ${BROKEN_ONCE}
`;

// What Retry-After promises.
const again = (ms: number, value: string) =>
  `Retry-After: ${value}, and refused again ${ms} ms later, with nothing sent meanwhile`;
const AGAIN_TWICE = (ms: number) => `${again(ms, '2')}; ${again(ms, '2')}`;
const waited = (laterMs: number, next = '429') =>
  [LET_IN, ...[0, 50_000].map((ms) => `@${ms - 500}; @${ms} 429 Retry-After=2; @${ms + 1 + laterMs} ${next}`)].join(
    '; ',
  );
const series = (...moments: number[]) => each(moments, '429 Retry-After=0');
const besides = (what: string) => `@0.5+1.5 ${what}; @50000.5+1.5 ${what}`;
const ACCEPTED = [0, 1500, 3000, 4600, 10_000, 16_000];
const splitBurst = (n: number, atMs: number, first = '429 Retry-After=1') =>
  [first, '429 Retry-After=1', '429 Retry-After=1'].map((one, i) => `@${atMs + i}+${5 - i} concurrent#${n} ${one}`);
/** Whole bursts that a block of some seconds refuses after the wait that was asked, and one that is split. */
const blocked = (...more: string[]) =>
  [
    ...ACCEPTED.map((ms) => `@${ms}`),
    ...[4610, 10_010].map((ms) => `@${ms} sequence 429 Retry-After=1`),
    ...[...splitBurst(1, 6000), ...splitBurst(2, 12_000), ...more],
  ]
    .sort((a, b) => Number.parseInt(a.slice(1), 10) - Number.parseInt(b.slice(1), 10))
    .join('; ');
const SPLIT = splitBurst(3, 18_000, '200');
const IN_FOUR = `"Retry-After=${dateAt(4)}"`;
rows('rate.retry-after-honest', among('alice', 'bob'))`
  whole bursts, and one request that no refusal came before | ${blocked(...SPLIT, '@20000', '@21500 429 Retry-After=1')} | -
  whole bursts, and one request accepted sooner after a refusal | ${blocked(...SPLIT, '@4700')} | ? Somebody else used the key of alice (seen 2 times) during this run
  whole bursts, and no other | ${blocked()}                                   | -
  none whole                 | @0 sequence ${LOST}                            | ? No refusal arrived whole: fix rate.refusal first.
  none in form               | @0 429 Retry-After=soon                        | ? No refusal carried a well-formed Retry-After.
  as long as is honest       | @0 429 Retry-After=4                           | -
  longer than is honest      | @0 429 Retry-After=5                           | Retry-After: 5, which asks for 5 s
  a date as far as is honest | @0 429 ${DATE} ${IN_FOUR}                      | -
  a date further than is honest | @0 429 ${DATE} "Retry-After=${dateAt(5)}"   | Retry-After: ${dateAt(5)}, which asks for 6 s
  waited                     | ${waited(2100)}                                | ${AGAIN_TWICE(2100)}
  not waited a little more   | ${waited(2099)}                                | -
  accepted                   | ${waited(2100, '200')}                         | -
  sent twice                 | ${waited(2100, '429 resent')}                  | -
  broken                     | ${waited(2100, `recovery ${LOST}`)}            | -
  with another method        | ${waited(2100, 'other-answers/HEAD HEAD:/webhooks 429')} | -
  somebody near              | ${waited(2100)}; @2000 bob; @52000 bob         | -
  beside one that asked for nothing | ${waited(2100)}; ${besides('429')}      | -
  beside one that was accepted | ${waited(2101)}; ${besides('200')}           | ${AGAIN_TWICE(2101)}
  beside one that was accepted, and asked to wait as well | ${waited(2101)}; ${besides('200 Retry-After=1')} | ${AGAIN_TWICE(2101)}
  three in a row             | ${series(0, 110, 120, 130)}                    | ${again(109, '0')}; ${again(9, '0')}; ${again(9, '0')}
  two, a window apart        | ${series(0, 110, 1110)}                        | ${again(109, '0')}; ${again(999, '0')}
  two, not quite a window apart | ${series(0, 110, 1109.5)}                   | ${BROKEN_ONCE}
  two in a row               | ${series(0, 110, 120)}                         | ${BROKEN_ONCE}
  the first of them too soon | ${series(0, 50, 110, 120)}                     | ${BROKEN_ONCE}
`;

// The only key: another client of it may be why it is refused.
const TWO_SECONDS = '429 Retry-After=2';
const ONE_SECOND = '429 Retry-After=1';
const overRate = (asks: string) => (ms: number) => `@${ms}; @${ms + 10} ${asks}; @${ms + 20} ${asks}`;
const SLOW = each([0, 2000, 4000, 6000], '200');
const SPACED = each([0, 1200, 2400, 3600], '200');
const REFUSED_AS_ONE = [6000, 6001, 6002].map((ms) => `@${ms}+10 concurrent ${ONE_SECOND}`).join('; ');
const ROWS = [10_000, 20_000, 30_000];
const [TWICE_MORE, AFTER_EACH] = [
  [SPACED, ...ROWS.map(overRate(TWO_SECONDS)), each([12_150, 32_150], TWO_SECONDS)],
  [...ROWS.map(overRate(ONE_SECOND)), each([11_400, 21_400, 31_400], ONE_SECOND), '@15000; @25000'],
].map((parts) => parts.join('; '));
for (const [what, exchanges, mayBeAnother] of [
  ['out of the blue', `${SLOW}; ${each([8000, 9200, 12_200, 15_200], TWO_SECONDS)}`, true],
  ['after what was sent over the rate', `${SLOW}; ${each([6500, 9200, 12_200, 15_200], TWO_SECONDS)}`, false],
  ['after what was sent over the rate, and let in sooner after as much', `${TWICE_MORE}; @21800`, true],
  ['after what was sent over the rate, and let in later after as much', `${TWICE_MORE}; @25000`, false],
  ['after a burst that nobody came before', `${SPACED}; ${REFUSED_AS_ONE}; @7600; ${AFTER_EACH}`, true],
  ['after each burst', `${SPACED}; ${AFTER_EACH}`, false],
] as const)
  test(`the only key is refused ${what}: ${mayBeAnother ? 'another client may be why' : 'the server breaks its word'}`, () => {
    for (const clause of ['rate.not-stricter', 'rate.retry-after-honest'])
      expect(foundAs(clause, evidenceIn(exchanges), '').startsWith('? ')).toBe(mayBeAnother);
  });

const two = (seconds: string, ahead: number) => `@0 429 Retry-After=${seconds} ${DATE} ${RESET}=${T0 + ahead}`;
const NEVER_BOTH = '? None of 1 refusals carried both Retry-After and X-RateLimit-Reset, so there is nothing to agree.';
rows('rate.retry-after-agrees', {})`
  none whole                 | @0 sequence ${LOST}                            | ? No refusal arrived whole: fix rate.refusal first.
  never both                 | @0 429 Retry-After=1                           | ${NEVER_BOTH}
  Reset alone                | @0 429 ${RESETS}                               | ${NEVER_BOTH}
  both once                  | ${two('1', 1)}; @9 429                         | -
  as far apart as is honest  | ${two('1', 5)}                                 | -
  too far apart              | ${two('1', 6)}                                 | ${RESET}: ${T0 + 6}, and Retry-After: 1, 5 s apart
  too far apart, the other way | ${two('6', 1)}                               | Retry-After: 6, and ${RESET}: ${T0 + 1}, 5 s apart
  a day ahead                | ${two('1', 86_400)}                            | ${RESET}: ${T0 + 86_400}, and Retry-After: 1, 86399 s apart
  no time                    | ${two('1', 86_401)}                            | ? No refusal carried a well-formed Retry-After together with a well-formed ${RESET}.
  a date                     | @0 429 ${DATE} ${IN_FOUR} ${RESET}=${T0 + 9}   | ${RESET}: ${T0 + 9}, and Retry-After: ${dateAt(4)}, 5 s apart
`;

for (const [header = '', value, wrong] of rowsOf(`
  X-RateLimit-Limit     | 1            | -
  X-RateLimit-Limit     | -1           | negative
  X-RateLimit-Limit     | 1.5          | a fraction
  X-RateLimit-Limit     | 0            | not above 0
  X-RateLimit-Reset     | ${dateAt(0)} | not a number of seconds since the epoch
  X-RateLimit-Reset     | ${T0}.5      | a fraction
  Retry-After           | ${dateAt(0)} | -
  Retry-After           | 1.5          | a fraction
  Retry-After           | soon         | neither whole seconds nor an HTTP-date in GMT
`))
  test(`the form of ${header}: ${value}`, () => {
    const clause = `rate.${header.replace('X-RateLimit-', '').toLowerCase()}-format`;
    expectFound(clause, evidenceIn(`@0 "${header}=${value}"`), wrong === '-' ? '-' : `${header}: ${value} (${wrong})`);
  });

const NO_REMAINING_AT_ALL = '? No response carried X-RateLimit-Remaining.';
rows('rate.remaining-format', {})`
  as many as the limit       | @0 ${says(3, 3)}                               | -
  more than the limit        | @0 ${says(3, 4)}                               | X-RateLimit-Remaining: 4 (above X-RateLimit-Limit: 3)
  twice                      | @0 ${says(3, 1)} x-ratelimit-remaining=1       | X-RateLimit-Remaining: 2 times: 1 and 1
  nowhere                    | @0                                             | ${NO_REMAINING_AT_ALL}
  on a broken response       | @0 ${says(3, 9)} ${LOST}                       | ${NO_REMAINING_AT_ALL}
`;
rows('rate.retry-after-format', {})`
  no refusal                 | @0 sequence                                    | ${NO_REFUSAL}
  a refusal without it       | @0 sequence 429                                | ? No response carried Retry-After.
  without a refusal          | @0 Retry-After=1                               | -
`;
rows('rate.limit-format', {})`
  what another version says is not judged | @0 ${says(1, 0)}; @5 ${says(0, 0)} GET:api.example/v1/webhooks | -
`;

test('the first response shows what is missing from all', () => {
  const shown = (clause: string) =>
    ruleOf(clause)
      .judge(evidenceIn('@0 429; @9 429'))
      .breaches.map(({ exchanges }) => exchanges.map(({ index }) => index));
  expect(shown('rate.retry-after-present')).toEqual([[0]]);
  expect(shown('rate.headers-present')).toEqual([[0], [0], [0]]);
});

/** Plain reads at one moment, of which one is let in, and right after them some that are spelled otherwise. */
const spelled = (atMs: number, n: number, ...others: string[]) =>
  [
    burst(`concurrent#${n}`, atMs, 200, 429, 429),
    ...others.map((other, i) => {
      const [form = '', status] = other.split(' ');
      const [method, query] = form === 'HEAD' ? ['HEAD', ''] : ['GET', form === 'query' ? '?x=1' : ''];
      const body = form === 'query' && status === '200' ? ' = {auth: {basic: {hasPassword: true}}}' : '';
      const page = form === 'slash-behind' ? ' : <h1>Hello</h1>' : '';
      return `@${atMs + 5 + i} respelled#${n}/${form} ${method}:/webhooks${query} ${status}${body}${page}`;
    }),
  ].join('; ');
const BESIDES = 'accepted 2 times beside all that the rate allows';
rows('rate.no-bypass', among('alice'))`
  each spelling is refused beside plain reads | ${spelled(0, 1, 'HEAD 429', 'query 429')} | -
  two of one spelling are let in at once | ${spelled(0, 1, 'query 200', 'query 200', 'HEAD 429')} | to the valid key of alice with a query: ${BESIDES}
  HEAD is let in, as often   | ${spelled(0, 1, 'HEAD 200', 'HEAD 200')}       | to the valid key of alice with HEAD: ${BESIDES}
  a window may have ended in the only trial | ${spelled(0, 1, 'query 200')}   | ? Each time more was let in than the rate allows, a window may have ended meanwhile: run again.
  no one window ended in both trials | ${spelled(0, 1, 'query 200')}; ${spelled(2333, 2, 'query 200')} | to the valid key of alice with a query: ${BESIDES}
  a page at any address says nothing of the API | ${spelled(0, 1, 'slash-behind 200', 'slash-behind 200')} | -
  plain reads exceed the rate | ${burst('concurrent', 0, 200, 200, 200)}; @10 respelled/query GET:/webhooks?x=1 200 = {auth: {basic: {hasPassword: true}}} | ? More requests than the rate allows were accepted as described: fix rate.enforced-concurrent first.
`;

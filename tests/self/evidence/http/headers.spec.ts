/** Header fields are read as HTTP defines them, and estimates of the server's clock always contain the true value. */
import assert from 'node:assert/strict';
import { test } from '@playwright/test';
import fc from 'fast-check';
import { httpDate, linesOf, parsedHeaders, wholeNumber } from '../../../../src/evidence/http/headers';
import type { Exchange, HeaderLines } from '../../../../src/evidence/model';
import { clockAhead, passesAtMs, secondsAhead, waitAskedSeconds } from '../../../../src/evidence/time/server-clock';
import { evidenceOf, exchangeOf } from '../../support/evidence-of';

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

const answered = (headers: HeaderLines, receivedAtMs = 0) =>
  exchangeOf({ headers, sentAtMs: receivedAtMs, receivedAtMs });

const told = (exchanges: Exchange[], startedAtEpochMs = 0) => ({ ...evidenceOf([]), exchanges, startedAtEpochMs });

/** A moment in whole seconds: near today, or in any year of four digits. */
const moments = fc
  .oneof(
    fc.integer({ min: Date.UTC(2000, 0) / 1000, max: Date.UTC(2100, 0) / 1000 - 1 }),
    fc.integer({ min: Date.parse('1000-01-01T00:00:00Z') / 1000, max: Date.UTC(9999, 11, 31) / 1000 }),
  )
  .map((epochSeconds) => ({ epochSeconds, fixed: imfFixdate(new Date(epochSeconds * 1000)) }));

function imfFixdate(date: Date): string {
  const [day, rest] = date.toUTCString().split(', ');
  return `${day}, ${rest?.replace(/ -?0*(\d+) (?=\d\d:)/, (_, year: string) => ` ${year.padStart(4, '0')} `)}`;
}

test('an HTTP-date names its second', () => {
  fc.assert(
    fc.property(moments, ({ epochSeconds, fixed }) => {
      assert.deepEqual(httpDate(fixed), { epochSeconds, obsolete: false });
      // A leap second has no number of its own.
      const leap = fixed.replace(':59 GMT', ':60 GMT');
      assert.deepEqual(httpDate(leap), { epochSeconds, obsolete: false });
    }),
    { numRuns: 2000 },
  );
});

test('the two obsolete forms name the same second', () => {
  fc.assert(
    fc.property(moments, ({ epochSeconds, fixed }) => {
      const [, day = '', month = '', year = '', time = ''] = /, (\d\d) (...) (\d{4}) (\S+) GMT$/.exec(fixed) ?? [];
      const dayOfWeek = DAYS[new Date(epochSeconds * 1000).getUTCDay()] ?? '';
      const asctime = `${dayOfWeek.slice(0, 3)} ${month} ${day.replace(/^0/, ' ')} ${time} ${year}`;
      assert.deepEqual(httpDate(asctime), { epochSeconds, obsolete: true });
      // A year of two digits is one of the last or the next fifty.
      fc.pre(year >= '2000' && year < '2050');
      assert.deepEqual(httpDate(`${dayOfWeek}, ${day}-${month}-${year.slice(2)} ${time} GMT`), {
        epochSeconds,
        obsolete: true,
      });
    }),
    { numRuns: 800 },
  );
});

test('a date that is not in GMT, or of no real day, is none', () => {
  const spoiled: Array<(date: string) => string> = [
    (date) => date.replace('GMT', 'UTC'),
    (date) => date.replace('GMT', '+0000'),
    (date) => date.replace('GMT', 'CET'),
    (date) => date.replace(' GMT', ''),
    (date) => date.toLowerCase(),
    (date) => date.replace(/ 0?(\d+) /, ' $1  '),
    (date) => date.replace(/, \d\d/, ', 32'),
    (date) => date.replace(/, \d\d/, ', 00'),
    (date) => date.replace(/, \d\d .../, ', 31 Jun'),
    (date) => date.replace(/ \d\d:/, ' 24:'),
    (date) => date.replace(/ \d\d:/, ' 29:'),
    (date) => date.replace(/:\d\d:/, ':60:'),
    (date) => date.replace(/:\d\d GMT/, ':61 GMT'),
    (date) => date.replace(/:\d\d GMT/, ' GMT'),
    (date) => date.replace(/:\d\d GMT/, ':00.000 GMT'),
    (date) => `${date} `,
    (date) => new Date(date).toISOString(),
    (date) => String(Date.parse(date)),
  ];
  fc.assert(
    fc.property(moments, fc.constantFrom(...spoiled), ({ fixed }, spoil) => {
      assert.equal(httpDate(spoil(fixed)), null);
    }),
    { numRuns: 3000 },
  );
});

test('a whole number is decimal digits and nothing else', () => {
  fc.assert(
    fc.property(fc.nat({ max: 1e15 - 1 }), fc.constantFrom('', '0', '000'), (number, zeros) => {
      const digits = String(number);
      if (zeros.length + digits.length <= 15) assert.equal(wholeNumber(zeros + digits), number);
      for (const other of [
        `-${digits}`,
        `+${digits}`,
        `${digits}.0`,
        `${digits}e1`,
        `0x${digits}`,
        ` ${digits}`,
        `${digits}\n`,
      ])
        assert.equal(wholeNumber(other), null, JSON.stringify(other));
    }),
  );
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      assert.equal(wholeNumber(text) === null, !/^[0-9]{1,300}$/.test(text));
    }),
  );
});

test('a field is found in any letter case, and all its lines in order', () => {
  const letters = fc.constantFrom('Retry-After', 'retry-after', 'RETRY-AFTER', 'rEtRy-aFtEr');
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.oneof(letters, fc.constant('Retry-Afte'), fc.constant('X-Retry-After')), fc.nat())),
      letters,
      (lines, asked) => {
        const headers = lines.map(([name, value]) => [name, String(value)] as const);
        const values = lines.filter(([name]) => name.toLowerCase() === 'retry-after').map(([, value]) => String(value));
        assert.deepEqual(linesOf(headers, asked), values);
        const single = values.length === 1 ? { form: 'seconds', seconds: Number(values[0]) } : null;
        assert.deepEqual(parsedHeaders(answered(headers)).retryAfter, single);
      },
    ),
  );
});

const startedAtEpochMs = fc.integer({ min: Date.UTC(2026, 0), max: Date.UTC(2027, 0) });
/** When a response was made, and how long it was on its way. */
const madeAndSent = { atMs: fc.integer({ min: 0, max: 100_000 }), underWayMs: fc.integer({ min: 0, max: 2000 }) };
const several = { minLength: 1, maxLength: 12 };

/** Responses of a server whose clock is off by any time and whose `Date` was cached for up to a second. */
const dated = fc
  .record({
    startedAtEpochMs,
    aheadMs: fc.integer({ min: -43_200_000, max: 43_200_000 }),
    answers: fc.array(fc.record({ ...madeAndSent, cachedMs: fc.integer({ min: 0, max: 1000 }) }), several),
  })
  .map(({ startedAtEpochMs, aheadMs, answers }) => {
    const exchanges = answers.map(({ atMs, cachedMs, underWayMs }) =>
      answered([['Date', new Date(startedAtEpochMs + atMs + aheadMs - cachedMs).toUTCString()]], atMs + underWayMs),
    );
    return { startedAtEpochMs, aheadMs, answers, exchanges };
  });

test('a Reset has passed no sooner than the server’s clock is a second beyond it, and a few seconds later at most', () => {
  fc.assert(
    fc.property(dated, fc.integer({ min: -1, max: 10 }), (server, aheadSeconds) => {
      const evidence = told(server.exchanges, server.startedAtEpochMs);
      for (const exchange of server.exchanges) {
        const reset = (parsedHeaders(exchange).dateSeconds ?? 0) + aheadSeconds;
        const passesMs = passesAtMs(reset, exchange, evidence) ?? Number.NaN;
        const shown = (server.startedAtEpochMs + server.aheadMs + passesMs) / 1000;
        assert.ok(shown >= reset + 1 - 1e-6);
        // A date cut to the second, a second old, and up to two seconds under way.
        assert.ok(passesMs === exchange.receivedAtMs || shown <= reset + 5 + 1e-6);
      }
    }),
    { numRuns: 1000 },
  );
});

test('whoever waits as long as a refusal asks comes no sooner than it meant, and little later', () => {
  const forms = fc.constantFrom('seconds', 'date rounded up', 'date cut');
  fc.assert(
    fc.property(dated, fc.integer({ min: 0, max: 60_000 }), forms, (server, waitMs, form) => {
      const { startedAtEpochMs, aheadMs, answers, exchanges } = server;
      for (const [i, refusal] of exchanges.entries()) {
        const answeredMs = answers[i]?.atMs ?? 0;
        const meantEpochMs = startedAtEpochMs + aheadMs + answeredMs + waitMs;
        const value = {
          seconds: String(Math.ceil(waitMs / 1000)),
          'date rounded up': new Date(Math.ceil(meantEpochMs / 1000) * 1000).toUTCString(),
          'date cut': new Date(meantEpochMs).toUTCString(),
        }[form];
        const headers: HeaderLines = [...(refusal.response?.headers ?? []), ['Retry-After', value ?? '']];
        const asked = waitAskedSeconds(answered(headers, refusal.receivedAtMs), told([], startedAtEpochMs));
        const lateMs = refusal.receivedAtMs + (asked?.most ?? Number.NaN) * 1000 - (answeredMs + waitMs);
        assert.ok(lateMs >= 0);
        assert.ok(lateMs <= 6000);
      }
    }),
    { numRuns: 200 },
  );
});

/** Honest Resets, with any rounding, of a server without `Date` whose windows last one second. */
const undated = fc
  .record({
    startedAtEpochMs,
    aheadMs: fc.oneof(fc.integer({ min: -3000, max: 3000 }), fc.integer({ min: -30_000, max: 30_000 })),
    round: fc.constantFrom(Math.floor, Math.ceil, Math.round),
    answers: fc.array(fc.record({ ...madeAndSent, leftMs: fc.integer({ min: 0, max: 2000 }) }), several),
  })
  .map(({ startedAtEpochMs, aheadMs, round, answers }) => {
    const exchanges = answers.map(({ atMs, leftMs, underWayMs }) => {
      const reset = round((startedAtEpochMs + atMs + aheadMs + leftMs) / 1000);
      return { ...answered([['X-RateLimit-Reset', String(reset)]], atMs + underWayMs), sentAtMs: atMs };
    });
    return { exchanges, startedAtEpochMs, aheadSeconds: aheadMs / 1000 };
  });

test('without Date our clock is set to the server’s by its Resets, and no honest one lies in the past or too far ahead', () => {
  fc.assert(
    fc.property(undated, ({ exchanges, startedAtEpochMs, aheadSeconds }) => {
      const evidence = told(exchanges, startedAtEpochMs);
      const { least, most } = clockAhead(evidence);
      // Times since the epoch in seconds have seven digits after the point, and none more.
      assert.ok(least - 1e-5 <= aheadSeconds && aheadSeconds <= most + 1e-5);
      for (const exchange of exchanges) {
        const ahead = secondsAhead(parsedHeaders(exchange).reset ?? 0, exchange, evidence);
        assert.ok(ahead.least <= 4 && ahead.most >= -1 - (exchange.receivedAtMs - exchange.sentAtMs) / 1000);
      }
    }),
    { numRuns: 1000 },
  );
});

test('without Date a moment hours away shows no clock: it is wrong on ours', () => {
  for (const aheadSeconds of [7200, 60, -60, -7200]) {
    const reset = ['X-RateLimit-Reset', String(1_800_000_000 + aheadSeconds)] as const;
    const exchange = answered([reset]);
    const evidence = told([exchange], 1_800_000_000_000);
    assert.deepEqual(clockAhead(evidence), { least: 0, most: 0 });
    const { least, most } = secondsAhead(parsedHeaders(exchange).reset ?? 0, exchange, evidence);
    assert.ok(Math.abs(least - aheadSeconds) <= 1 && least === most);
  }
});

test('Resets that agree with no one clock leave ours as it is', () => {
  fc.assert(
    fc.property(undated, fc.integer({ min: 12, max: 40_000 }), fc.boolean(), (server, off, isBehind) => {
      const [first] = server.exchanges;
      const wrong = (parsedHeaders(first as Exchange).reset ?? 0) + (isBehind ? -off : off);
      const wrongOnce = { ...(first as Exchange), response: answered([['X-RateLimit-Reset', String(wrong)]]).response };
      assert.deepEqual(clockAhead(told([...server.exchanges, wrongOnce], server.startedAtEpochMs)), {
        least: 0,
        most: 0,
      });
    }),
  );
});

test('a Date that is older than it can be, of a process that was held up, names no moment too far ahead', () => {
  const skews = fc.integer({ min: -40_000, max: 40_000 });
  fc.assert(
    fc.property(
      skews,
      fc.integer({ min: 3100, max: 20_000 }),
      fc.integer({ min: 0, max: 999 }),
      (skew, heldMs, partMs) => {
        const startedAtEpochMs = 1_800_000_000_000;
        const ofServer = (atMs: number) => startedAtEpochMs + atMs + skew * 1000 + partMs;
        const dated = (epochMs: number) => ['Date', new Date(epochMs).toUTCString()] as const;
        const reset = Math.ceil(ofServer(heldMs + 1000) / 1000);
        const before = answered([dated(ofServer(0))]);
        const after = answered([dated(ofServer(heldMs + 2000))], heldMs + 2000);
        const heldUp = answered([dated(ofServer(0)), ['X-RateLimit-Reset', String(reset)]], heldMs);
        const evidence = told([before, heldUp, after], startedAtEpochMs);
        assert.ok(secondsAhead(reset, heldUp, evidence).least <= 2);
        // Of a fresh Date, and where no earlier answer tells more, the Date is what counts.
        assert.equal(
          secondsAhead(reset, heldUp, told([heldUp], startedAtEpochMs)).least,
          reset - Math.floor(ofServer(0) / 1000),
        );
      },
    ),
  );
});

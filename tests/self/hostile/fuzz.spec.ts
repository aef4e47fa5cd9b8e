/**
 * Strangers' bytes against everything that reads them: judges, vault, receiver's addresses, HAR and target files. Nothing
 * throws but a UsageError, and the work grows with the length. Seeded: a failure prints what repeats it.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from '@playwright/test';
import fc from 'fast-check';
import { allRules } from '../../../scripts/matrix/in-process';
import { UsageError } from '../../../src/common/errors';
import { visible } from '../../../src/common/text';
import { loadTarget } from '../../../src/config/target-file';
import { isHttpUrl } from '../../../src/contract/settings';
import { addressOf, isSame } from '../../../src/events/deliveries';
import { fromHar } from '../../../src/evidence/har';
import type { Evidence } from '../../../src/evidence/model';
import { markersIn, withoutMarkers } from '../../../src/redaction/markers';
import { withoutUndeclared } from '../../../src/redaction/undeclared';
import { Vault } from '../../../src/redaction/vault';
import { casesOf } from '../level';
import { twoAnswers } from '../support/evidence-of';
import { freshDirectory } from '../support/whole-runs';

const RUNS = casesOf(72);
/** A stranger's text is this many times as long the second time. */
const LONGER = 8;
/** Less processor time than this is too little to compare. */
const LEAST_MS = 15;
const SECRETS = ['ouBYTb8jTRxF9PAv4saUY3vVFTxEaVsD', 'pass"word+of', 'a', 'a'.repeat(4000), '\\\\\\\\\\\\\\\\'];

/** What makes careless readers slow: pieces that begin something and do not end it. */
const PIECES = String.raw`
  [secret: [secret:password:a [secret:apiKey:alice] [ {"a": " \ \" %25 % &# &amp; = : , QUJD AAAA aaaaaaaaaa <password>
  password= "password": "1", &#0000 http:// / \u00 \u0041 ::error:: ##vso[ é 😀 null 1e9 - {"start": "a", ,"a":1 ,"b":{} %2525 pw {"webhook":{"start":`;
const pieces = fc.oneof(
  fc.constantFrom(...PIECES.trim().split(/\s+/), '\n', ' ', '\t', ' :', '\u0000', '\u001b[', ' '.repeat(1000)),
  fc.constantFrom(`${'QUJD'.repeat(16)}\n`, SECRETS[0]?.slice(0, -1) ?? '', `${'a'.repeat(3999)}b`),
  fc.string({ unit: 'binary', maxLength: 6 }),
);
/** A few pieces, again and again: at so many characters. */
const texts = fc
  .tuple(
    fc.array(pieces, { maxLength: 3 }),
    fc.array(pieces, { minLength: 1, maxLength: 4 }),
    fc.array(pieces, { maxLength: 3 }),
  )
  .map(([before, again, after]) => (length: number) => {
    const unit = again.join('') || 'x';
    return before.join('') + unit.repeat(Math.ceil(length / unit.length)) + after.join('');
  });

const cpuMs = (work: () => void): number => {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
};

/** That a longer text takes no more than its share; what is quadratic takes eight times as much. */
function isLinear(textOf: (length: number) => string, length: number, work: (text: string) => void): void {
  const [short, long] = [textOf(length), textOf(LONGER * length)];
  work(short);
  const costMs = (text: string) => cpuMs(() => work(text));
  // The best of two: another process may have had the processor.
  const best = (text: string) => Math.min(costMs(text), costMs(text));
  const allowed = 5 * LONGER * Math.max(best(short), LEAST_MS);
  const took = best(long);
  assert.ok(took <= allowed, `${took} ms for ${LONGER} times the length, at most ${allowed} ms would be its share`);
}

const options = { seed: 20_261_121, numRuns: RUNS, endOnFailure: true };

const vault = new Vault();
for (const [i, secret] of SECRETS.entries()) vault.add(`[secret:apiKey:k${i}]`, secret);

const READERS: Record<string, (text: string) => void> = {
  'texts with secrets': (text) => {
    const masked = vault.maskText(text);
    assert.ok(!masked.includes(SECRETS[0] ?? ''));
  },
  'markers and their absence': (text) => {
    markersIn(text);
    withoutMarkers(text);
  },
  'addresses of deliveries': (text) => {
    addressOf(`/${text}`);
    isSame(`${text}[secret:password:a]`, text);
    isSame(text, `${text}x`);
  },
  'undeclared passwords': (text) => {
    withoutUndeclared(text);
    withoutUndeclared(JSON.stringify({ password: text, nested: text }));
  },
  URLs: (text) => {
    isHttpUrl(text);
    isHttpUrl(`https://${text}`);
  },
  'what is shown': (text) => {
    visible(text);
  },
  'HAR files': (text) => {
    for (const har of [
      text,
      `{"log":${text}}`,
      JSON.stringify({ log: { version: '1.2', creator: { name: text }, entries: [text] } }),
    ])
      try {
        fromHar(har, 'evidence.har');
      } catch (error) {
        if (!(error instanceof UsageError)) throw error;
      }
  },
};

const file = join(freshDirectory(), 'target.yaml');

test('target files are read in a time that grows with the length, and refused in a message of ours', () => {
  const named = JSON.stringify({ name: 'a', apiKey: SECRETS[0] });
  fc.assert(
    fc.property(texts, (textOf) => {
      isLinear(textOf, 1000, (text) => {
        for (const target of [
          text,
          `baseURL: ${text}`,
          `baseURL: https://a.example/v2\naccounts: [${named}, ${JSON.stringify({ name: text, apiKey: text })}]\n`,
          `baseURL: https://a.example/v2\naccounts: [${named}]\n${text}: ${text}\n`,
        ]) {
          writeFileSync(file, target);
          try {
            loadTarget(file, {});
          } catch (error) {
            if (!(error instanceof UsageError)) throw error;
            assert.equal(visible(error.message), error.message);
            assert.ok(!error.message.includes(SECRETS[0] ?? ''));
          }
        }
      });
    }),
    { ...options, numRuns: Math.ceil(RUNS / 2) },
  );
});

for (const [what, read] of Object.entries(READERS)) {
  test(`${what} are read in a time that grows with the length, without an error`, () => {
    fc.assert(
      fc.property(texts, (textOf) => isLinear(textOf, 20_000, read)),
      options,
    );
  });
}

test('every rule judges whatever a server sends, in a time that grows with the length', () => {
  test.setTimeout(300_000);
  fc.assert(
    fc.property(texts, fc.constantFrom('body', 'JSON', 'header', 'status', 'url'), (textOf, where) => {
      for (const { judge } of allRules)
        isLinear(textOf, where === 'header' ? 1000 : 5000, (text) => {
          judge(evidenceOf(text, where));
        });
    }),
    { ...options, numRuns: Math.ceil(RUNS / 8) },
  );
});

/** A stranger's text at one place of everything that a server sends. */
function evidenceOf(text: string, where: string): Evidence {
  const url = where === 'url' ? text : 'https://hooks.example/start';
  const document = {
    webhook: {
      start: { status: true, url },
      auth: { status: true, type: text, basic: { username: text, password: null } },
      more: text,
    },
  };
  const body = where === 'body' ? text : JSON.stringify(where === 'JSON' || where === 'url' ? document : {});
  const value = where === 'header' ? text : '1';
  const headers = `Content-Type Cache-Control Vary Retry-After Date X-RateLimit-Limit X-RateLimit-Reset WWW-Authenticate
    Set-Cookie`.split(/\s+/);
  return twoAnswers({
    statusText: where === 'status' ? text : '',
    headers: headers.map((name) => [name, value] as const),
    body,
    bodyEncoding: 'utf8',
  });
}

/** What leaves this process is searched once more: files, output, and what reporters of others are given. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { save } from '../../../src/common/files';
import { harOf, sealOf } from '../../../src/evidence/har';
import { changeTexts } from '../../../src/playwright/reporter/masked-results';
import { Masking } from '../../../src/recorder/masking';
import { gated, gatedText, guard } from '../../../src/redaction/gate';
import { markersIn } from '../../../src/redaction/markers';
import { BASE, evidenceOf } from '../support/evidence-of';
import { freshDirectory } from '../support/whole-runs';

const KEY = 'gate-key-4711-Aa';
const ALICE = '[secret:apiKey:alice:part]';

test.beforeAll(() => guard(new Masking([{ name: 'alice', apiKey: KEY, password: 'assessment' }], [])));

test('what is written holds no secret, in one piece or in parts, as text or as bytes', () => {
  const directory = freshDirectory();
  const contents = [`a ${KEY}`, Buffer.from(`\xff ${KEY}`, 'latin1'), [`a ${KEY}`, ' b']];
  const left = contents.map((content, i) => {
    save(join(directory, `${i}`), content, '');
    return readFileSync(join(directory, `${i}`), 'latin1');
  });
  expect(left).toEqual([`a ${ALICE}`, `\xff ${ALICE}`, `a ${ALICE} b`]);
});

test('what a query says is searched once it is decoded', () => {
  const file = join(freshDirectory(), 'evidence.har');
  const once = KEY.replace(/./g, (c) => `%${c.charCodeAt(0).toString(16)}`);
  const thrice = once.replaceAll('%', '%2525');
  const url = `${BASE}/webhooks?k=${thrice}`;
  const evidence = evidenceOf([{ request: { method: 'GET', url, headers: [] } }]);
  const figures = { durationMs: 1, waitedMs: 0, error: `no ${KEY}` };
  const { parts, digests } = harOf(evidence, figures);
  save(file, parts, '');
  const { log } = JSON.parse(readFileSync(file, 'utf8'));
  expect(log.entries[0].request.queryString).toEqual([{ name: 'k', value: ALICE }]);
  // The digests are those of what was written.
  const evidenceDigest = `sha256:${createHash('sha256').update(readFileSync(file)).digest('hex')}`;
  expect(digests).toEqual({ evidence: evidenceDigest, seal: sealOf(log) });
  expect(log).toMatchObject({ _error: `no ${ALICE}`, _seal: sealOf(log) });
});

test('what is learnt later is masked from then on, and a marker of the gate is no leak', () => {
  const later = new Masking([{ name: 'bob', apiKey: 'bobs-key-4711' }], []);
  guard(later);
  const passed = Buffer.from('told-later-4711');
  expect(gated(passed)).toEqual(passed);
  later.learn('[secret:receiverKey:bob]', 'told-later-4711');
  const text = gatedText(`told-later-4711 ${Buffer.from('bobs-key-4711').toString('base64')}`);
  expect(text).toMatch(/^\[secret:receiverKey:bob:part\] \[secret:apiKey:bob:part:base64\]/);
  expect(String(gated(passed))).toBe('[secret:receiverKey:bob:part]');
  expect(markersIn(text)).toEqual([]);
  expect(gatedText(text)).toBe(text);
});

test('ordinary words of ours stay, and a text keeps its colours unless it holds a secret', () => {
  for (const text of ['assessment', 'an assessment']) expect(gatedText(text)).toBe(text);
  expect(gatedText(`\u001b[31m${KEY.slice(0, 4)}`)).toBe(`\u001b[31m${KEY.slice(0, 4)}`);
  expect(gatedText(`\u001b[31m${KEY.slice(0, 4)}\u001b[39m${KEY.slice(4)}`)).toBe(ALICE);
});

test('an object of others is changed in place, names and circles included', () => {
  const inner: Record<string, unknown> = { [`a ${KEY}`]: [KEY, 1, null, Buffer.from(KEY)] };
  const holder = { title: KEY, steps: [inner], parent: inner };
  inner.parent = holder;
  changeTexts(holder);
  expect(holder.title).toBe(ALICE);
  expect(inner[`a ${ALICE}`]).toEqual([ALICE, 1, null, Buffer.from(ALICE)]);
});

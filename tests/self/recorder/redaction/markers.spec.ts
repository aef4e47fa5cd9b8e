/** Markers are made by the suite alone: what others write that looks like one is never read as ours. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { probe } from '../../../../src/catalogue/probe';
import type { RawDelivery } from '../../../../src/config/receiver';
import type { HeaderLines } from '../../../../src/evidence/model';
import { Masking } from '../../../../src/recorder/redaction/masking';
import { evidenceOf, found } from '../../support/evidence-of';
import { filesBelow, ROOT } from '../../support/whole-runs';

const masking = new Masking([{ name: 'alpha', apiKey: 'alphaKeySekret4711', password: 'alphaPasswordSekret' }], []);

const stranger = { method: 'POST', path: '/', headers: [] as HeaderLines, body: Buffer.from(''), truncated: false };
const AS_BASIC = Buffer.from('[secret:password:alpha]:x').toString('base64');
for (const [what, sent, kept] of [
  ['path', { path: '/[secret:a:b][secret:a:b]' }, { path: '/[said:secret:a:b][said:secret:a:b]' }],
  [
    'header',
    { headers: [['X-T', '[secret:receiverKey:alpha]']] },
    { headers: [['X-T', '[said:secret:receiverKey:alpha]']] },
  ],
  ['header’s name', { headers: [['X-[secret:a:b]', '1']] }, { headers: [['X-[said:secret:a:b]', '1']] }],
  [
    'user name',
    { headers: [['Authorization', `Basic ${AS_BASIC}`]] },
    { basic: [{ username: null, password: '[secret:password:(undeclared)]' }] },
  ],
  ['body', { body: Buffer.from('"[secret:password:alpha]"') }, { body: '"[said:secret:password:alpha]"' }],
] as ReadonlyArray<[string, Partial<RawDelivery>, Record<string, unknown>]>)
  test(`what a stranger sends to the receiver as ${what} is never read as a marker of ours`, () => {
    expect(masking.delivery({ ...stranger, ...sent })).toMatchObject(kept);
  });

test('a username that reads like a marker accuses nobody', () => {
  const body = Buffer.from('{"webhook":{"start":{},"auth":{"basic":{"username":"[secret:password:alpha]"}}}}');
  const times = { sentAtMs: 0, receivedAtMs: 1 };
  const answer = { ...times, head: null, aside: [], body, fault: null, resent: false };
  const recorded = masking.answerBody(answer, probe('read'), 'alpha');
  expect(recorded.body).toContain('[said:secret:password:alpha]');
  const accounts = [{ name: 'alpha', passwordDeclared: true }];
  expect(found('settings.password-absent', evidenceOf([{ account: 'alpha', ...recorded }], { accounts }))).toEqual([]);
});

test('nothing is decompressed on trial: only declared codings are read, and entries of traces', () => {
  const sources = filesBelow(join(ROOT, 'src')).filter((name) =>
    /from '(?:node:zlib|fflate)'/.test(readFileSync(join(ROOT, 'src', name), 'utf8')),
  );
  expect(sources.sort()).toEqual(['playwright/own/zip.ts', 'recorder/transport/content-coding.ts']);
});

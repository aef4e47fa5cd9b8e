/**
 * Evidence that an earlier version recorded keeps its verdicts, but for the changes that are listed here.
 * The recordings are of reference servers, so the secrets in them are made up.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { expect, test } from '@playwright/test';
import { fromHar } from '../../../src/evidence/har/read';
import { judgementsOf } from '../../../src/judge/rules';

/** One line of the file: what a server did, what was said of each clause then, and what was recorded. */
interface Recording {
  says: string;
  verdicts: Record<string, string>;
  har: unknown;
}

const recordings = brotliDecompressSync(readFileSync(join(__dirname, 'old-evidence.jsonl.br')))
  .toString()
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Recording);

/** By server, the verdicts that are others today. */
const CHANGES: Record<string, Record<string, string>> = {
  // What is told of a limit that is not kept is neither true nor false.
  'no limit': {
    'rate.limit-honest': 'not-tested',
    'rate.remaining-honest': 'not-tested',
    'rate.reset-honest': 'not-tested',
    'rate.across-paths': 'not-tested',
  },
  // What only a ban answered may have been accepted behind it.
  'a ban after wrong keys': { 'auth.altered-key': 'not-tested', 'auth.other-carrier': 'not-tested' },
  // Its bare 503 to five requests at one moment is about their number, not about the rate.
  'a balancer with room for four requests': { 'rate.refusal-429': 'pass' },
  // A server that answers 404 there was said to have let nothing through.
  'nothing at the base path': { 'auth.base-path-accepted': 'warn', 'rate.refusal-429': 'pass' },
  // Three bursts at a distance show it, though none of them alone does.
  'windows of seven tenths of a second': { 'rate.enforced': 'fail', 'rate.limit-honest': 'fail' },
  // Nothing was there to be judged.
  'settings without their envelope': {
    'settings.has-password-stored': 'not-tested',
    'settings.has-password-not-stored': 'not-tested',
    'settings.apikey-unused': 'not-tested',
  },
};

for (const { says, verdicts, har } of recordings)
  test(`what was recorded of a server has the verdicts it had: ${says}`, () => {
    const { evidence } = fromHar(Buffer.from(JSON.stringify(har)), 'old.har');
    const today = judgementsOf(Object.keys(verdicts), evidence, '2026-11-22');
    const found = [...today].map(([id, { verdict }]) => [id, verdict]);
    expect(Object.fromEntries(found)).toEqual({ ...verdicts, ...CHANGES[says] });
  });

/** A run in which no key is accepted accuses the server of nothing but that, and says what looks wrong. */
import { createServer, type RequestListener } from 'node:http';
import { expect, test } from '@playwright/test';
import { runOn } from '../../../scripts/matrix/in-process';
import { targetOf } from '../../../src/config/target';
import { reportInputOf } from '../../../src/report/assemble';
import { listening } from '../support/listening';

const IDS = ['auth.accepted', 'auth.missing-key', 'settings.json', 'settings.password-null', 'transport.complete'];

/** The result of a run of a few clauses against an address. */
async function resultAt(baseURL: string, accounts = [{ name: 'alice', apiKey: 'never-issued-1' }]) {
  const { judgements, recorder } = await runOn(targetOf({ baseURL, accounts }, 'acme'), (id) => IDS.includes(id));
  const recorded = {
    evidence: recorder.evidence(),
    error: recorder.error,
    waitedMs: 0,
    durationMs: 1,
    startedAtEpochMs: 1,
    notes: [],
  };
  const byId = new Map(judgements.map((judgement) => [judgement.id, judgement]));
  const ending = { error: null, baseline: null };
  return reportInputOf(recorded, byId, () => null, ending).conformance;
}

async function resultFrom(listener: RequestListener, path = '/api/v2') {
  const { port, close } = await listening(createServer(listener));
  return resultAt(`http://127.0.0.1:${port}${path}`).finally(close);
}

const page =
  (status: number): RequestListener =>
  (_, response) => {
    const headers = { 'Content-Type': 'text/html', Connection: 'close' };
    response.writeHead(status, headers).end('<!doctype html><title>Back soon</title>');
  };

/** An error that fails nothing but `auth.accepted`. */
function expectError(result: Awaited<ReturnType<typeof resultAt>>, says: RegExp, fails = ['auth.accepted']): void {
  expect(result.verdict).toBe('error');
  expect(result.error).toMatch(says);
  const failed = result.clauses.filter(({ verdict }) => verdict === 'fail' || verdict === 'warn').map(({ id }) => id);
  expect(failed).toEqual(fails);
}

test('a maintenance page is no breach of every clause, whatever its status', async () => {
  expectError(await resultFrom(page(503)), /: 503 with a web page to alice\. A web page answers in place/);
  // Its status says that the key was accepted: nothing is known of that either.
  expectError(await resultFrom(page(200)), /: 200 with a web page to alice\. A web page answers in place/, []);
});

test('a page that only those with a key get is the settings of a broken server', async () => {
  const result = await resultFrom((request, response) => page(request.headers.apikey ? 200 : 401)(request, response));
  expect(result.verdict).toBe('non-conformant');
  expect(result.clauses.find(({ id }) => id === 'settings.json')?.verdict).toBe('fail');
});
